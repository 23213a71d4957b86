//! Many servers at one address, and the requests that make them.

use std::time::Duration;

use pintle_apiserver::{ServeOptions, Server};
use serde_json::{Value, json};

use super::socket::{Events, Socket, request};

const MAPS: &str = "api/v1/namespaces/default/configmaps";

async fn serve(server: &Server, most: usize) -> Socket {
    Socket::serve(server, ServeOptions::new().workspaces(most, None).admin(None)).await
}

/// Makes a workspace; its name, and what its creation was answered with.
async fn make(socket: &Socket, asked: Value) -> Value {
    let (code, made) = socket.ask("POST", "/pintle/v1/workspaces", socket.token(), &asked).await;
    assert_eq!(code, 201, "{made}");
    made
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

#[tokio::test]
async fn a_workspace_begins_with_what_the_server_has_and_goes_its_own_way() {
    let server = Server::new();
    let socket = serve(&server, 10).await;
    socket.ask("POST", &format!("/{MAPS}"), socket.token(), &map("shared")).await;
    let a = make(&socket, json!({"name": "a"})).await;
    let b = make(&socket, json!({})).await;
    let of_b = format!("/workspaces/{}", text(&b, "name"));
    let (code, _) = socket.ask("POST", &format!("/workspaces/a/{MAPS}"), text(&a, "token"), &map("own")).await;
    assert_eq!(code, 201);
    for (path, token, expected) in [
        (format!("/workspaces/a/{MAPS}/shared"), text(&a, "token"), 200),
        (format!("/workspaces/a/{MAPS}/own"), text(&a, "token"), 200),
        (format!("{of_b}/{MAPS}/own"), text(&b, "token"), 404),
        (format!("/{MAPS}/own"), socket.token(), 404),
    ] {
        assert_eq!(socket.ask("GET", &path, token, &Value::Null).await.0, expected, "{path}");
    }
    // One that is forked from another begins with what that has.
    let c = make(&socket, json!({"name": "c", "from": "a"})).await;
    let path = format!("/workspaces/c/{MAPS}/own");
    assert_eq!(socket.ask("GET", &path, text(&c, "token"), &Value::Null).await.0, 200);
}

#[tokio::test]
async fn no_credential_of_one_server_is_known_to_another() {
    let server = Server::new();
    let socket = serve(&server, 10).await;
    let (a, b) = (make(&socket, json!({"name": "a"})).await, make(&socket, json!({"name": "b"})).await);
    // The accounts have the same uids everywhere; their tokens are signed by different keys all the same.
    let account = "api/v1/namespaces/default/serviceaccounts/default/token";
    let asked = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let (_, issued) = socket.ask("POST", &format!("/workspaces/a/{account}"), text(&a, "token"), &asked).await;
    let account_token = text(&issued["status"], "token");
    for (token, opens) in [(socket.token(), ""), (text(&a, "token"), "/workspaces/a"), (account_token, "/workspaces/a")]
    {
        for prefix in ["", "/workspaces/a", "/workspaces/b"] {
            let (code, _) = socket.ask("GET", &format!("{prefix}/{MAPS}/kube-root-ca.crt"), token, &Value::Null).await;
            assert_eq!(code, if prefix == opens { 200 } else { 401 }, "{prefix} with the token of {opens:?}");
        }
    }
    let admin = |workspace: &Value| text(workspace, "adminToken").to_owned();
    for (token, opened) in [
        (socket.admin_token(), ["", "/workspaces/a", "/workspaces/b"].as_slice()),
        (admin(&a), &["/workspaces/a"]),
        (admin(&b), &["/workspaces/b"]),
        (text(&a, "token").to_owned(), &[]),
        (String::new(), &[]),
    ] {
        for prefix in ["", "/workspaces/a", "/workspaces/b"] {
            let (code, said) = socket.ask("GET", &format!("{prefix}/pintle/v1/state"), &token, &Value::Null).await;
            assert_eq!(code, if opened.contains(&prefix) { 200 } else { 401 }, "{prefix}: {said}");
        }
    }
}

#[tokio::test]
async fn workspaces_are_listed_and_dropped_and_their_watches_end() {
    let server = Server::new();
    let socket = serve(&server, 10).await;
    let a = make(&socket, json!({"name": "a"})).await;
    make(&socket, json!({"name": "b", "ttlSeconds": 3600})).await;
    let (_, listed) = socket.ask("GET", "/pintle/v1/workspaces", socket.token(), &Value::Null).await;
    let names: Vec<&str> = listed["workspaces"].as_array().unwrap().iter().map(|one| text(one, "name")).collect();
    assert_eq!((names, &listed["most"]), (vec!["a", "b"], &json!(10)));
    assert!(!listed.to_string().contains(text(&a, "token")), "secrets are shown once");
    assert!(listed["workspaces"][0]["expires"].is_null() && listed["workspaces"][1]["expires"].is_string());
    let path = format!("/workspaces/a/{MAPS}?watch=1&fieldSelector=metadata.name%3Dnone");
    let mut watch = socket.begin(&path, text(&a, "token")).await;
    let (code, dropped) = socket.ask("DELETE", "/pintle/v1/workspaces/a", socket.token(), &Value::Null).await;
    assert_eq!((code, text(&dropped, "name")), (200, "a"));
    assert_eq!(watch.next().await, None);
    let (code, said) = socket.ask("GET", "/workspaces/a/version", text(&a, "token"), &Value::Null).await;
    assert_eq!((code, &said["kind"], &said["reason"]), (404, &json!("Status"), &json!("NotFound")));
    let message = text(&said, "message");
    assert!(
        message.contains("no workspace \"a\"") && message.contains("POST {\"name\": \"a\"} to /pintle/v1/workspaces")
    );
}

#[tokio::test]
async fn a_workspace_whose_time_is_over_is_gone() {
    let server = Server::new();
    let options = ServeOptions::new().workspaces(1, Some(Duration::from_millis(1)));
    let socket = Socket::serve(&server, options).await;
    let made = make(&socket, json!({"name": "a", "ttlSeconds": 0.2})).await;
    let path = format!("/workspaces/a/{MAPS}?watch=1&fieldSelector=metadata.name%3Dnone");
    let mut watch = socket.begin(&path, text(&made, "token")).await;
    assert_eq!(watch.next().await, None, "its watches end with it");
    // The only place is free again, also for one of the same name.
    make(&socket, json!({"name": "a", "ttlSeconds": 3600})).await;
}

#[tokio::test]
async fn what_is_wrong_with_a_workspace_is_said() {
    let server = Server::new();
    let socket = serve(&server, 1).await;
    let jane = socket.serving.token_for("jane", &["developers"]);
    let pintle_apiserver::Credential::Token(jane) = jane else { panic!("it is a token") };
    let jane = secrecy::ExposeSecret::expose_secret(&jane);
    let own = socket.token();
    for (token, asked, code, said) in [
        (own, json!({"name": "No"}), 422, "name: Invalid value: \"No\": a lowercase RFC 1123 label"),
        (
            own,
            json!({"nam": "a"}),
            422,
            "nam: Forbidden: there is no such field here; those that there are: from, name, ttlSeconds",
        ),
        (own, json!({"ttlSeconds": -1}), 422, "ttlSeconds: Invalid value: -1: must be a number of seconds"),
        (own, json!(["a"]), 400, "the body is a list"),
        (own, json!({"from": "nowhere"}), 404, "there is no workspace \"nowhere\""),
        (jane, json!({}), 403, "user \"jane\" is not in the group \"system:masters\""),
        ("wrong", json!({}), 401, "the token of the server's kubeconfig"),
        (own, json!({"name": "a"}), 201, ""),
        (own, json!({"name": "a"}), 409, "the workspace \"a\" already exists"),
        (own, json!({"name": "b"}), 403, "as many as there may be: drop one, or start with --workspaces=NUMBER"),
    ] {
        let (found, answer) = socket.ask("POST", "/pintle/v1/workspaces", token, &asked).await;
        assert_eq!(found, code, "{asked}: {answer}");
        assert!(answer["message"].as_str().unwrap_or_default().contains(said), "{asked}: {answer}");
    }
    let (code, said) = socket.ask("PUT", "/pintle/v1/workspaces", own, &json!({})).await;
    assert!(code == 405 && text(&said, "message").contains("DELETE /pintle/v1/workspaces/NAME"), "{said}");
    assert_eq!(socket.ask("GET", "/workspaces", own, &Value::Null).await.0, 404);
}

#[tokio::test]
async fn without_the_options_there_are_no_such_paths() {
    let socket = Socket::serve(&Server::new(), ServeOptions::new()).await;
    for path in ["/pintle/v1", "/pintle/v1/workspaces", "/workspaces/a/version"] {
        let (_, nowhere) = socket.ask("GET", "/nowhere", socket.token(), &Value::Null).await;
        let (code, said) = socket.ask("GET", path, socket.token(), &Value::Null).await;
        assert_eq!((code, &said["paths"]), (404, &nowhere["paths"]), "{path}");
    }
}

#[tokio::test]
async fn behind_its_path_a_workspace_answers_as_any_server() {
    let server = Server::new();
    let socket = serve(&server, 1).await;
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    socket.ask("POST", "/api/v1/namespaces/default/pods", socket.token(), &pod).await;
    let made = make(&socket, json!({"name": "a"})).await;
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/version"),
        ("GET", "/api"),
        ("GET", "/apis"),
        ("GET", "/openapi/v3/api/v1"),
        ("GET", "/api/v1/namespaces/default/pods?limit=1"),
        ("GET", "/api/v1/namespaces/default/pods/p/log"),
        ("POST", "/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true"),
        ("GET", "/api/v1/namespaces/default/services/none/proxy/"),
        ("GET", "/apis/nowhere/v1/x"),
        ("PUT", "/api/v1/namespaces/default/pods/p"),
    ] {
        let expected = socket.ask(method, path, socket.token(), &Value::Null).await;
        let found = socket.ask(method, &format!("/workspaces/a{path}"), text(&made, "token"), &Value::Null).await;
        assert_eq!(found, expected, "{method} {path}");
    }
    // What a client asks for next is named from the root of the host: an older client-go adds nothing to it.
    let index = "/workspaces/a/openapi/v3";
    let (_, documents) = socket.ask("GET", index, text(&made, "token"), &Value::Null).await;
    let url = text(&documents["paths"]["api/v1"], "serverRelativeURL").to_owned();
    assert!(url.starts_with("/workspaces/a/openapi/v3/api/v1?hash="), "{url}");
    assert_eq!(socket.ask("GET", &url, text(&made, "token"), &Value::Null).await.0, 200);
}

