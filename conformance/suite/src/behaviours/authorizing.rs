//! Who may do what: roles, bindings, acting as others, and reviews that say it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, Place};

behaviours! {
    "1.23": a_user_without_a_role_may_nothing,
        a_role_allows_its_verbs_in_its_namespace,
        a_cluster_role_bound_in_a_namespace_counts_there_alone,
        a_role_may_name_its_objects,
        a_group_has_what_is_bound_to_it,
        a_service_account_has_what_is_bound_to_it,
        a_subresource_is_a_right_of_its_own,
        to_connect_to_a_pod_by_get_needs_the_right_to_create,
        a_path_is_allowed_by_a_cluster_role,
        a_right_that_is_taken_away_is_gone,
        a_missing_role_is_named,
        a_user_who_may_not_ask_learns_nothing_about_what_exists,
        create_by_put_needs_the_right_to_create,
        create_by_apply_needs_the_right_to_create,
        no_user_grants_what_they_do_not_have,
        no_user_binds_what_they_do_not_have,
        escalate_allows_to_grant_more,
        bind_allows_to_bind_more,
        a_bound_role_cannot_be_exchanged,
        a_group_without_a_name_is_a_bad_request,
        a_review_says_what_is_allowed_and_why,
        a_self_review_is_about_the_caller,
        a_rules_review_lists_the_rules,
        a_user_learns_who_they_are,
        a_token_says_who_an_account_is;
}

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings";
const CLUSTER_ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const CLUSTER_BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const WHOAMI: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const ACCOUNTS: &str = "/api/v1/namespaces/{ns}/serviceaccounts";

/// A name that no other user has.
const JANE: &str = "{ns}-jane";

fn rule(group: &str, resource: &str, verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": verbs})
}

fn user(name: &str) -> Value {
    json!({"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": name})
}

fn role(name: &str, rules: Value) -> Value {
    json!({"metadata": {"name": name}, "rules": rules})
}

