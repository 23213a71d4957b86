//! The programs of `roads`, compiled against Pintle.

use pintle as library;

use crate::own_ways::with_pintle as own_ways;

#[path = "roads/run.rs"]
mod run;

pub(crate) use run::run;
