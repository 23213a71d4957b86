//! A server on which roles and bindings decide. The scripts in `conformance/scripts/access` show the same words recorded.

use super::world::{MAPS, World};
use pintle_apiserver::{AuthorizationMode, Server};
use serde_json::{Value, json};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const RULES: &str = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const WHOAMI: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

fn rbac() -> World {
    World { server: Server::builder().seed(7).rbac().build() }
}

impl World {
    fn of(&self, user: &str) -> World {
        World { server: self.server.as_user(user, &[]) }
    }

    /// Gives a user rules in the namespace `default`.
    async fn allow(&self, user: &str, name: &str, rules: Value) {
        self.role("roles", name, rules).await;
        self.bind("rolebindings", name, "Role", name, user).await;
    }

    async fn role(&self, plural: &str, name: &str, rules: Value) {
        let role = json!({"metadata": {"name": name}, "rules": rules});
        self.post(&place(plural), role).await.expect(201);
    }

    async fn bind(&self, plural: &str, name: &str, kind: &str, role: &str, user: &str) {
        self.post(&place(plural), binding(name, kind, role, user)).await.expect(201);
    }
}

fn place(plural: &str) -> String {
    let namespace = if plural.starts_with("cluster") { "" } else { "/namespaces/default" };
    format!("{RBAC}{namespace}/{plural}")
}

fn binding(name: &str, kind: &str, role: &str, user: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    })
}

fn rule(group: &str, resource: &str, verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": verbs})
}

#[tokio::test]
async fn a_user_may_what_its_roles_allow_and_nothing_else() {
    let world = rbac();
    let jane = world.of("jane");
    let refused = jane.get(MAPS).await;
    assert_eq!(refused.code, 403, "{}", refused.text);
    assert_eq!(
        refused.message(),
        "configmaps is forbidden: User \"jane\" cannot list resource \"configmaps\" in API group \"\" in the namespace \
         \"default\""
    );
    world.allow("jane", "reader", json!([rule("", "configmaps", &["list"])])).await;
    jane.get(MAPS).await.expect(200);
    assert_eq!(jane.get(&format!("{MAPS}/a")).await.code, 403);
    assert_eq!(jane.get("/api/v1/namespaces/kube-system/configmaps").await.code, 403);
    world.delete(&format!("{}/reader", place("rolebindings"))).await.expect(200);
    assert_eq!(jane.get(MAPS).await.code, 403, "what is taken away is gone with the next request");
}

#[tokio::test]
async fn who_may_not_ask_does_not_learn_what_exists() {
    let jane = rbac().of("jane");
    for path in ["/apis/nowhere.example.com/v1/things", "/api/v1/pods?labelSelector=!!", "/api/v1/namespaces/n/nope/x"]
    {
        assert_eq!(jane.get(path).await.code, 403, "{path}");
    }
    let unreadable = jane.send("GET", "/api/v1/pods", &[("accept", "text/html")], Vec::new()).await;
    assert_eq!(unreadable.code, 403, "{}", unreadable.text);
    assert_eq!(jane.get("/metrics").await.message(), "forbidden: User \"jane\" cannot get path \"/metrics\"");
    assert_eq!(jane.get("/apis/apps").await.code, 200, "all authenticated users may use discovery");
}

#[tokio::test]
async fn a_refused_watch_is_not_open() {
    let world = rbac();
    let refused = world.of("jane").get(&format!("{MAPS}?watch=true")).await;
    assert_eq!(refused.code, 403, "{}", refused.text);
    assert_eq!(world.server.cut_watches(&pintle_apiserver::Requests::all()), 0);
}

#[tokio::test]
async fn a_server_begins_with_the_roles_of_kube_apiserver() {
    let world = rbac();
    let count = async |path: &str| world.get(path).await.expect(200)["items"].as_array().unwrap().len();
    assert_eq!(count(&format!("{RBAC}/clusterroles")).await, 73);
    assert_eq!(count(&format!("{RBAC}/clusterrolebindings")).await, 54);
    assert_eq!((count(&format!("{RBAC}/roles")).await, count(&format!("{RBAC}/rolebindings")).await), (7, 7));
    let view = world.get(&format!("{RBAC}/clusterroles/view")).await.expect(200);
    assert!(view["rules"].as_array().unwrap().len() > 5, "it has gathered its rules");
    // Also where nothing is authorized by them.
    let open = World::new().get(&format!("{RBAC}/clusterroles")).await.expect(200);
    assert_eq!(open["items"].as_array().unwrap().len(), 73);
}

