//! What is asked of parts of objects, and the small changes of [`util`](crate::util).

use jiff::Timestamp;
use serde::Serialize;

use super::{Printed, Request, print, print_patch};
use crate::call::Call;
use crate::params::{GetParams, Patch, PatchParams, PostParams};
use crate::subresource::{EvictParams, LogParams};
use crate::util::{Schedulable, restart_patch, schedulable_patch};

impl Request {
    /// Reads the part `subresource_name` of the object `name`.
    pub fn get_subresource(&self, subresource_name: &str, name: &str) -> Printed {
        let target = self.part(subresource_name, name);
        print(target.and_then(|target| Call::get(target, &GetParams::default())), Vec::new())
    }

    /// Creates the part `subresource_name` of the object `name`; `data` is its JSON.
    pub fn create_subresource(&self, subresource_name: &str, name: &str, pp: &PostParams, data: Vec<u8>) -> Printed {
        print(self.part(subresource_name, name).and_then(|target| Call::create(target, pp)), data)
    }

    /// Changes parts of the part `subresource_name` of the object `name`.
    pub fn patch_subresource<P: Serialize>(
        &self,
        subresource_name: &str,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Printed {
        print_patch(self.part(subresource_name, name), pp, patch, Call::into)
    }

    /// Replaces the part `subresource_name` of the object `name`; `data` is its JSON.
    pub fn replace_subresource(&self, subresource_name: &str, name: &str, pp: &PostParams, data: Vec<u8>) -> Printed {
        print(self.part(subresource_name, name).and_then(|target| Call::replace(target, pp)), data)
    }

    /// Reads the log of the pod `name`.
    pub fn logs(&self, name: &str, lp: &LogParams) -> Printed {
        print(self.object(name).and_then(|target| Call::logs(target, lp)), Vec::new())
    }

    /// Asks for the eviction of the pod `name`.
    pub fn evict(&self, name: &str, ep: &EvictParams) -> Printed {
        print(self.part("eviction", name).and_then(|target| Call::create(target, &ep.post_options)), ep.body(name)?)
    }

    /// Restarts the pods of the workload `name` by noting the time in its pod template.
    pub fn restart(&self, name: &str) -> Printed {
        self.patch(name, &PatchParams::default(), &Patch::Merge(restart_patch(Timestamp::now())))
    }

    /// Closes the node `name` to new pods.
    pub fn cordon(&self, name: &str) -> Printed {
        self.patch(name, &PatchParams::default(), &Patch::Strategic(schedulable_patch(Schedulable::No)))
    }

    /// Opens the node `name` to new pods again.
    pub fn uncordon(&self, name: &str) -> Printed {
        self.patch(name, &PatchParams::default(), &Patch::Strategic(schedulable_patch(Schedulable::Yes)))
    }
}
