//! What commands in simulated pods print, and how they end: as their annotations say.
//!
//! ```yaml
//! pintle.dev/exec: |
//!   - {command: cat /etc/hostname, stdout: web-0}
//!   - {command: [psql, -c], stdout: "1 row", after: 2s}
//!   - {command: sh, echo: true}
//!   - {stderr: "not today", exit: 3}
//! ```
//! In: a pod, and what is to run in it or what is to be attached to. Out: a [`Process`]: what it prints, whether it repeats
//! what is typed, and its exit code. The first entry whose `command` begins the command counts, and one without is for all;
//! text that is not a list is what every command prints. What nobody has written down fails as a command that is not there,
//! and says how to write it down.

use std::fmt;

use pintle_core::Duration;
use pintle_core::call::Connect;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::logs;
use super::view::container_annotation;
use crate::codec::object::Object;
use crate::response::status::{Answer, bad_request, refuse};

/// What a client that is connected to a process gets to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit_code: i32,
    /// Whether it repeats its input until that ends.
    pub(crate) is_echo: bool,
    /// How long it runs before it prints.
    pub(crate) after: std::time::Duration,
    /// Which of its streams the client wants.
    pub(crate) streams: Connect,
}

impl Process {
    /// A command in a container of a simulated pod.
    pub(crate) fn executed(pod: &Object, container: &str, streams: &Connect) -> Answer<Process> {
        check_running(pod, container)?;
        let Connect { command, .. } = streams;
        if command.is_empty() {
            return Err(bad_request("you must specify at least 1 command for the container"));
        }
        let entries = entries(pod, container)?;
        let found = entries.into_iter().find(|entry| entry.is_for(command));
        Ok(found.map_or_else(|| unknown(pod, command), Entry::into_process).with_streams(streams))
    }

    /// The process of a container itself: it has printed its log, and is done.
    pub(crate) fn attached(pod: &Object, container: &str, streams: &Connect) -> Answer<Process> {
        check_running(pod, container)?;
        let stdout = with_line_end(logs::text_of(pod, container));
        Ok(Process { stdout, ..Process::default() }.with_streams(streams))
    }

    fn with_streams(self, streams: &Connect) -> Process {
        Process { streams: streams.clone(), ..self }
    }
}

/// Whether the annotations of a pod say what commands print.
pub(crate) fn is_written_down(pod: &Object, container: &str) -> bool {
    !text_of(pod, container).is_empty()
}

/// What a command does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The first words of the commands that are meant; all of them unless given.
    #[serde(default)]
    command: Words,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    exit: i32,
    /// It repeats its input.
    #[serde(default)]
    echo: bool,
    after: Option<Duration>,
}

/// The words of a command: a list, or text with blanks between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Words(Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
        deserializer.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the words of a command")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Words, E> {
        Ok(Words(text.split_whitespace().map(str::to_owned).collect()))
    }

    /// The commands `true` and `false` are the ones that YAML reads as something else.
    fn visit_bool<E: de::Error>(self, word: bool) -> Result<Words, E> {
        Ok(Words(vec![word.to_string()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Words, A::Error> {
        let mut all = Vec::new();
        while let Some(word) = words.next_element()? {
            all.push(word);
        }
        Ok(Words(all))
    }
}

impl Entry {
    fn is_for(&self, command: &[String]) -> bool {
        command.starts_with(&self.command.0)
    }

    fn into_process(self) -> Process {
        let after = self.after.map(std::time::Duration::from).unwrap_or_default();
        let (stdout, stderr) = (with_line_end(&self.stdout), with_line_end(&self.stderr));
        Process { stdout, stderr, exit_code: self.exit, is_echo: self.echo, after, streams: Connect::default() }
    }
}

fn text_of<'a>(pod: &'a Object, container: &str) -> &'a str {
    container_annotation(pod, ANNOTATION, container)
}

fn entries(pod: &Object, container: &str) -> Answer<Vec<Entry>> {
    let text = text_of(pod, container);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let is_list = ["[", "- "].iter().any(|begin| text.trim_start().starts_with(begin));
    if !is_list {
        return Ok(vec![Entry { stdout: text.to_owned(), ..Entry::default() }]);
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let why = error.to_string();
        let line = why.lines().next().unwrap_or_default();
        bad_request(format!("annotation {ANNOTATION} of pod {:?} is not a list of commands: {line}", pod.name()))
    })
}

