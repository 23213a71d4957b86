"""What users of the official Python client do, printed line by line, without what differs by chance.

The cluster is the one of KUBECONFIG. Everything happens in the namespace `session-python`, which is removed at the end.
"""

import json
import time

from kubernetes import client, config, dynamic, utils, watch

NAMESPACE = "session-python"
GROUP = "session-python.example.com"


def refused(what, call, *arguments, **options):
    """Prints how a call is refused."""
    try:
        call(*arguments, **options)
        print(f"{what}: done")
    except client.ApiException as error:
        body = json.loads(error.body)
        print(f"{what}: {error.status} {body.get('reason')}: {body.get('message')}")


def config_maps(core):
    body = {"metadata": {"name": "a", "labels": {"of": "session"}}, "data": {"k": "1"}}
    made = core.create_namespaced_config_map(NAMESPACE, body)
    print("created", made.metadata.name, made.data, made.immutable, made.metadata.generation)
    refused("created again", core.create_namespaced_config_map, NAMESPACE, body)
    refused("created nameless", core.create_namespaced_config_map, NAMESPACE, {"data": {"k": "1"}})
    merged = core.patch_namespaced_config_map("a", NAMESPACE, {"data": {"l": "2", "k": None}})
    print("patched", merged.data)
    made.data = {"k": "3"}
    refused("replaced by what is old", core.replace_namespaced_config_map, "a", NAMESPACE, made)
    merged.data = {"k": "4"}
    print("replaced", core.replace_namespaced_config_map("a", NAMESPACE, merged).data)
    dry = core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "dry"}}, dry_run="All")
    print("dry run", dry.metadata.name, dry.metadata.uid is not None)
    refused("read what is not there", core.read_namespaced_config_map, "dry", NAMESPACE)
    names = [item.metadata.name for item in core.list_namespaced_config_map(NAMESPACE, label_selector="of=session").items]
    print("selected", names)
    refused("selected wrongly", core.list_namespaced_config_map, NAMESPACE, label_selector="of=(")
    refused("selected by a field", core.list_namespaced_config_map, NAMESPACE, field_selector="data.k=1")


def pages(core):
    for number in range(5):
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": f"page-{number}", "labels": {"of": "pages"}}})
    token, seen = None, []
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="of=pages", limit=2, _continue=token)
        seen.append(([item.metadata.name for item in page.items], page.metadata.remaining_item_count))
        token = page.metadata._continue
        if not token:
            break
    print("pages", seen)
    deleted = core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="of=pages")
    print("deleted", getattr(deleted, "status", None) or type(deleted).__name__)


def watched(core):
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "seen"}, "data": {"k": "1"}})
    core.patch_namespaced_config_map("seen", NAMESPACE, {"data": {"k": "2"}})
    core.delete_namespaced_config_map("seen", NAMESPACE)
    events = []
    for event in watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=start, timeout_seconds=20
    ):
        events.append((event["type"], event["object"].metadata.name, event["object"].data))
        if event["type"] == "DELETED":
            break
    print("watched", events)
    refused("watched from another age", lambda: list(watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version="not-a-version", timeout_seconds=5)))


