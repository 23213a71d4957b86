//! Collections read page by page, while the server forgets.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::ListParams;
use pintle::api::pages::{Continuity, Expiry, Page, Pages};
use pintle::{ErrorKind, ResourceExt};

use crate::world::World;

/// Five config maps, and a reader that has read the first two when the server forgets; then one is made before and one
/// behind the place where it stands.
async fn interrupted(world: &World, expiry: Expiry) -> Pages<ConfigMap> {
    for name in ["b", "c", "d", "e", "f"] {
        world.create_config_map(name).await;
    }
    let mut pages = world.config_maps().pages(&selected()).when_expired(expiry);
    let first = pages.next().await.unwrap().unwrap();
    assert_eq!((first.continuity, names(&first)), (Continuity::First, vec!["b".to_owned(), "c".to_owned()]));
    for name in ["a", "z"] {
        world.create_config_map(name).await;
    }
    world.expire_history().await;
    pages
}

fn selected() -> ListParams {
    ListParams::default().fields("metadata.name!=kube-root-ca.crt").limit(2)
}

fn names(page: &Page<ConfigMap>) -> Vec<String> {
    page.list.iter().map(ResourceExt::name_any).collect()
}

async fn rest(pages: Pages<ConfigMap>) -> Vec<(Continuity, String)> {
    let pages: Vec<Page<ConfigMap>> = pages.try_collect().await.unwrap();
    pages.iter().map(|page| (page.continuity, names(page).concat())).collect()
}

#[tokio::test(start_paused = true)]
async fn pages_are_of_one_version_while_the_server_has_it() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.create_config_map(name).await;
    }
    let mut pages = world.config_maps().pages(&selected());
    let first = pages.next().await.unwrap().unwrap();
    world.create_config_map("d").await;
    let second = pages.next().await.unwrap().unwrap();
    assert_eq!((second.continuity, names(&second)), (Continuity::SameVersion, vec!["c".to_owned()]), "`d` came later");
    assert_eq!(first.list.metadata.resource_version, second.list.metadata.resource_version);
    assert!(pages.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_later_page_that_expired_is_followed_by_the_whole_list_at_once() {
    let world = World::embedded();
    let pages = interrupted(&world, Expiry::FullList).await;
    assert_eq!(rest(pages).await, [(Continuity::Restart, "abcdefz".to_owned())]);
    let last = world.requests().into_iter().rfind(|request| request.starts_with("GET")).unwrap();
    assert!(!last.contains("limit"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_continues_brings_each_object_once_and_says_that_it_is_newer() {
    let world = World::embedded();
    let pages = interrupted(&world, Expiry::Continue).await;
    let expected = [(Continuity::NewerVersion, "de"), (Continuity::SameVersion, "fz")];
    assert_eq!(rest(pages).await, expected.map(|(continuity, names)| (continuity, names.to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_list_that_may_not_continue_fails_as_expired_and_ends() {
    let world = World::embedded();
    let mut pages = interrupted(&world, Expiry::Fail).await;
    assert_eq!(pages.next().await.unwrap().unwrap_err().kind(), ErrorKind::Expired);
    assert!(pages.next().await.is_none());
    // One by one, a full list would repeat some of them.
    let mut objects = world.config_maps().pages(&selected()).objects();
    objects.next().await.unwrap().unwrap();
    world.create_config_map("y").await;
    world.expire_history().await;
    let rest: Vec<_> = objects.collect().await;
    assert!(matches!(rest.last(), Some(Err(error)) if error.kind() == ErrorKind::Expired), "{rest:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_forgets_after_each_page_is_asked_twice_in_all() {
    let world = World::embedded();
    for name in ["a", "b", "c"] {
        world.create_config_map(name).await;
    }
    let mut pages = world.config_maps().pages(&selected());
    let mut read = Vec::new();
    while let Some(page) = pages.try_next().await.unwrap() {
        read.push((page.continuity, names(&page).concat()));
        world.create_config_map(&format!("x{}", read.len())).await;
        world.expire_history().await;
    }
    let expected = [(Continuity::First, "ab"), (Continuity::Restart, "abcx1")];
    assert_eq!(read, expected.map(|(continuity, names)| (continuity, names.to_owned())));
}

#[tokio::test(start_paused = true)]
async fn all_pages_are_one_list() {
    let world = World::new();
    for name in ["a", "b", "c", "d", "e"] {
        world.create_config_map(name).await;
    }
    let all = world.config_maps().pages(&selected()).collect().await.unwrap();
    let names: Vec<_> = all.iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    assert!(all.metadata.continue_.unwrap_or_default().is_empty());
    let one_by_one: Vec<_> = world.config_maps().pages(&selected()).objects().try_collect().await.unwrap();
    assert_eq!(one_by_one.len(), 5);
}
