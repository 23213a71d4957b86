//! What Kubernetes' own Go types say about every built-in kind, field by field.
//!
//! ```text
//!   kind("apps", "v1", "Deployment") ──► Type ──field("spec")──► Field ──► Type ──field_numbered(3)──► Field ──► …
//! ```
//! In: a group, version and kind, or the name of a type. Out: a [`Type`] and its [`Field`]s: their JSON names and
//! protobuf numbers, whether they are always written, and how they merge. The tables beside this file are made by
//! `cargo xtask facts` from the Go types of the version they name; nothing in them is from memory.
//!
//! Invariant: the fields of a type stand in the order of their JSON names (fields that are written inline have none and
//! stand first), and a protobuf number is found without searching. It holds no descriptions and knows no custom kinds.

mod rows;
mod tables;

pub use rows::{BOOL, BYTES, DOUBLE, INT32, INT64, STRING};
pub use tables::VERSION;

/// One Go type, as JSON and protobuf see it.
pub struct Type {
    name: &'static str,
    shape: Shape,
    is_atomic: bool,
    fields: &'static [Field],
    /// By protobuf number: one more than the field's place in `fields`, 0 for a number that is not in use.
    numbers: [u8; NUMBERS],
    /// By bit: the protobuf numbers of the fields that JSON always has.
    always_written: u64,
}

/// One more than the greatest protobuf number in use, so that a table of all of them fits into each type.
const NUMBERS: usize = 45;

/// One field of a [`Type`].
pub struct Field {
    name: &'static str,
    kind: &'static Type,
    rules: &'static [Rule],
    number: u8,
    holds: Holds,
    flags: u8,
}

/// How a type is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// Text.
    String,
    /// True or false.
    Bool,
    /// A number of 32 bits.
    Int32,
    /// A number of 64 bits.
    Int64,
    /// A number with a fraction.
    Double,
    /// Bytes, which JSON writes in base64.
    Bytes,
    /// Anything JSON can say; it never travels as protobuf.
    Any,
    /// Field by field.
    Struct,
    /// A list of strings that protobuf wraps in a message of its own.
    Items,
    /// A time in seconds.
    Time,
    /// A time in microseconds.
    MicroTime,
    /// A span of time, written as Go writes it.
    Duration,
    /// A number with a unit, written as text.
    Quantity,
    /// A number or a text.
    IntOrString,
    /// JSON that is kept as it came.
    Raw,
    /// A schema or a list of schemas.
    OrArray,
    /// A schema or a truth value.
    OrBool,
    /// A schema or a list of strings.
    OrStrings,
}

/// How many values a field holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Holds {
    /// One, or none.
    One,
    /// Any number, in order.
    List,
    /// Any number, by text.
    Map,
}

/// How a list merges in a server-side apply.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ListType {
    /// As a whole; so does every list that says nothing else.
    Atomic,
    /// By value.
    Set,
    /// By the values of these keys.
    Map(&'static [&'static str]),
}

/// What a field says beyond its type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rule {
    ListAtomic,
    ListSet,
    ListMap(&'static [&'static str]),
    MapAtomic,
    MapGranular,
    /// Strategies of a strategic merge patch, and the key by which its lists merge.
    Patch(&'static str, &'static str),
    /// JSON text.
    Default(&'static str),
}

/// The type of a built-in kind's objects, at one version.
pub fn kind(group: &str, version: &str, kind: &str) -> Option<&'static Type> {
    find(group, version, kind).or_else(|| {
        // Options and watch events are the same in every group.
        find("", "v1", kind).filter(|found| found.name.starts_with("io.k8s.apimachinery."))
    })
}

/// The same by an object's own words: `apps/v1` (or `v1`) and its kind.
pub fn kind_of(api_version: &str, kind_name: &str) -> Option<&'static Type> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    kind(group, version, kind_name)
}

/// The type of this name, spelled as OpenAPI does: `io.k8s.api.core.v1.PodSpec`.
pub fn named(name: &str) -> Option<&'static Type> {
    tables::TYPES.binary_search_by(|candidate| candidate.name.cmp(name)).ok().map(|found| tables::TYPES[found])
}

/// Every type, in the order of their names.
pub fn types() -> impl ExactSizeIterator<Item = &'static Type> {
    tables::TYPES.iter().copied()
}

/// Every kind as group, version, kind and type, in that order.
pub fn kinds() -> impl ExactSizeIterator<Item = (&'static str, &'static str, &'static str, &'static Type)> {
    tables::KINDS.iter().copied()
}

fn find(group: &str, version: &str, kind: &str) -> Option<&'static Type> {
    let found = tables::KINDS.binary_search_by(|(g, v, k, _)| (*g, *v, *k).cmp(&(group, version, kind))).ok()?;
    Some(tables::KINDS[found].3)
}

