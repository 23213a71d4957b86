//! The table on a terminal: how the watch is doing, then the objects, those that changed last first.
//!
//! In: what is known and the clock's reading. Out: the text that draws it over what was drawn before. It is as tall as the
//! terminal at most, and what is above it on the screen stays.

use std::fmt::Write;
use std::time::Duration;

use pintle::runtime::watcher::{Phase, Report};
use tokio::time::Instant;

use super::notice::{Notice, What, count_objects};
use super::observer::{Observer, Row};

/// What is drawn, and how much of it.
pub(super) struct Table {
    title: String,
    has_colours: bool,
    /// How many lines were drawn last.
    drawn: usize,
    /// The last line about the watch itself.
    remark: Option<String>,
    /// What the watch came to was the last of them: it is shown whole.
    has_ended: bool,
}

/// Terminals have at least this, by an old agreement.
const SIZE_DEFAULT: (u16, u16) = (80, 24);
/// Lines that are not rows: three of state, two empty, the columns' names, the number left out, the remark, the cursor's.
const FRAME_LINES: usize = 9;

const GREEN: &str = "32";
const YELLOW: &str = "33";
const RED: &str = "31";
const DIM: &str = "2";

impl Table {
    pub(super) fn new(title: String, has_colours: bool) -> Self {
        Self { title, has_colours, drawn: 0, remark: None, has_ended: false }
    }

    /// Keeps what is said of the watch for the next frame; what happened to objects is in the observer.
    pub(super) fn note(&mut self, notices: &[Notice]) {
        for notice in notices.iter().filter(|notice| !matches!(notice.what, What::Object(..))) {
            self.remark = Some(format!("{:.0} {} {}", notice.time, notice.what.name(), notice.what));
            self.has_ended = matches!(notice.what, What::Summary(_));
        }
    }

    /// The text that draws it anew.
    pub(super) fn draw(&mut self, observer: &Observer, report: &Report, now: Instant) -> String {
        // A terminal that does not know its size says zero.
        let size = crossterm::terminal::size().ok().filter(|(width, height)| *width > 0 && *height > 0);
        self.draw_at(size.unwrap_or(SIZE_DEFAULT), observer, report, now)
    }

    fn draw_at(&mut self, (width, height): (u16, u16), observer: &Observer, report: &Report, now: Instant) -> String {
        let lines = self.lines(observer, report, now, usize::from(height));
        let width = if self.has_ended { usize::MAX } else { width.into() };
        let mut text = String::new();
        if self.drawn > 0 {
            // Up to the first line that was drawn.
            let _ = write!(text, "\u{1b}[{}A\r", self.drawn);
        }
        for (colour, line) in &lines {
            let line: String = line.chars().take(width).collect();
            match colour.filter(|_| self.has_colours) {
                Some(colour) => drop(writeln!(text, "\u{1b}[{colour}m{line}\u{1b}[0m\u{1b}[K")),
                None => drop(writeln!(text, "{line}\u{1b}[K")),
            }
        }
        // What is left of a taller one.
        text.push_str("\u{1b}[J");
        self.drawn = lines.len();
        text
    }

    fn lines(
        &self,
        observer: &Observer,
        report: &Report,
        now: Instant,
        height: usize,
    ) -> Vec<(Option<&'static str>, String)> {
        let mut rows: Vec<&Row> = observer.rows().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.at));
        let shown = rows.len().min(height.saturating_sub(FRAME_LINES).max(1));
        let mut lines = self.state(observer, report, now, rows.len());
        lines.push((None, String::new()));
        lines.extend(columns(&rows[..shown], now));
        if shown < rows.len() {
            lines.push((Some(DIM), format!("and {} more", rows.len() - shown)));
        }
        lines.push((None, String::new()));
        if let Some(remark) = &self.remark {
            lines.push(((!self.has_ended).then_some(DIM), remark.clone()));
        }
        lines
    }

    /// Three lines about the watch, each of which fits 80 columns.
    fn state(
        &self,
        observer: &Observer,
        report: &Report,
        now: Instant,
        count: usize,
    ) -> Vec<(Option<&'static str>, String)> {
        let (colour, phase) = match report.phase {
            Phase::Watching => (GREEN, "watching"),
            Phase::Listing | Phase::Idle => (YELLOW, "listing"),
            Phase::Refused => (RED, "refused"),
            Phase::Failing => (RED, "failing"),
            _ => (YELLOW, "ended"),
        };
        let version =
            report.resource_version.as_ref().map(|version| format!(" · version {version}")).unwrap_or_default();
        let heard = report.last_heard.map(|at| format!(" · heard {} ago", age(now - at))).unwrap_or_default();
        let latency = observer.latency().of_all().map_or_else(String::new, |(mean, max)| {
            format!(" · changes seen after {:.1} s, at most {:.1} s", mean.as_secs_f64(), max.as_secs_f64())
        });
        let counts = observer.counts();
        let head = format!("{}: {phase}{heard}", self.title);
        let objects = format!("{}{version}{latency}", count_objects(count));
        let numbers = format!(
            "added {}, modified {}, deleted {} · watches {}, lists {}, expired {}, failures {}",
            counts.added,
            counts.modified,
            counts.deleted,
            report.watches,
            report.lists,
            counts.expired,
            report.failures_total.saturating_sub(counts.expired),
        );
        vec![(Some(colour), head), (Some(DIM), objects), (Some(DIM), numbers)]
    }
}