/// They are shared between servers, so a change must stay in its own.
#[tokio::test]
async fn what_every_server_begins_with_can_be_changed_in_one() {
    let (world, other) = (rbac(), rbac());
    let path = format!("{RBAC}/clusterrolebindings/system:basic-user");
    world.delete(&path).await.expect(200);
    assert_eq!(world.of("jane").post(WHOAMI, json!({})).await.code, 403);
    other.of("jane").post(WHOAMI, json!({})).await.expect(201);
    other.merge(&path, json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    let fork = World { server: world.server.fork() };
    assert_eq!(fork.of("jane").post(WHOAMI, json!({})).await.code, 403);
}

#[tokio::test]
async fn rules_are_what_they_were_after_a_rewind() {
    let world = rbac();
    let before = world.server.revision();
    world.allow("jane", "reader", json!([rule("", "configmaps", &["list"])])).await;
    world.of("jane").get(MAPS).await.expect(200);
    world.server.rewind(before).unwrap();
    assert_eq!(world.of("jane").get(MAPS).await.code, 403);
}

#[tokio::test]
async fn a_role_gathers_the_rules_of_those_it_selects() {
    let world = World::new();
    let roles = place("clusterroles");
    let gathering = json!({
        "metadata": {"name": "all"},
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"to": "all"}}]},
    });
    world.post(&roles, gathering).await.expect(201);
    let rules = async || world.get(&format!("{roles}/all")).await.expect(200)["rules"].clone();
    assert_eq!(rules().await, Value::Null);
    for (name, resource) in [("b", "pods"), ("a", "services"), ("c", "pods")] {
        let role =
            json!({"metadata": {"name": name, "labels": {"to": "all"}}, "rules": [rule("", resource, &["get"])]});
        world.post(&roles, role).await.expect(201);
    }
    assert_eq!(rules().await, json!([rule("", "services", &["get"]), rule("", "pods", &["get"])]));
    world.delete(&format!("{roles}/a")).await.expect(200);
    assert_eq!(rules().await, json!([rule("", "pods", &["get"])]));
    let managers = world.get(&format!("{roles}/all")).await.expect(200)["metadata"]["managedFields"].clone();
    assert_eq!(managers[0]["manager"], "clusterrole-aggregation-controller");
}

#[tokio::test]
async fn creating_by_put_or_apply_needs_the_right_to_create() {
    let world = rbac();
    let changes = ["get", "update", "patch"];
    let rules = json!([rule("coordination.k8s.io", "leases", &changes), rule("", "configmaps", &changes)]);
    world.allow("kim", "changer", rules).await;
    let kim = world.of("kim");
    let refused = kim.put(&format!("{LEASES}/a"), &json!({"metadata": {"name": "a"}})).await;
    assert_eq!(refused.code, 403, "{}", refused.text);
    assert_eq!(
        refused.message(),
        "leases.coordination.k8s.io \"a\" is forbidden: User \"kim\" cannot create resource \"leases\" in API group \
         \"coordination.k8s.io\" in the namespace \"default\""
    );
    let stated = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let path = format!("{MAPS}/a?fieldManager=k");
    let apply = async || kim.patch(&path, "application/apply-patch+yaml", &stated).await;
    let refused = apply().await;
    assert_eq!(refused.code, 403, "{}", refused.text);
    assert!(refused.message().contains("cannot create resource \"configmaps\""), "{}", refused.text);
    world.map("a").await;
    assert_eq!(apply().await.code, 200, "what is there is only patched");
}

