//! The types of `core_v1`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

message!(k8s_openapi::api::core::v1::AWSElasticBlockStoreVolumeSource {
    1 volume_id "volumeID" always;
    2 fs_type "fsType" omitempty;
    3 partition "partition" omitempty;
    4 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::Affinity {
    1 node_affinity "nodeAffinity";
    2 pod_affinity "podAffinity";
    3 pod_anti_affinity "podAntiAffinity";
});

message!(k8s_openapi::api::core::v1::AppArmorProfile {
    1 type_ "type" always;
    2 localhost_profile "localhostProfile";
});

message!(k8s_openapi::api::core::v1::AttachedVolume {
    1 name "name" always;
    2 device_path "devicePath" always;
});

message!(k8s_openapi::api::core::v1::AzureDiskVolumeSource {
    1 disk_name "diskName" always;
    2 disk_uri "diskURI" always;
    3 caching_mode "cachingMode";
    4 fs_type "fsType";
    5 read_only "readOnly";
    6 kind "kind";
});

message!(k8s_openapi::api::core::v1::AzureFilePersistentVolumeSource {
    1 secret_name "secretName" always;
    2 share_name "shareName" always;
    3 read_only "readOnly" omitempty;
    4 secret_namespace "secretNamespace";
});

message!(k8s_openapi::api::core::v1::AzureFileVolumeSource {
    1 secret_name "secretName" always;
    2 share_name "shareName" always;
    3 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::CSIPersistentVolumeSource {
    1 driver "driver" always;
    2 volume_handle "volumeHandle" always;
    3 read_only "readOnly" omitempty;
    4 fs_type "fsType" omitempty;
    5 volume_attributes "volumeAttributes";
    6 controller_publish_secret_ref "controllerPublishSecretRef";
    7 node_stage_secret_ref "nodeStageSecretRef";
    8 node_publish_secret_ref "nodePublishSecretRef";
    9 controller_expand_secret_ref "controllerExpandSecretRef";
    10 node_expand_secret_ref "nodeExpandSecretRef";
});

message!(k8s_openapi::api::core::v1::CSIVolumeSource {
    1 driver "driver" always;
    2 read_only "readOnly";
    3 fs_type "fsType";
    4 volume_attributes "volumeAttributes";
    5 node_publish_secret_ref "nodePublishSecretRef";
});

message!(k8s_openapi::api::core::v1::Capabilities {
    1 add "add";
    2 drop "drop";
});

message!(k8s_openapi::api::core::v1::CephFSPersistentVolumeSource {
    1 monitors "monitors";
    2 path "path" omitempty;
    3 user "user" omitempty;
    4 secret_file "secretFile" omitempty;
    5 secret_ref "secretRef";
    6 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::CephFSVolumeSource {
    1 monitors "monitors";
    2 path "path" omitempty;
    3 user "user" omitempty;
    4 secret_file "secretFile" omitempty;
    5 secret_ref "secretRef";
    6 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::CinderPersistentVolumeSource {
    1 volume_id "volumeID" always;
    2 fs_type "fsType" omitempty;
    3 read_only "readOnly" omitempty;
    4 secret_ref "secretRef";
});

message!(k8s_openapi::api::core::v1::CinderVolumeSource {
    1 volume_id "volumeID" always;
    2 fs_type "fsType" omitempty;
    3 read_only "readOnly" omitempty;
    4 secret_ref "secretRef";
});

message!(k8s_openapi::api::core::v1::ClientIPConfig {
    1 timeout_seconds "timeoutSeconds";
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::ClusterTrustBundleProjection {
    1 name "name";
    2 signer_name "signerName";
    3 label_selector "labelSelector";
    4 path "path" always;
    5 optional "optional";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::ClusterTrustBundleProjection {
    1 name "name";
    2 signer_name "signerName";
    3 label_selector "labelSelector";
    4 path "path" always;
    5 optional "optional";
    6 user "user";
});
}

object!(k8s_openapi::api::core::v1::ConfigMap as "io.k8s.api.core.v1.ConfigMap" {
    1 metadata "metadata";
    2 data "data";
    3 binary_data "binaryData";
    4 immutable "immutable";
});

message!(k8s_openapi::api::core::v1::ConfigMapEnvSource {
    2 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});

message!(k8s_openapi::api::core::v1::ConfigMapKeySelector {
    2 key "key" always;
    3 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});

message!(k8s_openapi::api::core::v1::ConfigMapNodeConfigSource {
    1 namespace "namespace" always;
    2 name "name" always;
    3 uid "uid" omitempty;
    4 resource_version "resourceVersion" omitempty;
    5 kubelet_config_key "kubeletConfigKey" always;
});

message!(k8s_openapi::api::core::v1::ConfigMapProjection {
    2 items "items";
    4 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::ConfigMapVolumeSource {
    2 items "items";
    3 default_mode "defaultMode";
    4 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::ConfigMapVolumeSource {
    2 items "items";
    3 default_mode "defaultMode";
    4 optional "optional";
    5 default_user "defaultUser";
    inline 1 {
        1 name "name" omitempty;
    }
});
}

k8s_openapi::k8s_if_le_1_33! {
message!(k8s_openapi::api::core::v1::Container {
    1 name "name" always;
    2 image "image" omitempty;
    3 command "command";
    4 args "args";
    5 working_dir "workingDir" omitempty;
    6 ports "ports";
    7 env "env";
    8 resources "resources";
    9 volume_mounts "volumeMounts";
    10 liveness_probe "livenessProbe";
    11 readiness_probe "readinessProbe";
    12 lifecycle "lifecycle";
    13 termination_message_path "terminationMessagePath" omitempty;
    14 image_pull_policy "imagePullPolicy" omitempty;
    15 security_context "securityContext";
    16 stdin "stdin" omitempty;
    17 stdin_once "stdinOnce" omitempty;
    18 tty "tty" omitempty;
    19 env_from "envFrom";
    20 termination_message_policy "terminationMessagePolicy" omitempty;
    21 volume_devices "volumeDevices";
    22 startup_probe "startupProbe";
    23 resize_policy "resizePolicy";
    24 restart_policy "restartPolicy";
});
}

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::Container {
    1 name "name" always;
    2 image "image" omitempty;
    3 command "command";
    4 args "args";
    5 working_dir "workingDir" omitempty;
    6 ports "ports";
    7 env "env";
    8 resources "resources";
    9 volume_mounts "volumeMounts";
    10 liveness_probe "livenessProbe";
    11 readiness_probe "readinessProbe";
    12 lifecycle "lifecycle";
    13 termination_message_path "terminationMessagePath" omitempty;
    14 image_pull_policy "imagePullPolicy" omitempty;
    15 security_context "securityContext";
    16 stdin "stdin" omitempty;
    17 stdin_once "stdinOnce" omitempty;
    18 tty "tty" omitempty;
    19 env_from "envFrom";
    20 termination_message_policy "terminationMessagePolicy" omitempty;
    21 volume_devices "volumeDevices";
    22 startup_probe "startupProbe";
    23 resize_policy "resizePolicy";
    24 restart_policy "restartPolicy";
    25 restart_policy_rules "restartPolicyRules";
});
}

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::ContainerExtendedResourceRequest {
    1 container_name "containerName" always;
    2 resource_name "resourceName" always;
    3 request_name "requestName" always;
});
}

message!(k8s_openapi::api::core::v1::ContainerImage {
    1 names "names";
    2 size_bytes "sizeBytes" omitempty;
});

message!(k8s_openapi::api::core::v1::ContainerPort {
    1 name "name" omitempty;
    2 host_port "hostPort" omitempty;
    3 container_port "containerPort" always;
    4 protocol "protocol" omitempty;
    5 host_ip "hostIP" omitempty;
});

message!(k8s_openapi::api::core::v1::ContainerResizePolicy {
    1 resource_name "resourceName" always;
    2 restart_policy "restartPolicy" always;
});

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::ContainerRestartRule {
    1 action "action" omitempty;
    2 exit_codes "exitCodes";
});
}

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::ContainerRestartRuleOnExitCodes {
    1 operator "operator" omitempty;
    2 values "values";
});
}

message!(k8s_openapi::api::core::v1::ContainerState {
    1 waiting "waiting";
    2 running "running";
    3 terminated "terminated";
});

message!(k8s_openapi::api::core::v1::ContainerStateRunning {
    1 started_at "startedAt";
});

message!(k8s_openapi::api::core::v1::ContainerStateTerminated {
    1 exit_code "exitCode" always;
    2 signal "signal" omitempty;
    3 reason "reason" omitempty;
    4 message "message" omitempty;
    5 started_at "startedAt";
    6 finished_at "finishedAt";
    7 container_id "containerID" omitempty;
});

