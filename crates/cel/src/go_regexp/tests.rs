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
    ] {
        let refusal = compile(pattern).map(|_| ()).expect_err(pattern);
        assert_eq!(refusal, format!("error parsing regexp: {why}"), "{pattern}");
    }
}
