"""Tests as users of the official Python client write them: each takes a workspace of its own from one running
`pintle serve --workspaces --admin-kubeconfig FILE`, and breaks what it needs broken from outside."""

import os
import threading
import time
import unittest

import yaml
from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException


def call(api, method, path, body=None):
    """A request that the client has no method for, with its address, certificate authority and token."""
    request = api.param_serialize(
        method, path, body=body, auth_settings=["BearerToken"],
        header_params={"Accept": "application/json", "Content-Type": "application/json"})
    answer = api.call_api(*request)
    answer.read()
    return api.response_deserialize(answer, {"200": "object", "201": "object"}).data


class Workspace:
    """A cluster of a test's own."""

    def __init__(self, server, ttl_seconds=600):
        self.server = server
        made = call(server, "POST", "/pintle/v1/workspaces", {"ttlSeconds": ttl_seconds})
        self.name = made["name"]
        self.core = client.CoreV1Api(config.new_client_from_config_dict(yaml.safe_load(made["kubeconfig"])))
        self.api = config.new_client_from_config_dict(yaml.safe_load(made["adminKubeconfig"]))

    def ask(self, path, body=None):
        return call(self.api, "POST", "/pintle/v1/" + path, body or {})

    def read(self, path):
        return call(self.api, "GET", "/pintle/v1/" + path)

    def create(self, name):
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name))
        return self.core.create_namespaced_config_map("default", body)

    def drop(self):
        call(self.server, "DELETE", "/pintle/v1/workspaces/" + self.name)


class Workspaces(unittest.TestCase):
    def setUp(self):
        server = config.new_client_from_config(os.environ["KUBECONFIG"])
        self.workspace = Workspace(server)
        self.addCleanup(self.workspace.drop)

    def test_workspaces_do_not_see_each_other(self):
        other = Workspace(self.workspace.server)
        self.addCleanup(other.drop)
        self.workspace.create("own")
        other.create("own")
        self.assertEqual(len(other.core.list_namespaced_config_map("default").items), 2)

    def test_a_watch_ends_where_it_is_cut(self):
        seen = []

        def follow():
            for event in watch.Watch().stream(
                    self.workspace.core.list_namespaced_config_map, "default", timeout_seconds=50):
                seen.append(event["object"].metadata.name)

        following = threading.Thread(target=follow)
        following.start()
        self.workspace.create("seen")
        deadline = time.monotonic() + 40
        while "seen" not in seen and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIn("seen", seen)
        self.assertEqual(self.workspace.ask("watches/cut", {"resource": "configmaps"})["watches"], 1)
        # The client watches anew until its time is over; no more than one request of it is refused.
        self.workspace.ask("faults", {"requests": {"verb": "watch"}, "fault": {"type": "answer", "code": 503}})
        self.workspace.ask("watches/cut", {})
        following.join(60)
        self.assertFalse(following.is_alive())

    def test_expired_history_is_refused_with_410(self):
        before = self.workspace.create("a").metadata.resource_version
        self.workspace.create("b")
        self.workspace.ask("expire-history")
        with self.assertRaises(ApiException) as refused:
            for _ in watch.Watch().stream(self.workspace.core.list_namespaced_config_map, "default",
                                          resource_version=before, timeout_seconds=10):
                pass
        self.assertEqual(refused.exception.status, 410)

    def test_a_request_is_slow_or_refused_as_often_as_asked(self):
        self.workspace.ask("faults", {"requests": {"verb": "list", "times": 1}, "fault": {"type": "delay", "seconds": 0.3}})
        begun = time.monotonic()
        self.workspace.core.list_namespaced_config_map("default")
        self.assertGreaterEqual(time.monotonic() - begun, 0.3)
        rule = self.workspace.ask(
            "faults", {"requests": {"verb": "create", "times": 1}, "fault": {"type": "answer", "code": 409}})
        with self.assertRaises(ApiException) as refused:
            self.workspace.create("m")
        self.assertEqual((refused.exception.status, refused.exception.reason), (409, "Conflict"))
        self.workspace.create("m")
        self.assertEqual(self.workspace.read("faults/%d" % rule["id"])["fired"], 1)

    def test_time_is_moved(self):
        self.workspace.ask("clock", {"set": "2040-01-01T00:00:00Z", "stopped": True})
        self.assertEqual(self.workspace.create("m").metadata.creation_timestamp.isoformat(), "2040-01-01T00:00:00+00:00")

    def test_what_is_wrong_is_named(self):
        with self.assertRaises(ApiException) as refused:
            self.workspace.ask("faults", {"fault": {"type": "cut", "afer": 1}})
        self.assertEqual(refused.exception.status, 422)
        self.assertIn("fault.afer", refused.exception.body)

    def test_a_workspace_without_an_admin_token_keeps_it_closed(self):
        with self.assertRaises(ApiException) as refused:
            call(self.workspace.core.api_client, "GET", "/pintle/v1/state")
        self.assertEqual(refused.exception.status, 401)


if __name__ == "__main__":
    unittest.main()
