//! Calls made of params: what a server would refuse is refused here, before anything is sent.

use super::{Call, Error, PatchKind, Query, Result, Target, Verb, path};
use crate::params::{GetParams, ListParams, PatchParams, PostParams, VersionMatch, WatchParams};
use crate::subresource::LogParams;

impl Call {
    /// Lists a collection.
    pub fn list(target: Target, params: &ListParams) -> Result<Self> {
        if params.version_match.is_some() && params.resource_version.is_none() {
            return Err(Error::Validation("A resource_version is required when using an explicit match".into()));
        }
        if params.resource_version.as_deref() == Some("0") && params.version_match == Some(VersionMatch::Exact) {
            let why = "A non-zero resource_version is required when using an Exact match";
            return Err(Error::Validation(why.into()));
        }
        Ok(Self { query: Query::of_list(params), ..Self::new(Verb::List, target) })
    }

    /// Follows a collection from `resource_version` on.
    pub fn watch(target: Target, params: &WatchParams, resource_version: &str) -> Result<Self> {
        if params.send_initial_events && !params.bookmarks {
            let why = "WatchParams::send_initial_events needs bookmarks: the end of the initial events is a bookmark";
            return Err(Error::Validation(why.into()));
        }
        Ok(Self { query: Query::of_watch(params, resource_version), ..Self::new(Verb::Watch, target) })
    }

    /// Reads the object `target` names.
    pub fn get(target: Target, params: &GetParams) -> Result<Self> {
        target.require_name()?;
        let query = Query { resource_version: params.resource_version.clone(), ..Query::default() };
        Ok(Self { query, ..Self::new(Verb::Get, target) })
    }

    /// Creates an object in a collection, or the part of an object that `target` names.
    pub fn create(target: Target, params: &PostParams) -> Result<Self> {
        if target.subresource.is_some() {
            target.require_name()?;
        }
        check_field_manager(params.field_manager.as_deref())?;
        Ok(Self { query: Query::of_post(params), ..Self::new(Verb::Create, target) })
    }

    /// Replaces the object `target` names.
    pub fn replace(target: Target, params: &PostParams) -> Result<Self> {
        target.require_name()?;
        check_field_manager(params.field_manager.as_deref())?;
        Ok(Self { query: Query::of_post(params), ..Self::new(Verb::Replace, target) })
    }

    /// Changes parts of the object `target` names.
    pub fn patch(target: Target, kind: PatchKind, params: &PatchParams) -> Result<Self> {
        target.require_name()?;
        if params.force && kind != PatchKind::Apply {
            return Err(Error::Validation("PatchParams::force only works with Patch::Apply".into()));
        }
        if kind == PatchKind::Apply && params.field_manager.as_deref().unwrap_or_default().is_empty() {
            let why = "Patch::Apply needs a field manager: use PatchParams::apply(\"your-controller\")";
            return Err(Error::Validation(why.into()));
        }
        check_field_manager(params.field_manager.as_deref())?;
        Ok(Self { query: Query::of_patch(params), ..Self::new(Verb::Patch(kind), target) })
    }

    /// Deletes the object `target` names; the options are in the body.
    pub fn delete(target: Target) -> Result<Self> {
        target.require_name()?;
        Ok(Self::new(Verb::Delete, target))
    }

    /// Deletes every object of a collection that `params` selects; the options are in the body.
    pub fn delete_collection(target: Target, params: &ListParams) -> Result<Self> {
        // A deletion knows no pages and no versions; kube says neither.
        let query = Query {
            label_selector: params.label_selector.clone(),
            field_selector: params.field_selector.clone(),
            ..Query::default()
        };
        Ok(Self { query, ..Self::new(Verb::DeleteCollection, target) })
    }

    /// Reads the log of the pod `target` names.
    pub fn logs(target: Target, params: &LogParams) -> Result<Self> {
        target.require_name()?;
        let query = Query { logs: params.clone(), ..Query::default() };
        Ok(Self { query, ..Self::new(Verb::Get, target.subresource(path::LOG)) })
    }
}

/// A field manager longer than this is refused by servers.
const FIELD_MANAGER_LENGTH_MAX: usize = 128;

fn check_field_manager(manager: Option<&str>) -> Result<()> {
    let Some(manager) = manager else { return Ok(()) };
    if manager.len() > FIELD_MANAGER_LENGTH_MAX {
        let why = format!("Failed to validate field_manager: at most {FIELD_MANAGER_LENGTH_MAX} bytes are allowed");
        return Err(Error::Validation(why));
    }
    if !manager.chars().all(is_printable) {
        return Err(Error::Validation(
            "Failed to validate field_manager: only printable characters are allowed".into(),
        ));
    }
    Ok(())
}

/// Whether a server would take `c` in the name of a manager: no controls, no space but the plain one, and nothing that
/// cannot be seen.
fn is_printable(c: char) -> bool {
    let is_invisible = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !is_invisible && (c == ' ' || !c.is_whitespace())
}
