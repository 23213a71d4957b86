//! What errors print: programs log `{error}` and some compare it.

use kube::core::{DynamicObject, GroupVersionKind};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{controller, finalizer, watcher};

/// A program's own error.
#[derive(Debug, thiserror::Error)]
#[error("the disk is full")]
struct Full;

pub fn print() {
    for error in [
        finalizer::Error::ApplyFailed(Full),
        finalizer::Error::CleanupFailed(Full),
        finalizer::Error::UnnamedObject,
        finalizer::Error::InvalidFinalizer,
    ] {
        println!("{error}");
    }
    let pods = kube::core::ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    let object = || Box::new(ObjectRef::<DynamicObject>::new_with("a", pods.clone()).within("prod"));
    let errors: [controller::Error<Full, Full>; 3] = [
        controller::Error::ObjectNotFound(object()),
        controller::Error::ReconcilerFailed(Full, object()),
        controller::Error::QueueError(Full),
    ];
    for error in &errors {
        println!("{error}");
        println!("{:?}", std::error::Error::source(error).map(ToString::to_string));
    }
    println!("{}", watcher::Error::NoResourceVersion);
    let wrong = || kube::Error::SerdeError(serde_json::from_str::<u8>("x").expect_err("it is not a number"));
    println!("{}", wrong());
    for error in
        [watcher::Error::InitialListFailed(wrong()), watcher::Error::WatchStartFailed(wrong()), watcher::Error::WatchFailed(wrong())]
    {
        println!("{error}");
    }
}
