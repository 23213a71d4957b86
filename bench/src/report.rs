//! Prints what was measured.

use crate::arguments::Way;
use crate::compare::{CLIENT_GO, CLIENT_GO_JSON, Column, Comparison, KUBE, PINTLE, PINTLE_JSON};
use crate::objects::Kind;
use crate::road::Road;

/// The figures in the order of what happens, and what each is counted in.
const ROWS: [(&str, Unit); 17] = [
    ("start", Unit::Milliseconds),
    ("file", Unit::Microseconds),
    ("take", Unit::Microseconds),
    ("sync", Unit::Microseconds),
    ("sync-allocations", Unit::Count),
    ("first-reconcile", Unit::Microseconds),
    ("memory", Unit::Kilobytes),
    ("event", Unit::Microseconds),
    ("event-allocations", Unit::Count),
    ("relist", Unit::Microseconds),
    ("relist-allocations", Unit::Count),
    ("relist-peak", Unit::Kilobytes),
    ("first-reconcile-allocations", Unit::Count),
    ("get", Unit::Microseconds),
    ("get-again", Unit::Microseconds),
    ("state", Unit::Microseconds),
    ("index", Unit::Microseconds),
];

/// The columns of a table, each with its head.
pub(crate) const COLUMNS: [(Column, &str); 5] = [
    (KUBE, "kube"),
    (CLIENT_GO_JSON, "client-go"),
    (CLIENT_GO, "client-go, protobuf"),
    (PINTLE_JSON, "pintle"),
    (PINTLE, "pintle, protobuf"),
];

#[derive(Clone, Copy)]
enum Unit {
    Milliseconds,
    Microseconds,
    Kilobytes,
    Count,
}

impl Unit {
    fn show(self, figure: Option<f64>) -> String {
        match (self, figure) {
            (_, None) => "-".to_owned(),
            (Self::Milliseconds, Some(figure)) => format!("{:.1} ms", figure / 1e3),
            (Self::Microseconds, Some(figure)) => format!("{figure:.1} µs"),
            (Self::Kilobytes, Some(figure)) => format!("{:.1} KB", figure / 1e3),
            (Self::Count, Some(figure)) => format!("{figure:.0}"),
        }
    }
}

pub(crate) fn print_table(compared: &[Comparison]) {
    let is_measured =
        |column| compared.iter().any(|comparison| ROWS.iter().any(|(name, _)| comparison.get(column, name).is_some()));
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(column, _)| is_measured(*column)).collect();
    let heads: Vec<&str> = columns.iter().map(|(_, head)| *head).collect();
    println!("| road | figure | {} | ratio |", heads.join(" | "));
    println!("|---|---|{}---:|", "---:|".repeat(columns.len()));
    for comparison in compared {
        for (name, unit) in ROWS {
            if let Some(ratio) = comparison.ratio(KUBE, PINTLE_JSON, name) {
                let cells: Vec<String> =
                    columns.iter().map(|(column, _)| unit.show(comparison.get(*column, name))).collect();
                println!("| {} | {name} | {} | {ratio:.2} |", comparison.road, cells.join(" | "));
            }
        }
    }
}

/// One line for each figure that is followed over time: more is better for Pintle.
pub(crate) fn print_ratios(compared: &[Comparison]) {
    for comparison in compared {
        match (comparison.way, comparison.road) {
            (Way::Socket, road) => comparison.print_socket(road.name()),
            (Way::Process, Road::Controller) => comparison.print_controller(),
            (Way::Process, Road::Reflector) => comparison.print_all("plain"),
            (Way::Process, Road::Queue) => {
                comparison.print("queue-file", KUBE, PINTLE_JSON, "file");
                comparison.print("queue-take", KUBE, PINTLE_JSON, "take");
                comparison.print("queue-memory", KUBE, PINTLE_JSON, "memory");
            }
            (Way::Process, road) => comparison.print_all(road.name()),
        }
    }
}

impl Comparison {
    fn ratio(&self, theirs: Column, ours: Column, figure: &str) -> Option<f64> {
        Some(self.get(theirs, figure)? / self.get(ours, figure)?)
    }

    fn print_controller(&self) {
        self.print("sync-json-40", KUBE, PINTLE_JSON, "sync");
        self.print("sync-protobuf-40", KUBE, PINTLE, "sync");
        self.print("reconcile-first", KUBE, PINTLE_JSON, "first-reconcile");
        self.print("memory-steady", KUBE, PINTLE_JSON, "memory");
        self.print("event-json", KUBE, PINTLE_JSON, "event");
        self.print("event-protobuf", KUBE, PINTLE, "event");
        self.print("relist-json", KUBE, PINTLE_JSON, "relist");
        self.print("memory-relist-peak", KUBE, PINTLE_JSON, "relist-peak");
    }

    fn print_all(&self, name: &str) {
        for figure in ["sync", "event", "relist", "memory"] {
            self.print(&format!("{name}-{figure}"), KUBE, PINTLE_JSON, figure);
        }
        for figure in ["sync", "event"] {
            self.print(&format!("{name}-{figure}-protobuf"), KUBE, PINTLE, figure);
        }
    }

    /// Each side as it is by default: kube reads JSON, Pintle and controller-runtime read protobuf.
    fn print_socket(&self, road: &str) {
        for figure in ["sync", "first-reconcile", "event", "relist", "memory", "relist-peak"] {
            self.print(&format!("socket-{road}-{figure}"), KUBE, PINTLE, figure);
            self.print(&format!("client-go-{road}-{figure}"), CLIENT_GO, PINTLE, figure);
        }
    }

    fn print(&self, name: &str, theirs: Column, ours: Column, figure: &str) {
        if let Some(ratio) = self.ratio(theirs, ours, figure) {
            match self.kind {
                Kind::Pods => println!("ratio {name} {ratio:.2}"),
                kind => println!("ratio {}-{name} {ratio:.2}", kind.name()),
            }
        }
    }
}
