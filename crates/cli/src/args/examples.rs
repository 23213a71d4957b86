//! What each command shows at the end of its help.
//!
//! Explanations are on lines of their own, so that examples fit a terminal of 80 columns.

pub(super) const NEW_EXAMPLES: &str = "Examples:\n  \
    pintle new database-operator\n      \
        a kind Database in the group example.com\n  \
    pintle new shop --kind Order --group shop.example.com\n      \
        … with your own names\n  \
    pintle new database-operator --pintle-path ~/src/pintle\n      \
        … that uses a checkout of Pintle\n\n\
    Then: cd database-operator && cargo test";

pub(super) const SNAPSHOT_EXAMPLES: &str = "Examples:\n  \
    pintle snapshot save before.snapshot --kubeconfig ./kubeconfig\n      \
        from a running server\n  \
    pintle snapshot save before.snapshot --data ./data\n      \
        from a directory that is not in use\n  \
    pintle snapshot restore before.snapshot --data ./other\n      \
        into a new directory\n  \
    pintle snapshot restore before.snapshot --data ./data --force\n      \
        replacing its objects";

pub(super) const WATCH_EXAMPLES: &str = "Examples:\n  \
    pintle watch pods\n      \
        in the namespace of the current context\n  \
    pintle watch deploy -A -l app=web\n      \
        in all namespaces, by label\n  \
    pintle watch certificates.cert-manager.io --metadata\n      \
        only the metadata of a custom resource\n  \
    pintle watch cm -o json | jq 'select(.type == \"EXPIRED\")'\n\n\
    Events: EXISTS, ADDED, MODIFIED, DELETED; LISTING, SYNCED; RESUMED (the watch had ended), EXPIRED (its version was too \
    old), FAILED, SUMMARY. The age of a change is measured from the newest time in its metadata. Kubernetes writes whole \
    seconds there, so it can be up to a second too high.\n\n\
    Exit codes: 0 after Ctrl-C, --for or a closed pipe; 1 if the kind or the cluster does not exist, or you may not watch; 2 \
    for wrong arguments.";

pub(super) const SERVE_EXAMPLES: &str = "Examples:\n  \
    pintle serve --kubeconfig k\n      \
        one server; then: kubectl --kubeconfig k get ns\n  \
    pintle serve --kubeconfig k --load crds.yaml --workspaces\n  \
    kubectl --kubeconfig k create --raw /pintle/v1/workspaces -f - \
        <<< '{\"name\": \"t1\", \"ttlSeconds\": 600}' | jq -r .kubeconfig > t1\n  \
    kubectl --kubeconfig t1 get ns\n      \
        its own server, with the same CRDs\n  \
    pintle serve --kubeconfig k --admin-kubeconfig a\n      \
        … that tests can break:\n  \
    kubectl --kubeconfig a create --raw /pintle/v1/watches/cut -f - <<< '{\"resource\": \"pods\"}'\n  \
    kubectl --kubeconfig a create --raw /pintle/v1/clock -f - <<< '{\"advanceSeconds\": 3600}'";

pub(super) const DEV_EXAMPLES: &str = "Examples:\n  \
    pintle dev\n      \
        watch a controller at work; ? explains the keys, q quits\n  \
    pintle dev --chaos\n      \
        … and recover from one failure after another\n  \
    pintle dev --manifests config --kubeconfig k\n      \
        your kinds and objects; then: KUBECONFIG=k cargo run\n  \
    pintle dev --chaos --seed 7 --for 60 | tee log\n      \
        lines instead of the view, for a minute";

pub(super) const TYPES_EXAMPLES: &str = "Examples:\n  \
    pintle types -f certificates.yaml -o src/certificate.rs\n      \
        then: mod certificate; use certificate::v1::Certificate;\n  \
    pintle types --from-cluster certificates.cert-manager.io\n      \
        … read from the cluster\n  \
    curl -L https://example.com/install.yaml | pintle types -f -\n      \
        … for every CRD in a manifest\n  \
    pintle types -f crd.yaml --schema original\n      \
        … so that a test can install Certificate::crd()\n\n\
    The generated source needs the crates pintle (feature derive), k8s-openapi, serde and serde_json; with --schema also \
    schemars.";
