use super::*;
use pintle_core::call::Target;
use serde_json::{Value, json};

fn key(name: &str) -> Key {
    Key { namespace: Some("ns".into()), name: name.into() }
}

fn kind() -> Arc<ApiResource> {
    Arc::new(ApiResource {
        group: "example.com".into(),
        version: "v1".into(),
        api_version: "example.com/v1".into(),
        kind: "Document".into(),
        plural: "documents".into(),
    })
}

fn origin(name: &str, version: u64) -> Origin {
    Origin { kind: kind(), key: key(name), state: State::Version(version) }
}

/// A write to a document, as the client notes it.
fn write(name: &str, version: u64, content: &Value) -> Write {
    let mut body = json!({"metadata": {"name": name, "resourceVersion": version.to_string()}});
    body.as_object_mut().expect("it is one").extend(content.as_object().cloned().unwrap_or_default());
    let target = Target {
        group: "example.com".into(),
        version: "v1".into(),
        plural: "documents".into(),
        namespace: Some("ns".into()),
        name: Some(name.into()),
        subresource: None,
    };
    Write::new(target, "uid".into(), Effect::Stored(version.to_string()), Some(body.to_string().into()))
}

/// Plays rounds of the object `a`.
struct Play {
    guard: Guard,
    version: u64,
    now: Instant,
    reports: Vec<LoopReport>,
}

impl Play {
    fn new() -> Self {
        let mut play = Self { guard: Guard::new(Some(10)), version: 0, now: Instant::now(), reports: Vec::new() };
        play.round(&json!({"status": {"step": "first"}}));
        play
    }

    /// A round that writes `content` into `a`.
    fn round(&mut self, content: &Value) {
        self.guard.started(&key("a"), self.now);
        self.version += 1;
        let report = self.guard.ended(&key("a"), &[write("a", self.version, content)], self.now);
        self.reports.extend(report);
    }

    fn quiet_round(&mut self) {
        self.guard.started(&key("a"), self.now);
        assert_eq!(self.guard.ended(&key("a"), &[], self.now), None);
    }

    /// The watch tells of what the last round wrote.
    fn echo(&mut self) {
        self.guard.woken(&key("a"), Some(origin("a", self.version)));
    }

    /// Somebody else changes `name`.
    fn other(&mut self, name: &str) {
        self.version += 1;
        self.guard.woken(&key("a"), Some(origin(name, self.version)));
    }

    fn pause(&self) -> Option<Duration> {
        self.guard.pause(&key("a"), self.now).map(|until| until - self.now)
    }
}

#[test]
fn an_object_that_writes_the_time_is_found_once_with_the_field_and_slowed_down() {
    let mut play = Play::new();
    for round in 0..30 {
        play.echo();
        assert_eq!(play.pause().is_some(), round > 9, "round {round}");
        play.round(&json!({"status": {"lastUpdated": format!("secret {round}"), "same": true}}));
    }
    assert_eq!(play.reports.len(), 1);
    assert_eq!(play.reports[0].cause, LoopCause::Changes(vec!["status.lastUpdated".into()]));
    let text = play.reports[0].to_string();
    assert_eq!(text, "each reconcile writes something else into status.lastUpdated of documents.example.com ns/a");
    play.echo();
    assert_eq!(play.pause(), Some(WAIT_MAX));
}

#[test]
fn what_else_wakes_it_is_not_slowed_down() {
    let mut play = Play::new();
    for round in 0..20 {
        play.echo();
        play.round(&json!({"status": {"at": round}}));
    }
    play.echo();
    assert!(play.pause().is_some());
    play.other("b");
    assert_eq!(play.pause(), None, "another object");
    play.round(&json!({"status": {"at": "again"}}));
    play.echo();
    assert!(play.pause().is_some(), "it is still the one that loops");
    play.guard.woken(&key("a"), None);
    assert_eq!(play.pause(), None, "somebody called");
}

#[test]
fn steps_that_end_are_no_loop() {
    let mut play = Play::new();
    for _ in 0..20 {
        for step in 0..8 {
            play.echo();
            play.round(&json!({"status": {"step": step}}));
        }
        play.echo();
        play.quiet_round();
    }
    assert_eq!((play.reports.len(), play.pause()), (0, None));
}

#[test]
fn progress_of_other_objects_is_no_loop() {
    let mut play = Play::new();
    for progress in 0..100 {
        play.echo();
        play.other("child");
        play.round(&json!({"status": {"ready": progress}}));
    }
    assert_eq!(play.reports.len(), 0);
}

