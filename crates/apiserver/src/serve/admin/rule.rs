//! Rules of faults as JSON: which requests, and what happens to them.
//!
//! In: the fields `requests` and `fault` of a body. Out: [`Requests`] and a [`Fault`]. Every field belongs to one type of fault; one
//! that belongs to another is refused.

use pintle_core::response::{Status, StatusDetails};

use super::fields::Fields;
use crate::faults::{Fault, Requests};
use crate::response::status::Answer;

/// Which requests, and how often; all of them where nothing is said.
pub(super) fn requests(mut fields: Fields) -> Answer<Requests> {
    let verb = fields.text("verb")?.unwrap_or_else(|| "all".to_owned());
    let requests = match verb.as_str() {
        "all" => Requests::all(),
        "read" => Requests::reads(),
        "write" => Requests::writes(),
        "get" => Requests::gets(),
        "list" => Requests::lists(),
        "watch" => Requests::watches(),
        "create" => Requests::creates(),
        "update" => Requests::updates(),
        "patch" => Requests::patches(),
        "delete" => Requests::deletes(),
        other => return Err(fields.none_of("verb", other, &VERBS)),
    };
    let mut requests = narrowed(&mut fields, requests)?;
    let (skip, times, nth) = (fields.number("skip")?, fields.number("times")?, fields.number("nth")?);
    if nth.is_some() && (skip.is_some() || times.is_some()) {
        return Err(fields.forbidden("nth", "it says what skip and times say together; use either"));
    }
    if let Some(skip) = skip {
        requests = requests.skip(skip);
    }
    if let Some(times) = times {
        requests = requests.times(times);
    }
    if let Some(nth) = nth {
        if nth == 0 {
            return Err(fields.forbidden("nth", "requests are counted from 1"));
        }
        requests = requests.nth(nth);
    }
    if let Some(chance) = fields.chance("chance")? {
        requests = requests.with_chance(chance);
    }
    fields.finish()?;
    Ok(requests)
}

/// The open watches that are meant.
pub(super) fn watches(mut fields: Fields) -> Answer<Requests> {
    let requests = narrowed(&mut fields, Requests::watches())?;
    fields.finish()?;
    Ok(requests)
}

/// What narrows requests down to those with a text in one place.
type Limit = fn(Requests, String) -> Requests;

