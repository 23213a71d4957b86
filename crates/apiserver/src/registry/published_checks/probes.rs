//! Objects that ask whether a field is checked.
//!
//! In: a type. Out: objects of it, each with one field that has an odd value (or is gone), alone and among all others. Choices
//! that refusals name ("supported values: …") become probes too: what hangs on a choice is asked beside it.

use std::collections::{BTreeSet, VecDeque};

use pintle_wire::facts::{Field, Holds, Shape, Type};
use serde_json::{Value, json};

/// The objects still to be asked about.
pub(super) struct Probes {
    full: Value,
    leaves: Vec<Leaf>,
    waiting: VecDeque<Value>,
    /// The leaf that is being asked about, if it is a text: the choices in a refusal are its.
    asked: Option<usize>,
    next_leaf: usize,
    seen: BTreeSet<(usize, String)>,
}

/// A field that holds no struct, by its JSON pointer.
struct Leaf {
    pointer: String,
    shape: Shape,
}

impl Probes {
    /// All of a type.
    pub(super) fn of(object_type: &'static Type) -> Probes {
        let mut leaves = Vec::new();
        let full = filled(object_type, "", &mut Vec::new(), &mut leaves);
        let mut bare = full.clone();
        bare.as_object_mut().into_iter().for_each(|fields| fields.retain(|name, _| name == "metadata"));
        let waiting = VecDeque::from([full.clone(), bare]);
        Probes { full, leaves, waiting, asked: None, next_leaf: 0, seen: BTreeSet::new() }
    }

    /// An object with every field.
    pub(super) fn full(&self) -> &Value {
        &self.full
    }

    /// The next object.
    pub(super) fn next(&mut self) -> Option<Value> {
        if let Some(probe) = self.waiting.pop_front() {
            return Some(probe);
        }
        let leaf = self.leaves.get(self.next_leaf)?;
        self.asked = (leaf.shape == Shape::String).then_some(self.next_leaf);
        self.next_leaf += 1;
        for value in odd(leaf.shape) {
            self.waiting.push_back(alone(&leaf.pointer, value.clone()));
            if self.is_small() {
                self.waiting.push_back(among(&self.full, &leaf.pointer, value));
            }
        }
        if self.is_small() {
            self.waiting.push_back(without(&self.full, &leaf.pointer));
        }
        self.waiting.pop_front()
    }

    /// Whether each field can be asked about among all others in moments: there are as many copies as fields.
    fn is_small(&self) -> bool {
        self.leaves.len() <= LEAVES_MAX
    }

    /// Takes the choices that refusals name for the field that was asked about.
    pub(super) fn learn(&mut self, refusals: impl Iterator<Item = String>) {
        let Some(place) = self.asked else { return };
        let pointer = self.leaves[place].pointer.clone();
        let path = pointer[1..].replace("/0", "[0]").replace('/', ".");
        for choice in refusals.filter(|text| text.starts_with(parent(&path))).flat_map(|text| choices(&text)) {
            if self.seen.insert((place, choice.clone())) {
                self.ask_beside(&pointer, &choice);
            }
        }
    }

    /// What stands beside a choice, and below it, with each odd value.
    fn ask_beside(&mut self, pointer: &str, choice: &str) {
        let chosen = |probe: Value| among(&probe, pointer, choice.into());
        let folder = format!("{}/", &pointer[..pointer.rfind('/').unwrap_or_default()]);
        let beside = self.leaves.iter().filter(|leaf| leaf.pointer.starts_with(&folder) && leaf.pointer != pointer);
        let beside: Vec<&Leaf> = beside.collect();
        // What hangs on a choice stands near it; the whole of a pod does not hang on how it is restarted.
        if beside.len() > NEAR_MAX {
            return;
        }
        for leaf in beside {
            for value in odd(leaf.shape) {
                self.waiting.push_back(chosen(alone(&leaf.pointer, value)));
            }
        }
    }

    /// The full object with each field changed; none of a large type, whose changes its own tests are about.
    pub(super) fn changes(&self) -> impl Iterator<Item = Value> {
        let changed = |leaf: &Leaf, value| among(&self.full, &leaf.pointer, value);
        let leaves = if self.is_small() { &self.leaves[..] } else { &[] };
        leaves.iter().flat_map(move |leaf| odd(leaf.shape).into_iter().map(move |value| changed(leaf, value)))
    }
}

