//! The columns of every built-in kind that has some of its own, as kube-apiserver 1.37 has them; and those of a definition.

use serde_json::{Value, json};

use super::{age, cells, path};

/// A column and where its cells come from.
#[derive(Clone)]
pub(crate) struct Column {
    name: String,
    kind: String,
    format: String,
    description: String,
    priority: i64,
    cell: Cell,
}

/// Where a cell comes from.
#[derive(Clone)]
enum Cell {
    /// A value as it is; this where there is none.
    Value(&'static str, &'static str),
    /// A number, zero where there is none.
    Number(&'static str),
    /// How many there are, all of these together.
    Count(&'static [&'static str]),
    /// The time since.
    Since(&'static str),
    /// Something that has to be worked out.
    Of(fn(&Value) -> Value),
    /// The same, with the time.
    At(fn(&Value, i64) -> Value),
    /// A path of a definition and its type.
    Path(String),
}

impl Column {
    /// The column as a table describes it.
    pub(super) fn definition(&self) -> Value {
        json!({
            "name": self.name, "type": self.kind, "format": self.format, "description": self.description,
            "priority": self.priority,
        })
    }

    /// The cell of an object.
    pub(super) fn cell(&self, object: &Value, now: i64) -> Value {
        match &self.cell {
            Cell::Value(path, otherwise) => match path::find(object, path).first() {
                None | Some(Value::Null) => (*otherwise).into(),
                Some(Value::String(text)) if text.is_empty() => (*otherwise).into(),
                Some(value) => (*value).clone(),
            },
            Cell::Number(path) => {
                path::find(object, path).first().and_then(|value| value.as_i64()).unwrap_or_default().into()
            }
            Cell::Count(paths) => paths.iter().map(|path| cells::count(object, path)).sum::<usize>().into(),
            Cell::Since(path) => {
                age::since(path::find(object, path).first().copied().unwrap_or(&Value::Null), now).into()
            }
            Cell::Of(make) => make(object),
            Cell::At(make) => make(object, now),
            Cell::Path(path) => cells::of_path(&self.kind, &path::find(object, path), now),
        }
    }
}

fn column(name: &str, kind: &str, cell: Cell) -> Column {
    Column {
        name: name.to_owned(),
        kind: kind.to_owned(),
        format: String::new(),
        description: String::new(),
        priority: 0,
        cell,
    }
}

fn name() -> Column {
    Column { format: "name".to_owned(), ..text("Name", ".metadata.name", "") }
}

fn since(name: &str, path: &'static str) -> Column {
    column(name, "string", Cell::Since(path))
}

fn created() -> Column {
    since("Age", ".metadata.creationTimestamp")
}

fn created_at() -> Column {
    column("Created At", "date", Cell::Value(".metadata.creationTimestamp", ""))
}

fn text(name: &str, path: &'static str, otherwise: &'static str) -> Column {
    column(name, "string", Cell::Value(path, otherwise))
}

fn number(name: &str, path: &'static str) -> Column {
    column(name, "integer", Cell::Number(path))
}

fn count(name: &str, kind: &str, paths: &'static [&'static str]) -> Column {
    column(name, kind, Cell::Count(paths))
}

fn of(name: &str, make: fn(&Value) -> Value) -> Column {
    column(name, "string", Cell::Of(make))
}

/// Shown only to those who want more.
fn wide(column: Column) -> Column {
    Column { priority: 1, ..column }
}

fn typed(kind: &str, column: Column) -> Column {
    Column { kind: kind.to_owned(), ..column }
}

/// The columns of a definition's version, as it states them under `additionalPrinterColumns`.
pub(super) fn of_definition(own: &[Value]) -> Vec<Column> {
    let field = |column: &Value, field: &str| column.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut columns = vec![Column { description: ABOUT_NAME.to_owned(), ..name() }];
    for stated in own {
        let path = field(stated, "jsonPath");
        let described = field(stated, "description");
        let undescribed = || format!("Custom resource definition column (in JSONPath format): {path}");
        columns.push(Column {
            name: field(stated, "name"),
            kind: field(stated, "type"),
            format: field(stated, "format"),
            description: if described.is_empty() { undescribed() } else { described },
            priority: stated.get("priority").and_then(Value::as_i64).unwrap_or_default(),
            cell: Cell::Path(path),
        });
    }
    if own.is_empty() {
        let age = column("Age", "date", Cell::Path(".metadata.creationTimestamp".to_owned()));
        columns.push(Column { description: ABOUT_AGE.to_owned(), ..age });
    }
    columns
}

