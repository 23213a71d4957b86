//! Every behaviour, theme by theme.

mod admitting;
mod applying;
mod authorizing;
mod calling;
mod defining;
mod deleting;
mod discovering;
mod errors;
mod negotiating;
mod patching;
mod reading;
mod routing;
mod selecting;
mod subresources;
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
        admitting::all,
        calling::all,
        defining::all,
        negotiating::all,
        discovering::all,
        authorizing::all,
    ];
    themes.iter().flat_map(|theme| theme()).collect()
}
