//! Which key does what: the one table for the loop, the footer and the help.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::model::ControllerState;
use crate::dev::controls::Action;

/// What a key asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Command {
    Do(Action),
    /// Select another object, so many further down.
    Select(isize),
    Help,
    Quit,
}

/// Key, what it does, its word in the footer, its sentence in the help.
const KEYS: [(&str, Command, &str, &str); 11] = [
    ("n", Command::Do(Action::Create), "new", "create an object"),
    ("m", Command::Do(Action::Change), "mod", "change the selected object"),
    ("x", Command::Do(Action::Spoil), "spoil", "give it a spec that the controller cannot accept; m heals it"),
    ("d", Command::Do(Action::Delete), "del", "delete it"),
    ("c", Command::Do(Action::CutWatches), "cut", "cut all watches and let no new one through; again: mend"),
    ("e", Command::Do(Action::ExpireHistory), "expire", "forget history and break the watches: 410, they list again"),
    ("s", Command::Do(Action::SlowDown), "slow", "answer every request 1.5 s later; again: as before"),
    ("r", Command::Do(Action::Refuse), "refuse", "answer every request with 500; again: as before"),
    ("k", Command::Do(Action::Crash), "kill", "crash the controller; again: start it"),
    ("?", Command::Help, "help", "close this"),
    ("q", Command::Quit, "quit", "quit"),
];

/// Key, word and sentence of what can be done here.
pub(crate) fn explained(
    controller: ControllerState,
) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let is_absent = controller == ControllerState::Absent;
    let needs_controller = |command| matches!(command, Command::Do(Action::Crash | Action::Spoil));
    KEYS.into_iter()
        .filter(move |(_, command, ..)| !(is_absent && needs_controller(*command)))
        .map(|(key, _, word, sentence)| (key, word, sentence))
}

/// What a key asks for, if anything.
pub(crate) fn command(event: KeyEvent) -> Option<Command> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        // The terminal does not make a signal of it while the view is shown.
        return (event.code == KeyCode::Char('c')).then_some(Command::Quit);
    }
    match event.code {
        KeyCode::Up => Some(Command::Select(-1)),
        KeyCode::Down => Some(Command::Select(1)),
        KeyCode::Char(character) => {
            let typed = character.to_ascii_lowercase().to_string();
            KEYS.into_iter().find(|(key, ..)| *key == typed).map(|(_, command, ..)| command)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_c_quits_and_c_cuts() {
        let plain = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::NONE);
        let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(command(plain), Some(Command::Do(Action::CutWatches)));
        assert_eq!(command(control), Some(Command::Quit));
        assert_eq!(command(KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL)), None);
    }

    #[test]
    fn every_key_is_its_own_and_the_footer_fits_the_smallest_terminal() {
        let keys: Vec<&str> = KEYS.iter().map(|(key, ..)| *key).collect();
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(keys.len(), distinct.len());
        let footer: usize = explained(ControllerState::Running).map(|(key, word, _)| key.len() + word.len() + 2).sum();
        assert!(footer < 80, "{footer}");
    }
}
