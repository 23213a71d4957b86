//! One definition, its rules, and objects of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::expression::Writer;
use super::types::Type;
use super::{Answer, Findings, Servers};

/// A definition with rules that nobody has seen yet.
pub(super) struct Round {
    number: usize,
    places: Vec<Place>,
}

/// A property with one rule.
struct Place {
    kind: Type,
    schema: Value,
    rule: Value,
}

impl Round {
    pub(super) fn new(random: &mut fastrand::Rng, number: usize, places: usize) -> Round {
        let places = (0..places).map(|_| Place::new(random)).collect();
        Round { number, places }
    }

    /// Asks both servers, and notes what differs.
    pub(super) async fn run(
        &self,
        random: &mut fastrand::Rng,
        servers: &Servers<'_>,
        found: &mut Findings,
    ) -> Result<(), String> {
        found.rules += self.places.len();
        let mut said: Said = BTreeMap::new();
        let all: BTreeSet<usize> = (0..self.places.len()).collect();
        let kept = self.install(servers, all, &mut said).await?;
        found.installed += kept.len();
        let objects = self.objects_path();
        servers.await_served(&objects).await?;
        for turn in 0..OBJECTS {
            let object = self.object(random, turn);
            let answers = servers.ask("POST", &format!("{objects}?dryRun=All"), &object).await?;
            found.violations += note(&answers, &mut said, &format!("created {}", object["spec"]));
        }
        self.change(random, servers, found, &mut said).await?;
        servers.ask("DELETE", &self.definition_path(), &Value::Null).await?;
        for (place, both) in said {
            let differs = both.iter().find(|heard| heard.kube != heard.embedded);
            let is_panic = |said: &String| PANICS.iter().any(|panic| said.contains(panic));
            if differs.is_some_and(|heard| heard.kube.iter().any(is_panic)) {
                found.panics += 1;
                continue;
            }
            if let Some(Heard { about, kube, embedded }) = differs {
                let rule = match place.and_then(|place| self.places.get(place)) {
                    Some(Place { rule, schema, .. }) => format!("{rule}\n    of        {schema}"),
                    None => "all together".to_owned(),
                };
                let about = format!("    when      {about}");
                found.differing.push(format!("{rule}\n{about}\n    kube      {kube:?}\n    embedded  {embedded:?}"));
            }
        }
        Ok(())
    }

    /// Installs the definition with as many of its rules as both servers take; says which.
    async fn install(
        &self,
        servers: &Servers<'_>,
        mut kept: BTreeSet<usize>,
        said: &mut Said,
    ) -> Result<BTreeSet<usize>, String> {
        loop {
            let answers = servers.ask("POST", DEFINITIONS, &self.definition(&kept)).await?;
            note(&answers, said, "installed");
            if answers.iter().all(|answer| answer.code == 201) {
                return Ok(kept);
            }
            if kept.is_empty() {
                return Err(format!("a definition without rules is refused: {}", answers[0].body));
            }
            // One of them may have taken it.
            servers.ask("DELETE", &self.definition_path(), &Value::Null).await?;
            let refused: BTreeSet<usize> =
                answers.iter().flat_map(causes).filter_map(|(field, _)| place(&field)).collect();
            let before = kept.len();
            kept.retain(|place| !refused.contains(place));
            if kept.len() == before {
                kept = kept.into_iter().take(before / 2).collect();
            }
        }
    }

    /// Stores an object and tries to change it.
    async fn change(
        &self,
        random: &mut fastrand::Rng,
        servers: &Servers<'_>,
        found: &mut Findings,
        said: &mut Said,
    ) -> Result<(), String> {
        let objects = self.objects_path();
        // Rarely does one please all rules; a place whose rule is violated is left empty.
        let mut object = self.object(random, 0);
        let stored = loop {
            let answers = servers.ask("POST", &objects, &object).await?;
            note(&answers, said, &format!("stored {}", object["spec"]));
            if answers.iter().all(|answer| answer.code == 201) {
                break answers;
            }
            let violated: BTreeSet<usize> =
                answers.iter().flat_map(causes).filter_map(|(field, _)| place(&field)).collect();
            let Some(spec) = object["spec"].as_object_mut().filter(|spec| !violated.is_empty() && !spec.is_empty())
            else {
                return Ok(());
            };
            spec.retain(|name, _| place(&format!("spec.{name}")).is_none_or(|place| !violated.contains(&place)));
            servers.ask("DELETE", &format!("{objects}/thing-0"), &Value::Null).await?;
        };
        let path = format!("{objects}/thing-0");
        for _ in 0..CHANGES {
            let mut changed = stored[0].body["spec"].clone();
            for (place, Place { kind, .. }) in self.places.iter().enumerate() {
                if random.u8(..2) == 0 {
                    changed[format!("p{place}")] = kind.value(random);
                }
            }
            let about = format!("changed {} to {changed}", stored[0].body["spec"]);
            let patch = json!([{"op": "replace", "path": "/spec", "value": changed}]);
            let answers = servers.patch(&format!("{path}?dryRun=All"), &patch).await?;
            found.violations += note(&answers, said, &about);
        }
        Ok(())
    }

    fn definition(&self, kept: &BTreeSet<usize>) -> Value {
        let mut properties = Map::new();
        for (number, place) in self.places.iter().enumerate() {
            let mut schema = place.schema.clone();
            if kept.contains(&number) {
                schema["x-kubernetes-validations"] = json!([place.rule]);
            }
            properties.insert(format!("p{number}"), schema);
        }
        let spec = json!({"type": "object", "properties": properties});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("things.{}", self.group())},
            "spec": {
                "group": self.group(), "scope": "Cluster",
                "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        })
    }

