//! Every behaviour, theme by theme.

mod admission_plugins;
mod admission_policies;
mod admitting;
mod applying;
mod authorizing;
mod cel_libraries;
mod certifying;
mod defining;
mod deleting;
mod discovering;
mod errors;
mod manifests;
mod negotiating;
mod patching;
mod policy_inputs;
mod reading;
mod routing;
mod selecting;
mod subresources;
mod validation_rules;
mod watching;
mod writing;

use crate::behaviour::Behaviour;

/// Every behaviour there is, in the order of the facts they show.
pub fn all() -> Vec<Behaviour> {
    let themes = [
        routing::all,
        errors::all,
        reading::all,
        watching::all,
        selecting::all,
        writing::all,
        subresources::all,
        deleting::all,
        patching::all,
        applying::all,
        admission_plugins::all,
        admission_policies::all,
        policy_inputs::all,
        defining::all,
        validation_rules::all,
        cel_libraries::all,
        manifests::all,
        negotiating::all,
        discovering::all,
        authorizing::all,
        certifying::all,
        admitting::all,
    ];
    themes.iter().flat_map(|theme| theme()).collect()
}
