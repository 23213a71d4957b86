//! `cargo xtask start-order`: which functions a start of the API server runs, for the linker to put side by side.
//!
//! ```text
//!   pintle serve, servers serve, each asked once under callgrind ─► functions that ran ─┐
//!   nm ─► every function with its size ─────────────────────────────────────────────────┴─► prefixes of names ─► crates/cli/start-order.ld
//! ```
//! Names stand there without the hash that each compiler and version of a crate makes anew, and as short as pays: a module of
//! which most runs is one line. A stale list does no harm, the program only has more of its pages resident. It needs
//! valgrind, binutils and curl, and names as rustc 1.95 mangles them (`_ZN…`). It builds nothing: below `cargo xtask` cargo would build
//! everything above ring anew.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::kube::workspace;
use crate::programs::{Report, run};

/// What the kernel maps around a page that is touched: a function that is not listed costs so much.
const PIECE: u64 = 64 << 10;
/// A line that saves less, of both programs together, is not worth reading, nor the linker's time.
const LINE: u64 = 1 << 10;

/// What is always there: functions that are seldom called, which the compiler marks and which are small; the standard library,
/// whose names are mangled otherwise; the allocator.
const ALWAYS: [&str; 3] = [".text.unlikely.*", ".text._R*", ".text.mi_* .text._mi_*"];

/// The programs that are linked in this order, how each is built, and how it is told to serve; the kubeconfig's path comes last.
const PROGRAMS: [(&str, &str, &[&str]); 2] = [
    ("target/release/pintle", "--package pintle-cli", &["serve", "--port", "0", "--kubeconfig"]),
    ("bench/servers/target/release/servers", "--manifest-path bench/servers/Cargo.toml", &["serve"]),
];