    fn object(&self, random: &mut fastrand::Rng, turn: usize) -> Value {
        let mut spec = Map::new();
        for (number, place) in self.places.iter().enumerate() {
            if random.u8(..8) > 0 {
                spec.insert(format!("p{number}"), place.kind.value(random));
            }
        }
        let metadata = json!({"name": format!("thing-{turn}")});
        json!({"apiVersion": self.version(), "kind": "Thing", "metadata": metadata, "spec": spec})
    }

    fn group(&self) -> String {
        format!("r{}.cel.example.com", self.number)
    }

    fn version(&self) -> String {
        format!("{}/v1", self.group())
    }

    fn definition_path(&self) -> String {
        format!("{DEFINITIONS}/things.{}", self.group())
    }

    fn objects_path(&self) -> String {
        format!("/apis/{}/things", self.version())
    }
}

impl Place {
    fn new(random: &mut fastrand::Rng) -> Place {
        let kind = Type::of_schema(random, 2);
        let schema = kind.schema(random);
        let depth = random.usize(1..4);
        let is_transition = random.u8(..6) == 0;
        let mut writer = Writer::new(random, &kind);
        if is_transition {
            writer = writer.with_old_self();
        }
        let mut rule = json!({"rule": writer.write(&Type::Bool, depth)});
        if random.u8(..6) == 0 {
            rule["messageExpression"] = Writer::new(random, &kind).write(&Type::Text, 2).into();
        }
        if is_transition && random.u8(..4) == 0 {
            rule["optionalOldSelf"] = true.into();
        }
        Place { kind, schema, rule }
    }
}

/// What was heard of each place; of none in particular under `None`.
type Said = BTreeMap<Option<usize>, Vec<Heard>>;

/// What both said about one request.
struct Heard {
    about: String,
    kube: Vec<String>,
    embedded: Vec<String>,
}

/// Notes the causes of two answers by place; says how many the real server named.
fn note(answers: &[Answer; 2], said: &mut Said, about: &str) -> usize {
    let mut both: BTreeMap<Option<usize>, [Vec<String>; 2]> = BTreeMap::new();
    for (side, answer) in answers.iter().enumerate() {
        for (field, message) in causes(answer) {
            // Of rules that cost the same, real Kubernetes names some by chance; how many is no chance.
            let (place, said) = match message.contains(CONTRIBUTED) {
                true => (None, message),
                false => (place(&field), format!("{field}: {message}")),
            };
            both.entry(place).or_default()[side].push(said);
        }
    }
    // Where the schema itself is violated, rules are not looked at: what differs then is one thing.
    let is_blocked =
        |answer: &Answer| causes(answer).any(|(_, message)| BLOCKING.iter().any(|reason| message.starts_with(reason)));
    if answers.iter().any(is_blocked) {
        let everything = |side: usize| both.values().flat_map(|sides| sides[side].clone()).collect();
        both = BTreeMap::from([(None, [everything(0), everything(1)])]);
    } else if both.is_empty() {
        // Otherwise, that one refuses what the other takes is said by the causes.
        both.insert(None, [0, 1].map(|side| vec![answers[side].code.to_string()]));
    }
    // Go walks maps in any order.
    both.values_mut().flatten().for_each(|said| said.sort());
    let count = causes(&answers[0]).count();
    for (place, [kube, embedded]) in both {
        said.entry(place).or_default().push(Heard { about: about.to_owned(), kube, embedded });
    }
    count
}

fn causes(answer: &Answer) -> impl Iterator<Item = (String, String)> {
    let causes = answer.body.pointer("/details/causes").and_then(Value::as_array).into_iter().flatten();
    causes.map(|cause| {
        let text = |name: &str| cause[name].as_str().unwrap_or_default();
        (text("field").to_owned(), format!("{} {}", text("reason"), comparable(text("message"))))
    })
}

/// A message without what cannot be the same: the number in the name of a type, and what a parser makes of the rest after a first
/// syntax error.
fn comparable(message: &str) -> String {
    let mut parts = message.split("selfType");
    let mut comparable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        comparable.push_str("selfType");
        comparable.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    match comparable.split_once("Syntax error") {
        Some((before, after)) => {
            let first = after.split_once("\nERROR: ").map_or(after, |(first, _)| first);
            format!("{before}Syntax error{first}")
        }
        None => comparable,
    }
}

/// The number of the property in a field path such as `spec.p3.size` or `….properties[p3].x-kubernetes-validations[0].rule`.
fn place(field: &str) -> Option<usize> {
    let after = field.split_once("properties[p").or_else(|| field.split_once("spec.p"))?.1;
    let digits = after.find(|byte: char| !byte.is_ascii_digit()).unwrap_or(after.len());
    after[..digits].parse().ok()
}

/// Reasons that the schema has, and rules have not.
const BLOCKING: [&str; 4] =
    ["FieldValueTypeInvalid", "FieldValueTooLong", "FieldValueTooMany", "FieldValueNotSupported"];

/// What real Kubernetes says where the code of a function panics: that of `sort()` where its list is an error, that of `format()`
/// where it comes to what a schema only preserves.
const PANICS: [&str; 2] = ["internal error: interface conversion", "internal error: runtime error"];

/// What is said of the most expensive rules where all together cost too much.
const CONTRIBUTED: &str = "contributed to estimated rule cost total";

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// So many objects are tried against each set of rules, and so many changes.
const OBJECTS: usize = 8;
const CHANGES: usize = 6;
