//! The file that leads kubectl to the server.

use std::path::{Path, PathBuf};

use pintle_apiserver::{Serving, WrittenKubeconfig};

use crate::failure::Failure;
use crate::narrator::Narrator;

/// A kubeconfig file; one that the user did not name is removed at the end, because its server is gone then.
#[derive(Debug)]
pub(crate) struct KubeconfigFile {
    path: PathBuf,
    is_ours: bool,
}

impl KubeconfigFile {
    /// The file that was asked for, or one of our own in the temporary folder.
    pub(crate) fn at(asked_for: Option<PathBuf>) -> Self {
        let is_ours = asked_for.is_none();
        let own = || std::env::temp_dir().join(format!("pintle-kubeconfig-{}", std::process::id()));
        Self { path: asked_for.unwrap_or_else(own), is_ours }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes how to reach the server, and says what became of a file that already existed.
    pub(crate) fn write(&self, serving: &Serving, narrator: &Narrator) -> Result<(), Failure> {
        let path = self.path.display();
        let written = serving
            .write_kubeconfig(&self.path)
            .map_err(|error| Failure::new(format!("cannot write the kubeconfig {path}"), error))?;
        if let WrittenKubeconfig { backup: Some(backup), is_current, .. } = written {
            let kept = format!("the context pintle was added to {path}; the file as it was: {}", backup.display());
            let way = if is_current { "" } else { "; its current context stays: use kubectl --context pintle" };
            narrator.remark(format_args!("{kept}{way}"));
        }
        Ok(())
    }
}

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        if self.is_ours {
            drop(std::fs::remove_file(&self.path));
        }
    }
}
