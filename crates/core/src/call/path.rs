//! The path of a call: which collection, object or subresource it is about.
//!
//! In: a path. Out: its segments, each checked. The invariant: what [`Target::path`] prints, [`Target::parse`] reads
//! back as the same segments, or printing is an error.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::{Error, Result};
use crate::resource::Resource;

/// A collection, an object in it, or a subresource of that.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Target {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The name of the collection.
    pub plural: String,
    /// The namespace; `None` for kinds that have none and for all namespaces at once, which share their paths.
    pub namespace: Option<String>,
    /// The object.
    pub name: Option<String>,
    /// A part of the object served on its own, such as `status`.
    pub subresource: Option<String>,
}

impl Target {
    /// The collection of `K`, in `namespace` if one is given.
    pub fn collection<K: Resource>(dt: &K::DynamicType, namespace: Option<&str>) -> Self {
        Self {
            group: K::group(dt).into_owned(),
            version: K::version(dt).into_owned(),
            plural: K::plural(dt).into_owned(),
            namespace: namespace.map(str::to_owned),
            name: None,
            subresource: None,
        }
    }

    /// The object `name` of this collection.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// The part `subresource` of this object.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.to_owned());
        self
    }

    /// Whether this is the log of a pod, whose query has words of its own.
    pub(super) fn is_log(&self) -> bool {
        self.subresource.as_deref() == Some(LOG)
    }

    pub(crate) fn require_name(&self) -> Result<()> {
        match self.name.as_deref() {
            None | Some("") => Err(Error::Validation("A non-empty name is required".into())),
            Some(_) => Ok(()),
        }
    }

    /// The path, every segment checked and percent-encoded.
    pub fn path(&self) -> Result<String> {
        if self.reads_as_another() {
            return Err(Error::Validation(format!("the path of {self:?} is that of something else")));
        }
        let mut path = Self::version_path(&self.group, &self.version)?;
        if let Some(namespace) = &self.namespace {
            path.push_str("/namespaces");
            push_segment(&mut path, "namespace", namespace)?;
        }
        push_segment(&mut path, "plural", &self.plural)?;
        if let Some(name) = &self.name {
            push_segment(&mut path, "name", name)?;
        }
        if let Some(subresource) = &self.subresource {
            push_segment(&mut path, "subresource", subresource)?;
        }
        Ok(path)
    }

    /// The path of a version of a group, where a server lists what it serves there.
    pub fn version_path(group: &str, version: &str) -> Result<String> {
        let mut path = String::from(if group.is_empty() { "/api" } else { "/apis" });
        if !group.is_empty() {
            push_segment(&mut path, "group", group)?;
        }
        push_segment(&mut path, "version", version)?;
        Ok(path)
    }

    /// Whether the path, though it can be printed, leads elsewhere: what stands behind `namespaces/x` is a part of the
    /// namespace if it is `status` or `finalize`, else a collection in it.
    fn reads_as_another(&self) -> bool {
        let is_part = |word: &str| NAMESPACE_PARTS.contains(&word);
        match (&self.namespace, &self.name, &self.subresource) {
            (Some(_), None, None) => is_part(&self.plural),
            (None, Some(_), Some(part)) => self.plural == "namespaces" && !is_part(part),
            (_, None, Some(_)) => true,
            _ => false,
        }
    }

    /// Reads a path of the API.
    pub fn parse(path: &str) -> Result<Self> {
        let not_ours = || Error::NotAnApiPath(path.to_owned());
        let segments = path
            .strip_prefix('/')
            .ok_or_else(not_ours)?
            .split('/')
            .map(|segment| percent_decode_str(segment).decode_utf8().map_err(|_| not_ours()))
            .collect::<Result<Vec<_>>>()?;
        let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        let (group, version, rest) = match segments[..] {
            ["api", version, ref rest @ ..] => ("", version, rest),
            ["apis", group, version, ref rest @ ..] if !group.is_empty() => (group, version, rest),
            _ => return Err(not_ours()),
        };
        let target = Self { group: group.into(), version: version.into(), ..Self::default() };
        let target = target.with_rest(rest).ok_or_else(not_ours)?;
        // A segment that could not have been printed is not understood either.
        target.path().map_err(|_| not_ours())?;
        Ok(target)
    }

    /// What follows group and version. Only `status` and `finalize` are subresources of a namespace: every other word
    /// behind `namespaces/x` is a collection in it.
    fn with_rest(self, rest: &[&str]) -> Option<Self> {
        Some(match *rest {
            ["namespaces", name, part] if NAMESPACE_PARTS.contains(&part) => {
                self.at(None, "namespaces", Some(name), Some(part))
            }
            ["namespaces", namespace, plural] => self.at(Some(namespace), plural, None, None),
            ["namespaces", namespace, plural, name] => self.at(Some(namespace), plural, Some(name), None),
            ["namespaces", namespace, plural, name, part] => self.at(Some(namespace), plural, Some(name), Some(part)),
            [plural] => self.at(None, plural, None, None),
            [plural, name] => self.at(None, plural, Some(name), None),
            [plural, name, part] => self.at(None, plural, Some(name), Some(part)),
            _ => return None,
        })
    }

    fn at(self, namespace: Option<&str>, plural: &str, name: Option<&str>, subresource: Option<&str>) -> Self {
        Self {
            namespace: namespace.map(str::to_owned),
            plural: plural.to_owned(),
            name: name.map(str::to_owned),
            subresource: subresource.map(str::to_owned),
            ..self
        }
    }
}

/// The subresources of namespaces.
const NAMESPACE_PARTS: [&str; 2] = ["status", "finalize"];

/// The subresource that is a pod's log.
pub(super) const LOG: &str = "log";

/// Characters that are legal in a Kubernetes name of some kind but not in a URL path as they are.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'{').add(b'}');
/// As above, and what some URL parsers would rewrite.
const SEGMENT: &AsciiSet = &ENCODED.add(b'[').add(b']').add(b'^').add(b'|').add(b'\\');

/// Appends one segment, if it is one.
pub(crate) fn push_segment(path: &mut String, what: &str, segment: &str) -> Result<()> {
    if let Some(why) = refused(segment) {
        return Err(Error::Validation(format!("{what} {segment:?} is not a path segment: {why}")));
    }
    write!(path, "/{}", utf8_percent_encode(segment, SEGMENT)).expect("writing to a String does not fail");
    Ok(())
}

/// Why `segment` could lead to another path than the one it was meant for.
fn refused(segment: &str) -> Option<&'static str> {
    match segment {
        "" => Some("it is empty"),
        "." | ".." => Some("it would climb the path"),
        _ if segment.contains(['/', '%', '?', '#']) => Some("it must not contain any of / % ? #"),
        _ if segment.chars().any(char::is_control) => Some("it contains a control character"),
        _ => None,
    }
}
