//! Which types fit each other, and what that says about the types that are still to be found out.
//!
//! Trying an overload may bind parameters; if it does not fit, what it bound is undone.

use std::collections::HashMap;

use crate::functions::Overload;
use crate::types::Type;

/// What the parameters turned out to be.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    bound: HashMap<u32, Type>,
    /// What was bound before, in the order of changes, so that they can be undone.
    trail: Vec<(u32, Option<Type>)>,
    made: u32,
}

impl Substitution {
    /// A type to be found out.
    pub(super) fn fresh(&mut self) -> Type {
        self.made += 1;
        Type::Parameter(self.made - 1)
    }

    /// The arguments and the result of an overload, with parameters of their own.
    pub(super) fn instance(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        if !overload.is_generic {
            return (overload.arguments.clone(), overload.result.clone());
        }
        let mut own = HashMap::new();
        let mut renamed = |found: &Type| self.renamed(found, &mut own);
        let arguments = overload.arguments.iter().map(&mut renamed).collect();
        (arguments, renamed(&overload.result))
    }

    fn renamed(&mut self, found: &Type, own: &mut HashMap<u32, Type>) -> Type {
        match found {
            Type::Parameter(number) => own.entry(*number).or_insert_with(|| self.fresh()).clone(),
            other => other.map_parameters(|inner| self.renamed(inner, own)),
        }
    }

    /// A type with everything put in that is known.
    pub(super) fn resolved(&self, found: &Type) -> Type {
        match found {
            Type::Parameter(number) => match self.bound.get(number) {
                Some(known) => self.resolved(known),
                None => found.clone(),
            },
            other => other.map_parameters(|inner| self.resolved(inner)),
        }
    }

    /// As [`resolved`](Self::resolved); what is not known is `dyn`.
    pub(super) fn resolved_or_dyn(&self, found: &Type) -> Type {
        match found {
            Type::Parameter(number) => self.bound.get(number).map_or(Type::Dyn, |known| self.resolved_or_dyn(known)),
            other => other.map_parameters(|inner| self.resolved_or_dyn(inner)),
        }
    }

    pub(super) fn is_assignable(&mut self, one: &Type, other: &Type) -> bool {
        self.are_assignable(std::slice::from_ref(one), std::slice::from_ref(other))
    }

    /// Whether all of these fit; if not, nothing is bound.
    pub(super) fn are_assignable(&mut self, ones: &[Type], others: &[Type]) -> bool {
        self.trail.clear();
        let fits = ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| self.fits(one, other));
        if !fits {
            while let Some((number, before)) = self.trail.pop() {
                match before {
                    Some(before) => self.bound.insert(number, before),
                    None => self.bound.remove(&number),
                };
            }
        }
        fits
    }

    fn fits(&mut self, one: &Type, other: &Type) -> bool {
        if let Type::Parameter(number) = other {
            match self.bind(one, *number) {
                Bound::Fits => return true,
                Bound::Conflicts => return false,
                Bound::Cyclic => {}
            }
        }
        if let Type::Parameter(number) = one {
            return matches!(self.bind(other, *number), Bound::Fits);
        }
        if one.is_dyn_or_error() || other.is_dyn_or_error() {
            return true;
        }
        match (one, other) {
            (Type::Null, Type::Null) => true,
            (Type::Null, nullable) | (nullable, Type::Null) => is_nullable(nullable),
            (Type::Type(_), Type::Type(_)) => true,
            (one, other) if !one.is_same_head(other) => false,
            (one, other) => {
                let pairs: Vec<(Type, Type)> = one
                    .parameters()
                    .into_iter()
                    .zip(other.parameters())
                    .map(|(one, other)| (one.clone(), other.clone()))
                    .collect();
                pairs.iter().all(|(one, other)| self.fits(one, other))
            }
        }
    }

    /// Makes a parameter a type, if it can be that.
    fn bind(&mut self, found: &Type, number: u32) -> Bound {
        if matches!(found, Type::Parameter(same) if *same == number) {
            return Bound::Fits;
        }
        if let Some(known) = self.bound.get(&number).cloned() {
            if found.is_same(&known) {
                return Bound::Fits;
            }
            if !self.fits(found, &known) {
                return Bound::Conflicts;
            }
            let general = most_general(found, &known);
            if !self.refers(&general, number) {
                self.set(number, general);
            }
            return Bound::Fits;
        }
        if self.refers(found, number) {
            return Bound::Cyclic;
        }
        self.set(number, found.clone());
        Bound::Fits
    }

    fn set(&mut self, number: u32, found: Type) {
        let before = self.bound.insert(number, found);
        self.trail.push((number, before));
    }

    /// Whether a parameter is in a type.
    fn refers(&self, within: &Type, number: u32) -> bool {
        match within {
            Type::Parameter(same) if *same == number => true,
            Type::Parameter(other) => self.bound.get(other).is_some_and(|known| self.refers(known, number)),
            other => other.parameters().into_iter().any(|inner| self.refers(inner, number)),
        }
    }
}

enum Bound {
    Fits,
    Conflicts,
    /// It would contain itself.
    Cyclic,
}

fn is_nullable(found: &Type) -> bool {
    matches!(found, Type::Object(_) | Type::Opaque(_) | Type::Optional(_) | Type::Duration | Type::Timestamp)
}

/// That of two types which says less.
pub(super) fn most_general(one: &Type, other: &Type) -> Type {
    if says_less(one, other) { one.clone() } else { other.clone() }
}

fn says_less(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Dyn | Type::Parameter(_), _) => true,
        (_, Type::Dyn | Type::Parameter(_)) => false,
        (Type::Type(_), Type::Type(_)) => true,
        (one, other) => {
            one.is_same_head(other)
                && one.parameters().into_iter().zip(other.parameters()).all(|(one, other)| says_less(one, other))
        }
    }
}
