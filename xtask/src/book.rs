//! The book as mdBook shows it: a file outside of `docs` that a page links to becomes a chapter behind the others.
//!
//! ```text
//!   mdBook ──[context, book]──► pages ─ links that lead out ─► chapters `sources/…`, links to them ──book──► mdBook
//! ```
//! On a repository's pages such links lead to the files themselves; a built book has only what is in its folder. mdBook runs
//! this by `book.toml`, with the book as JSON on the standard input, and takes the one from the standard output. Links are
//! relative, as the tests of the book want them. A page that an added chapter links to is left where it is; what else it
//! links to stands there as text.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

/// Answers mdBook: with `supports` whether this works for a renderer, otherwise with the changed book.
pub(crate) fn answer(question: &[String]) -> Result<(), String> {
    if question.first().is_some_and(|word| word == "supports") {
        return Ok(());
    }
    let mut asked = String::new();
    std::io::stdin().read_to_string(&mut asked).map_err(|error| error.to_string())?;
    let asked: Value = serde_json::from_str(&asked)
        .map_err(|error| format!("mdBook runs this, with a book as JSON on the standard input: {error}"))?;
    let [context, book] = asked.as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err("mdBook gives a context and a book".to_owned());
    };
    let root = context["root"].as_str().ok_or("mdBook says where the book is")?;
    let book = with_sources(Path::new(root), book.clone())?;
    std::io::stdout().write_all(book.to_string().as_bytes()).map_err(|error| error.to_string())
}

/// The book, with what its pages link to.
fn with_sources(root: &Path, mut book: Value) -> Result<Value, String> {
    let mut sources = BTreeMap::new();
    // Older mdBooks call them so.
    let items = if book.get("items").is_some() { "items" } else { "sections" };
    let chapters = book[items].as_array_mut().ok_or("a book has items")?;
    chapters.iter_mut().for_each(|item| visit(root, item, &mut sources));
    if !sources.is_empty() {
        chapters.push(json!({"PartTitle": "Sources"}));
    }
    for path in sources.into_keys() {
        let content = shown(root, &path)?;
        chapters.push(json!({"Chapter": {
            "name": path.display().to_string(),
            "content": content,
            "number": null,
            "sub_items": [],
            "path": chapter_of(&path),
            "source_path": null,
            "parent_names": [],
        }}));
    }
    Ok(book)
}

/// Has the links of a chapter and those below it lead into the book.
fn visit(root: &Path, item: &mut Value, sources: &mut BTreeMap<PathBuf, ()>) {
    let Some(chapter) = item.get_mut("Chapter") else { return };
    let folder = Path::new(DOCS).join(chapter["path"].as_str().unwrap_or_default());
    let folder = folder.parent().unwrap_or(Path::new(DOCS)).to_owned();
    if let Some(content) = chapter["content"].as_str() {
        let content = with_links(content, |link| {
            let (path, _) = link.split_once('#').unwrap_or((link, ""));
            let path = normal(&folder.join(path));
            if path.starts_with(DOCS) || !root.join(&path).exists() {
                return Some(link.to_owned());
            }
            let up = "../".repeat(folder.components().count() - 1);
            sources.insert(path.clone(), ());
            Some(format!("{up}{}", chapter_of(&path)))
        });
        chapter["content"] = content.into();
    }
    for below in chapter["sub_items"].as_array_mut().into_iter().flatten() {
        visit(root, below, sources);
    }
}

