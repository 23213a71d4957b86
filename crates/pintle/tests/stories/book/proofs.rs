//! Whether each paragraph of a page has its proof beside it: a program that is compiled, a check of this repository (`cargo xtask …`), a
//! program of the course, or the names of tests after "Shown by".
//!
//! A page is a row of blocks (headings, code, prose; a list and a table are one block each), and a block of prose is proven if
//!
//! - it names tests or links to a program of the course;
//! - a program or check stands directly before or after it, or the next block names tests;
//! - the tests of its section stand in a paragraph of their own further down, with nothing proven in between;
//! - it introduces a list, a table or some text, and that is proven;
//! - it is one sentence that introduces what a reader types or writes, or says that nothing proves what follows.
//!
//! The first paragraph of a page says what the page is about. Pictures and tables in which every row is a link claim nothing.

const PROGRAM: &str = "```rust";
const CHECK: &str = "cargo xtask ";
const NOTHING: &str = "Our tests do not run this section.";
const COURSE: &str = "../examples/course/";
const TESTS: &str = "Shown by ";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Block<'a> {
    Heading,
    Code(&'a str),
    Prose(&'a str),
}

impl Block<'_> {
    fn is_program(self) -> bool {
        matches!(self, Block::Code(text) if text.starts_with(PROGRAM) || text.contains(CHECK))
    }

    fn is_proof(self) -> bool {
        let proofs = [TESTS, COURSE, CHECK, NOTHING];
        self.is_program() || matches!(self, Block::Prose(text) if proofs.iter().any(|proof| text.contains(proof)))
    }

    fn is_list_or_table(self) -> bool {
        matches!(self, Block::Prose(text) if text.starts_with(['|', '-']) || text.starts_with(|it: char| it.is_ascii_digit()))
    }
}

/// The paragraphs of a page that nothing proves, by their first line.
pub(super) fn unproven(page: &str) -> Vec<&str> {
    let blocks = blocks(page);
    let title_and_lead = 2;
    let first_line = |at: usize| match blocks[at] {
        Block::Prose(text) if !is_proven(&blocks, at) => text.lines().next(),
        _ => None,
    };
    (title_and_lead..blocks.len()).filter_map(first_line).collect()
}

fn is_proven(blocks: &[Block<'_>], at: usize) -> bool {
    let Block::Prose(text) = blocks[at] else { return blocks[at].is_proof() };
    let section = blocks[at + 1..].split(|block| *block == Block::Heading).next().unwrap_or_default();
    let next = section.first().copied().unwrap_or(Block::Heading);
    let first_proof = section.iter().find(|block| block.is_proof());
    let introduces = text.ends_with(':') || next.is_list_or_table();
    text.starts_with("![")
        || is_table_of_links(text)
        || blocks[at].is_proof()
        || blocks[at - 1].is_program()
        || next.is_proof()
        || matches!(first_proof, Some(Block::Prose(tests)) if tests.starts_with(TESTS))
        || match next {
            Block::Prose(_) if introduces => is_proven(blocks, at + 1),
            // What nobody compiles.
            Block::Code(_) if introduces => {
                !text.contains(". ") || section.get(1).is_some_and(|block| block.is_proof())
            }
            _ => false,
        }
}

fn is_table_of_links(text: &str) -> bool {
    text.starts_with('|') && text.lines().skip(2).all(|row| row.contains("]("))
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut rest, mut at) = (page, 0);
    while at < rest.len() {
        let line = rest[at..].lines().next().unwrap_or_default();
        let end = at + line.len();
        if line.starts_with("```") || line.starts_with('#') || line.trim().is_empty() {
            push_prose(&mut blocks, &rest[..at]);
            let block_end = if line.starts_with("```") {
                let close = rest[end..].find("\n```").map_or(rest.len(), |close| end + close + "\n```".len());
                blocks.push(Block::Code(&rest[at..close]));
                close
            } else {
                blocks.extend(line.starts_with('#').then_some(Block::Heading));
                end
            };
            (rest, at) = (rest.get(block_end + 1..).unwrap_or_default(), 0);
        } else {
            at = (end + 1).min(rest.len());
        }
    }
    push_prose(&mut blocks, rest);
    blocks
}

fn push_prose<'a>(blocks: &mut Vec<Block<'a>>, text: &'a str) {
    let text = text.trim_end();
    blocks.extend((!text.is_empty()).then_some(Block::Prose(text)));
}

#[test]
fn a_claim_without_a_test_or_program_beside_it_is_found() {
    let page =
        |body: &str| format!("# Page\n\nWhat it is about.\n\n## Section\n\n{body}\n\n## Another\n\nShown by `t`.\n");
    for proven in [
        "It does this.\nShown by `t`.",
        "It does this.\n\nAnd that.\n\nShown by `t`.",
        "It does this:\n\n```rust\nlet a = 1;\n```\n\nAnd returns 1.",
        "It does these:\n\n- one\n- two\n\nShown by `t`.",
        "In two ways\n\n| a | b |\n|---|---|\n| c | d |\n\nAnd more.\nShown by `t`.",
        "See [it](../examples/course/src/a.rs).",
        "| a | b |\n|---|---|\n| c | [d](d.md) |",
        "It does this. A file:\n\n```yaml\na: 1\n```\n\nShown by `t`.",
        "Type this:\n\n```console\n$ a\n```",
        "It does this.\n\n```console\n$ cargo xtask soak\n```",
    ] {
        assert_eq!(unproven(&page(proven)), Vec::<&str>::new(), "{proven}");
    }
    for (gap, line) in [
        ("It does this.", "It does this."),
        ("It does this.\nShown by `t`.\n\nAnd that.", "And that."),
        ("It does this.\n\nAnd that.\n\nAnd more.\nShown by `t`.", "It does this."),
        ("```text\na\n```\n\nIt does this.", "It does this."),
        ("It does this. Type:\n\n```console\n$ a\n```", "It does this. Type:"),
        ("| a | b |\n|---|---|\n| c | d |", "| a | b |"),
    ] {
        assert_eq!(unproven(&page(gap)), [line], "{gap}");
    }
}
