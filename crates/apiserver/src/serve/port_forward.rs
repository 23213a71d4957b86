//! Connections to ports of simulated pods, as clients carry them.
//!
//! ```text
//!   SPDY: a stream for data and one for errors, for each connection ─► Session ─┬─ on the socket itself (kubectl before 1.31, client-go)
//!                                                                               └─ in the messages of a WebSocket (kubectl)
//!   channels: two for each port of the request (kube, the Python client, Api::portforward)
//! ```
//! In: what answers at the ports, and a connection. Out: every connection answered until the client goes. Nothing here decides what
//! a port says: [`Conversation`]s do.

use std::collections::BTreeMap;

use futures::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::yield_now;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::spdy::{Frame, FrameWriter, Frames};
use super::upgrade::{self, WebSocket};
use crate::controllers::simulated::ports::{Conversation, Ports, Said};

/// Answers over SPDY, on the connection itself.
pub(super) async fn over_stream(
    ports: &Ports,
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
) -> Result<(), std::io::Error> {
    let (mut session, mut frames) = (Session::new(ports), Frames::default());
    let mut buffer = vec![0; PIECE_BYTES];
    while !session.is_over {
        let count = match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            count => count,
        };
        frames.push(&buffer[..count]);
        while let Some(said) = frames.answer(|frame, out| session.hear(frame, out))? {
            stream.write_all(&said).await?;
            // Whoever else is served by this thread has a turn.
            yield_now().await;
        }
        stream.flush().await?;
    }
    Ok(())
}

/// Answers over SPDY, in the messages of a WebSocket.
pub(super) async fn through_tunnel(ports: &Ports, socket: &mut WebSocket) -> Result<(), Error> {
    let (mut session, mut frames) = (Session::new(ports), Frames::default());
    while !session.is_over {
        let message = match socket.next().await.transpose()? {
            Some(Message::Binary(message)) => message,
            Some(Message::Close(_)) | None => return Ok(()),
            Some(_) => continue,
        };
        frames.push(&message);
        while let Some(said) =
            frames.answer(|frame, out| session.hear(frame, out)).map_err(|broken| Error::Io(broken.into()))?
        {
            if !said.is_empty() {
                socket.send(Message::Binary(said.into())).await?;
            }
            yield_now().await;
        }
    }
    upgrade::say_goodbye(socket).await
}

/// Answers one connection to each port that the request named. The first message of a channel is the number of its port.
pub(super) async fn over_channels(ports: &Ports, socket: &mut WebSocket) -> Result<(), Error> {
    let mut open: Vec<Option<Conversation>> = Vec::new();
    for (place, port) in ports.wanted.iter().enumerate() {
        let (data, error) = channels(place);
        say(socket, data, &port.to_le_bytes()).await?;
        say(socket, error, &port.to_le_bytes()).await?;
        open.push(match ports.open(*port) {
            Ok(conversation) => Some(conversation),
            Err(why) => {
                say(socket, error, why.as_bytes()).await?;
                None
            }
        });
    }
    for (place, conversation) in open.iter_mut().enumerate() {
        if let Some(begun) = conversation {
            let said = begun.begin();
            pass_on(socket, place, conversation, said).await?;
        }
    }
    // There is no message for the end of one port: the connection ends with the last of them.
    while open.iter().any(Option::is_some) {
        let message = match socket.next().await.transpose()? {
            Some(Message::Binary(message)) => message,
            Some(Message::Close(_)) | None => return Ok(()),
            Some(_) => continue,
        };
        let Some((channel, bytes)) = message.split_first() else { continue };
        // The channels for errors are for what is said here.
        if channel % 2 == 1 {
            continue;
        }
        let place = usize::from(channel / 2);
        if let Some(conversation) = open.get_mut(place)
            && let Some(hearing) = conversation
        {
            let said = hearing.hear(bytes);
            pass_on(socket, place, conversation, said).await?;
        }
    }
    upgrade::say_goodbye(socket).await
}

/// The channels of the port at a place: for data and for what went wrong.
fn channels(place: usize) -> (u8, u8) {
    let data = u8::try_from(place * 2).unwrap_or(u8::MAX - 1);
    (data, data + 1)
}

async fn pass_on(
    socket: &mut WebSocket,
    place: usize,
    conversation: &mut Option<Conversation>,
    said: Said,
) -> Result<(), Error> {
    for piece in said.bytes.chunks(PIECE_BYTES) {
        say(socket, channels(place).0, piece).await?;
    }
    if said.is_over {
        *conversation = None;
    }
    Ok(())
}

async fn say(socket: &mut WebSocket, channel: u8, data: &[u8]) -> Result<(), Error> {
    socket.send(Message::Binary([&[channel], data].concat().into())).await
}