message!(k8s_openapi::api::core::v1::ContainerStateWaiting {
    1 reason "reason" omitempty;
    2 message "message" omitempty;
});

message!(k8s_openapi::api::core::v1::ContainerStatus {
    1 name "name" always;
    2 state "state";
    3 last_state "lastState";
    4 ready "ready" always;
    5 restart_count "restartCount" always;
    6 image "image" always;
    7 image_id "imageID" always;
    8 container_id "containerID" omitempty;
    9 started "started";
    10 allocated_resources "allocatedResources";
    11 resources "resources";
    12 volume_mounts "volumeMounts";
    13 user "user";
    14 allocated_resources_status "allocatedResourcesStatus";
    15 stop_signal "stopSignal";
});

message!(k8s_openapi::api::core::v1::ContainerUser {
    1 linux "linux";
});

message!(k8s_openapi::api::core::v1::DaemonEndpoint {
    1 port "Port" always;
});

message!(k8s_openapi::api::core::v1::DownwardAPIProjection {
    1 items "items";
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::DownwardAPIVolumeFile {
    1 path "path" always;
    2 field_ref "fieldRef";
    3 resource_field_ref "resourceFieldRef";
    4 mode "mode";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::DownwardAPIVolumeFile {
    1 path "path" always;
    2 field_ref "fieldRef";
    3 resource_field_ref "resourceFieldRef";
    4 mode "mode";
    5 user "user";
});
}

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::DownwardAPIVolumeSource {
    1 items "items";
    2 default_mode "defaultMode";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::DownwardAPIVolumeSource {
    1 items "items";
    2 default_mode "defaultMode";
    3 default_user "defaultUser";
});
}

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::EmptyDirVolumeSource {
    1 medium "medium" omitempty;
    2 size_limit "sizeLimit";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::EmptyDirVolumeSource {
    1 medium "medium" omitempty;
    2 size_limit "sizeLimit";
    3 mode "mode";
});
}

message!(k8s_openapi::api::core::v1::EnvFromSource {
    1 prefix "prefix" omitempty;
    2 config_map_ref "configMapRef";
    3 secret_ref "secretRef";
});

message!(k8s_openapi::api::core::v1::EnvVar {
    1 name "name" always;
    2 value "value" omitempty;
    3 value_from "valueFrom";
});

k8s_openapi::k8s_if_le_1_33! {
message!(k8s_openapi::api::core::v1::EnvVarSource {
    1 field_ref "fieldRef";
    2 resource_field_ref "resourceFieldRef";
    3 config_map_key_ref "configMapKeyRef";
    4 secret_key_ref "secretKeyRef";
});
}

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::EnvVarSource {
    1 field_ref "fieldRef";
    2 resource_field_ref "resourceFieldRef";
    3 config_map_key_ref "configMapKeyRef";
    4 secret_key_ref "secretKeyRef";
    5 file_key_ref "fileKeyRef";
});
}

k8s_openapi::k8s_if_le_1_33! {
message!(k8s_openapi::api::core::v1::EphemeralContainer {
    2 target_container_name "targetContainerName" omitempty;
    inline 1 {
        1 name "name" always;
        2 image "image" omitempty;
        3 command "command";
        4 args "args";
        5 working_dir "workingDir" omitempty;
        6 ports "ports";
        7 env "env";
        8 resources "resources";
        9 volume_mounts "volumeMounts";
        10 liveness_probe "livenessProbe";
        11 readiness_probe "readinessProbe";
        12 lifecycle "lifecycle";
        13 termination_message_path "terminationMessagePath" omitempty;
        14 image_pull_policy "imagePullPolicy" omitempty;
        15 security_context "securityContext";
        16 stdin "stdin" omitempty;
        17 stdin_once "stdinOnce" omitempty;
        18 tty "tty" omitempty;
        19 env_from "envFrom";
        20 termination_message_policy "terminationMessagePolicy" omitempty;
        21 volume_devices "volumeDevices";
        22 startup_probe "startupProbe";
        23 resize_policy "resizePolicy";
        24 restart_policy "restartPolicy";
    }
});
}

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::EphemeralContainer {
    2 target_container_name "targetContainerName" omitempty;
    inline 1 {
        1 name "name" always;
        2 image "image" omitempty;
        3 command "command";
        4 args "args";
        5 working_dir "workingDir" omitempty;
        6 ports "ports";
        7 env "env";
        8 resources "resources";
        9 volume_mounts "volumeMounts";
        10 liveness_probe "livenessProbe";
        11 readiness_probe "readinessProbe";
        12 lifecycle "lifecycle";
        13 termination_message_path "terminationMessagePath" omitempty;
        14 image_pull_policy "imagePullPolicy" omitempty;
        15 security_context "securityContext";
        16 stdin "stdin" omitempty;
        17 stdin_once "stdinOnce" omitempty;
        18 tty "tty" omitempty;
        19 env_from "envFrom";
        20 termination_message_policy "terminationMessagePolicy" omitempty;
        21 volume_devices "volumeDevices";
        22 startup_probe "startupProbe";
        23 resize_policy "resizePolicy";
        24 restart_policy "restartPolicy";
        25 restart_policy_rules "restartPolicyRules";
    }
});
}

message!(k8s_openapi::api::core::v1::EphemeralVolumeSource {
    1 volume_claim_template "volumeClaimTemplate";
});

object!(k8s_openapi::api::core::v1::Event as "io.k8s.api.core.v1.Event" {
    1 metadata "metadata" always;
    2 involved_object "involvedObject" always;
    3 reason "reason" omitempty;
    4 message "message" omitempty;
    5 source "source";
    6 first_timestamp "firstTimestamp";
    7 last_timestamp "lastTimestamp";
    8 count "count" omitempty;
    9 type_ "type" omitempty;
    10 event_time "eventTime";
    11 series "series";
    12 action "action" omitempty;
    13 related "related";
    14 reporting_component "reportingComponent" always;
    15 reporting_instance "reportingInstance" always;
});

message!(k8s_openapi::api::core::v1::EventSeries {
    1 count "count" omitempty;
    2 last_observed_time "lastObservedTime";
});

message!(k8s_openapi::api::core::v1::EventSource {
    1 component "component" omitempty;
    2 host "host" omitempty;
});

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::EvictionResponder {
    1 name "name" always;
    2 priority "priority";
});
}

message!(k8s_openapi::api::core::v1::ExecAction {
    1 command "command";
});

message!(k8s_openapi::api::core::v1::FCVolumeSource {
    1 target_wwns "targetWWNs";
    2 lun "lun";
    3 fs_type "fsType" omitempty;
    4 read_only "readOnly" omitempty;
    5 wwids "wwids";
});

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::FileKeySelector {
    1 volume_name "volumeName" always;
    2 path "path" always;
    3 key "key" always;
    4 optional "optional";
});
}

message!(k8s_openapi::api::core::v1::FlexPersistentVolumeSource {
    1 driver "driver" always;
    2 fs_type "fsType" omitempty;
    3 secret_ref "secretRef";
    4 read_only "readOnly" omitempty;
    5 options "options";
});

message!(k8s_openapi::api::core::v1::FlexVolumeSource {
    1 driver "driver" always;
    2 fs_type "fsType" omitempty;
    3 secret_ref "secretRef";
    4 read_only "readOnly" omitempty;
    5 options "options";
});

message!(k8s_openapi::api::core::v1::FlockerVolumeSource {
    1 dataset_name "datasetName" omitempty;
    2 dataset_uuid "datasetUUID" omitempty;
});