/// The rows below the names of their columns, each column as wide as it must be.
fn columns(rows: &[&Row], now: Instant) -> Vec<(Option<&'static str>, String)> {
    const NAMES: [&str; 6] = ["OBJECT", "EVENT", "AGO", "VERSION", "GENERATION", "OLD"];
    let cells = |row: &Row| {
        let old = row.seen.latency.map(|latency| format!("{:.1} s", latency.as_secs_f64())).unwrap_or_default();
        let generation = row.seen.generation.map(|generation| generation.to_string()).unwrap_or_default();
        [
            row.seen.path(),
            row.change.name().to_owned(),
            age(now - row.at),
            row.seen.resource_version.clone(),
            generation,
            old,
        ]
    };
    let all: Vec<[String; 6]> =
        std::iter::once(NAMES.map(str::to_owned)).chain(rows.iter().map(|row| cells(row))).collect();
    let widths: [usize; 6] =
        std::array::from_fn(|column| all.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0));
    let line = |cells: &[String; 6]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all.iter().enumerate().map(|(index, cells)| ((index == 0).then_some(DIM), line(cells))).collect()
}

/// As kubectl writes ages, in its largest unit.
fn age(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::jiff::Timestamp;
    use pintle::api::DynamicObject;
    use pintle::runtime::watcher::Event;
    use serde_json::json;

    use super::super::observer::tests::idle_report;
    use super::*;

    fn map(name: &str) -> DynamicObject {
        let metadata = json!({"namespace": "default", "name": name, "uid": name, "resourceVersion": "7"});
        serde_json::from_value(json!({"metadata": metadata})).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn it_draws_over_itself_within_the_terminal_and_colours_only_where_wanted() {
        let (report, start) = (idle_report(), Instant::now());
        let mut observer = Observer::new(start);
        for (index, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
            let at = start + Duration::from_secs(index as u64);
            observer.on_event(Event::InitApply(map(name)), &report, Timestamp::UNIX_EPOCH, at);
        }
        let notices = observer.on_event(Event::<DynamicObject>::InitDone, &report, Timestamp::UNIX_EPOCH, start);
        let mut table = Table::new("configmaps in namespace default".to_owned(), false);
        let now = start + Duration::from_secs(10);

        table.note(&notices);
        let first = table.draw_at((200, 11), &observer, &report, now);
        let lines: Vec<_> = first.lines().map(|line| line.trim_end_matches("\u{1b}[K")).collect();
        assert!(lines[0].starts_with("configmaps in namespace default: listing"), "{first}");
        assert!(lines[1].starts_with("4 objects"), "{first}");
        assert!(lines.iter().take(3).all(|line| line.chars().count() <= 80), "{first}");
        assert_eq!(lines[4], "OBJECT     EVENT   AGO  VERSION  GENERATION  OLD");
        assert_eq!(lines[5], "default/d  EXISTS  7s   7", "the last change is the first row");
        assert_eq!(lines[7], "and 2 more");
        assert!(lines[9].contains("SYNCED 4 objects"), "{first}");
        assert!(!first.contains("\u{1b}[3") && !first.contains("\u{1b}[2m"), "no colours: {first:?}");

        let second = table.draw_at((20, 11), &observer, &report, now);
        assert!(second.starts_with("\u{1b}[10A\r"), "it begins where it began: {second:?}");
        let is_narrow = |line: &str| line.trim_end_matches("\u{1b}[K").chars().count() <= 20;
        assert!(second.lines().skip(1).filter(|line| !line.contains("\u{1b}[J")).all(is_narrow), "{second:?}");

        table.has_colours = true;
        assert!(table.draw_at((80, 24), &observer, &report, now).contains("\u{1b}[33m"));
    }
}