/// The columns of a built-in kind.
pub(super) fn built_in(group: &str, plural: &str) -> Vec<Column> {
    let own = match group {
        "" => core(plural),
        "apps" | "batch" | "autoscaling" => workloads(plural),
        _ => others(plural),
    };
    if own.is_empty() { vec![name(), created_at()] } else { own }
}

fn core(plural: &str) -> Vec<Column> {
    match plural {
        "componentstatuses" => vec![
            name(),
            of("Status", |object| match object.pointer("/conditions/0/status").and_then(Value::as_str) {
                Some("True") => "Healthy".into(),
                Some("False") => "Unhealthy".into(),
                _ => "Unknown".into(),
            }),
            text("Message", ".conditions[0].message", ""),
            text("Error", ".conditions[0].error", ""),
        ],
        "configmaps" => vec![name(), count("Data", "string", &[".data", ".binaryData"]), created()],
        "endpoints" => vec![name(), of("Endpoints", cells::endpoints), created()],
        "events" => events(),
        "namespaces" => vec![name(), text("Status", ".status.phase", ""), created()],
        "nodes" => nodes(),
        "persistentvolumeclaims" => vec![
            name(),
            of("Status", cells::phase_of_volume),
            text("Volume", ".spec.volumeName", ""),
            of("Capacity", cells::capacity_of_claim),
            of("Access Modes", cells::access_modes_of_claim),
            text("StorageClass", ".spec.storageClassName", ""),
            text("VolumeAttributesClass", ".spec.volumeAttributesClassName", "<unset>"),
            created(),
            wide(text("VolumeMode", ".spec.volumeMode", "<unset>")),
        ],
        "persistentvolumes" => vec![
            name(),
            text("Capacity", ".spec.capacity.storage", ""),
            of("Access Modes", cells::access_modes),
            text("Reclaim Policy", ".spec.persistentVolumeReclaimPolicy", ""),
            of("Status", cells::phase_of_volume),
            of("Claim", cells::claim),
            text("StorageClass", ".spec.storageClassName", ""),
            text("VolumeAttributesClass", ".spec.volumeAttributesClassName", "<unset>"),
            text("Reason", ".status.reason", ""),
            created(),
            wide(text("VolumeMode", ".spec.volumeMode", "<unset>")),
        ],
        "pods" => vec![
            name(),
            of("Ready", cells::ready_containers),
            of("Status", cells::pod_status),
            column("Restarts", "string", Cell::At(cells::restarts)),
            created(),
            wide(text("IP", ".status.podIP", "<none>")),
            wide(text("Node", ".spec.nodeName", "<none>")),
            wide(text("Nominated Node", ".status.nominatedNodeName", "<none>")),
            wide(of("Readiness Gates", cells::readiness_gates)),
        ],
        "podtemplates" => vec![
            name(),
            of("Containers", |object| cells::containers(object, "/template/spec", "name")),
            of("Images", |object| cells::containers(object, "/template/spec", "image")),
            of("Pod Labels", |object| cells::labels(&object["template"]["metadata"]["labels"])),
        ],
        "replicationcontrollers" => replicas(),
        "resourcequotas" => vec![
            name(),
            of("Request", |object| cells::quota(object, false)),
            of("Limit", |object| cells::quota(object, true)),
            created(),
        ],
        "secrets" => vec![name(), text("Type", ".type", ""), count("Data", "string", &[".data"]), created()],
        "serviceaccounts" => vec![name(), created()],
        "services" => vec![
            name(),
            text("Type", ".spec.type", ""),
            text("Cluster-IP", ".spec.clusterIP", "<none>"),
            of("External-IP", cells::external_address),
            of("Port(s)", cells::service_ports),
            created(),
            wide(of("Selector", |object| cells::labels(&object["spec"]["selector"]))),
        ],
        _ => Vec::new(),
    }
}

