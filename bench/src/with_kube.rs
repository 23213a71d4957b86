//! The programs of `roads`, compiled against kube.

use kube as library;

use crate::own_ways::with_kube as own_ways;

#[path = "roads/run.rs"]
mod run;

pub(crate) use run::run;
