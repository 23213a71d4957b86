//! The plural of a kind, as used in URLs.
//!
//! In: a kind in lower case. Out: its regular English plural, by the rules kube uses, so that the definitions of
//! both have the same name. The user sets irregular plurals (`plural = "…"`).

/// The regular plural of a word in lower case.
pub(crate) fn plural_of(word: &str) -> String {
    let takes_es = ["s", "x", "z", "ch", "sh"].iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix('y') {
        _ if takes_es => format!("{word}es"),
        Some(stem) if stem.ends_with(is_consonant) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

fn is_consonant(letter: char) -> bool {
    letter.is_ascii_alphabetic() && !"aeiou".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::plural_of;

    #[test]
    fn plurals_are_those_of_kube() {
        let cases = [
            ("document", "documents"),
            ("box", "boxes"),
            ("bus", "buses"),
            ("buzz", "buzzes"),
            ("church", "churches"),
            ("mesh", "meshes"),
            ("policy", "policies"),
            ("day", "days"),
            ("hero", "heros"),
            ("leaf", "leafs"),
            ("foos", "fooses"),
            ("httproute", "httproutes"),
        ];
        for (word, plural) in cases {
            assert_eq!(plural_of(word), plural);
        }
    }
}