fn events() -> Vec<Column> {
    vec![
        column("Last Seen", "string", Cell::At(cells::event_last_seen)),
        text("Type", ".type", ""),
        text("Reason", ".reason", ""),
        of("Object", cells::event_object),
        wide(of("Subobject", cells::event_part)),
        wide(of("Source", cells::event_source)),
        of("Message", cells::event_message),
        wide(column("First Seen", "string", Cell::At(cells::event_first_seen))),
        wide(of("Count", cells::event_count)),
        wide(name()),
    ]
}

fn nodes() -> Vec<Column> {
    vec![
        name(),
        of("Status", cells::node_status),
        of("Roles", cells::node_roles),
        created(),
        text("Version", ".status.nodeInfo.kubeletVersion", ""),
        wide(of("Internal-IP", |node| cells::node_address(node, "InternalIP"))),
        wide(of("External-IP", |node| cells::node_address(node, "ExternalIP"))),
        wide(text("OS-Image", ".status.nodeInfo.osImage", "<unknown>")),
        wide(text("Kernel-Version", ".status.nodeInfo.kernelVersion", "<unknown>")),
        wide(text("Container-Runtime", ".status.nodeInfo.containerRuntimeVersion", "<unknown>")),
    ]
}

fn replicas() -> Vec<Column> {
    let mut columns = vec![
        name(),
        number("Desired", ".spec.replicas"),
        number("Current", ".status.replicas"),
        number("Ready", ".status.readyReplicas"),
        created(),
    ];
    columns.extend(template());
    columns.push(wide(of("Selector", |object| cells::selector(&object["spec"]["selector"]))));
    columns
}

fn template() -> Vec<Column> {
    vec![
        wide(of("Containers", |object| cells::containers(object, "/spec/template/spec", "name"))),
        wide(of("Images", |object| cells::containers(object, "/spec/template/spec", "image"))),
    ]
}

fn workloads(plural: &str) -> Vec<Column> {
    let selector = || wide(of("Selector", |object| cells::selector(&object["spec"]["selector"])));
    let with_template = |own: Vec<Column>| [own, template(), vec![selector()]].concat();
    match plural {
        "controllerrevisions" => vec![
            name(),
            of("Controller", cells::controller),
            typed("string", number("Revision", ".revision")),
            created(),
        ],
        "cronjobs" => vec![
            name(),
            text("Schedule", ".spec.schedule", ""),
            text("Timezone", ".spec.timeZone", "<none>"),
            typed("boolean", of("Suspend", cells::is_suspended)),
            count("Active", "integer", &[".status.active"]),
            column("Last Schedule", "string", Cell::At(cells::last_schedule)),
            created(),
            wide(of("Containers", |object| cells::containers(object, "/spec/jobTemplate/spec/template/spec", "name"))),
            wide(of("Images", |object| cells::containers(object, "/spec/jobTemplate/spec/template/spec", "image"))),
            wide(of("Selector", |object| cells::selector(&object["spec"]["jobTemplate"]["spec"]["selector"]))),
        ],
        "daemonsets" => with_template(vec![
            name(),
            number("Desired", ".status.desiredNumberScheduled"),
            number("Current", ".status.currentNumberScheduled"),
            number("Ready", ".status.numberReady"),
            number("Up-to-date", ".status.updatedNumberScheduled"),
            number("Available", ".status.numberAvailable"),
            of("Node Selector", |object| cells::labels(&object["spec"]["template"]["spec"]["nodeSelector"])),
            created(),
        ]),
        "deployments" => with_template(vec![
            name(),
            of("Ready", cells::ready_replicas),
            typed("string", number("Up-to-date", ".status.updatedReplicas")),
            typed("string", number("Available", ".status.availableReplicas")),
            created(),
        ]),
        "horizontalpodautoscalers" => vec![
            name(),
            of("Reference", cells::scale_target),
            of("Targets", cells::metrics),
            of("MinPods", cells::least_pods),
            typed("string", number("MaxPods", ".spec.maxReplicas")),
            typed("string", number("Replicas", ".status.currentReplicas")),
            created(),
        ],
        "jobs" => with_template(vec![
            name(),
            of("Status", cells::job_status),
            of("Completions", cells::completions),
            column("Duration", "string", Cell::At(cells::duration)),
            created(),
        ]),
        "replicasets" => replicas(),
        "statefulsets" => [vec![name(), of("Ready", cells::ready_replicas), created()], template()].concat(),
        _ => Vec::new(),
    }
}

