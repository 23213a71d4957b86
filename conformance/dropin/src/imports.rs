//! Programs that use little of what they import, and use it: where Pintle has methods of its own, kube's traits must still
//! be the ones that are called, or programs that deny warnings could not build. They need only compile.

#![deny(unused_imports)]

pub mod followed {
    use futures::StreamExt;
    use k8s_openapi::api::core::v1::Pod;
    use kube::runtime::{WatchStreamExt, watcher};
    use kube::{Api, Client};

    pub async fn run(client: Client) {
        let pods: Api<Pod> = Api::default_namespaced(client);
        watcher(pods, watcher::Config::default()).default_backoff().for_each(|_| async {}).await;
    }
}

pub mod reflected {
    use futures::StreamExt;
    use k8s_openapi::api::core::v1::Pod;
    use kube::runtime::{WatchStreamExt, reflector, watcher};
    use kube::{Api, Client};

    pub async fn run(client: Client) {
        let pods: Api<Pod> = Api::default_namespaced(client);
        let (_, writer) = reflector::store();
        let stream = reflector(writer, watcher(pods, watcher::Config::default()).default_backoff());
        stream.for_each(|_| async {}).await;
    }
}

pub mod stored {
    use futures::StreamExt;
    use k8s_openapi::api::core::v1::Pod;
    use kube::runtime::{WatchStreamExt, reflector, watcher};
    use kube::{Api, Client};

    pub async fn run(client: Client) {
        let pods: Api<Pod> = Api::default_namespaced(client);
        let (_, writer) = reflector::store();
        let stream = watcher(pods, watcher::Config::default()).default_backoff().reflect(writer);
        stream.for_each(|_| async {}).await;
    }
}

pub mod patient {
    use std::time::Duration;

    use futures::{Stream, StreamExt};
    use k8s_openapi::api::core::v1::Pod;
    use kube::runtime::WatchStreamExt;
    use kube::runtime::utils::{Backoff, StreamBackoff};
    use kube::runtime::watcher::{self, Event, watcher};
    use kube::{Api, Client};

    struct EverySecond;

    impl Iterator for EverySecond {
        type Item = Duration;

        fn next(&mut self) -> Option<Duration> {
            Some(Duration::from_secs(1))
        }
    }

    impl Backoff for EverySecond {
        fn reset(&mut self) {}
    }

    fn pods(client: Client) -> StreamBackoff<impl Stream<Item = watcher::Result<Event<Pod>>>, impl Backoff> {
        watcher(Api::default_namespaced(client), watcher::Config::default()).backoff(EverySecond)
    }

    pub async fn run(client: Client) {
        pods(client).for_each(|_| async {}).await;
    }
}

pub mod deprecated {
    use k8s_openapi::api::core::v1::Pod;
    use kube::api::ListParams;
    use kube::{Api, Client};

    #[expect(deprecated)]
    pub fn run(client: Client) {
        let limited = ListParams { timeout: Some(3), ..ListParams::default() };
        assert_eq!(limited, ListParams::default().timeout(3));
        let pods: Api<Pod> = Api::default_namespaced(client);
        drop(kube::runtime::metadata_watcher(pods, kube::runtime::watcher::Config::default()));
    }
}
