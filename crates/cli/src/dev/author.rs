//! Writes a few Documents, changes one and deletes one, so that there is something to see.

use std::time::Duration;

use pintle::Client;
use pintle::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use super::document::{Document, DocumentSpec};
use crate::narrator::Narrator;

/// Long enough to read a line, short enough not to wait for the next.
const BETWEEN_ACTS: Duration = Duration::from_millis(300);

pub(super) async fn run(client: Client, narrator: Narrator) {
    if let Err(error) = act(client, &narrator).await {
        narrator.say("author", format_args!("gave up: {error}"));
    }
}

async fn act(client: Client, narrator: &Narrator) -> pintle::Result<()> {
    let documents: Api<Document> = Api::default_namespaced(client);
    for (name, content) in [
        ("welcome", "A controller keeps the cluster as it should be."),
        ("guide", "Change me with kubectl and watch what happens."),
        ("draft", "I will not live long."),
    ] {
        let spec = DocumentSpec { title: name.to_owned(), content: content.to_owned() };
        documents.create(&PostParams::default(), &Document::new(name, spec)).await?;
        narrator.say("author", format_args!("created default/{name}"));
    }
    tokio::time::sleep(BETWEEN_ACTS).await;
    let patch = Patch::Merge(json!({"spec": {"content": "Changed once. Now it is your turn."}}));
    narrator.say("author", "changes the content of default/guide");
    documents.patch("guide", &PatchParams::default(), &patch).await?;
    tokio::time::sleep(BETWEEN_ACTS).await;
    narrator.say("author", "deletes default/draft");
    documents.delete("draft", &DeleteParams::default()).await?;
    tokio::time::sleep(BETWEEN_ACTS).await;
    narrator.say("author", "is done; the rest is yours");
    Ok(())
}
