//! A server with a data directory: what is there after it is started again, and what is wrong with a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pintle_apiserver::{Controllers, DataDirectory, Server};
use serde_json::{Value, json};

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World, definition};

/// A directory that is gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("pintle-data-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Folder(std::env::temp_dir().join(name))
    }

    fn open(&self) -> World {
        World { server: Server::builder().seed(7).rbac().open(&self.0).unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.0.join("pintle.redb")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap_or_default();
    }
}

fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_simulated_cluster_goes_on_with_its_nodes_and_pods() {
    let folder = Folder::new();
    let open = || World { server: Server::builder().controllers(Controllers::all()).nodes(2).open(&folder.0).unwrap() };
    let deployment = json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "web:1"}]},
            },
        },
    });
    let (deployments, pods, nodes) =
        ("/apis/apps/v1/namespaces/default/deployments", "/api/v1/namespaces/default/pods", "/api/v1/nodes");
    let before = open();
    before.post(deployments, deployment).await.expect(201);
    before.server.settle().await;
    let (known_pods, known_nodes) = (before.names_at(pods).await, before.names_at(nodes).await);
    assert_eq!((known_pods.len(), known_nodes.len()), (2, 2));
    drop(before);

    let after = open();
    after.server.settle().await;
    assert_eq!((after.names_at(pods).await, after.names_at(nodes).await), (known_pods, known_nodes));
    after.merge(&format!("{deployments}/web"), json!({"spec": {"replicas": 3}})).await.expect(200);
    after.server.settle().await;
    assert_eq!(after.names_at(pods).await.len(), 3, "its controllers are at work");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_started_again_goes_on_where_it_was() {
    let folder = Folder::new();
    let before = folder.open();
    before.post(DEFINITIONS, definition()).await.expect(201);
    let document = before.post(DOCUMENTS, json!({"metadata": {"name": "a"}, "spec": {}})).await.expect(201);
    let map = before.post(MAPS, json!({"metadata": {"name": "changed"}})).await.expect(201);
    let path = format!("{MAPS}/changed");
    let map = before.put(&path, &json!({"metadata": map["metadata"], "data": {"k": "v"}})).await.expect(200);
    before.post(MAPS, json!({"metadata": {"name": "gone"}})).await.expect(201);
    before.delete(&format!("{MAPS}/gone")).await.expect(200);
    let token = "/api/v1/namespaces/default/serviceaccounts/default/token";
    let token = before.post(token, json!({"spec": {}})).await.expect(201)["status"]["token"].clone();
    let revision = before.server.revision();
    drop(before);

    let after = folder.open();
    assert_eq!(after.server.revision(), revision, "a start writes nothing");
    assert_eq!(after.get(&format!("{DOCUMENTS}/a")).await.expect(200), document);
    assert_eq!(after.get(&path).await.expect(200), map);
    after.get(&format!("{MAPS}/gone")).await.expect(404);
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}});
    let review = after.post("/apis/authentication.k8s.io/v1/tokenreviews", review).await.expect(201);
    assert_eq!(review["status"]["authenticated"], true, "a token that was issued before is good: {review}");
    let next = after.post(MAPS, json!({"metadata": {"name": "next"}})).await.expect(201);
    assert_eq!(version(&next), revision + 1);
    let uids = [&document, &map, &next].map(|object| object["metadata"]["uid"].clone());
    assert!(uids[2] != uids[0] && uids[2] != uids[1], "the same seed does not give the same uids again");
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_before_the_start_is_answered_with_410() {
    let folder = Folder::new();
    let before = folder.open();
    let first = before.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let last = before.post(MAPS, json!({"metadata": {"name": "b"}})).await.expect(201);
    drop(before);
    let after = folder.open();
    let watch = |from: u64| format!("{MAPS}?watch=true&timeoutSeconds=1&resourceVersion={from}");
    let refused = after.get(&watch(version(&first))).await;
    assert!(refused.text.contains("\"code\":410"), "{}", refused.text);
    after.get(&format!("{MAPS}?resourceVersion={}&resourceVersionMatch=Exact", version(&first))).await.expect(410);
    assert_eq!(after.get(&watch(version(&last))).await.text, "", "nothing happened since");
}

/// The work of controllers that the process before did not get to.
#[tokio::test(start_paused = true)]
async fn what_controllers_left_undone_is_done_after_the_start() {
    let folder = Folder::new();
    let before = folder.open();
    let owner = before.post(MAPS, json!({"metadata": {"name": "owner"}})).await.expect(201);
    let reference =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}]);
    let child = json!({"metadata": {"name": "child", "ownerReferences": reference}});
    before.post(MAPS, child).await.expect(201);
    before.delete(&format!("{MAPS}/owner")).await.expect(200);
    // Before anything else is asked, and before the moment at which it would be done by itself.
    drop(before);
    let after = folder.open();
    after.get(&format!("{MAPS}/child")).await.expect(404);
}

#[tokio::test]
async fn a_directory_has_one_server_at_a_time() {
    let folder = Folder::new();
    let first = folder.open();
    let refusal = Server::open(&folder.0).map(drop).unwrap_err().to_string();
    let id = std::process::id();
    assert!(refusal.contains(&format!("is in use by another process (its id is {id})")), "{refusal}");
    drop(first);
    folder.open();
}

