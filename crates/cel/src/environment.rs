//! What an expression may refer to, and how it is compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checker::{self, Name};
use crate::composition::Composition;
use crate::cost::estimate;
use crate::evaluate::Program;
use crate::parser;
use crate::patch_types;
use crate::plan;
use crate::schema::{Declared, Schema};
use crate::source::Issues;
use crate::types::Type;
use crate::value::EvaluationError;

/// The variables that are declared. The functions are always those of Kubernetes.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: Vec<Variable>,
    composition: Option<Composed>,
    has_patch_types: bool,
}

#[derive(Debug, Clone)]
struct Variable {
    name: String,
    kind: Type,
    /// How large it can be, if a schema says.
    declared: Option<Arc<Declared>>,
}

/// `variables`, whose fields are expressions.
#[derive(Debug, Clone)]
struct Composed {
    kind: Type,
    places: Arc<BTreeMap<String, usize>>,
}

/// Why an expression cannot be evaluated at all.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// It cannot be read, or its types do not fit.
    #[error("compilation failed: {0}")]
    Invalid(Issues),
    /// A constant of it cannot be computed.
    #[error("program instantiation failed: {0}")]
    Instantiation(EvaluationError),
}

impl Environment {
    /// Without variables.
    #[must_use]
    pub fn new() -> Environment {
        Environment::default()
    }

    /// With one more variable.
    #[must_use]
    pub fn with(mut self, name: &str, kind: Type) -> Environment {
        self.variables.push(Variable { name: name.to_owned(), kind, declared: None });
        self
    }

    /// With a variable that a schema describes; `None` if the schema does not say what it describes.
    #[must_use]
    pub fn with_schema(self, name: &str, schema: &Schema) -> Option<Environment> {
        let declared = Arc::new(Declared::of(schema, "selfType")?);
        Some(self.with_declared(name, &declared, false))
    }

    /// With a variable that a schema describes, whose type has a name of its own in what is said about it; of any type if the
    /// schema does not say what it describes.
    #[must_use]
    pub fn with_named_schema(self, name: &str, schema: &Schema, type_name: &str) -> Environment {
        match Declared::of(schema, type_name) {
            Some(declared) => self.with_declared(name, &Arc::new(declared), false),
            None => self.with(name, Type::Dyn),
        }
    }

    /// With a variable that a schema describes; an optional one may have no value.
    pub(crate) fn with_declared(mut self, name: &str, declared: &Arc<Declared>, is_optional: bool) -> Environment {
        let kind = declared.kind.clone();
        let kind = if is_optional { Type::optional(kind) } else { kind };
        self.variables.push(Variable { name: name.to_owned(), kind, declared: Some(Arc::clone(declared)) });
        self
    }

    /// With `variables`, whose fields are the expressions of a composition.
    #[must_use]
    pub fn with_composition(mut self, composition: &Composition) -> Environment {
        let (kind, places) = composition.fields();
        self.composition = Some(Composed { kind, places: Arc::new(places) });
        self
    }

    /// With the types of patches: `Object{…}`, `JSONPatch{…}` and `jsonpatch.escapeKey()`.
    #[must_use]
    pub fn with_patch_types(mut self) -> Environment {
        self.has_patch_types = true;
        self
    }

    pub(crate) fn has_patch_types(&self) -> bool {
        self.has_patch_types
    }

    /// The type of patches that has this name.
    pub(crate) fn patch_type(&self, name: &str) -> Option<Type> {
        patch_types::named(name).filter(|_| self.has_patch_types)
    }

    /// Where the composition has a variable.
    pub(crate) fn composed_place(&self, name: &str) -> Option<usize> {
        self.composition.as_ref()?.places.get(name).copied()
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Type> {
        if name == COMPOSITION {
            return self.composition.as_ref().map(|composition| &composition.kind);
        }
        self.variables.iter().find(|variable| variable.name == name).map(|variable| &variable.kind)
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// The most characters, items or entries at a path, which begins with a variable.
    ///
    /// As Kubernetes does it, whatever the variable, the path is looked up from the one that has a schema.
    pub(crate) fn elements_max(&self, path: &[String]) -> Option<i64> {
        let (_, below) = path.split_first()?;
        let declared = self.variables.iter().find_map(|variable| variable.declared.as_ref())?;
        declared.below(below).map(|found| found.elements_max)
    }

    /// Compiles an expression.
    ///
    /// # Errors
    /// With everything that is wrong with it.
    pub fn compile(&self, text: &str) -> Result<Program, CompileError> {
        let expr = parser::parse(text).map_err(CompileError::Invalid)?;
        let checked = checker::check(self, &expr).map_err(|issues| CompileError::Invalid(Issues::new(text, issues)))?;
        let cost = estimate(self, &expr, &checked);
        let root = plan::plan(self, &expr, &checked).map_err(CompileError::Instantiation)?;
        let variables = checked.names.values().filter_map(|name| match name {
            Name::Variable(name) => Some(name.clone()),
            _ => None,
        });
        Ok(Program::new(root, checked.type_of(&expr).clone(), cost, variables.collect()))
    }
}

/// The name under which a composition is known.
pub(crate) const COMPOSITION: &str = "variables";