def deployments(api):
    apps = client.AppsV1Api(api)
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
    body = {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template}}
    made = apps.create_namespaced_deployment(NAMESPACE, body)
    print("deployment", made.spec.replicas, made.spec.strategy.type, made.spec.strategy.rolling_update.max_surge)
    scaled = apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 4}})
    print("scaled", scaled.spec.replicas, scaled.status.selector)
    body["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    refused("another selector", apps.patch_namespaced_deployment, "web", NAMESPACE, body)
    patch = [{"op": "test", "path": "/spec/replicas", "value": 4}, {"op": "replace", "path": "/spec/paused", "value": True}]
    print("json patch", apps.patch_namespaced_deployment("web", NAMESPACE, patch).spec.paused)
    container = {"spec": {"template": {"spec": {"containers": [{"name": "main", "env": [{"name": "A", "value": "1"}]}]}}}}
    merged = apps.patch_namespaced_deployment("web", NAMESPACE, container)
    main = merged.spec.template.spec.containers[0]
    print("strategic patch", main.image, [(item.name, item.value) for item in main.env], merged.metadata.generation)
    gone = apps.delete_namespaced_deployment("web", NAMESPACE, propagation_policy="Background")
    gone = gone if isinstance(gone, dict) else gone.to_dict()
    print("deleted", gone["status"], gone["details"]["kind"], gone["details"]["name"])


def custom_objects(api):
    extensions, custom = client.ApiextensionsV1Api(api), client.CustomObjectsApi(api)
    schema = {"type": "object", "properties": {"spec": {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1}, "colour": {"type": "string", "default": "red"}}},
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}
    extensions.create_custom_resource_definition({
        "metadata": {"name": f"boxes.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": {"kind": "Box", "plural": "boxes"}, "versions": [version]}})
    for _ in range(200):
        conditions = extensions.read_custom_resource_definition(f"boxes.{GROUP}").status.conditions or []
        if any(item.type == "Established" and item.status == "True" for item in conditions):
            break
        time.sleep(0.1)
    place = (GROUP, "v1", NAMESPACE, "boxes")
    box = {"apiVersion": f"{GROUP}/v1", "kind": "Box", "metadata": {"name": "b"}, "spec": {"size": 1}}
    for _ in range(100):
        try:
            made = custom.create_namespaced_custom_object(*place, box)
            break
        except client.ApiException as error:
            # A kind is served a moment after it is established.
            if error.status not in (404, 429):
                raise
            time.sleep(0.1)
    print("box", made["spec"], made["metadata"]["generation"])
    refused("a box too small", custom.create_namespaced_custom_object, *place, {**box, "metadata": {"name": "c"}, "spec": {"size": 0}})
    refused("a box without a size", custom.create_namespaced_custom_object, *place, {**box, "metadata": {"name": "c"}, "spec": {}})
    patched = custom.patch_namespaced_custom_object_status(*place, "b", {"status": {"full": True}, "spec": {"size": 9}})
    print("status", patched["status"], patched["spec"])
    boxes = dynamic.DynamicClient(api).resources.get(api_version=f"{GROUP}/v1", kind="Box")
    print("found", boxes.name, boxes.namespaced, boxes.singular_name, sorted(boxes.verbs))
    applied = boxes.server_side_apply(
        body={**box, "spec": {"size": 3}}, name="b", namespace=NAMESPACE, field_manager="session", force_conflicts=True)
    managers = sorted((item.manager, item.operation, item.subresource) for item in applied.metadata.managedFields if item.manager == "session")
    print("applied", applied.spec.to_dict(), managers)
    extensions.delete_custom_resource_definition(f"boxes.{GROUP}")


def others(api, core):
    utils.create_from_dict(api, {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"p": "q"}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}}]},
        namespace=NAMESPACE)
    print("secret", core.read_namespaced_secret("s", NAMESPACE).data)
    service = core.read_namespaced_service("s", NAMESPACE).spec
    print("service", service.type, service.cluster_ip, [(port.port, port.target_port, port.protocol) for port in service.ports])
    review = client.AuthorizationV1Api(api).create_self_subject_access_review(
        {"spec": {"resourceAttributes": {"verb": "create", "resource": "pods", "namespace": NAMESPACE}}})
    print("may create pods", review.status.allowed)
    account = core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "robot"}})
    token = core.create_namespaced_service_account_token("robot", NAMESPACE, {"spec": {"audiences": [], "expirationSeconds": 3600}})
    reviewed = client.AuthenticationV1Api(api).create_token_review({"spec": {"token": token.status.token}})
    print("robot", account.metadata.name, reviewed.status.user.username, sorted(reviewed.status.user.groups))
    version = client.VersionApi(api).get_code()
    print("version", version.major, version.minor)


def main():
    config.load_kube_config()
    api = client.ApiClient()
    core = client.CoreV1Api(api)
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    try:
        config_maps(core)
        pages(core)
        watched(core)
        deployments(api)
        custom_objects(api)
        others(api, core)
    finally:
        core.delete_namespace(NAMESPACE)
    for _ in range(300):
        try:
            core.read_namespace(NAMESPACE)
        except client.ApiException as error:
            print("namespace", error.status)
            return
        time.sleep(0.1)
    print("the namespace stays")


main()
