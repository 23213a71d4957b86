//! What kube-apiserver 1.37 was seen to refuse of pods and Services, cause by cause and in its order (`conformance/twin`).

use super::world::World;
use serde_json::{Value, json};

const PODS: &str = "/api/v1/namespaces/default/pods?dryRun=All";
const SERVICES: &str = "/api/v1/namespaces/default/services?dryRun=All";

/// The causes of a refusal: field and message.
async fn causes(world: &World, path: &str, body: Value) -> Vec<String> {
    let reply = world.post(path, body).await;
    assert_eq!(reply.code, 422, "{}", reply.message());
    let status = reply.expect(422);
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    causes.iter().map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message"))).collect()
}

/// A pod with these fields, and its container with those.
fn pod(spec: Value, container: Value) -> Value {
    let mut pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let put = |place: &mut Value, fields: Value| {
        for (name, value) in fields.as_object().expect("fields") {
            place[name] = value.clone();
        }
    };
    put(&mut pod["spec"]["containers"][0], container);
    put(&mut pod["spec"], spec);
    pod
}

#[tokio::test]
async fn a_container_is_refused_for_each_of_its_mistakes() {
    let world = World::new();
    let table = [
        (
            json!({"livenessProbe": {"httpGet": {"port": 8}, "exec": {"command": ["a"]}, "successThreshold": 2},
                   "readinessProbe": {}, "lifecycle": {"preStop": {"sleep": {"seconds": 100}}}}),
            vec![
                "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 100: must be non-negative and less than \
                 terminationGracePeriodSeconds (30)",
                "spec.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type",
                "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
                "spec.containers[0].readinessProbe: Required value: must specify a handler type",
            ],
        ),
        (
            json!({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.nope"}}},
                           {"name": "B", "valueFrom": {"secretKeyRef": {"name": "a", "key": "a/b"}}},
                           {"name": "C", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "3"}}}],
                   "envFrom": [{}]}),
            vec![
                "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.nope\": error converting \
                 fieldPath: field label not supported: metadata.nope",
                "spec.containers[0].env[1].valueFrom.secretKeyRef.key: Invalid value: \"a/b\": a valid config key must consist \
                 of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for \
                 validation is '[-._a-zA-Z0-9]+')",
                "spec.containers[0].env[2].valueFrom.resourceFieldRef.divisor: Invalid value: \"limits.cpu\": only divisor's \
                 values 1m and 1 are supported with the cpu resource",
                "spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`",
            ],
        ),
        (
            json!({"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}, "ports": [{"containerPort": 1, "hostPort": 5},
                   {"containerPort": 2, "hostPort": 5}], "restartPolicy": "X"}),
            vec![
                "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
                "spec.containers[0].restartPolicy: Unsupported value: \"X\": supported values: \"Always\", \"Never\", \"OnFailure\"",
                "spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//5\"",
            ],
        ),
        (
            json!({"securityContext": {"allowPrivilegeEscalation": false, "privileged": true}}),
            vec![
                "spec.containers[0].securityContext: Invalid value: {\"Capabilities\":null,\"Privileged\":true,\"SELinuxOptions\":null,\
                 \"WindowsOptions\":null,\"RunAsUser\":null,\"RunAsGroup\":null,\"RunAsNonRoot\":null,\"ReadOnlyRootFilesystem\":null,\
                 \"AllowPrivilegeEscalation\":false,\"ProcMount\":null,\"SeccompProfile\":null,\"AppArmorProfile\":null}: cannot set \
                 `allowPrivilegeEscalation` to false and `privileged` to true",
            ],
        ),
    ];
    for (container, expected) in table {
        assert_eq!(causes(&world, PODS, pod(json!({}), container)).await, expected);
    }
}

