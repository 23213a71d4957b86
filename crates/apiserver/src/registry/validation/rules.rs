//! Checks as data: which fields of a struct have to be what.
//!
//! In: a struct and the table of its fields. Out: the errors, in the order of the table. What hangs on more than one field is
//! written as code beside the table.

use std::net::IpAddr;

use crate::registry::validation::field::Field;
use crate::registry::validation::{ip_address, names, qualified_names};
use crate::response::status::FieldError;

/// Names of fields and what each has to be; an empty name is the struct itself.
pub(crate) type Rules = &'static [(&'static str, Rule)];

/// What a field has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    /// There.
    Required,
    /// There, with this sentence.
    RequiredBecause(&'static str),
    /// One of these, if there is anything.
    OneOf(&'static [&'static str]),
    /// One of these, even if there is nothing.
    Choice(&'static [&'static str]),
    /// Zero or more.
    NotNegative,
    /// More than zero, with this sentence.
    Positive(&'static str),
    /// In a range.
    Between(i64, i64),
    /// A user or group of Linux.
    Identity,
    /// The bits of a file's permissions.
    FileMode,
    /// The number or the name of a port.
    Port,
    /// A path that begins with a slash.
    AbsolutePath,
    /// A path that does not leave the folder it is in.
    RelativePath,
    /// The same, and what it begins with is not kept for the server.
    FilePath,
    /// A path that does not go up.
    NoBacksteps,
    /// A DNS subdomain, if there is anything.
    Subdomain,
    /// A DNS label, if there is anything.
    Label,
    /// A key such as `example.com/name`.
    Key,
    /// A key of a ConfigMap or Secret, if there is anything.
    ConfigKey,
    /// An IP address.
    Address,
    /// Not there, with this sentence.
    Forbidden(&'static str),
}

/// What breaks the rules of a struct.
pub(crate) fn errors(place: &Field<'_>, rules: Rules) -> Vec<FieldError> {
    let field = |name: &'static str| if name.is_empty() { place.clone() } else { place.field(name) };
    rules.iter().flat_map(|(name, rule)| rule.errors(&field(name))).collect()
}

impl Rule {
    /// What is wrong with a field.
    pub(crate) fn errors(self, field: &Field<'_>) -> Vec<FieldError> {
        let texts = |wrong: Vec<String>| wrong.iter().map(|why| field.wrong_text(why)).collect();
        match self {
            Rule::Subdomain => field.subdomain(),
            Rule::Label => field.label(),
            Rule::Key => texts(qualified_names::key(field.text())),
            Rule::ConfigKey => field.named(names::config_key),
            Rule::Port => port(field),
            Rule::RelativePath => relative(field, false),
            Rule::FilePath => relative(field, true),
            _ => self.error(field).into_iter().collect(),
        }
    }

    fn error(self, field: &Field<'_>) -> Option<FieldError> {
        let number = field.value.as_i64();
        match self {
            Rule::Required => field.required(),
            Rule::RequiredBecause(why) => field.required_because(why),
            Rule::OneOf(known) => field.one_of(known),
            Rule::Choice(known) => {
                let is_known = known.contains(&field.text());
                (!is_known).then(|| FieldError::not_supported(&field.path, field.text(), known))
            }
            Rule::NotNegative => field.not_negative(),
            Rule::Positive(why) => number.is_some_and(|number| number <= 0).then(|| field.wrong(why)),
            Rule::Between(least, most) => field.between(least, most),
            Rule::Identity => field.between(0, i64::from(i32::MAX)),
            Rule::FileMode => {
                let is_wrong = number.is_some_and(|mode| !(0..=0o777).contains(&mode));
                is_wrong.then(|| field.wrong("must be a number between 0 and 0777 (octal), both inclusive"))
            }
            Rule::AbsolutePath => {
                let is_wrong = !field.is_empty() && !field.text().starts_with('/');
                is_wrong.then(|| field.wrong_text("must be an absolute path"))
            }
            Rule::NoBacksteps => goes_up(field.text()).then(|| field.wrong_text("must not contain '..'")),
            Rule::Address => field.text().parse::<IpAddr>().is_err().then(|| field.wrong_text(ip_address::REFUSED)),
            Rule::Forbidden(why) => (!field.value.is_null()).then(|| field.forbidden(why)),
            Rule::Subdomain
            | Rule::Label
            | Rule::Key
            | Rule::ConfigKey
            | Rule::Port
            | Rule::RelativePath
            | Rule::FilePath => None,
        }
    }
}

fn port(port: &Field<'_>) -> Vec<FieldError> {
    if port.value.is_string() {
        return names::port_name(port.text()).iter().map(|why| port.wrong_text(why)).collect();
    }
    let number = port.value.as_i64().unwrap_or_default();
    let is_wrong = !(1..=PORT_MAX).contains(&number);
    let error = || FieldError::invalid(&port.path, &number.to_string(), "must be between 1 and 65535, inclusive");
    is_wrong.then(error).into_iter().collect()
}

fn relative(path: &Field<'_>, is_file: bool) -> Vec<FieldError> {
    let text = path.text();
    let mut errors = Vec::new();
    if text.starts_with('/') {
        errors.push(path.wrong_text("must be a relative path"));
    }
    errors.extend(goes_up(text).then(|| path.wrong_text("must not contain '..'")));
    if is_file && text.starts_with("..") && !text.starts_with("../") {
        errors.push(path.wrong_text("must not start with '..'"));
    }
    errors
}

fn goes_up(path: &str) -> bool {
    path.split('/').any(|step| step == "..")
}

/// The largest number of a port.
pub(crate) const PORT_MAX: i64 = 65535;
