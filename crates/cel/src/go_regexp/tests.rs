//! What Go makes of patterns, as its own engine answered.

use super::*;

/// Whether Go's engine finds `pattern` in `text`.
fn finds(pattern: &str, text: &str) -> bool {
    compile(pattern).unwrap_or_else(|why| panic!("{pattern}: {why}")).is_match(text.as_bytes())
}

#[test]
fn what_go_reads_otherwise_than_rust_matches_as_in_go() {
    for (pattern, matching, other) in [
        // Digits, words and spaces are of ASCII.
        (r"^\d+$", "12", "١٢"),
        (r"^\w$", "a", "é"),
        (r"^[\w.]+$", "a.b", "é"),
        (r"^\s$", " ", "\u{a0}"),
        (r"^\S$", "\u{a0}", " "),
        (r"^[^\D]$", "7", "x"),
        (r"\bx\b", "éxé", "axa"),
        // A brace that counts nothing, and brackets within brackets.
        (r"^{.*}$", "{a}", "a"),
        (r"^a{,2}$", "a{,2}", "aa"),
        (r"^a{01}$", "a{01}", "a"),
        (r"^[a[]+$", "a[", "b"),
        (r"^[[:alpha:][]+$", "a[", "1"),
        (r"^[a&&b]+$", "a&b", "-"),
        (r"^[+--]+$", "+,-", "a"),
        (r"^[[:word]+$", "[:w", "x"),
        (r"^[]a]+$", "]a", "b"),
        (r"^[a-z\-_.]+$", "a-_.", "A"),
        // Marks may be escaped, all of them.
        (r"^\<\>\_\-\/\@\%$", "<>_-/@%", ""),
        (r"^\Qa.b\E+$", "a.bb", "aab"),
        (r"^\x41\x{42}\103\0$", "ABC\0", "ABC"),
        (r"^(?i)abc$", "ABC", "ab"),
        (r"^(?P<one>a)(?<two>b)$", "ab", "a"),
        (r"^(?)a$", "a", "b"),
        (r"^[^a]$", "\n", "a"),
        (r"^\p{Greek}\pL\P{Lu}\p{^Lu}$", "αaaa", "αaaA"),
        (r"^\p{uppercase letter}\p{digit}\P{Cs}$", "A1x", "a1x"),
        // Surrogates are in no text.
        (r"^(\x{d800}|[\x{d800}]|\p{Cs}|a)$", "a", "\u{e000}"),
        (r"^[a-\x{dfff}]$", "\u{d7ff}", "\u{e000}"),
        // Flags: twice, and between something and its repetition, which is then a repetition of all before them.
        (r"^(?ii)a(?-i)b$", "Ab", "AB"),
        (r"^a(?i){2}b$", "aaB", "AaB"),
        (r"^(?:ab?(?s)*)$", "abb", "aab"),
        (r"^(?:(?P<1>a)(?P<1>b))$", "ab", "a"),
    ] {
        assert!(finds(pattern, matching), "{pattern} does not match {matching:?}");
        assert!(!finds(pattern, other), "{pattern} matches {other:?}");
    }
}

#[test]
fn what_go_refuses_is_refused_in_its_words() {
    for (pattern, why) in [
        ("(", "missing closing ): `(`"),
        ("a)b", "unexpected ): `a)b`"),
        ("[a-", "missing closing ]: `[a-`"),
        ("x[z-a]", "invalid character class range: `z-a`"),
        ("[a--]", "invalid character class range: `a--`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("(|+?)", "missing argument to repetition operator: `+?`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{2}*?", "invalid nested repetition operator: `{2}*?`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        ("(a{100}){11}", "invalid repeat count: `{11}`"),
        (r"\y", r"invalid escape sequence: `\y`"),
        (r"\1", r"invalid escape sequence: `\1`"),
        (r"\xg0", r"invalid escape sequence: `\xg0`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
        ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
        ("(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"),
        (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
        // What only Rust knows: other properties, short names; and what Go misses in its own table.
        (r"\p{Alphabetic}", r"invalid character class range: `\p{Alphabetic}`"),
        (r"\p{Grek}", r"invalid character class range: `\p{Grek}`"),
        (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
        ("[[:]a[:b:]", "invalid character class range: `[:]a[:b:]`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"a?(?s)**", "invalid nested repetition operator: `**`"),
    ] {
        let refusal = compile(pattern).map(|_| ()).expect_err(pattern);
        assert_eq!(refusal, format!("error parsing regexp: {why}"), "{pattern}");
    }
}

#[test]
fn repetitions_take_as_much_or_as_little_as_in_go() {
    for (pattern, text, part) in [
        ("(?U)a+", "aaa", "a"),
        ("(?U)a+?", "aaa", "aaa"),
        ("a(?U)+", "aaa", "a"),
        ("(?U:a+)a+", "aaaa", "aaaa"),
        ("((?U)a+)a*b", "aab", "aab"),
        ("(?U)(?-U:a+)", "aaa", "aaa"),
    ] {
        let found = compile(pattern).unwrap().find(text.as_bytes()).map(|part| part.as_bytes().to_owned());
        assert_eq!(found.as_deref(), Some(part.as_bytes()), "{pattern}");
    }
}

#[test]
fn nothing_is_found_within_a_character() {
    let pattern = compile("b*").unwrap();
    let found: Vec<_> = find_all(&pattern, "é世b").map(|part| part.start()..part.end()).collect();
    assert_eq!(found, [0..0, 2..2, 5..6]);
}
