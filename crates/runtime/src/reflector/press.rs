//! Bodies of objects that lie cold, compressed against what their neighbours look like.
//!
//! In: one body after the other. Out: each compressed, or as it is where that does not pay. What compresses badly is an
//! example of something new and joins the dictionary, as long as that may grow: so the dictionary holds about one object
//! of each template, whatever the templates are. It is pure but for a context of zstd per thread.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use zstd_safe::{CCtx, CDict, DCtx, DDict};

/// Compresses bodies of one kind.
#[derive(Default)]
pub(crate) struct Press {
    examples: Vec<u8>,
    /// How many bytes of the examples the dictionary knows.
    known: usize,
    dictionary: Option<Arc<Dictionary>>,
}

/// A compressed body.
pub(crate) struct Pressed {
    bytes: Box<[u8]>,
    length: usize,
    dictionary: Arc<Dictionary>,
}

struct Dictionary {
    compress: CDict<'static>,
    restore: DDict<'static>,
}

impl Dictionary {
    fn of(examples: &[u8]) -> Option<Self> {
        let (compress, restore) = (CDict::try_create(examples, LEVEL)?, DDict::try_create(examples)?);
        Some(Self { compress, restore })
    }
}

/// What was compressed could not be restored: the memory was changed under us, or zstd is broken.
#[derive(Debug, thiserror::Error)]
#[error("a compressed object could not be restored")]
pub(crate) struct Unrestorable;

/// Examples of one kind at most: 40 templates of large pods.
const EXAMPLES_MAX: usize = 512 << 10;
/// A larger body is no good example: it would crowd out the others.
const EXAMPLE_MAX: usize = 64 << 10;
/// A body that takes more than a fifth of its size is unlike every example.
const UNLIKE: usize = 5;
/// A body that takes more than half of its size is left as it is: restoring costs more than it saves.
const FUTILE: usize = 2;
/// Fast: the dictionary does the work, and higher levels gain a few percent for several times the effort.
const LEVEL: i32 = 3;

impl Press {
    /// Compresses a body; `None` if it is better left as it is.
    pub(crate) fn press(&mut self, body: &[u8]) -> Option<Pressed> {
        let pressed = self.dictionary.as_ref().and_then(|dictionary| Pressed::new(body, dictionary));
        let is_unlike = pressed.as_ref().is_none_or(|pressed| pressed.bytes.len() * UNLIKE > body.len());
        if is_unlike && body.len() <= EXAMPLE_MAX && self.examples.len() + body.len() <= EXAMPLES_MAX {
            self.learn(body);
        }
        pressed.filter(|pressed| pressed.bytes.len() * FUTILE <= body.len())
    }

    /// Takes `body` as an example. The dictionary is made anew when the examples have grown by half, so that making it
    /// costs a constant share of what is compressed.
    fn learn(&mut self, body: &[u8]) {
        self.examples.extend_from_slice(body);
        if self.examples.len() * 2 >= self.known * 3 {
            self.known = self.examples.len();
            self.dictionary = Dictionary::of(&self.examples).map(Arc::new);
        }
    }
}

thread_local! {
    // Making one takes longer than using it.
    static COMPRESSING: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static RESTORING: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

impl Pressed {
    fn new(body: &[u8], dictionary: &Arc<Dictionary>) -> Option<Self> {
        let mut bytes = vec![0; zstd_safe::compress_bound(body.len())];
        let length = COMPRESSING
            .with_borrow_mut(|context| context.compress_using_cdict(&mut bytes[..], body, &dictionary.compress))
            .ok()?;
        Some(Self { bytes: bytes[..length].into(), length: body.len(), dictionary: Arc::clone(dictionary) })
    }

    /// The body as it was.
    pub(crate) fn restore(&self) -> Result<Vec<u8>, Unrestorable> {
        let mut body = vec![0; self.length];
        let restored = RESTORING.with_borrow_mut(|context| {
            context.decompress_using_ddict(&mut body[..], &self.bytes, &self.dictionary.restore)
        });
        match restored {
            Ok(length) if length == self.length => Ok(body),
            _ => Err(Unrestorable),
        }
    }
}

impl fmt::Debug for Pressed {
    /// Sizes alone; the content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pressed({} of {} bytes)", self.bytes.len(), self.length)
    }
}

impl fmt::Debug for Press {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Press({} bytes of examples)", self.examples.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of one of many templates, with what differs between its objects.
    fn body(template: u64, object: u64) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(template);
        let mut text =
            format!(r#"{{"metadata":{{"name":"web-{template}-{object:08x}","uid":"{:032x}"}}"#, object * 7919);
        for _ in 0..60 {
            let value: String = (0..40).map(|_| random.alphanumeric()).collect();
            text += &format!(r#","{}":"{value}""#, random.lowercase());
        }
        text.into_bytes()
    }

    #[test]
    fn objects_of_many_templates_take_a_small_part_of_their_bytes_and_come_back_whole() {
        let mut press = Press::default();
        let (mut before, mut after) = (0, 0);
        for object in 0..2000 {
            let body = body(object % 40, object);
            if let Some(pressed) = press.press(&body) {
                assert_eq!(pressed.restore().unwrap(), body);
                (before, after) = (before + body.len(), after + pressed.bytes.len());
            } else {
                assert!(object < 400, "object {object} was left as it is");
            }
        }
        assert!(after * 10 < before, "{after} of {before} bytes");
        assert!(press.examples.len() <= EXAMPLES_MAX);
    }

    #[test]
    fn what_does_not_compress_is_left_as_it_is_and_examples_are_bounded() {
        let mut press = Press::default();
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let body: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(10_000).collect();
            assert!(press.press(&body).is_none());
        }
        assert!(press.examples.len() <= EXAMPLES_MAX);
        assert!(press.press(&vec![b'x'; EXAMPLE_MAX + 1]).is_some(), "a large one is compressed and no example");
    }

    #[test]
    fn nothing_of_a_body_is_shown() {
        let mut press = Press::default();
        press.press(b"hunter2 hunter2 hunter2 hunter2 hunter2");
        let pressed = press.press(b"hunter2 hunter2 hunter2 hunter2 hunter2").unwrap();
        assert!(!format!("{pressed:?} {press:?}").contains("hunter"));
    }
}
