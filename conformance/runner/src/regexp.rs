//! Patterns, given to Go's regular expressions and to the engine that stands for them here: which are taken, and what they find.
//!
//! ```text
//!   definitions of real projects ─► patterns ─┬─ as they are, changed, random ─┬─► conformance/regexp, Go's own ──┐
//!   seed ─────────────────────────────────────┘         and texts              └─► pintle_cel::go_regexp ─────────┴─► the same?
//! ```
//! A pattern counts as the same if both refuse it in the same words, or both find the same parts of every text.

mod generate;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::command::Outcome;
use crate::twin;
use crate::{complain, say, workspace};
use generate::{Question, Questions};

/// What was asked for.
#[derive(clap::Args)]
pub(crate) struct Regexp {
    /// How many patterns, those of real definitions among them.
    #[arg(default_value_t = 20_000)]
    patterns: usize,
    /// The seed of the patterns; a random one, which is printed, if there is none.
    #[arg(long)]
    seed: Option<u64>,
    /// Leave out the patterns of real definitions, which Go may have to download.
    #[arg(long)]
    only_random: bool,
    /// Print all that differ, not the first thirty.
    #[arg(long)]
    all: bool,
}

/// What an engine makes of a pattern.
#[derive(Debug, PartialEq)]
enum Verdict {
    Refused(String),
    /// For each text the parts that match: where they begin and end.
    Found(Vec<Vec<[usize; 2]>>),
}

impl Regexp {
    /// Asks both engines, and says where they differ.
    pub(crate) fn perform(&self) -> Result<Outcome, String> {
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
        complain(&format!("seed {seed}: {} patterns", self.patterns));
        let real = if self.only_random { BTreeSet::new() } else { of_definitions()? };
        let questions: Vec<Question> = Questions::new(seed, &real).take(self.patterns.max(real.len())).collect();
        let theirs = of_go(&questions)?;
        let (mut differing, mut refused) = (Vec::new(), 0);
        for (question, theirs) in questions.iter().zip(&theirs) {
            let ours = ours(question);
            refused += usize::from(matches!(theirs, Verdict::Refused(_)));
            if ours != *theirs {
                differing.push(print(question, theirs, &ours));
            }
        }
        let shown = if self.all { differing.len() } else { SHOWN };
        differing.iter().take(shown).for_each(|difference| say(difference));
        let (all, from) = (questions.len(), real.len());
        say(&format!(
            "seed {seed}: {} of {all} patterns mean the same; {from} are of real definitions, and {refused} are refused",
            all - differing.len()
        ));
        Ok(if differing.is_empty() { Outcome::Same } else { Outcome::Different })
    }
}

/// Every pattern in the definitions of the projects whose manifests are compared.
fn of_definitions() -> Result<BTreeSet<String>, String> {
    let mut patterns = BTreeSet::new();
    for definition in twin::definitions()? {
        collect(&definition, &mut patterns);
    }
    Ok(patterns)
}

fn collect(value: &Value, patterns: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            patterns.extend(members.get("pattern").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| collect(member, patterns));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, patterns)),
        _ => {}
    }
}

fn ours(question: &Question) -> Verdict {
    match pintle_cel::go_regexp::compile(&question.pattern) {
        Err(why) => Verdict::Refused(why),
        Ok(pattern) => Verdict::Found(
            question
                .texts
                .iter()
                .map(|text| pintle_cel::go_regexp::find_all(&pattern, text).map(|part| [part.start(), part.end()]))
                .map(Iterator::collect)
                .collect(),
        ),
    }
}

/// What Go says, question by question.
fn of_go(questions: &[Question]) -> Result<Vec<Verdict>, String> {
    let mut program = Command::new("go")
        .args(["run", "."])
        .current_dir(workspace().join("conformance/regexp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run go ({error}): install Go"))?;
    let (stdin, stdout) = program.stdin.take().zip(program.stdout.take()).expect("both are piped");
    let verdicts: Result<Vec<_>, String> = thread::scope(|scope| {
        scope.spawn(move || {
            let mut stdin = BufWriter::new(stdin);
            for Question { pattern, texts } in questions {
                // Where it does not read on it has ended, and what it has not answered is missed below.
                writeln!(stdin, "{}", json!({"pattern": pattern, "texts": texts})).unwrap_or_default();
            }
        });
        let lines = BufReader::new(stdout).lines().map(|line| line.map_err(|error| error.to_string()));
        lines.map(|line| verdict(&line?)).collect()
    });
    let verdicts = verdicts?;
    let status = program.wait().map_err(|error| error.to_string())?;
    if !status.success() || verdicts.len() != questions.len() {
        return Err(format!("conformance/regexp answered {} of {}: {status}", verdicts.len(), questions.len()));
    }
    Ok(verdicts)
}

fn verdict(line: &str) -> Result<Verdict, String> {
    let answer: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
    match answer["refusal"].as_str() {
        Some("") => {
            let found = serde_json::from_value(answer["found"].clone());
            found.map(Verdict::Found).map_err(|error| format!("{line}: {error}"))
        }
        Some(why) => Ok(Verdict::Refused(why.to_owned())),
        None => Err(format!("{line}: not an answer")),
    }
}

fn print(question: &Question, theirs: &Verdict, ours: &Verdict) -> String {
    let Question { pattern, texts } = question;
    if let (Verdict::Found(theirs), Verdict::Found(ours)) = (theirs, ours) {
        let pairs = texts.iter().zip(theirs.iter().zip(ours));
        let differing = pairs.filter(|(_, (theirs, ours))| theirs != ours);
        let lines =
            differing.map(|(text, (theirs, ours))| format!("\n  in {text:?}\n    Go   {theirs:?}\n    ours {ours:?}"));
        return format!("{pattern:?}{}", lines.collect::<String>());
    }
    let say = |verdict: &Verdict| match verdict {
        Verdict::Refused(why) => why.clone(),
        Verdict::Found(_) => "taken".to_owned(),
    };
    format!("{pattern:?}\n    Go   {}\n    ours {}", say(theirs), say(ours))
}

/// Enough to see what kind of thing differs.
const SHOWN: usize = 30;
