//! `pintle snapshot`: all objects of a server as a file, and a data directory from one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use http::Request;
use pintle::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle::{Client, Error};
use pintle_apiserver::DataDirectory;

use crate::args::{SnapshotCommand, SnapshotRestoreArgs, SnapshotSaveArgs};
use crate::failure::Failure;
use crate::narrator::Narrator;

pub(crate) async fn run(command: SnapshotCommand, narrator: &Narrator) -> Result<(), Failure> {
    match command {
        SnapshotCommand::Save(args) => save(args, narrator).await,
        SnapshotCommand::Restore(args) => restore(&args, narrator),
    }
}

async fn save(args: SnapshotSaveArgs, narrator: &Narrator) -> Result<(), Failure> {
    let text = match &args.data {
        Some(directory) => {
            DataDirectory::existing(directory).and_then(|directory| directory.snapshot()).map_err(wrong)?
        }
        None => of_server(&args).await?,
    };
    let file = args.file.display();
    write_whole(&args.file, &text).map_err(|error| Failure::new(format!("cannot write {file}"), error))?;
    let (objects, bytes) = (text.lines().count().saturating_sub(1), text.len());
    narrator.announce(format_args!("saved {objects} objects, {bytes} bytes, to {file}"));
    Ok(())
}

async fn of_server(args: &SnapshotSaveArgs) -> Result<String, Failure> {
    let client = client(args).await.map_err(|error| Failure::new("cannot reach the server", error))?;
    let request =
        Request::get(PATH).body(Vec::new()).map_err(|error| Failure::new("cannot ask for a snapshot", error))?;
    client.request_text(request).await.map_err(|error| match error {
        Error::Api(status) if status.code == 404 => Failure::new(
            "cannot save a snapshot",
            "the server of this kubeconfig has none to give: it is not a Pintle, or an older one",
        ),
        error => Failure::new("cannot save a snapshot", error),
    })
}

async fn client(args: &SnapshotSaveArgs) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let options = KubeConfigOptions { context: args.context.clone(), ..KubeConfigOptions::default() };
    let config = match &args.kubeconfig {
        Some(file) => Config::from_custom_kubeconfig(Kubeconfig::read_from(file)?, &options).await?,
        None => Config::from_kubeconfig(&options).await?,
    };
    Ok(Client::try_from(config)?)
}

fn restore(args: &SnapshotRestoreArgs, narrator: &Narrator) -> Result<(), Failure> {
    let (file, data) = (args.file.display(), args.data.display());
    let text = fs::read_to_string(&args.file).map_err(|error| Failure::new(format!("cannot read {file}"), error))?;
    let directory = DataDirectory::open(&args.data).map_err(wrong)?;
    if !args.force && !directory.is_empty().map_err(wrong)? {
        return Err(Failure::new(
            format!("cannot restore into {data}"),
            "it has objects; give --force to replace them, or another directory",
        ));
    }
    directory.restore(&text).map_err(|error| Failure::new(format!("cannot restore {file}"), error))?;
    let objects = text.lines().count().saturating_sub(1);
    narrator.announce(format_args!("restored {objects} objects into {data}"));
    Ok(())
}

fn wrong(error: pintle_apiserver::DataError) -> Failure {
    Failure::new("cannot use the data directory", error)
}

/// Writes a file that only its owner can read, and that is there whole or as it was.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let draft = PathBuf::from(format!("{}.new", path.display()));
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.write(true).create(true).truncate(true).open(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&draft, path)) {
        // What is left of it helps nobody; the first error is the one to report.
        fs::remove_file(&draft).unwrap_or_default();
        return Err(error);
    }
    Ok(())
}

/// Where a server has it.
const PATH: &str = "/pintle/snapshot";
