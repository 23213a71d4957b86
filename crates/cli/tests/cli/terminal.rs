//! `pintle dev` on a terminal: `script` gives it one.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// A hang is a failure; nothing here takes a tenth of this.
const PATIENCE: Duration = Duration::from_secs(60);
// What a terminal understands as: show the other screen, show the first again, show the cursor.
const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";
const CURSOR: &str = "\u{1b}[?25h";

/// `pintle dev` in a terminal of 80×24.
struct InTerminal {
    script: Child,
    keyboard: ChildStdin,
    screen: ChildStdout,
    /// Everything that was written so far.
    written: String,
}

impl InTerminal {
    fn start(words: &str) -> Self {
        let line = format!("stty rows 24 cols 80; echo pid=$$.; exec {} dev {words}", env!("CARGO_BIN_EXE_pintle"));
        let mut script = Command::new("script")
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .env_remove("RUST_LOG")
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("script is part of every Linux");
        let keyboard = script.stdin.take().expect("it is piped");
        let screen = script.stdout.take().expect("it is piped");
        Self { script, keyboard, screen, written: String::new() }
    }

    /// Waits until this was written. Only cells that change are, so it should have nothing in common with what was there before.
    async fn sees(&mut self, part: &str) {
        let reading = async {
            let mut bytes = [0; 4096];
            while !self.written.contains(part) {
                let count = self.screen.read(&mut bytes).await.expect("it can be read");
                assert!(count > 0, "it ended without {part:?}: {}", self.written);
                self.written.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        };
        timeout(PATIENCE, reading).await.unwrap_or_else(|_| panic!("it never showed {part:?}"));
    }

    async fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).await.expect("it listens");
    }

    /// Waits for its end; returns its exit code.
    async fn end(mut self) -> (Option<i32>, String) {
        let ending = async {
            let mut rest = Vec::new();
            self.screen.read_to_end(&mut rest).await.expect("it can be read");
            self.written.push_str(&String::from_utf8_lossy(&rest));
            self.script.wait().await.expect("it ends").code()
        };
        let code = timeout(PATIENCE, ending).await.expect("it never ended");
        (code, self.written)
    }

    fn pid(&self) -> &str {
        let (_, rest) = self.written.split_once("pid=").expect("it was printed first");
        rest.split_once('.').expect("likewise").0
    }
}

/// The terminal was taken, and then given back with its cursor.
fn assert_given_back(written: &str) {
    let (_, after) = written.split_once(TAKEN).expect("the view was shown");
    let (_, after) = after.split_once(GIVEN_BACK).expect("the terminal was given back");
    assert!(after.contains(CURSOR), "without its cursor: {after:?}");
}

#[tokio::test]
async fn keys_act_and_q_gives_the_terminal_back() {
    let mut dev = InTerminal::start("");
    dev.sees("Objects").await;
    dev.sees("guide").await;
    dev.press("n").await;
    dev.sees("note-1").await;
    dev.press("?").await;
    dev.sees("↑↓").await;
    dev.press("q").await;
    let (code, written) = dev.end().await;
    assert_eq!(code, Some(0), "{written}");
    assert_given_back(&written);
}

#[tokio::test]
async fn control_c_and_sigterm_give_the_terminal_back() {
    let mut dev = InTerminal::start("");
    dev.sees("guide").await;
    dev.press("\u{3}").await;
    let (code, written) = dev.end().await;
    assert_eq!(code, Some(0), "{written}");
    assert_given_back(&written);

    let mut dev = InTerminal::start("");
    dev.sees("guide").await;
    let sent = Command::new("kill").args(["-TERM", dev.pid()]).status().await.expect("kill is there");
    assert!(sent.success());
    let (code, written) = dev.end().await;
    assert_eq!(code, Some(0), "{written}");
    assert_given_back(&written);
}

#[tokio::test]
async fn plain_prints_lines_on_a_terminal_too() {
    let mut dev = InTerminal::start("--plain");
    dev.sees("created its ConfigMap").await;
    dev.press("\u{3}").await;
    let (code, written) = dev.end().await;
    assert_eq!(code, Some(0), "{written}");
    assert!(!written.contains(TAKEN), "{written}");
}
