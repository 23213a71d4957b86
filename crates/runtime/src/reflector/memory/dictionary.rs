//! Compresses bodies against what other objects of their kind look like.
//!
//! In: one body after the other. Out: each compressed, or `None` where that does not pay. What compresses badly is an
//! example of something new and joins the dictionary, as long as that may grow: so the dictionary holds about one object
//! of each template, whatever the templates are. It is pure but for a context of zstd per thread.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use zstd_safe::{CCtx, CDict, DCtx, DDict};

/// The dictionary of one store; it grows with what it compresses.
#[derive(Default)]
pub(crate) struct Dictionary {
    examples: Vec<u8>,
    /// How many bytes of the examples `trained` contains.
    trained_bytes: usize,
    trained: Option<Arc<Trained>>,
}

/// A compressed body.
pub(crate) struct Compressed {
    bytes: Box<[u8]>,
    length: usize,
    trained: Arc<Trained>,
}

/// The dictionary as zstd wants it.
struct Trained {
    compress: CDict<'static>,
    restore: DDict<'static>,
}

impl Compressed {
    /// How many bytes it takes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl Trained {
    fn new(examples: &[u8]) -> Option<Self> {
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
/// A larger body is not a good example: it would crowd out the others.
const EXAMPLE_MAX: usize = 64 << 10;
/// A body that takes more than a fifth of its size is unlike every example.
const UNLIKE: usize = 5;
/// A body that takes more than half of its size is left as it is: restoring costs more than it saves.
const FUTILE: usize = 2;
/// Fast: the dictionary does the work, and higher levels gain a few percent for several times the effort.
const LEVEL: i32 = 3;

impl Dictionary {
    /// Compresses a body; `None` if it is better left as it is.
    pub(crate) fn compress(&mut self, body: &[u8]) -> Option<Compressed> {
        let compressed = self.trained.as_ref().and_then(|trained| Compressed::new(body, trained));
        let is_unlike = compressed.as_ref().is_none_or(|compressed| compressed.bytes.len() * UNLIKE > body.len());
        if is_unlike && body.len() <= EXAMPLE_MAX && self.examples.len() + body.len() <= EXAMPLES_MAX {
            self.learn(body);
        }
        compressed.filter(|compressed| compressed.bytes.len() * FUTILE <= body.len())
    }

    /// Takes `body` as an example. The dictionary is trained again when the examples have grown by half, so that training
    /// costs a constant share of what is compressed.
    fn learn(&mut self, body: &[u8]) {
        self.examples.extend_from_slice(body);
        if self.examples.len() * 2 >= self.trained_bytes * 3 {
            self.trained_bytes = self.examples.len();
            self.trained = Trained::new(&self.examples).map(Arc::new);
        }
    }
}

thread_local! {
    // Making one takes longer than using it.
    static COMPRESSING: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static RESTORING: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

impl Compressed {
    fn new(body: &[u8], trained: &Arc<Trained>) -> Option<Self> {
        let mut bytes = vec![0; zstd_safe::compress_bound(body.len())];
        let length = COMPRESSING
            .with_borrow_mut(|context| context.compress_using_cdict(&mut bytes[..], body, &trained.compress))
            .ok()?;
        Some(Self { bytes: bytes[..length].into(), length: body.len(), trained: Arc::clone(trained) })
    }

    /// The body as it was.
    pub(crate) fn restore(&self) -> Result<Vec<u8>, Unrestorable> {
        let mut body = vec![0; self.length];
        let restored = RESTORING.with_borrow_mut(|context| {
            context.decompress_using_ddict(&mut body[..], &self.bytes, &self.trained.restore)
        });
        match restored {
            Ok(length) if length == self.length => Ok(body),
            _ => Err(Unrestorable),
        }
    }
}

impl fmt::Debug for Compressed {
    /// Sizes alone; the content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compressed({} of {} bytes)", self.bytes.len(), self.length)
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} bytes of examples)", self.examples.len())
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
    fn objects_of_many_templates_take_a_small_part_of_their_bytes_and_are_restored_exactly() {
        let mut dictionary = Dictionary::default();
        let (mut before, mut after) = (0, 0);
        for object in 0..2000 {
            let body = body(object % 40, object);
            if let Some(compressed) = dictionary.compress(&body) {
                assert_eq!(compressed.restore().unwrap(), body);
                (before, after) = (before + body.len(), after + compressed.bytes.len());
            } else {
                assert!(object < 400, "object {object} was left as it is");
            }
        }
        assert!(after * 10 < before, "{after} of {before} bytes");
        assert!(dictionary.examples.len() <= EXAMPLES_MAX);
    }

    #[test]
    fn what_does_not_compress_is_left_as_it_is_and_examples_are_bounded() {
        let mut dictionary = Dictionary::default();
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let body: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(10_000).collect();
            assert!(dictionary.compress(&body).is_none());
        }
        assert!(dictionary.examples.len() <= EXAMPLES_MAX);
        let large = vec![b'x'; EXAMPLE_MAX + 1];
        assert!(dictionary.compress(&large).is_some(), "a large one is compressed but does not become an example");
    }

    #[test]
    fn debug_output_shows_nothing_of_a_body() {
        let mut dictionary = Dictionary::default();
        dictionary.compress(b"hunter2 hunter2 hunter2 hunter2 hunter2");
        let compressed = dictionary.compress(b"hunter2 hunter2 hunter2 hunter2 hunter2").unwrap();
        assert!(!format!("{compressed:?} {dictionary:?}").contains("hunter"));
    }
}
