//! The list in `metadata.managedFields`: one share of an object's fields per manager.
//!
//! A manager is a name with an operation, a subresource and, for updates, a version: who applies keeps one share whatever
//! the version. Printed, appliers come first, then by time, name, version and subresource.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::Writer;
use crate::managed_fields::merge::FieldSet;

/// How a manager writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Apply,
    Update,
}

impl Operation {
    fn as_str(self) -> &'static str {
        match self {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        }
    }
}

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Manager {
    pub(crate) name: String,
    pub(crate) operation: Operation,
    /// Empty for who applies.
    pub(crate) api_version: String,
    pub(crate) subresource: String,
}

impl Manager {
    /// The identity of a writer.
    pub(crate) fn of(writer: &Writer) -> Manager {
        Manager::new(&writer.name, writer.operation, &writer.api_version, &writer.subresource)
    }

    pub(crate) fn new(name: &str, operation: Operation, api_version: &str, subresource: &str) -> Manager {
        let api_version = if operation == Operation::Apply { "" } else { api_version };
        Manager {
            name: name.to_owned(),
            operation,
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }
}

impl std::fmt::Display for Manager {
    /// As conflicts name it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.name)?;
        if !self.subresource.is_empty() {
            write!(f, " with subresource {:?}", self.subresource)?;
        }
        if self.operation == Operation::Update {
            write!(f, " using {}", self.api_version)?;
        }
        Ok(())
    }
}

/// What a manager has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) api_version: String,
    pub(crate) fields: FieldSet,
    pub(crate) time: Option<String>,
}

impl Share {
    /// The second of its time, 0 where none is known.
    pub(crate) fn second(&self) -> i64 {
        let time = self.time.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
        time.map_or(0, Timestamp::as_second)
    }
}

/// Every manager of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Managers(pub(crate) BTreeMap<Manager, Share>);

/// A list of managers that says something impossible.
#[derive(Debug)]
pub(crate) struct Unreadable;

impl Managers {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the list; one that is not there is empty.
    pub(crate) fn read(list: Option<&Value>) -> Result<Managers, Unreadable> {
        let entries = match list {
            None | Some(Value::Null) => return Ok(Managers::default()),
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err(Unreadable),
        };
        entries.iter().map(entry).collect::<Result<_, _>>().map(Managers)
    }

    /// The list as JSON; `None` where there are no managers.
    pub(crate) fn print(&self) -> Option<Value> {
        let mut entries: Vec<(&Manager, &Share)> = self.0.iter().collect();
        entries.sort_by_key(|(manager, share)| {
            (manager.operation, share.second(), &manager.name, &share.api_version, &manager.subresource)
        });
        let list: Vec<Value> = entries.into_iter().map(|(manager, share)| print(manager, share)).collect();
        (!list.is_empty()).then_some(Value::Array(list))
    }

    /// Notes that a writer wrote now.
    pub(crate) fn touch(&mut self, writer: &Writer) {
        if let Some(share) = self.0.get_mut(&Manager::of(writer)) {
            share.time.clone_from(&writer.now);
        }
    }

    /// Drops who has nothing left.
    pub(crate) fn drop_idle(&mut self) {
        self.0.retain(|_, share| !share.fields.is_empty());
    }
}

fn entry(entry: &Value) -> Result<(Manager, Share), Unreadable> {
    let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
    let operation = match text("operation") {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return Err(Unreadable),
    };
    if text("fieldsType") != "FieldsV1" {
        return Err(Unreadable);
    }
    let fields = entry.get("fieldsV1").filter(|fields| !fields.is_null());
    let share = Share {
        api_version: text("apiVersion").to_owned(),
        fields: fields.map(FieldSet::parse).transpose().map_err(|_| Unreadable)?.unwrap_or_default(),
        time: entry.get("time").and_then(Value::as_str).map(str::to_owned),
    };
    Ok((Manager::new(text("manager"), operation, &share.api_version, text("subresource")), share))
}

fn print(manager: &Manager, share: &Share) -> Value {
    let mut entry = Map::new();
    entry.insert("manager".to_owned(), manager.name.as_str().into());
    entry.insert("operation".to_owned(), manager.operation.as_str().into());
    entry.insert("apiVersion".to_owned(), share.api_version.as_str().into());
    if let Some(time) = &share.time {
        entry.insert("time".to_owned(), time.as_str().into());
    }
    entry.insert("fieldsType".to_owned(), json!("FieldsV1"));
    entry.insert("fieldsV1".to_owned(), share.fields.print());
    if !manager.subresource.is_empty() {
        entry.insert("subresource".to_owned(), manager.subresource.as_str().into());
    }
    Value::Object(entry)
}