fn narrowed(fields: &mut Fields, mut requests: Requests) -> Answer<Requests> {
    if let Some(resource) = fields.text("resource")? {
        // As kubectl has it: deployments.apps.
        let (plural, group) =
            resource.split_once('.').map_or((&*resource, None), |(plural, group)| (plural, Some(group)));
        requests = requests.of(plural);
        if let Some(group) = group {
            requests = requests.group(group);
        }
    }
    let limits: [(&'static str, Limit); 5] = [
        ("group", Requests::group),
        ("namespace", Requests::within),
        ("name", Requests::named),
        ("subresource", Requests::subresource),
        ("pathPrefix", Requests::below),
    ];
    for (name, limit) in limits {
        if let Some(value) = fields.text(name)? {
            requests = limit(requests, value);
        }
    }
    Ok(requests)
}

/// What happens to them.
pub(super) fn fault(mut fields: Fields) -> Answer<Fault> {
    let kind = fields.text("type")?;
    let kind = fields.required("type", kind, "which fault it is")?;
    let fault = match kind.as_str() {
        "delay" => Fault::Delay(seconds(&mut fields)?),
        "hang" => Fault::Hang,
        "lostRequest" => Fault::LostRequest,
        "lostResponse" => Fault::LostResponse,
        "answer" => Fault::Answer(status(&mut fields)?),
        "stale" => Fault::Stale { behind: number(&mut fields, "behind", "how many revisions ago it answers from")? },
        "truncate" => Fault::Truncate { at: count(&mut fields, "at", "how many bytes arrive")? },
        "undecodable" => Fault::Undecodable { nth: fields.count("nth")?.unwrap_or_default() },
        "cut" => Fault::Cut { after: after(&mut fields)? },
        "break" => Fault::Break { after: after(&mut fields)? },
        "stall" => Fault::Stall { after: after(&mut fields)? },
        "expire" => Fault::Expire { after: after(&mut fields)? },
        "errorEvent" => Fault::ErrorEvent { after: after(&mut fields)?, status: status(&mut fields)? },
        "slowEvents" => Fault::SlowEvents(seconds(&mut fields)?),
        "noBookmarks" => Fault::NoBookmarks,
        "noEndBookmark" => Fault::NoEndBookmark,
        "streamingListRefused" => Fault::StreamingListRefused,
        "streamingListIgnored" => Fault::StreamingListIgnored,
        "jsonOnly" => Fault::JsonOnly,
        "legacyDiscovery" => Fault::LegacyDiscovery,
        other => return Err(fields.none_of("type", other, &FAULTS)),
    };
    fields.finish()?;
    Ok(fault)
}

/// A Status: what is usually said with its code, unless the fields say otherwise.
fn status(fields: &mut Fields) -> Answer<Box<Status>> {
    let code = fields.code("code")?;
    let code = fields.required("code", code, "the code of the answer, such as 409")?;
    let usual = match code {
        403 => Fault::forbidden(),
        409 => Fault::conflict(),
        410 => Fault::gone(),
        429 => Fault::too_many_requests(None),
        500 => Fault::internal_error(),
        503 => Fault::unavailable(None),
        504 => Fault::timeout(),
        _ => Fault::Answer(Box::new(Status::failure("a fault", "").with_code(code))),
    };
    let Fault::Answer(mut status) = usual else { unreachable!("each of them is an answer") };
    if let Some(reason) = fields.text("reason")? {
        status.reason = reason;
    }
    if let Some(message) = fields.text("message")? {
        status.message = message;
    }
    if let Some(wait) = fields.number("retryAfterSeconds")? {
        let retry_after_seconds = u32::try_from(wait).unwrap_or(u32::MAX);
        status.details = Some(StatusDetails { retry_after_seconds, ..status.details.take().unwrap_or_default() });
    }
    Ok(status)
}

fn after(fields: &mut Fields) -> Answer<usize> {
    Ok(fields.count("after")?.unwrap_or_default())
}

fn seconds(fields: &mut Fields) -> Answer<std::time::Duration> {
    let time = fields.seconds("seconds")?;
    fields.required("seconds", time, "how long")
}

fn number(fields: &mut Fields, name: &'static str, why: &str) -> Answer<u64> {
    let number = fields.number(name)?;
    fields.required(name, number, why)
}

fn count(fields: &mut Fields, name: &'static str, why: &str) -> Answer<usize> {
    let count = fields.count(name)?;
    fields.required(name, count, why)
}

const VERBS: [&str; 10] = ["all", "read", "write", "get", "list", "watch", "create", "update", "patch", "delete"];

/// Every type of fault.
const FAULTS: [&str; 20] = [
    "delay",
    "hang",
    "lostRequest",
    "lostResponse",
    "answer",
    "stale",
    "truncate",
    "undecodable",
    "cut",
    "break",
    "stall",
    "expire",
    "errorEvent",
    "slowEvents",
    "noBookmarks",
    "noEndBookmark",
    "streamingListRefused",
    "streamingListIgnored",
    "jsonOnly",
    "legacyDiscovery",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read<T>(value: &serde_json::Value, read: fn(Fields) -> Answer<T>) -> Result<T, String> {
        let fields = Fields::read("Rule", value.to_string().as_bytes()).map_err(|refusal| refusal.message.clone())?;
        read(fields).map_err(|refusal| refusal.message.clone())
    }

    #[test]
    fn every_type_of_fault_is_read_with_the_fields_it_needs() {
        let every = json!({"seconds": 1, "code": 409, "behind": 1, "at": 1});
        for kind in FAULTS {
            let wanted: &[&str] = match kind {
                "delay" | "slowEvents" => &["seconds"],
                "answer" | "errorEvent" => &["code"],
                "stale" => &["behind"],
                "truncate" => &["at"],
                _ => &[],
            };
            let mut body = json!({"type": kind});
            for name in wanted {
                let missing = read(&body, fault).unwrap_err();
                assert!(missing.contains(&format!("{name}: Required value")), "{kind}: {missing}");
                body[*name] = every[*name].clone();
            }
            assert!(read(&body, fault).is_ok(), "{kind}");
            body["surprise"] = json!(1);
            assert!(read(&body, fault).unwrap_err().contains("surprise: Forbidden: there is no such field"), "{kind}");
        }
    }

    #[test]
    fn an_answer_says_what_is_usually_said_with_its_code() {
        let Ok(Fault::Answer(status)) = read(&json!({"type": "answer", "code": 409}), fault) else { panic!() };
        assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
        let body = json!({"type": "answer", "code": 429, "retryAfterSeconds": 3, "message": "m"});
        let Ok(Fault::Answer(status)) = read(&body, fault) else { panic!() };
        let wait = status.details.as_ref().map(|details| details.retry_after_seconds);
        assert_eq!((status.message.as_str(), status.reason.as_str(), wait), ("m", "TooManyRequests", Some(3)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (body, said) in [
            (json!({"verb": "glance"}), "verb: Unsupported value: \"glance\": supported values: \"all\", \"read\""),
            (json!({"times": "3"}), "times: Invalid value: \"3\": must be a whole number from 0"),
            (json!({"chance": 1.5}), "chance: Invalid value: 1.5: must be a number from 0 to 1"),
            (json!({"nth": 2, "times": 1}), "nth: Forbidden: it says what skip and times say together"),
            (json!({"nth": 0}), "nth: Forbidden: requests are counted from 1"),
            (json!({"tims": 3}), "tims: Forbidden: there is no such field here; those that there are: verb, resource"),
        ] {
            let message = read(&body, requests).unwrap_err();
            assert!(message.contains(said), "{body}: {message}");
        }
    }
}
