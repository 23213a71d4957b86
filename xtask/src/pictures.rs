//! The pictures of `pintle dev` in `docs/pictures`: drawn from the cells of a real run by a test that is otherwise ignored.

use crate::programs;

/// Draws them anew. Ports, times and durations are those of the run, so they differ each time.
pub(crate) fn write() -> Result<(), String> {
    let mut test = programs::cargo(&["test", "--workspace", "--bin", "pintle", "--", "--ignored", "--exact", TEST]);
    programs::run(&mut test).and_then(|code| if code == 0 { Ok(()) } else { Err(format!("{TEST} failed")) })
}

const TEST: &str = "dev::view::pictures::write_pictures";
