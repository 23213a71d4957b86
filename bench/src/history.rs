//! What happens in a cluster after its first list, and what a program spends on it.

use crate::BoxError;
use crate::measure::{Meter, Moment};
use crate::source::{History, Source};

/// A step that a program takes in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// Every object changes on the watch that is open.
    Events,
    /// The watch ends, and in the list that follows every object has changed.
    Relist,
}

impl Source {
    /// Whether anything happens after the first list.
    pub(crate) fn goes_on(&self) -> bool {
        self.history == History::Whole
    }

    /// Takes a program that watches through the steps; `taken_in` waits until it has taken one in.
    pub(crate) async fn go_on(
        &self,
        meter: &mut Meter,
        mut taken_in: impl AsyncFnMut(Step) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        self.place.change_all()?;
        meter.restart();
        self.place.send_changes()?;
        taken_in(Step::Events).await?;
        meter.spent("event", Moment::at_rest());

        self.place.change_all()?;
        Meter::forget_peak()?;
        meter.restart();
        self.place.expire_watch()?;
        taken_in(Step::Relist).await?;
        meter.spent("relist", Moment::at_rest());
        meter.held_at_most("relist-peak")
    }
}
