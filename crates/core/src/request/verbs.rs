//! What is asked of objects and collections as a whole.

use serde::Serialize;

use super::{Error, Printed, Request, print, print_patch};
use crate::call::Call;
use crate::params::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, WatchParams};

impl Request {
    /// Lists the collection.
    pub fn list(&self, lp: &ListParams) -> Printed {
        print(self.collection().and_then(|target| Call::list(target, lp)), Vec::new())
    }

    /// Follows the collection from version `ver` on.
    pub fn watch(&self, wp: &WatchParams, ver: &str) -> Printed {
        print(self.collection().and_then(|target| Call::watch(target, wp, ver)), Vec::new())
    }

    /// Reads the object `name`.
    pub fn get(&self, name: &str, gp: &GetParams) -> Printed {
        print(self.object(name).and_then(|target| Call::get(target, gp)), Vec::new())
    }

    /// Creates an object; `data` is its JSON.
    pub fn create(&self, pp: &PostParams, data: Vec<u8>) -> Printed {
        print(self.collection().and_then(|target| Call::create(target, pp)), data)
    }

    /// Deletes the object `name`.
    pub fn delete(&self, name: &str, dp: &DeleteParams) -> Printed {
        let body = serde_json::to_vec(dp).map_err(Error::SerializeBody)?;
        print(self.object(name).and_then(Call::delete), body)
    }

    /// Deletes every object that `lp` selects.
    pub fn delete_collection(&self, dp: &DeleteParams, lp: &ListParams) -> Printed {
        // kube sends no body where nothing is set about the deletion.
        let says_nothing = *dp == DeleteParams::default();
        let body = if says_nothing { Vec::new() } else { serde_json::to_vec(dp).map_err(Error::SerializeBody)? };
        print(self.collection().and_then(|target| Call::delete_collection(target, lp)), body)
    }

    /// Changes parts of the object `name`.
    pub fn patch<P: Serialize>(&self, name: &str, pp: &PatchParams, patch: &Patch<P>) -> Printed {
        print_patch(self.object(name), pp, patch, Call::into)
    }

    /// Replaces the object `name`; `data` is its JSON.
    pub fn replace(&self, name: &str, pp: &PostParams, data: Vec<u8>) -> Printed {
        print(self.object(name).and_then(|target| Call::replace(target, pp)), data)
    }
}
