//! One thing that Kubernetes does.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::place::Place;

/// A claim about Kubernetes, and how to see whether it holds.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// The claim, as words joined by underscores.
    pub name: &'static str,
    /// The theme, which is the file it stands in.
    pub theme: &'static str,
    /// The section of the facts about kube-apiserver that states it.
    pub fact: &'static str,
    /// Panics where the claim does not hold.
    pub(crate) test: fn(Arc<Place>) -> Test,
}

/// The course of one behaviour.
pub(crate) type Test = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Behaviour {
    /// `theme::name`, by which it is chosen and listed.
    pub fn path(&self) -> String {
        format!("{}::{}", self.theme, self.name)
    }
}

/// Lists the behaviours of a file under the facts they show: `behaviours!("1.5": a, b; "1.6": c)`.
macro_rules! behaviours {
    ($($fact:literal : $($name:ident),+ $(,)?);+ $(;)?) => {
        pub(crate) fn all() -> Vec<$crate::behaviour::Behaviour> {
            let theme = module_path!().rsplit("::").next().unwrap_or_default();
            vec![$($($crate::behaviour::Behaviour {
                name: stringify!($name),
                theme,
                fact: $fact,
test: |place| Box::pin(async move { $name(&place).await }),
            },)+)+]
        }
    };
}
pub(crate) use behaviours;
