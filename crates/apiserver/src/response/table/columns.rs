//! The columns of a table: what each says of itself, and where its cells come from. Which ones a kind has, as kube-apiserver
//! 1.37 has them, stands with the kind ([`Strategy::columns`](crate::registry::strategy::Strategy::columns)).

use serde_json::{Value, json};

use super::{age, cells, path};

/// A column and where its cells come from.
#[derive(Clone)]
pub(crate) struct Column {
    name: String,
    kind: String,
    format: String,
    description: String,
    priority: i64,
    cell: Cell,
}

/// Where a cell comes from.
#[derive(Clone)]
enum Cell {
    /// A value as it is; this where there is none.
    Value(&'static str, &'static str),
    /// A number, zero where there is none.
    Number(&'static str),
    /// How many there are, all of these together.
    Count(&'static [&'static str]),
    /// The time since.
    Since(&'static str),
    /// A field of each container of the pod spec that stands at a pointer.
    Containers(&'static str, &'static str),
    /// Something that has to be worked out.
    Of(fn(&Value) -> Value),
    /// The same, with the time.
    At(fn(&Value, i64) -> Value),
    /// A path of a definition and its type.
    Path(String),
}

impl Column {
    /// The name of the object.
    pub(crate) fn name() -> Column {
        Column::text("Name", ".metadata.name", "").formatted("name")
    }

    /// The time since the object was created.
    pub(crate) fn age() -> Column {
        Column::new("Age", "string", Cell::Since(".metadata.creationTimestamp"))
    }

    /// When the object was created.
    pub(crate) fn created_at() -> Column {
        Column::text("Created At", ".metadata.creationTimestamp", "").typed("date")
    }

    /// What stands at a path, or this where there is nothing.
    pub(crate) fn text(name: &str, path: &'static str, otherwise: &'static str) -> Column {
        Column::new(name, "string", Cell::Value(path, otherwise))
    }

    /// The number at a path.
    pub(crate) fn number(name: &str, path: &'static str) -> Column {
        Column::new(name, "integer", Cell::Number(path))
    }

    /// How many entries there are at these paths together.
    pub(crate) fn count(name: &str, kind: &str, paths: &'static [&'static str]) -> Column {
        Column::new(name, kind, Cell::Count(paths))
    }

    /// A field of each container of the pod spec at a pointer.
    pub(crate) fn containers(name: &str, pods: &'static str, field: &'static str) -> Column {
        Column::new(name, "string", Cell::Containers(pods, field))
    }

    /// What is worked out from an object.
    pub(crate) fn computed(name: &str, make: fn(&Value) -> Value) -> Column {
        Column::new(name, "string", Cell::Of(make))
    }

    /// What is worked out from an object and the time.
    pub(crate) fn computed_at(name: &str, make: fn(&Value, i64) -> Value) -> Column {
        Column::new(name, "string", Cell::At(make))
    }

    fn new(name: &str, kind: &str, cell: Cell) -> Column {
        Column {
            name: name.to_owned(),
            kind: kind.to_owned(),
            format: String::new(),
            description: String::new(),
            priority: 0,
            cell,
        }
    }

    /// Shown only to those who want more.
    pub(crate) fn wide(self) -> Column {
        Column { priority: 1, ..self }
    }

    /// Of another type.
    pub(crate) fn typed(self, kind: &str) -> Column {
        Column { kind: kind.to_owned(), ..self }
    }

    /// In a format.
    pub(crate) fn formatted(self, format: &str) -> Column {
        Column { format: format.to_owned(), ..self }
    }

    /// The columns of a definition's version, as it states them under `additionalPrinterColumns`.
    pub(crate) fn of_definition(own: &[Value]) -> Vec<Column> {
        let field =
            |column: &Value, field: &str| column.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut columns = vec![Column { description: ABOUT_NAME.to_owned(), ..Column::name() }];
        for stated in own {
            let path = field(stated, "jsonPath");
            let described = field(stated, "description");
            let undescribed = || format!("Custom resource definition column (in JSONPath format): {path}");
            columns.push(Column {
                name: field(stated, "name"),
                kind: field(stated, "type"),
                format: field(stated, "format"),
                description: if described.is_empty() { undescribed() } else { described },
                priority: stated.get("priority").and_then(Value::as_i64).unwrap_or_default(),
                cell: Cell::Path(path),
            });
        }
        if own.is_empty() {
            let age = Column::new("Age", "date", Cell::Path(".metadata.creationTimestamp".to_owned()));
            columns.push(Column { description: ABOUT_AGE.to_owned(), ..age });
        }
        columns
    }

    /// The column as a table describes it.
    pub(super) fn definition(&self) -> Value {
        json!({
            "name": self.name, "type": self.kind, "format": self.format, "description": self.description,
            "priority": self.priority,
        })
    }

    /// The cell of an object.
    pub(super) fn cell(&self, object: &Value, now: i64) -> Value {
        match &self.cell {
            Cell::Value(path, otherwise) => match path::find(object, path).first() {
                None | Some(Value::Null) => (*otherwise).into(),
                Some(Value::String(text)) if text.is_empty() => (*otherwise).into(),
                Some(value) => (*value).clone(),
            },
            Cell::Number(path) => {
                path::find(object, path).first().and_then(|value| value.as_i64()).unwrap_or_default().into()
            }
            Cell::Count(paths) => paths.iter().map(|path| cells::count(object, path)).sum::<usize>().into(),
            Cell::Since(path) => {
                age::since(path::find(object, path).first().copied().unwrap_or(&Value::Null), now).into()
            }
            Cell::Containers(pods, field) => cells::containers(object, pods, field),
            Cell::Of(make) => make(object),
            Cell::At(make) => make(object, now),
            Cell::Path(path) => cells::of_path(&self.kind, &path::find(object, path), now),
        }
    }
}

/// The columns of what keeps a number of pods running.
pub(crate) fn of_replicas() -> Vec<Column> {
    let own = vec![
        Column::name(),
        Column::number("Desired", ".spec.replicas"),
        Column::number("Current", ".status.replicas"),
        Column::number("Ready", ".status.readyReplicas"),
        Column::age(),
    ];
    [own, of_template(), vec![selector()]].concat()
}

/// The columns of a template of pods.
pub(crate) fn of_template() -> Vec<Column> {
    let pods = "/spec/template/spec";
    vec![Column::containers("Containers", pods, "name").wide(), Column::containers("Images", pods, "image").wide()]
}

/// The column of what selects pods.
pub(crate) fn selector() -> Column {
    Column::computed("Selector", |object| cells::selector(&object["spec"]["selector"])).wide()
}

/// What kube-apiserver says of the columns that every definition has.
const ABOUT_NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources \
     may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for \
     creation idempotence and configuration definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const ABOUT_AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not \
     guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is \
     represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
     https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