#[tokio::test]
async fn what_pods_are_scheduled_by_is_checked() {
    let world = World::new();
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let table = [
        (
            json!({"tolerations": [{"operator": "X"}, {"operator": "Exists", "value": "a", "tolerationSeconds": 3}]}),
            vec![
                "spec.tolerations[0].operator: Invalid value: \"X\": operator must be Exists when `key` is empty, which means \"match \
                 all values and all keys\"",
                "spec.tolerations[0].operator: Unsupported value: \"X\": supported values: \"Equal\", \"Exists\"",
                "spec.tolerations[1].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set",
                "spec.tolerations[1].operator: Invalid value: \"a\": value must be empty when `operator` is 'Exists'",
            ],
        ),
        (
            json!({"affinity": {"nodeAffinity": {required: {"nodeSelectorTerms": []}}},
                   "topologySpreadConstraints": [{"maxSkew": 0, "topologyKey": "a", "whenUnsatisfiable": "ScheduleAnyway",
                   "minDomains": 2}], "nodeName": "n", "schedulingGates": [{"name": "a"}]}),
            vec![
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must \
                 have at least one node selector term",
                "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
                "spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if \
                 whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
                "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
            ],
        ),
        (
            json!({"hostUsers": false, "hostPID": true, "os": {"name": "X"}, "dnsPolicy": "None"}),
            vec![
                "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
                "spec.HostPID: Forbidden: when `hostUsers` is false",
                "spec.os: Unsupported value: \"X\": supported values: \"linux\", \"windows\"",
            ],
        ),
    ];
    for (spec, expected) in table {
        assert_eq!(causes(&world, PODS, pod(spec, json!({}))).await, expected);
    }
}

