//! A document in pieces: what is printed for it, and in between the schemas of definitions as they lie in the store.
//!
//! The schemas of a group can be megabytes, and they are stored as the very text that a document has. So a document holds
//! them without a copy, and making one costs what is written around them.

use bytes::Bytes;
use serde::Serialize;

/// A document that is ready.
#[derive(Clone, Default)]
pub(in crate::catalog) struct Printed(Vec<Bytes>);

impl Printed {
    pub(super) fn pieces(&self) -> Vec<Bytes> {
        self.0.clone()
    }

    /// The whole text, copied.
    pub(super) fn text(&self) -> Vec<u8> {
        self.0.concat()
    }
}

/// Prints a document.
#[derive(Default)]
pub(super) struct Printer {
    done: Vec<Bytes>,
    open: Vec<u8>,
}

impl Printer {
    /// What was printed.
    pub(super) fn finish(mut self) -> Printed {
        self.close();
        Printed(self.done)
    }

    /// Prints a value.
    pub(super) fn value(&mut self, value: &impl Serialize) {
        serde_json::to_writer(&mut self.open, value)
            .expect("memory takes what is written, and what was JSON prints as JSON");
    }

    /// Adds text that is JSON already; shared, unless it is so short that a copy costs less.
    pub(super) fn text(&mut self, text: &Bytes) {
        if text.len() < SHARED_BYTES_MIN {
            self.open.extend_from_slice(text);
        } else {
            self.close();
            self.done.push(text.clone());
        }
    }

    /// Prints an object whose fields are printed by what is given.
    pub(super) fn object(&mut self, print: impl FnOnce(&mut Fields<'_>)) {
        self.open.push(b'{');
        print(&mut Fields { printer: self, is_first: true });
        self.open.push(b'}');
    }

    /// Ends the piece that is being written.
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.done.push(std::mem::take(&mut self.open).into_boxed_slice().into());
        }
    }
}

/// An object of which fields are still to come.
pub(super) struct Fields<'a> {
    printer: &'a mut Printer,
    is_first: bool,
}

impl Fields<'_> {
    /// Begins a field; what is printed next is its value.
    pub(super) fn field(&mut self, name: &str) -> &mut Printer {
        self.separate();
        self.printer.value(&name);
        self.printer.open.push(b':');
        self.printer
    }

    /// Prints one or more fields that are JSON already.
    pub(super) fn fields(&mut self, print: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        print(&mut self.printer.open);
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.printer.open.push(b',');
        }
    }
}

/// A shorter text is copied: every piece costs a frame on the connection.
const SHARED_BYTES_MIN: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shared_and_short_ones_are_copied() {
        let (long, short) = (Bytes::from(vec![b'1'; SHARED_BYTES_MIN]), Bytes::from_static(b"2"));
        let mut printer = Printer::default();
        printer.object(|fields| {
            fields.field("a\"").text(&short);
            fields.field("b").text(&long);
            fields.field("c").object(|_| ());
            fields.field("d").value(&[true]);
        });
        let printed = printer.finish();
        let pieces = printed.pieces();
        assert_eq!(pieces.len(), 3);
        assert_eq!(pieces[0], r#"{"a\"":2,"b":"#);
        assert_eq!(pieces[1].as_ptr(), long.as_ptr(), "it is the same memory");
        assert_eq!(pieces[2], r#","c":{},"d":[true]}"#);
        assert_eq!(printed.text(), pieces.concat());
    }
}