fn binding(name: &str, kind: &str, role: &str, subject: Value) -> Value {
    let reference = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role});
    json!({"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]})
}

impl Place {
    /// Gives a user or group rules in the namespace.
    async fn allow(&self, name: &str, subject: Value, rules: Value) {
        self.create(ROLES, role(name, rules)).await;
        self.create(BINDINGS, binding(name, "Role", name, subject)).await;
    }

    async fn send_as(&self, user: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        let ask = self.ask(method, path).header("Impersonate-User", &self.named(user));
        match (body, method) {
            (None, _) => ask.send().await,
            (Some(body), "PATCH") => ask.typed("application/merge-patch+json", &body).send().await,
            (Some(body), _) => ask.json(&body).send().await,
        }
    }

    async fn get_as(&self, user: &str, path: &str) -> Answer {
        self.send_as(user, "GET", path, None).await
    }

    /// Asks as this user until the answer has this code: a real server takes a moment to notice a role.
    async fn until(&self, code: u16, user: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        for _ in 0..GLANCES {
            let answer = self.send_as(user, method, path, body.clone()).await;
            if answer.code == code {
                return answer;
            }
            tokio::time::sleep(GLANCE).await;
        }
        self.send_as(user, method, path, body).await
    }
}

async fn a_user_without_a_role_may_nothing(p: &Place) {
    let status = p.get_as(JANE, CONFIG_MAPS).await.refused(
        403,
        "Forbidden",
        "configmaps is forbidden: User \"{ns}-jane\" cannot list resource \"configmaps\" in API group \"\" in the namespace \
         \"{ns}\"",
    );
    assert_eq!(status["details"], json!({"kind": "configmaps"}));
    p.get_as(JANE, "/api/v1/nodes/n").await.refused(
        403,
        "Forbidden",
        "nodes \"n\" is forbidden: User \"{ns}-jane\" cannot get resource \"nodes\" in API group \"\" at the cluster scope",
    );
}

async fn a_role_allows_its_verbs_in_its_namespace(p: &Place) {
    p.allow("r", user(JANE), json!([rule("", "configmaps", &["list"])])).await;
    p.until(200, JANE, "GET", CONFIG_MAPS, None).await.value(200);
    assert_eq!(p.get_as(JANE, &format!("{CONFIG_MAPS}/a")).await.code, 403);
    assert_eq!(p.get_as(JANE, "/api/v1/namespaces/default/configmaps").await.code, 403);
    assert_eq!(p.get_as(JANE, "/api/v1/configmaps").await.code, 403);
}

async fn a_cluster_role_bound_in_a_namespace_counts_there_alone(p: &Place) {
    p.create(BINDINGS, binding("b", "ClusterRole", "view", user(JANE))).await;
    p.until(200, JANE, "GET", CONFIG_MAPS, None).await.value(200);
    assert_eq!(p.get_as(JANE, "/api/v1/configmaps").await.code, 403);
}

async fn a_role_may_name_its_objects(p: &Place) {
    let mut named = rule("", "configmaps", &["get", "list"]);
    named["resourceNames"] = json!(["a"]);
    p.config_map("a", json!({})).await;
    p.allow("r", user(JANE), json!([named])).await;
    p.until(200, JANE, "GET", &format!("{CONFIG_MAPS}/a"), None).await.value(200);
    assert_eq!(p.get_as(JANE, &format!("{CONFIG_MAPS}/b")).await.code, 403);
    assert_eq!(p.get_as(JANE, CONFIG_MAPS).await.code, 403);
    p.get_as(JANE, &format!("{CONFIG_MAPS}?fieldSelector=metadata.name=a")).await.value(200);
}

async fn a_group_has_what_is_bound_to_it(p: &Place) {
    let group = json!({"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "{ns}-team"});
    p.allow("r", group, json!([rule("", "configmaps", &["list"])])).await;
    let team = p.named("{ns}-team");
    let ask = || p.ask("GET", CONFIG_MAPS).header("Impersonate-User", "somebody");
    for _ in 0..GLANCES {
        if ask().header("Impersonate-Group", &team).send().await.code == 200 {
            break;
        }
        tokio::time::sleep(GLANCE).await;
    }
    ask().header("Impersonate-Group", &team).send().await.value(200);
    assert_eq!(ask().send().await.code, 403);
}

async fn a_service_account_has_what_is_bound_to_it(p: &Place) {
    p.allow("r", json!({"kind": "ServiceAccount", "name": "robot"}), json!([rule("", "configmaps", &["list"])])).await;
    p.until(200, "system:serviceaccount:{ns}:robot", "GET", CONFIG_MAPS, None).await.value(200);
    assert_eq!(p.get_as("system:serviceaccount:default:robot", CONFIG_MAPS).await.code, 403);
}

async fn a_subresource_is_a_right_of_its_own(p: &Place) {
    p.allow("r", user(JANE), json!([rule("apps", "deployments", &["get"]), rule("apps", "*/scale", &["update"])]))
        .await;
    let path = "/apis/apps/v1/namespaces/{ns}/deployments/d";
    p.until(404, JANE, "GET", path, None).await.value(404);
    p.get_as(JANE, &format!("{path}/scale")).await.refused_with(
        403,
        "Forbidden",
        "cannot get resource \"deployments/scale\"",
    );
    p.get_as(JANE, &format!("{path}/status")).await.refused_with(403, "Forbidden", "\"deployments/status\"");
}

/// As WebSockets are asked for; the refusal comes before the pod is looked up, and has no words of its own.
async fn to_connect_to_a_pod_by_get_needs_the_right_to_create(p: &Place) {
    let ways = ["exec?command=ls", "attach?stdin=true", "portforward?ports=80"];
    let path = |way: &str| format!("/api/v1/namespaces/{{ns}}/pods/none/{way}");
    let resources = ["pods/exec", "pods/attach", "pods/portforward"];
    let rules = |verb| Value::from_iter(resources.map(|resource| rule("", resource, &[verb])));
    p.allow("getter", user(JANE), rules("get")).await;
    for way in ways {
        let words = "pods \"none\" is forbidden: ";
        for _ in 0..GLANCES {
            if !p.get_as(JANE, &path(way)).await.text().contains("cannot get resource") {
                break;
            }
            tokio::time::sleep(GLANCE).await;
        }
        let status = p.get_as(JANE, &path(way)).await.refused(403, "Forbidden", words);
        assert_eq!(status["details"], json!({"name": "none", "kind": "pods"}));
        p.send_as(JANE, "POST", &path(way), None).await.refused_with(403, "Forbidden", "cannot create resource");
    }
    p.allow("creator", user(JANE), rules("create")).await;
    for way in ways {
        p.until(404, JANE, "GET", &path(way), None).await.refused(404, "NotFound", "pods \"none\" not found");
    }
}

async fn a_path_is_allowed_by_a_cluster_role(p: &Place) {
    let rules = json!([{"nonResourceURLs": ["/suite/*"], "verbs": ["get"]}]);
    p.create(CLUSTER_ROLES, role("{ns}-paths", rules)).await;
    p.create(CLUSTER_BINDINGS, binding("{ns}-paths", "ClusterRole", "{ns}-paths", user(JANE))).await;
    for path in [CLUSTER_BINDINGS, CLUSTER_ROLES] {
        p.remove_later(&format!("{path}/{{ns}}-paths"));
    }
    assert_eq!(p.until(404, JANE, "GET", "/suite/a", None).await.code, 404);
    p.get_as(JANE, "/suite").await.refused(
        403,
        "Forbidden",
        "forbidden: User \"{ns}-jane\" cannot get path \"/suite\"",
    );
    p.send_as(JANE, "POST", "/suite/a", None).await.refused_with(403, "Forbidden", "cannot post path \"/suite/a\"");
}

async fn a_right_that_is_taken_away_is_gone(p: &Place) {
    p.allow("r", user(JANE), json!([rule("", "configmaps", &["list"])])).await;
    p.until(200, JANE, "GET", CONFIG_MAPS, None).await.value(200);
    p.delete(&format!("{BINDINGS}/r")).await.value(200);
    assert_eq!(p.until(403, JANE, "GET", CONFIG_MAPS, None).await.code, 403);
}

async fn a_missing_role_is_named(p: &Place) {
    p.create(BINDINGS, binding("b", "Role", "gone", user(JANE))).await;
    let words = "in the namespace \"{ns}\": rbac: RBAC: role.rbac.authorization.k8s.io \"gone\" not found";
    for _ in 0..GLANCES {
        if p.get_as(JANE, CONFIG_MAPS).await.text().contains("RBAC:") {
            break;
        }
        tokio::time::sleep(GLANCE).await;
    }
    p.get_as(JANE, CONFIG_MAPS).await.refused_with(403, "Forbidden", words);
}

async fn a_user_who_may_not_ask_learns_nothing_about_what_exists(p: &Place) {
    for path in ["/apis/{group}/v1/namespaces/{ns}/things", "/api/v1/namespaces/{ns}/configmaps/none"] {
        assert_eq!(p.get_as(JANE, path).await.code, 403, "{path}");
    }
    let garbage = p.ask("POST", CONFIG_MAPS).header("Impersonate-User", "jane").text("text/html", "<html>");
    assert_eq!(garbage.send().await.code, 403);
}

async fn create_by_put_needs_the_right_to_create(p: &Place) {
    p.allow("r", user(JANE), json!([rule("coordination.k8s.io", "leases", &["get", "update"])])).await;
    p.until(404, JANE, "GET", &format!("{LEASES}/a"), None).await.value(404);
    let answer = p.send_as(JANE, "PUT", &format!("{LEASES}/a"), Some(json!({"metadata": {"name": "a"}}))).await;
    answer.refused(
        403,
        "Forbidden",
        "leases.coordination.k8s.io \"a\" is forbidden: User \"{ns}-jane\" cannot create resource \"leases\" in API group \
         \"coordination.k8s.io\" in the namespace \"{ns}\"",
    );
}

async fn create_by_apply_needs_the_right_to_create(p: &Place) {
    p.allow("r", user(JANE), json!([rule("", "configmaps", &["get", "patch"])])).await;
    let path = format!("{CONFIG_MAPS}/a?fieldManager=suite");
    p.until(404, JANE, "GET", &format!("{CONFIG_MAPS}/a"), None).await.value(404);
    let stated = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let apply = async || {
        let ask = p.ask("PATCH", &path).header("Impersonate-User", &p.named(JANE));
        ask.typed("application/apply-patch+yaml", &stated).send().await
    };
    apply().await.refused_with(403, "Forbidden", "configmaps \"a\" is forbidden: User \"{ns}-jane\" cannot create");
    p.config_map("a", json!({})).await;
    apply().await.value(200);
}

/// Lets jane write roles and bindings, with the right to get pods.
async fn let_jane_grant(p: &Place) {
    let group = "rbac.authorization.k8s.io";
    let verbs = ["create", "get", "update", "patch"];
    let rules = json!([rule(group, "roles", &verbs), rule(group, "rolebindings", &verbs), rule("", "pods", &["get"])]);
    p.allow("maker", user(JANE), rules).await;
    p.create(ROLES, role("more", json!([rule("", "nodes", &["get"])]))).await;
    let fits = role("fits", json!([rule("", "pods", &["get"])]));
    p.until(201, JANE, "POST", &format!("{ROLES}?dryRun=All"), Some(fits)).await.value(201);
}

async fn no_user_grants_what_they_do_not_have(p: &Place) {
    let_jane_grant(p).await;
    let more =
        role("new", json!([rule("", "pods", &["get", "delete", "watch"]), rule("apps", "deployments", &["get"])]));
    p.send_as(JANE, "POST", ROLES, Some(more)).await.refused(
        403,
        "Forbidden",
        "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"{ns}-jane\" (groups=[\"system:authenticated\"]) is \
         attempting to grant RBAC permissions not currently held:\n\
         {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\" \"watch\"]}\n\
         {APIGroups:[\"apps\"], Resources:[\"deployments\"], Verbs:[\"get\"]}",
    );
    let wider = json!({"rules": [rule("", "nodes", &["get", "list"])]});
    assert_eq!(p.send_as(JANE, "PATCH", &format!("{ROLES}/more"), Some(wider)).await.code, 403);
    p.send_as(JANE, "PATCH", &format!("{ROLES}/more"), Some(json!({"rules": []}))).await.value(200);
}

async fn no_user_binds_what_they_do_not_have(p: &Place) {
    let_jane_grant(p).await;
    let bind =
        async |role: &str| p.send_as(JANE, "POST", BINDINGS, Some(binding("new", "Role", role, user(JANE)))).await;
    bind("more").await.refused_with(
        403,
        "Forbidden",
        "rolebindings.rbac.authorization.k8s.io \"new\" is forbidden: user \"{ns}-jane\" (groups=[\"system:authenticated\"]) is \
         attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\"]}",
    );
    bind("none").await.refused(404, "NotFound", "rolebindings.rbac.authorization.k8s.io \"none\" not found");
    bind("maker").await.value(201);
}

async fn escalate_allows_to_grant_more(p: &Place) {
    let_jane_grant(p).await;
    p.allow("e", user(JANE), json!([rule("rbac.authorization.k8s.io", "roles", &["escalate"])])).await;
    let more = role("new", json!([rule("*", "*", &["*"])]));
    p.until(201, JANE, "POST", ROLES, Some(more)).await.value(201);
}

async fn bind_allows_to_bind_more(p: &Place) {
    let_jane_grant(p).await;
    let mut named = rule("rbac.authorization.k8s.io", "roles", &["bind"]);
    named["resourceNames"] = json!(["more"]);
    p.allow("b", user(JANE), json!([named])).await;
    let body = binding("new", "Role", "more", user(JANE));
    p.until(201, JANE, "POST", BINDINGS, Some(body)).await.value(201);
}

async fn a_bound_role_cannot_be_exchanged(p: &Place) {
    p.create(BINDINGS, binding("b", "ClusterRole", "view", user(JANE))).await;
    let answer = p.merge(&format!("{BINDINGS}/b"), json!({"roleRef": {"name": "edit"}})).await;
    answer.refused_with(422, "Invalid", "\"Name\":\"edit\"}: field is immutable");
}

async fn a_group_without_a_name_is_a_bad_request(p: &Place) {
    let answer = p.ask("GET", CONFIG_MAPS).header("Impersonate-Group", "g").send().await;
    answer.refused_with(400, "BadRequest", "without impersonating a user name");
}

async fn a_review_says_what_is_allowed_and_why(p: &Place) {
    p.allow("r", user(JANE), json!([rule("", "pods", &["get"])])).await;
    let ask = async |verb: &str| {
        let asked = json!({"namespace": "{ns}", "verb": verb, "resource": "pods"});
        p.post(REVIEWS, json!({"spec": {"user": JANE, "resourceAttributes": asked}})).await.value(201)["status"].clone()
    };
    let mut status = ask("get").await;
    for _ in 0..GLANCES {
        if status["allowed"] == true {
            break;
        }
        tokio::time::sleep(GLANCE).await;
        status = ask("get").await;
    }
    let reason = "RBAC: allowed by RoleBinding \"r/{ns}\" of Role \"r\" to User \"{ns}-jane\"";
    assert_eq!(status, json!({"allowed": true, "reason": p.named(reason)}));
    assert_eq!(ask("list").await, json!({"allowed": false}));
}

async fn a_self_review_is_about_the_caller(p: &Place) {
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let asked = json!({"spec": {"resourceAttributes": {"namespace": "{ns}", "verb": "get", "resource": "pods"}}});
    assert_eq!(p.post(path, asked.clone()).await.value(201)["status"]["allowed"], true);
    let jane = p.send_as(JANE, "POST", path, Some(asked)).await.value(201);
    assert_eq!(jane["status"], json!({"allowed": false}));
}

async fn a_rules_review_lists_the_rules(p: &Place) {
    p.allow("r", user(JANE), json!([rule("", "pods", &["get"])])).await;
    let asked = json!({"spec": {"namespace": "{ns}"}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let mut rules = Vec::new();
    for _ in 0..GLANCES {
        let review = p.send_as(JANE, "POST", path, Some(asked.clone())).await.value(201);
        assert_eq!(review["status"]["incomplete"], false);
        rules = review["status"]["resourceRules"].as_array().cloned().unwrap_or_default();
        if rules.contains(&rule("", "pods", &["get"])) {
            return;
        }
        tokio::time::sleep(GLANCE).await;
    }
    panic!("the rule is not listed: {rules:?}");
}

async fn a_user_learns_who_they_are(p: &Place) {
    let review = p.send_as("system:serviceaccount:{ns}:robot", "POST", WHOAMI, Some(json!({}))).await.value(201);
    let groups = ["system:serviceaccounts", "system:serviceaccounts:{ns}", "system:authenticated"];
    let groups: Vec<String> = groups.iter().map(|group| p.named(group)).collect();
    let name = p.named("system:serviceaccount:{ns}:robot");
    assert_eq!(review["status"]["userInfo"], json!({"username": name, "groups": groups}));
}

async fn a_token_says_who_an_account_is(p: &Place) {
    p.create(ACCOUNTS, json!({"metadata": {"name": "robot"}})).await;
    let issued = p.post(&format!("{ACCOUNTS}/robot/token"), json!({})).await.value(201);
    let body = json!({"spec": {"token": issued["status"]["token"]}});
    let review = p.post("/apis/authentication.k8s.io/v1/tokenreviews", body).await.value(201);
    assert_eq!(review["status"]["authenticated"], true);
    assert_eq!(review["status"]["user"]["username"], p.named("system:serviceaccount:{ns}:robot"));
}

/// A real server notices a role within a tenth of a second, mostly; on a busy machine it may take as long as its controllers, so
/// a minute is given.
const GLANCE: Duration = Duration::from_millis(50);
const GLANCES: usize = 1_200;