impl Type {
    /// Its name in OpenAPI documents.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How it is written.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether it merges as a whole wherever it stands.
    pub const fn is_atomic(&self) -> bool {
        self.is_atomic
    }

    /// Its own fields, those that are written inline first.
    pub const fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// The field of this JSON name, which may be one of a type written inline.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        let fields = self.fields;
        match fields.binary_search_by(|field| field.name.cmp(name)) {
            Ok(found) => Some(&fields[found]),
            Err(_) => fields.iter().take_while(|field| field.is_inline()).find_map(|field| field.kind.field(name)),
        }
    }

    /// The field of this JSON name among its own, those of types written inline left aside.
    pub(crate) fn own_field(&self, name: &str) -> Option<&'static Field> {
        let fields = self.fields;
        fields.binary_search_by(|field| field.name.cmp(name)).ok().map(|found| &fields[found])
    }

    /// Whether its objects can travel as protobuf.
    pub fn has_protobuf(&self) -> bool {
        self.fields.iter().all(|field| field.number != 0 || field.is_inline())
    }

    /// By bit: the protobuf numbers of the fields that JSON always has, and of the messages it writes inline.
    pub(crate) const fn always_written(&self) -> u64 {
        self.always_written
    }

    /// Its fields that protobuf has, in the order of their numbers.
    pub(crate) fn fields_by_number(&self) -> impl Iterator<Item = &'static Field> {
        let fields = self.fields;
        self.numbers.iter().filter_map(move |place| usize::from(*place).checked_sub(1)).map(move |place| &fields[place])
    }

    /// The field of this protobuf number.
    #[inline]
    pub fn field_numbered(&self, number: u32) -> Option<&'static Field> {
        self.place_of_number(number).map(|place| &self.fields[place])
    }

    /// The place in [`fields`](Self::fields) of the field of this protobuf number.
    #[inline]
    pub fn place_of_number(&self, number: u32) -> Option<usize> {
        let place = *self.numbers.get(usize::try_from(number).ok()?)?;
        usize::from(place).checked_sub(1)
    }
}

impl std::fmt::Debug for Type {
    /// Its name alone: types are recursive.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Field {
    /// Its JSON name; empty for a field that is written inline.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its protobuf number; 0 for a field that protobuf does not have.
    pub const fn number(&self) -> u8 {
        self.number
    }

    /// How many values it holds.
    pub const fn holds(&self) -> Holds {
        self.holds
    }

    /// The type of its values.
    pub const fn kind(&self) -> &'static Type {
        self.kind
    }

    /// Whether it is a Go pointer: its absence and its zero are two different things.
    pub const fn is_pointer(&self) -> bool {
        self.flags & rows::POINTER != 0
    }

    /// Whether JSON leaves it out when it is empty (which a struct never is).
    pub const fn omits_empty(&self) -> bool {
        self.flags & rows::OMITEMPTY != 0
    }

    /// Whether JSON leaves it out when it is zero, a struct too.
    pub const fn omits_zero(&self) -> bool {
        self.flags & rows::OMITZERO != 0
    }

    /// Whether its fields are written among those of the type it is in.
    pub const fn is_inline(&self) -> bool {
        self.flags & rows::INLINE != 0
    }

    /// Whether the schema asks for it.
    pub const fn is_required(&self) -> bool {
        self.flags & rows::REQUIRED != 0
    }

    /// How it merges, if it is a list.
    pub fn list_type(&self) -> ListType {
        let declared = self.rules.iter().find_map(|rule| match rule {
            Rule::ListSet => Some(ListType::Set),
            Rule::ListMap(keys) => Some(ListType::Map(keys)),
            _ => None,
        });
        declared.unwrap_or(ListType::Atomic)
    }

    /// What its schema says of the list it holds (`atomic`, `set` or `map`); nothing means atomic.
    pub fn list_type_name(&self) -> Option<&'static str> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::ListAtomic => Some("atomic"),
            Rule::ListSet => Some("set"),
            Rule::ListMap(_) => Some("map"),
            _ => None,
        })
    }

    /// What its schema says of the map or struct it holds (`atomic` or `granular`); nothing means granular, unless its
    /// type [is atomic](Type::is_atomic).
    pub fn map_type_name(&self) -> Option<&'static str> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::MapAtomic => Some("atomic"),
            Rule::MapGranular => Some("granular"),
            _ => None,
        })
    }

    /// Whether the map or struct it holds merges as a whole.
    pub fn is_atomic_map(&self) -> bool {
        match self.map_type_name() {
            Some(declared) => declared == "atomic",
            None => self.holds == Holds::One && self.kind.is_atomic,
        }
    }

    /// The strategies of a strategic merge patch (`merge`, `replace`, `retainKeys`); none means replace for a list and
    /// merge for everything else.
    pub fn patch_strategies(&self) -> impl Iterator<Item = &'static str> {
        self.patch().0.split(',').filter(|strategy| !strategy.is_empty())
    }

    /// The key by which a strategic merge patch merges its list.
    pub fn patch_merge_key(&self) -> Option<&'static str> {
        Some(self.patch().1).filter(|key| !key.is_empty())
    }

    /// The JSON of its default, unless that is the zero of its type.
    pub fn default_json(&self) -> Option<&'static str> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::Default(json) => Some(*json),
            _ => None,
        })
    }

    fn patch(&self) -> (&'static str, &'static str) {
        let declared = self.rules.iter().find_map(|rule| match rule {
            Rule::Patch(strategies, key) => Some((*strategies, *key)),
            _ => None,
        });
        declared.unwrap_or(("", ""))
    }
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}: {:?} {}", self.name, self.number, self.holds, self.kind.name)
    }
}

