//! The headers of SPDY's streams, which are packed with zlib, all of a connection in one, after a dictionary that both sides know.
//!
//! The library that unpacks takes no dictionary. But a dictionary is nothing else than text that was unpacked before, so it is given
//! one to unpack first: a block that holds the dictionary as it is. What is written here uses none, which every zlib reads.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::Broken;

/// Unpacks what a client says.
pub(super) struct HeaderReader {
    inflate: Decompress,
    has_begun: bool,
}

impl Default for HeaderReader {
    fn default() -> HeaderReader {
        HeaderReader { inflate: Decompress::new(false), has_begun: false }
    }
}

impl HeaderReader {
    /// The headers in a block; blocks must come in their order.
    pub(super) fn read(&mut self, block: &[u8]) -> Result<Vec<(String, String)>, Broken> {
        let block = if self.has_begun { block } else { self.begin(block)? };
        let text = self.unpack(block)?;
        let mut rest = &text[..];
        let count = number(&mut rest)?;
        let mut headers = Vec::new();
        for _ in 0..count {
            headers.push((string(&mut rest)?, string(&mut rest)?));
        }
        Ok(headers)
    }

    /// Takes off what zlib says first, and puts the dictionary before the rest if it says that there is one.
    fn begin<'b>(&mut self, block: &'b [u8]) -> Result<&'b [u8], Broken> {
        self.has_begun = true;
        let (head, rest) = block.split_first_chunk::<2>().ok_or(CANNOT)?;
        if head[0] & 0x0f != METHOD_DEFLATE || u16::from_be_bytes(*head) % 31 != 0 {
            return Err(CANNOT);
        }
        if head[1] & HAS_DICTIONARY == 0 {
            return Ok(rest);
        }
        let dictionary = dictionary();
        let length = u16::try_from(dictionary.len()).expect("it is not that long");
        let stored = [&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &dictionary].concat();
        self.unpack(&stored)?;
        rest.get(4..).ok_or(CANNOT)
    }

    fn unpack(&mut self, mut packed: &[u8]) -> Result<Vec<u8>, Broken> {
        let mut text = Vec::with_capacity(4096);
        loop {
            let before = self.inflate.total_in();
            let status = self.inflate.decompress_vec(packed, &mut text, FlushDecompress::Sync).map_err(|_| CANNOT)?;
            let read = usize::try_from(self.inflate.total_in() - before).map_err(|_| CANNOT)?;
            packed = &packed[read..];
            if text.len() > HEADERS_BYTES_MAX || status == Status::StreamEnd {
                return Err(CANNOT);
            }
            if text.len() < text.capacity() {
                return if packed.is_empty() { Ok(text) } else { Err(CANNOT) };
            }
            text.reserve(4096);
        }
    }
}

fn number(rest: &mut &[u8]) -> Result<u32, Broken> {
    let (number, after) = rest.split_first_chunk::<4>().ok_or(CANNOT)?;
    *rest = after;
    Ok(u32::from_be_bytes(*number))
}

fn string(rest: &mut &[u8]) -> Result<String, Broken> {
    let length = number(rest)? as usize;
    let (text, after) = rest.split_at_checked(length).ok_or(CANNOT)?;
    *rest = after;
    String::from_utf8(text.to_vec()).map_err(|_| CANNOT)
}

/// Packs what is said to a client.
pub(super) struct HeaderWriter {
    deflate: Compress,
}

impl Default for HeaderWriter {
    fn default() -> HeaderWriter {
        HeaderWriter { deflate: Compress::new(Compression::fast(), true) }
    }
}

impl HeaderWriter {
    /// A block without headers: there are none that clients read.
    pub(super) fn write_none(&mut self) -> Vec<u8> {
        let mut block = Vec::with_capacity(64);
        let packed = self.deflate.compress_vec(&[0; 4], &mut block, FlushCompress::Sync);
        packed.expect("four bytes are packed into sixty-four");
        block
    }
}

/// The dictionary of SPDY/3: words, each after its length, and then a text.
fn dictionary() -> Vec<u8> {
    let words = WORDS.iter().flat_map(|word| {
        let length = u32::try_from(word.len()).expect("words are short");
        [&length.to_be_bytes()[..], word.as_bytes()].concat()
    });
    words.chain(TEXT.bytes()).collect()
}

const CANNOT: Broken = Broken("headers cannot be unpacked");

const METHOD_DEFLATE: u8 = 8;
const HAS_DICTIONARY: u8 = 0x20;

/// A stream has five headers of a few letters.
const HEADERS_BYTES_MAX: usize = 64 * 1024;

const WORDS: &[&str] = &[
    "options",
    "head",
    "post",
    "put",
    "delete",
    "trace",
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "age",
    "allow",
    "authorization",
    "cache-control",
    "connection",
    "content-base",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-md5",
    "content-range",
    "content-type",
    "date",
    "etag",
    "expect",
    "expires",
    "from",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "last-modified",
    "location",
    "max-forwards",
    "pragma",
    "proxy-authenticate",
    "proxy-authorization",
    "range",
    "referer",
    "retry-after",
    "server",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    "warning",
    "www-authenticate",
    "method",
    "get",
    "status",
    "200 OK",
    "version",
    "HTTP/1.1",
    "url",
    "public",
    "set-cookie",
    "keep-alive",
    "origin",
];

const TEXT: &str = "\
    100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Au\
    thoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidd\
    en404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr Ma\
    y Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,imag\
    e/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicpri\
    vatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

#[cfg(test)]
mod tests {
    use super::*;

    /// Who packs with another dictionary than who unpacks gets nonsense.
    #[test]
    fn the_dictionary_is_that_of_the_protocol() {
        let (mut low, mut high) = (1_u32, 0_u32);
        for byte in dictionary() {
            low = (low + u32::from(byte)) % 65_521;
            high = (high + low) % 65_521;
        }
        assert_eq!((dictionary().len(), high << 16 | low), (1423, 0xe3c6_a7c2), "its length and its checksum");
    }

    #[test]
    fn blocks_without_headers_are_read_back() {
        let (mut writer, mut reader) = (HeaderWriter::default(), HeaderReader::default());
        for _ in 0..3 {
            assert_eq!(reader.read(&writer.write_none()), Ok(Vec::new()));
        }
    }
}