#[tokio::test]
async fn a_volume_is_complete_as_its_kind_has_to_be() {
    let world = World::new();
    let table = [
        (
            json!({"nfs": {"server": "", "path": "a"}}),
            vec![
                "spec.volumes[0].nfs.server: Required value",
                "spec.volumes[0].nfs.path: Invalid value: \"a\": must be an absolute path",
            ],
        ),
        (
            json!({"secret": {"secretName": "s", "defaultMode": 1000, "items": [{"key": "k", "path": "../x"}]}}),
            vec![
                "spec.volumes[0].secret.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive",
                "spec.volumes[0].secret.items[0].path: Invalid value: \"../x\": must not contain '..'",
            ],
        ),
        (
            json!({"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}),
            vec![
                "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required",
                "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
            ],
        ),
        (
            json!({"emptyDir": {}, "hostPath": {"path": "/x"}}),
            vec!["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
        ),
    ];
    for (mut volume, expected) in table {
        volume["name"] = "v".into();
        assert_eq!(causes(&world, PODS, pod(json!({"volumes": [volume]}), json!({}))).await, expected);
    }
}

#[tokio::test]
async fn a_projected_certificate_has_a_signer_a_key_a_lifetime_and_a_file() {
    let world = World::new();
    let path = "spec.volumes[0].projected.sources[0].podCertificate";
    let table = [
        (
            json!({"keyType": "WHAT", "signerName": "bad", "maxExpirationSeconds": 1}),
            vec![
                format!(
                    "{path}.signerName: Invalid value: \"bad\": must be a fully qualified domain and path of the form 'example.com/signer-name'"
                ),
                format!(
                    "{path}.keyType: Unsupported value: \"WHAT\": supported values: \"RSA3072\", \"RSA4096\", \"ECDSAP256\", \"ECDSAP384\", \"ECDSAP521\", \"ED25519\""
                ),
                format!(
                    "{path}.maxExpirationSeconds: Invalid value: 1: if provided, maxExpirationSeconds must be >= 3600"
                ),
                format!(
                    "{path}: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
                ),
            ],
        ),
        (
            json!({"signerName": "example.com/a", "keyType": "ED25519", "keyPath": "/k", "maxExpirationSeconds": 99_999_999}),
            vec![
                format!(
                    "{path}.maxExpirationSeconds: Invalid value: 99999999: if provided, maxExpirationSeconds must be <= 7862400"
                ),
                format!("{path}.keyPath: Invalid value: \"/k\": must be a relative path"),
            ],
        ),
        (
            json!({"signerName": "kubernetes.io/a", "keyType": "ED25519", "keyPath": "k", "maxExpirationSeconds": 86_401}),
            vec![format!(
                "{path}.maxExpirationSeconds: Invalid value: 86401: if provided, maxExpirationSeconds must be <= 86400"
            )],
        ),
    ];
    for (certificate, expected) in table {
        let volume = json!({"name": "v", "projected": {"sources": [{"podCertificate": certificate}]}});
        assert_eq!(causes(&world, PODS, pod(json!({"volumes": [volume]}), json!({}))).await, expected);
    }
}

#[tokio::test]
async fn the_enumerations_of_a_service_do_not_hide_one_another() {
    let world = World::new();
    let service = |mut spec: Value| {
        spec["ports"] = json!([{"port": 80}]);
        json!({"metadata": {"name": "s"}, "spec": spec})
    };
    let found = causes(
        &world,
        SERVICES,
        service(
            json!({"type": "X", "sessionAffinity": "X", "externalTrafficPolicy": "X", "internalTrafficPolicy": "X"}),
        ),
    );
    assert_eq!(
        found.await,
        [
            "spec.sessionAffinity: Unsupported value: \"X\": supported values: \"ClientIP\", \"None\"",
            "spec.type: Unsupported value: \"X\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\"",
            "spec.externalTrafficPolicy: Invalid value: \"X\": may only be set for externally-accessible services",
            "spec.internalTrafficPolicy: Unsupported value: \"X\": supported values: \"Cluster\", \"Local\"",
        ]
    );
    let found =
        causes(&world, SERVICES, service(json!({"ipFamilies": ["IPv4", "X"], "ipFamilyPolicy": "X", "type": "X"})));
    assert_eq!(
        found.await,
        [
            "spec.ipFamilies[1]: Unsupported value: \"X\": supported values: \"IPv4\", \"IPv6\"",
            "spec.ipFamilyPolicy: Unsupported value: \"X\": supported values: \"PreferDualStack\", \"RequireDualStack\", \"SingleStack\"",
        ]
    );
}

#[tokio::test]
async fn a_node_port_is_taken_in_a_trial_too_and_not_given_twice_by_a_change() {
    let world = World::new();
    let path = "/api/v1/namespaces/default/services";
    let ports = json!([{"port": 80, "nodePort": 30_091, "name": "a"}]);
    let service = json!({"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": ports}});
    let mut made = world.post(path, service.clone()).await.expect(201);
    let taken = ["spec.ports[0].nodePort: Invalid value: 30091: provided port is already allocated"];
    assert_eq!(causes(&world, SERVICES, service).await, taken);
    let more = json!({"port": 81, "nodePort": 30_091, "name": "b"});
    made["spec"]["ports"].as_array_mut().expect("its ports").push(more);
    let reply = world.put(&format!("{path}/s"), &made).await;
    assert_eq!((reply.code, reply.message()), (500, "duplicate nodePort: {TCP 30091}".to_owned()));
}

#[tokio::test]
async fn a_pod_with_a_negative_grace_period_has_the_least_one() {
    let world = World::new();
    let spec = json!({"terminationGracePeriodSeconds": -5, "containers": [{"name": "a", "image": "b"}]});
    let pods = "/api/v1/namespaces/default/pods";
    let pod = world.post(pods, json!({"metadata": {"name": "a"}, "spec": spec})).await.expect(201);
    assert_eq!(pod["spec"]["terminationGracePeriodSeconds"], 1);
    let mut changed = pod.clone();
    changed["spec"]["terminationGracePeriodSeconds"] = json!(-1);
    let pod = world.put(&format!("{pods}/a"), &changed).await.expect(200);
    assert_eq!(pod["spec"]["terminationGracePeriodSeconds"], 1, "in an update, too");
}
