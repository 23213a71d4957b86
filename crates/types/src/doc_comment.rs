//! Descriptions as documentation: what an author wrote for people, so that rustdoc shows it and does nothing else with it.
//!
//! In: the description of a schema. Out: lines of Markdown without intra-doc links, HTML, bare addresses, headings that were
//! not meant, and above all without code blocks that `cargo test` would run. Text between fences stays as it is, marked
//! as text.

/// The lines of a description, each at most `width` characters where its words allow that.
pub(crate) fn lines(description: &str, width: usize) -> Vec<String> {
    let source: Vec<&str> = description.lines().collect();
    let mut lines = Lines { width, lines: Vec::new(), paragraph: String::new(), indent: 0 };
    let mut index = 0;
    while index < source.len() {
        let fence = fence_of(source[index]);
        let end = fence.and_then(|fence| (index + 1..source.len()).find(|&end| source[end].trim() == fence));
        if let Some(end) = end {
            lines.code(&source[index + 1..end]);
            index = end;
        } else {
            lines.prose(source[index]);
        }
        index += 1;
    }
    lines.end_paragraph();
    while lines.lines.last().is_some_and(String::is_empty) {
        lines.lines.pop();
    }
    lines.lines
}

struct Lines {
    width: usize,
    lines: Vec<String>,
    /// The paragraph so far, on one line.
    paragraph: String,
    /// How far the lines of the paragraph after its first are indented: the item of a list is.
    indent: usize,
}

impl Lines {
    fn prose(&mut self, line: &str) {
        // Four spaces would make it code.
        let text = line.trim();
        if text.is_empty() {
            self.end_paragraph();
            if self.lines.last().is_some_and(|last| !last.is_empty()) {
                self.lines.push(String::new());
            }
            return;
        }
        let marker = list_marker(text);
        if marker > 0 {
            self.end_paragraph();
            self.indent = marker;
        }
        let (marker, text) = text.split_at(marker);
        if !self.paragraph.is_empty() {
            self.paragraph.push(' ');
        }
        self.paragraph.push_str(marker);
        self.paragraph.push_str(&escaped(text));
    }

    fn code(&mut self, code: &[&str]) {
        self.end_paragraph();
        self.lines.push("```text".to_owned());
        self.lines.extend(code.iter().map(|line| line.trim_end().to_owned()));
        self.lines.push("```".to_owned());
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let indent = " ".repeat(std::mem::take(&mut self.indent));
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let is_full = line.chars().count() + 1 + word.chars().count() > self.width;
            if is_full && !line.is_empty() && !begins_block(word) {
                self.lines.push(std::mem::replace(&mut line, indent.clone()));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            self.lines.push(line);
        }
    }
}

/// Whether a word at the beginning of a line would make it something else than prose.
fn begins_block(word: &str) -> bool {
    list_marker(&format!("{word} ")) > 0 || word.starts_with(['#', '>', '|', '=', '+']) || word.starts_with("--")
}

/// How many characters the marker of a list item takes: `- `, `* `, `1. `.
fn list_marker(text: &str) -> usize {
    if text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") {
        return 2;
    }
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let is_numbered =
        (1..=9).contains(&digits) && (text[digits..].starts_with(". ") || text[digits..].starts_with(") "));
    if is_numbered { digits + 2 } else { 0 }
}

fn fence_of(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.trim().starts_with(fence))
}

/// A line of prose that means in Markdown what it meant without. Text between single backticks is code already.
fn escaped(line: &str) -> String {
    let is_paired = line.matches('`').count().is_multiple_of(2) && !line.contains("``");
    let mut text = String::new();
    let mut is_code = false;
    for (index, word) in line.split(' ').enumerate() {
        if index > 0 {
            text.push(' ');
        }
        match (!is_code).then(|| address(word)).flatten() {
            Some((before, address, after)) => {
                escape(before, is_paired, &mut is_code, &mut text);
                text.push_str(&format!("<{address}>"));
                escape(after, is_paired, &mut is_code, &mut text);
            }
            None => escape(word, is_paired, &mut is_code, &mut text),
        }
    }
    if text.starts_with(['#', '>', '|', '=']) || text.starts_with("---") || text.starts_with("~~~") {
        text.insert(0, '\\');
    }
    text
}

fn escape(word: &str, is_paired: bool, is_code: &mut bool, text: &mut String) {
    // Inside a word it is not emphasis.
    let is_emphasis = word.starts_with('_') || word.ends_with('_');
    for letter in word.chars() {
        match letter {
            '`' if is_paired => *is_code = !*is_code,
            '_' if !is_emphasis => {}
            '`' | '[' | ']' | '<' | '>' | '*' | '_' | '\\' if !*is_code => text.push('\\'),
            _ => {}
        }
        text.push(letter);
    }
}

/// A word with an address in it, in three parts.
fn address(word: &str) -> Option<(&str, &str, &str)> {
    let start = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme)).min()?;
    let (before, rest) = word.split_at(start);
    let end = rest.find(['<', '>', '"', '\'', '`', ')', ']', '\\', '|', '{', '}', '*']).unwrap_or(rest.len());
    let end = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']).len();
    let (address, after) = rest.split_at(end);
    let is_more_than_scheme = address.trim_end_matches('/').len() > "https:".len();
    is_more_than_scheme.then_some((before, address, after))
}

#[cfg(test)]
mod tests {
    use super::lines;

    fn check(description: &str, expected: &[&str]) {
        assert_eq!(lines(description, 40), expected, "{description}");
    }

    #[test]
    fn text_is_wrapped_by_paragraphs() {
        check("One two.", &["One two."]);
        check("One\ntwo.\n\n\nThree.\n", &["One two.", "", "Three."]);
        check(
            "A sentence that is longer than forty characters is wrapped.",
            &["A sentence that is longer than forty", "characters is wrapped."],
        );
        check("", &[]);
    }

    #[test]
    fn nothing_becomes_a_code_block_that_is_run() {
        check("An example:\n\n    let x = 1;\n\tlet y = 2;", &["An example:", "", "let x = 1; let y = 2;"]);
        check("```\nlet x = 1;\n  indented\n```\nend", &["```text", "let x = 1;", "  indented", "```", "end"]);
        check("```rust\nfn main() {}\n```", &["```text", "fn main() {}", "```"]);
        check("``` <quantity> ::= 1 ```", &["\\`\\`\\` \\<quantity\\> ::= 1 \\`\\`\\`"]);
        check("```\nnever closed", &["\\`\\`\\` never closed"]);
    }

    #[test]
    fn nothing_becomes_a_link_a_tag_or_a_heading() {
        check("items[0] of Vec<T>", &["items\\[0\\] of Vec\\<T\\>"]);
        check("`items[0]` of `Vec<T>`", &["`items[0]` of `Vec<T>`"]);
        check("see https://a.example/b_c.", &["see <https://a.example/b_c>."]);
        check("(https://a.example)", &["(<https://a.example>)"]);
        check("https://", &["https://"]);
        check("# not a heading", &["\\# not a heading"]);
        check("*bold* some_name _it_", &["\\*bold\\* some_name \\_it\\_"]);
        check("an odd ` backtick", &["an odd \\` backtick"]);
    }

    #[test]
    fn lists_stay_lists_and_their_lines_are_indented() {
        check(
            "One of:\n- the first, which needs more than one line\n- second\n  goes on\n\n1. numbered",
            &["One of:", "- the first, which needs more than one", "  line", "- second goes on", "", "1. numbered"],
        );
        // A line that is wrapped does not begin one.
        check("a word and then another one, which is -1 - 2", &["a word and then another one, which is -1 -", "2"]);
    }
}
