//! 12. Leader election: of several replicas one works, and the next goes on where it stopped.
//!
//! A `Lease` names the leader. One that ends releases it, and another leads at once; one that dies is replaced when
//! its lease has not been renewed for 15 seconds. In an operator, `Manager::builder(client).lease(namespace, name)`
//! does this.
//!
//! ```console
//! $ cargo run -p course 12_leader_election
//! ann leads, term 0
//! the lease names Some("ann"); does ben lead? false
//! ann stops
//! ben leads, term 1
//! the lease names None
//! ```

use k8s_openapi::api::coordination::v1::Lease;
use pintle::Client;
use pintle::api::{Api, DeleteParams};
use pintle::runtime::lease::{Candidate, Leading};
use tokio::sync::oneshot;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let namespace = client.default_namespace().to_owned();
    let leases: Api<Lease> = Api::default_namespaced(client.clone());
    let candidate = |name| Candidate::new(client.clone(), &namespace, "course").called(name);

    let (ann, ben) = (candidate("ann"), candidate("ben"));
    let (begun, has_begun) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let leading = tokio::spawn(async move {
        let work = |leading: Leading| async move {
            println!("ann leads, term {}", leading.term);
            begun.send(()).ok();
            stopped.await.ok();
            println!("ann stops");
        };
        ann.lead(work).await
    });
    has_begun.await?;

    let standing = ben.standing();
    let following =
        tokio::spawn(
            async move { ben.lead(|leading| async move { println!("ben leads, term {}", leading.term) }).await },
        );
    let holder = leases.get("course").await?.spec.and_then(|spec| spec.holder_identity);
    println!("the lease names {holder:?}; does ben lead? {}", standing.is_leading());
    stop.send(()).ok();
    leading.await??;
    following.await??;
    let holder = leases.get("course").await?.spec.and_then(|spec| spec.holder_identity);
    println!("the lease names {holder:?}");
    // Only because the course should begin anew each time: terms are counted in the Lease.
    leases.delete("course", &DeleteParams::default()).await?;
    Ok(())
}