#[tokio::test]
async fn a_rewind_is_on_the_disk_too() {
    let folder = Folder::new();
    let world = folder.open();
    let kept = world.post(MAPS, json!({"metadata": {"name": "kept"}})).await.expect(201);
    world.post(MAPS, json!({"metadata": {"name": "undone"}})).await.expect(201);
    world.server.rewind(version(&kept)).unwrap();
    world.get(&format!("{MAPS}/undone")).await.expect(404);
    drop(world);
    let world = folder.open();
    world.get(&format!("{MAPS}/undone")).await.expect(404);
    assert_eq!(world.server.revision(), version(&kept));
}

/// Short, torn, rotten and strange files: each is refused with its name and a remedy, or is read whole.
#[tokio::test]
async fn a_damaged_file_is_refused_or_read_whole() {
    let folder = Folder::new();
    let world = folder.open();
    for at in 0..20 {
        world
            .post(MAPS, json!({"metadata": {"name": format!("m{at}")}, "data": {"k": "v".repeat(3000)}}))
            .await
            .expect(201);
    }
    let objects = world.server.backup();
    drop(world);
    let whole = fs::read(folder.file()).unwrap();
    let lengths = [0, 1, 100, 4096, 5000, whole.len() / 2, whole.len() - 4096, whole.len() - 1];
    let short = lengths.map(|length| whole[..length].to_vec());
    let zeroed = [0, 64, 128, 192].map(|at| [&whole[..at], &[0; 64], &whole[at + 64..]].concat());
    let strange = [b"not a database".to_vec(), vec![0xFF; 10_000]];
    let is_used = |at: &usize| whole[*at..at + 4096].iter().any(|byte| *byte != 0);
    let pages = (4096..whole.len() - 4096).step_by(4096).filter(is_used).step_by(9);
    let rotten = pages.map(|at| [&whole[..at], &[0x55; 4096], &whole[at + 4096..]].concat());
    let mut refused = 0;
    for (case, bytes) in short.into_iter().chain(zeroed).chain(strange).chain(rotten).enumerate() {
        let other = Folder::new();
        fs::create_dir_all(&other.0).unwrap();
        fs::write(other.file(), &bytes).unwrap();
        match Server::open(&other.0) {
            Ok(server) => assert!(is_same(&server.backup(), &objects), "case {case} lost something"),
            Err(refusal) => {
                let text = refusal.to_string();
                assert!(text.contains("pintle.redb") && text.contains("snapshot"), "case {case}: {text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 12, "only {refused} were refused");
}

fn is_same(one: &str, other: &str) -> bool {
    one.lines().skip(1).eq(other.lines().skip(1))
}

#[tokio::test]
async fn a_snapshot_of_a_directory_is_restored_with_its_revisions() {
    let (folder, copy) = (Folder::new(), Folder::new());
    let world = folder.open();
    let map = world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let (revision, running) = (world.server.revision(), world.server.backup());
    drop(world);
    let snapshot = DataDirectory::existing(&folder.0).unwrap().snapshot().unwrap();
    assert_eq!(snapshot, running, "a server that runs has the same to give");

    let directory = DataDirectory::open(&copy.0).unwrap();
    assert!(directory.is_empty().unwrap());
    directory.restore(&snapshot).unwrap();
    drop(directory);
    let restored = copy.open();
    assert_eq!(restored.server.revision(), revision);
    assert_eq!(restored.get(&format!("{MAPS}/a")).await.expect(200), map);
    restored.post(MAPS, json!({"metadata": {"name": "later"}})).await.expect(201);
    drop(restored);

    // Over objects that were there, no revision comes twice.
    let directory = DataDirectory::open(&copy.0).unwrap();
    assert!(!directory.is_empty().unwrap());
    directory.restore(&snapshot).unwrap();
    drop(directory);
    let again = copy.open();
    assert_eq!(again.server.revision(), revision + 2);
    again.get(&format!("{MAPS}/later")).await.expect(404);
}

#[tokio::test]
async fn a_snapshot_that_was_cut_or_changed_is_refused_and_changes_nothing() {
    let folder = Folder::new();
    let world = folder.open();
    world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"k": "before"}})).await.expect(201);
    let text = world.server.backup();
    drop(world);
    let directory = DataDirectory::open(&folder.0).unwrap();
    let cut = text.trim_end().rsplit_once('\n').unwrap().0.to_owned();
    for (wrong, why) in
        [(cut, "it was cut short"), (text.replace("before", "after!"), "the digest"), (String::new(), "empty")]
    {
        let refusal = directory.restore(&wrong).unwrap_err().to_string();
        assert!(refusal.contains(why), "{refusal}");
    }
    assert_eq!(directory.snapshot().unwrap(), text);
}

#[test]
fn a_directory_without_data_is_not_taken_for_one() {
    let refusal = DataDirectory::existing(Path::new("/nowhere")).map(drop).unwrap_err().to_string();
    assert!(refusal.contains("no data of Pintle in /nowhere"), "{refusal}");
}

/// A server that is served again is the same to its clients.
#[cfg(feature = "serve")]
#[tokio::test]
async fn a_kubeconfig_goes_on_working_after_a_restart() {
    let folder = Folder::new();
    let any = "127.0.0.1:0".parse().unwrap();
    let before = folder.open().server.serve(any).await.unwrap();
    let kubeconfig = before.kubeconfig();
    before.shutdown().await;
    let after = folder.open().server.serve(any).await.unwrap();
    assert_eq!(after.kubeconfig(), kubeconfig, "address, authority and token are those of before");
    let elsewhere = Folder::new();
    assert_ne!(elsewhere.open().server.serve(any).await.unwrap().kubeconfig(), kubeconfig);
}