/// An object of the type with every field, once.
fn filled(of: &'static Type, path: &str, above: &mut Vec<&'static str>, leaves: &mut Vec<Leaf>) -> Value {
    if of.shape() != Shape::Struct {
        leaves.push(Leaf { pointer: path.to_owned(), shape: of.shape() });
        return plain(of.shape());
    }
    if above.contains(&of.name()) || STOPS.iter().any(|stop| of.name().ends_with(stop)) && above.len() > 1 {
        return json!({});
    }
    above.push(of.name());
    let mut fields = serde_json::Map::new();
    let depth = above.len();
    for field in every_field(of).filter(|field| !is_left_out(field.name(), depth)) {
        let (below, wrap): (String, fn(Value) -> Value) = match field.holds() {
            Holds::One => (format!("{path}/{}", field.name()), |value| value),
            Holds::List => (format!("{path}/{}/0", field.name()), |value| json!([value])),
            Holds::Map => (format!("{path}/{}/key", field.name()), |value| json!({"key": value})),
        };
        fields.insert(field.name().to_owned(), wrap(filled(field.kind(), &below, above, leaves)));
    }
    above.pop();
    Value::Object(fields)
}

fn every_field(of: &'static Type) -> Box<dyn Iterator<Item = &'static Field>> {
    let (inline, own): (Vec<_>, Vec<_>) = of.fields().iter().partition(|field| field.is_inline());
    Box::new(inline.into_iter().flat_map(|field| every_field(field.kind())).chain(own))
}

/// What every kind has, which is said once.
fn is_left_out(field: &str, depth: usize) -> bool {
    depth == 1 && matches!(field, "apiVersion" | "kind" | "metadata")
}

fn plain(shape: Shape) -> Value {
    match shape {
        Shape::Bool => json!(true),
        Shape::Int32 | Shape::Int64 | Shape::Double | Shape::IntOrString => json!(1),
        Shape::Quantity => json!("1"),
        Shape::Duration => json!("1s"),
        Shape::Time => json!("2030-01-01T00:00:00Z"),
        Shape::MicroTime => json!("2030-01-01T00:00:00.000000Z"),
        Shape::Bytes => json!("eA=="),
        Shape::String => json!("a"),
        Shape::Items | Shape::OrStrings => json!(["a"]),
        Shape::Any | Shape::Raw | Shape::Struct | Shape::OrArray | Shape::OrBool => json!({}),
    }
}

/// Values that the type allows, and that a rule may refuse.
fn odd(shape: Shape) -> Vec<Value> {
    match shape {
        Shape::Bool => vec![json!(false), json!(true)],
        Shape::Int32 | Shape::Int64 | Shape::Double => vec![json!(-1), json!(0), json!(2_000_000_000)],
        Shape::IntOrString => vec![json!(-1), json!(0), json!("200%"), json!("Not a name!")],
        Shape::Quantity => vec![json!("-1"), json!("0"), json!("1500m")],
        Shape::Duration => vec![json!("-1s")],
        Shape::String => vec![json!(""), json!("Not a name!"), json!("a".repeat(300)), json!("b")],
        Shape::Bytes => vec![json!(""), json!("eQ==")],
        Shape::Items | Shape::OrStrings => vec![json!([]), json!(["Not a name!"])],
        Shape::Time | Shape::MicroTime => vec![Value::Null],
        Shape::Any | Shape::Raw | Shape::Struct | Shape::OrArray | Shape::OrBool => Vec::new(),
    }
}

/// An object with nothing but a value at a pointer.
fn alone(pointer: &str, value: Value) -> Value {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    steps.iter().rev().fold(value, |value, step| if *step == "0" { json!([value]) } else { json!({*step: value}) })
}

/// An object with another value at a pointer, made where there is none.
fn among(object: &Value, pointer: &str, value: Value) -> Value {
    let mut object = object.clone();
    let mut place = &mut object;
    for step in pointer.split('/').skip(1) {
        place = match step {
            "0" => {
                if !place.is_array() {
                    *place = json!([null]);
                }
                &mut place[0]
            }
            _ => {
                if !place.is_object() {
                    *place = json!({});
                }
                &mut place[step]
            }
        };
    }
    *place = value;
    object
}

fn without(object: &Value, pointer: &str) -> Value {
    let mut object = object.clone();
    let (folder, last) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(fields) = object.pointer_mut(folder).and_then(Value::as_object_mut) {
        fields.remove(last);
    }
    object
}

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(parent, _)| parent)
}

/// The words in quotes after what a refusal says of the value.
fn choices(refusal: &str) -> Vec<String> {
    let said = refusal.split_once("supported values: ").or_else(|| refusal.split_once(": must be "));
    let quoted = said.map_or("", |(_, rest)| rest).split(['"', '\'']).skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

/// Types that stand in several kinds and are asked about where they are at home.
const STOPS: &[&str] = &[".PodSpec", ".JSONSchemaProps"];

/// A pod has about two thousand.
const LEAVES_MAX: usize = 300;

/// As many fields as a struct with a choice in it has, with some to spare.
const NEAR_MAX: usize = 40;
