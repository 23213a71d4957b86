//! Processes of simulated pods over SPDY: exec and attach as kubectl did before 1.31, and as client-go's `NewSPDYExecutor` does.
//!
//! In: a process, and a connection. Out: what the process does, each of its channels on a stream of its own: the client opens those
//! that it asked for, output and input flow, and the stream for errors ends with how it ended.

use std::collections::BTreeMap;
use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use super::processes::{EARLY_BYTES_MAX, END_OF_TRANSMISSION, status};
use super::spdy::{Frame, FrameWriter, Frames};
use super::upgrade::GOODBYE_MAX;
use crate::controllers::simulated::commands::Process;

/// Does what a process does, as the client sees it.
pub(super) async fn run(
    process: &Process,
    connection: &mut (impl AsyncRead + AsyncWrite + Unpin),
) -> Result<(), io::Error> {
    let (mut session, mut frames) = (Session::new(process), Frames::default());
    let mut buffer = vec![0; PIECE_BYTES];
    // When the client is given up; once all its streams are there, when the process says something.
    let mut due = pin!(sleep(OPENING_MAX));
    while session.stage != Stage::Over {
        let before = session.stage;
        let count = tokio::select! {
            biased;
            // First, because a client that goes on sending does not delay the process.
            () = &mut due, if matches!(before, Stage::Opening | Stage::Waiting) => None,
            count = connection.read(&mut buffer), if session.has_room() => Some(count?),
        };
        match count {
            None => connection.write_all(&session.due()?).await?,
            Some(0) => return Ok(()),
            Some(count) => frames.push(&buffer[..count]),
        }
        while let Some(said) = frames.answer(|frame, out| session.hear(frame, out))? {
            connection.write_all(&said).await?;
            // Whoever else is served by this thread has a turn.
            yield_now().await;
        }
        connection.flush().await?;
        if session.stage == Stage::Opening && !session.has_room() {
            return Err(io::Error::other("too much came before all streams were opened"));
        }
        if (before, session.stage) == (Stage::Opening, Stage::Waiting) {
            due.set(sleep(process.after));
        }
    }
    // The client closes the connection once it has read how the process ended.
    let rest = async { while connection.read(&mut buffer).await.is_ok_and(|count| count > 0) {} };
    drop(timeout(GOODBYE_MAX, rest).await);
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Not all streams that were asked for are there.
    Opening,
    /// All are there, and the process has not said anything.
    Waiting,
    /// It repeats its input.
    Repeating,
    Over,
}

struct Session<'p> {
    process: &'p Process,
    writer: FrameWriter,
    /// The streams by what they carry.
    streams: BTreeMap<&'static str, u32>,
    /// What came before the process began, if it will be repeated.
    early: Vec<u8>,
    has_input_ended: bool,
    stage: Stage,
}

