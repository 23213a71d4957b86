//! The types of `core_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static AWSElasticBlockStoreVolumeSource: Type = fields("io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(3, "partition", &INT32, OMITEMPTY),
    one(4, "readOnly", &BOOL, OMITEMPTY),
    one(1, "volumeID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Affinity: Type = fields("io.k8s.api.core.v1.Affinity", &[
    one(1, "nodeAffinity", &NodeAffinity, POINTER | OMITEMPTY),
    one(2, "podAffinity", &PodAffinity, POINTER | OMITEMPTY),
    one(3, "podAntiAffinity", &PodAntiAffinity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static AppArmorProfile: Type = fields("io.k8s.api.core.v1.AppArmorProfile", &[
    one(2, "localhostProfile", &STRING, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static AttachedVolume: Type = fields("io.k8s.api.core.v1.AttachedVolume", &[
    one(2, "devicePath", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static AzureDiskVolumeSource: Type = fields("io.k8s.api.core.v1.AzureDiskVolumeSource", &[
    one(3, "cachingMode", &STRING, POINTER | OMITEMPTY).with(&[Default("\"ReadWrite\"")]),
    one(1, "diskName", &STRING, REQUIRED),
    one(2, "diskURI", &STRING, REQUIRED),
    one(4, "fsType", &STRING, POINTER | OMITEMPTY).with(&[Default("\"ext4\"")]),
    one(6, "kind", &STRING, POINTER | OMITEMPTY).with(&[Default("\"Shared\"")]),
    one(5, "readOnly", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static AzureFilePersistentVolumeSource: Type = fields("io.k8s.api.core.v1.AzureFilePersistentVolumeSource", &[
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(1, "secretName", &STRING, REQUIRED),
    one(4, "secretNamespace", &STRING, POINTER),
    one(2, "shareName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static AzureFileVolumeSource: Type = fields("io.k8s.api.core.v1.AzureFileVolumeSource", &[
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(1, "secretName", &STRING, REQUIRED),
    one(2, "shareName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Binding: Type = fields("io.k8s.api.core.v1.Binding", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "target", &ObjectReference, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CSIPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.CSIPersistentVolumeSource", &[
    one(9, "controllerExpandSecretRef", &SecretReference, POINTER | OMITEMPTY),
    one(6, "controllerPublishSecretRef", &SecretReference, POINTER | OMITEMPTY),
    one(1, "driver", &STRING, REQUIRED),
    one(4, "fsType", &STRING, OMITEMPTY),
    one(10, "nodeExpandSecretRef", &SecretReference, POINTER | OMITEMPTY),
    one(8, "nodePublishSecretRef", &SecretReference, POINTER | OMITEMPTY),
    one(7, "nodeStageSecretRef", &SecretReference, POINTER | OMITEMPTY),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    map(5, "volumeAttributes", &STRING, OMITEMPTY),
    one(2, "volumeHandle", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CSIVolumeSource: Type = fields("io.k8s.api.core.v1.CSIVolumeSource", &[
    one(1, "driver", &STRING, REQUIRED),
    one(3, "fsType", &STRING, POINTER | OMITEMPTY),
    one(5, "nodePublishSecretRef", &LocalObjectReference, POINTER | OMITEMPTY),
    one(2, "readOnly", &BOOL, POINTER | OMITEMPTY),
    map(4, "volumeAttributes", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Capabilities: Type = fields("io.k8s.api.core.v1.Capabilities", &[
    list(1, "add", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(2, "drop", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CephFSPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.CephFSPersistentVolumeSource", &[
    list(1, "monitors", &STRING, REQUIRED).with(&[ListAtomic]),
    one(2, "path", &STRING, OMITEMPTY),
    one(6, "readOnly", &BOOL, OMITEMPTY),
    one(4, "secretFile", &STRING, OMITEMPTY),
    one(5, "secretRef", &SecretReference, POINTER | OMITEMPTY),
    one(3, "user", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CephFSVolumeSource: Type = fields("io.k8s.api.core.v1.CephFSVolumeSource", &[
    list(1, "monitors", &STRING, REQUIRED).with(&[ListAtomic]),
    one(2, "path", &STRING, OMITEMPTY),
    one(6, "readOnly", &BOOL, OMITEMPTY),
    one(4, "secretFile", &STRING, OMITEMPTY),
    one(5, "secretRef", &LocalObjectReference, POINTER | OMITEMPTY),
    one(3, "user", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CinderPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.CinderPersistentVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(4, "secretRef", &SecretReference, POINTER | OMITEMPTY),
    one(1, "volumeID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CinderVolumeSource: Type = fields("io.k8s.api.core.v1.CinderVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(4, "secretRef", &LocalObjectReference, POINTER | OMITEMPTY),
    one(1, "volumeID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ClientIPConfig: Type = fields("io.k8s.api.core.v1.ClientIPConfig", &[
    one(1, "timeoutSeconds", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ClusterTrustBundleProjection: Type = fields("io.k8s.api.core.v1.ClusterTrustBundleProjection", &[
    one(3, "labelSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(1, "name", &STRING, POINTER | OMITEMPTY),
    one(5, "optional", &BOOL, POINTER | OMITEMPTY),
    one(4, "path", &STRING, REQUIRED),
    one(2, "signerName", &STRING, POINTER | OMITEMPTY),
    one(6, "user", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ComponentCondition: Type = fields("io.k8s.api.core.v1.ComponentCondition", &[
    one(4, "error", &STRING, OMITEMPTY),
    one(3, "message", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ComponentStatus: Type = fields("io.k8s.api.core.v1.ComponentStatus", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "conditions", &ComponentCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ComponentStatusList: Type = fields("io.k8s.api.core.v1.ComponentStatusList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ComponentStatus, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMap: Type = fields("io.k8s.api.core.v1.ConfigMap", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    map(3, "binaryData", &BYTES, OMITEMPTY),
    map(2, "data", &STRING, OMITEMPTY),
    one(4, "immutable", &BOOL, POINTER | OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMapEnvSource: Type = fields("io.k8s.api.core.v1.ConfigMapEnvSource", &[
    one(1, "", &LocalObjectReference, INLINE),
    one(2, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMapKeySelector: Type = atomic("io.k8s.api.core.v1.ConfigMapKeySelector", &[
    one(1, "", &LocalObjectReference, INLINE),
    one(2, "key", &STRING, REQUIRED),
    one(3, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMapList: Type = fields("io.k8s.api.core.v1.ConfigMapList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ConfigMap, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMapNodeConfigSource: Type = fields("io.k8s.api.core.v1.ConfigMapNodeConfigSource", &[
    one(5, "kubeletConfigKey", &STRING, REQUIRED),
    one(2, "name", &STRING, REQUIRED),
    one(1, "namespace", &STRING, REQUIRED),
    one(4, "resourceVersion", &STRING, OMITEMPTY),
    one(3, "uid", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMapProjection: Type = fields("io.k8s.api.core.v1.ConfigMapProjection", &[
    one(1, "", &LocalObjectReference, INLINE),
    list(2, "items", &KeyToPath, OMITEMPTY).with(&[ListAtomic]),
    one(4, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ConfigMapVolumeSource: Type = fields("io.k8s.api.core.v1.ConfigMapVolumeSource", &[
    one(1, "", &LocalObjectReference, INLINE),
    one(3, "defaultMode", &INT32, POINTER | OMITEMPTY),
    one(5, "defaultUser", &INT64, POINTER | OMITEMPTY),
    list(2, "items", &KeyToPath, OMITEMPTY).with(&[ListAtomic]),
    one(4, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Container: Type = fields("io.k8s.api.core.v1.Container", &[
    list(4, "args", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(3, "command", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(7, "env", &EnvVar, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(19, "envFrom", &EnvFromSource, OMITEMPTY).with(&[ListAtomic]),
    one(2, "image", &STRING, OMITEMPTY),
    one(14, "imagePullPolicy", &STRING, OMITEMPTY),
    one(12, "lifecycle", &Lifecycle, POINTER | OMITEMPTY),
    one(10, "livenessProbe", &Probe, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    list(6, "ports", &ContainerPort, OMITEMPTY).with(&[ListMap(&["containerPort", "protocol"]), Patch("merge", "containerPort")]),
    one(11, "readinessProbe", &Probe, POINTER | OMITEMPTY),
    list(23, "resizePolicy", &ContainerResizePolicy, OMITEMPTY).with(&[ListAtomic]),
    one(8, "resources", &ResourceRequirements, OMITEMPTY),
    one(24, "restartPolicy", &STRING, POINTER | OMITEMPTY),
    list(25, "restartPolicyRules", &ContainerRestartRule, OMITEMPTY).with(&[ListAtomic]),
    one(15, "securityContext", &SecurityContext, POINTER | OMITEMPTY),
    one(22, "startupProbe", &Probe, POINTER | OMITEMPTY),
    one(16, "stdin", &BOOL, OMITEMPTY),
    one(17, "stdinOnce", &BOOL, OMITEMPTY),
    one(13, "terminationMessagePath", &STRING, OMITEMPTY),
    one(20, "terminationMessagePolicy", &STRING, OMITEMPTY),
    one(18, "tty", &BOOL, OMITEMPTY),
    list(21, "volumeDevices", &VolumeDevice, OMITEMPTY).with(&[ListMap(&["devicePath"]), Patch("merge", "devicePath")]),
    list(9, "volumeMounts", &VolumeMount, OMITEMPTY).with(&[ListMap(&["mountPath"]), Patch("merge", "mountPath")]),
    one(5, "workingDir", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerExtendedResourceRequest: Type = fields("io.k8s.api.core.v1.ContainerExtendedResourceRequest", &[
    one(1, "containerName", &STRING, REQUIRED),
    one(3, "requestName", &STRING, REQUIRED),
    one(2, "resourceName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ContainerImage: Type = fields("io.k8s.api.core.v1.ContainerImage", &[
    list(1, "names", &STRING, 0).with(&[ListAtomic]),
    one(2, "sizeBytes", &INT64, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerPort: Type = fields("io.k8s.api.core.v1.ContainerPort", &[
    one(3, "containerPort", &INT32, REQUIRED),
    one(5, "hostIP", &STRING, OMITEMPTY),
    one(2, "hostPort", &INT32, OMITEMPTY),
    one(1, "name", &STRING, OMITEMPTY),
    one(4, "protocol", &STRING, OMITEMPTY).with(&[Default("\"TCP\"")]),
]);

#[rustfmt::skip]
pub(super) static ContainerResizePolicy: Type = fields("io.k8s.api.core.v1.ContainerResizePolicy", &[
    one(1, "resourceName", &STRING, REQUIRED),
    one(2, "restartPolicy", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ContainerRestartRule: Type = fields("io.k8s.api.core.v1.ContainerRestartRule", &[
    one(1, "action", &STRING, OMITEMPTY | REQUIRED),
    one(2, "exitCodes", &ContainerRestartRuleOnExitCodes, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerRestartRuleOnExitCodes: Type = fields("io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes", &[
    one(1, "operator", &STRING, OMITEMPTY | REQUIRED),
    list(2, "values", &INT32, OMITEMPTY).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static ContainerState: Type = fields("io.k8s.api.core.v1.ContainerState", &[
    one(2, "running", &ContainerStateRunning, POINTER | OMITEMPTY),
    one(3, "terminated", &ContainerStateTerminated, POINTER | OMITEMPTY),
    one(1, "waiting", &ContainerStateWaiting, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerStateRunning: Type = fields("io.k8s.api.core.v1.ContainerStateRunning", &[
    one(1, "startedAt", &apimachinery::Time, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerStateTerminated: Type = fields("io.k8s.api.core.v1.ContainerStateTerminated", &[
    one(7, "containerID", &STRING, OMITEMPTY),
    one(1, "exitCode", &INT32, REQUIRED),
    one(6, "finishedAt", &apimachinery::Time, OMITEMPTY),
    one(4, "message", &STRING, OMITEMPTY),
    one(3, "reason", &STRING, OMITEMPTY),
    one(2, "signal", &INT32, OMITEMPTY),
    one(5, "startedAt", &apimachinery::Time, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerStateWaiting: Type = fields("io.k8s.api.core.v1.ContainerStateWaiting", &[
    one(2, "message", &STRING, OMITEMPTY),
    one(1, "reason", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ContainerStatus: Type = fields("io.k8s.api.core.v1.ContainerStatus", &[
    map(10, "allocatedResources", &apimachinery::Quantity, OMITEMPTY),
    list(14, "allocatedResourcesStatus", &ResourceStatus, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(8, "containerID", &STRING, OMITEMPTY),
    one(6, "image", &STRING, REQUIRED),
    one(7, "imageID", &STRING, REQUIRED),
    one(3, "lastState", &ContainerState, OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(4, "ready", &BOOL, REQUIRED),
    one(11, "resources", &ResourceRequirements, POINTER | OMITEMPTY),
    one(5, "restartCount", &INT32, REQUIRED),
    one(9, "started", &BOOL, POINTER | OMITEMPTY),
    one(2, "state", &ContainerState, OMITEMPTY),
    one(15, "stopSignal", &STRING, POINTER | OMITEMPTY),
    one(13, "user", &ContainerUser, POINTER | OMITEMPTY),
    list(12, "volumeMounts", &VolumeMountStatus, OMITEMPTY).with(&[ListMap(&["mountPath"]), Patch("merge", "mountPath")]),
]);

#[rustfmt::skip]
pub(super) static ContainerUser: Type = fields("io.k8s.api.core.v1.ContainerUser", &[
    one(1, "linux", &LinuxContainerUser, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonEndpoint: Type = fields("io.k8s.api.core.v1.DaemonEndpoint", &[
    one(1, "Port", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DownwardAPIProjection: Type = fields("io.k8s.api.core.v1.DownwardAPIProjection", &[
    list(1, "items", &DownwardAPIVolumeFile, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static DownwardAPIVolumeFile: Type = fields("io.k8s.api.core.v1.DownwardAPIVolumeFile", &[
    one(2, "fieldRef", &ObjectFieldSelector, POINTER | OMITEMPTY),
    one(4, "mode", &INT32, POINTER | OMITEMPTY),
    one(1, "path", &STRING, REQUIRED),
    one(3, "resourceFieldRef", &ResourceFieldSelector, POINTER | OMITEMPTY),
    one(5, "user", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DownwardAPIVolumeSource: Type = fields("io.k8s.api.core.v1.DownwardAPIVolumeSource", &[
    one(2, "defaultMode", &INT32, POINTER | OMITEMPTY),
    one(3, "defaultUser", &INT64, POINTER | OMITEMPTY),
    list(1, "items", &DownwardAPIVolumeFile, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static EmptyDirVolumeSource: Type = fields("io.k8s.api.core.v1.EmptyDirVolumeSource", &[
    one(1, "medium", &STRING, OMITEMPTY),
    one(3, "mode", &INT32, POINTER | OMITEMPTY),
    one(2, "sizeLimit", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EndpointAddress: Type = atomic("io.k8s.api.core.v1.EndpointAddress", &[
    one(3, "hostname", &STRING, OMITEMPTY),
    one(1, "ip", &STRING, REQUIRED),
    one(4, "nodeName", &STRING, POINTER | OMITEMPTY),
    one(2, "targetRef", &ObjectReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EndpointPort: Type = atomic("io.k8s.api.core.v1.EndpointPort", &[
    one(4, "appProtocol", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, OMITEMPTY),
    one(2, "port", &INT32, REQUIRED),
    one(3, "protocol", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EndpointSubset: Type = fields("io.k8s.api.core.v1.EndpointSubset", &[
    list(1, "addresses", &EndpointAddress, OMITEMPTY).with(&[ListAtomic]),
    list(2, "notReadyAddresses", &EndpointAddress, OMITEMPTY).with(&[ListAtomic]),
    list(3, "ports", &EndpointPort, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static Endpoints: Type = fields("io.k8s.api.core.v1.Endpoints", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "subsets", &EndpointSubset, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static EndpointsList: Type = fields("io.k8s.api.core.v1.EndpointsList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Endpoints, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EnvFromSource: Type = fields("io.k8s.api.core.v1.EnvFromSource", &[
    one(2, "configMapRef", &ConfigMapEnvSource, POINTER | OMITEMPTY),
    one(1, "prefix", &STRING, OMITEMPTY),
    one(3, "secretRef", &SecretEnvSource, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EnvVar: Type = fields("io.k8s.api.core.v1.EnvVar", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "value", &STRING, OMITEMPTY),
    one(3, "valueFrom", &EnvVarSource, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EnvVarSource: Type = fields("io.k8s.api.core.v1.EnvVarSource", &[
    one(3, "configMapKeyRef", &ConfigMapKeySelector, POINTER | OMITEMPTY),
    one(1, "fieldRef", &ObjectFieldSelector, POINTER | OMITEMPTY),
    one(5, "fileKeyRef", &FileKeySelector, POINTER | OMITEMPTY),
    one(2, "resourceFieldRef", &ResourceFieldSelector, POINTER | OMITEMPTY),
    one(4, "secretKeyRef", &SecretKeySelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EphemeralContainer: Type = fields("io.k8s.api.core.v1.EphemeralContainer", &[
    one(1, "", &EphemeralContainerCommon, INLINE),
    one(2, "targetContainerName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EphemeralContainerCommon: Type = fields("io.k8s.api.core.v1.EphemeralContainerCommon", &[
    list(4, "args", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(3, "command", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(7, "env", &EnvVar, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(19, "envFrom", &EnvFromSource, OMITEMPTY).with(&[ListAtomic]),
    one(2, "image", &STRING, OMITEMPTY),
    one(14, "imagePullPolicy", &STRING, OMITEMPTY),
    one(12, "lifecycle", &Lifecycle, POINTER | OMITEMPTY),
    one(10, "livenessProbe", &Probe, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    list(6, "ports", &ContainerPort, OMITEMPTY).with(&[ListMap(&["containerPort", "protocol"]), Patch("merge", "containerPort")]),
    one(11, "readinessProbe", &Probe, POINTER | OMITEMPTY),
    list(23, "resizePolicy", &ContainerResizePolicy, OMITEMPTY).with(&[ListAtomic]),
    one(8, "resources", &ResourceRequirements, OMITEMPTY),
    one(24, "restartPolicy", &STRING, POINTER | OMITEMPTY),
    list(25, "restartPolicyRules", &ContainerRestartRule, OMITEMPTY).with(&[ListAtomic]),
    one(15, "securityContext", &SecurityContext, POINTER | OMITEMPTY),
    one(22, "startupProbe", &Probe, POINTER | OMITEMPTY),
    one(16, "stdin", &BOOL, OMITEMPTY),
    one(17, "stdinOnce", &BOOL, OMITEMPTY),
    one(13, "terminationMessagePath", &STRING, OMITEMPTY),
    one(20, "terminationMessagePolicy", &STRING, OMITEMPTY),
    one(18, "tty", &BOOL, OMITEMPTY),
    list(21, "volumeDevices", &VolumeDevice, OMITEMPTY).with(&[ListMap(&["devicePath"]), Patch("merge", "devicePath")]),
    list(9, "volumeMounts", &VolumeMount, OMITEMPTY).with(&[ListMap(&["mountPath"]), Patch("merge", "mountPath")]),
    one(5, "workingDir", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EphemeralVolumeSource: Type = fields("io.k8s.api.core.v1.EphemeralVolumeSource", &[
    one(1, "volumeClaimTemplate", &PersistentVolumeClaimTemplate, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Event: Type = fields("io.k8s.api.core.v1.Event", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(12, "action", &STRING, OMITEMPTY),
    one(8, "count", &INT32, OMITEMPTY),
    one(10, "eventTime", &apimachinery::MicroTime, OMITEMPTY),
    one(6, "firstTimestamp", &apimachinery::Time, OMITEMPTY),
    one(2, "involvedObject", &ObjectReference, REQUIRED),
    one(7, "lastTimestamp", &apimachinery::Time, OMITEMPTY),
    one(4, "message", &STRING, OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, REQUIRED),
    one(3, "reason", &STRING, OMITEMPTY),
    one(13, "related", &ObjectReference, POINTER | OMITEMPTY),
    one(14, "reportingComponent", &STRING, 0),
    one(15, "reportingInstance", &STRING, 0),
    one(11, "series", &EventSeries, POINTER | OMITEMPTY),
    one(5, "source", &EventSource, OMITEMPTY),
    one(9, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EventList: Type = fields("io.k8s.api.core.v1.EventList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Event, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EventSeries: Type = fields("io.k8s.api.core.v1.EventSeries", &[
    one(1, "count", &INT32, OMITEMPTY),
    one(2, "lastObservedTime", &apimachinery::MicroTime, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EventSource: Type = fields("io.k8s.api.core.v1.EventSource", &[
    one(1, "component", &STRING, OMITEMPTY),
    one(2, "host", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EvictionResponder: Type = atomic("io.k8s.api.core.v1.EvictionResponder", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "priority", &INT32, POINTER | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ExecAction: Type = fields("io.k8s.api.core.v1.ExecAction", &[
    list(1, "command", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static FCVolumeSource: Type = fields("io.k8s.api.core.v1.FCVolumeSource", &[
    one(3, "fsType", &STRING, OMITEMPTY),
    one(2, "lun", &INT32, POINTER | OMITEMPTY),
    one(4, "readOnly", &BOOL, OMITEMPTY),
    list(1, "targetWWNs", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(5, "wwids", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static FileKeySelector: Type = atomic("io.k8s.api.core.v1.FileKeySelector", &[
    one(3, "key", &STRING, REQUIRED),
    one(4, "optional", &BOOL, POINTER | OMITEMPTY),
    one(2, "path", &STRING, REQUIRED),
    one(1, "volumeName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static FlexPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.FlexPersistentVolumeSource", &[
    one(1, "driver", &STRING, REQUIRED),
    one(2, "fsType", &STRING, OMITEMPTY),
    map(5, "options", &STRING, OMITEMPTY),
    one(4, "readOnly", &BOOL, OMITEMPTY),
    one(3, "secretRef", &SecretReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static FlexVolumeSource: Type = fields("io.k8s.api.core.v1.FlexVolumeSource", &[
    one(1, "driver", &STRING, REQUIRED),
    one(2, "fsType", &STRING, OMITEMPTY),
    map(5, "options", &STRING, OMITEMPTY),
    one(4, "readOnly", &BOOL, OMITEMPTY),
    one(3, "secretRef", &LocalObjectReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static FlockerVolumeSource: Type = fields("io.k8s.api.core.v1.FlockerVolumeSource", &[
    one(1, "datasetName", &STRING, OMITEMPTY),
    one(2, "datasetUUID", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static GCEPersistentDiskVolumeSource: Type = fields("io.k8s.api.core.v1.GCEPersistentDiskVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(3, "partition", &INT32, OMITEMPTY),
    one(1, "pdName", &STRING, REQUIRED),
    one(4, "readOnly", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static GRPCAction: Type = fields("io.k8s.api.core.v1.GRPCAction", &[
    one(3, "mode", &STRING, POINTER | OMITEMPTY),
    one(1, "port", &INT32, REQUIRED),
    one(2, "service", &STRING, POINTER),
]);

#[rustfmt::skip]
pub(super) static GitRepoVolumeSource: Type = fields("io.k8s.api.core.v1.GitRepoVolumeSource", &[
    one(3, "directory", &STRING, OMITEMPTY),
    one(1, "repository", &STRING, REQUIRED),
    one(2, "revision", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static GlusterfsPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.GlusterfsPersistentVolumeSource", &[
    one(1, "endpoints", &STRING, REQUIRED),
    one(4, "endpointsNamespace", &STRING, POINTER | OMITEMPTY),
    one(2, "path", &STRING, REQUIRED),
    one(3, "readOnly", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static GlusterfsVolumeSource: Type = fields("io.k8s.api.core.v1.GlusterfsVolumeSource", &[
    one(1, "endpoints", &STRING, REQUIRED),
    one(2, "path", &STRING, REQUIRED),
    one(3, "readOnly", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HTTPGetAction: Type = fields("io.k8s.api.core.v1.HTTPGetAction", &[
    one(3, "host", &STRING, OMITEMPTY),
    list(5, "httpHeaders", &HTTPHeader, OMITEMPTY).with(&[ListAtomic]),
    one(1, "path", &STRING, OMITEMPTY),
    one(2, "port", &apimachinery::IntOrString, REQUIRED),
    one(6, "protocol", &STRING, POINTER | OMITEMPTY),
    one(4, "scheme", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HTTPHeader: Type = fields("io.k8s.api.core.v1.HTTPHeader", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "value", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HostAlias: Type = fields("io.k8s.api.core.v1.HostAlias", &[
    list(2, "hostnames", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "ip", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HostIP: Type = fields("io.k8s.api.core.v1.HostIP", &[
    one(1, "ip", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HostPathVolumeSource: Type = fields("io.k8s.api.core.v1.HostPathVolumeSource", &[
    one(1, "path", &STRING, REQUIRED),
    one(2, "type", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ISCSIPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.ISCSIPersistentVolumeSource", &[
    one(8, "chapAuthDiscovery", &BOOL, OMITEMPTY),
    one(11, "chapAuthSession", &BOOL, OMITEMPTY),
    one(5, "fsType", &STRING, OMITEMPTY),
    one(12, "initiatorName", &STRING, POINTER | OMITEMPTY),
    one(2, "iqn", &STRING, REQUIRED),
    one(4, "iscsiInterface", &STRING, OMITEMPTY).with(&[Default("\"default\"")]),
    one(3, "lun", &INT32, REQUIRED),
    list(7, "portals", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(6, "readOnly", &BOOL, OMITEMPTY),
    one(10, "secretRef", &SecretReference, POINTER | OMITEMPTY),
    one(1, "targetPortal", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ISCSIVolumeSource: Type = fields("io.k8s.api.core.v1.ISCSIVolumeSource", &[
    one(8, "chapAuthDiscovery", &BOOL, OMITEMPTY),
    one(11, "chapAuthSession", &BOOL, OMITEMPTY),
    one(5, "fsType", &STRING, OMITEMPTY),
    one(12, "initiatorName", &STRING, POINTER | OMITEMPTY),
    one(2, "iqn", &STRING, REQUIRED),
    one(4, "iscsiInterface", &STRING, OMITEMPTY).with(&[Default("\"default\"")]),
    one(3, "lun", &INT32, REQUIRED),
    list(7, "portals", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(6, "readOnly", &BOOL, OMITEMPTY),
    one(10, "secretRef", &LocalObjectReference, POINTER | OMITEMPTY),
    one(1, "targetPortal", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ImageVolumeSource: Type = fields("io.k8s.api.core.v1.ImageVolumeSource", &[
    one(2, "pullPolicy", &STRING, OMITEMPTY),
    one(1, "reference", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ImageVolumeStatus: Type = fields("io.k8s.api.core.v1.ImageVolumeStatus", &[
    one(1, "imageRef", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static KeyToPath: Type = fields("io.k8s.api.core.v1.KeyToPath", &[
    one(1, "key", &STRING, REQUIRED),
    one(3, "mode", &INT32, POINTER | OMITEMPTY),
    one(2, "path", &STRING, REQUIRED),
    one(4, "user", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Lifecycle: Type = fields("io.k8s.api.core.v1.Lifecycle", &[
    one(1, "postStart", &LifecycleHandler, POINTER | OMITEMPTY),
    one(2, "preStop", &LifecycleHandler, POINTER | OMITEMPTY),
    one(3, "stopSignal", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LifecycleHandler: Type = fields("io.k8s.api.core.v1.LifecycleHandler", &[
    one(1, "exec", &ExecAction, POINTER | OMITEMPTY),
    one(2, "httpGet", &HTTPGetAction, POINTER | OMITEMPTY),
    one(4, "sleep", &SleepAction, POINTER | OMITEMPTY),
    one(3, "tcpSocket", &TCPSocketAction, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LimitRange: Type = fields("io.k8s.api.core.v1.LimitRange", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &LimitRangeSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LimitRangeItem: Type = fields("io.k8s.api.core.v1.LimitRangeItem", &[
    map(4, "default", &apimachinery::Quantity, OMITEMPTY),
    map(5, "defaultRequest", &apimachinery::Quantity, OMITEMPTY),
    map(2, "max", &apimachinery::Quantity, OMITEMPTY),
    map(6, "maxLimitRequestRatio", &apimachinery::Quantity, OMITEMPTY),
    map(3, "min", &apimachinery::Quantity, OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static LimitRangeList: Type = fields("io.k8s.api.core.v1.LimitRangeList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &LimitRange, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LimitRangeSpec: Type = fields("io.k8s.api.core.v1.LimitRangeSpec", &[
    list(1, "limits", &LimitRangeItem, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static LinuxContainerUser: Type = fields("io.k8s.api.core.v1.LinuxContainerUser", &[
    one(2, "gid", &INT64, REQUIRED),
    list(3, "supplementalGroups", &INT64, OMITEMPTY).with(&[ListAtomic]),
    one(1, "uid", &INT64, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static List: Type = fields("io.k8s.api.core.v1.List", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &apimachinery::RawExtension, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LoadBalancerIngress: Type = fields("io.k8s.api.core.v1.LoadBalancerIngress", &[
    one(2, "hostname", &STRING, OMITEMPTY),
    one(1, "ip", &STRING, OMITEMPTY),
    one(3, "ipMode", &STRING, POINTER | OMITEMPTY),
    list(4, "ports", &PortStatus, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static LoadBalancerStatus: Type = fields("io.k8s.api.core.v1.LoadBalancerStatus", &[
    list(1, "ingress", &LoadBalancerIngress, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static LocalObjectReference: Type = atomic("io.k8s.api.core.v1.LocalObjectReference", &[
    one(1, "name", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LocalVolumeSource: Type = fields("io.k8s.api.core.v1.LocalVolumeSource", &[
    one(2, "fsType", &STRING, POINTER | OMITEMPTY),
    one(1, "path", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ModifyVolumeStatus: Type = fields("io.k8s.api.core.v1.ModifyVolumeStatus", &[
    one(2, "status", &STRING, REQUIRED),
    one(1, "targetVolumeAttributesClassName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NFSVolumeSource: Type = fields("io.k8s.api.core.v1.NFSVolumeSource", &[
    one(2, "path", &STRING, REQUIRED),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(1, "server", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Namespace: Type = fields("io.k8s.api.core.v1.Namespace", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &NamespaceSpec, OMITEMPTY),
    one(3, "status", &NamespaceStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NamespaceCondition: Type = fields("io.k8s.api.core.v1.NamespaceCondition", &[
    one(4, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "message", &STRING, OMITEMPTY),
    one(5, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static NamespaceList: Type = fields("io.k8s.api.core.v1.NamespaceList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Namespace, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NamespaceSpec: Type = fields("io.k8s.api.core.v1.NamespaceSpec", &[
    list(1, "finalizers", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NamespaceStatus: Type = fields("io.k8s.api.core.v1.NamespaceStatus", &[
    list(2, "conditions", &NamespaceCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(1, "phase", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Node: Type = fields("io.k8s.api.core.v1.Node", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &NodeSpec, OMITEMPTY),
    one(3, "status", &NodeStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeAddress: Type = fields("io.k8s.api.core.v1.NodeAddress", &[
    one(2, "address", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static NodeAffinity: Type = fields("io.k8s.api.core.v1.NodeAffinity", &[
    list(2, "preferredDuringSchedulingIgnoredDuringExecution", &PreferredSchedulingTerm, OMITEMPTY).with(&[ListAtomic]),
    one(1, "requiredDuringSchedulingIgnoredDuringExecution", &NodeSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeAllocatableMappedResources: Type = fields("io.k8s.api.core.v1.NodeAllocatableMappedResources", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "quantity", &apimachinery::Quantity, POINTER | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static NodeAllocatableOverheadResources: Type = fields("io.k8s.api.core.v1.NodeAllocatableOverheadResources", &[
    one(1, "name", &STRING, REQUIRED),
    one(3, "perContainer", &apimachinery::Quantity, POINTER | OMITEMPTY),
    one(2, "perPod", &apimachinery::Quantity, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeAllocatableResourceClaimStatus: Type = fields("io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus", &[
    list(2, "containers", &STRING, OMITEMPTY).with(&[ListSet]),
    list(4, "mapping", &NodeAllocatableMappedResources, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(5, "overhead", &NodeAllocatableOverheadResources, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(1, "resourceClaimName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static NodeCondition: Type = fields("io.k8s.api.core.v1.NodeCondition", &[
    one(3, "lastHeartbeatTime", &apimachinery::Time, OMITEMPTY),
    one(4, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "message", &STRING, OMITEMPTY),
    one(5, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static NodeConfigSource: Type = fields("io.k8s.api.core.v1.NodeConfigSource", &[
    one(2, "configMap", &ConfigMapNodeConfigSource, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeConfigStatus: Type = fields("io.k8s.api.core.v1.NodeConfigStatus", &[
    one(2, "active", &NodeConfigSource, POINTER | OMITEMPTY),
    one(1, "assigned", &NodeConfigSource, POINTER | OMITEMPTY),
    one(4, "error", &STRING, OMITEMPTY),
    one(3, "lastKnownGood", &NodeConfigSource, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeDaemonEndpoints: Type = fields("io.k8s.api.core.v1.NodeDaemonEndpoints", &[
    one(1, "kubeletEndpoint", &DaemonEndpoint, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeFeatures: Type = fields("io.k8s.api.core.v1.NodeFeatures", &[
    one(1, "supplementalGroupsPolicy", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeList: Type = fields("io.k8s.api.core.v1.NodeList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Node, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodePodPreemptionPolicy: Type = fields("io.k8s.api.core.v1.NodePodPreemptionPolicy", &[
    list(1, "disableResizePreemption", &STRING, OMITEMPTY).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static NodeProxyOptions: Type = fields("io.k8s.api.core.v1.NodeProxyOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "path", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeRuntimeHandler: Type = fields("io.k8s.api.core.v1.NodeRuntimeHandler", &[
    one(2, "features", &NodeRuntimeHandlerFeatures, POINTER | OMITEMPTY),
    one(1, "name", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static NodeRuntimeHandlerFeatures: Type = fields("io.k8s.api.core.v1.NodeRuntimeHandlerFeatures", &[
    one(1, "recursiveReadOnlyMounts", &BOOL, POINTER | OMITEMPTY),
    one(2, "userNamespaces", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeSelector: Type = atomic("io.k8s.api.core.v1.NodeSelector", &[
    list(1, "nodeSelectorTerms", &NodeSelectorTerm, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NodeSelectorRequirement: Type = fields("io.k8s.api.core.v1.NodeSelectorRequirement", &[
    one(1, "key", &STRING, REQUIRED),
    one(2, "operator", &STRING, REQUIRED),
    list(3, "values", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NodeSelectorTerm: Type = atomic("io.k8s.api.core.v1.NodeSelectorTerm", &[
    list(1, "matchExpressions", &NodeSelectorRequirement, OMITEMPTY).with(&[ListAtomic]),
    list(2, "matchFields", &NodeSelectorRequirement, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NodeSpec: Type = fields("io.k8s.api.core.v1.NodeSpec", &[
    one(6, "configSource", &NodeConfigSource, POINTER | OMITEMPTY),
    one(2, "externalID", &STRING, OMITEMPTY),
    one(1, "podCIDR", &STRING, OMITEMPTY),
    list(7, "podCIDRs", &STRING, OMITEMPTY).with(&[ListSet, Patch("merge", "")]),
    one(8, "podPreemptionPolicy", &NodePodPreemptionPolicy, POINTER | OMITEMPTY),
    one(3, "providerID", &STRING, OMITEMPTY),
    list(5, "taints", &Taint, OMITEMPTY).with(&[ListAtomic]),
    one(4, "unschedulable", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeStatus: Type = fields("io.k8s.api.core.v1.NodeStatus", &[
    list(5, "addresses", &NodeAddress, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    map(2, "allocatable", &apimachinery::Quantity, OMITEMPTY),
    map(1, "capacity", &apimachinery::Quantity, OMITEMPTY),
    list(4, "conditions", &NodeCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(11, "config", &NodeConfigStatus, POINTER | OMITEMPTY),
    one(6, "daemonEndpoints", &NodeDaemonEndpoints, OMITEMPTY),
    list(14, "declaredFeatures", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(13, "features", &NodeFeatures, POINTER | OMITEMPTY),
    list(8, "images", &ContainerImage, OMITEMPTY).with(&[ListAtomic]),
    one(7, "nodeInfo", &NodeSystemInfo, OMITEMPTY),
    one(3, "phase", &STRING, OMITEMPTY),
    list(12, "runtimeHandlers", &NodeRuntimeHandler, OMITEMPTY).with(&[ListAtomic]),
    list(10, "volumesAttached", &AttachedVolume, OMITEMPTY).with(&[ListAtomic]),
    list(9, "volumesInUse", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NodeSwapStatus: Type = fields("io.k8s.api.core.v1.NodeSwapStatus", &[
    one(1, "capacity", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NodeSystemInfo: Type = fields("io.k8s.api.core.v1.NodeSystemInfo", &[
    one(10, "architecture", &STRING, REQUIRED),
    one(3, "bootID", &STRING, REQUIRED),
    one(6, "containerRuntimeVersion", &STRING, REQUIRED),
    one(4, "kernelVersion", &STRING, REQUIRED),
    one(8, "kubeProxyVersion", &STRING, REQUIRED),
    one(7, "kubeletVersion", &STRING, REQUIRED),
    one(1, "machineID", &STRING, REQUIRED),
    one(9, "operatingSystem", &STRING, REQUIRED),
    one(5, "osImage", &STRING, REQUIRED),
    one(12, "runningInUserNamespace", &BOOL, POINTER | OMITEMPTY),
    one(11, "swap", &NodeSwapStatus, POINTER | OMITEMPTY),
    one(2, "systemUUID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ObjectFieldSelector: Type = atomic("io.k8s.api.core.v1.ObjectFieldSelector", &[
    one(1, "apiVersion", &STRING, OMITEMPTY),
    one(2, "fieldPath", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ObjectReference: Type = atomic("io.k8s.api.core.v1.ObjectReference", &[
    one(5, "apiVersion", &STRING, OMITEMPTY),
    one(7, "fieldPath", &STRING, OMITEMPTY),
    one(1, "kind", &STRING, OMITEMPTY),
    one(3, "name", &STRING, OMITEMPTY),
    one(2, "namespace", &STRING, OMITEMPTY),
    one(6, "resourceVersion", &STRING, OMITEMPTY),
    one(4, "uid", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolume: Type = fields("io.k8s.api.core.v1.PersistentVolume", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PersistentVolumeSpec, OMITEMPTY),
    one(3, "status", &PersistentVolumeStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaim: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaim", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PersistentVolumeClaimSpec, OMITEMPTY),
    one(3, "status", &PersistentVolumeClaimStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaimCondition: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaimCondition", &[
    one(3, "lastProbeTime", &apimachinery::Time, OMITEMPTY),
    one(4, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "message", &STRING, OMITEMPTY),
    one(5, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaimList: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaimList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PersistentVolumeClaim, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaimSpec: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaimSpec", &[
    list(1, "accessModes", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(7, "dataSource", &TypedLocalObjectReference, POINTER | OMITEMPTY),
    one(8, "dataSourceRef", &TypedObjectReference, POINTER | OMITEMPTY),
    one(2, "resources", &VolumeResourceRequirements, OMITEMPTY),
    one(4, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(5, "storageClassName", &STRING, POINTER | OMITEMPTY),
    one(9, "volumeAttributesClassName", &STRING, POINTER | OMITEMPTY),
    one(6, "volumeMode", &STRING, POINTER | OMITEMPTY),
    one(3, "volumeName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaimStatus: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaimStatus", &[
    list(2, "accessModes", &STRING, OMITEMPTY).with(&[ListAtomic]),
    map(7, "allocatedResourceStatuses", &STRING, OMITEMPTY).with(&[MapGranular]),
    map(5, "allocatedResources", &apimachinery::Quantity, OMITEMPTY),
    map(3, "capacity", &apimachinery::Quantity, OMITEMPTY),
    list(4, "conditions", &PersistentVolumeClaimCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(8, "currentVolumeAttributesClassName", &STRING, POINTER | OMITEMPTY),
    one(10, "healthStatus", &VolumeHealthStatus, POINTER | OMITEMPTY),
    one(9, "modifyVolumeStatus", &ModifyVolumeStatus, POINTER | OMITEMPTY),
    one(1, "phase", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaimTemplate: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaimTemplate", &[
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PersistentVolumeClaimSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeClaimVolumeSource: Type = fields("io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource", &[
    one(1, "claimName", &STRING, REQUIRED),
    one(2, "readOnly", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeList: Type = fields("io.k8s.api.core.v1.PersistentVolumeList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PersistentVolume, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeSource: Type = fields("io.k8s.api.core.v1.PersistentVolumeSource", &[
    one(2, "awsElasticBlockStore", &AWSElasticBlockStoreVolumeSource, POINTER | OMITEMPTY),
    one(16, "azureDisk", &AzureDiskVolumeSource, POINTER | OMITEMPTY),
    one(13, "azureFile", &AzureFilePersistentVolumeSource, POINTER | OMITEMPTY),
    one(9, "cephfs", &CephFSPersistentVolumeSource, POINTER | OMITEMPTY),
    one(8, "cinder", &CinderPersistentVolumeSource, POINTER | OMITEMPTY),
    one(22, "csi", &CSIPersistentVolumeSource, POINTER | OMITEMPTY),
    one(10, "fc", &FCVolumeSource, POINTER | OMITEMPTY),
    one(12, "flexVolume", &FlexPersistentVolumeSource, POINTER | OMITEMPTY),
    one(11, "flocker", &FlockerVolumeSource, POINTER | OMITEMPTY),
    one(1, "gcePersistentDisk", &GCEPersistentDiskVolumeSource, POINTER | OMITEMPTY),
    one(4, "glusterfs", &GlusterfsPersistentVolumeSource, POINTER | OMITEMPTY),
    one(3, "hostPath", &HostPathVolumeSource, POINTER | OMITEMPTY),
    one(7, "iscsi", &ISCSIPersistentVolumeSource, POINTER | OMITEMPTY),
    one(20, "local", &LocalVolumeSource, POINTER | OMITEMPTY),
    one(5, "nfs", &NFSVolumeSource, POINTER | OMITEMPTY),
    one(17, "photonPersistentDisk", &PhotonPersistentDiskVolumeSource, POINTER | OMITEMPTY),
    one(18, "portworxVolume", &PortworxVolumeSource, POINTER | OMITEMPTY),
    one(15, "quobyte", &QuobyteVolumeSource, POINTER | OMITEMPTY),
    one(6, "rbd", &RBDPersistentVolumeSource, POINTER | OMITEMPTY),
    one(19, "scaleIO", &ScaleIOPersistentVolumeSource, POINTER | OMITEMPTY),
    one(21, "storageos", &StorageOSPersistentVolumeSource, POINTER | OMITEMPTY),
    one(14, "vsphereVolume", &VsphereVirtualDiskVolumeSource, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeSpec: Type = fields("io.k8s.api.core.v1.PersistentVolumeSpec", &[
    one(2, "", &PersistentVolumeSource, INLINE),
    list(3, "accessModes", &STRING, OMITEMPTY).with(&[ListAtomic]),
    map(1, "capacity", &apimachinery::Quantity, OMITEMPTY),
    one(4, "claimRef", &ObjectReference, POINTER | OMITEMPTY).with(&[MapGranular]),
    list(7, "mountOptions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(9, "nodeAffinity", &VolumeNodeAffinity, POINTER | OMITEMPTY),
    one(5, "persistentVolumeReclaimPolicy", &STRING, OMITEMPTY),
    one(6, "storageClassName", &STRING, OMITEMPTY),
    one(10, "volumeAttributesClassName", &STRING, POINTER | OMITEMPTY),
    one(8, "volumeMode", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PersistentVolumeStatus: Type = fields("io.k8s.api.core.v1.PersistentVolumeStatus", &[
    one(4, "lastPhaseTransitionTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(2, "message", &STRING, OMITEMPTY),
    one(1, "phase", &STRING, OMITEMPTY),
    one(3, "reason", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PhotonPersistentDiskVolumeSource: Type = fields("io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(1, "pdID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Pod: Type = fields("io.k8s.api.core.v1.Pod", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PodSpec, OMITEMPTY),
    one(3, "status", &PodStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodAffinity: Type = fields("io.k8s.api.core.v1.PodAffinity", &[
    list(2, "preferredDuringSchedulingIgnoredDuringExecution", &WeightedPodAffinityTerm, OMITEMPTY).with(&[ListAtomic]),
    list(1, "requiredDuringSchedulingIgnoredDuringExecution", &PodAffinityTerm, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PodAffinityTerm: Type = fields("io.k8s.api.core.v1.PodAffinityTerm", &[
    one(1, "labelSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    list(5, "matchLabelKeys", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(6, "mismatchLabelKeys", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(4, "namespaceSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    list(2, "namespaces", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(3, "topologyKey", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodAntiAffinity: Type = fields("io.k8s.api.core.v1.PodAntiAffinity", &[
    list(2, "preferredDuringSchedulingIgnoredDuringExecution", &WeightedPodAffinityTerm, OMITEMPTY).with(&[ListAtomic]),
    list(1, "requiredDuringSchedulingIgnoredDuringExecution", &PodAffinityTerm, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PodAttachOptions: Type = fields("io.k8s.api.core.v1.PodAttachOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(5, "container", &STRING, OMITEMPTY),
    one(3, "stderr", &BOOL, OMITEMPTY),
    one(1, "stdin", &BOOL, OMITEMPTY),
    one(2, "stdout", &BOOL, OMITEMPTY),
    one(4, "tty", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodCertificateProjection: Type = fields("io.k8s.api.core.v1.PodCertificateProjection", &[
    one(6, "certificateChainPath", &STRING, OMITEMPTY),
    one(4, "credentialBundlePath", &STRING, OMITEMPTY),
    one(5, "keyPath", &STRING, OMITEMPTY),
    one(2, "keyType", &STRING, OMITEMPTY | REQUIRED),
    one(3, "maxExpirationSeconds", &INT32, POINTER | OMITEMPTY),
    one(1, "signerName", &STRING, OMITEMPTY | REQUIRED),
    one(8, "user", &INT64, POINTER | OMITEMPTY),
    map(7, "userAnnotations", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodCondition: Type = fields("io.k8s.api.core.v1.PodCondition", &[
    one(3, "lastProbeTime", &apimachinery::Time, OMITEMPTY),
    one(4, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "message", &STRING, OMITEMPTY),
    one(7, "observedGeneration", &INT64, OMITEMPTY),
    one(5, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodDNSConfig: Type = fields("io.k8s.api.core.v1.PodDNSConfig", &[
    list(1, "nameservers", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(3, "options", &PodDNSConfigOption, OMITEMPTY).with(&[ListAtomic]),
    list(2, "searches", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PodDNSConfigOption: Type = fields("io.k8s.api.core.v1.PodDNSConfigOption", &[
    one(1, "name", &STRING, OMITEMPTY),
    one(2, "value", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodExecOptions: Type = fields("io.k8s.api.core.v1.PodExecOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(6, "command", &STRING, REQUIRED).with(&[ListAtomic]),
    one(5, "container", &STRING, OMITEMPTY),
    one(3, "stderr", &BOOL, OMITEMPTY),
    one(1, "stdin", &BOOL, OMITEMPTY),
    one(2, "stdout", &BOOL, OMITEMPTY),
    one(4, "tty", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodExtendedResourceClaimStatus: Type = fields("io.k8s.api.core.v1.PodExtendedResourceClaimStatus", &[
    list(1, "requestMappings", &ContainerExtendedResourceRequest, REQUIRED).with(&[ListAtomic]),
    one(2, "resourceClaimName", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodIP: Type = fields("io.k8s.api.core.v1.PodIP", &[
    one(1, "ip", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodList: Type = fields("io.k8s.api.core.v1.PodList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Pod, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodLogOptions: Type = fields("io.k8s.api.core.v1.PodLogOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "container", &STRING, OMITEMPTY),
    one(2, "follow", &BOOL, OMITEMPTY),
    one(9, "insecureSkipTLSVerifyBackend", &BOOL, OMITEMPTY),
    one(8, "limitBytes", &INT64, POINTER | OMITEMPTY),
    one(3, "previous", &BOOL, OMITEMPTY),
    one(4, "sinceSeconds", &INT64, POINTER | OMITEMPTY),
    one(5, "sinceTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(10, "stream", &STRING, POINTER | OMITEMPTY),
    one(7, "tailLines", &INT64, POINTER | OMITEMPTY),
    one(6, "timestamps", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodOS: Type = fields("io.k8s.api.core.v1.PodOS", &[
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodPortForwardOptions: Type = fields("io.k8s.api.core.v1.PodPortForwardOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(1, "ports", &INT32, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PodProxyOptions: Type = fields("io.k8s.api.core.v1.PodProxyOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "path", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodReadinessGate: Type = fields("io.k8s.api.core.v1.PodReadinessGate", &[
    one(1, "conditionType", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodResourceClaim: Type = fields("io.k8s.api.core.v1.PodResourceClaim", &[
    one(1, "name", &STRING, REQUIRED),
    one(3, "resourceClaimName", &STRING, POINTER | OMITEMPTY),
    one(4, "resourceClaimTemplateName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodResourceClaimStatus: Type = fields("io.k8s.api.core.v1.PodResourceClaimStatus", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "resourceClaimName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodSchedulingGate: Type = fields("io.k8s.api.core.v1.PodSchedulingGate", &[
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodSchedulingGroup: Type = fields("io.k8s.api.core.v1.PodSchedulingGroup", &[
    one(1, "podGroupName", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodSecurityContext: Type = fields("io.k8s.api.core.v1.PodSecurityContext", &[
    one(11, "appArmorProfile", &AppArmorProfile, POINTER | OMITEMPTY),
    one(5, "fsGroup", &INT64, POINTER | OMITEMPTY),
    one(9, "fsGroupChangePolicy", &STRING, POINTER | OMITEMPTY),
    one(6, "runAsGroup", &INT64, POINTER | OMITEMPTY),
    one(3, "runAsNonRoot", &BOOL, POINTER | OMITEMPTY),
    one(2, "runAsUser", &INT64, POINTER | OMITEMPTY),
    one(13, "seLinuxChangePolicy", &STRING, POINTER | OMITEMPTY),
    one(1, "seLinuxOptions", &SELinuxOptions, POINTER | OMITEMPTY),
    one(10, "seccompProfile", &SeccompProfile, POINTER | OMITEMPTY),
    list(4, "supplementalGroups", &INT64, OMITEMPTY).with(&[ListAtomic]),
    one(12, "supplementalGroupsPolicy", &STRING, POINTER | OMITEMPTY),
    list(7, "sysctls", &Sysctl, OMITEMPTY).with(&[ListAtomic]),
    one(8, "windowsOptions", &WindowsSecurityContextOptions, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodSpec: Type = fields("io.k8s.api.core.v1.PodSpec", &[
    one(5, "activeDeadlineSeconds", &INT64, POINTER | OMITEMPTY),
    one(18, "affinity", &Affinity, POINTER | OMITEMPTY),
    one(21, "automountServiceAccountToken", &BOOL, POINTER | OMITEMPTY),
    list(2, "containers", &Container, REQUIRED).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(26, "dnsConfig", &PodDNSConfig, POINTER | OMITEMPTY),
    one(6, "dnsPolicy", &STRING, OMITEMPTY),
    one(30, "enableServiceLinks", &BOOL, POINTER | OMITEMPTY),
    list(34, "ephemeralContainers", &EphemeralContainer, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(44, "evictionResponders", &EvictionResponder, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(23, "hostAliases", &HostAlias, OMITEMPTY).with(&[ListMap(&["ip"]), Patch("merge", "ip")]),
    one(13, "hostIPC", &BOOL, OMITEMPTY),
    one(11, "hostNetwork", &BOOL, OMITEMPTY),
    one(12, "hostPID", &BOOL, OMITEMPTY),
    one(37, "hostUsers", &BOOL, POINTER | OMITEMPTY),
    one(16, "hostname", &STRING, OMITEMPTY),
    one(41, "hostnameOverride", &STRING, POINTER | OMITEMPTY),
    list(15, "imagePullSecrets", &LocalObjectReference, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    list(20, "initContainers", &Container, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(10, "nodeName", &STRING, OMITEMPTY),
    map(7, "nodeSelector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    one(36, "os", &PodOS, POINTER | OMITEMPTY),
    map(32, "overhead", &apimachinery::Quantity, OMITEMPTY),
    one(31, "preemptionPolicy", &STRING, POINTER | OMITEMPTY),
    one(25, "priority", &INT32, POINTER | OMITEMPTY),
    one(24, "priorityClassName", &STRING, OMITEMPTY),
    list(28, "readinessGates", &PodReadinessGate, OMITEMPTY).with(&[ListAtomic]),
    list(39, "resourceClaims", &PodResourceClaim, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge,retainKeys", "name")]),
    one(40, "resources", &ResourceRequirements, POINTER | OMITEMPTY),
    one(3, "restartPolicy", &STRING, OMITEMPTY),
    one(29, "runtimeClassName", &STRING, POINTER | OMITEMPTY),
    one(19, "schedulerName", &STRING, OMITEMPTY),
    list(38, "schedulingGates", &PodSchedulingGate, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(43, "schedulingGroup", &PodSchedulingGroup, POINTER | OMITEMPTY),
    one(14, "securityContext", &PodSecurityContext, POINTER | OMITEMPTY),
    one(9, "serviceAccount", &STRING, OMITEMPTY),
    one(8, "serviceAccountName", &STRING, OMITEMPTY),
    one(35, "setHostnameAsFQDN", &BOOL, POINTER | OMITEMPTY),
    one(27, "shareProcessNamespace", &BOOL, POINTER | OMITEMPTY),
    one(17, "subdomain", &STRING, OMITEMPTY),
    one(4, "terminationGracePeriodSeconds", &INT64, POINTER | OMITEMPTY),
    list(22, "tolerations", &Toleration, OMITEMPTY).with(&[ListAtomic]),
    list(33, "topologySpreadConstraints", &TopologySpreadConstraint, OMITEMPTY).with(&[ListMap(&["topologyKey", "whenUnsatisfiable"]), Patch("merge", "topologyKey")]),
    list(1, "volumes", &Volume, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge,retainKeys", "name")]),
]);

#[rustfmt::skip]
pub(super) static PodStatus: Type = fields("io.k8s.api.core.v1.PodStatus", &[
    map(19, "allocatedResources", &apimachinery::Quantity, OMITEMPTY),
    list(2, "conditions", &PodCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    list(8, "containerStatuses", &ContainerStatus, OMITEMPTY).with(&[ListAtomic]),
    list(13, "ephemeralContainerStatuses", &ContainerStatus, OMITEMPTY).with(&[ListAtomic]),
    one(18, "extendedResourceClaimStatus", &PodExtendedResourceClaimStatus, POINTER | OMITEMPTY),
    one(5, "hostIP", &STRING, OMITEMPTY),
    list(16, "hostIPs", &HostIP, OMITEMPTY).with(&[ListAtomic, Patch("merge", "ip")]),
    list(10, "initContainerStatuses", &ContainerStatus, OMITEMPTY).with(&[ListAtomic]),
    one(3, "message", &STRING, OMITEMPTY),
    list(21, "nodeAllocatableResourceClaimStatuses", &NodeAllocatableResourceClaimStatus, OMITEMPTY).with(&[ListMap(&["resourceClaimName"]), Patch("merge", "resourceClaimName")]),
    one(11, "nominatedNodeName", &STRING, OMITEMPTY),
    one(17, "observedGeneration", &INT64, OMITEMPTY),
    one(1, "phase", &STRING, OMITEMPTY),
    one(6, "podIP", &STRING, OMITEMPTY),
    list(12, "podIPs", &PodIP, OMITEMPTY).with(&[ListMap(&["ip"]), Patch("merge", "ip")]),
    one(9, "qosClass", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(14, "resize", &STRING, OMITEMPTY),
    list(15, "resourceClaimStatuses", &PodResourceClaimStatus, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge,retainKeys", "name")]),
    one(20, "resources", &ResourceRequirements, POINTER | OMITEMPTY),
    one(7, "startTime", &apimachinery::Time, POINTER | OMITEMPTY),
    list(22, "volumeHealth", &PodVolumeHealth, OMITEMPTY).with(&[ListMap(&["name"])]),
]);

#[rustfmt::skip]
pub(super) static PodTemplate: Type = fields("io.k8s.api.core.v1.PodTemplate", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "template", &PodTemplateSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodTemplateList: Type = fields("io.k8s.api.core.v1.PodTemplateList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PodTemplate, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodTemplateSpec: Type = fields("io.k8s.api.core.v1.PodTemplateSpec", &[
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PodSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodVolumeHealth: Type = fields("io.k8s.api.core.v1.PodVolumeHealth", &[
    list(2, "healthConditions", &VolumeHealthCondition, OMITEMPTY).with(&[ListMap(&["status", "reason"]), Patch("merge", "status")]),
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PortStatus: Type = fields("io.k8s.api.core.v1.PortStatus", &[
    one(3, "error", &STRING, POINTER | OMITEMPTY),
    one(1, "port", &INT32, REQUIRED),
    one(2, "protocol", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PortworxVolumeSource: Type = fields("io.k8s.api.core.v1.PortworxVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(1, "volumeID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PreferredSchedulingTerm: Type = fields("io.k8s.api.core.v1.PreferredSchedulingTerm", &[
    one(2, "preference", &NodeSelectorTerm, REQUIRED),
    one(1, "weight", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Probe: Type = fields("io.k8s.api.core.v1.Probe", &[
    one(1, "", &ProbeHandler, INLINE),
    one(6, "failureThreshold", &INT32, OMITEMPTY),
    one(2, "initialDelaySeconds", &INT32, OMITEMPTY),
    one(4, "periodSeconds", &INT32, OMITEMPTY),
    one(5, "successThreshold", &INT32, OMITEMPTY),
    one(7, "terminationGracePeriodSeconds", &INT64, POINTER | OMITEMPTY),
    one(3, "timeoutSeconds", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ProbeHandler: Type = fields("io.k8s.api.core.v1.ProbeHandler", &[
    one(1, "exec", &ExecAction, POINTER | OMITEMPTY),
    one(4, "grpc", &GRPCAction, POINTER | OMITEMPTY),
    one(2, "httpGet", &HTTPGetAction, POINTER | OMITEMPTY),
    one(3, "tcpSocket", &TCPSocketAction, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ProjectedVolumeSource: Type = fields("io.k8s.api.core.v1.ProjectedVolumeSource", &[
    one(2, "defaultMode", &INT32, POINTER | OMITEMPTY),
    one(3, "defaultUser", &INT64, POINTER | OMITEMPTY),
    list(1, "sources", &VolumeProjection, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static QuobyteVolumeSource: Type = fields("io.k8s.api.core.v1.QuobyteVolumeSource", &[
    one(5, "group", &STRING, OMITEMPTY),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(1, "registry", &STRING, REQUIRED),
    one(6, "tenant", &STRING, OMITEMPTY),
    one(4, "user", &STRING, OMITEMPTY),
    one(2, "volume", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static RBDPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.RBDPersistentVolumeSource", &[
    one(3, "fsType", &STRING, OMITEMPTY),
    one(2, "image", &STRING, REQUIRED),
    one(6, "keyring", &STRING, OMITEMPTY).with(&[Default("\"/etc/ceph/keyring\"")]),
    list(1, "monitors", &STRING, REQUIRED).with(&[ListAtomic]),
    one(4, "pool", &STRING, OMITEMPTY).with(&[Default("\"rbd\"")]),
    one(8, "readOnly", &BOOL, OMITEMPTY),
    one(7, "secretRef", &SecretReference, POINTER | OMITEMPTY),
    one(5, "user", &STRING, OMITEMPTY).with(&[Default("\"admin\"")]),
]);

#[rustfmt::skip]
pub(super) static RBDVolumeSource: Type = fields("io.k8s.api.core.v1.RBDVolumeSource", &[
    one(3, "fsType", &STRING, OMITEMPTY),
    one(2, "image", &STRING, REQUIRED),
    one(6, "keyring", &STRING, OMITEMPTY).with(&[Default("\"/etc/ceph/keyring\"")]),
    list(1, "monitors", &STRING, REQUIRED).with(&[ListAtomic]),
    one(4, "pool", &STRING, OMITEMPTY).with(&[Default("\"rbd\"")]),
    one(8, "readOnly", &BOOL, OMITEMPTY),
    one(7, "secretRef", &LocalObjectReference, POINTER | OMITEMPTY),
    one(5, "user", &STRING, OMITEMPTY).with(&[Default("\"admin\"")]),
]);

#[rustfmt::skip]
pub(super) static RangeAllocation: Type = fields("io.k8s.api.core.v1.RangeAllocation", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(3, "data", &BYTES, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "range", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ReplicationController: Type = fields("io.k8s.api.core.v1.ReplicationController", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ReplicationControllerSpec, OMITEMPTY),
    one(3, "status", &ReplicationControllerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicationControllerCondition: Type = fields("io.k8s.api.core.v1.ReplicationControllerCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ReplicationControllerList: Type = fields("io.k8s.api.core.v1.ReplicationControllerList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ReplicationController, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicationControllerSpec: Type = fields("io.k8s.api.core.v1.ReplicationControllerSpec", &[
    one(4, "minReadySeconds", &INT32, OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY).with(&[Default("1")]),
    map(2, "selector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    one(3, "template", &PodTemplateSpec, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicationControllerStatus: Type = fields("io.k8s.api.core.v1.ReplicationControllerStatus", &[
    one(5, "availableReplicas", &INT32, OMITEMPTY),
    list(6, "conditions", &ReplicationControllerCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(2, "fullyLabeledReplicas", &INT32, OMITEMPTY),
    one(3, "observedGeneration", &INT64, OMITEMPTY),
    one(4, "readyReplicas", &INT32, OMITEMPTY),
    one(1, "replicas", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceClaim: Type = fields("io.k8s.api.core.v1.ResourceClaim", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "request", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceFieldSelector: Type = atomic("io.k8s.api.core.v1.ResourceFieldSelector", &[
    one(1, "containerName", &STRING, OMITEMPTY),
    one(3, "divisor", &apimachinery::Quantity, OMITEMPTY),
    one(2, "resource", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceHealth: Type = fields("io.k8s.api.core.v1.ResourceHealth", &[
    one(2, "health", &STRING, OMITEMPTY),
    one(6, "message", &STRING, POINTER | OMITEMPTY),
    one(1, "resourceID", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ResourceQuota: Type = fields("io.k8s.api.core.v1.ResourceQuota", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ResourceQuotaSpec, OMITEMPTY),
    one(3, "status", &ResourceQuotaStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceQuotaList: Type = fields("io.k8s.api.core.v1.ResourceQuotaList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ResourceQuota, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceQuotaSpec: Type = fields("io.k8s.api.core.v1.ResourceQuotaSpec", &[
    map(1, "hard", &apimachinery::Quantity, OMITEMPTY),
    one(3, "scopeSelector", &ScopeSelector, POINTER | OMITEMPTY),
    list(2, "scopes", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ResourceQuotaStatus: Type = fields("io.k8s.api.core.v1.ResourceQuotaStatus", &[
    map(1, "hard", &apimachinery::Quantity, OMITEMPTY),
    map(2, "used", &apimachinery::Quantity, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceRequirements: Type = fields("io.k8s.api.core.v1.ResourceRequirements", &[
    list(3, "claims", &ResourceClaim, OMITEMPTY).with(&[ListMap(&["name"])]),
    map(1, "limits", &apimachinery::Quantity, OMITEMPTY),
    map(2, "requests", &apimachinery::Quantity, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ResourceStatus: Type = fields("io.k8s.api.core.v1.ResourceStatus", &[
    one(1, "name", &STRING, REQUIRED),
    list(2, "resources", &ResourceHealth, OMITEMPTY).with(&[ListMap(&["resourceID"])]),
]);

#[rustfmt::skip]
pub(super) static SELinuxOptions: Type = fields("io.k8s.api.core.v1.SELinuxOptions", &[
    one(4, "level", &STRING, OMITEMPTY),
    one(2, "role", &STRING, OMITEMPTY),
    one(3, "type", &STRING, OMITEMPTY),
    one(1, "user", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleIOPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.ScaleIOPersistentVolumeSource", &[
    one(9, "fsType", &STRING, OMITEMPTY).with(&[Default("\"xfs\"")]),
    one(1, "gateway", &STRING, REQUIRED),
    one(5, "protectionDomain", &STRING, OMITEMPTY),
    one(10, "readOnly", &BOOL, OMITEMPTY),
    one(3, "secretRef", &SecretReference, POINTER | REQUIRED),
    one(4, "sslEnabled", &BOOL, OMITEMPTY),
    one(7, "storageMode", &STRING, OMITEMPTY).with(&[Default("\"ThinProvisioned\"")]),
    one(6, "storagePool", &STRING, OMITEMPTY),
    one(2, "system", &STRING, REQUIRED),
    one(8, "volumeName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleIOVolumeSource: Type = fields("io.k8s.api.core.v1.ScaleIOVolumeSource", &[
    one(9, "fsType", &STRING, OMITEMPTY).with(&[Default("\"xfs\"")]),
    one(1, "gateway", &STRING, REQUIRED),
    one(5, "protectionDomain", &STRING, OMITEMPTY),
    one(10, "readOnly", &BOOL, OMITEMPTY),
    one(3, "secretRef", &LocalObjectReference, POINTER | REQUIRED),
    one(4, "sslEnabled", &BOOL, OMITEMPTY),
    one(7, "storageMode", &STRING, OMITEMPTY).with(&[Default("\"ThinProvisioned\"")]),
    one(6, "storagePool", &STRING, OMITEMPTY),
    one(2, "system", &STRING, REQUIRED),
    one(8, "volumeName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScopeSelector: Type = atomic("io.k8s.api.core.v1.ScopeSelector", &[
    list(1, "matchExpressions", &ScopedResourceSelectorRequirement, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ScopedResourceSelectorRequirement: Type = fields("io.k8s.api.core.v1.ScopedResourceSelectorRequirement", &[
    one(2, "operator", &STRING, REQUIRED),
    one(1, "scopeName", &STRING, REQUIRED),
    list(3, "values", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static SeccompProfile: Type = fields("io.k8s.api.core.v1.SeccompProfile", &[
    one(2, "localhostProfile", &STRING, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Secret: Type = fields("io.k8s.api.core.v1.Secret", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    map(2, "data", &BYTES, OMITEMPTY),
    one(5, "immutable", &BOOL, POINTER | OMITEMPTY),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    map(4, "stringData", &STRING, OMITEMPTY),
    one(3, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecretEnvSource: Type = fields("io.k8s.api.core.v1.SecretEnvSource", &[
    one(1, "", &LocalObjectReference, INLINE),
    one(2, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecretKeySelector: Type = atomic("io.k8s.api.core.v1.SecretKeySelector", &[
    one(1, "", &LocalObjectReference, INLINE),
    one(2, "key", &STRING, REQUIRED),
    one(3, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecretList: Type = fields("io.k8s.api.core.v1.SecretList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Secret, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecretProjection: Type = fields("io.k8s.api.core.v1.SecretProjection", &[
    one(1, "", &LocalObjectReference, INLINE),
    list(2, "items", &KeyToPath, OMITEMPTY).with(&[ListAtomic]),
    one(4, "optional", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecretReference: Type = atomic("io.k8s.api.core.v1.SecretReference", &[
    one(1, "name", &STRING, OMITEMPTY),
    one(2, "namespace", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecretVolumeSource: Type = fields("io.k8s.api.core.v1.SecretVolumeSource", &[
    one(3, "defaultMode", &INT32, POINTER | OMITEMPTY),
    one(5, "defaultUser", &INT64, POINTER | OMITEMPTY),
    list(2, "items", &KeyToPath, OMITEMPTY).with(&[ListAtomic]),
    one(4, "optional", &BOOL, POINTER | OMITEMPTY),
    one(1, "secretName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SecurityContext: Type = fields("io.k8s.api.core.v1.SecurityContext", &[
    one(7, "allowPrivilegeEscalation", &BOOL, POINTER | OMITEMPTY),
    one(12, "appArmorProfile", &AppArmorProfile, POINTER | OMITEMPTY),
    one(1, "capabilities", &Capabilities, POINTER | OMITEMPTY),
    one(2, "privileged", &BOOL, POINTER | OMITEMPTY),
    one(9, "procMount", &STRING, POINTER | OMITEMPTY),
    one(6, "readOnlyRootFilesystem", &BOOL, POINTER | OMITEMPTY),
    one(8, "runAsGroup", &INT64, POINTER | OMITEMPTY),
    one(5, "runAsNonRoot", &BOOL, POINTER | OMITEMPTY),
    one(4, "runAsUser", &INT64, POINTER | OMITEMPTY),
    one(3, "seLinuxOptions", &SELinuxOptions, POINTER | OMITEMPTY),
    one(11, "seccompProfile", &SeccompProfile, POINTER | OMITEMPTY),
    one(10, "windowsOptions", &WindowsSecurityContextOptions, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SerializedReference: Type = fields("io.k8s.api.core.v1.SerializedReference", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "reference", &ObjectReference, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Service: Type = fields("io.k8s.api.core.v1.Service", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ServiceSpec, OMITEMPTY),
    one(3, "status", &ServiceStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceAccount: Type = fields("io.k8s.api.core.v1.ServiceAccount", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(4, "automountServiceAccountToken", &BOOL, POINTER | OMITEMPTY),
    list(3, "imagePullSecrets", &LocalObjectReference, OMITEMPTY).with(&[ListAtomic]),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "secrets", &ObjectReference, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static ServiceAccountList: Type = fields("io.k8s.api.core.v1.ServiceAccountList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ServiceAccount, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceAccountTokenProjection: Type = fields("io.k8s.api.core.v1.ServiceAccountTokenProjection", &[
    one(1, "audience", &STRING, OMITEMPTY),
    one(2, "expirationSeconds", &INT64, POINTER | OMITEMPTY),
    one(3, "path", &STRING, REQUIRED),
    one(4, "user", &INT64, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceList: Type = fields("io.k8s.api.core.v1.ServiceList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Service, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServicePort: Type = fields("io.k8s.api.core.v1.ServicePort", &[
    one(6, "appProtocol", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, OMITEMPTY),
    one(5, "nodePort", &INT32, OMITEMPTY),
    one(3, "port", &INT32, REQUIRED),
    one(2, "protocol", &STRING, OMITEMPTY).with(&[Default("\"TCP\"")]),
    one(4, "targetPort", &apimachinery::IntOrString, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceProxyOptions: Type = fields("io.k8s.api.core.v1.ServiceProxyOptions", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "path", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceSpec: Type = fields("io.k8s.api.core.v1.ServiceSpec", &[
    one(20, "allocateLoadBalancerNodePorts", &BOOL, POINTER | OMITEMPTY),
    one(3, "clusterIP", &STRING, OMITEMPTY),
    list(18, "clusterIPs", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(5, "externalIPs", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(10, "externalName", &STRING, OMITEMPTY),
    one(11, "externalTrafficPolicy", &STRING, OMITEMPTY),
    one(12, "healthCheckNodePort", &INT32, OMITEMPTY),
    one(22, "internalTrafficPolicy", &STRING, POINTER | OMITEMPTY),
    list(19, "ipFamilies", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(17, "ipFamilyPolicy", &STRING, POINTER | OMITEMPTY),
    one(21, "loadBalancerClass", &STRING, POINTER | OMITEMPTY),
    one(8, "loadBalancerIP", &STRING, OMITEMPTY),
    list(9, "loadBalancerSourceRanges", &STRING, OMITEMPTY).with(&[ListAtomic]),
    list(1, "ports", &ServicePort, OMITEMPTY).with(&[ListMap(&["port", "protocol"]), Patch("merge", "port")]),
    one(13, "publishNotReadyAddresses", &BOOL, OMITEMPTY),
    map(2, "selector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    one(7, "sessionAffinity", &STRING, OMITEMPTY),
    one(14, "sessionAffinityConfig", &SessionAffinityConfig, POINTER | OMITEMPTY),
    one(23, "trafficDistribution", &STRING, POINTER | OMITEMPTY),
    one(4, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceStatus: Type = fields("io.k8s.api.core.v1.ServiceStatus", &[
    list(2, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(1, "loadBalancer", &LoadBalancerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SessionAffinityConfig: Type = fields("io.k8s.api.core.v1.SessionAffinityConfig", &[
    one(1, "clientIP", &ClientIPConfig, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static SleepAction: Type = fields("io.k8s.api.core.v1.SleepAction", &[
    one(1, "seconds", &INT64, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static StorageOSPersistentVolumeSource: Type = fields("io.k8s.api.core.v1.StorageOSPersistentVolumeSource", &[
    one(3, "fsType", &STRING, OMITEMPTY),
    one(4, "readOnly", &BOOL, OMITEMPTY),
    one(5, "secretRef", &ObjectReference, POINTER | OMITEMPTY),
    one(1, "volumeName", &STRING, OMITEMPTY),
    one(2, "volumeNamespace", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StorageOSVolumeSource: Type = fields("io.k8s.api.core.v1.StorageOSVolumeSource", &[
    one(3, "fsType", &STRING, OMITEMPTY),
    one(4, "readOnly", &BOOL, OMITEMPTY),
    one(5, "secretRef", &LocalObjectReference, POINTER | OMITEMPTY),
    one(1, "volumeName", &STRING, OMITEMPTY),
    one(2, "volumeNamespace", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Sysctl: Type = fields("io.k8s.api.core.v1.Sysctl", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "value", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TCPSocketAction: Type = fields("io.k8s.api.core.v1.TCPSocketAction", &[
    one(2, "host", &STRING, OMITEMPTY),
    one(1, "port", &apimachinery::IntOrString, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Taint: Type = fields("io.k8s.api.core.v1.Taint", &[
    one(3, "effect", &STRING, REQUIRED),
    one(1, "key", &STRING, REQUIRED),
    one(4, "timeAdded", &apimachinery::Time, POINTER | OMITEMPTY),
    one(2, "value", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Toleration: Type = fields("io.k8s.api.core.v1.Toleration", &[
    one(4, "effect", &STRING, OMITEMPTY),
    one(1, "key", &STRING, OMITEMPTY),
    one(2, "operator", &STRING, OMITEMPTY),
    one(5, "tolerationSeconds", &INT64, POINTER | OMITEMPTY),
    one(3, "value", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TopologySelectorLabelRequirement: Type = fields("io.k8s.api.core.v1.TopologySelectorLabelRequirement", &[
    one(1, "key", &STRING, REQUIRED),
    list(2, "values", &STRING, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static TopologySelectorTerm: Type = atomic("io.k8s.api.core.v1.TopologySelectorTerm", &[
    list(1, "matchLabelExpressions", &TopologySelectorLabelRequirement, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static TopologySpreadConstraint: Type = fields("io.k8s.api.core.v1.TopologySpreadConstraint", &[
    one(4, "labelSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    list(8, "matchLabelKeys", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "maxSkew", &INT32, REQUIRED),
    one(5, "minDomains", &INT32, POINTER | OMITEMPTY),
    one(6, "nodeAffinityPolicy", &STRING, POINTER | OMITEMPTY),
    one(7, "nodeTaintsPolicy", &STRING, POINTER | OMITEMPTY),
    one(2, "topologyKey", &STRING, REQUIRED),
    one(3, "whenUnsatisfiable", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TypedLocalObjectReference: Type = atomic("io.k8s.api.core.v1.TypedLocalObjectReference", &[
    one(1, "apiGroup", &STRING, POINTER),
    one(2, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TypedObjectReference: Type = fields("io.k8s.api.core.v1.TypedObjectReference", &[
    one(1, "apiGroup", &STRING, POINTER),
    one(2, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
    one(4, "namespace", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Volume: Type = fields("io.k8s.api.core.v1.Volume", &[
    one(2, "", &VolumeSource, INLINE),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static VolumeDevice: Type = fields("io.k8s.api.core.v1.VolumeDevice", &[
    one(2, "devicePath", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static VolumeHealthCondition: Type = fields("io.k8s.api.core.v1.VolumeHealthCondition", &[
    one(3, "message", &STRING, OMITEMPTY),
    one(2, "reason", &STRING, REQUIRED),
    one(1, "status", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static VolumeHealthStatus: Type = fields("io.k8s.api.core.v1.VolumeHealthStatus", &[
    list(1, "healthConditions", &VolumeHealthCondition, OMITEMPTY).with(&[ListMap(&["status", "reason"]), Patch("merge", "status")]),
    one(2, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeMount: Type = fields("io.k8s.api.core.v1.VolumeMount", &[
    list(8, "bindMountOptions", &STRING, OMITEMPTY).with(&[ListSet]),
    one(3, "mountPath", &STRING, REQUIRED),
    one(5, "mountPropagation", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(2, "readOnly", &BOOL, OMITEMPTY),
    one(7, "recursiveReadOnly", &STRING, POINTER | OMITEMPTY),
    one(4, "subPath", &STRING, OMITEMPTY),
    one(6, "subPathExpr", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeMountStatus: Type = fields("io.k8s.api.core.v1.VolumeMountStatus", &[
    one(2, "mountPath", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
    one(3, "readOnly", &BOOL, OMITEMPTY),
    one(4, "recursiveReadOnly", &STRING, POINTER | OMITEMPTY),
    one(5, "volumeStatus", &VolumeStatus, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeNodeAffinity: Type = fields("io.k8s.api.core.v1.VolumeNodeAffinity", &[
    one(1, "required", &NodeSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeProjection: Type = fields("io.k8s.api.core.v1.VolumeProjection", &[
    one(5, "clusterTrustBundle", &ClusterTrustBundleProjection, POINTER | OMITEMPTY),
    one(3, "configMap", &ConfigMapProjection, POINTER | OMITEMPTY),
    one(2, "downwardAPI", &DownwardAPIProjection, POINTER | OMITEMPTY),
    one(6, "podCertificate", &PodCertificateProjection, POINTER | OMITEMPTY),
    one(1, "secret", &SecretProjection, POINTER | OMITEMPTY),
    one(4, "serviceAccountToken", &ServiceAccountTokenProjection, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeResourceRequirements: Type = fields("io.k8s.api.core.v1.VolumeResourceRequirements", &[
    map(1, "limits", &apimachinery::Quantity, OMITEMPTY),
    map(2, "requests", &apimachinery::Quantity, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeSource: Type = fields("io.k8s.api.core.v1.VolumeSource", &[
    one(4, "awsElasticBlockStore", &AWSElasticBlockStoreVolumeSource, POINTER | OMITEMPTY),
    one(22, "azureDisk", &AzureDiskVolumeSource, POINTER | OMITEMPTY),
    one(18, "azureFile", &AzureFileVolumeSource, POINTER | OMITEMPTY),
    one(14, "cephfs", &CephFSVolumeSource, POINTER | OMITEMPTY),
    one(13, "cinder", &CinderVolumeSource, POINTER | OMITEMPTY),
    one(19, "configMap", &ConfigMapVolumeSource, POINTER | OMITEMPTY),
    one(28, "csi", &CSIVolumeSource, POINTER | OMITEMPTY),
    one(16, "downwardAPI", &DownwardAPIVolumeSource, POINTER | OMITEMPTY),
    one(2, "emptyDir", &EmptyDirVolumeSource, POINTER | OMITEMPTY),
    one(29, "ephemeral", &EphemeralVolumeSource, POINTER | OMITEMPTY),
    one(17, "fc", &FCVolumeSource, POINTER | OMITEMPTY),
    one(12, "flexVolume", &FlexVolumeSource, POINTER | OMITEMPTY),
    one(15, "flocker", &FlockerVolumeSource, POINTER | OMITEMPTY),
    one(3, "gcePersistentDisk", &GCEPersistentDiskVolumeSource, POINTER | OMITEMPTY),
    one(5, "gitRepo", &GitRepoVolumeSource, POINTER | OMITEMPTY),
    one(9, "glusterfs", &GlusterfsVolumeSource, POINTER | OMITEMPTY),
    one(1, "hostPath", &HostPathVolumeSource, POINTER | OMITEMPTY),
    one(30, "image", &ImageVolumeSource, POINTER | OMITEMPTY),
    one(8, "iscsi", &ISCSIVolumeSource, POINTER | OMITEMPTY),
    one(7, "nfs", &NFSVolumeSource, POINTER | OMITEMPTY),
    one(10, "persistentVolumeClaim", &PersistentVolumeClaimVolumeSource, POINTER | OMITEMPTY),
    one(23, "photonPersistentDisk", &PhotonPersistentDiskVolumeSource, POINTER | OMITEMPTY),
    one(24, "portworxVolume", &PortworxVolumeSource, POINTER | OMITEMPTY),
    one(26, "projected", &ProjectedVolumeSource, POINTER | OMITEMPTY),
    one(21, "quobyte", &QuobyteVolumeSource, POINTER | OMITEMPTY),
    one(11, "rbd", &RBDVolumeSource, POINTER | OMITEMPTY),
    one(25, "scaleIO", &ScaleIOVolumeSource, POINTER | OMITEMPTY),
    one(6, "secret", &SecretVolumeSource, POINTER | OMITEMPTY),
    one(27, "storageos", &StorageOSVolumeSource, POINTER | OMITEMPTY),
    one(20, "vsphereVolume", &VsphereVirtualDiskVolumeSource, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VolumeStatus: Type = fields("io.k8s.api.core.v1.VolumeStatus", &[
    one(1, "image", &ImageVolumeStatus, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static VsphereVirtualDiskVolumeSource: Type = fields("io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource", &[
    one(2, "fsType", &STRING, OMITEMPTY),
    one(4, "storagePolicyID", &STRING, OMITEMPTY),
    one(3, "storagePolicyName", &STRING, OMITEMPTY),
    one(1, "volumePath", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static WeightedPodAffinityTerm: Type = fields("io.k8s.api.core.v1.WeightedPodAffinityTerm", &[
    one(2, "podAffinityTerm", &PodAffinityTerm, REQUIRED),
    one(1, "weight", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static WindowsSecurityContextOptions: Type = fields("io.k8s.api.core.v1.WindowsSecurityContextOptions", &[
    one(2, "gmsaCredentialSpec", &STRING, POINTER | OMITEMPTY),
    one(1, "gmsaCredentialSpecName", &STRING, POINTER | OMITEMPTY),
    one(4, "hostProcess", &BOOL, POINTER | OMITEMPTY),
    one(3, "runAsUserName", &STRING, POINTER | OMITEMPTY),
]);
