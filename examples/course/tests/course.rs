//! The programs of the course: each does what its header says, as often as it is run, on a server of its own that it reaches
//! as a user's program would, through a kubeconfig.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use pintle::testing::Server;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::timeout;

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");
const COURSE: &str = env!("CARGO_BIN_EXE_course");

/// A program, and what its header says about it.
struct Lesson {
    name: String,
    source: String,
    /// The line to run it with.
    command: String,
    /// What it prints.
    output: String,
}

#[test]
fn there_are_fourteen_programs_of_less_than_eighty_lines_each_with_its_command() {
    let lessons = lessons();
    assert_eq!(lessons.len(), 14);
    for (index, lesson) in lessons.iter().enumerate() {
        let Lesson { name, source, command, .. } = lesson;
        assert!(source.starts_with(&format!("//! {}. ", index + 1)), "{name} does not begin with its number");
        assert!(name.starts_with(&format!("{:02}_", index + 1)), "{name} is not number {}", index + 1);
        assert!(source.lines().count() < 80, "{name} has {} lines", source.lines().count());
        assert_eq!(*command, format!("cargo run -p course {name}"));
    }
}

#[tokio::test]
async fn each_program_prints_what_its_header_says_each_time_it_is_run() {
    let mut running = JoinSet::new();
    for lesson in lessons() {
        running.spawn(async move {
            let server = Server::new();
            let serving = server.serve(([127, 0, 0, 1], 0).into()).await.expect("a port is free");
            let kubeconfig = std::env::temp_dir().join(format!("pintle-course-{}-{}", std::process::id(), lesson.name));
            serving.write_kubeconfig(&kubeconfig).expect("a temporary file can be written");
            for time in ["first", "second"] {
                let printed = run(&lesson, &kubeconfig).await;
                assert_eq!(printed, lesson.output, "{}, the {time} time: left is what it printed", lesson.name);
            }
            std::fs::remove_file(kubeconfig).expect("it was written");
        });
    }
    // All of them, or the first that differs would hide the others.
    let mut failed = 0;
    while let Some(result) = running.join_next().await {
        failed += usize::from(result.is_err());
    }
    assert_eq!(failed, 0, "programs that differ, see above");
}

#[tokio::test]
async fn without_a_kubeconfig_a_program_runs_on_a_server_of_its_own() {
    let lesson = lessons().remove(0);
    let mut command = Command::new(COURSE);
    command.arg("1").env_remove("KUBECONFIG").env_remove("KUBERNETES_SERVICE_HOST").env("HOME", PACKAGE);
    let output = timeout(Duration::from_secs(60), command.output()).await.expect("it ends").expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), lesson.output.trim());
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains("cargo run -- serve"));
}

#[test]
fn the_generated_types_are_those_of_the_definition() {
    let here = |path: &str| Path::new(PACKAGE).join(path);
    let made = pintle_types::Generator::new().file(here("crds/backup.json")).and_then(|it| it.generate());
    let kept = std::fs::read_to_string(here("src/backup.rs")).expect("it is in the repository");
    assert_eq!(made.expect("the definition has types"), kept, "run: pintle types -f crds/backup.json -o src/backup.rs");
}

async fn run(lesson: &Lesson, kubeconfig: &Path) -> String {
    let arguments = lesson.command.strip_prefix("cargo run -p course ").expect("another test says so");
    let mut command = Command::new(COURSE);
    command.args(arguments.split_whitespace()).env("KUBECONFIG", kubeconfig).stderr(Stdio::piped()).kill_on_drop(true);
    let output = timeout(Duration::from_secs(120), command.output()).await;
    let output = output.unwrap_or_else(|_| panic!("{} does not end", lesson.name)).expect("it can be started");
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{} failed after printing\n{printed}\n{errors}", lesson.name);
    printed.into_owned()
}

fn lessons() -> Vec<Lesson> {
    let folder = std::fs::read_dir(Path::new(PACKAGE).join("src")).expect("the programs are there");
    let files = folder.map(|entry| entry.expect("it can be listed").path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.file_name().is_some_and(is_numbered)).collect();
    files.sort();
    files.iter().map(|file| lesson(file)).collect()
}

fn is_numbered(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with(|first: char| first.is_ascii_digit())
}

fn lesson(file: &Path) -> Lesson {
    let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let source = std::fs::read_to_string(file).expect("it can be read");
    let header =
        source.lines().map_while(|line| line.strip_prefix("//!")).map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut session = header.skip_while(|line| *line != "```console").skip(1).take_while(|line| *line != "```");
    let command =
        session.next().and_then(|line| line.strip_prefix("$ ")).unwrap_or_else(|| panic!("{name} has no command"));
    let (command, output) = (command.to_owned(), session.map(|line| format!("{line}\n")).collect());
    Lesson { name, source: source.clone(), command, output }
}