#[tokio::test]
async fn no_user_grants_what_they_do_not_have() {
    let world = rbac();
    let all = ["create", "get", "update", "patch", "list"];
    let group = "rbac.authorization.k8s.io";
    let rules = json!([rule(group, "roles", &all), rule(group, "rolebindings", &all), rule("", "pods", &["get"])]);
    world.allow("kim", "maker", rules).await;
    world.role("roles", "strong", json!([rule("", "nodes", &["get"])])).await;
    let kim = world.of("kim");
    let role = |verbs: &[&str]| json!({"metadata": {"name": "new"}, "rules": [rule("", "pods", verbs)]});
    kim.post(&format!("{}?dryRun=All", place("roles")), role(&["get"])).await.expect(201);
    let refused = kim.post(&place("roles"), role(&["get", "delete"])).await;
    assert_eq!(
        refused.message(),
        "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"kim\" (groups=[\"system:authenticated\"]) is \
         attempting to grant RBAC permissions not currently held:\n\
         {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}"
    );
    let widened =
        kim.merge(&format!("{}/strong", place("roles")), json!({"rules": [rule("", "nodes", &["list"])]})).await;
    assert_eq!(widened.code, 403, "{}", widened.text);
    let bound = async |role: &str| kim.post(&place("rolebindings"), binding("new", "Role", role, "kim")).await;
    let refused = bound("strong").await;
    assert!(
        refused.message().ends_with("{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\"]}"),
        "{}",
        refused.text
    );
    assert_eq!(bound("none").await.message(), "rolebindings.rbac.authorization.k8s.io \"none\" not found");
    let binder = json!([{"apiGroups": [group], "resources": ["roles"], "resourceNames": ["strong"], "verbs": ["bind", "escalate"]}]);
    world.allow("kim", "binder", binder).await;
    bound("strong").await.expect(201);
    kim.merge(&format!("{}/strong", place("roles")), json!({"rules": [rule("", "nodes", &["list"])]}))
        .await
        .expect(200);
}

#[tokio::test]
async fn acting_as_another_needs_the_right_to() {
    let world = rbac();
    let jane = world.of("jane");
    let as_bob = [("impersonate-user", "bob"), ("impersonate-group", "devs")];
    let refused = jane.send("GET", MAPS, &as_bob, Vec::new()).await;
    assert_eq!(refused.code, 403, "{}", refused.text);
    assert_eq!(
        refused.message(),
        "configmaps is forbidden: User \"jane\" cannot impersonate-on:user-info:list resource \"configmaps\" in API group \
         \"\" in the namespace \"default\""
    );
    let rules = json!([rule("", "users", &["impersonate"])]);
    world.role("clusterroles", "actor", rules).await;
    world.bind("clusterrolebindings", "actor", "ClusterRole", "actor", "jane").await;
    let whoami = async |headers: &[(&str, &str)]| jane.send("POST", WHOAMI, headers, b"{}".to_vec()).await;
    assert_eq!(whoami(&as_bob).await.code, 403, "the group is not allowed");
    let bob = whoami(&as_bob[..1]).await.expect(201);
    assert_eq!(bob["status"]["userInfo"], json!({"username": "bob", "groups": ["system:authenticated"]}));
    let nameless = whoami(&as_bob[1..]).await;
    assert_eq!(
        nameless.message(),
        "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"devs\"}, \
         Extra:map[string][]string(nil)} without impersonating a user name"
    );
}

