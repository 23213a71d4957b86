//! The functions of CEL as Kubernetes 1.37 enables them for new expressions, one file per library.

pub(crate) mod authorizer;
mod conversions;
pub(crate) mod format_string;
pub(crate) mod formats;
pub(crate) mod ip;
pub(crate) mod json_patch;
mod lists;
mod operators;
pub(crate) use operators::index;
mod optionals;
pub(crate) mod quantity;
pub(crate) mod regex;
pub(crate) mod semver;
mod sets;
mod strings;
pub(crate) mod time;
pub(crate) mod time_zones;
pub(crate) mod url;

use crate::functions::Library;

/// Every library; where a function is in several, the first that takes the arguments answers.
pub(crate) const ALL: [&Library; 16] = [
    &operators::LIBRARY,
    &conversions::LIBRARY,
    &time::LIBRARY,
    &strings::LIBRARY,
    &format_string::LIBRARY,
    &lists::LIBRARY,
    &sets::LIBRARY,
    &optionals::LIBRARY,
    &regex::LIBRARY,
    &url::LIBRARY,
    &ip::LIBRARY,
    &quantity::LIBRARY,
    &semver::LIBRARY,
    &formats::LIBRARY,
    &authorizer::LIBRARY,
    &json_patch::LIBRARY,
];