/// Starts the servers, and writes the list.
pub(crate) fn write(report: Report<'_>) -> Result<(), String> {
    let mut names = Names::default();
    for (number, (program, package, words)) in PROGRAMS.into_iter().enumerate() {
        let file = workspace().join(program);
        if !file.exists() {
            return Err(format!("there is no {program}: run `cargo build --release {package}` first"));
        }
        let ran = functions_that_ran(&file, words)?;
        report(&format!("{program}: {} functions ran", ran.len()));
        for (name, bytes) in functions(&file)? {
            if let Some(parts) = parts(&name) {
                names.add(&parts, bytes, ran.contains(&name).then_some(number));
            }
        }
    }
    let (_, mut lines) = names.cheapest("");
    // What each runs alone is not in the way of the other.
    lines.sort_by_key(|line| line.programs);
    let file = workspace().join("crates/cli/start-order.ld");
    std::fs::write(&file, script(&lines)).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The names of all functions that ran until the program had answered a request.
fn functions_that_ran(program: &Path, words: &[&str]) -> Result<HashSet<String>, String> {
    let folder = workspace().join("target/start-order");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let kubeconfig = folder.join("kubeconfig");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--demangle=no", "--compress-strings=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", folder.join("callgrind").display())).arg(program);
    valgrind.args(words).arg(&kubeconfig).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = valgrind.spawn().map_err(|error| format!("cannot run valgrind, which sees what runs: {error}"))?;
    let asked = answered(&mut server, &kubeconfig);
    server.kill().and_then(|()| server.wait()).map_err(|error| format!("the server did not end: {error}"))?;
    asked?;
    // Callgrind numbers what it writes on demand.
    Ok(ran(&read(&folder.join("callgrind.1"))?))
}

/// Waits until the server is ready, asks it, and has callgrind write what ran.
fn answered(server: &mut Child, kubeconfig: &Path) -> Result<(), String> {
    let mut ready = String::new();
    let output = server.stdout.as_mut().expect("it is piped");
    BufReader::new(output).read_line(&mut ready).map_err(|error| format!("cannot hear the server: {error}"))?;
    if !ready.starts_with("ready") {
        return Err(format!("the server did not become ready: {ready}"));
    }
    ask(&read(kubeconfig)?)?;
    match run(Command::new("callgrind_control").args(["--dump", &server.id().to_string()]))? {
        0 => Ok(()),
        code => Err(format!("callgrind_control ended with {code}")),
    }
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// One request with a token, over HTTP/1.1 as `bench/servers` asks.
fn ask(kubeconfig: &str) -> Result<(), String> {
    let value = |key: &str| {
        let line = kubeconfig.lines().find_map(|line| line.trim().trim_start_matches("- ").strip_prefix(key));
        line.map(|value| value.trim().trim_matches('"')).ok_or_else(|| format!("the kubeconfig has no `{key}`"))
    };
    let (server, token) = (value("server:")?, value("token:")?);
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--insecure", "--http1.1", "--output", "/dev/null"]);
    curl.arg("--header").arg(format!("Authorization: Bearer {token}")).arg(format!("{server}/api/v1/namespaces"));
    match run(&mut curl)? {
        0 => Ok(()),
        code => Err(format!("curl got no answer from {server}: it ended with {code}")),
    }
}

/// The functions in what callgrind wrote, also those of libraries, whose names are others. It takes functions that are in
/// order already for those of an unknown object.
fn ran(counts: &str) -> HashSet<String> {
    // Callgrind numbers the rounds of a recursion behind an apostrophe.
    let name = |line: &str| Some(line.strip_prefix("fn=")?.split('\'').next()?.to_owned());
    counts.lines().filter_map(name).collect()
}

/// Every function of the program, and its size.
fn functions(program: &Path) -> Result<Vec<(String, u64)>, String> {
    let output = Command::new("nm").args(["--print-size", "--defined-only"]).arg(program).output();
    let output = output.map_err(|error| format!("cannot run nm, which lists functions: {error}"))?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let function = |line: &str| {
        let mut words = line.splitn(4, ' ').skip(1);
        let bytes = u64::from_str_radix(words.next()?, 16).ok()?;
        let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
        is_code.then_some((words.next()?.to_owned(), bytes))
    };
    Ok(listed.lines().filter_map(function).collect())
}

/// A mangled name without its hash, cut where a prefix may end: behind each part of a path. Lengths that depend on what
/// follows are left open.
fn parts(name: &str) -> Option<Vec<String>> {
    let (name, _hash) = name.strip_prefix("_ZN").and_then(|_| name.rsplit_once("17h"))?;
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for (at, character) in name.char_indices() {
        let is_number = character.is_ascii_digit() && !before.is_ascii_digit();
        if is_number || parts.last()?.ends_with("..") {
            parts.push(String::new());
        }
        let rest = name[at..].trim_start_matches(|digit: char| digit.is_ascii_digit());
        let is_open = rest.starts_with("_$LT$") || rest.starts_with("drop_in_place");
        match (character.is_ascii_digit() && is_open, is_number) {
            (true, true) => parts.last_mut()?.push('*'),
            (true, false) => {}
            (false, _) => parts.last_mut()?.push(character),
        }
        before = character;
    }
    parts.push("17h".to_owned());
    Some(parts)
}

/// All functions whose names begin alike.
#[derive(Default)]
struct Names {
    bytes: u64,
    /// How many of them ran, by program.
    ran: [u64; PROGRAMS.len()],
    longer: BTreeMap<String, Names>,
}

/// A prefix of names.
struct Line {
    prefix: String,
    programs: Programs,
}

/// Which programs run something of a line, in the order in which lines stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Programs {
    All,
    Only(usize),
}

impl Names {
    fn add(&mut self, parts: &[String], bytes: u64, ran: Option<usize>) {
        self.bytes += bytes;
        if let Some(program) = ran {
            self.ran[program] += 1;
        }
        if let [part, rest @ ..] = parts {
            self.longer.entry(part.clone()).or_default().add(rest, bytes, ran);
        }
    }

    /// The prefixes that leave the least resident, and how much that is: either this one, with all that it names, or
    /// those of longer names.
    fn cheapest(&self, prefix: &str) -> (u64, Vec<Line>) {
        let ran: u64 = self.ran.iter().sum();
        if ran == 0 {
            return (0, Vec::new());
        }
        let (mut cost, mut lines) = (if self.longer.is_empty() { ran * PIECE } else { 0 }, Vec::new());
        for (part, longer) in &self.longer {
            let (more, longer) = longer.cheapest(&format!("{prefix}{part}"));
            cost += more;
            lines.extend(longer);
        }
        let together = self.bytes + LINE;
        if together > cost {
            return (cost, lines);
        }
        (together, vec![Line { prefix: format!("{prefix}*"), programs: self.programs() }])
    }

    fn programs(&self) -> Programs {
        let all: u64 = self.ran.iter().sum();
        self.ran.iter().position(|ran| *ran == all).map_or(Programs::All, Programs::Only)
    }
}

fn script(lines: &[Line]) -> String {
    let mut script =
        "/* Written by `cargo xtask start-order`: functions that a start of the API server runs. */\n".to_owned();
    script.push_str("SECTIONS\n{\n  .text.start :\n  {\n");
    for line in ALWAYS {
        writeln!(script, "    *({line})").expect("a text can always be written to");
    }
    for line in lines {
        writeln!(script, "    *(.text.{})", line.prefix).expect("a text can always be written to");
    }
    script.push_str("  }\n}\nINSERT BEFORE .text;\n");
    script
}

#[cfg(test)]
mod tests {
    use super::{Names, PIECE, parts};

    #[test]
    fn a_name_is_cut_behind_each_part_and_has_no_hash() {
        let check = |name: &str, expected: &[&str]| assert_eq!(parts(name).expect("it is a Rust name"), expected);
        check("_ZN5tokio4time5sleep17h0123456789abcdefE", &["_ZN", "5tokio", "4time", "5sleep", "17h"]);
        check(
            "_ZN41_$LT$http..Uri$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE.llvm.12",
            &["_ZN", "*_$LT$http..", "Uri$u", "20$as$u", "20$core..", "fmt..", "Debug$GT$", "3fmt", "17h"],
        );
        check(
            "_ZN4core3ptr24drop_in_place$LT$u8$GT$17h0123456789abcdefE",
            &["_ZN", "4core", "3ptr", "*drop_in_place$LT$u", "8$GT$", "17h"],
        );
        assert_eq!(parts("mi_malloc"), None);
    }

    #[test]
    fn a_module_of_which_most_runs_is_one_line_and_a_large_one_of_which_little_runs_is_not() {
        let mut names = Names::default();
        for (name, bytes, has_run) in [
            ("_ZN1a1b1x17h0E", 100, true),
            ("_ZN1a1b1y17h0E", 100, true),
            ("_ZN1a1c1x17h0E", 100, true),
            ("_ZN1a1c1y17h0E", 3 * PIECE, false),
            ("_ZN1a1d17h0E", 2 * PIECE, true),
        ] {
            names.add(&parts(name).expect("it is a Rust name"), bytes, has_run.then_some(0));
        }
        let lines: Vec<_> = names.cheapest("").1.into_iter().map(|line| line.prefix).collect();
        assert_eq!(lines, ["_ZN1a1b*", "_ZN1a1c1x*"]);
    }
}
