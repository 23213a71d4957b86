//! The file that tells kubectl where the server is.

use std::path::{Path, PathBuf};

/// A kubeconfig file; one that nobody asked for by name is removed at the end, because its server is gone then.
#[derive(Debug)]
pub(super) struct KubeconfigFile {
    path: PathBuf,
    is_ours: bool,
}

impl KubeconfigFile {
    pub(super) fn at(asked_for: Option<PathBuf>) -> Self {
        let is_ours = asked_for.is_none();
        let own = || std::env::temp_dir().join(format!("pintle-kubeconfig-{}", std::process::id()));
        Self { path: asked_for.unwrap_or_else(own), is_ours }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        if self.is_ours {
            drop(std::fs::remove_file(&self.path));
        }
    }
}
