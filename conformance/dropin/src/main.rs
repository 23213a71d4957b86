//! Programs written for kube 5, built twice: once against kube, once against Pintle. What they print must be the same.
//!
//! `calls` and `parts` send every call of `Api` to a service that writes it down; `words` prints what the vocabulary prints;
//! `kinds` and `attributes` print what the derive macros make; `errors` prints errors; `streams` prints what filters, stores and conditions let through;
//! `controllers` prints what triggers, the applier and schedulers make of their input;
//! `roads` prints what kubeconfigs, layers and clients made by hand come to; `operator`, `frameworks`, `failures`, `traits` and `imports` need only
//! compile.

mod attributes;
mod calls;
mod controllers;
mod errors;
mod failures;
mod frameworks;
mod imports;
mod kinds;
mod operator;
mod parts;
mod places;
mod roads;
mod served;
mod streams;
mod traits;
mod words;

use std::sync::Arc;

use futures::future::BoxFuture;
use kube::runtime::controller::Action;

#[tokio::main]
async fn main() {
    words::print();
    kinds::print();
    attributes::print();
    errors::print();
    calls::print().await;
    parts::print().await;
    served::print().await;
    streams::print().await;
    controllers::print().await;
    places::print().await;
    roads::print().await;
    // Never run: that they compile against both is what they are for.
    let _ = (operator::run, failures::sort, places::terminal, controllers::run, controllers::wait, parts::infer);
    traits::hold();
    let _ = (imports::followed::run, imports::reflected::run, imports::stored::run, imports::patient::run);
    let _ = (imports::deprecated::run, frameworks::run::<kinds::Document, (), Framed>);
}

/// A program of a framework.
struct Framed;

impl frameworks::Handler<kinds::Document, ()> for Framed {
    fn handle<'a>(_: Arc<kinds::Document>, _: Arc<()>) -> BoxFuture<'a, Result<Action, kube::Error>>
    where
        Self: 'a,
    {
        Box::pin(async { Ok(Action::await_change()) })
    }
}
