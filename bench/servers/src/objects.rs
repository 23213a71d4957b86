//! What is written: pods as a Deployment makes them, about 2 KB each once stored, and a ConfigMap that changes.

use bytes::Bytes;
use serde_json::json;

/// A pod by number.
pub(crate) fn pod(number: usize) -> Bytes {
    let app = format!("app-{}", number % 40);
    let variables: Vec<_> =
        (0..12).map(|at| json!({"name": format!("VARIABLE_{at}"), "value": format!("value-{at}-{app}")})).collect();
    let container = json!({
        "name": "main",
        "image": format!("registry.example.com/{app}:1.0"),
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": variables,
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}, "periodSeconds": 5},
    });
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": pod_name(number), "labels": {"app": app, "tier": "backend"}},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 10},
    });
    pod.to_string().into()
}

/// A pod by number, of about 13 KB once stored: with sidecars, as a mesh adds them.
pub(crate) fn large_pod(number: usize) -> Bytes {
    let mut pod: serde_json::Value = serde_json::from_slice(&pod(number)).expect("it was printed just now");
    let container = pod["spec"]["containers"][0].clone();
    for name in ["proxy", "logs", "metrics", "vault", "cache", "init"] {
        let mut sidecar = container.clone();
        sidecar["name"] = name.into();
        pod["spec"]["containers"].as_array_mut().expect("a pod has containers").push(sidecar);
    }
    pod.to_string().into()
}

/// What a pod is called.
pub(crate) fn pod_name(number: usize) -> String {
    format!("pod-{number:05}")
}

/// A change of a pod's labels.
pub(crate) fn label_patch(number: usize) -> Bytes {
    json!({"metadata": {"labels": {"turn": format!("t{number}")}}}).to_string().into()
}

/// The ConfigMap that is watched.
pub(crate) fn config_map() -> Bytes {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "watched"}}).to_string().into()
}

/// The next state of it.
pub(crate) fn config_map_patch(turn: usize) -> Bytes {
    json!({"data": {"turn": turn.to_string(), "filling": "x".repeat(400)}}).to_string().into()
}
