//! The same calls, answered with metadata alone.

use serde::Serialize;

use super::{Printed, Request, print, print_patch};
use crate::call::Call;
use crate::params::{GetParams, ListParams, Patch, PatchParams, WatchParams};

impl Request {
    /// Reads the metadata of the object `name`.
    pub fn get_metadata(&self, name: &str, gp: &GetParams) -> Printed {
        print(self.object(name).and_then(|target| Call::get(target, gp)).map(Call::metadata), Vec::new())
    }

    /// Lists the metadata of the collection.
    pub fn list_metadata(&self, lp: &ListParams) -> Printed {
        print(self.collection().and_then(|target| Call::list(target, lp)).map(Call::metadata), Vec::new())
    }

    /// Follows the metadata of the collection from version `ver` on.
    pub fn watch_metadata(&self, wp: &WatchParams, ver: &str) -> Printed {
        print(self.collection().and_then(|target| Call::watch(target, wp, ver)).map(Call::metadata), Vec::new())
    }

    /// Changes parts of the object `name` and asks for its metadata alone.
    pub fn patch_metadata<P: Serialize>(&self, name: &str, pp: &PatchParams, patch: &Patch<P>) -> Printed {
        print_patch(self.object(name), pp, patch, Call::metadata)
    }
}
