//! Lists and watches, in JSON and in protobuf: whatever comes, and however it is cut, the objects are the same.
//!
//! The first byte of an input says how the rest is cut into chunks. For every input: cutting it in chunks gives the very
//! objects, and the very end or error, that it gives in one piece; whatever is given can be read for a head and decoded
//! without a panic; and nothing that was never in the body comes out.

use k8s_openapi::api::core::v1::Pod;
use pintle_wire::framer::protobuf_frame;
use pintle_wire::protobuf;
use pintle_wire::{Body, CutError, Cutter, Frame, FrameError, Framer, HeadReader, Limits, MediaType, Packed};

use crate::target::{Print, Target};

pub(crate) fn cutter() -> Target {
    Target {
        name: "cutter",
        claim: "a list gives the same objects and the same end however its body is cut",
        seeds: list_seeds,
        words: WORDS,
        run: run_cutter,
    }
}

pub(crate) fn framer() -> Target {
    Target {
        name: "framer",
        claim: "a watch gives the same events and the same end however its body is cut",
        seeds: watch_seeds,
        words: WORDS,
        run: run_framer,
    }
}

const WORDS: &[&str] = &[
    "\"items\"",
    "\"metadata\"",
    "\"name\"",
    "\"type\"",
    "\"object\"",
    "ADDED",
    "MODIFIED",
    "DELETED",
    "BOOKMARK",
    "ERROR",
    "null",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "\\\"",
    "\\u0000",
    "k8s\0",
    "v1",
    "PodList",
    "Pod",
    "Status",
    "\u{a}",
    "\u{12}",
    "\0\0\0\u{1}",
    "\u{7f}",
    "é",
];

const POD: &str = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"3","labels":{"l":"\""}},"spec":{"containers":[{"name":"c"}]}}"#;
const LIST: &str = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a","uid":"u"}},{"metadata":{"name":"b"}}]}"#;

fn list_seeds() -> Vec<Vec<u8>> {
    let pretty = "\u{3}{ \"items\" : null ,\n \"metadata\":{} }";
    let encoded = protobuf::from_json(LIST.as_bytes()).expect("the seed is a list");
    vec![[b"\x05", LIST.as_bytes()].concat(), pretty.into(), [b"\x04", &encoded[..]].concat()]
}

fn watch_seeds() -> Vec<Vec<u8>> {
    let json = format!("\u{7}{{\"type\":\"ADDED\",\"object\":{POD}}}\n{{\"type\":\"BOOKMARK\",\"object\":{POD}}}");
    let pod = protobuf::from_json(POD.as_bytes()).expect("the seed is a pod");
    let frames = [protobuf_frame("ADDED", &pod), protobuf_frame("ERROR", &pod)].concat();
    vec![json.into(), [b"\x06", &frames[..]].concat()]
}

/// Small enough that inputs reach them.
const LIMITS: Limits = Limits { object_bytes: 4096, depth: 32 };

fn parts(input: &[u8]) -> Option<(MediaType, usize, &[u8])> {
    let (how, body) = input.split_first()?;
    let media_type =
        if body.first().is_some_and(|byte| matches!(byte, b'k' | 0)) { MediaType::Protobuf } else { MediaType::Json };
    Some((media_type, usize::from(*how % 64) + 1, body))
}

fn run_cutter(input: &[u8]) -> Print {
    let Some((media_type, size, body)) = parts(input) else { return Print::of("empty") };
    let whole = cut(media_type, [body].into_iter());
    let cut = cut(media_type, body.chunks(size));
    assert_eq!(cut, whole, "in chunks of {size}");
    let (items, end) = whole;
    Print::of((items.len().min(4), kind_of(&end), items.iter().filter(|item| item.ends_with('!')).count().min(2)))
}

fn run_framer(input: &[u8]) -> Print {
    let Some((media_type, size, body)) = parts(input) else { return Print::of("empty") };
    let whole = frames(media_type, [body].into_iter());
    let cut = frames(media_type, body.chunks(size));
    assert_eq!(cut, whole, "in chunks of {size}");
    let (events, end) = whole;
    let kinds: Vec<_> = events.iter().take(4).map(|event| event.split(' ').next().map(str::to_owned)).collect();
    Print::of((kinds, kind_of(&end)))
}

fn cut<'a>(media_type: MediaType, chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<String>, String) {
    let mut cutter = Cutter::new(media_type, LIMITS);
    let (mut heads, mut items) = (HeadReader::new(), Vec::new());
    for chunk in chunks {
        let pushed = cutter.push(chunk, &mut |item: Body<'_>| {
            items.push(read(&mut heads, item));
            Ok::<_, CutError>(())
        });
        if let Err(error) = pushed {
            return (items, error.to_string());
        }
    }
    let end = cutter.finish().map_or_else(|error| error.to_string(), |metadata| format!("{metadata:?}"));
    (items, end)
}

fn frames<'a>(media_type: MediaType, chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<String>, String) {
    let mut framer = Framer::new(media_type, LIMITS);
    let (mut heads, mut events) = (HeadReader::new(), Vec::new());
    for chunk in chunks {
        let pushed = framer.push(chunk, &mut |frame: Frame<'_>| {
            events.push(format!("{:?} {}", frame.kind, read(&mut heads, frame.object)));
            Ok::<_, FrameError>(())
        });
        if let Err(error) = pushed {
            return (events, error.to_string());
        }
    }
    let end = framer.finish();
    (events, format!("{end:?}"))
}

/// What a controller does with an object; a `!` marks one that does not decode.
fn read(heads: &mut HeadReader, object: Body<'_>) -> String {
    assert!(object.bytes().len() <= LIMITS.object_bytes, "larger than the limit");
    match heads.read_body(object) {
        Err(error) => error.to_string(),
        Ok(head) => {
            let packed: Packed<Pod> = Packed::new(head, object);
            let lean = packed.decode_without_managed_fields();
            let decoded = packed.decode();
            // Managed fields that are malformed are not seen by who leaves them out.
            assert!(lean.is_ok() || decoded.is_err(), "{packed:?}");
            let mark = if decoded.is_ok() { "" } else { "!" };
            format!("{packed:?}{mark}")
        }
    }
}

/// An error or end without its numbers.
fn kind_of(end: &str) -> String {
    end.chars().filter(|sign| !sign.is_ascii_digit()).take(60).collect()
}