#[tokio::test]
async fn one_connection_of_http2_carries_many_workspaces_and_their_watches() {
    let server = Server::new();
    let socket = serve(&server, 2).await;
    let (a, b) = (make(&socket, json!({"name": "a"})).await, make(&socket, json!({"name": "b"})).await);
    let mut connection = socket.http2().await;
    let mut watches = Vec::new();
    for (name, made) in [("a", &a), ("b", &b)] {
        let path = format!("http://x/workspaces/{name}/{MAPS}?watch=1&fieldSelector=metadata.name%3Dm");
        let mut asked = request("GET", &path, text(made, "token"), &Value::Null);
        asked.headers_mut().remove("host");
        let response = connection.send_request(asked).await.unwrap();
        assert_eq!((response.status().as_u16(), response.version()), (200, http::Version::HTTP_2));
        watches.push(Events::of(response.into_body()));
    }
    for (at, (name, made)) in [("a", &a), ("b", &b)].into_iter().enumerate() {
        let object = json!({"metadata": {"name": "m"}, "data": {"of": name}});
        socket.ask("POST", &format!("/workspaces/{name}/{MAPS}"), text(made, "token"), &object).await;
        let event = watches[at].next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["data"]["of"]), (&json!("ADDED"), &json!(name)));
    }
}
