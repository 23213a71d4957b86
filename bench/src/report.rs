//! Prints what was measured.

use crate::arguments::Way;
use crate::compare::{CLIENT_GO, CLIENT_GO_JSON, Column, Comparison, KUBE, PINTLE, PINTLE_JSON};
use crate::objects::Kind;
use crate::road::Road;

/// The figures in the order of what happens, and what each is counted in.
const ROWS: [(&str, Unit); 27] = [
    ("start", Unit::Milliseconds),
    ("wall", Unit::Milliseconds),
    ("file", Unit::Microseconds),
    ("take", Unit::Microseconds),
    ("sync", Unit::Microseconds),
    ("sync-allocations", Unit::Count),
    ("first-reconcile", Unit::Microseconds),
    ("first-reconcile-allocations", Unit::Count),
    ("sync-and-reconcile", Unit::Microseconds),
    ("memory", Unit::Kilobytes),
    ("sync-peak", Unit::Kilobytes),
    ("event", Unit::Microseconds),
    ("event-allocations", Unit::Count),
    ("relist", Unit::Microseconds),
    ("relist-allocations", Unit::Count),
    ("relist-peak", Unit::Kilobytes),
    ("get", Unit::Microseconds),
    ("get-again", Unit::Microseconds),
    ("get-hot", Unit::Microseconds),
    ("get-often", Unit::Microseconds),
    ("visit", Unit::Microseconds),
    ("state", Unit::Microseconds),
    ("state-again", Unit::Microseconds),
    ("add-indexes", Unit::Microseconds),
    ("index", Unit::Microseconds),
    ("index-few", Unit::Microseconds),
    ("index-few-allocations", Unit::Count),
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
            if columns.iter().any(|(column, _)| comparison.get(*column, name).is_some()) {
                let cells: Vec<String> =
                    columns.iter().map(|(column, _)| unit.show(comparison.get(*column, name))).collect();
                let ratio = [PINTLE_JSON, PINTLE].into_iter().find_map(|ours| comparison.ratio(KUBE, ours, name));
                let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
                println!("| {} | {name} | {} | {ratio} |", comparison.road, cells.join(" | "));
            }
        }
    }
}

/// One line for each figure that is followed over time: more is better for Pintle.
pub(crate) fn print_ratios(compared: &[Comparison]) {
    for comparison in compared {
        match (comparison.way, comparison.road) {
            (Way::Socket | Way::Server, road) => comparison.print_from_afar(road.name()),
            (Way::Process, Road::Controller) => comparison.print_controller(),
            (Way::Process, Road::Reflector) => {
                comparison.print_all("plain");
                comparison.print_reads();
            }
            (Way::Process, road @ (Road::Queue | Road::WorkQueue)) => comparison.print_queue(road.name()),
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
        // One decodes when an object comes, the other when it is reconciled: only the sum can be compared.
        self.print("reconcile-first", KUBE, PINTLE_JSON, "sync-and-reconcile");
        self.print("reconcile-first-protobuf", KUBE, PINTLE, "sync-and-reconcile");
        self.print("memory-steady", KUBE, PINTLE_JSON, "memory");
        self.print("event-json", KUBE, PINTLE_JSON, "event");
        self.print("event-protobuf", KUBE, PINTLE, "event");
        self.print("relist-json", KUBE, PINTLE_JSON, "relist");
        self.print("relist-protobuf", KUBE, PINTLE, "relist");
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

    /// Objects of a store by their names, all of them, and by an index.
    fn print_reads(&self) {
        for figure in
            ["get", "get-again", "get-hot", "get-often", "visit", "state", "state-again", "index", "index-few"]
        {
            self.print(&format!("read-{figure}"), KUBE, PINTLE_JSON, figure);
        }
    }

    fn print_queue(&self, name: &str) {
        for figure in ["file", "take", "memory"] {
            if let Some(ratio) = self.ratio(KUBE, PINTLE_JSON, figure) {
                println!("ratio {name}-{figure} {ratio:.2}");
            }
        }
    }

    /// Each side as it is by default: kube reads JSON, Pintle and controller-runtime read protobuf.
    fn print_from_afar(&self, road: &str) {
        let way = self.way.name();
        let client_go = if self.way == Way::Server { "server-client-go" } else { "client-go" };
        let figures =
            ["wall", "sync", "first-reconcile", "sync-and-reconcile", "event", "relist", "memory", "relist-peak"];
        for figure in figures {
            self.print(&format!("{way}-{road}-{figure}"), KUBE, PINTLE, figure);
            self.print(&format!("{client_go}-{road}-{figure}"), CLIENT_GO, PINTLE, figure);
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