message!(k8s_openapi::api::core::v1::GCEPersistentDiskVolumeSource {
    1 pd_name "pdName" always;
    2 fs_type "fsType" omitempty;
    3 partition "partition" omitempty;
    4 read_only "readOnly" omitempty;
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::GRPCAction {
    1 port "port" always;
    2 service "service";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::GRPCAction {
    1 port "port" always;
    2 service "service";
    3 mode "mode";
});
}

message!(k8s_openapi::api::core::v1::GitRepoVolumeSource {
    1 repository "repository" always;
    2 revision "revision" omitempty;
    3 directory "directory" omitempty;
});

message!(k8s_openapi::api::core::v1::GlusterfsPersistentVolumeSource {
    1 endpoints "endpoints" always;
    2 path "path" always;
    3 read_only "readOnly" omitempty;
    4 endpoints_namespace "endpointsNamespace";
});

message!(k8s_openapi::api::core::v1::GlusterfsVolumeSource {
    1 endpoints "endpoints" always;
    2 path "path" always;
    3 read_only "readOnly" omitempty;
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::HTTPGetAction {
    1 path "path" omitempty;
    2 port "port" always;
    3 host "host" omitempty;
    4 scheme "scheme" omitempty;
    5 http_headers "httpHeaders";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::HTTPGetAction {
    1 path "path" omitempty;
    2 port "port" always;
    3 host "host" omitempty;
    4 scheme "scheme" omitempty;
    5 http_headers "httpHeaders";
    6 protocol "protocol";
});
}

message!(k8s_openapi::api::core::v1::HTTPHeader {
    1 name "name" always;
    2 value "value" always;
});

message!(k8s_openapi::api::core::v1::HostAlias {
    1 ip "ip" always;
    2 hostnames "hostnames";
});

message!(k8s_openapi::api::core::v1::HostIP {
    1 ip "ip" always;
});

message!(k8s_openapi::api::core::v1::HostPathVolumeSource {
    1 path "path" always;
    2 type_ "type";
});

message!(k8s_openapi::api::core::v1::ISCSIPersistentVolumeSource {
    1 target_portal "targetPortal" always;
    2 iqn "iqn" always;
    3 lun "lun" always;
    4 iscsi_interface "iscsiInterface" omitempty;
    5 fs_type "fsType" omitempty;
    6 read_only "readOnly" omitempty;
    7 portals "portals";
    8 chap_auth_discovery "chapAuthDiscovery" omitempty;
    10 secret_ref "secretRef";
    11 chap_auth_session "chapAuthSession" omitempty;
    12 initiator_name "initiatorName";
});

message!(k8s_openapi::api::core::v1::ISCSIVolumeSource {
    1 target_portal "targetPortal" always;
    2 iqn "iqn" always;
    3 lun "lun" always;
    4 iscsi_interface "iscsiInterface" omitempty;
    5 fs_type "fsType" omitempty;
    6 read_only "readOnly" omitempty;
    7 portals "portals";
    8 chap_auth_discovery "chapAuthDiscovery" omitempty;
    10 secret_ref "secretRef";
    11 chap_auth_session "chapAuthSession" omitempty;
    12 initiator_name "initiatorName";
});

message!(k8s_openapi::api::core::v1::ImageVolumeSource {
    1 reference "reference" omitempty;
    2 pull_policy "pullPolicy" omitempty;
});

k8s_openapi::k8s_if_ge_1_36! {
message!(k8s_openapi::api::core::v1::ImageVolumeStatus {
    1 image_ref "imageRef" omitempty;
});
}

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::KeyToPath {
    1 key "key" always;
    2 path "path" always;
    3 mode "mode";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::KeyToPath {
    1 key "key" always;
    2 path "path" always;
    3 mode "mode";
    4 user "user";
});
}

message!(k8s_openapi::api::core::v1::Lifecycle {
    1 post_start "postStart";
    2 pre_stop "preStop";
    3 stop_signal "stopSignal";
});

message!(k8s_openapi::api::core::v1::LifecycleHandler {
    1 exec "exec";
    2 http_get "httpGet";
    3 tcp_socket "tcpSocket";
    4 sleep "sleep";
});

message!(k8s_openapi::api::core::v1::LinuxContainerUser {
    1 uid "uid" always;
    2 gid "gid" always;
    3 supplemental_groups "supplementalGroups";
});

message!(k8s_openapi::api::core::v1::LoadBalancerIngress {
    1 ip "ip" omitempty;
    2 hostname "hostname" omitempty;
    3 ip_mode "ipMode";
    4 ports "ports";
});

message!(k8s_openapi::api::core::v1::LoadBalancerStatus {
    1 ingress "ingress";
});

message!(k8s_openapi::api::core::v1::LocalObjectReference {
    1 name "name" omitempty;
});

message!(k8s_openapi::api::core::v1::LocalVolumeSource {
    1 path "path" always;
    2 fs_type "fsType";
});

message!(k8s_openapi::api::core::v1::ModifyVolumeStatus {
    1 target_volume_attributes_class_name "targetVolumeAttributesClassName" omitempty;
    2 status "status" always;
});

message!(k8s_openapi::api::core::v1::NFSVolumeSource {
    1 server "server" always;
    2 path "path" always;
    3 read_only "readOnly" omitempty;
});

object!(k8s_openapi::api::core::v1::Namespace as "io.k8s.api.core.v1.Namespace" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::core::v1::NamespaceCondition {
    1 type_ "type" always;
    2 status "status" always;
    4 last_transition_time "lastTransitionTime";
    5 reason "reason" omitempty;
    6 message "message" omitempty;
});

message!(k8s_openapi::api::core::v1::NamespaceSpec {
    1 finalizers "finalizers";
});

message!(k8s_openapi::api::core::v1::NamespaceStatus {
    1 phase "phase" omitempty;
    2 conditions "conditions";
});

object!(k8s_openapi::api::core::v1::Node as "io.k8s.api.core.v1.Node" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::core::v1::NodeAddress {
    1 type_ "type" always;
    2 address "address" always;
});

message!(k8s_openapi::api::core::v1::NodeAffinity {
    1 required_during_scheduling_ignored_during_execution "requiredDuringSchedulingIgnoredDuringExecution";
    2 preferred_during_scheduling_ignored_during_execution "preferredDuringSchedulingIgnoredDuringExecution";
});

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::NodeAllocatableMappedResources {
    1 name "name" always;
    2 quantity "quantity";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::NodeAllocatableOverheadResources {
    1 name "name" always;
    2 per_pod "perPod";
    3 per_container "perContainer";
});
}

k8s_openapi::k8s_if_ge_1_36! { k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::NodeAllocatableResourceClaimStatus {
    1 resource_claim_name "resourceClaimName" always;
    2 containers "containers";
    json {
        resources "resources";
    }
});
}}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::NodeAllocatableResourceClaimStatus {
    1 resource_claim_name "resourceClaimName" always;
    2 containers "containers";
    4 mapping "mapping";
    5 overhead "overhead";
});
}

message!(k8s_openapi::api::core::v1::NodeCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_heartbeat_time "lastHeartbeatTime";
    4 last_transition_time "lastTransitionTime";
    5 reason "reason" omitempty;
    6 message "message" omitempty;
});

message!(k8s_openapi::api::core::v1::NodeConfigSource {
    2 config_map "configMap";
});

message!(k8s_openapi::api::core::v1::NodeConfigStatus {
    1 assigned "assigned";
    2 active "active";
    3 last_known_good "lastKnownGood";
    4 error "error" omitempty;
});

message!(k8s_openapi::api::core::v1::NodeDaemonEndpoints {
    1 kubelet_endpoint "kubeletEndpoint";
});

message!(k8s_openapi::api::core::v1::NodeFeatures {
    1 supplemental_groups_policy "supplementalGroupsPolicy";
});

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::NodePodPreemptionPolicy {
    1 disable_resize_preemption "disableResizePreemption";
});
}

message!(k8s_openapi::api::core::v1::NodeRuntimeHandler {
    1 name "name" always;
    2 features "features";
});

message!(k8s_openapi::api::core::v1::NodeRuntimeHandlerFeatures {
    1 recursive_read_only_mounts "recursiveReadOnlyMounts";
    2 user_namespaces "userNamespaces";
});

message!(k8s_openapi::api::core::v1::NodeSelector {
    1 node_selector_terms "nodeSelectorTerms";
});

message!(k8s_openapi::api::core::v1::NodeSelectorRequirement {
    1 key "key" always;
    2 operator "operator" always;
    3 values "values";
});

