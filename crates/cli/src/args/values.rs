//! Values of arguments, read from text; what is wrong is named with an example of what is right.

use std::time::Duration;

use pintle_apiserver::AuthorizationMode;

pub(super) fn type_at(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, rust_type)) if !path.is_empty() && !rust_type.is_empty() => {
            Ok((path.to_owned(), rust_type.to_owned()))
        }
        _ => Err(format!("{text:?} is not a path and a type, such as spec.size=u8")),
    }
}

pub(super) fn authorization_mode(text: &str) -> Result<AuthorizationMode, String> {
    match text {
        "AlwaysAllow" => Ok(AuthorizationMode::AlwaysAllow),
        "RBAC" => Ok(AuthorizationMode::Rbac),
        _ => Err(format!("{text:?} is not built into this server; use RBAC or AlwaysAllow")),
    }
}

pub(crate) fn cache_size(text: &str) -> Result<(String, usize), String> {
    let wrong = || format!("{text:?} is not a resource and size, such as pods#1000 or pods=1000");
    let (resource, size) = text.split_once(['#', '=']).ok_or_else(wrong)?;
    Ok((resource.to_owned(), size.parse().map_err(|_| wrong())?))
}

pub(super) fn service_address(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("{text:?} is not a Service and its address, such as my-operator/webhook=127.0.0.1:9443");
    let (service, address) = text.split_once('=').ok_or_else(wrong)?;
    let has_name = service.split_once('/').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    let has_port = address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if has_name && has_port { Ok((service.to_owned(), address.to_owned())) } else { Err(wrong()) }
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a number of seconds, such as 10 or 0.5");
    let number: f64 = text.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number).map_err(|_| wrong())
}
