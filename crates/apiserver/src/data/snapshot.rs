//! All objects at one revision as text: a line of JSON for each, and one before them that says what follows.
//!
//! In: objects. Out: text, and the same objects again: uids, versions, managers and all. A text that was cut short or
//! changed is refused as a whole: its first line has the number of objects and a digest of their lines.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use pintle_wire::HeadReader;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::database::Contents;
use super::error::DataError;
use crate::storage::entry::Entry;
use crate::storage::store::{Objects, Resource};

/// The first line.
#[derive(Deserialize, Serialize)]
struct First {
    revision: u64,
    /// How many lines follow.
    objects: usize,
    /// Of all of them.
    sha256: String,
}

/// Every other line. Groups and plurals have no characters that JSON escapes; the name of a role may.
#[derive(Deserialize, Serialize)]
struct Stored<'a> {
    group: &'a str,
    plural: &'a str,
    #[serde(borrow)]
    key: Cow<'a, str>,
    revision: u64,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// The text of all objects.
pub(crate) fn print(objects: &Objects, revision: u64) -> String {
    let (mut lines, mut count) = (String::new(), 0);
    for (resource, stored) in objects {
        for (key, entry) in stored {
            let object = serde_json::from_slice(entry.body_bytes()).expect("what is stored is JSON");
            let (group, plural, key) = (&*resource.group, &*resource.plural, Cow::Borrowed(&**key));
            lines += &line(&Stored { group, plural, key, revision: entry.revision, object });
            count += 1;
        }
    }
    line(&First { revision, objects: count, sha256: digest(&lines) }) + &lines
}

/// The objects of a text.
pub(crate) fn parse(text: &str) -> Result<Contents, RestoreError> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim().is_empty() {
        return Err(RestoreError::at(1, "it is empty"));
    }
    let first: First = serde_json::from_str(first).map_err(|error| RestoreError::at(1, error))?;
    let count = rest.lines().count();
    if count != first.objects {
        let why = format!("{} objects should follow, and {count} do: it was cut short or changed", first.objects);
        return Err(RestoreError::at(1, why));
    }
    let (mut objects, mut reader) = (Objects::new(), HeadReader::new());
    for (at, text) in rest.lines().enumerate() {
        let stored: Stored<'_> = serde_json::from_str(text).map_err(|error| RestoreError::at(at + 2, error))?;
        let entry = Entry::of_body(&mut reader, stored.object.get().as_bytes(), stored.revision);
        let entry = entry.map_err(|error| RestoreError::at(at + 2, error))?;
        let resource = Resource::new(stored.group, stored.plural);
        objects.entry(resource).or_default().insert(Arc::from(&*stored.key), Arc::new(entry));
    }
    if digest(rest) != first.sha256 {
        return Err(RestoreError::at(1, "the digest of the objects differs: it was changed"));
    }
    Ok(Contents { objects, revision: first.revision })
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("texts and numbers are JSON");
    line.push('\n');
    line
}

/// Why a snapshot could not be restored.
#[derive(Debug, Clone)]
pub struct RestoreError(Why);

#[derive(Debug, Clone)]
enum Why {
    NotASnapshot { line: usize, why: String },
    Data(DataError),
}

impl RestoreError {
    fn at(line: usize, why: impl fmt::Display) -> RestoreError {
        RestoreError(Why::NotASnapshot { line, why: why.to_string() })
    }

    pub(crate) fn of_data(error: DataError) -> RestoreError {
        RestoreError(Why::Data(error))
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Why::NotASnapshot { line, why } => write!(f, "this is not a backup of a server: line {line}: {why}"),
            Why::Data(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RestoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Why::NotASnapshot { .. } => None,
            Why::Data(error) => error.source(),
        }
    }
}
