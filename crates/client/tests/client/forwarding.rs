//! Ports of pods, over a socket.

use k8s_openapi::api::core::v1::Pod;
use pintle_client::api::Api;
use pintle_client::core::kubelet_debug::KubeletDebugParams;
use pintle_client::{Client, Config};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::kubelet::Kubelet;
use crate::served::tick;

async fn pods() -> (Kubelet, Client, Api<Pod>) {
    let kubelet = Kubelet::start("127.0.0.1:0").await;
    let url = format!("http://{}", kubelet.address).parse().unwrap();
    let client = Client::try_from(Config::new(url)).unwrap();
    (kubelet, client.clone(), Api::namespaced(client, "ns"))
}

#[tokio::test]
async fn ports_are_spoken_with_side_by_side() {
    let (_kubelet, _, pods) = pods().await;
    let mut forwarder = pods.portforward("new", &[80, 443]).await.unwrap();
    let (mut one, mut other) = (forwarder.take_stream(80).unwrap(), forwarder.take_stream(443).unwrap());
    assert!(forwarder.take_stream(80).is_none() && forwarder.take_stream(81).is_none());
    for word in ["first", "second"] {
        for stream in [&mut one, &mut other] {
            stream.write_all(word.as_bytes()).await.unwrap();
            let mut answer = vec![0; word.len()];
            stream.read_exact(&mut answer).await.unwrap();
            assert_eq!(String::from_utf8(answer).unwrap(), word.to_uppercase());
        }
    }
}

#[tokio::test]
async fn ports_are_reached_past_the_api_server() {
    let (_kubelet, client, _) = pods().await;
    let pod = KubeletDebugParams { name: "new", namespace: "ns", pod_uid: None };
    assert!(client.kubelet_node_portforward(&pod, &[]).await.is_err(), "a port is needed");
    let mut stream = client.kubelet_node_portforward(&pod, &[80, 443]).await.unwrap().take_stream(443).unwrap();
    stream.write_all(b"word").await.unwrap();
    let mut answer = [0; 4];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"WORD");
}

/// A kubelet cannot learn that one of two sides has ended, so the other is listened to until it is silent.
#[tokio::test(start_paused = true)]
async fn much_data_comes_back_whole_although_its_sender_is_done() {
    tick();
    let (_kubelet, _, pods) = pods().await;
    let mut forwarder = pods.portforward("new", &[80]).await.unwrap();
    let (mut reader, mut writer) = tokio::io::split(forwarder.take_stream(80).unwrap());
    let text = vec![b'a'; 1_000_000];
    let write = async {
        writer.write_all(&text).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let mut answer = Vec::new();
    let ((), read) = tokio::join!(write, reader.read_to_end(&mut answer));
    read.unwrap();
    assert!(answer.len() == text.len() && answer.iter().all(|byte| *byte == b'A'), "{} bytes", answer.len());
    forwarder.join().await.unwrap();
}

#[tokio::test]
async fn a_port_where_no_process_listens_fails_alone() {
    let (_kubelet, _, pods) = pods().await;
    let mut forwarder = pods.portforward("new", &[1, 80]).await.unwrap();
    let error = forwarder.take_error(1).unwrap().await;
    assert_eq!(error.as_deref(), Some("error forwarding port 1 to pod new, uid : no process listens on port 1"));
    let mut ended = Vec::new();
    forwarder.take_stream(1).unwrap().read_to_end(&mut ended).await.unwrap();
    assert!(ended.is_empty());
    let mut stream = forwarder.take_stream(80).unwrap();
    stream.write_all(b"x").await.unwrap();
    assert_eq!(stream.read_u8().await.unwrap(), b'X');
}

#[tokio::test]
async fn a_stream_outlives_its_forwarder_and_ends_with_the_pod() {
    let (_kubelet, _, pods) = pods().await;
    let mut forwarder = pods.portforward("new", &[2]).await.unwrap();
    let mut stream = forwarder.take_stream(2).unwrap();
    drop(forwarder);
    let mut greeting = String::new();
    stream.read_to_string(&mut greeting).await.unwrap();
    assert_eq!(greeting, "hello");
}

#[tokio::test]
async fn a_channel_of_another_port_ends_forwarding() {
    let (_kubelet, _, pods) = pods().await;
    let mut forwarder = pods.portforward("new", &[3]).await.unwrap();
    let stream = forwarder.take_stream(3);
    let wrong = forwarder.join().await.unwrap_err();
    assert_eq!(wrong.to_string(), "a channel is of port 9 where 3 was asked for");
    drop(stream);
}

#[tokio::test]
async fn aborting_ends_the_streams() {
    let (_kubelet, _, pods) = pods().await;
    let mut forwarder = pods.portforward("new", &[80]).await.unwrap();
    let mut stream = forwarder.take_stream(80).unwrap();
    forwarder.abort();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(forwarder.join().await.is_err(), "it was aborted");
}
