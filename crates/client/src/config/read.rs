//! From files and variables to one [`Kubeconfig`].
//!
//! In: a path, `$KUBECONFIG` or YAML text. Out: one `Kubeconfig` whose paths no longer depend on where it was read.
//! Files are merged as kubectl merges them: the first to define a name wins. Size, depth and aliases are bounded,
//! because a kubeconfig is often a file from someone unknown. Which context is used is decided in `config.rs`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::data::read_at_most;
use super::error::KubeconfigError;
use super::file::Kubeconfig;

/// The largest kubeconfig that is read. A file with two hundred clusters, all certificates inline, stays below this.
pub(crate) const KUBECONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// The deepest nesting that is read: a kubeconfig needs six levels, what tools store in extensions a few more.
const DEPTH_MAX: usize = 32;

/// The most aliases (`*name`) that are followed: real files use none or a handful, bombs use many.
const ALIASES_MAX: usize = 100;

/// The most events all aliases together may replay: a few anchored entries, not a bomb.
const ALIAS_EVENTS_MAX: usize = 10_000;

impl Kubeconfig {
    /// Reads the files of `$KUBECONFIG`, or `~/.kube/config` where the variable is not set.
    ///
    /// # Errors
    /// When no file is found or one cannot be read.
    pub fn read() -> Result<Self, KubeconfigError> {
        if let Some(config) = Self::from_env()? {
            return Ok(config);
        }
        let home = std::env::home_dir().ok_or(KubeconfigError::FindPath)?;
        Self::read_from(home.join(".kube").join("config"))
    }

    /// Reads one file. Relative paths in it count from its folder.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 1 MiB, or is not a kubeconfig.
    pub fn read_from<P: AsRef<Path>>(path: P) -> Result<Self, KubeconfigError> {
        let path = path.as_ref();
        let text = read_text(path).map_err(|error| KubeconfigError::ReadConfig(error, path.to_owned()))?;
        let mut config = parse(&text, Some(path))?;
        config.resolve_paths(path.parent().unwrap_or(Path::new("")));
        Ok(config)
    }

    /// Reads YAML text; several documents are merged.
    ///
    /// # Errors
    /// When the text is larger than 1 MiB or no kubeconfig.
    pub fn from_yaml(text: &str) -> Result<Self, KubeconfigError> {
        parse(text, None)
    }

    /// Reads and merges the files listed in `$KUBECONFIG`; `None` where the variable is not set or empty.
    ///
    /// # Errors
    /// When a file cannot be read, or none of them exists.
    pub fn from_env() -> Result<Option<Self>, KubeconfigError> {
        std::env::var_os("KUBECONFIG").map_or(Ok(None), |list| Self::read_list(&list))
    }

    /// Merges `next` into this one. A name or value that both define is kept as it is here.
    ///
    /// # Errors
    /// When both say what kind of file they are and disagree.
    pub fn merge(mut self, next: Self) -> Result<Self, KubeconfigError> {
        if self.kind.is_some() && next.kind.is_some() && self.kind != next.kind {
            return Err(KubeconfigError::KindMismatch);
        }
        if self.api_version.is_some() && next.api_version.is_some() && self.api_version != next.api_version {
            return Err(KubeconfigError::ApiVersionMismatch);
        }
        self.kind = self.kind.or(next.kind);
        self.api_version = self.api_version.or(next.api_version);
        self.preferences = self.preferences.or(next.preferences);
        self.extensions = self.extensions.or(next.extensions);
        self.current_context = self.current_context.filter(|name| !name.is_empty()).or(next.current_context);
        append(&mut self.clusters, next.clusters, |entry| &entry.name);
        append(&mut self.contexts, next.contexts, |entry| &entry.name);
        append(&mut self.auth_infos, next.auth_infos, |entry| &entry.name);
        for (field, value) in next.other {
            self.other.entry(field).or_insert(value);
        }
        Ok(self)
    }

    fn read_list(list: &OsStr) -> Result<Option<Self>, KubeconfigError> {
        let mut merged: Option<Self> = None;
        let mut missing = None;
        for path in std::env::split_paths(list).filter(|path| !path.as_os_str().is_empty()) {
            match Self::read_from(&path) {
                // kubectl passes over files that do not exist: the list may name one it would create.
                Err(KubeconfigError::ReadConfig(error, path)) if error.kind() == std::io::ErrorKind::NotFound => {
                    missing.get_or_insert(KubeconfigError::ReadConfig(error, path));
                }
                Err(error) => return Err(error),
                Ok(next) => {
                    merged = Some(match merged {
                        Some(first) => first.merge(next)?,
                        None => next,
                    });
                }
            }
        }
        match (merged, missing) {
            (None, Some(error)) => Err(error),
            (merged, _) => Ok(merged),
        }
    }

