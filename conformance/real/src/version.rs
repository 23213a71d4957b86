//! The versions of Kubernetes that are built from source: the newest, and an older one that clusters still run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A minor version of Kubernetes, pinned to one of its releases.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Version {
    /// The oldest that our clients are tried with.
    V1_34,
    /// The newest: what is claimed about Kubernetes is claimed about this one.
    #[default]
    V1_37,
}

impl Version {
    /// Oldest first.
    pub const ALL: [Self; 2] = [Self::V1_34, Self::V1_37];

    /// The release, as it is written into what is built: clients parse it.
    pub fn release(self) -> &'static str {
        match self {
            Self::V1_34 => "v1.34.4",
            Self::V1_37 => "v1.37.1",
        }
    }

    /// The file, beside the program's source, that pins every Go module for it.
    pub fn module_file(self) -> &'static str {
        match self {
            Self::V1_34 => "1.34.mod",
            Self::V1_37 => "go.mod",
        }
    }

    /// Where it is built, and where its servers keep logs and kubeconfigs.
    pub fn folder(self) -> PathBuf {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = here.ancestors().nth(2).unwrap_or(here).join("target/kube");
        if self == Self::default() { folder } else { folder.join(self.to_string()) }
    }

    /// The server, if it is built.
    pub fn program(self) -> Result<PathBuf, String> {
        let program = self.folder().join("kube");
        if program.exists() {
            return Ok(program);
        }
        Err(format!("Kubernetes {self} is not built yet: run `cargo xtask kube build --version {self}` first"))
    }
}

/// The minor version, as `1.37`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_34 => "1.34",
            Self::V1_37 => "1.37",
        })
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|version| version.to_string() == text).ok_or_else(|| {
            let known = Self::ALL.map(|version| version.to_string()).join(", ");
            format!("Kubernetes {text} is not built here; the versions that are: {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_as_it_is_printed_and_is_that_of_its_release() {
        for version in Version::ALL {
            assert_eq!(version.to_string().parse(), Ok(version));
            assert!(version.release().starts_with(&format!("v{version}.")), "{}", version.release());
        }
        assert_eq!(
            "1.2".parse::<Version>(),
            Err("Kubernetes 1.2 is not built here; the versions that are: 1.34, 1.37".to_owned())
        );
    }

    #[test]
    fn the_module_file_of_a_version_pins_its_release() {
        for version in Version::ALL {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kube").join(version.module_file());
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.contains(&format!("k8s.io/kubernetes {}\n", version.release())), "{version}");
        }
    }
}