message!(k8s_openapi::api::core::v1::NodeSelectorTerm {
    1 match_expressions "matchExpressions";
    2 match_fields "matchFields";
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::NodeSpec {
    1 pod_cidr "podCIDR" omitempty;
    2 external_id "externalID" omitempty;
    3 provider_id "providerID" omitempty;
    4 unschedulable "unschedulable" omitempty;
    5 taints "taints";
    6 config_source "configSource";
    7 pod_cidrs "podCIDRs";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::NodeSpec {
    1 pod_cidr "podCIDR" omitempty;
    2 external_id "externalID" omitempty;
    3 provider_id "providerID" omitempty;
    4 unschedulable "unschedulable" omitempty;
    5 taints "taints";
    6 config_source "configSource";
    7 pod_cidrs "podCIDRs";
    8 pod_preemption_policy "podPreemptionPolicy";
});
}

k8s_openapi::k8s_if_le_1_34! {
message!(k8s_openapi::api::core::v1::NodeStatus {
    1 capacity "capacity";
    2 allocatable "allocatable";
    3 phase "phase" omitempty;
    4 conditions "conditions";
    5 addresses "addresses";
    6 daemon_endpoints "daemonEndpoints";
    7 node_info "nodeInfo";
    8 images "images";
    9 volumes_in_use "volumesInUse";
    10 volumes_attached "volumesAttached";
    11 config "config";
    12 runtime_handlers "runtimeHandlers";
    13 features "features";
});
}

k8s_openapi::k8s_if_ge_1_35! {
message!(k8s_openapi::api::core::v1::NodeStatus {
    1 capacity "capacity";
    2 allocatable "allocatable";
    3 phase "phase" omitempty;
    4 conditions "conditions";
    5 addresses "addresses";
    6 daemon_endpoints "daemonEndpoints";
    7 node_info "nodeInfo";
    8 images "images";
    9 volumes_in_use "volumesInUse";
    10 volumes_attached "volumesAttached";
    11 config "config";
    12 runtime_handlers "runtimeHandlers";
    13 features "features";
    14 declared_features "declaredFeatures";
});
}

message!(k8s_openapi::api::core::v1::NodeSwapStatus {
    1 capacity "capacity";
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::NodeSystemInfo {
    1 machine_id "machineID" always;
    2 system_uuid "systemUUID" always;
    3 boot_id "bootID" always;
    4 kernel_version "kernelVersion" always;
    5 os_image "osImage" always;
    6 container_runtime_version "containerRuntimeVersion" always;
    7 kubelet_version "kubeletVersion" always;
    8 kube_proxy_version "kubeProxyVersion" always;
    9 operating_system "operatingSystem" always;
    10 architecture "architecture" always;
    11 swap "swap";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::NodeSystemInfo {
    1 machine_id "machineID" always;
    2 system_uuid "systemUUID" always;
    3 boot_id "bootID" always;
    4 kernel_version "kernelVersion" always;
    5 os_image "osImage" always;
    6 container_runtime_version "containerRuntimeVersion" always;
    7 kubelet_version "kubeletVersion" always;
    8 kube_proxy_version "kubeProxyVersion" always;
    9 operating_system "operatingSystem" always;
    10 architecture "architecture" always;
    11 swap "swap";
    12 running_in_user_namespace "runningInUserNamespace";
});
}

message!(k8s_openapi::api::core::v1::ObjectFieldSelector {
    1 api_version "apiVersion" omitempty;
    2 field_path "fieldPath" always;
});

message!(k8s_openapi::api::core::v1::ObjectReference {
    1 kind "kind" omitempty;
    2 namespace "namespace" omitempty;
    3 name "name" omitempty;
    4 uid "uid" omitempty;
    5 api_version "apiVersion" omitempty;
    6 resource_version "resourceVersion" omitempty;
    7 field_path "fieldPath" omitempty;
});

object!(k8s_openapi::api::core::v1::PersistentVolume as "io.k8s.api.core.v1.PersistentVolume" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

object!(k8s_openapi::api::core::v1::PersistentVolumeClaim as "io.k8s.api.core.v1.PersistentVolumeClaim" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::core::v1::PersistentVolumeClaimCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_probe_time "lastProbeTime";
    4 last_transition_time "lastTransitionTime";
    5 reason "reason" omitempty;
    6 message "message" omitempty;
});

message!(k8s_openapi::api::core::v1::PersistentVolumeClaimSpec {
    1 access_modes "accessModes";
    2 resources "resources";
    3 volume_name "volumeName" omitempty;
    4 selector "selector";
    5 storage_class_name "storageClassName";
    6 volume_mode "volumeMode";
    7 data_source "dataSource";
    8 data_source_ref "dataSourceRef";
    9 volume_attributes_class_name "volumeAttributesClassName";
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::PersistentVolumeClaimStatus {
    1 phase "phase" omitempty;
    2 access_modes "accessModes";
    3 capacity "capacity";
    4 conditions "conditions";
    5 allocated_resources "allocatedResources";
    7 allocated_resource_statuses "allocatedResourceStatuses";
    8 current_volume_attributes_class_name "currentVolumeAttributesClassName";
    9 modify_volume_status "modifyVolumeStatus";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::PersistentVolumeClaimStatus {
    1 phase "phase" omitempty;
    2 access_modes "accessModes";
    3 capacity "capacity";
    4 conditions "conditions";
    5 allocated_resources "allocatedResources";
    7 allocated_resource_statuses "allocatedResourceStatuses";
    8 current_volume_attributes_class_name "currentVolumeAttributesClassName";
    9 modify_volume_status "modifyVolumeStatus";
    10 health_status "healthStatus";
});
}

message!(k8s_openapi::api::core::v1::PersistentVolumeClaimTemplate {
    1 metadata "metadata";
    2 spec "spec" always;
});

message!(k8s_openapi::api::core::v1::PersistentVolumeClaimVolumeSource {
    1 claim_name "claimName" always;
    2 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::PersistentVolumeSpec {
    1 capacity "capacity";
    3 access_modes "accessModes";
    4 claim_ref "claimRef";
    5 persistent_volume_reclaim_policy "persistentVolumeReclaimPolicy" omitempty;
    6 storage_class_name "storageClassName" omitempty;
    7 mount_options "mountOptions";
    8 volume_mode "volumeMode";
    9 node_affinity "nodeAffinity";
    10 volume_attributes_class_name "volumeAttributesClassName";
    inline 2 {
        1 gce_persistent_disk "gcePersistentDisk";
        2 aws_elastic_block_store "awsElasticBlockStore";
        3 host_path "hostPath";
        4 glusterfs "glusterfs";
        5 nfs "nfs";
        6 rbd "rbd";
        7 iscsi "iscsi";
        8 cinder "cinder";
        9 cephfs "cephfs";
        10 fc "fc";
        11 flocker "flocker";
        12 flex_volume "flexVolume";
        13 azure_file "azureFile";
        14 vsphere_volume "vsphereVolume";
        15 quobyte "quobyte";
        16 azure_disk "azureDisk";
        17 photon_persistent_disk "photonPersistentDisk";
        18 portworx_volume "portworxVolume";
        19 scale_io "scaleIO";
        20 local "local";
        21 storageos "storageos";
        22 csi "csi";
    }
});

message!(k8s_openapi::api::core::v1::PersistentVolumeStatus {
    1 phase "phase" omitempty;
    2 message "message" omitempty;
    3 reason "reason" omitempty;
    4 last_phase_transition_time "lastPhaseTransitionTime";
});

message!(k8s_openapi::api::core::v1::PhotonPersistentDiskVolumeSource {
    1 pd_id "pdID" always;
    2 fs_type "fsType" omitempty;
});

object!(k8s_openapi::api::core::v1::Pod as "io.k8s.api.core.v1.Pod" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::core::v1::PodAffinity {
    1 required_during_scheduling_ignored_during_execution "requiredDuringSchedulingIgnoredDuringExecution";
    2 preferred_during_scheduling_ignored_during_execution "preferredDuringSchedulingIgnoredDuringExecution";
});

message!(k8s_openapi::api::core::v1::PodAffinityTerm {
    1 label_selector "labelSelector";
    2 namespaces "namespaces";
    3 topology_key "topologyKey" always;
    4 namespace_selector "namespaceSelector";
    5 match_label_keys "matchLabelKeys";
    6 mismatch_label_keys "mismatchLabelKeys";
});

message!(k8s_openapi::api::core::v1::PodAntiAffinity {
    1 required_during_scheduling_ignored_during_execution "requiredDuringSchedulingIgnoredDuringExecution";
    2 preferred_during_scheduling_ignored_during_execution "preferredDuringSchedulingIgnoredDuringExecution";
});

k8s_openapi::k8s_if_ge_1_34! { k8s_openapi::k8s_if_le_1_34! {
message!(k8s_openapi::api::core::v1::PodCertificateProjection {
    1 signer_name "signerName" omitempty;
    2 key_type "keyType" omitempty;
    3 max_expiration_seconds "maxExpirationSeconds";
    4 credential_bundle_path "credentialBundlePath" omitempty;
    5 key_path "keyPath" omitempty;
    6 certificate_chain_path "certificateChainPath" omitempty;
});
}}

k8s_openapi::k8s_if_ge_1_35! { k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::PodCertificateProjection {
    1 signer_name "signerName" omitempty;
    2 key_type "keyType" omitempty;
    3 max_expiration_seconds "maxExpirationSeconds";
    4 credential_bundle_path "credentialBundlePath" omitempty;
    5 key_path "keyPath" omitempty;
    6 certificate_chain_path "certificateChainPath" omitempty;
    7 user_annotations "userAnnotations";
});
}}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::PodCertificateProjection {
    1 signer_name "signerName" omitempty;
    2 key_type "keyType" omitempty;
    3 max_expiration_seconds "maxExpirationSeconds";
    4 credential_bundle_path "credentialBundlePath" omitempty;
    5 key_path "keyPath" omitempty;
    6 certificate_chain_path "certificateChainPath" omitempty;
    7 user_annotations "userAnnotations";
    8 user "user";
});
}