    fn resolve_paths(&mut self, folder: &Path) {
        let mut paths = Vec::new();
        for cluster in self.clusters.iter_mut().filter_map(|entry| entry.cluster.as_mut()) {
            paths.push(&mut cluster.certificate_authority);
        }
        for user in self.auth_infos.iter_mut().filter_map(|entry| entry.auth_info.as_mut()) {
            paths.extend([&mut user.client_certificate, &mut user.client_key, &mut user.token_file]);
        }
        for path in paths.into_iter().flatten().filter(|path| !path.is_empty()) {
            resolve(path, folder);
        }
        for user in self.auth_infos.iter_mut().filter_map(|entry| entry.auth_info.as_mut()) {
            let command = user.exec.as_mut().and_then(|exec| exec.command.as_mut());
            // A bare name is looked up in `$PATH`, not beside the file.
            if let Some(command) = command.filter(|command| command.contains(std::path::is_separator)) {
                resolve(command, folder);
            }
        }
    }
}

fn resolve(path: &mut String, folder: &Path) {
    let resolved: PathBuf = folder.join(&*path);
    *path = resolved.to_string_lossy().into_owned();
}

fn read_text(path: &Path) -> std::io::Result<String> {
    let text = String::from_utf8(read_at_most(path, KUBECONFIG_BYTES_MAX)?);
    text.map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))
}

fn parse(text: &str, path: Option<&Path>) -> Result<Kubeconfig, KubeconfigError> {
    if text.len() as u64 > KUBECONFIG_BYTES_MAX {
        return Err(KubeconfigError::unusable(format_args!("it is larger than {KUBECONFIG_BYTES_MAX} bytes")));
    }
    let mut options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: DEPTH_MAX, max_aliases: ALIASES_MAX },
    };
    options.alias_limits.max_total_replayed_events = ALIAS_EVENTS_MAX;
    let documents: Vec<Kubeconfig> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| without_content(path, &error))?;
    // Merging into an empty one also settles two entries of one name in one document.
    documents.into_iter().try_fold(Kubeconfig::default(), Kubeconfig::merge)
}

fn append<T>(entries: &mut Vec<T>, next: Vec<T>, name: impl Fn(&T) -> &String) {
    let mut known: HashSet<String> = entries.iter().map(|entry| name(entry).clone()).collect();
    entries.extend(next.into_iter().filter(|entry| known.insert(name(entry).clone())));
}

/// The parser's messages quote the file, and any line of it may be a token: only the place and the expectation are
/// passed on.
fn without_content(path: Option<&Path>, error: &serde_saphyr::Error) -> KubeconfigError {
    use serde_saphyr::Error;
    let what = match error.without_snippet() {
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            format!("expected {expected}")
        }
        Error::SerdeMissingField { field, .. } => format!("`{field}` is missing"),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => "it is nested too deeply or uses too many aliases".to_owned(),
        Error::DuplicateMappingKey { .. } => "a key stands there twice".to_owned(),
        _ => "it cannot be parsed there".to_owned(),
    };
    let place = error.location().map_or_else(String::new, |at| format!("line {}, column {}: ", at.line(), at.column()));
    let file = path.map_or_else(String::new, |path| format!("`{}`: ", path.display()));
    KubeconfigError::unusable(format_args!("{file}{place}{what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_is_merged_and_files_that_do_not_exist_are_passed_over() {
        let folder = std::env::temp_dir().join(format!("pintle-list-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("one"), "current-context: one\nclusters: [{name: c}]").unwrap();
        std::fs::write(folder.join("two"), "current-context: two\nclusters: [{name: d}]").unwrap();
        let list = |names: &[&str]| std::env::join_paths(names.iter().map(|name| folder.join(name))).unwrap();
        let merged = Kubeconfig::read_list(&list(&["none", "two", "one"])).unwrap().unwrap();
        assert_eq!((merged.current_context.as_deref(), merged.clusters.len()), (Some("two"), 2));
        let error = Kubeconfig::read_list(&list(&["none", "nothing"])).unwrap_err();
        assert!(matches!(error, KubeconfigError::ReadConfig(_, path) if path.ends_with("none")));
        assert!(Kubeconfig::read_list(OsStr::new("")).unwrap().is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