#[test]
fn changes_by_others_to_what_was_written_are_no_fight_unless_the_same_is_written_again() {
    let mut play = Play::new();
    for progress in 0..100 {
        play.other("a");
        play.round(&json!({"spec": {"progress": progress}}));
    }
    assert_eq!(play.reports.len(), 0);
}

fn managed(manager: &str, content: &Value) -> Value {
    let fields = json!([{"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}}]);
    let mut object = json!({"metadata": {"name": "a", "managedFields": fields}});
    object.as_object_mut().expect("it is one").extend(content.as_object().cloned().unwrap_or_default());
    object
}

#[test]
fn a_fight_is_found_with_the_other_field_manager() {
    let mut play = Play::new();
    for _ in 0..20 {
        // The own write comes back first, and there is nothing to do.
        play.echo();
        play.quiet_round();
        play.now += Duration::from_secs(1);
        play.other("a");
        if let Some(objects) = play.guard.started(&key("a"), play.now) {
            let theirs = managed("autoscaler", &json!({"spec": {"replicas": 5}}));
            for object in objects {
                play.guard.show(&key("a"), object, theirs.to_string().into());
            }
        }
        play.version += 1;
        let mut mine = write("a", play.version, &json!({}));
        mine.body = Some(managed("me", &json!({"spec": {"replicas": 3}})).to_string().into());
        mine.manager = Some("me".into());
        let report = play.guard.ended(&key("a"), &[mine], play.now);
        play.reports.extend(report);
    }
    let fields = vec!["spec.replicas".to_owned()];
    let causes: Vec<_> = play.reports.iter().map(|report| report.cause.clone()).collect();
    assert_eq!(causes, [LoopCause::Fights { manager: Some("autoscaler".into()), fields }]);
    play.other("a");
    assert!(play.pause().is_some());
    let text = play.reports[0].to_string();
    assert_eq!(text, "autoscaler undoes what is written to spec.replicas of documents.example.com ns/a");
}

#[test]
fn an_object_that_makes_another_one_each_time_is_found() {
    let mut play = Play::new();
    for round in 0..20 {
        play.guard.started(&key("a"), play.now);
        let made = format!("child-{round}");
        play.version += 1;
        let report = play.guard.ended(&key("a"), &[write(&made, play.version, &json!({}))], play.now);
        play.reports.extend(report);
        play.guard.woken(&key("a"), Some(origin(&made, play.version)));
    }
    let found: Vec<_> = play.reports.iter().map(|report| (&report.cause, &report.written)).collect();
    assert_eq!(found, [(&LoopCause::Replaces, &None)]);
}

#[test]
fn of_several_objects_that_are_written_each_time_the_first_is_told_whoever_asks() {
    for _ in 0..20 {
        let mut play = Play::new();
        for round in 0..20 {
            play.guard.started(&key("a"), play.now);
            play.version += 1;
            let writes = ["d", "c", "b"].map(|name| write(name, play.version, &json!({"status": {"at": round}})));
            let report = play.guard.ended(&key("a"), &writes, play.now);
            play.reports.extend(report);
            for name in ["d", "c", "b"] {
                play.guard.woken(&key("a"), Some(origin(name, play.version)));
            }
        }
        let told: Vec<_> = play.reports.iter().map(|report| report.written.clone()).collect();
        assert_eq!(told, [Some(key("b"))]);
    }
}

#[test]
fn switched_off_it_finds_nothing() {
    let mut play = Play::new();
    play.guard = Guard::new(None);
    for round in 0..100 {
        play.echo();
        play.round(&json!({"status": {"at": round}}));
    }
    assert_eq!((play.reports.len(), play.pause(), play.guard.guarded.len()), (0, None, 0));
}

#[test]
fn what_is_at_rest_or_gone_is_not_remembered() {
    let mut play = Play::new();
    play.echo();
    play.quiet_round();
    play.now += MEMORY;
    play.quiet_round();
    assert!(play.guard.guarded.is_empty());
    play.round(&json!({}));
    play.now += MEMORY;
    play.guard.forget_old(play.now);
    assert!(play.guard.guarded.is_empty(), "though it wrote");
    play.round(&json!({}));
    play.guard.forget(&key("a"));
    assert!(play.guard.guarded.is_empty() && play.guard.told.is_empty());
}
