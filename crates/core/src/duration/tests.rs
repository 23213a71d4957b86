//! Spans of time against what kube 5 and Go make of them.

use super::*;

fn parse(text: &str) -> Duration {
    text.parse().unwrap()
}

#[test]
fn spans_are_read_and_written() {
    for (text, written) in [
        ("1h", "3600s"),
        ("0", "0ns"),
        ("-0s", "0ns"),
        ("", "0ns"),
        ("+1s", "1s"),
        ("-1.5h", "-5400s"),
        ("1h2m3.5s", "3723.5s"),
        ("1.s", "1s"),
        (".5s", "500ms"),
        ("1ms", "1ms"),
        ("1us", "1µs"),
        ("1µs", "1µs"),
        ("1μs", "1µs"),
        ("1500ns", "1.5µs"),
        ("1m1m", "120s"),
        ("2562047h47m16.854775807s", "9223372036.854775807s"),
        ("0.1h0.0000000000000000000001h", "360s"),
    ] {
        assert_eq!(parse(text).to_string(), written, "{text:?}");
        assert_eq!(parse(written), parse(text), "{written} reads back");
        let json = serde_json::to_string(&parse(text)).unwrap();
        assert_eq!(json, format!("{written:?}"));
        assert_eq!(serde_json::from_str::<Duration>(&json).unwrap(), parse(text));
    }
}

#[test]
fn text_that_is_not_a_duration_is_an_error() {
    let error = |text: &str| text.parse::<Duration>().unwrap_err();
    assert_eq!(error("1"), ParseError::NoUnit);
    assert_eq!(error("1x"), ParseError::InvalidUnit);
    assert_eq!(error("1e3s"), ParseError::InvalidUnit);
    for wrong in ["h", ".s", "1h 2m", "1.2.3s", "--1s", " 1s", "x"] {
        let error = error(wrong);
        assert!(matches!(error, ParseError::NotANumber(_) | ParseError::InvalidUnit), "{wrong:?}: {error:?}");
    }
    assert!(serde_json::from_str::<Duration>("5").unwrap_err().to_string().contains("as Go writes it"));
}

#[test]
fn what_does_not_fit_is_the_longest_span() {
    assert_eq!(parse(&format!("{}h", "9".repeat(60))), time::Duration::MAX);
}

#[test]
fn spans_have_a_sign_and_an_order() {
    assert!(parse("-1s").is_negative() && !parse("-0s").is_negative());
    assert!(parse("-2s") < parse("-1s") && parse("-1s") < parse("0") && parse("1s") < parse("1m"));
    let second = time::Duration::from_secs(1);
    assert!(parse("1s") == second && second == parse("1s") && parse("-1s") != second && parse("-1s") < second);
    assert_eq!(time::Duration::from(parse("-1s")), second);
}
