//! A request over HTTP on its way to a port: whether all of it has come.
//!
//! In: bytes, in pieces of any size. Out: the path, once the head and the body have come; who is answered before all is sent may not read
//! the answer. Invariant: each byte is looked at once, however the request was cut. Nothing of the body is kept.

/// A request that is coming.
#[derive(Debug, Default)]
pub(super) struct ArrivingRequest {
    size: usize,
    head: Vec<u8>,
    missing: Missing,
}

/// What has yet to come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Missing {
    #[default]
    Head,
    /// So many bytes of the body.
    Bytes(usize),
    /// The chunks of the body.
    Chunks(Chunk),
    Nothing,
}

/// Where in a body of chunks the next byte belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunk {
    /// To the line that begins with the size; the size so far, and whether the rest of the line is something else.
    Size { size: usize, is_read: bool },
    /// To the chunk, or to the line end behind it, of which so many bytes are left.
    Data(usize),
    /// To the lines behind the last chunk: how long the line is that far.
    Trailer(usize),
}

impl ArrivingRequest {
    /// How much has come.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Takes what comes; returns the path once that is all.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<&str> {
        self.size += bytes.len();
        if self.missing == Missing::Head {
            let looked_at = self.head.len().saturating_sub(HEAD_END.len() - 1);
            self.head.extend_from_slice(bytes);
            let end = self.head[looked_at..].windows(HEAD_END.len()).position(|window| window == HEAD_END)?;
            let body = self.head.split_off(looked_at + end + HEAD_END.len());
            self.missing = body_of(&self.head);
            self.body(&body);
        } else {
            self.body(bytes);
        }
        (self.missing == Missing::Nothing).then(|| path_of(&self.head))
    }

    fn body(&mut self, mut bytes: &[u8]) {
        while let Missing::Chunks(chunk) = self.missing
            && let Some((byte, behind)) = bytes.split_first()
        {
            (self.missing, bytes) = match chunk {
                Chunk::Data(left) if left > bytes.len() => (Missing::Chunks(Chunk::Data(left - bytes.len())), &[][..]),
                Chunk::Data(left) => (Missing::Chunks(Chunk::BEGIN), &bytes[left..]),
                _ => (chunk.after(*byte).map_or(Missing::Nothing, Missing::Chunks), behind),
            };
        }
        if let Missing::Bytes(left) = self.missing {
            self.missing = if left > bytes.len() { Missing::Bytes(left - bytes.len()) } else { Missing::Nothing };
        }
    }
}

impl Chunk {
    const BEGIN: Chunk = Chunk::Size { size: 0, is_read: false };

    /// Where the byte after this one belongs; nowhere where that was the last. A line without a size is that of the last chunk.
    fn after(self, byte: u8) -> Option<Chunk> {
        match self {
            Chunk::Size { size: 0, .. } if byte == b'\n' => Some(Chunk::Trailer(0)),
            Chunk::Size { size, .. } if byte == b'\n' => Some(Chunk::Data(size.saturating_add(LINE_END_BYTES))),
            Chunk::Size { size, is_read: false } => Some(match char::from(byte).to_digit(16) {
                Some(digit) => {
                    Chunk::Size { size: size.saturating_mul(16).saturating_add(digit as usize), is_read: false }
                }
                None => Chunk::Size { size, is_read: true },
            }),
            Chunk::Trailer(0) if byte == b'\n' => None,
            Chunk::Trailer(_) if byte == b'\n' => Some(Chunk::Trailer(0)),
            Chunk::Trailer(length) if byte != b'\r' => Some(Chunk::Trailer(length + 1)),
            other => Some(other),
        }
    }
}

fn path_of(head: &[u8]) -> &str {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    std::str::from_utf8(line).unwrap_or_default().split(' ').nth(1).unwrap_or_default()
}

/// What comes behind this head.
fn body_of(head: &[u8]) -> Missing {
    let head = String::from_utf8_lossy(head);
    let value = |wanted: &str| {
        let headers = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
        headers.filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim()).last()
    };
    // Chunks count before a length.
    if value("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().ends_with("chunked")) {
        return Missing::Chunks(Chunk::BEGIN);
    }
    match value("content-length").and_then(|value| value.parse().ok()) {
        None | Some(0) => Missing::Nothing,
        Some(length) => Missing::Bytes(length),
    }
}

const HEAD_END: &[u8] = b"\r\n\r\n";
const LINE_END_BYTES: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [&str; 6] = [
        "GET /a?b HTTP/1.1\r\nHost: web\r\n\r\n",
        "POST /a?b HTTP/1.1\r\ncontent-length: 4\r\n\r\nbody",
        "POST /a?b HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
        "POST /a?b HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\ncontent-length: 1\r\n\r\n1;x=0\r\n0\r\n10\r\n0\r\n\r\n456789abcdef\r\n0\r\n\r\n",
        "POST /a?b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n",
        "POST /a?b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0;last\r\n\r\n",
    ];

    #[test]
    fn a_request_has_come_with_its_last_byte_however_it_is_cut() {
        for request in WHOLE {
            let request = request.as_bytes();
            for first in 0..request.len() {
                for second in first..request.len() {
                    let mut arriving = ArrivingRequest::default();
                    assert_eq!(arriving.push(&request[..first]), None);
                    assert_eq!(arriving.push(&request[first..second]), None);
                    assert_eq!(arriving.push(&request[second..]), Some("/a?b"), "cut at {first} and {second}");
                    assert_eq!(arriving.size(), request.len());
                }
            }
        }
    }

    #[test]
    fn a_long_head_that_comes_byte_by_byte_is_looked_at_once() {
        let head = format!("GET /a?b HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(1_000_000));
        let mut arriving = ArrivingRequest::default();
        // When each byte had all before it looked at again, this took minutes.
        let (last, before) = head.as_bytes().split_last().unwrap();
        assert!(before.iter().all(|byte| arriving.push(&[*byte]).is_none()));
        assert_eq!(arriving.push(&[*last]), Some("/a?b"));
    }
}
