//! Prints what was measured.

use crate::compare::Comparison;
use crate::road::Road;

/// The figures in the order of what happens, and what each is counted in.
const ROWS: [(&str, Unit); 10] = [
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
];

#[derive(Clone, Copy)]
enum Unit {
    Microseconds,
    Kilobytes,
    Count,
}

impl Unit {
    fn show(self, figure: Option<f64>) -> String {
        match (self, figure) {
            (_, None) => "-".to_owned(),
            (Self::Microseconds, Some(figure)) => format!("{figure:.1} µs"),
            (Self::Kilobytes, Some(figure)) => format!("{:.1} KB", figure / 1e3),
            (Self::Count, Some(figure)) => format!("{figure:.0}"),
        }
    }
}

pub(crate) fn print_table(compared: &[Comparison]) {
    println!("| road | figure | kube | pintle | pintle, protobuf | ratio |");
    println!("|---|---|---:|---:|---:|---:|");
    for comparison in compared {
        let Comparison { road, kube, pintle, pintle_protobuf } = comparison;
        for (name, unit) in ROWS {
            if let Some(ratio) = comparison.ratio(name) {
                let [kube, pintle, protobuf] = [kube, pintle, pintle_protobuf].map(|side| unit.show(side.get(name)));
                println!("| {road} | {name} | {kube} | {pintle} | {protobuf} | {ratio:.2} |");
            }
        }
    }
}

/// One line for each figure that is followed over time: more is better for Pintle.
pub(crate) fn print_ratios(compared: &[Comparison]) {
    for comparison in compared {
        match comparison.road {
            Road::Controller => {
                comparison.print("sync-json-40", "sync");
                comparison.print_protobuf("sync-protobuf-40", "sync");
                comparison.print("reconcile-first", "first-reconcile");
                comparison.print("memory-steady", "memory");
                comparison.print("event-json", "event");
                comparison.print_protobuf("event-protobuf", "event");
                comparison.print("relist-json", "relist");
                comparison.print("memory-relist-peak", "relist-peak");
            }
            Road::Watcher => comparison.print_all("watcher"),
            Road::Reflector => comparison.print_all("plain"),
            Road::Reflect => comparison.print_all("reflect"),
        }
    }
}

impl Comparison {
    fn ratio(&self, figure: &str) -> Option<f64> {
        Some(self.kube.get(figure)? / self.pintle.get(figure)?)
    }

    fn print_all(&self, name: &str) {
        for figure in ["sync", "event", "relist", "memory"] {
            self.print(&format!("{name}-{figure}"), figure);
        }
        for figure in ["sync", "event"] {
            self.print_protobuf(&format!("{name}-{figure}-protobuf"), figure);
        }
    }

    fn print(&self, name: &str, figure: &str) {
        if let Some(ratio) = self.ratio(figure) {
            println!("ratio {name} {ratio:.2}");
        }
    }

    fn print_protobuf(&self, name: &str, figure: &str) {
        if let (Some(kube), Some(pintle)) = (self.kube.get(figure), self.pintle_protobuf.get(figure)) {
            println!("ratio {name} {:.2}", kube / pintle);
        }
    }
}