/// A type with spans of time, which no kind of this Kubernetes has.
#[cfg(test)]
pub(crate) mod spans {
    use super::rows::{OMITEMPTY, POINTER, fields, one, shaped};
    use super::{Shape, Type};

    static DURATION: Type = shaped("io.k8s.apimachinery.pkg.apis.meta.v1.Duration", Shape::Duration, &[]);
    pub(crate) static SPANS: Type =
        fields("example.Spans", &[one(1, "every", &DURATION, 0), one(2, "timeout", &DURATION, POINTER | OMITEMPTY)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod_spec() -> &'static Type {
        named("io.k8s.api.core.v1.PodSpec").unwrap()
    }

    #[test]
    fn a_kind_is_found_by_its_words_and_leads_to_its_fields() {
        let pod = kind_of("v1", "Pod").unwrap();
        let containers = pod.field("spec").unwrap().kind().field("containers").unwrap();
        assert_eq!((containers.number(), containers.holds()), (2, Holds::List));
        assert_eq!(containers.list_type(), ListType::Map(&["name"]));
        assert_eq!(containers.patch_merge_key(), Some("name"));
        assert_eq!(containers.patch_strategies().collect::<Vec<_>>(), ["merge"]);
        assert!(std::ptr::eq(kind("apps", "v1", "DeleteOptions").unwrap(), kind("", "v1", "DeleteOptions").unwrap()));
        assert!(kind("apps", "v1", "Pod").is_none() && kind("example.com", "v1", "Widget").is_none());
    }

    #[test]
    fn defaults_and_atomic_structs_are_known() {
        let ports = named("io.k8s.api.core.v1.Container").unwrap().field("ports").unwrap();
        assert_eq!(ports.list_type(), ListType::Map(&["containerPort", "protocol"]));
        assert_eq!(ports.kind().field("protocol").unwrap().default_json(), Some("\"TCP\""));
        assert!(named("io.k8s.api.apps.v1.DeploymentSpec").unwrap().field("selector").unwrap().is_atomic_map());
        assert!(pod_spec().field("nodeSelector").unwrap().is_atomic_map());
    }

    #[test]
    fn a_field_of_an_inline_type_is_a_field_of_the_outer_one() {
        let volume = named("io.k8s.api.core.v1.Volume").unwrap();
        assert_eq!(volume.field("emptyDir").unwrap().number(), 2);
        assert_eq!(volume.field("name").unwrap().number(), 1);
        assert!(volume.field("volumeSource").is_none());
    }

    #[test]
    fn every_type_is_sorted_and_every_number_leads_to_its_field() {
        let mut fields = 0;
        for kind in types() {
            assert!(std::ptr::eq(named(kind.name).unwrap(), kind), "{}", kind.name);
            let named: Vec<_> = kind.fields.iter().skip_while(|field| field.is_inline()).collect();
            assert!(named.iter().all(|field| !field.is_inline() && !field.name.is_empty()), "{}", kind.name);
            assert!(named.windows(2).all(|pair| pair[0].name < pair[1].name), "{}", kind.name);
            for field in kind.fields {
                let found = kind.field_numbered(field.number.into());
                assert!(field.number == 0 || std::ptr::eq(found.unwrap(), field), "{}.{}", kind.name, field.name);
            }
            fields += kind.fields.len();
        }
        assert!(types().count() > 1000 && fields > 4000, "{} types, {fields} fields", types().count());
        assert!(
            tables::KINDS.windows(2).all(|pair| (pair[0].0, pair[0].1, pair[0].2) < (pair[1].0, pair[1].1, pair[1].2))
        );
    }

    #[test]
    fn the_tables_are_of_the_version_that_the_go_module_names() {
        let module = include_str!("../../../conformance/kube/go.mod");
        assert!(
            module.contains(&format!("k8s.io/kubernetes {VERSION}\n")),
            "run `cargo xtask facts`: they say {VERSION}"
        );
    }

    #[test]
    fn the_tables_are_small() {
        let fields: usize = types().map(|kind| kind.fields.len()).sum();
        let bytes = types().count() * size_of::<Type>() + fields * size_of::<Field>();
        assert!(bytes < 400_000, "{bytes} bytes");
    }
}
