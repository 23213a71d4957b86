//! `/`: every path that leads to something else, and the two that name the issuer of service account tokens.

use http::Response;
use serde_json::{Value, json};

use super::Group;
use crate::registry::core::service_accounts::token::{ALGORITHM, ISSUER};
use crate::request::health_checks;
use crate::response;
use crate::response::body::Body;

/// The answer, if the path is one of these.
pub(super) fn answer(path: &str, groups: impl FnOnce() -> Vec<Group>) -> Option<Response<Body>> {
    let path = if path == "/" { path } else { path.strip_suffix('/').unwrap_or(path) };
    Some(response::value(&match path {
        "/" | "/index.html" => json!({"paths": index(&groups())}),
        OPENID_CONFIGURATION => json!({
            "issuer": ISSUER,
            "jwks_uri": format!("{ISSUER}{OPENID_KEYS}"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
        }),
        // Its key is not public: only this server recognises its tokens, and a TokenReview asks it.
        OPENID_KEYS => json!({"keys": []}),
        _ => return None,
    }))
}

fn index(groups: &[Group]) -> Vec<Value> {
    let own = ["/api", "/api/v1", "/apis", "/apis/", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"];
    let mut paths: Vec<String> = own.iter().map(|path| (*path).to_owned()).collect();
    for endpoint in health_checks::ENDPOINTS {
        paths.push(format!("/{endpoint}"));
        paths.extend(health_checks::of(endpoint).map(|check| format!("/{endpoint}/{check}")));
    }
    paths.extend([OPENID_CONFIGURATION.to_owned(), OPENID_KEYS.to_owned()]);
    for group in groups.iter().filter(|group| !group.name.is_empty()) {
        paths.push(format!("/apis/{}", group.name));
        paths.extend(group.versions.iter().map(|(version, _)| format!("/apis/{}/{version}", group.name)));
    }
    paths.sort();
    paths.into_iter().map(Value::from).collect()
}

const OPENID_CONFIGURATION: &str = "/.well-known/openid-configuration";
const OPENID_KEYS: &str = "/openid/v1/jwks";