impl<'p> Session<'p> {
    fn new(process: &'p Process) -> Session<'p> {
        Session {
            process,
            writer: FrameWriter::default(),
            streams: BTreeMap::new(),
            early: Vec::new(),
            has_input_ended: false,
            stage: Stage::Opening,
        }
    }

    /// What is said to a frame.
    fn hear(&mut self, frame: Frame, out: &mut Vec<u8>) {
        match frame {
            Frame::Open { stream, headers, .. } => self.open(stream, &headers, out),
            Frame::Data { stream, bytes, is_last } if self.streams.get("stdin") == Some(&stream) => match self.stage {
                Stage::Opening | Stage::Waiting => self.keep(&bytes, is_last),
                Stage::Repeating => self.repeat(&bytes, is_last, out),
                Stage::Over => {}
            },
            Frame::Data { .. } | Frame::Reset { .. } | Frame::Meaningless => {}
            Frame::Ping { id } => FrameWriter::ping(id, out),
            Frame::GoAway => self.stage = Stage::Over,
        }
    }

    fn open(&mut self, stream: u32, headers: &[(String, String)], out: &mut Vec<u8>) {
        self.writer.accept(stream, out);
        let kind = headers.iter().find(|(name, _)| name == "streamtype").map_or("", |(_, value)| value);
        match KINDS.iter().find(|known| **known == kind && !self.streams.contains_key(*known)) {
            Some(kind) => drop(self.streams.insert(kind, stream)),
            // What nothing is known of is accepted and ends, and so is what is there already.
            None => FrameWriter::data(stream, &[], true, out),
        }
        if self.stage == Stage::Opening && self.has_all() {
            self.stage = Stage::Waiting;
        }
    }

    /// Keeps what will be repeated.
    fn keep(&mut self, typed: &[u8], is_last: bool) {
        if self.repeats() && !self.has_input_ended {
            self.early.extend_from_slice(typed);
        }
        self.has_input_ended |= is_last;
    }

    /// Whether more input is taken. What a process will repeat waits at the client until it does.
    fn has_room(&self) -> bool {
        self.early.len() < EARLY_BYTES_MAX
    }

    fn repeats(&self) -> bool {
        self.process.is_echo && self.process.streams.stdin
    }

    /// What is said when the time has come that the stage lasts.
    fn due(&mut self) -> io::Result<Vec<u8>> {
        if self.stage == Stage::Opening {
            let why = "the client did not open all streams that it asked for";
            return Err(io::Error::new(io::ErrorKind::TimedOut, why));
        }
        let mut out = Vec::new();
        self.begin(&mut out);
        Ok(out)
    }

    fn has_all(&self) -> bool {
        let wanted = &self.process.streams;
        let kinds = [
            ("error", true),
            ("stdin", wanted.stdin),
            ("stdout", wanted.stdout),
            ("stderr", wanted.stderr && !wanted.tty),
            ("resize", wanted.tty),
        ];
        kinds.iter().all(|(kind, is_wanted)| !is_wanted || self.streams.contains_key(*kind))
    }

    /// What the process prints; then it ends, or repeats its input.
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.say("stdout", self.process.stdout.as_bytes(), false, out);
        // A terminal shows both.
        let errors = if self.process.streams.tty { "stdout" } else { "stderr" };
        self.say(errors, self.process.stderr.as_bytes(), false, out);
        if !self.repeats() {
            return self.end(out);
        }
        self.stage = Stage::Repeating;
        let early = std::mem::take(&mut self.early);
        self.repeat(&early, self.has_input_ended, out);
    }

    fn repeat(&mut self, typed: &[u8], is_last: bool, out: &mut Vec<u8>) {
        let end = typed.iter().position(|byte| *byte == END_OF_TRANSMISSION).filter(|_| self.process.streams.tty);
        self.say("stdout", &typed[..end.unwrap_or(typed.len())], false, out);
        if (is_last || end.is_some()) && self.stage == Stage::Repeating {
            self.end(out);
        }
    }

    /// All streams end, that for errors with how the process ended.
    fn end(&mut self, out: &mut Vec<u8>) {
        self.say("stdout", &[], true, out);
        self.say("stderr", &[], true, out);
        self.say("error", status(self.process.exit_code).to_string().as_bytes(), true, out);
        self.stage = Stage::Over;
    }

    fn say(&self, kind: &str, bytes: &[u8], is_last: bool, out: &mut Vec<u8>) {
        if let Some(stream) = self.streams.get(kind) {
            FrameWriter::data(*stream, bytes, is_last, out);
        }
    }
}

/// What streams can be for.
const KINDS: [&str; 5] = ["error", "stdin", "stdout", "stderr", "resize"];

/// How long kubelets wait for the streams of a process.
const OPENING_MAX: Duration = Duration::from_secs(30);

