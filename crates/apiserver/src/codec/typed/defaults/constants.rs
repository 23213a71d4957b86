//! Fields that have one value unless they say otherwise, by type: measured on kube-apiserver 1.37.

/// The fields of one type, and the JSON of their defaults.
type Fields = &'static [(&'static str, &'static str)];

/// The constants of a type, by its name below `io.k8s.api`.
pub(super) fn of(name: &str) -> Fields {
    ALL.binary_search_by(|(known, _)| (*known).cmp(name)).map_or(&[], |found| ALL[found].1)
}

const WEBHOOK: Fields = &[
    ("failurePolicy", r#""Fail""#),
    ("matchPolicy", r#""Equivalent""#),
    ("namespaceSelector", "{}"),
    ("objectSelector", "{}"),
    ("timeoutSeconds", "10"),
];

const MUTATING_WEBHOOK: Fields = &[
    ("failurePolicy", r#""Fail""#),
    ("matchPolicy", r#""Equivalent""#),
    ("namespaceSelector", "{}"),
    ("objectSelector", "{}"),
    ("reinvocationPolicy", r#""Never""#),
    ("timeoutSeconds", "10"),
];

const MATCH: Fields = &[("matchPolicy", r#""Equivalent""#), ("namespaceSelector", "{}"), ("objectSelector", "{}")];

const CONTAINER: Fields =
    &[("terminationMessagePath", r#""/dev/termination-log""#), ("terminationMessagePolicy", r#""File""#)];

const MODE: Fields = &[("defaultMode", "420")];

const TCP: Fields = &[("protocol", r#""TCP""#)];

/// Sorted by type.
pub(super) const ALL: &[(&str, Fields)] = &[
    ("admissionregistration.v1.MatchResources", MATCH),
    ("admissionregistration.v1.MutatingAdmissionPolicySpec", &[("failurePolicy", r#""Fail""#)]),
    ("admissionregistration.v1.MutatingWebhook", MUTATING_WEBHOOK),
    ("admissionregistration.v1.Rule", &[("scope", r#""*""#)]),
    ("admissionregistration.v1.ServiceReference", &[("port", "443")]),
    ("admissionregistration.v1.ValidatingAdmissionPolicySpec", &[("failurePolicy", r#""Fail""#)]),
    ("admissionregistration.v1.ValidatingWebhook", WEBHOOK),
    ("apps.v1.DaemonSetSpec", &[("revisionHistoryLimit", "10")]),
    (
        "apps.v1.DeploymentSpec",
        &[("progressDeadlineSeconds", "600"), ("replicas", "1"), ("revisionHistoryLimit", "10")],
    ),
    ("apps.v1.ReplicaSetSpec", &[("replicas", "1")]),
    (
        "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
        &[("whenDeleted", r#""Retain""#), ("whenScaled", r#""Retain""#)],
    ),
    (
        "apps.v1.StatefulSetSpec",
        &[
            ("persistentVolumeClaimRetentionPolicy", "{}"),
            ("podManagementPolicy", r#""OrderedReady""#),
            ("replicas", "1"),
            ("revisionHistoryLimit", "10"),
        ],
    ),
    ("autoscaling.v1.HorizontalPodAutoscalerSpec", &[("minReplicas", "1")]),
    ("autoscaling.v2.HorizontalPodAutoscalerSpec", &[("minReplicas", "1")]),
    (
        "batch.v1.CronJobSpec",
        &[
            ("concurrencyPolicy", r#""Allow""#),
            ("failedJobsHistoryLimit", "1"),
            ("successfulJobsHistoryLimit", "3"),
            ("suspend", "false"),
        ],
    ),
    ("core.v1.ConfigMapVolumeSource", MODE),
    ("core.v1.Container", CONTAINER),
    ("core.v1.ContainerPort", TCP),
    ("core.v1.DownwardAPIVolumeSource", MODE),
    ("core.v1.EndpointPort", TCP),
    ("core.v1.EphemeralContainerCommon", CONTAINER),
    ("core.v1.HTTPGetAction", &[("path", r#""/""#), ("scheme", r#""HTTP""#)]),
    ("core.v1.ObjectFieldSelector", &[("apiVersion", r#""v1""#)]),
    ("core.v1.PersistentVolumeClaimSpec", &[("volumeMode", r#""Filesystem""#)]),
    (
        "core.v1.PersistentVolumeSpec",
        &[("persistentVolumeReclaimPolicy", r#""Retain""#), ("volumeMode", r#""Filesystem""#)],
    ),
    (
        "core.v1.PodSpec",
        &[
            ("dnsPolicy", r#""ClusterFirst""#),
            ("restartPolicy", r#""Always""#),
            ("schedulerName", r#""default-scheduler""#),
            ("securityContext", "{}"),
            ("terminationGracePeriodSeconds", "30"),
        ],
    ),
    (
        "core.v1.Probe",
        &[("failureThreshold", "3"), ("periodSeconds", "10"), ("successThreshold", "1"), ("timeoutSeconds", "1")],
    ),
    ("core.v1.ProjectedVolumeSource", MODE),
    ("core.v1.ReplicationControllerSpec", &[("replicas", "1")]),
    ("core.v1.Secret", &[("type", r#""Opaque""#)]),
    ("core.v1.SecretVolumeSource", MODE),
    ("core.v1.ServiceAccountTokenProjection", &[("expirationSeconds", "3600")]),
    ("core.v1.ServicePort", TCP),
    ("core.v1.ServiceSpec", &[("sessionAffinity", r#""None""#), ("type", r#""ClusterIP""#)]),
    ("discovery.v1.EndpointPort", TCP),
    ("flowcontrol.v1.FlowSchemaSpec", &[("matchingPrecedence", "1000")]),
    (
        "flowcontrol.v1.LimitedPriorityLevelConfiguration",
        &[("lendablePercent", "0"), ("nominalConcurrencyShares", "30")],
    ),
    ("networking.v1.IngressClassParametersReference", &[("scope", r#""Cluster""#)]),
    ("networking.v1.NetworkPolicyPort", TCP),
    ("rbac.v1.RoleRef", &[("apiGroup", r#""rbac.authorization.k8s.io""#)]),
    ("scheduling.v1.PriorityClass", &[("preemptionPolicy", r#""PreemptLowerPriority""#)]),
    (
        "storage.v1.CSIDriverSpec",
        &[
            ("attachRequired", "true"),
            ("fsGroupPolicy", r#""ReadWriteOnceWithFSType""#),
            ("podInfoOnMount", "false"),
            ("preventPodSchedulingIfMissing", "false"),
            ("requiresRepublish", "false"),
            ("seLinuxMount", "false"),
            ("storageCapacity", "false"),
            ("volumeLifecycleModes", r#"["Persistent"]"#),
        ],
    ),
    ("storage.v1.StorageClass", &[("reclaimPolicy", r#""Delete""#), ("volumeBindingMode", r#""Immediate""#)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_sorted_so_that_each_is_found() {
        assert!(ALL.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(ALL.iter().all(|(name, fields)| of(name) == *fields));
    }
}
