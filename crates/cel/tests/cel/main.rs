//! Expressions, and what kube-apiserver 1.37 makes of them.

mod composition;
mod expressions;
mod limits;
mod rules;
