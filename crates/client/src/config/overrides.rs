//! kube's variables for trying something out: another user, other groups, another URL.

use super::Config;

impl Config {
    /// Changes the configuration as these variables say. They are for debugging and may change.
    ///
    /// - `KUBE_RS_DEBUG_IMPERSONATE_USER`: the user to act as;
    /// - `KUBE_RS_DEBUG_IMPERSONATE_GROUP`: the groups to act as, with commas between them;
    /// - `KUBE_RS_DEBUG_OVERRIDE_URL`: the URL of the API server, such as that of `kubectl proxy`.
    pub fn apply_debug_overrides(&mut self) {
        self.override_with(|name| std::env::var(name).ok());
    }

    fn override_with(&mut self, variable: impl Fn(&str) -> Option<String>) {
        if let Some(user) = variable("KUBE_RS_DEBUG_IMPERSONATE_USER") {
            self.auth_info.impersonate = Some(user);
        }
        if let Some(groups) = variable("KUBE_RS_DEBUG_IMPERSONATE_GROUP") {
            self.auth_info.impersonate_groups = Some(groups.split(',').map(str::to_owned).collect());
        }
        if let Some(url) = variable("KUBE_RS_DEBUG_OVERRIDE_URL") {
            match url.parse() {
                Ok(url) => self.cluster_url = url,
                Err(_) => overridden_by_no_url(),
            }
        }
    }
}

#[cfg(feature = "client")]
fn overridden_by_no_url() {
    tracing::warn!("KUBE_RS_DEBUG_OVERRIDE_URL is not a URL and was not used");
}

/// Without the client there is nowhere to say it.
#[cfg(not(feature = "client"))]
fn overridden_by_no_url() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_change_user_groups_and_url() {
        let mut config = Config::new("https://host".parse().unwrap());
        config.override_with(|name| {
            Some(
                match name {
                    "KUBE_RS_DEBUG_IMPERSONATE_USER" => "system:serviceaccount:default:foo",
                    "KUBE_RS_DEBUG_IMPERSONATE_GROUP" => "a,b",
                    "KUBE_RS_DEBUG_OVERRIDE_URL" => "http://127.0.0.1:8001",
                    _ => return None,
                }
                .to_owned(),
            )
        });
        assert_eq!(config.cluster_url, "http://127.0.0.1:8001");
        assert_eq!(config.auth_info.impersonate.as_deref(), Some("system:serviceaccount:default:foo"));
        assert_eq!(config.auth_info.impersonate_groups, Some(vec!["a".to_owned(), "b".to_owned()]));
        config.override_with(|name| (name == "KUBE_RS_DEBUG_OVERRIDE_URL").then(|| "not a url".to_owned()));
        assert_eq!(config.cluster_url, "http://127.0.0.1:8001");
    }
}
