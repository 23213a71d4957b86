//! `fieldPath`: where the violation of a rule is reported, from the place of the rule.
//!
//! A path is `.name`, `['name']` and so on, and every step of it is a property of the schema, or a key of a map.

use crate::schema::Schema;

/// The path as errors print it, or why it is none.
pub(super) fn normalized(path: &str, schema: &Schema) -> Result<String, String> {
    let mut printed = String::new();
    let mut schema = schema;
    let mut rest = path;
    while !rest.is_empty() {
        let (name, after) = step(rest)?;
        rest = after;
        if schema.properties.is_empty() {
            schema = schema.additional().ok_or("does not refer to a valid field")?;
            printed.push_str(&format!("[{name}]"));
        } else {
            schema = schema.properties.get(&name).ok_or("does not refer to a valid field")?;
            if !printed.is_empty() {
                printed.push('.');
            }
            printed.push_str(&name);
        }
    }
    Ok(printed)
}

/// The next name, and what follows it.
fn step(text: &str) -> Result<(String, &str), String> {
    if let Some(after) = text.strip_prefix('.') {
        let end = after.find(['.', '[', ']']).unwrap_or(after.len());
        return match end {
            0 => Err("unexpected end of JSON path".to_owned()),
            end => Ok((after[..end].to_owned(), &after[end..])),
        };
    }
    let Some(quoted) = text.strip_prefix('[') else { return Err(format!("expected [ or . but got: {text}")) };
    let inner = quoted.strip_prefix('\'').ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
    let mut name = String::new();
    let mut characters = inner.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' => {
                let after = inner[at + 1..].strip_prefix(']').ok_or("expected ]")?;
                return Ok((name, after));
            }
            '\\' => name.push(escaped(characters.next().map(|(_, escaped)| escaped))?),
            other => name.push(other),
        }
    }
    Err("unexpected end of JSON path".to_owned())
}

fn escaped(character: Option<char>) -> Result<char, String> {
    Ok(match character {
        Some('a') => '\u{7}',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('v') => '\u{b}',
        Some(sign @ ('\'' | '\\')) => sign,
        _ => return Err("invalid escape char".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::Root;

    #[test]
    fn a_path_follows_the_schema() {
        let schema = json!({"properties": {"a": {"properties": {"b.c": {"type": "string"}}},
            "m": {"additionalProperties": {"type": "string"}}}});
        let schema = Schema::read(&schema, Root::Part);
        let table = [
            (".a", Some("a")),
            (".a['b.c']", Some("a.b.c")),
            ("['a']", Some("a")),
            (".m.k", Some("m[k]")),
            (".m['x\\'y']", Some("m[x'y]")),
            (".zz", None),
            ("a", None),
            (".a[0]", None),
            (".", None),
        ];
        for (path, expected) in table {
            assert_eq!(normalized(path, &schema).ok().as_deref(), expected, "{path}");
        }
    }
}