#[tokio::test]
async fn reviews_say_what_would_be_decided() {
    let world = rbac();
    world.allow("jane", "reader", json!([rule("", "pods", &["get"])])).await;
    let asked = |verb: &str| json!({"spec": {"user": "jane", "resourceAttributes": {"namespace": "default", "verb": verb, "resource": "pods"}}});
    let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    let allowed = world.post(path, asked("get")).await.expect(201);
    let reason = "RBAC: allowed by RoleBinding \"reader/default\" of Role \"reader\" to User \"jane\"";
    assert_eq!(allowed["status"], json!({"allowed": true, "reason": reason}));
    assert_eq!(world.post(path, asked("list")).await.expect(201)["status"], json!({"allowed": false}));
    let own = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let mut question = asked("get");
    question["spec"].as_object_mut().unwrap().remove("user");
    assert_eq!(world.of("jane").post(own, question).await.expect(201)["status"]["allowed"], true);
    let rules = world.of("jane").post(RULES, json!({"spec": {"namespace": "default"}})).await.expect(201);
    let listed = rules["status"]["resourceRules"].as_array().unwrap();
    assert_eq!(listed.last(), Some(&rule("", "pods", &["get"])));
    assert_eq!(rules["status"]["nonResourceRules"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_accounts_handle_is_in_the_accounts_groups() {
    let world = World::new();
    let robot = world.of("system:serviceaccount:n:robot").post(WHOAMI, json!({})).await.expect(201);
    let groups = json!(["system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"]);
    assert_eq!(robot["status"]["userInfo"], json!({"username": "system:serviceaccount:n:robot", "groups": groups}));
    let jane = World { server: world.server.as_user("jane", &["devs"]) }.post(WHOAMI, json!({})).await.expect(201);
    assert_eq!(jane["status"]["userInfo"]["groups"], json!(["devs", "system:authenticated"]));
}

#[tokio::test]
async fn strangers_see_health_and_nothing_else_in_either_mode() {
    for mode in [AuthorizationMode::AlwaysAllow, AuthorizationMode::Rbac] {
        let server = Server::builder().authorization(mode).build();
        let stranger = World { server: server.as_user("system:anonymous", &[]) };
        assert_eq!(stranger.get("/healthz").await.code, 200, "{mode:?}");
        assert_eq!(stranger.get("/version").await.code, 200, "{mode:?}");
        assert_eq!(stranger.get("/apis").await.code, 403, "{mode:?}");
        assert_eq!(stranger.get("/api/v1/namespaces").await.code, 403, "{mode:?}");
    }
}

#[tokio::test]
async fn a_token_ends_with_the_pod_it_is_bound_to() {
    let world = World::new();
    let (accounts, pods) = ("/api/v1/namespaces/default/serviceaccounts", "/api/v1/namespaces/default/pods");
    world.post(accounts, json!({"metadata": {"name": "robot"}})).await.expect(201);
    let spec = super::world::pod_spec(json!({"serviceAccountName": "robot"}));
    world.post(pods, json!({"metadata": {"name": "p"}, "spec": spec})).await.expect(201);
    let request = |name: &str, uid: &str| json!({"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": name, "uid": uid}}});
    let token = async |name: &str, uid: &str| world.post(&format!("{accounts}/robot/token"), request(name, uid)).await;
    assert_eq!(token("none", "").await.message(), "pods \"none\" not found");
    assert_eq!(token("p", "other").await.code, 409);
    let issued = token("p", "").await.expect(201)["status"]["token"].clone();
    let review = async || {
        let body = json!({"spec": {"token": issued}});
        world.post("/apis/authentication.k8s.io/v1/tokenreviews", body).await.expect(201)["status"].clone()
    };
    let extra = review().await["user"]["extra"].clone();
    assert_eq!(extra["authentication.kubernetes.io/pod-name"], json!(["p"]));
    world.delete(&format!("{pods}/p?gracePeriodSeconds=0")).await.expect(200);
    assert_eq!(review().await["error"], "[invalid bearer token, service account token has been invalidated]");
}

#[tokio::test]
async fn who_connects_to_a_container_by_get_needs_to_create_as_well_and_the_derived_role_has_both() {
    let world = rbac();
    let pods = "/api/v1/namespaces/default/pods";
    for way in ["exec?command=ls", "attach?stdin=true", "portforward?ports=80"] {
        let (path, resource) = (format!("{pods}/none/{way}"), format!("pods/{}", way.split('?').next().unwrap()));
        let name = resource.replace('/', "-");
        let user = world.of(&name);
        world.allow(&name, &name, json!([rule("", &resource, &["get"])])).await;
        let refused = user.get(&path).await;
        assert_eq!((refused.code, refused.message().as_str()), (403, "pods \"none\" is forbidden: "));
        let dry = user.get(&format!("{path}&dryRun=All")).await;
        assert_eq!(dry.message(), "dryRun is not supported", "that is asked first");

        let derived = world.server.role_for(&name);
        let [derived, ..] = derived.objects() else { panic!("no role") };
        assert_eq!(derived["rules"], json!([rule("", &resource, &["get", "create"])]));
        world.allow(&name, &format!("{name}-derived"), derived["rules"].clone()).await;
        let missing = user.get(&path).await;
        assert_eq!((missing.code, missing.message().as_str()), (404, "pods \"none\" not found"));
    }
    let reader = world.of("reader");
    world.allow("reader", "reader", json!([rule("", "pods/log", &["get"])])).await;
    assert_eq!(reader.get(&format!("{pods}/none/log")).await.code, 404, "to read a log creates nothing");
}
