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

/// How many rounds are a loop here.
const ROUNDS_MAX: u32 = 10;

/// Plays rounds of the object `a`.
struct Play {
    detector: LoopDetector,
    version: u64,
    now: Instant,
    reports: Vec<LoopReport>,
}

impl Play {
    fn new() -> Self {
        let mut play = Self { detector: LoopDetector::default(), version: 0, now: Instant::now(), reports: Vec::new() };
        play.round(&json!({"status": {"step": "first"}}));
        play
    }

    /// A round that writes `content` into `a`.
    fn round(&mut self, content: &Value) {
        self.detector.started(ROUNDS_MAX, self.now);
        self.version += 1;
        let report = self.detector.ended(&key("a"), &[write("a", self.version, content)], ROUNDS_MAX, self.now);
        self.reports.extend(report);
    }

    fn quiet_round(&mut self) {
        self.detector.started(ROUNDS_MAX, self.now);
        assert_eq!(self.detector.ended(&key("a"), &[], ROUNDS_MAX, self.now), None);
    }

    /// The watch shows what the last round wrote.
    fn echo(&mut self) {
        self.detector.woken(Some(origin("a", self.version)), self.now);
    }

    /// Another writer changes `name`.
    fn other(&mut self, name: &str) {
        self.version += 1;
        self.detector.woken(Some(origin(name, self.version)), self.now);
    }

    fn pause(&self) -> Option<Duration> {
        self.detector.pause(self.now).map(|until| until - self.now)
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
    assert_eq!(play.pause(), Some(Duration::from_secs(300)));
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
    play.detector.woken(None, play.now);
    assert_eq!(play.pause(), None, "it was woken from outside");
}

#[test]
fn steps_that_end_are_not_a_loop() {
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
fn progress_of_other_objects_is_not_a_loop() {
    let mut play = Play::new();
    for progress in 0..100 {
        play.echo();
        play.other("child");
        play.round(&json!({"status": {"ready": progress}}));
    }
    assert_eq!(play.reports.len(), 0);
}

#[test]
fn changes_by_others_to_what_was_written_are_not_a_fight_unless_the_same_is_written_again() {
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
        if let Some(objects) = play.detector.started(ROUNDS_MAX, play.now) {
            let theirs = managed("autoscaler", &json!({"spec": {"replicas": 5}}));
            for object in objects {
                play.detector.show(object, theirs.to_string().into());
            }
        }
        play.version += 1;
        let mut mine = write("a", play.version, &json!({}));
        mine.body = Some(managed("me", &json!({"spec": {"replicas": 3}})).to_string().into());
        mine.manager = Some("me".into());
        let report = play.detector.ended(&key("a"), &[mine], ROUNDS_MAX, play.now);
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
        play.detector.started(ROUNDS_MAX, play.now);
        let made = format!("child-{round}");
        play.version += 1;
        let report = play.detector.ended(&key("a"), &[write(&made, play.version, &json!({}))], ROUNDS_MAX, play.now);
        play.reports.extend(report);
        play.detector.woken(Some(origin(&made, play.version)), play.now);
    }
    let found: Vec<_> = play.reports.iter().map(|report| (&report.cause, &report.written)).collect();
    assert_eq!(found, [(&LoopCause::Replaces, &None)]);
}

#[test]
fn of_several_objects_that_are_written_each_time_the_first_is_reported() {
    for _ in 0..20 {
        let mut play = Play::new();
        for round in 0..20 {
            play.detector.started(ROUNDS_MAX, play.now);
            play.version += 1;
            let writes = ["d", "c", "b"].map(|name| write(name, play.version, &json!({"status": {"at": round}})));
            let report = play.detector.ended(&key("a"), &writes, ROUNDS_MAX, play.now);
            play.reports.extend(report);
            for name in ["d", "c", "b"] {
                play.detector.woken(Some(origin(name, play.version)), play.now);
            }
        }
        let reported: Vec<_> = play.reports.iter().map(|report| report.written.clone()).collect();
        assert_eq!(reported, [Some(key("b"))]);
    }
}

#[test]
fn what_is_at_rest_is_not_remembered() {
    let mut play = Play::new();
    assert!(!play.detector.is_at_rest(play.now), "what it wrote may be undone");
    play.echo();
    play.quiet_round();
    assert!(!play.detector.is_at_rest(play.now));
    play.quiet_round();
    assert!(play.detector.is_at_rest(play.now), "something else woke it, and it wrote nothing");
    play.round(&json!({}));
    play.now += MEMORY;
    assert!(play.detector.is_at_rest(play.now), "though it wrote");
    play.echo();
    assert_eq!((play.detector.echoes, play.detector.marks.iter().flatten().count()), (0, 0));
}

#[test]
fn the_bodies_of_suspects_are_kept_only_while_a_loop_is_suspected() {
    let mut play = Play::new();
    for round in 0..9 {
        play.echo();
        play.round(&json!({"status": {"at": round}}));
        assert!(play.detector.take_cleared().is_empty(), "round {round}");
    }
    assert_eq!(play.detector.suspects.len(), 1, "it was asked for");
    play.echo();
    play.quiet_round();
    assert_eq!(play.detector.take_cleared().len(), 1, "it converged");
    assert!(play.detector.suspects.is_empty());
}
