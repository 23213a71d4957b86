//! Custom resources at another version, where a webhook converts them.
//!
//! ```text
//!  stored entries ─► prepare: many in one review ─► Entry keeps its form ─► view, list, watch: without waiting
//!  a written object ─► convert ─► the version that is stored
//! ```
//! In: entries or objects, and the kind they are wanted as. Out: their form at that version. No webhook is called where
//! the versions are equal, where no webhook is configured, or where the entry has that form already.

use std::sync::Arc;

use serde_json::Value;

use super::conversion_webhook::{ConversionWebhook, Unconverted};
use super::prune_and_default::{prune, prune_and_default};
use super::structural::Structural;
use crate::catalog::Catalog;
use crate::catalog::kinds::Kind;
use crate::cluster::ids::Ids;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::conversion;
use crate::codec::object::Object;
use crate::response::status::{Answer, Refusal, internal, unforeseen};
use crate::storage::entry::Entry;
use crate::storage::view;
use crate::webhook::WebhookClient;

/// What asks conversion webhooks.
#[derive(Clone)]
pub(crate) struct Converter {
    pub(crate) client: WebhookClient,
    pub(crate) ids: Ids,
    pub(crate) catalog: Arc<Catalog>,
}

impl ClusterSnapshot {
    pub(crate) fn converter(&self) -> Converter {
        Converter { client: self.client.clone(), ids: self.ids.clone(), catalog: Arc::clone(&self.catalog) }
    }

    /// An object at another version of its kind.
    pub(crate) async fn converted(&self, mut object: Object, kind: &Kind) -> Answer<Object> {
        match &kind.conversion {
            Some(webhook) if object.text("apiVersion") != kind.api_version() => {
                let value = self.converter().convert(webhook, kind, object.into_value(), &kind.api_version()).await?;
                Ok(as_object(value))
            }
            _ => {
                conversion::convert(&mut object, kind);
                Ok(object)
            }
        }
    }

    /// Gives a custom resource the version that its definition stores; what that version's schema has no place for is gone.
    pub(crate) async fn keep_at_storage_version(&self, kind: &Kind, object: Object) -> Answer<Object> {
        let stored = self.catalog.definition(kind).map(|definition| &definition.stored);
        let Some(stored) = stored.filter(|it| it.version != kind.version) else { return Ok(object) };
        let mut object = self.converted(object, stored).await?;
        if let Some(schema) = &stored.schema {
            object.change(|value| drop(prune_and_default(schema, value)));
        }
        Ok(object)
    }

    /// Whether a write to a target waits for a conversion.
    pub(crate) fn waits_for_conversion(&self, kind: &Kind, current: Option<&Arc<Entry>>) -> bool {
        let is_stored_otherwise =
            || self.catalog.definition(kind).is_some_and(|definition| definition.stored.version != kind.version);
        kind.conversion.is_some()
            && (is_stored_otherwise() || current.is_some_and(|entry| view::is_converted_by_webhook(kind, entry)))
    }
}

impl Converter {
    /// Has entries keep their form at the version of a kind.
    pub(crate) async fn prepare(&self, kind: &Kind, entries: &[Arc<Entry>]) -> Answer<()> {
        let Some(webhook) = &kind.conversion else { return Ok(()) };
        let missing: Vec<&Arc<Entry>> = entries.iter().filter(|entry| view::is_unconverted(kind, entry)).collect();
        for batch in missing.chunks(BATCH) {
            self.prepare_batch(webhook, kind, batch).await?;
        }
        Ok(())
    }

    async fn prepare_batch(&self, webhook: &ConversionWebhook, kind: &Kind, entries: &[&Arc<Entry>]) -> Answer<()> {
        let objects: Vec<Value> = entries.iter().map(|entry| self.as_stored(kind, entry)).collect();
        let done = webhook.convert(&self.client, &self.ids, &objects, &kind.api_version()).await;
        match (done, entries) {
            (Ok(converted), _) => {
                for (entry, value) in entries.iter().zip(converted) {
                    keep(kind, entry, self.pruned(kind, value, &kind.api_version()));
                }
                Ok(())
            }
            (Err(Unconverted::NotAnswered(why) | Unconverted::Answered(why)), [entry]) => {
                Err(corrupt(kind, entry, &why))
            }
            (Err(Unconverted::NotAnswered(why)), [entry, ..]) => Err(corrupt(kind, entry, &why)),
            // One of them is wrong; alone, each says what is.
            (Err(Unconverted::Answered(_)), _) => {
                for entry in entries {
                    Box::pin(self.prepare_batch(webhook, kind, &[*entry])).await?;
                }
                Ok(())
            }
            (Err(_), []) => Ok(()),
        }
    }

    /// One object at another version.
    async fn convert(
        &self,
        webhook: &ConversionWebhook,
        kind: &Kind,
        object: Value,
        api_version: &str,
    ) -> Answer<Value> {
        self.convert_strictly(webhook, kind, object, api_version).await.map(|(value, _)| value)
    }

    /// The same, and what it has that the schema of that version does not know, which is gone.
    pub(crate) async fn convert_strictly(
        &self,
        webhook: &ConversionWebhook,
        kind: &Kind,
        object: Value,
        api_version: &str,
    ) -> Answer<(Value, Vec<String>)> {
        let done = webhook.convert(&self.client, &self.ids, &[object], api_version).await;
        let converted = done.map_err(|error| match error {
            Unconverted::NotAnswered(why) | Unconverted::Answered(why) => unforeseen(why),
        })?;
        let mut value = converted.into_iter().next().unwrap_or_default();
        let unknown = self.schema(kind, api_version).map(|schema| prune(&schema, &mut value));
        Ok((value, unknown.unwrap_or_default()))
    }

    /// An entry as the webhook sees it: as it is stored, in the shape of today, without the version of its write.
    fn as_stored(&self, kind: &Kind, entry: &Entry) -> Value {
        let mut object = entry.object();
        if entry.revision <= kind.since
            && let Some(schema) = self.schema(kind, entry.api_version())
        {
            object.change(|value| drop(prune_and_default(&schema, value)));
        }
        object.put_meta("resourceVersion", None);
        object.into_value()
    }

    fn pruned(&self, kind: &Kind, mut value: Value, api_version: &str) -> Value {
        if let Some(schema) = self.schema(kind, api_version) {
            drop(prune(&schema, &mut value));
        }
        value
    }

    fn schema(&self, kind: &Kind, api_version: &str) -> Option<Arc<Structural>> {
        let schemas = self.catalog.schemas(&kind.resource());
        schemas.into_iter().find(|(version, _)| version == api_version).map(|(_, schema)| schema)
    }
}

fn keep(kind: &Kind, entry: &Entry, value: Value) {
    let mut object = as_object(value);
    object.set_meta("resourceVersion", entry.revision.to_string());
    entry.keep_converted(kind, object.encode());
}

fn as_object(value: Value) -> Object {
    Object::from_value(value).expect("what came back was checked to be an object with metadata")
}

/// 500: what is stored cannot be read at this version, as etcd's keys and words have it.
fn corrupt(kind: &Kind, entry: &Entry, why: &str) -> Refusal {
    let namespace = entry.head.namespace().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let key = format!("/{}/{}/{namespace}{}", kind.group, kind.plural, entry.head.name());
    internal(&format!(
        "StorageError: corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: object not decodable \
         revision={}: {why}",
        entry.revision
    ))
}

/// Objects in one review: enough that a list of many costs few calls, few enough that a review stays small.
const BATCH: usize = 100;
