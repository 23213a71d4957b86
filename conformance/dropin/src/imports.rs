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
