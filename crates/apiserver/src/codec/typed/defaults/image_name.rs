//! Names of images: `registry.example:5000/team/app:1.2@sha256:…`.
//!
//! In: what a container says. Out: the tag that is meant. A text that does not name an image has none, and neither has a name
//! with a digest alone; the name alone means `latest`.

use std::sync::LazyLock;

use regex::Regex;

/// The tag of an image.
pub(super) fn tag(image: &str) -> Option<&str> {
    let parts = IMAGE.captures(image)?;
    let name = parts.name("name")?.as_str();
    let path = match name.split_once('/') {
        Some((host, path)) if is_host(host) => path,
        _ => name,
    };
    let is_name = PATH.is_match(path) && name.len() <= NAME_BYTES_MAX && !IDENTIFIER.is_match(image);
    let digest = parts.name("digest").map(|digest| digest.as_str());
    if !is_name || digest.is_some_and(|digest| !is_digest(digest)) {
        return None;
    }
    let tag = parts.name("tag").map(|tag| tag.as_str());
    tag.or_else(|| digest.is_none().then_some("latest"))
}

/// Whether the first part of a name is a registry: without a dot, a port or a capital it is part of a path.
fn is_host(part: &str) -> bool {
    let says_so = part.contains(['.', ':']) || part == "localhost" || part.chars().any(char::is_uppercase);
    says_so && HOST.is_match(part)
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hash)) = digest.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hash.len() == length && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

static IMAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?<name>[^@]+?)(:(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@(?<digest>.+))?$"));

static HOST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(:[0-9]+)?$",
    )
});

static PATH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$"));

/// What would be taken for the identifier of an image.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| pattern("^[a-f0-9]{64}$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is written here")
}

/// The longest name that registries take.
const NAME_BYTES_MAX: usize = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_behind_ports_and_before_digests() {
        let digest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        let table = [
            ("app", Some("latest")),
            ("app:1.2", Some("1.2")),
            ("localhost:5000/app", Some("latest")),
            ("registry.example:5000/team/app", Some("latest")),
            ("registry.example:5000/team/app:2", Some("2")),
            (&*format!("app@{digest}"), None),
            (&*format!("app:latest@{digest}"), Some("latest")),
            ("app:latest@sha256:short", None),
            ("App", None),
            ("Team/app", Some("latest")),
            ("", None),
            ("{{ .Image }}", None),
        ];
        for (image, expected) in table {
            assert_eq!(tag(image), expected, "{image}");
        }
    }
}
