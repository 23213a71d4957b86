//! Expressions, and what kube-apiserver 1.37 makes of them.

mod expressions;
mod limits;
mod rules;