message!(k8s_openapi::api::core::v1::PodCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_probe_time "lastProbeTime";
    4 last_transition_time "lastTransitionTime";
    5 reason "reason" omitempty;
    6 message "message" omitempty;
    7 observed_generation "observedGeneration" omitempty;
});

message!(k8s_openapi::api::core::v1::PodDNSConfig {
    1 nameservers "nameservers";
    2 searches "searches";
    3 options "options";
});

message!(k8s_openapi::api::core::v1::PodDNSConfigOption {
    1 name "name" omitempty;
    2 value "value";
});

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::PodExtendedResourceClaimStatus {
    1 request_mappings "requestMappings";
    2 resource_claim_name "resourceClaimName" always;
});
}

message!(k8s_openapi::api::core::v1::PodIP {
    1 ip "ip" always;
});

message!(k8s_openapi::api::core::v1::PodOS {
    1 name "name" always;
});

message!(k8s_openapi::api::core::v1::PodReadinessGate {
    1 condition_type "conditionType" always;
});

message!(k8s_openapi::api::core::v1::PodResourceClaim {
    1 name "name" always;
    3 resource_claim_name "resourceClaimName";
    4 resource_claim_template_name "resourceClaimTemplateName";
});

message!(k8s_openapi::api::core::v1::PodResourceClaimStatus {
    1 name "name" always;
    2 resource_claim_name "resourceClaimName";
});

message!(k8s_openapi::api::core::v1::PodSchedulingGate {
    1 name "name" always;
});

k8s_openapi::k8s_if_ge_1_36! {
message!(k8s_openapi::api::core::v1::PodSchedulingGroup {
    1 pod_group_name "podGroupName";
});
}

message!(k8s_openapi::api::core::v1::PodSecurityContext {
    1 se_linux_options "seLinuxOptions";
    2 run_as_user "runAsUser";
    3 run_as_non_root "runAsNonRoot";
    4 supplemental_groups "supplementalGroups";
    5 fs_group "fsGroup";
    6 run_as_group "runAsGroup";
    7 sysctls "sysctls";
    8 windows_options "windowsOptions";
    9 fs_group_change_policy "fsGroupChangePolicy";
    10 seccomp_profile "seccompProfile";
    11 app_armor_profile "appArmorProfile";
    12 supplemental_groups_policy "supplementalGroupsPolicy";
    13 se_linux_change_policy "seLinuxChangePolicy";
});

k8s_openapi::k8s_if_le_1_33! {
message!(k8s_openapi::api::core::v1::PodSpec {
    1 volumes "volumes";
    2 containers "containers";
    3 restart_policy "restartPolicy" omitempty;
    4 termination_grace_period_seconds "terminationGracePeriodSeconds";
    5 active_deadline_seconds "activeDeadlineSeconds";
    6 dns_policy "dnsPolicy" omitempty;
    7 node_selector "nodeSelector";
    8 service_account_name "serviceAccountName" omitempty;
    9 service_account "serviceAccount" omitempty;
    10 node_name "nodeName" omitempty;
    11 host_network "hostNetwork" omitempty;
    12 host_pid "hostPID" omitempty;
    13 host_ipc "hostIPC" omitempty;
    14 security_context "securityContext";
    15 image_pull_secrets "imagePullSecrets";
    16 hostname "hostname" omitempty;
    17 subdomain "subdomain" omitempty;
    18 affinity "affinity";
    19 scheduler_name "schedulerName" omitempty;
    20 init_containers "initContainers";
    21 automount_service_account_token "automountServiceAccountToken";
    22 tolerations "tolerations";
    23 host_aliases "hostAliases";
    24 priority_class_name "priorityClassName" omitempty;
    25 priority "priority";
    26 dns_config "dnsConfig";
    27 share_process_namespace "shareProcessNamespace";
    28 readiness_gates "readinessGates";
    29 runtime_class_name "runtimeClassName";
    30 enable_service_links "enableServiceLinks";
    31 preemption_policy "preemptionPolicy";
    32 overhead "overhead";
    33 topology_spread_constraints "topologySpreadConstraints";
    34 ephemeral_containers "ephemeralContainers";
    35 set_hostname_as_fqdn "setHostnameAsFQDN";
    36 os "os";
    37 host_users "hostUsers";
    38 scheduling_gates "schedulingGates";
    39 resource_claims "resourceClaims";
    40 resources "resources";
});
}

k8s_openapi::k8s_if_ge_1_34! { k8s_openapi::k8s_if_le_1_34! {
message!(k8s_openapi::api::core::v1::PodSpec {
    1 volumes "volumes";
    2 containers "containers";
    3 restart_policy "restartPolicy" omitempty;
    4 termination_grace_period_seconds "terminationGracePeriodSeconds";
    5 active_deadline_seconds "activeDeadlineSeconds";
    6 dns_policy "dnsPolicy" omitempty;
    7 node_selector "nodeSelector";
    8 service_account_name "serviceAccountName" omitempty;
    9 service_account "serviceAccount" omitempty;
    10 node_name "nodeName" omitempty;
    11 host_network "hostNetwork" omitempty;
    12 host_pid "hostPID" omitempty;
    13 host_ipc "hostIPC" omitempty;
    14 security_context "securityContext";
    15 image_pull_secrets "imagePullSecrets";
    16 hostname "hostname" omitempty;
    17 subdomain "subdomain" omitempty;
    18 affinity "affinity";
    19 scheduler_name "schedulerName" omitempty;
    20 init_containers "initContainers";
    21 automount_service_account_token "automountServiceAccountToken";
    22 tolerations "tolerations";
    23 host_aliases "hostAliases";
    24 priority_class_name "priorityClassName" omitempty;
    25 priority "priority";
    26 dns_config "dnsConfig";
    27 share_process_namespace "shareProcessNamespace";
    28 readiness_gates "readinessGates";
    29 runtime_class_name "runtimeClassName";
    30 enable_service_links "enableServiceLinks";
    31 preemption_policy "preemptionPolicy";
    32 overhead "overhead";
    33 topology_spread_constraints "topologySpreadConstraints";
    34 ephemeral_containers "ephemeralContainers";
    35 set_hostname_as_fqdn "setHostnameAsFQDN";
    36 os "os";
    37 host_users "hostUsers";
    38 scheduling_gates "schedulingGates";
    39 resource_claims "resourceClaims";
    40 resources "resources";
    41 hostname_override "hostnameOverride";
});
}}

k8s_openapi::k8s_if_ge_1_35! { k8s_openapi::k8s_if_le_1_35! {
message!(k8s_openapi::api::core::v1::PodSpec {
    1 volumes "volumes";
    2 containers "containers";
    3 restart_policy "restartPolicy" omitempty;
    4 termination_grace_period_seconds "terminationGracePeriodSeconds";
    5 active_deadline_seconds "activeDeadlineSeconds";
    6 dns_policy "dnsPolicy" omitempty;
    7 node_selector "nodeSelector";
    8 service_account_name "serviceAccountName" omitempty;
    9 service_account "serviceAccount" omitempty;
    10 node_name "nodeName" omitempty;
    11 host_network "hostNetwork" omitempty;
    12 host_pid "hostPID" omitempty;
    13 host_ipc "hostIPC" omitempty;
    14 security_context "securityContext";
    15 image_pull_secrets "imagePullSecrets";
    16 hostname "hostname" omitempty;
    17 subdomain "subdomain" omitempty;
    18 affinity "affinity";
    19 scheduler_name "schedulerName" omitempty;
    20 init_containers "initContainers";
    21 automount_service_account_token "automountServiceAccountToken";
    22 tolerations "tolerations";
    23 host_aliases "hostAliases";
    24 priority_class_name "priorityClassName" omitempty;
    25 priority "priority";
    26 dns_config "dnsConfig";
    27 share_process_namespace "shareProcessNamespace";
    28 readiness_gates "readinessGates";
    29 runtime_class_name "runtimeClassName";
    30 enable_service_links "enableServiceLinks";
    31 preemption_policy "preemptionPolicy";
    32 overhead "overhead";
    33 topology_spread_constraints "topologySpreadConstraints";
    34 ephemeral_containers "ephemeralContainers";
    35 set_hostname_as_fqdn "setHostnameAsFQDN";
    36 os "os";
    37 host_users "hostUsers";
    38 scheduling_gates "schedulingGates";
    39 resource_claims "resourceClaims";
    40 resources "resources";
    41 hostname_override "hostnameOverride";
    json {
        workload_ref "workloadRef";
    }
});
}}

