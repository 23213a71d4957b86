//! Compresses bodies against what other objects of their kind look like.
//!
//! In: one body after the other, from any thread. Out: each compressed, or `None` where that does not pay. What compresses
//! badly is an example of something new and joins the dictionary, as long as that may grow: so the dictionary holds about one
//! object of each template, whatever the templates are. One thread at a time adds examples; the others go on with what there is.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zstd_safe::{CCtx, CDict, DCtx, DDict};

/// The dictionary of one store; it grows with what it compresses.
#[derive(Default)]
pub(crate) struct Dictionary {
    trained: Mutex<Option<Arc<Trained>>>,
    examples: Mutex<Examples>,
}

#[derive(Default)]
pub(crate) struct Examples {
    bytes: Vec<u8>,
    /// How many of them the dictionary was trained with.
    trained_bytes: usize,
}

/// What to do about a new example while another thread trains the dictionary.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Patience {
    /// Wait.
    Waits,
    /// Leave the body as it is.
    None,
}

/// Another thread trains the dictionary.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Busy;

/// A compressed body; cloning shares it.
#[derive(Clone)]
pub(crate) struct Compressed {
    bytes: Arc<[u8]>,
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
    pub(crate) fn compress(&self, body: &[u8], patience: Patience) -> Result<Option<Compressed>, Busy> {
        let mut trained = self.trained();
        let compressed = loop {
            let compressed = trained.as_ref().and_then(|trained| Compressed::new(body, trained));
            let is_unlike = compressed.as_ref().is_none_or(|compressed| compressed.bytes.len() * UNLIKE > body.len());
            if !is_unlike || body.len() > EXAMPLE_MAX {
                break compressed;
            }
            let mut examples = self.examples(patience)?;
            let latest = self.trained();
            if latest.as_ref().map(Arc::as_ptr) == trained.as_ref().map(Arc::as_ptr) {
                if let Some(trained) = examples.learn(body) {
                    *locked(&self.trained) = Some(Arc::new(trained));
                }
                break compressed;
            }
            // It may know such bodies now.
            trained = latest;
        };
        Ok(compressed.filter(|compressed| compressed.bytes.len() * FUTILE <= body.len()))
    }

    fn trained(&self) -> Option<Arc<Trained>> {
        locked(&self.trained).clone()
    }

    /// The examples, for whoever adds to them.
    pub(crate) fn examples(&self, patience: Patience) -> Result<MutexGuard<'_, Examples>, Busy> {
        match patience {
            Patience::Waits => Ok(locked(&self.examples)),
            Patience::None => self.examples.try_lock().map_err(|_| Busy),
        }
    }
}

impl Examples {
    /// Takes `body` as an example, if there is room; returns a dictionary if one was trained. It is trained again when the
    /// examples have grown by half, so that training costs a constant share of what is compressed.
    fn learn(&mut self, body: &[u8]) -> Option<Trained> {
        if self.bytes.len() + body.len() > EXAMPLES_MAX {
            return None;
        }
        self.bytes.extend_from_slice(body);
        if self.bytes.len() * 2 < self.trained_bytes * 3 {
            return None;
        }
        self.trained_bytes = self.bytes.len();
        Trained::new(&self.bytes)
    }
}

// Nothing panics while it holds one of these locks but zstd, and then what they guard is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    // Making one takes longer than using it.
    static COMPRESSING: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static RESTORING: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

impl Compressed {
    fn new(body: &[u8], trained: &Arc<Trained>) -> Option<Self> {
        let mut bytes = Vec::with_capacity(zstd_safe::compress_bound(body.len()));
        COMPRESSING
            .with_borrow_mut(|context| context.compress_using_cdict(&mut bytes, body, &trained.compress))
            .ok()?;
        Some(Self { bytes: bytes.as_slice().into(), trained: Arc::clone(trained) })
    }

    /// The body as it was, which had this length.
    pub(crate) fn restore(&self, length: usize) -> Result<Vec<u8>, Unrestorable> {
        let mut body = Vec::with_capacity(length);
        let restored = RESTORING
            .with_borrow_mut(|context| context.decompress_using_ddict(&mut body, &self.bytes, &self.trained.restore));
        match restored {
            Ok(restored) if restored == length => Ok(body),
            _ => Err(Unrestorable),
        }
    }
}

impl fmt::Debug for Compressed {
    /// Its size alone; the content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compressed({} bytes)", self.bytes.len())
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} bytes of examples)", locked(&self.examples).bytes.len())
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

    fn compress(dictionary: &Dictionary, body: &[u8]) -> Option<Compressed> {
        dictionary.compress(body, Patience::Waits).unwrap()
    }

    #[test]
    fn while_one_thread_trains_the_others_compress_what_is_known_and_leave_what_is_new() {
        let dictionary = Dictionary::default();
        (0..40).for_each(|object| drop(compress(&dictionary, &body(0, object))));
        let training = dictionary.examples(Patience::Waits);
        let known = body(0, 1000);
        let compressed = dictionary.compress(&known, Patience::None).unwrap().unwrap();
        assert_eq!(compressed.restore(known.len()).unwrap(), known);
        assert!(matches!(dictionary.compress(&body(1, 0), Patience::None), Err(Busy)));
        drop(training);
        assert!(dictionary.compress(&body(1, 0), Patience::None).is_ok());
    }

    #[test]
    fn objects_of_many_templates_take_a_small_part_of_their_bytes_and_are_restored_exactly() {
        let dictionary = Dictionary::default();
        let (mut before, mut after) = (0, 0);
        for object in 0..2000 {
            let body = body(object % 40, object);
            if let Some(compressed) = compress(&dictionary, &body) {
                assert_eq!(compressed.restore(body.len()).unwrap(), body);
                (before, after) = (before + body.len(), after + compressed.bytes.len());
            } else {
                assert!(object < 400, "object {object} was left as it is");
            }
        }
        assert!(after * 10 < before, "{after} of {before} bytes");
        assert!(locked(&dictionary.examples).bytes.len() <= EXAMPLES_MAX);
    }

    #[test]
    fn what_does_not_compress_is_left_as_it_is_and_examples_are_bounded() {
        let dictionary = Dictionary::default();
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let body: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(10_000).collect();
            assert!(compress(&dictionary, &body).is_none());
        }
        assert!(locked(&dictionary.examples).bytes.len() <= EXAMPLES_MAX);
        let large = vec![b'x'; EXAMPLE_MAX + 1];
        assert!(compress(&dictionary, &large).is_some(), "a large one is compressed but does not become an example");
    }

    #[test]
    fn debug_output_shows_nothing_of_a_body() {
        let dictionary = Dictionary::default();
        compress(&dictionary, b"hunter2 hunter2 hunter2 hunter2 hunter2");
        let compressed = compress(&dictionary, b"hunter2 hunter2 hunter2 hunter2 hunter2").unwrap();
        assert!(!format!("{compressed:?} {dictionary:?}").contains("hunter"));
    }
}
