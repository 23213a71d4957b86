//! One step of a script.
//!
//! ```text
//!   ### [modifier] … title
//!   METHOD target            or WATCH name target, READ name …, COMPACT, WAIT 2s
//!   Header: value
//!
//!   body
//!   > variable = /json/pointer
//! ```

use std::time::Duration;

use super::parse::{Line, Mistake, STEP};
use super::{Action, Capture, Print, Reading, Request, Step, Until};

pub(super) fn read(lines: &[Line<'_>]) -> Result<Step, Mistake> {
    let ((begin, title), rest) = lines.split_first().expect("a step has the line that begins it");
    let mut step = read_title(title.trim_start_matches(STEP).trim()).map_err(|what| Mistake::new(*begin, what))?;
    step.line = *begin;
    let mut rest = rest.iter().skip_while(|(_, line)| line.trim().is_empty() || line.starts_with('#'));
    let Some((number, line)) = rest.next() else {
        return Err(Mistake::new(*begin, format!("nothing is asked; {ACTIONS}")));
    };
    step.action = read_action(line.trim()).map_err(|what| Mistake::new(*number, what))?;
    let mut body: Vec<&str> = Vec::new();
    let mut is_head = true;
    for (number, line) in rest {
        let done = match (line.strip_prefix('>'), line.trim()) {
            (Some(capture), _) => read_capture(capture).map(|capture| step.captures.push(capture)),
            (None, "") if is_head => {
                is_head = false;
                Ok(())
            }
            (None, line) if is_head && line.starts_with('#') => Ok(()),
            (None, line) if is_head => read_header(&mut step.action, line),
            (None, _) => {
                body.push(line);
                Ok(())
            }
        };
        done.map_err(|what| Mistake::new(*number, what))?;
    }
    put_body(&mut step.action, body.join("\n").trim()).map_err(|what| Mistake::new(*begin, what))?;
    Ok(step)
}

fn put_body(action: &mut Action, body: &str) -> Result<(), String> {
    match action {
        _ if body.is_empty() => Ok(()),
        Action::Send(request) => {
            request.body = Some(body.to_owned());
            Ok(())
        }
        _ => Err("only a request has a body; begin the next step with `### title`".to_owned()),
    }
}

fn read_title(mut text: &str) -> Result<Step, String> {
    let mut step = Step {
        line: 0,
        title: String::new(),
        print: Print::Whole,
        until: None,
        is_sorted: false,
        events: None,
        action: Action::Compact,
        captures: Vec::new(),
    };
    while let Some((modifier, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        read_modifier(&mut step, modifier.trim())?;
        text = rest.trim_start();
    }
    step.title = text.to_owned();
    Ok(step)
}

fn read_modifier(step: &mut Step, text: &str) -> Result<(), String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match word {
        "brief" => step.print = Print::Brief,
        "sorted" => step.is_sorted = true,
        "names" => step.print = Print::Names,
        "pick" => step.print = Print::Picked(rest.split_whitespace().map(str::to_owned).collect()),
        "until" => step.until = Some(read_until(rest.trim())?),
        "events" => step.events = Some(rest.trim().parse().map_err(|_| "write how many, as `[events 2]`".to_owned())?),
        _ => {
            return Err(format!(
                "there is no `[{word}]`; there are `[brief]`, `[names]`, `[pick /pointer …]`, `[until 404]`, \
                 `[until /pointer = value]`, `[events 2]` and `[sorted]`"
            ));
        }
    }
    Ok(())
}

fn read_until(text: &str) -> Result<Until, String> {
    if let Some((pointer, value)) = text.split_once('=') {
        return Ok(Until::Value(pointer.trim().to_owned(), value.trim().to_owned()));
    }
    let wrong = |_| "write a status or a value, as `[until 404]` or `[until /status/phase = Bound]`".to_owned();
    text.parse().map(Until::Status).map_err(wrong)
}

fn read_action(line: &str) -> Result<Action, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "COMPACT" => Ok(Action::Compact),
        "WAIT" => read_time(rest).map(Action::Wait),
        "READ" => {
            let (name, reading) = rest.split_once(' ').ok_or("write which watch and how much, as `READ w 3`")?;
            Ok(Action::Read(name.to_owned(), read_reading(reading.trim())?))
        }
        "WATCH" => {
            let (name, target) = rest.split_once(' ').ok_or("write a name and a target, as `WATCH w /api/v1/pods`")?;
            check_variable(name)?;
            Ok(Action::Watch(name.to_owned(), Request::new("GET", target.trim())?))
        }
        "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => Request::new(word, rest).map(Action::Send),
        _ => Err(format!("`{word}` is nothing to do; {ACTIONS}")),
    }
}

fn read_reading(text: &str) -> Result<Reading, String> {
    if text == "end" {
        return Ok(Reading::ToTheEnd);
    }
    match text.parse() {
        Ok(events) => Ok(Reading::Events(events)),
        Err(_) => read_time(text).map(Reading::For),
    }
}

fn read_time(text: &str) -> Result<Duration, String> {
    let seconds = text.strip_suffix('s').and_then(|number| number.parse().ok());
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| *time <= TIME_MAX).ok_or_else(|| {
        format!("`{text}` is neither a time up to {} s, such as `2s`, nor a number of events", TIME_MAX.as_secs())
    })
}

fn read_header(action: &mut Action, line: &str) -> Result<(), String> {
    let (Action::Send(request) | Action::Watch(_, request)) = action else {
        return Err("only a request has headers; begin the next step with `### title`".to_owned());
    };
    let no_header = || format!("`{line}` is not a header; write `Name: value`, and a body after an empty line");
    let (name, value) = line.split_once(':').ok_or_else(no_header)?;
    request.headers.push((name.trim().to_owned(), value.trim().to_owned()));
    Ok(())
}

fn read_capture(text: &str) -> Result<Capture, String> {
    let wrong = || "write which variable takes what, as `> rv = /metadata/resourceVersion`".to_owned();
    let (variable, pointer) = text.split_once('=').ok_or_else(wrong)?;
    let (variable, pointer) = (variable.trim(), pointer.trim());
    check_variable(variable)?;
    if !pointer.starts_with('/') {
        return Err(wrong());
    }
    Ok(Capture { variable: variable.to_owned(), pointer: pointer.to_owned() })
}

/// A name that `{{…}}` can hold.
pub(super) fn check_variable(name: &str) -> Result<(), String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_word) {
        return Ok(());
    }
    Err(format!("`{name}` is not a name; use letters, digits, `-` and `_`"))
}

impl Request {
    fn new(method: &str, target: &str) -> Result<Request, String> {
        if !target.starts_with('/') && !target.starts_with("{{") {
            return Err(format!("`{target}` is not a target; write a path, as `{method} /api/v1/pods?limit=1`"));
        }
        let (method, target) = (method.to_owned(), target.to_owned());
        Ok(Request { method, target, headers: Vec::new(), body: None })
    }
}

const ACTIONS: &str = "write a request (`GET /api/v1/pods`), `WATCH name /path`, `READ name 3`, `READ name 1s`, \
                       `READ name end`, `COMPACT` or `WAIT 2s`";

/// A script is for finding out in a minute what a server does.
const TIME_MAX: Duration = Duration::from_secs(60);
