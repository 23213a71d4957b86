//! What a server writes around objects: the pages of a list, the frames of a watch, in JSON and in protobuf.

use pintle_wire::protobuf::{self, Envelope, MAGIC};

use crate::objects::Objects;

/// How objects travel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Encoding {
    Json,
    Protobuf,
}

impl Encoding {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Protobuf => "protobuf",
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// What stands before and behind the objects from `first` up to, not including, `end` in a page of a list.
pub(crate) fn around_page(objects: &Objects, first: usize, end: usize) -> (Vec<u8>, &'static [u8]) {
    let rest = objects.len() - end;
    let (items, version) = (objects.items(first, end), objects.resource_version());
    match objects.encoding() {
        Encoding::Json => (before_json(objects.names(), &version, end, rest), b"]}"),
        Encoding::Protobuf => (before_protobuf(objects.names(), items.len(), &version, end, rest), b""),
    }
}

/// apiVersion and kind.
type Names = (&'static str, &'static str);

fn before_json((api_version, kind): Names, version: &str, end: usize, rest: usize) -> Vec<u8> {
    let more = if rest == 0 { String::new() } else { format!(r#","continue":"{end}","remainingItemCount":{rest}"#) };
    let metadata = format!(r#"{{"resourceVersion":"{version}"{more}}}"#);
    format!(r#"{{"kind":"{kind}List","apiVersion":"{api_version}","metadata":{metadata},"items":["#).into_bytes()
}

fn before_protobuf((api_version, kind): Names, items_bytes: usize, version: &str, end: usize, rest: usize) -> Vec<u8> {
    let mut metadata = Vec::new();
    put_field(&mut metadata, 2, version.as_bytes());
    if rest > 0 {
        put_field(&mut metadata, 3, end.to_string().as_bytes());
        metadata.push(4 << 3);
        put_number(&mut metadata, rest);
    }
    let mut list = Vec::new();
    put_field(&mut list, 1, &metadata);
    let mut head = MAGIC.to_vec();
    let mut names = Vec::new();
    put_field(&mut names, 1, api_version.as_bytes());
    put_field(&mut names, 2, format!("{kind}List").as_bytes());
    put_field(&mut head, 1, &names);
    // The list is the last field, and its items follow.
    head.push(2 << 3 | 2);
    put_number(&mut head, list.len() + items_bytes);
    head.extend_from_slice(&list);
    head
}

/// Puts an object behind those before it, as an item of a list.
pub(crate) fn put_item(items: &mut Vec<u8>, encoding: Encoding, object: &[u8]) {
    match encoding {
        Encoding::Json => {
            if !items.is_empty() {
                items.push(b',');
            }
            items.extend_from_slice(object);
        }
        Encoding::Protobuf => put_field(items, 2, object),
    }
}

/// An object's change as a frame of a watch.
pub(crate) fn modified(objects: &Objects, index: usize) -> Vec<u8> {
    let ((api_version, kind), object) = (objects.names(), objects.object(index));
    match objects.encoding() {
        // Within a watch an object says its kind.
        Encoding::Json => {
            let begin = format!(r#"{{"type":"MODIFIED","object":{{"kind":"{kind}","apiVersion":"{api_version}","#);
            [begin.as_bytes(), &object[1..], b"}\n"].concat()
        }
        Encoding::Protobuf => protobuf_frame("MODIFIED", &Envelope { api_version, kind, raw: object }.seal()),
    }
}

/// The end of a watch whose version is too old: a list is due.
pub(crate) fn expired(encoding: Encoding) -> Vec<u8> {
    const STATUS: &str = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}"#;
    match encoding {
        Encoding::Json => format!("{{\"type\":\"ERROR\",\"object\":{STATUS}}}\n").into_bytes(),
        Encoding::Protobuf => {
            protobuf_frame("ERROR", &protobuf::from_json(STATUS.as_bytes()).expect("a status has a protobuf form"))
        }
    }
}

fn protobuf_frame(event_type: &str, sealed: &[u8]) -> Vec<u8> {
    let mut extension = Vec::with_capacity(sealed.len() + 8);
    put_field(&mut extension, 1, sealed);
    let mut event = Vec::with_capacity(extension.len() + 24);
    put_field(&mut event, 1, event_type.as_bytes());
    put_field(&mut event, 2, &extension);
    let length = u32::try_from(event.len()).expect("an object is shorter than 4 GiB");
    [&length.to_be_bytes(), event.as_slice()].concat()
}

fn put_field(message: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    message.push(number << 3 | 2);
    put_number(message, bytes.len());
    message.extend_from_slice(bytes);
}

fn put_number(message: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        message.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}