/// Streams of one client, without the connection they come on.
struct Session<'p> {
    ports: &'p Ports,
    writer: FrameWriter,
    /// The streams for what goes wrong, by the number of the connection they are for.
    errors: BTreeMap<String, u32>,
    /// The streams for data that are open, each with the one for its errors.
    open: BTreeMap<u32, (Conversation, Option<u32>)>,
    is_over: bool,
}

impl<'p> Session<'p> {
    fn new(ports: &'p Ports) -> Session<'p> {
        Session {
            ports,
            writer: FrameWriter::default(),
            errors: BTreeMap::new(),
            open: BTreeMap::new(),
            is_over: false,
        }
    }

    /// What is said to a frame.
    fn hear(&mut self, frame: Frame, out: &mut Vec<u8>) {
        match frame {
            Frame::Open { stream, headers, .. } => self.open(stream, &headers, out),
            Frame::Data { stream, bytes, is_last } => self.data(stream, &bytes, is_last, out),
            Frame::Reset { stream } => self.reset(stream, out),
            Frame::Ping { id } => FrameWriter::ping(id, out),
            Frame::GoAway => self.is_over = true,
            Frame::Meaningless => {}
        }
    }

    fn open(&mut self, stream: u32, headers: &[(String, String)], out: &mut Vec<u8>) {
        let value = |name: &str| {
            headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        self.writer.accept(stream, out);
        let number = value("requestid").to_owned();
        match value("streamtype") {
            "error" if self.errors.len() < STREAMS_MAX => drop(self.errors.insert(number, stream)),
            "data" if self.open.len() < STREAMS_MAX => {
                let error = self.errors.remove(&number);
                let port = value("port").parse().map_err(|_| format!("{:?} is not a port", value("port")));
                match port.and_then(|port| self.ports.open(port)) {
                    Ok(mut conversation) => {
                        let said = conversation.begin();
                        self.open.insert(stream, (conversation, error));
                        self.pass_on(stream, &said, out);
                    }
                    Err(why) => {
                        error.into_iter().for_each(|error| FrameWriter::data(error, why.as_bytes(), true, out));
                        FrameWriter::data(stream, &[], true, out);
                    }
                }
            }
            // What nothing is known of is accepted and ends.
            _ => FrameWriter::data(stream, &[], true, out),
        }
    }

    /// A stream that its client gave up takes the one for its errors along.
    fn reset(&mut self, stream: u32, out: &mut Vec<u8>) {
        self.errors.retain(|_, error| *error != stream);
        for (_, error) in self.open.values_mut() {
            error.take_if(|error| *error == stream);
        }
        let error = self.open.remove(&stream).and_then(|(_, error)| error);
        error.into_iter().for_each(|error| FrameWriter::data(error, &[], true, out));
    }

    fn data(&mut self, stream: u32, bytes: &[u8], is_last: bool, out: &mut Vec<u8>) {
        let Some((conversation, _)) = self.open.get_mut(&stream) else { return };
        let said = if bytes.is_empty() { Said::default() } else { conversation.hear(bytes) };
        let is_over = said.is_over;
        self.pass_on(stream, &said, out);
        if is_last
            && !is_over
            && let Some((conversation, _)) = self.open.get_mut(&stream)
        {
            let said = conversation.end();
            self.pass_on(stream, &said, out);
        }
    }

    fn pass_on(&mut self, stream: u32, said: &Said, out: &mut Vec<u8>) {
        FrameWriter::data(stream, &said.bytes, said.is_over, out);
        if said.is_over {
            let error = self.open.remove(&stream).and_then(|(_, error)| error);
            error.into_iter().for_each(|error| FrameWriter::data(error, &[], true, out));
        }
    }
}

/// What is read and sent at a time.
const PIECE_BYTES: usize = 32 * 1024;

/// Connections through one client at a time; kubectl has one for each that its user opens.
const STREAMS_MAX: usize = 1000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::spdy::tests::{Opener, opened};
    use super::super::spdy::{ANSWER_BYTES, FRAMES_AT_ONCE};
    use super::*;
    use crate::codec::object::Object;

    fn ports(text: &str) -> Ports {
        let annotations = json!({"pintle.dev/port-forward": text});
        Ports::of(&Object::from_value(json!({"metadata": {"name": "web", "annotations": annotations}})).unwrap(), &[])
            .unwrap()
    }

    /// What a client of Go's makes of the answer; replies are left out.
    fn data(bytes: &[u8]) -> Vec<(u32, String, bool)> {
        let mut frames = Frames::default();
        frames.push(bytes);
        std::iter::from_fn(|| frames.next().unwrap())
            .filter_map(|frame| match frame {
                Frame::Data { stream, bytes, is_last } => Some((stream, String::from_utf8(bytes).unwrap(), is_last)),
                _ => None,
            })
            .collect()
    }

    /// Everything that is said to these bytes.
    fn hear(session: &mut Session<'_>, bytes: &[u8]) -> Vec<u8> {
        let mut frames = Frames::default();
        frames.push(bytes);
        let answer = || frames.answer(|frame, out| session.hear(frame, out)).unwrap();
        std::iter::from_fn(answer).flatten().collect()
    }

    fn sent(stream: u32, bytes: &[u8], is_last: bool) -> Vec<u8> {
        let mut out = Vec::new();
        FrameWriter::data(stream, bytes, is_last, &mut out);
        out
    }

    #[test]
    fn a_port_that_says_its_last_word_ends_both_of_its_streams() {
        let ports = ports("[{port: 80, send: hello}]");
        let said = hear(&mut Session::new(&ports), &opened());
        assert_eq!(data(&said), [(3, "hello".to_owned(), true), (1, String::new(), true)]);
        assert_eq!(said.windows(4).filter(|window| **window == [0x80, 3, 0, 2]).count(), 2, "both were accepted");
    }

    #[test]
    fn where_nothing_listens_the_stream_for_errors_says_so() {
        let ports = ports("[{port: 81, send: hello}]");
        let said = data(&hear(&mut Session::new(&ports), &opened()));
        assert!(said[0].1.starts_with("error forwarding port 80 to pod web: nothing listens"), "{said:?}");
        assert_eq!((said[0].0, said[0].2), (1, true));
        assert_eq!(said[1..], [(3, String::new(), true)]);
    }

    #[test]
    fn what_comes_on_a_stream_is_answered_on_it_until_its_end() {
        let ports = ports("[{echo: true}]");
        let mut session = Session::new(&ports);
        assert_eq!(data(&hear(&mut session, &opened())), []);
        assert_eq!(data(&hear(&mut session, &sent(3, b"abc", false))), [(3, "abc".to_owned(), false)]);
        assert_eq!(data(&hear(&mut session, &sent(9, b"abc", false))), [], "nobody opened that");
        let last = hear(&mut session, &sent(3, b"d", true));
        assert_eq!(data(&last), [(3, "d".to_owned(), false), (3, String::new(), true), (1, String::new(), true)]);
    }

    /// What a client sends that gives a stream up.
    fn reset(stream: u8) -> [u8; 16] {
        [0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, stream, 0, 0, 0, 5]
    }

    #[test]
    fn a_stream_that_is_reset_ends_the_one_for_its_errors() {
        let ports = ports("[{echo: true}]");
        let mut session = Session::new(&ports);
        hear(&mut session, &opened());
        assert_eq!(data(&hear(&mut session, &reset(3))), [(1, String::new(), true)]);
        assert_eq!(data(&hear(&mut session, &sent(3, b"abc", true))), [], "it is gone");
    }

    #[test]
    fn a_stream_for_errors_that_is_reset_is_forgotten() {
        let ports = ports("[{echo: true}]");
        let (mut session, mut opener) = (Session::new(&ports), Opener::new());
        let sent_before = (0..=250).flat_map(|stream| {
            let id = stream.to_string();
            let open = opener.open(stream.into(), &[("streamtype", "error"), ("requestid", &id)]);
            [&open[..], &reset(stream)].concat()
        });
        hear(&mut session, &Vec::from_iter(sent_before));
        assert!(session.errors.is_empty());
        // One whose data is there already, too.
        let mut session = Session::new(&ports);
        hear(&mut session, &opened());
        hear(&mut session, &reset(1));
        let said = data(&hear(&mut session, &sent(3, b"", true)));
        assert_eq!(said, [(3, String::new(), true)]);
    }

    #[test]
    fn streams_that_are_over_at_once_are_answered_piece_by_piece() {
        let text = "x".repeat(1000);
        let (ports, mut opener) = (ports(&format!("[{{send: {text}}}]")), Opener::new());
        let (mut session, mut frames) = (Session::new(&ports), Frames::default());
        for stream in 0..2000 {
            frames.push(&opener.open(2 * stream + 1, &[("streamtype", "data"), ("port", "80")]));
        }
        let answer = || frames.answer(|frame, out| session.hear(frame, out)).unwrap();
        let lengths: Vec<usize> = std::iter::from_fn(answer).map(|said| said.len()).collect();
        assert!(lengths.iter().sum::<usize>() > 2000 * text.len());
        assert!(lengths.iter().all(|length| *length < ANSWER_BYTES + 2 * text.len()), "{lengths:?}");
    }

    #[tokio::test]
    async fn a_client_that_sends_many_frames_lets_others_have_their_turns() {
        let ports = ports("[{echo: true}]");
        let (mut near, mut far) = tokio::io::duplex(PIECE_BYTES);
        far.write_all(&[0; PIECE_BYTES]).await.unwrap();
        let mut answering = std::pin::pin!(over_stream(&ports, &mut near));
        far.shutdown().await.unwrap();
        let mut turns = 0;
        while futures::poll!(&mut answering).is_pending() {
            turns += 1;
        }
        assert!(turns >= PIECE_BYTES / 8 / FRAMES_AT_ONCE, "{turns} turns");
    }
}