k8s_openapi::k8s_if_ge_1_36! { k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::PodSpec {
    1 volumes "volumes";
    2 containers "containers";
    3 restart_policy "restartPolicy" omitempty;
    4 termination_grace_period_seconds "terminationGracePeriodSeconds";
    5 active_deadline_seconds "activeDeadlineSeconds";
    6 dns_policy "dnsPolicy" omitempty;
    7 node_selector "nodeSelector";
    8 service_account_name "serviceAccountName" omitempty;
    9 service_account "serviceAccount" omitempty;
    10 node_name "nodeName" omitempty;
    11 host_network "hostNetwork" omitempty;
    12 host_pid "hostPID" omitempty;
    13 host_ipc "hostIPC" omitempty;
    14 security_context "securityContext";
    15 image_pull_secrets "imagePullSecrets";
    16 hostname "hostname" omitempty;
    17 subdomain "subdomain" omitempty;
    18 affinity "affinity";
    19 scheduler_name "schedulerName" omitempty;
    20 init_containers "initContainers";
    21 automount_service_account_token "automountServiceAccountToken";
    22 tolerations "tolerations";
    23 host_aliases "hostAliases";
    24 priority_class_name "priorityClassName" omitempty;
    25 priority "priority";
    26 dns_config "dnsConfig";
    27 share_process_namespace "shareProcessNamespace";
    28 readiness_gates "readinessGates";
    29 runtime_class_name "runtimeClassName";
    30 enable_service_links "enableServiceLinks";
    31 preemption_policy "preemptionPolicy";
    32 overhead "overhead";
    33 topology_spread_constraints "topologySpreadConstraints";
    34 ephemeral_containers "ephemeralContainers";
    35 set_hostname_as_fqdn "setHostnameAsFQDN";
    36 os "os";
    37 host_users "hostUsers";
    38 scheduling_gates "schedulingGates";
    39 resource_claims "resourceClaims";
    40 resources "resources";
    41 hostname_override "hostnameOverride";
    43 scheduling_group "schedulingGroup";
});
}}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::PodSpec {
    1 volumes "volumes";
    2 containers "containers";
    3 restart_policy "restartPolicy" omitempty;
    4 termination_grace_period_seconds "terminationGracePeriodSeconds";
    5 active_deadline_seconds "activeDeadlineSeconds";
    6 dns_policy "dnsPolicy" omitempty;
    7 node_selector "nodeSelector";
    8 service_account_name "serviceAccountName" omitempty;
    9 service_account "serviceAccount" omitempty;
    10 node_name "nodeName" omitempty;
    11 host_network "hostNetwork" omitempty;
    12 host_pid "hostPID" omitempty;
    13 host_ipc "hostIPC" omitempty;
    14 security_context "securityContext";
    15 image_pull_secrets "imagePullSecrets";
    16 hostname "hostname" omitempty;
    17 subdomain "subdomain" omitempty;
    18 affinity "affinity";
    19 scheduler_name "schedulerName" omitempty;
    20 init_containers "initContainers";
    21 automount_service_account_token "automountServiceAccountToken";
    22 tolerations "tolerations";
    23 host_aliases "hostAliases";
    24 priority_class_name "priorityClassName" omitempty;
    25 priority "priority";
    26 dns_config "dnsConfig";
    27 share_process_namespace "shareProcessNamespace";
    28 readiness_gates "readinessGates";
    29 runtime_class_name "runtimeClassName";
    30 enable_service_links "enableServiceLinks";
    31 preemption_policy "preemptionPolicy";
    32 overhead "overhead";
    33 topology_spread_constraints "topologySpreadConstraints";
    34 ephemeral_containers "ephemeralContainers";
    35 set_hostname_as_fqdn "setHostnameAsFQDN";
    36 os "os";
    37 host_users "hostUsers";
    38 scheduling_gates "schedulingGates";
    39 resource_claims "resourceClaims";
    40 resources "resources";
    41 hostname_override "hostnameOverride";
    43 scheduling_group "schedulingGroup";
    44 eviction_responders "evictionResponders";
});
}

k8s_openapi::k8s_if_le_1_33! {
message!(k8s_openapi::api::core::v1::PodStatus {
    1 phase "phase" omitempty;
    2 conditions "conditions";
    3 message "message" omitempty;
    4 reason "reason" omitempty;
    5 host_ip "hostIP" omitempty;
    6 pod_ip "podIP" omitempty;
    7 start_time "startTime";
    8 container_statuses "containerStatuses";
    9 qos_class "qosClass" omitempty;
    10 init_container_statuses "initContainerStatuses";
    11 nominated_node_name "nominatedNodeName" omitempty;
    12 pod_ips "podIPs";
    13 ephemeral_container_statuses "ephemeralContainerStatuses";
    14 resize "resize" omitempty;
    15 resource_claim_statuses "resourceClaimStatuses";
    16 host_ips "hostIPs";
    17 observed_generation "observedGeneration" omitempty;
});
}

k8s_openapi::k8s_if_ge_1_34! { k8s_openapi::k8s_if_le_1_34! {
message!(k8s_openapi::api::core::v1::PodStatus {
    1 phase "phase" omitempty;
    2 conditions "conditions";
    3 message "message" omitempty;
    4 reason "reason" omitempty;
    5 host_ip "hostIP" omitempty;
    6 pod_ip "podIP" omitempty;
    7 start_time "startTime";
    8 container_statuses "containerStatuses";
    9 qos_class "qosClass" omitempty;
    10 init_container_statuses "initContainerStatuses";
    11 nominated_node_name "nominatedNodeName" omitempty;
    12 pod_ips "podIPs";
    13 ephemeral_container_statuses "ephemeralContainerStatuses";
    14 resize "resize" omitempty;
    15 resource_claim_statuses "resourceClaimStatuses";
    16 host_ips "hostIPs";
    17 observed_generation "observedGeneration" omitempty;
    18 extended_resource_claim_status "extendedResourceClaimStatus";
});
}}

k8s_openapi::k8s_if_ge_1_35! { k8s_openapi::k8s_if_le_1_35! {
message!(k8s_openapi::api::core::v1::PodStatus {
    1 phase "phase" omitempty;
    2 conditions "conditions";
    3 message "message" omitempty;
    4 reason "reason" omitempty;
    5 host_ip "hostIP" omitempty;
    6 pod_ip "podIP" omitempty;
    7 start_time "startTime";
    8 container_statuses "containerStatuses";
    9 qos_class "qosClass" omitempty;
    10 init_container_statuses "initContainerStatuses";
    11 nominated_node_name "nominatedNodeName" omitempty;
    12 pod_ips "podIPs";
    13 ephemeral_container_statuses "ephemeralContainerStatuses";
    14 resize "resize" omitempty;
    15 resource_claim_statuses "resourceClaimStatuses";
    16 host_ips "hostIPs";
    17 observed_generation "observedGeneration" omitempty;
    18 extended_resource_claim_status "extendedResourceClaimStatus";
    19 allocated_resources "allocatedResources";
    20 resources "resources";
});
}}

k8s_openapi::k8s_if_ge_1_36! { k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::PodStatus {
    1 phase "phase" omitempty;
    2 conditions "conditions";
    3 message "message" omitempty;
    4 reason "reason" omitempty;
    5 host_ip "hostIP" omitempty;
    6 pod_ip "podIP" omitempty;
    7 start_time "startTime";
    8 container_statuses "containerStatuses";
    9 qos_class "qosClass" omitempty;
    10 init_container_statuses "initContainerStatuses";
    11 nominated_node_name "nominatedNodeName" omitempty;
    12 pod_ips "podIPs";
    13 ephemeral_container_statuses "ephemeralContainerStatuses";
    14 resize "resize" omitempty;
    15 resource_claim_statuses "resourceClaimStatuses";
    16 host_ips "hostIPs";
    17 observed_generation "observedGeneration" omitempty;
    18 extended_resource_claim_status "extendedResourceClaimStatus";
    19 allocated_resources "allocatedResources";
    20 resources "resources";
    21 node_allocatable_resource_claim_statuses "nodeAllocatableResourceClaimStatuses";
});
}}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::PodStatus {
    1 phase "phase" omitempty;
    2 conditions "conditions";
    3 message "message" omitempty;
    4 reason "reason" omitempty;
    5 host_ip "hostIP" omitempty;
    6 pod_ip "podIP" omitempty;
    7 start_time "startTime";
    8 container_statuses "containerStatuses";
    9 qos_class "qosClass" omitempty;
    10 init_container_statuses "initContainerStatuses";
    11 nominated_node_name "nominatedNodeName" omitempty;
    12 pod_ips "podIPs";
    13 ephemeral_container_statuses "ephemeralContainerStatuses";
    14 resize "resize" omitempty;
    15 resource_claim_statuses "resourceClaimStatuses";
    16 host_ips "hostIPs";
    17 observed_generation "observedGeneration" omitempty;
    18 extended_resource_claim_status "extendedResourceClaimStatus";
    19 allocated_resources "allocatedResources";
    20 resources "resources";
    21 node_allocatable_resource_claim_statuses "nodeAllocatableResourceClaimStatuses";
    22 volume_health "volumeHealth";
});
}

