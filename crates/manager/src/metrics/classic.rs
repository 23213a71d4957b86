//! OpenMetrics text, told in the classic text format 0.0.4, which every scraper reads.
//!
//! In: what the Prometheus library writes. Out: the same numbers. What differs: counters are described under the name that
//! their samples have, some types have other names, and units, exemplars and the end mark do not exist.

/// The same in the classic format.
pub(super) fn from_open_metrics(text: &str) -> String {
    let mut classic = String::with_capacity(text.len());
    // The help of a family comes before its type, and is written under the name that the type decides.
    let mut help = None;
    for line in text.lines() {
        match line.split_once(' ').filter(|(mark, _)| *mark == "#").and_then(|(_, rest)| rest.split_once(' ')) {
            Some(("HELP", rest)) => help = rest.split_once(' ').map(|(_, help)| help),
            Some(("TYPE", rest)) => {
                let Some((name, kind)) = rest.split_once(' ') else { continue };
                let (name, kind) = classic_type(name, kind);
                if let Some(help) = help.take().filter(|help| !help.is_empty()) {
                    push(&mut classic, &["# HELP ", &name, " ", help]);
                }
                push(&mut classic, &["# TYPE ", &name, " ", kind]);
            }
            // Units, and the end.
            Some(_) => {}
            None if line.starts_with('#') => {}
            None => push(&mut classic, &[without_exemplar(line)]),
        }
    }
    classic
}

fn push(text: &mut String, parts: &[&str]) {
    text.extend(parts.iter().copied());
    text.push('\n');
}

fn classic_type<'a>(name: &str, kind: &'a str) -> (String, &'a str) {
    match kind {
        "counter" => (format!("{name}_total"), kind),
        "info" => (format!("{name}_info"), "gauge"),
        "unknown" => (name.to_owned(), "untyped"),
        _ => (name.to_owned(), kind),
    }
}

/// A sample without what comes behind ` # `, unless that stands in a label.
fn without_exemplar(line: &str) -> &str {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, letter) in line.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '#' if !is_quoted => return line[..at].trim_end(),
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_named_as_their_samples_and_units_exemplars_and_the_end_are_left_out() {
        let text = concat!(
            "# HELP calls Calls.\n# TYPE calls counter\n",
            "calls_total{path=\"a # b\\\"} #\"} 1 # {trace=\"x\"} 1.0\n",
            "# HELP took_seconds How long.\n# TYPE took_seconds histogram\n# UNIT took_seconds seconds\n",
            "took_seconds_sum 1.5\ntook_seconds_bucket{le=\"+Inf\"} 1\n",
            "# HELP build Build.\n# TYPE build info\nbuild_info{version=\"1\"} 1\n",
            "# HELP odd Odd.\n# TYPE odd unknown\nodd 3\n# EOF\n",
        );
        let expected = concat!(
            "# HELP calls_total Calls.\n# TYPE calls_total counter\n",
            "calls_total{path=\"a # b\\\"} #\"} 1\n",
            "# HELP took_seconds How long.\n# TYPE took_seconds histogram\n",
            "took_seconds_sum 1.5\ntook_seconds_bucket{le=\"+Inf\"} 1\n",
            "# HELP build_info Build.\n# TYPE build_info gauge\nbuild_info{version=\"1\"} 1\n",
            "# HELP odd Odd.\n# TYPE odd untyped\nodd 3\n",
        );
        assert_eq!(from_open_metrics(text), expected);
    }
}
