//! The text of a script, line by line.
//!
//! A file is a head (what it covers, settings, definitions) and steps, each begun by `###`. All mistakes are reported at
//! once.

use super::{Action, Needs, Request, Script, Step, step, variables};

/// A line that cannot be read, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// A line and its number.
pub(super) type Line<'a> = (usize, &'a str);

pub(super) fn script(name: &str, text: &str) -> Result<Script, Vec<Mistake>> {
    let mut script = Script { name: name.to_owned(), text: text.to_owned(), ..Script::default() };
    let mut mistakes = Vec::new();
    let lines: Vec<Line<'_>> = text.lines().enumerate().map(|(index, line)| (index + 1, line)).collect();
    let first = lines.iter().position(|(_, line)| line.starts_with(STEP)).unwrap_or(lines.len());
    let (head, rest) = lines.split_at(first);
    read_head(&mut script, head, &mut mistakes);
    for lines in split(rest) {
        match step::read(&lines) {
            Ok(step) => script.steps.push(step),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if rest.is_empty() {
        mistakes.push(Mistake::new(lines.len().max(1), "there is no step; begin one with a line `### what it asks`"));
    }
    mistakes.extend(unknown_names(&script));
    // What a compaction takes from one script it takes from all.
    script.is_alone |= script.steps.iter().any(|step| matches!(step.action, Action::Compact));
    if mistakes.is_empty() { Ok(script) } else { Err(mistakes) }
}

/// Variables and watches that are used before they have a value.
fn unknown_names(script: &Script) -> Vec<Mistake> {
    let mut known: Vec<&str> = vec![NAMESPACE];
    if !script.hooks.is_empty() {
        known.extend([WEBHOOK, CA]);
    }
    let mut watches: Vec<&str> = Vec::new();
    let mut mistakes = Vec::new();
    for (variable, value) in &script.definitions {
        mistakes.extend(unknown_of(1, variables::used(value), &known));
        known.push(variable);
    }
    for step in &script.steps {
        mistakes.extend(unknown_of(step.line, used_by(step), &known));
        known.extend(step.captures.iter().map(|capture| capture.variable.as_str()));
        match &step.action {
            Action::Watch(name, _) => watches.push(name),
            Action::Read(name, _) if !watches.contains(&name.as_str()) => {
                let what = format!("no watch `{name}` is open here; open it before with `WATCH {name} /path`");
                mistakes.push(Mistake::new(step.line, what));
            }
            _ => {}
        }
    }
    mistakes
}

fn used_by(step: &Step) -> Vec<&str> {
    let (Action::Send(request) | Action::Watch(_, request)) = &step.action else { return Vec::new() };
    let Request { target, headers, body, .. } = request;
    let texts = headers.iter().map(|(_, value)| value).chain([target]).chain(body);
    texts.flat_map(|text| variables::used(text)).collect()
}

fn unknown_of(line: usize, used: Vec<&str>, known: &[&str]) -> Vec<Mistake> {
    let unknown = used.into_iter().filter(|name| !known.contains(name));
    let mistake = |name| {
        format!("`{{{{{name}}}}}` has no value here; define it with `@{name} = …` or capture it with `> {name} = /…`")
    };
    unknown.map(|name| Mistake::new(line, mistake(name))).collect()
}

fn read_head(script: &mut Script, head: &[Line<'_>], mistakes: &mut Vec<Mistake>) {
    for (number, line) in head {
        let done = match line.trim() {
            "" => Ok(()),
            line if line.starts_with('#') => {
                read_about(script, line.trim_start_matches('#').trim());
                Ok(())
            }
            line => line.strip_prefix('@').ok_or_else(|| HEAD.to_owned()).and_then(|line| read_setting(script, line)),
        };
        mistakes.extend(done.err().map(|what| Mistake { line: *number, what }));
    }
    if script.covers.is_empty() {
        mistakes.push(Mistake::new(
            1,
            "begin with the sections of conformance/scripts/README.md that are covered and what is shown, as \
             `# 1.5, 1.6: pages of one list are of one version`",
        ));
    }
}

/// The first comment says what is covered, the rest explains.
fn read_about(script: &mut Script, comment: &str) {
    if !script.covers.is_empty() {
        return;
    }
    let (sections, about) = comment.split_once(':').unwrap_or_default();
    let sections: Vec<String> = sections.split(',').map(|section| section.trim().to_owned()).collect();
    let is_section = |section: &String| {
        section.split_once('.').is_some_and(|(major, minor)| major == "1" && minor.parse::<u8>().is_ok())
    };
    if sections.iter().all(is_section) {
        script.covers = sections;
        script.about = about.trim().to_owned();
    }
}

fn read_setting(script: &mut Script, line: &str) -> Result<(), String> {
    if let Some((variable, value)) = line.split_once('=') {
        let variable = variable.trim();
        if let Some(hook) = variable.strip_prefix("hook ") {
            let answer = serde_json::from_str(value.trim())
                .map_err(|error| format!("the answer of `@hook {hook}` is not JSON: {error}"))?;
            script.hooks.push((hook.trim().to_owned(), answer));
            return Ok(());
        }
        step::check_variable(variable)?;
        script.definitions.push((variable.to_owned(), value.trim().to_owned()));
        return Ok(());
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    match words.next().as_deref() {
        Some("server") => return words.try_for_each(|word| read_need(&mut script.needs, &word)),
        Some("alone") => script.is_alone = true,
        Some("hide") => script.shows.hidden.extend(words),
        Some("headers") => script.shows.headers.extend(words.map(|word| word.to_ascii_lowercase())),
        Some("show") if words.next().as_deref() == Some("managedFields") => script.shows.managed_fields = true,
        _ => return Err(SETTINGS.to_owned()),
    }
    Ok(())
}

fn read_need(needs: &mut Needs, word: &str) -> Result<(), String> {
    match word {
        "controllers" => needs.controllers = true,
        "no-watch-cache" => needs.no_watch_cache = true,
        "every-version" => needs.every_version = true,
        _ => {
            return Err(format!(
                "there is no server with `{word}`; write `@server controllers`, `no-watch-cache` or `every-version`"
            ));
        }
    }
    Ok(())
}

/// The lines of each step.
fn split<'a>(lines: &[Line<'a>]) -> Vec<Vec<Line<'a>>> {
    let mut steps: Vec<Vec<Line<'a>>> = Vec::new();
    for line in lines {
        if line.1.starts_with(STEP) {
            steps.push(Vec::new());
        }
        if let Some(step) = steps.last_mut() {
            step.push(*line);
        }
    }
    steps
}

impl Mistake {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Mistake {
        Mistake { line, what: what.into() }
    }
}

/// Where the script's webhooks are.
pub(crate) const WEBHOOK: &str = "webhook";

/// Who signed their certificate.
pub(crate) const CA: &str = "ca";

/// The variable that every script has: a namespace of its own, new for each recording.
pub(crate) const NAMESPACE: &str = "ns";

/// What begins a step.
pub(super) const STEP: &str = "###";

const HEAD: &str = "before the first step stand comments (`# …`) and settings (`@…`); begin a step with `### title`";

const SETTINGS: &str = "no such setting; there are `@name = value`, `@server controllers`, `@server no-watch-cache`, \
                        `@server every-version`, `@alone`, `@show managedFields`, `@headers etag …` and `@hide key …`";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Print, Reading, Until};
    use super::*;

    const SAMPLE: &str = "\
# 1.5, 1.6: pages of one list
# More about it.
@server controllers no-watch-cache
@headers ETag
@cm = /api/v1/namespaces/{{ns}}/configmaps