message!(k8s_openapi::api::core::v1::PodTemplateSpec {
    1 metadata "metadata";
    2 spec "spec";
});

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::PodVolumeHealth {
    1 name "name" always;
    2 health_conditions "healthConditions";
    3 last_transition_time "lastTransitionTime";
});
}

message!(k8s_openapi::api::core::v1::PortStatus {
    1 port "port" always;
    2 protocol "protocol" always;
    3 error "error";
});

message!(k8s_openapi::api::core::v1::PortworxVolumeSource {
    1 volume_id "volumeID" always;
    2 fs_type "fsType" omitempty;
    3 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::PreferredSchedulingTerm {
    1 weight "weight" always;
    2 preference "preference" always;
});

message!(k8s_openapi::api::core::v1::Probe {
    2 initial_delay_seconds "initialDelaySeconds" omitempty;
    3 timeout_seconds "timeoutSeconds" omitempty;
    4 period_seconds "periodSeconds" omitempty;
    5 success_threshold "successThreshold" omitempty;
    6 failure_threshold "failureThreshold" omitempty;
    7 termination_grace_period_seconds "terminationGracePeriodSeconds";
    inline 1 {
        1 exec "exec";
        2 http_get "httpGet";
        3 tcp_socket "tcpSocket";
        4 grpc "grpc";
    }
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::ProjectedVolumeSource {
    1 sources "sources";
    2 default_mode "defaultMode";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::ProjectedVolumeSource {
    1 sources "sources";
    2 default_mode "defaultMode";
    3 default_user "defaultUser";
});
}

message!(k8s_openapi::api::core::v1::QuobyteVolumeSource {
    1 registry "registry" always;
    2 volume "volume" always;
    3 read_only "readOnly" omitempty;
    4 user "user" omitempty;
    5 group "group" omitempty;
    6 tenant "tenant" omitempty;
});

message!(k8s_openapi::api::core::v1::RBDPersistentVolumeSource {
    1 monitors "monitors";
    2 image "image" always;
    3 fs_type "fsType" omitempty;
    4 pool "pool" omitempty;
    5 user "user" omitempty;
    6 keyring "keyring" omitempty;
    7 secret_ref "secretRef";
    8 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::RBDVolumeSource {
    1 monitors "monitors";
    2 image "image" always;
    3 fs_type "fsType" omitempty;
    4 pool "pool" omitempty;
    5 user "user" omitempty;
    6 keyring "keyring" omitempty;
    7 secret_ref "secretRef";
    8 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::ResourceClaim {
    1 name "name" always;
    2 request "request" omitempty;
});

message!(k8s_openapi::api::core::v1::ResourceFieldSelector {
    1 container_name "containerName" omitempty;
    2 resource "resource" always;
    3 divisor "divisor";
});

k8s_openapi::k8s_if_le_1_35! {
message!(k8s_openapi::api::core::v1::ResourceHealth {
    1 resource_id "resourceID" always;
    2 health "health" omitempty;
});
}

k8s_openapi::k8s_if_ge_1_36! {
message!(k8s_openapi::api::core::v1::ResourceHealth {
    1 resource_id "resourceID" always;
    2 health "health" omitempty;
    6 message "message";
});
}

message!(k8s_openapi::api::core::v1::ResourceRequirements {
    1 limits "limits";
    2 requests "requests";
    3 claims "claims";
});

message!(k8s_openapi::api::core::v1::ResourceStatus {
    1 name "name" always;
    2 resources "resources";
});

message!(k8s_openapi::api::core::v1::SELinuxOptions {
    1 user "user" omitempty;
    2 role "role" omitempty;
    3 type_ "type" omitempty;
    4 level "level" omitempty;
});

message!(k8s_openapi::api::core::v1::ScaleIOPersistentVolumeSource {
    1 gateway "gateway" always;
    2 system "system" always;
    3 secret_ref "secretRef";
    4 ssl_enabled "sslEnabled" omitempty;
    5 protection_domain "protectionDomain" omitempty;
    6 storage_pool "storagePool" omitempty;
    7 storage_mode "storageMode" omitempty;
    8 volume_name "volumeName" omitempty;
    9 fs_type "fsType" omitempty;
    10 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::ScaleIOVolumeSource {
    1 gateway "gateway" always;
    2 system "system" always;
    3 secret_ref "secretRef";
    4 ssl_enabled "sslEnabled" omitempty;
    5 protection_domain "protectionDomain" omitempty;
    6 storage_pool "storagePool" omitempty;
    7 storage_mode "storageMode" omitempty;
    8 volume_name "volumeName" omitempty;
    9 fs_type "fsType" omitempty;
    10 read_only "readOnly" omitempty;
});

message!(k8s_openapi::api::core::v1::SeccompProfile {
    1 type_ "type" always;
    2 localhost_profile "localhostProfile";
});

object!(k8s_openapi::api::core::v1::Secret as "io.k8s.api.core.v1.Secret" {
    1 metadata "metadata";
    2 data "data";
    3 type_ "type" omitempty;
    4 string_data "stringData";
    5 immutable "immutable";
});

message!(k8s_openapi::api::core::v1::SecretEnvSource {
    2 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});

message!(k8s_openapi::api::core::v1::SecretKeySelector {
    2 key "key" always;
    3 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});

message!(k8s_openapi::api::core::v1::SecretProjection {
    2 items "items";
    4 optional "optional";
    inline 1 {
        1 name "name" omitempty;
    }
});

message!(k8s_openapi::api::core::v1::SecretReference {
    1 name "name" omitempty;
    2 namespace "namespace" omitempty;
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::SecretVolumeSource {
    1 secret_name "secretName" omitempty;
    2 items "items";
    3 default_mode "defaultMode";
    4 optional "optional";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::SecretVolumeSource {
    1 secret_name "secretName" omitempty;
    2 items "items";
    3 default_mode "defaultMode";
    4 optional "optional";
    5 default_user "defaultUser";
});
}

message!(k8s_openapi::api::core::v1::SecurityContext {
    1 capabilities "capabilities";
    2 privileged "privileged";
    3 se_linux_options "seLinuxOptions";
    4 run_as_user "runAsUser";
    5 run_as_non_root "runAsNonRoot";
    6 read_only_root_filesystem "readOnlyRootFilesystem";
    7 allow_privilege_escalation "allowPrivilegeEscalation";
    8 run_as_group "runAsGroup";
    9 proc_mount "procMount";
    10 windows_options "windowsOptions";
    11 seccomp_profile "seccompProfile";
    12 app_armor_profile "appArmorProfile";
});

object!(k8s_openapi::api::core::v1::Service as "io.k8s.api.core.v1.Service" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

object!(k8s_openapi::api::core::v1::ServiceAccount as "io.k8s.api.core.v1.ServiceAccount" {
    1 metadata "metadata";
    2 secrets "secrets";
    3 image_pull_secrets "imagePullSecrets";
    4 automount_service_account_token "automountServiceAccountToken";
});

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::ServiceAccountTokenProjection {
    1 audience "audience" omitempty;
    2 expiration_seconds "expirationSeconds";
    3 path "path" always;
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::ServiceAccountTokenProjection {
    1 audience "audience" omitempty;
    2 expiration_seconds "expirationSeconds";
    3 path "path" always;
    4 user "user";
});
}

message!(k8s_openapi::api::core::v1::ServicePort {
    1 name "name" omitempty;
    2 protocol "protocol" omitempty;
    3 port "port" always;
    4 target_port "targetPort";
    5 node_port "nodePort" omitempty;
    6 app_protocol "appProtocol";
});

message!(k8s_openapi::api::core::v1::ServiceSpec {
    1 ports "ports";
    2 selector "selector";
    3 cluster_ip "clusterIP" omitempty;
    4 type_ "type" omitempty;
    5 external_ips "externalIPs";
    7 session_affinity "sessionAffinity" omitempty;
    8 load_balancer_ip "loadBalancerIP" omitempty;
    9 load_balancer_source_ranges "loadBalancerSourceRanges";
    10 external_name "externalName" omitempty;
    11 external_traffic_policy "externalTrafficPolicy" omitempty;
    12 health_check_node_port "healthCheckNodePort" omitempty;
    13 publish_not_ready_addresses "publishNotReadyAddresses" omitempty;
    14 session_affinity_config "sessionAffinityConfig";
    17 ip_family_policy "ipFamilyPolicy";
    18 cluster_ips "clusterIPs";
    19 ip_families "ipFamilies";
    20 allocate_load_balancer_node_ports "allocateLoadBalancerNodePorts";
    21 load_balancer_class "loadBalancerClass";
    22 internal_traffic_policy "internalTrafficPolicy";
    23 traffic_distribution "trafficDistribution";
});

message!(k8s_openapi::api::core::v1::ServiceStatus {
    1 load_balancer "loadBalancer";
    2 conditions "conditions";
});

message!(k8s_openapi::api::core::v1::SessionAffinityConfig {
    1 client_ip "clientIP";
});

message!(k8s_openapi::api::core::v1::SleepAction {
    1 seconds "seconds" always;
});

message!(k8s_openapi::api::core::v1::StorageOSPersistentVolumeSource {
    1 volume_name "volumeName" omitempty;
    2 volume_namespace "volumeNamespace" omitempty;
    3 fs_type "fsType" omitempty;
    4 read_only "readOnly" omitempty;
    5 secret_ref "secretRef";
});

message!(k8s_openapi::api::core::v1::StorageOSVolumeSource {
    1 volume_name "volumeName" omitempty;
    2 volume_namespace "volumeNamespace" omitempty;
    3 fs_type "fsType" omitempty;
    4 read_only "readOnly" omitempty;
    5 secret_ref "secretRef";
});

message!(k8s_openapi::api::core::v1::Sysctl {
    1 name "name" always;
    2 value "value" always;
});

message!(k8s_openapi::api::core::v1::TCPSocketAction {
    1 port "port" always;
    2 host "host" omitempty;
});

message!(k8s_openapi::api::core::v1::Taint {
    1 key "key" always;
    2 value "value" omitempty;
    3 effect "effect" always;
    4 time_added "timeAdded";
});

message!(k8s_openapi::api::core::v1::Toleration {
    1 key "key" omitempty;
    2 operator "operator" omitempty;
    3 value "value" omitempty;
    4 effect "effect" omitempty;
    5 toleration_seconds "tolerationSeconds";
});

message!(k8s_openapi::api::core::v1::TopologySpreadConstraint {
    1 max_skew "maxSkew" always;
    2 topology_key "topologyKey" always;
    3 when_unsatisfiable "whenUnsatisfiable" always;
    4 label_selector "labelSelector";
    5 min_domains "minDomains";
    6 node_affinity_policy "nodeAffinityPolicy";
    7 node_taints_policy "nodeTaintsPolicy";
    8 match_label_keys "matchLabelKeys";
});

message!(k8s_openapi::api::core::v1::TypedLocalObjectReference {
    1 api_group "apiGroup";
    2 kind "kind" always;
    3 name "name" always;
});

message!(k8s_openapi::api::core::v1::TypedObjectReference {
    1 api_group "apiGroup";
    2 kind "kind" always;
    3 name "name" always;
    4 namespace "namespace";
});

message!(k8s_openapi::api::core::v1::Volume {
    1 name "name" always;
    inline 2 {
        1 host_path "hostPath";
        2 empty_dir "emptyDir";
        3 gce_persistent_disk "gcePersistentDisk";
        4 aws_elastic_block_store "awsElasticBlockStore";
        5 git_repo "gitRepo";
        6 secret "secret";
        7 nfs "nfs";
        8 iscsi "iscsi";
        9 glusterfs "glusterfs";
        10 persistent_volume_claim "persistentVolumeClaim";
        11 rbd "rbd";
        12 flex_volume "flexVolume";
        13 cinder "cinder";
        14 cephfs "cephfs";
        15 flocker "flocker";
        16 downward_api "downwardAPI";
        17 fc "fc";
        18 azure_file "azureFile";
        19 config_map "configMap";
        20 vsphere_volume "vsphereVolume";
        21 quobyte "quobyte";
        22 azure_disk "azureDisk";
        23 photon_persistent_disk "photonPersistentDisk";
        24 portworx_volume "portworxVolume";
        25 scale_io "scaleIO";
        26 projected "projected";
        27 storageos "storageos";
        28 csi "csi";
        29 ephemeral "ephemeral";
        30 image "image";
    }
});

message!(k8s_openapi::api::core::v1::VolumeDevice {
    1 name "name" always;
    2 device_path "devicePath" always;
});

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::VolumeHealthCondition {
    1 status "status" always;
    2 reason "reason" always;
    3 message "message" omitempty;
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::VolumeHealthStatus {
    1 health_conditions "healthConditions";
    2 last_transition_time "lastTransitionTime";
});
}

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::core::v1::VolumeMount {
    1 name "name" always;
    2 read_only "readOnly" omitempty;
    3 mount_path "mountPath" always;
    4 sub_path "subPath" omitempty;
    5 mount_propagation "mountPropagation";
    6 sub_path_expr "subPathExpr" omitempty;
    7 recursive_read_only "recursiveReadOnly";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::core::v1::VolumeMount {
    1 name "name" always;
    2 read_only "readOnly" omitempty;
    3 mount_path "mountPath" always;
    4 sub_path "subPath" omitempty;
    5 mount_propagation "mountPropagation";
    6 sub_path_expr "subPathExpr" omitempty;
    7 recursive_read_only "recursiveReadOnly";
    8 bind_mount_options "bindMountOptions";
});
}

k8s_openapi::k8s_if_le_1_35! {
message!(k8s_openapi::api::core::v1::VolumeMountStatus {
    1 name "name" always;
    2 mount_path "mountPath" always;
    3 read_only "readOnly" omitempty;
    4 recursive_read_only "recursiveReadOnly";
});
}

k8s_openapi::k8s_if_ge_1_36! {
message!(k8s_openapi::api::core::v1::VolumeMountStatus {
    1 name "name" always;
    2 mount_path "mountPath" always;
    3 read_only "readOnly" omitempty;
    4 recursive_read_only "recursiveReadOnly";
    5 volume_status "volumeStatus";
});
}

message!(k8s_openapi::api::core::v1::VolumeNodeAffinity {
    1 required "required";
});

k8s_openapi::k8s_if_le_1_33! {
message!(k8s_openapi::api::core::v1::VolumeProjection {
    1 secret "secret";
    2 downward_api "downwardAPI";
    3 config_map "configMap";
    4 service_account_token "serviceAccountToken";
    5 cluster_trust_bundle "clusterTrustBundle";
});
}

k8s_openapi::k8s_if_ge_1_34! {
message!(k8s_openapi::api::core::v1::VolumeProjection {
    1 secret "secret";
    2 downward_api "downwardAPI";
    3 config_map "configMap";
    4 service_account_token "serviceAccountToken";
    5 cluster_trust_bundle "clusterTrustBundle";
    6 pod_certificate "podCertificate";
});
}

message!(k8s_openapi::api::core::v1::VolumeResourceRequirements {
    1 limits "limits";
    2 requests "requests";
});

k8s_openapi::k8s_if_ge_1_36! {
message!(k8s_openapi::api::core::v1::VolumeStatus {
    1 image "image";
});
}

message!(k8s_openapi::api::core::v1::VsphereVirtualDiskVolumeSource {
    1 volume_path "volumePath" always;
    2 fs_type "fsType" omitempty;
    3 storage_policy_name "storagePolicyName" omitempty;
    4 storage_policy_id "storagePolicyID" omitempty;
});

message!(k8s_openapi::api::core::v1::WeightedPodAffinityTerm {
    1 weight "weight" always;
    2 pod_affinity_term "podAffinityTerm" always;
});

message!(k8s_openapi::api::core::v1::WindowsSecurityContextOptions {
    1 gmsa_credential_spec_name "gmsaCredentialSpecName";
    2 gmsa_credential_spec "gmsaCredentialSpec";
    3 run_as_user_name "runAsUserName";
    4 host_process "hostProcess";
});

k8s_openapi::k8s_if_ge_1_35! { k8s_openapi::k8s_if_le_1_35! {
message!(k8s_openapi::api::core::v1::WorkloadReference {
    json {
        name "name";
        pod_group "podGroup";
        pod_group_replica_key "podGroupReplicaKey";
    }
});
}}
