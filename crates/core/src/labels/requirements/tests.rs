//! The whole grammar: read, written, matched.

use std::collections::BTreeSet;

use super::*;
use crate::seeded::Walk;

fn parse(text: &str) -> Requirements {
    text.parse().unwrap()
}

fn check(text: &str, labels: &[(&str, &str)], expected: bool) {
    let requirements = parse(text);
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    assert_eq!(requirements.matches(&labels), expected, "{text} on {labels:?}");
    assert_eq!(parse(&requirements.to_string()), requirements, "{text} reads back");
}

#[test]
fn the_whole_grammar_selects() {
    check("", &[], true);
    check("a=b,c!=d,e in (f,g),h notin (i),j,!k", &[("a", "b"), ("e", "g"), ("j", "")], true);
    check("cores>4", &[("cores", "5")], true);
    check("cores > 4", &[("cores", "4")], false);
    check("cores<4", &[("cores", "3")], true);
    check("cores<4", &[("cores", "4")], false);
    check("cores>4", &[], false);
    check("cores>4", &[("cores", "many")], false);
    check("cores>4,cores<8", &[("cores", "6")], true);
    check("example.com/cores>9223372036854775806", &[("example.com/cores", "9223372036854775807")], true);
}

#[test]
fn what_no_label_can_be_is_refused_by_name() {
    for (text, said) in [
        ("a>b", "a whole number is expected"),
        ("a>", "a whole number is expected"),
        ("a>9223372036854775808", "a whole number is expected"),
        ("a>-1", "is not a label value"),
        ("-a", "is not a label key"),
        ("a/b/c", "is not a label key"),
        ("Upper.example/a", "prefix is not a DNS subdomain"),
        ("example.com/", "the name is empty"),
        ("/a", "prefix is not a DNS subdomain"),
        ("a=b_", "is not a label value"),
        ("a in (b,ä)", "is not a label value"),
        ("a=b c", "expected ','"),
    ] {
        let error = text.parse::<Requirements>().unwrap_err().to_string();
        assert!(error.contains(said), "{text:?}: {error}");
    }
    let long = format!("{}=b", "a".repeat(64));
    assert!(long.parse::<Requirements>().unwrap_err().to_string().contains("63"));
}

#[test]
fn kubes_selector_is_a_part_of_it() {
    let selector: Selector = "a=b,c in (d),!e".parse().unwrap();
    let requirements = Requirements::from(selector.clone());
    assert_eq!(requirements.to_string(), selector.to_string());
    assert_eq!(Selector::try_from(requirements).unwrap(), selector);
    let error = Selector::try_from(parse("a>1")).unwrap_err();
    assert!(error.to_string().contains("a>1"), "{error}");
}

#[test]
fn what_is_written_reads_back_and_selects_the_same() {
    let words = ["a", "b", "in", "notin", "x-y_z.0", "5", "12", "example.com/k"];
    for seed in 0..5_000_u64 {
        let mut walk = Walk::new(seed);
        let written: Requirements = (0..walk.below(4)).map(|_| requirement(&words, &mut walk)).collect();
        let read: Requirements = written.to_string().parse().unwrap();
        assert_eq!(read, written, "seed {seed}");
        let labels: BTreeMap<_, _> =
            (0..walk.below(4)).map(|_| (walk.one_of(&words).to_owned(), walk.one_of(&words[..7]).to_owned())).collect();
        assert_eq!(read.matches(&labels), written.matches(&labels), "seed {seed}");
    }
}

fn requirement(words: &[&str; 8], walk: &mut Walk) -> Requirement {
    let key = walk.one_of(words).to_owned();
    // The last word is not a value.
    let mut value = || walk.one_of(&words[..7]).to_owned();
    let (one, values) = (value(), BTreeSet::from([value(), value()]));
    let bound = i64::try_from(walk.below(100)).unwrap();
    match walk.below(8) {
        0 => Expression::In(key, values).into(),
        1 => Expression::NotIn(key, values).into(),
        2 => Expression::Equal(key, one).into(),
        3 => Expression::NotEqual(key, one).into(),
        4 => Expression::Exists(key).into(),
        5 => Expression::DoesNotExist(key).into(),
        6 => Requirement::GreaterThan(key, bound),
        _ => Requirement::LessThan(key, bound),
    }
}