fn others(plural: &str) -> Vec<Column> {
    let truth = |name: &str, path: &'static str| column(name, "boolean", Cell::Value(path, ""));
    match plural {
        "endpointslices" => vec![
            name(),
            text("AddressType", ".addressType", ""),
            of("Ports", cells::slice_ports),
            of("Endpoints", cells::slice_endpoints),
            created(),
        ],
        "events" => events(),
        "ingressclasses" => vec![
            name(),
            text("Controller", ".spec.controller", ""),
            of("Parameters", cells::class_parameters),
            created(),
        ],
        "ingresses" => vec![
            name(),
            text("Class", ".spec.ingressClassName", "<none>"),
            of("Hosts", cells::hosts),
            of("Address", cells::load_balancer),
            of("Ports", cells::ingress_ports),
            created(),
        ],
        "leases" => vec![name(), text("Holder", ".spec.holderIdentity", ""), created()],
        "networkpolicies" => {
            vec![name(), of("Pod-Selector", |object| cells::selector(&object["spec"]["podSelector"])), created()]
        }
        "poddisruptionbudgets" => vec![
            name(),
            of("Min Available", |object| cells::number_or(&object["spec"]["minAvailable"], "N/A")),
            of("Max Unavailable", |object| cells::number_or(&object["spec"]["maxUnavailable"], "N/A")),
            number("Allowed Disruptions", ".status.disruptionsAllowed"),
            created(),
        ],
        "priorityclasses" => vec![
            name(),
            number("Value", ".value"),
            typed("boolean", of("Global-Default", |object| (object["globalDefault"] == true).into())),
            created(),
            text("PreemptionPolicy", ".preemptionPolicy", ""),
        ],
        "runtimeclasses" => vec![name(), text("Handler", ".handler", ""), created()],
        "clusterrolebindings" | "rolebindings" => vec![
            name(),
            of("Role", cells::role),
            created(),
            wide(of("Users", |object| cells::subjects(object, "User"))),
            wide(of("Groups", |object| cells::subjects(object, "Group"))),
            wide(of("ServiceAccounts", |object| cells::subjects(object, "ServiceAccount"))),
        ],
        "storageclasses" => vec![
            name(),
            text("Provisioner", ".provisioner", ""),
            text("ReclaimPolicy", ".reclaimPolicy", "Delete"),
            text("VolumeBindingMode", ".volumeBindingMode", "Immediate"),
            of("AllowVolumeExpansion", |object| (object["allowVolumeExpansion"] == true).into()),
            created(),
        ],
        "volumeattachments" => vec![
            name(),
            Column { format: "name".to_owned(), ..text("Attacher", ".spec.attacher", "") },
            text("PV", ".spec.source.persistentVolumeName", ""),
            text("Node", ".spec.nodeName", ""),
            truth("Attached", ".status.attached"),
            created(),
        ],
        "csinodes" => vec![name(), count("Drivers", "integer", &[".spec.drivers"]), created()],
        "mutatingwebhookconfigurations" | "validatingwebhookconfigurations" => {
            vec![name(), count("Webhooks", "integer", &[".webhooks"]), created()]
        }
        "customresourcedefinitions" => vec![name(), created_at()],
        "deviceclasses" | "resourceclaimtemplates" => vec![name(), created()],
        _ => Vec::new(),
    }
}

/// What kube-apiserver says of the columns that every definition has.
const ABOUT_NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources \
     may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for \
     creation idempotence and configuration definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const ABOUT_AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not \
     guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is \
     represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
     https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
