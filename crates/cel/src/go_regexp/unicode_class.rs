//! Classes of Unicode in Go's patterns, such as `\pL` and `\p{Greek}`.
//!
//! Rust's engine knows all the names that Go does, and more: other properties and short names of scripts, which Go refuses.
//! Blanks, `_`, `-` and capitals in a name count for neither. Scripts whose names are of several words Go (1.26) refuses, too: it
//! looks them up without the `_` that its own table has.

use super::Error;

/// A class that begins here, and what follows it.
pub(super) fn translate(text: &str) -> Result<(String, &str), Error> {
    let wrong = |place: &str| Err(Error::new("invalid character class range", place));
    let Some(first) = text[2..].chars().next() else { return wrong(text) };
    let length = if first == '{' {
        match text.find('}') {
            Some(end) => end + 1,
            None => return wrong(text),
        }
    } else {
        2 + first.len_utf8()
    };
    let (class, rest) = text.split_at(length);
    let name = class[2..].strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(&class[2..]);
    let (name, is_turned) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let name: String = name.chars().filter(|letter| !" _-".contains(*letter)).collect::<String>().to_ascii_lowercase();
    let is_known = [SETS, CATEGORIES, CATEGORY_ALIASES, SCRIPTS].iter().any(|names| names.contains(&name.as_str()));
    if !is_known {
        return wrong(class);
    }
    let is_negated = class.starts_with(r"\P") != is_turned;
    let class = match (name.as_str(), is_negated) {
        // No text has surrogates, and Rust's engine does not know them.
        ("cs" | "surrogate", false) => NOTHING.to_owned(),
        ("cs" | "surrogate", true) => r"\p{any}".to_owned(),
        (name, false) => format!(r"\p{{{name}}}"),
        (name, true) => format!(r"\P{{{name}}}"),
    };
    Ok((class, rest))
}

/// A class without members.
pub(super) const NOTHING: &str = r"\P{any}";

const SETS: &[&str] = &["any", "ascii", "assigned"];

const CATEGORIES: &[&str] = &[
    "c", "cc", "cf", "cn", "co", "cs", "l", "lc", "ll", "lm", "lo", "lt", "lu", "m", "mc", "me", "mn", "n", "nd", "nl",
    "no", "p", "pc", "pd", "pe", "pf", "pi", "po", "ps", "s", "sc", "sk", "sm", "so", "z", "zl", "zp", "zs",
];

const CATEGORY_ALIASES: &[&str] = &[
    "casedletter",
    "closepunctuation",
    "combiningmark",
    "connectorpunctuation",
    "control",
    "currencysymbol",
    "dashpunctuation",
    "decimalnumber",
    "enclosingmark",
    "finalpunctuation",
    "format",
    "initialpunctuation",
    "letter",
    "letternumber",
    "lineseparator",
    "lowercaseletter",
    "mark",
    "mathsymbol",
    "modifierletter",
    "modifiersymbol",
    "nonspacingmark",
    "number",
    "openpunctuation",
    "other",
    "otherletter",
    "othernumber",
    "otherpunctuation",
    "othersymbol",
    "paragraphseparator",
    "privateuse",
    "punctuation",
    "separator",
    "spaceseparator",
    "spacingmark",
    "surrogate",
    "symbol",
    "titlecaseletter",
    "unassigned",
    "uppercaseletter",
    "cntrl",
    "digit",
    "punct",
];

const SCRIPTS: &[&str] = &[
    "adlam",
    "ahom",
    "arabic",
    "armenian",
    "avestan",
    "balinese",
    "bamum",
    "batak",
    "bengali",
    "bhaiksuki",
    "bopomofo",
    "brahmi",
    "braille",
    "buginese",
    "buhid",
    "carian",
    "chakma",
    "cham",
    "cherokee",
    "chorasmian",
    "common",
    "coptic",
    "cuneiform",
    "cypriot",
    "cyrillic",
    "deseret",
    "devanagari",
    "dogra",
    "duployan",
    "elbasan",
    "elymaic",
    "ethiopic",
    "georgian",
    "glagolitic",
    "gothic",
    "grantha",
    "greek",
    "gujarati",
    "gurmukhi",
    "han",
    "hangul",
    "hanunoo",
    "hatran",
    "hebrew",
    "hiragana",
    "inherited",
    "javanese",
    "kaithi",
    "kannada",
    "katakana",
    "kawi",
    "kharoshthi",
    "khmer",
    "khojki",
    "khudawadi",
    "lao",
    "latin",
    "lepcha",
    "limbu",
    "lisu",
    "lycian",
    "lydian",
    "mahajani",
    "makasar",
    "malayalam",
    "mandaic",
    "manichaean",
    "marchen",
    "medefaidrin",
    "miao",
    "modi",
    "mongolian",
    "mro",
    "multani",
    "myanmar",
    "nabataean",
    "nandinagari",
    "newa",
    "nko",
    "nushu",
    "ogham",
    "oriya",
    "osage",
    "osmanya",
    "palmyrene",
    "phoenician",
    "rejang",
    "runic",
    "samaritan",
    "saurashtra",
    "sharada",
    "shavian",
    "siddham",
    "sinhala",
    "sogdian",
    "soyombo",
    "sundanese",
    "syriac",
    "tagalog",
    "tagbanwa",
    "takri",
    "tamil",
    "tangsa",
    "tangut",
    "telugu",
    "thaana",
    "thai",
    "tibetan",
    "tifinagh",
    "tirhuta",
    "toto",
    "ugaritic",
    "vai",
    "vithkuqi",
    "wancho",
    "yezidi",
    "yi",
];