/// What is read at a time.
const PIECE_BYTES: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use tokio::io::DuplexStream;
    use tokio::task::JoinHandle;

    use pintle_core::call::Connect;

    use super::super::spdy::tests::Opener;
    use super::*;

    /// A client of a process.
    struct Client {
        connection: DuplexStream,
        opener: Opener,
        frames: Frames,
        running: JoinHandle<Result<(), io::Error>>,
    }

    impl Client {
        /// Of a process that repeats its input after this time.
        fn of_echo(after: Duration) -> Client {
            let streams = Connect { stdin: true, stdout: true, ..Connect::default() };
            let process = Process { is_echo: true, after, streams, ..Process::default() };
            let (connection, mut near) = tokio::io::duplex(PIECE_BYTES);
            let running = tokio::spawn(async move { run(&process, &mut near).await });
            Client { connection, opener: Opener::new(), frames: Frames::default(), running }
        }

        async fn open(&mut self, stream: u32, kind: &str) {
            let frame = self.opener.open(stream, &[("streamtype", kind)]);
            self.send(&frame).await;
        }

        async fn open_all(&mut self) {
            for (stream, kind) in [(1, "error"), (3, "stdin"), (5, "stdout")] {
                self.open(stream, kind).await;
            }
        }

        async fn send(&mut self, bytes: &[u8]) {
            // A client whose connection was ended hears of it when it reads.
            self.connection.write_all(bytes).await.unwrap_or_default();
        }

        async fn type_in(&mut self, bytes: &[u8], is_last: bool) {
            let mut out = Vec::new();
            FrameWriter::data(3, bytes, is_last, &mut out);
            self.send(&out).await;
        }

        /// The next frame but replies; none at the end.
        async fn next(&mut self) -> Option<Frame> {
            loop {
                match self.frames.next().unwrap() {
                    Some(Frame::Meaningless) => {}
                    Some(frame) => return Some(frame),
                    None => {
                        let mut buffer = [0; 1000];
                        match self.connection.read(&mut buffer).await.unwrap_or(0) {
                            0 => return None,
                            count => self.frames.push(&buffer[..count]),
                        }
                    }
                }
            }
        }

        /// How it ended, and after what time.
        async fn ended(self) -> (Result<(), String>, Duration) {
            let begun = tokio::time::Instant::now();
            let ended = self.running.await.unwrap();
            (ended.map_err(|error| error.to_string()), begun.elapsed())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_open_all_its_streams_is_given_up_after_half_a_minute() {
        let mut client = Client::of_echo(Duration::ZERO);
        client.open(1, "error").await;
        client.open(3, "stdin").await;
        let (ended, time) = client.ended().await;
        assert_eq!(ended.unwrap_err(), "the client did not open all streams that it asked for");
        assert_eq!(time.as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn input_is_not_kept_without_end_for_a_client_that_does_not_open_all_its_streams() {
        let mut client = Client::of_echo(Duration::ZERO);
        client.open(3, "stdin").await;
        let mut typed = 0;
        while !client.running.is_finished() {
            client.type_in(&[0; PIECE_BYTES], false).await;
            yield_now().await;
            typed += PIECE_BYTES;
            assert!(typed < 4 * EARLY_BYTES_MAX, "it goes on taking");
        }
        assert_eq!(client.ended().await.0.unwrap_err(), "too much came before all streams were opened");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_is_unknown_or_there_already_ends_and_counts_as_none() {
        let mut client = Client::of_echo(Duration::ZERO);
        for (stream, kind) in [(1, "error"), (3, "stdin"), (5, "stdin"), (7, "anything"), (9, "")] {
            client.open(stream, kind).await;
        }
        for stream in [5, 7, 9] {
            assert_eq!(client.next().await, Some(Frame::Data { stream, bytes: Vec::new(), is_last: true }));
        }
        client.open(11, "stdout").await;
        client.type_in(b"typed", false).await;
        let repeated = Frame::Data { stream: 11, bytes: b"typed".to_vec(), is_last: false };
        assert_eq!(client.next().await, Some(repeated), "the first stream for input is the one that is read");
    }

    #[tokio::test(start_paused = true)]
    async fn while_a_slow_command_runs_pings_are_answered_and_a_client_that_leaves_is_noticed() {
        for says_goodbye in [true, false] {
            let mut client = Client::of_echo(Duration::from_secs(3600));
            client.open_all().await;
            let mut ping = Vec::new();
            FrameWriter::ping(7, &mut ping);
            client.send(&ping).await;
            let answer = timeout(Duration::from_secs(1), client.next()).await;
            assert_eq!(answer.expect("it does not wait for the command"), Some(Frame::Ping { id: 7 }));
            if says_goodbye {
                client.send(&[0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]).await;
            } else {
                client.connection.shutdown().await.unwrap();
            }
            let (ended, time) = client.ended().await;
            assert!(ended.is_ok() && time <= GOODBYE_MAX, "{ended:?} after {time:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_typed_while_a_slow_command_runs_waits_for_it() {
        let mut client = Client::of_echo(Duration::from_secs(60));
        client.open_all().await;
        let typed = vec![7; 3 * EARLY_BYTES_MAX];
        let mut sent = Vec::new();
        FrameWriter::data(3, &typed, true, &mut sent);
        let (mut reading, mut writing) = tokio::io::split(client.connection);
        let read = async {
            let (mut frames, mut buffer, mut received) = (Frames::default(), vec![0; PIECE_BYTES], 0);
            loop {
                let count = reading.read(&mut buffer).await.unwrap();
                frames.push(&buffer[..count]);
                while let Some(frame) = frames.next().unwrap() {
                    match frame {
                        Frame::Data { stream: 5, bytes, .. } => received += bytes.len(),
                        Frame::Data { stream: 1, .. } => return received,
                        _ => {}
                    }
                }
            }
        };
        let (written, received) = tokio::join!(writing.write_all(&sent), read);
        written.unwrap();
        assert_eq!(received, typed.len());
    }
}