/// What nobody has written down is not there: 127 is what shells say then.
fn unknown(pod: &Object, command: &[String]) -> Process {
    let (name, first) = (pod.name(), command.first().map(String::as_str).unwrap_or_default());
    let stderr = format!(
        "{first}: no command runs in a simulated pod; say what this one prints: kubectl annotate pod {name} \
         {ANNOTATION}='[{{command: {first}, stdout: ...}}]'\n"
    );
    Process { stderr, exit_code: 127, ..Process::default() }
}

fn check_running(pod: &Object, container: &str) -> Answer<()> {
    let mut statuses = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]
        .into_iter()
        .flat_map(|list| pod.items_at(&format!("/status/{list}")).collect::<Vec<_>>());
    if statuses.any(|status| status["name"] == container && status["state"]["running"].is_object()) {
        return Ok(());
    }
    Err(refuse(404, "NotFound", format!("container not found ({container:?})")))
}

fn with_line_end(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// What commands in all containers of a pod do; with a dot and a name, in one.
const ANNOTATION: &str = "pintle.dev/exec";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(exec: &str) -> Object {
        Object::from_value(json!({
            "metadata": {"name": "web", "annotations": {"pintle.dev/exec": exec}},
            "status": {"containerStatuses": [{"name": "main", "state": {"running": {}}}, {"name": "done", "state": {}}]},
        }))
        .unwrap()
    }

    fn run(pod: &Object, command: &str) -> Answer<(String, String, i32)> {
        let command = command.split_whitespace().map(str::to_owned).collect();
        let process = Process::executed(pod, "main", &Connect { command, ..Connect::default() })?;
        Ok((process.stdout, process.stderr, process.exit_code))
    }

    #[test]
    fn the_first_entry_that_begins_the_command_counts() {
        let pod = pod(
            "[{command: cat /etc/hostname, stdout: web-0}, {command: [cat], stderr: no, exit: 1}, {command: sh, echo: true}]",
        );
        assert_eq!(run(&pod, "cat /etc/hostname").unwrap(), ("web-0\n".to_owned(), String::new(), 0));
        assert_eq!(run(&pod, "cat /etc/passwd").unwrap(), (String::new(), "no\n".to_owned(), 1));
        let (_, stderr, code) = run(&pod, "ls -l").unwrap();
        assert_eq!(code, 127);
        assert!(stderr.starts_with("ls: no command runs in a simulated pod; say what this one prints"), "{stderr}");
    }

    #[test]
    fn text_is_what_every_command_prints_and_a_wrong_list_is_refused() {
        assert_eq!(run(&pod("42"), "ls").unwrap().0, "42\n");
        let why = run(&pod("[{comand: ls}]"), "ls").unwrap_err().message;
        assert!(why.starts_with("annotation pintle.dev/exec of pod \"web\" is not a list of commands: "), "{why}");
        assert_eq!(run(&pod("42"), "").unwrap_err().code, 400);
        let odd = pod("[{command: false, exit: 1}, {command: [sleep, 5], stdout: 42}]");
        assert_eq!(run(&odd, "false").unwrap().2, 1);
        assert_eq!(run(&odd, "sleep 5").unwrap().0, "42\n");
    }

    #[test]
    fn what_does_not_run_is_not_found() {
        let streams = Connect { command: vec!["ls".to_owned()], ..Connect::default() };
        let refusal = Process::executed(&pod("x"), "done", &streams).unwrap_err();
        assert_eq!((refusal.code, &*refusal.message), (404, "container not found (\"done\")"));
    }
}