### [brief] one
POST {{cm}}
Accept: application/json

{\"a\": 1}

> token = /metadata/continue

### [until 404] [events 2] [pick /kind /metadata/name] two
GET {{cm}}/a?watch=true
# a comment

### three
WATCH w {{cm}}?watch=true

### four
READ w 3

### five
READ w 1.5s
> rv = /0/object/metadata/resourceVersion

### six
COMPACT
### seven
READ w end
";

    #[test]
    fn a_script_is_read_with_all_that_it_can_say() {
        let script = script("list/sample", SAMPLE).unwrap();
        assert_eq!(script.covers, ["1.5", "1.6"]);
        assert_eq!(script.about, "pages of one list");
        assert_eq!(script.needs, Needs { controllers: true, no_watch_cache: true, every_version: false });
        assert_eq!(script.shows.headers, ["etag"]);
        assert_eq!(script.definitions, [("cm".to_owned(), "/api/v1/namespaces/{{ns}}/configmaps".to_owned())]);
        let [one, two, three, four, five, six, seven] = script.steps.as_slice() else { panic!("seven steps") };
        let Action::Send(request) = &one.action else { panic!("a request") };
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "{{cm}}"));
        assert_eq!(request.headers, [("Accept".to_owned(), "application/json".to_owned())]);
        assert_eq!(request.body.as_deref(), Some("{\"a\": 1}"));
        assert_eq!((one.captures[0].variable.as_str(), &one.print), ("token", &Print::Brief));
        assert_eq!((&two.until, two.events, two.title.as_str()), (&Some(Until::Status(404)), Some(2), "two"));
        assert_eq!(two.print, Print::Picked(vec!["/kind".to_owned(), "/metadata/name".to_owned()]));
        assert!(matches!(&three.action, Action::Watch(name, _) if name == "w"));
        assert!(matches!(&four.action, Action::Read(_, Reading::Events(3))));
        let pause = Duration::from_millis(1500);
        assert!(matches!(&five.action, Action::Read(_, Reading::For(time)) if *time == pause));
        assert_eq!(five.captures[0].pointer, "/0/object/metadata/resourceVersion");
        assert!(matches!(six.action, Action::Compact));
        assert!(matches!(&seven.action, Action::Read(_, Reading::ToTheEnd)));
    }

    #[test]
    fn every_mistake_is_reported_with_its_line_and_a_remedy() {
        let text =
            "@nonsense\n### [bref] one\nGET /\n### two\nFETCH /\n### three\n### four\nGET x\n### five\nREAD w soon\n";
        let mistakes = script("a/b", text).unwrap_err();
        let lines: Vec<usize> = mistakes.iter().map(|mistake| mistake.line).collect();
        assert_eq!(lines, [1, 1, 2, 5, 6, 8, 10], "{mistakes:#?}");
        assert!(mistakes.iter().all(|mistake| mistake.what.contains('`')), "{mistakes:#?}");
        let text = "# 1.1: x\n### one\nGET /{{cm}}\n> cm = /a\n### two\nGET /{{cm}}/{{ns}}\n### three\nREAD w 1\n";
        let mistakes = script("a/b", text).unwrap_err();
        let lines: Vec<usize> = mistakes.iter().map(|mistake| mistake.line).collect();
        assert_eq!(lines, [2, 7], "{mistakes:#?}");
        assert!(mistakes.iter().all(|mistake| mistake.what.contains('`')), "{mistakes:#?}");
    }
}