/// A file as a page: Markdown as it is, everything else as code, of a folder the names in it.
fn shown(root: &Path, path: &Path) -> Result<String, String> {
    let title = path.display();
    let unreadable = |error: std::io::Error| format!("{title}: {error}");
    if root.join(path).is_dir() {
        let entries = std::fs::read_dir(root.join(path)).map_err(unreadable)?;
        let mut names: Vec<String> =
            entries.flatten().map(|entry| format!("- `{}`\n", entry.file_name().to_string_lossy())).collect();
        names.sort();
        return Ok(format!("# {title}\n\n{}", names.concat()));
    }
    let text = std::fs::read_to_string(root.join(path)).map_err(unreadable)?;
    if path.extension().is_none_or(|extension| extension != "md") {
        let language = if path.extension().is_some_and(|extension| extension == "rs") { "rust,ignore" } else { "text" };
        return Ok(format!("# {title}\n\n````{language}\n{text}\n````\n"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let up = "../".repeat(Path::new(&chapter_of(path)).components().count() - 1);
    Ok(with_links(&text, |link| {
        let (file, anchor) =
            link.split_once('#').map_or((link, String::new()), |(file, anchor)| (file, format!("#{anchor}")));
        if file.is_empty() {
            return Some(link.to_owned());
        }
        let file = normal(&folder.join(file));
        // What the book is made of is in every page's margin.
        let is_page = |page: &&Path| page != &Path::new("SUMMARY.md") && root.join(&file).is_file();
        let page = file.strip_prefix(DOCS).ok().filter(is_page)?;
        Some(format!("{up}{}{anchor}", page.display()))
    }))
}

/// Where the chapter of a file is in the book.
fn chapter_of(path: &Path) -> String {
    let markdown = if path.extension().is_some_and(|extension| extension == "md") { "" } else { ".md" };
    format!("{SOURCES}/{}{markdown}", path.display())
}

/// A text with each relative link changed; where there is to be none, only its words are left.
fn with_links(text: &str, mut change: impl FnMut(&str) -> Option<String>) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_code = false;
    while let Some(at) = rest.find(['`', ']']) {
        let (before, here) = rest.split_at(at);
        changed.push_str(before);
        let link = here.strip_prefix("](").and_then(|link| link.split_once(')')).filter(|_| !is_code);
        rest = match link {
            Some((link, after)) if !link.contains("://") && !link.contains(char::is_whitespace) => {
                match change(link) {
                    Some(link) => changed.push_str(&format!("]({link})")),
                    None => without_link(&mut changed),
                }
                after
            }
            _ => {
                is_code ^= here.starts_with('`');
                let (this, after) = here.split_at(1);
                changed.push_str(this);
                after
            }
        };
    }
    changed + rest
}

/// Takes away the bracket that the words of a link begin with.
fn without_link(text: &mut String) {
    if let Some(at) = text.rfind('[') {
        let is_picture = text[..at].ends_with('!');
        text.replace_range(at - usize::from(is_picture)..=at, "");
    }
}

/// Without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normal.pop()),
            Component::Normal(name) => normal.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    normal
}

/// The folder of the pages.
const DOCS: &str = "docs";

/// The folder of what is added.
const SOURCES: &str = "sources";

#[cfg(test)]
mod tests {
    use super::*;

    fn chapter(path: &str, content: &str) -> Value {
        json!({"Chapter": {"name": "Page", "content": content, "path": path, "sub_items": []}})
    }

    #[test]
    fn what_a_page_links_to_outside_of_the_book_becomes_a_chapter() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the repository");
        let page =
            "[a](start.md#x), [b](../book.toml), [c](../CONTRIBUTING.md#tests), `[d](../LICENSE)`, [e](../no-such)";
        let book = with_sources(root, json!({"items": [chapter("page.md", page)]})).unwrap();
        assert_eq!(
            book["items"][0]["Chapter"]["content"],
            "[a](start.md#x), [b](sources/book.toml.md), [c](sources/CONTRIBUTING.md), `[d](../LICENSE)`, [e](../no-such)"
        );
        let paths: Vec<&str> =
            book["items"].as_array().unwrap().iter().filter_map(|item| item["Chapter"]["path"].as_str()).collect();
        assert_eq!(paths, ["page.md", "sources/CONTRIBUTING.md", "sources/book.toml.md"]);
        let toml = book["items"][3]["Chapter"]["content"].as_str().unwrap();
        assert!(toml.starts_with("# book.toml\n\n````text\n"), "{toml}");
        let contributing = book["items"][2]["Chapter"]["content"].as_str().unwrap();
        assert!(contributing.contains("[docs/kubernetes-facts.md](../kubernetes-facts.md)"), "{contributing}");
        assert!(contributing.contains("Start with ARCHITECTURE.md:"), "{contributing}");
    }

    #[test]
    fn a_book_without_such_links_stays_as_it_is() {
        let book = json!({"items": [chapter("page.md", "[a](b.md) [web](https://example.com/x)"), "Separator"]});
        assert_eq!(with_sources(Path::new("."), book.clone()).unwrap(), book);
    }
}
