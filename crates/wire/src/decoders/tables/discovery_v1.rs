//! The types of `discovery_v1`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

message!(k8s_openapi::api::discovery::v1::Endpoint {
    1 addresses "addresses";
    2 conditions "conditions";
    3 hostname "hostname";
    4 target_ref "targetRef";
    5 deprecated_topology "deprecatedTopology";
    6 node_name "nodeName";
    7 zone "zone";
    8 hints "hints";
});

message!(k8s_openapi::api::discovery::v1::EndpointConditions {
    1 ready "ready";
    2 serving "serving";
    3 terminating "terminating";
});

message!(k8s_openapi::api::discovery::v1::EndpointHints {
    1 for_zones "forZones";
    2 for_nodes "forNodes";
});

message!(k8s_openapi::api::discovery::v1::EndpointPort {
    1 name "name";
    2 protocol "protocol";
    3 port "port";
    4 app_protocol "appProtocol";
});

object!(k8s_openapi::api::discovery::v1::EndpointSlice as "io.k8s.api.discovery.v1.EndpointSlice" {
    1 metadata "metadata";
    2 endpoints "endpoints";
    3 ports "ports";
    4 address_type "addressType" always;
});

message!(k8s_openapi::api::discovery::v1::ForNode {
    1 name "name" always;
});

message!(k8s_openapi::api::discovery::v1::ForZone {
    1 name "name" always;
});
