//! Every sequence of five inputs, in every configuration, keeps the machine's promises; the rest are single claims.

use super::*;

fn v(number: u64) -> ResourceVersion {
    number.into()
}

type In = Input<u8>;

fn alphabet() -> Vec<In> {
    let mut inputs = vec![
        Input::Begin,
        Input::Item(1),
        Input::PageEnd { resource_version: Some(v(5)), continue_token: None },
        Input::PageEnd { resource_version: Some(v(5)), continue_token: Some("next".into()) },
        Input::PageEnd { resource_version: None, continue_token: None },
        Input::Opened,
        Input::Applied(1, Some(v(7))),
        Input::Deleted(1, Some(v(6))),
        Input::Bookmark { resource_version: v(9), ends_initial_events: false },
        Input::Bookmark { resource_version: v(8), ends_initial_events: true },
        Input::Unreadable(Some(v(7))),
        Input::UnreadableDelete,
        Input::Ended { was_futile: false },
        Input::Ended { was_futile: true },
        Input::Stalled,
    ];
    for fault in [Fault::Gone, Fault::Unknown, Fault::Other] {
        inputs.extend([Input::ListFailed(fault), Input::Refused(fault), Input::ErrorEvent(fault)]);
    }
    inputs
}

fn machines() -> impl Iterator<Item = Machine> {
    let strategies = [InitialListStrategy::ListWatch, InitialListStrategy::StreamingList];
    strategies.into_iter().flat_map(|strategy| {
        [ListSemantic::MostRecent, ListSemantic::Any].map(|semantic| Machine::new(strategy.clone(), semantic))
    })
}

/// What a reader of the outputs knows.
#[derive(Clone, Copy, Default)]
struct Listener {
    is_in_round: bool,
    has_synced: bool,
}

impl Listener {
    fn see(&mut self, output: &Output<u8>) {
        match output {
            Output::Emit(Event::Init) => self.is_in_round = true,
            Output::Emit(Event::InitApply(_)) => assert!(self.is_in_round, "InitApply outside a round"),
            Output::Emit(Event::InitDone) => {
                assert!(self.is_in_round, "InitDone without Init");
                *self = Self { is_in_round: false, has_synced: true };
            }
            Output::Emit(Event::Apply(_) | Event::Delete(_)) => {
                assert!(!self.is_in_round && self.has_synced, "a change within a round");
            }
            Output::Report | Output::Pause => {}
            Output::WentBack => assert!(self.has_synced, "nothing had been seen"),
        }
    }
}

fn version(machine: &Machine) -> Option<u64> {
    match machine.state() {
        State::InitListed { resource_version } | State::Watching { resource_version } => resource_version.number(),
        _ => None,
    }
}

fn walk(machine: &Machine, listener: Listener, depth: usize, inputs: &[In], steps: &mut usize) {
    if depth == 0 {
        return;
    }
    for input in inputs {
        let (mut next, mut listener) = (machine.clone(), listener);
        let outputs = next.on(input.clone());
        *steps += 1;
        outputs.iter().flatten().for_each(|output| listener.see(output));
        let pauses = outputs.contains(&Some(Output::Pause));
        if let (Some(before), Some(after)) = (version(machine), version(&next)) {
            assert!(after >= before, "the version went back on {input:?} in {:?}", machine.state());
        }
        let expires = matches!(
            input,
            Input::ErrorEvent(Fault::Gone | Fault::Unknown)
                | Input::Refused(Fault::Gone | Fault::Unknown)
                | Input::UnreadableDelete
        );
        let repeats = matches!(input, Input::ErrorEvent(Fault::Other))
            && machine.failed_from.as_ref() == machine.resource_version();
        let goes_back = match input {
            Input::Applied(_, Some(next)) | Input::Bookmark { resource_version: next, .. } => {
                version(machine) > next.number()
            }
            _ => false,
        };
        if version(machine).is_some() && next.state() == &State::Empty {
            assert!(expires || repeats || goes_back, "{input:?} forgot everything in {:?}", machine.state());
            assert!(pauses, "a relist without a pause");
        }
        // A change of state that could repeat without news must pause, or it would loop hot.
        if matches!(input, Input::Refused(_)) && version(machine).is_some() && next != *machine {
            assert!(pauses || next.state() == &State::Empty);
        }
        walk(&next, listener, depth - 1, inputs, steps);
    }
}

#[test]
fn every_sequence_of_five_inputs_keeps_the_promises() {
    let inputs = alphabet();
    let mut steps = 0;
    for machine in machines() {
        // The first of the five is Begin, the only one that moves an empty machine.
        let mut begun = machine.clone();
        let mut listener = Listener::default();
        begun.on::<u8>(Input::Begin).iter().flatten().for_each(|output| listener.see(output));
        walk(&begun, listener, 4, &inputs, &mut steps);
        walk(&machine, Listener::default(), 2, &inputs, &mut steps);
    }
    assert!(steps > 1_000_000, "only {steps} steps were walked");
}

fn run(machine: &mut Machine, inputs: impl IntoIterator<Item = In>) -> Vec<Output<u8>> {
    inputs.into_iter().flat_map(|input| machine.on(input)).flatten().collect()
}

fn page_end(continue_token: Option<&str>) -> In {
    Input::PageEnd { resource_version: Some(v(5)), continue_token: continue_token.map(str::to_owned) }
}

fn watching() -> Machine {
    let mut machine = Machine::new(InitialListStrategy::ListWatch, ListSemantic::MostRecent);
    run(&mut machine, [Input::Begin, page_end(None), Input::Opened]);
    machine
}

#[test]
fn a_list_by_pages_goes_through_all_pages() {
    let mut machine = Machine::new(InitialListStrategy::ListWatch, ListSemantic::MostRecent);
    let outputs =
        run(&mut machine, [Input::Begin, Input::Item(1), page_end(Some("t")), Input::Item(2), page_end(None)]);
    assert_eq!(
        outputs,
        [
            Output::Emit(Event::Init),
            Output::Emit(Event::InitApply(1)),
            Output::Emit(Event::InitApply(2)),
            Output::Emit(Event::InitDone)
        ]
    );
    assert_eq!(machine.want(), Want::Watch { resource_version: &v(5) });
}

#[test]
fn a_streaming_list_holds_its_stream() {
    let mut machine = Machine::new(InitialListStrategy::StreamingList, ListSemantic::MostRecent);
    let end = Input::Bookmark { resource_version: v(8), ends_initial_events: true };
    let outputs = run(&mut machine, [Input::Begin, Input::Opened, Input::Applied(1, Some(v(3))), end]);
    assert_eq!(outputs, [Output::Emit(Event::Init), Output::Emit(Event::InitApply(1)), Output::Emit(Event::InitDone)]);
    assert_eq!(machine.state(), &State::InitListed { resource_version: v(8) });
    assert_eq!(run(&mut machine, [Input::Applied(2, Some(v(9)))]), [Output::Emit(Event::Apply(2))]);
    assert_eq!(machine.state(), &State::Watching { resource_version: v(9) });
}

#[test]
fn a_streaming_list_that_fails_is_followed_by_pages_for_that_round() {
    let mut machine = Machine::new(InitialListStrategy::StreamingList, ListSemantic::MostRecent);
    run(&mut machine, [Input::Begin, Input::Refused(Fault::Other), Input::Begin]);
    assert!(matches!(machine.want(), Want::List { .. }));
    run(&mut machine, [page_end(None), Input::Opened, Input::ErrorEvent(Fault::Gone), Input::Begin]);
    assert!(matches!(machine.want(), Want::StreamingList { .. }), "the next round tries again");
}

#[test]
fn a_server_without_streaming_lists_is_remembered() {
    let mut machine = Machine::new(InitialListStrategy::StreamingList, ListSemantic::MostRecent);
    run(&mut machine, [Input::Begin, Input::Stalled, Input::Begin, page_end(None), Input::Opened]);
    run(&mut machine, [Input::ErrorEvent(Fault::Gone), Input::Begin]);
    assert!(matches!(machine.want(), Want::List { .. }));
}

#[test]
fn an_expired_version_relists_in_every_form() {
    for gone in [Input::ErrorEvent(Fault::Gone), Input::Refused(Fault::Gone)] {
        let mut machine = watching();
        if matches!(gone, Input::Refused(_)) {
            run(&mut machine, [Input::Ended { was_futile: false }]);
        }
        assert_eq!(run(&mut machine, [gone]), [Output::Report, Output::Pause]);
        assert_eq!(machine.want(), Want::Begin);
    }
}

#[test]
fn an_error_that_comes_twice_from_one_version_relists() {
    let error = || [Input::Opened, Input::ErrorEvent(Fault::Other)];
    let mut machine = watching();
    run(&mut machine, error());
    assert_eq!(machine.want(), Want::Watch { resource_version: &v(5) }, "the first may be bad luck");
    run(&mut machine, [Input::Opened, Input::Applied(1, Some(v(9)))]);
    run(&mut machine, error());
    assert_eq!(machine.want(), Want::Watch { resource_version: &v(9) }, "there was news in between");
    run(&mut machine, [Input::Opened, Input::Ended { was_futile: false }]);
    assert_eq!(run(&mut machine, error()), [Output::Report, Output::Pause]);
    assert_eq!(machine.want(), Want::Begin);
}

#[test]
fn a_lost_watch_goes_on_from_the_same_version() {
    let mut machine = watching();
    run(&mut machine, [Input::Applied(1, Some(v(9))), Input::Ended { was_futile: false }]);
    assert_eq!(machine.want(), Want::Watch { resource_version: &v(9) });
    assert_eq!(run(&mut machine, [Input::Opened, Input::Ended { was_futile: true }]), [Output::Pause]);
}

#[test]
fn a_version_at_hand_that_is_refused_is_asked_for_afresh_at_once() {
    for fault in [Fault::Gone, Fault::Unknown] {
        let mut machine = Machine::new(InitialListStrategy::ListWatch, ListSemantic::Any);
        let outputs = run(&mut machine, [Input::Begin, Input::ListFailed(fault), Input::Begin]);
        assert_eq!(outputs, [Output::Emit(Event::Init), Output::Emit(Event::Init)], "no pause, no report");
        assert_eq!(machine.want(), Want::List { page: &PageRequest::First, semantic: &ListSemantic::MostRecent });
    }
}

/// client-go does the same: what expired once by pages would expire again.
#[test]
fn pages_whose_version_expires_are_followed_by_everything_at_once() {
    let mut machine = Machine::new(InitialListStrategy::ListWatch, ListSemantic::MostRecent);
    let first = run(&mut machine, [Input::Begin, Input::Item(1), page_end(Some("t")), Input::ListFailed(Fault::Gone)]);
    assert_eq!(first, [Output::Emit(Event::Init), Output::Emit(Event::InitApply(1))], "no pause, no report");
    run(&mut machine, [Input::Begin]);
    let everything = Want::List { page: &PageRequest::Whole, semantic: &ListSemantic::MostRecent };
    assert_eq!(machine.want(), everything);
    assert_eq!(run(&mut machine, [Input::ListFailed(Fault::Gone)]), [Output::Report, Output::Pause]);
    run(&mut machine, [Input::Begin]);
    assert_eq!(machine.want(), everything, "until one is complete");
    run(&mut machine, [page_end(None), Input::Opened, Input::ErrorEvent(Fault::Gone), Input::Begin]);
    assert!(matches!(machine.want(), Want::List { page: PageRequest::First, .. }), "the next round has pages again");
}

#[test]
fn a_delete_that_cannot_be_read_is_found_by_a_list() {
    let mut machine = watching();
    assert_eq!(run(&mut machine, [Input::UnreadableDelete]), [Output::Report, Output::Pause]);
    assert_eq!(machine.want(), Want::Begin);
}

#[test]
fn an_old_version_does_not_turn_the_watch_back() {
    let mut machine = watching();
    run(&mut machine, [Input::Applied(1, Some(v(9))), Input::Deleted(1, Some(v(3)))]);
    assert_eq!(machine.state(), &State::Watching { resource_version: v(9) });
}

#[test]
fn a_version_that_goes_back_is_questioned_by_a_list() {
    let end = |version: u64| Input::PageEnd { resource_version: Some(v(version)), continue_token: None };
    for back in [Input::Applied(1, Some(v(3))), Input::Bookmark { resource_version: v(4), ends_initial_events: false }]
    {
        let mut machine = watching();
        assert_eq!(run(&mut machine, [back.clone()]), [Output::Pause], "nothing is emitted");
        assert_eq!(machine.want(), Want::Begin);
        // A restored cluster: the list is older still.
        let mut restored = machine.clone();
        let outputs = run(&mut restored, [Input::Begin, end(4), Input::Begin, end(4), Input::Opened]);
        assert_eq!(
            outputs,
            [Output::Emit(Event::Init), Output::Emit(Event::Init), Output::Emit(Event::InitDone), Output::WentBack]
        );
        // Versions without order: the list is not older, and from now on they are believed.
        run(&mut machine, [Input::Begin, end(6), Input::Opened]);
        assert!(!run(&mut machine, [back]).contains(&Output::Pause));
        assert_eq!(machine.state(), &State::Watching { resource_version: v(6) });
    }
}

#[test]
fn only_begin_moves_an_empty_machine() {
    for machine in machines() {
        for input in alphabet().into_iter().filter(|input| !matches!(input, Input::Begin)) {
            let mut next = machine.clone();
            assert_eq!(next.on(input.clone()), [None, None], "{input:?}");
            assert_eq!(next, machine, "{input:?}");
        }
    }
}

/// What each input means in each state, written out: what is done, and where it leads.
#[test]
fn every_pair_of_state_and_input_means_what_the_table_says() {
    let mut table = String::new();
    for (name, state) in [
        ("Empty", State::Empty),
        ("InitPage", State::InitPage { page: PageRequest::First }),
        ("LaterPage", State::InitPage { page: PageRequest::Next("page2".into()) }),
        ("InitialWatch", State::InitialWatch),
        ("InitListed", State::InitListed { resource_version: v(5) }),
        ("Watching", State::Watching { resource_version: v(5) }),
    ] {
        for input in alphabet() {
            let mut machine = Machine::new(InitialListStrategy::StreamingList, ListSemantic::MostRecent);
            machine.state = state.clone();
            let outputs: Vec<_> = machine.on(input.clone()).into_iter().flatten().map(|it| format!("{it:?}")).collect();
            let next = if machine.state == state { "=".to_owned() } else { format!("{:?}", machine.state) };
            let line = format!("{name} + {input:?} -> {next} {}\n", outputs.join(" ")).replace(" \n", "\n");
            let spelled = |line: String, number: u64| line.replace(&format!("{:?}", v(number)), &number.to_string());
            table += &(5..=9).fold(line, spelled);
        }
    }
    let expected = include_str!("tests/table.txt");
    for (line, expected) in table.lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(table.lines().count(), expected.lines().count(), "the table is:\n{table}");
}

#[test]
fn a_list_older_than_what_was_seen_is_asked_for_again_and_then_believed() {
    let mut machine = Machine::new(InitialListStrategy::StreamingList, ListSemantic::Any);
    let end = |version: u64| Input::Bookmark { resource_version: v(version), ends_initial_events: true };
    run(&mut machine, [Input::Begin, end(100), Input::ErrorEvent(Fault::Gone)]);
    let outputs = run(&mut machine, [Input::Begin, Input::Item(1), end(50)]);
    assert_eq!(outputs, [Output::Emit(Event::Init)], "it is not believed");
    let outputs = run(&mut machine, [Input::Begin]);
    assert_eq!(outputs, [Output::Emit(Event::Init)]);
    assert_eq!(machine.want(), Want::List { page: &PageRequest::First, semantic: &ListSemantic::MostRecent });
    let page_end = Input::PageEnd { resource_version: Some(v(60)), continue_token: None };
    assert_eq!(
        run(&mut machine, [page_end]),
        [Output::Emit(Event::InitDone), Output::WentBack],
        "still older: a restored cluster"
    );
    assert_eq!(machine.want(), Want::Watch { resource_version: &v(60) });
}

#[test]
fn a_version_the_server_does_not_know_relists() {
    let mut machine = watching();
    run(&mut machine, [Input::Ended { was_futile: false }]);
    assert_eq!(run(&mut machine, [Input::Refused(Fault::Unknown)]), [Output::Report, Output::Pause]);
    assert_eq!(machine.want(), Want::Begin);
}

#[test]
fn a_bookmark_that_does_not_end_the_list_gives_an_ignorant_server_away() {
    let mut machine = Machine::new(InitialListStrategy::StreamingList, ListSemantic::MostRecent);
    let bookmark = Input::Bookmark { resource_version: v(9), ends_initial_events: false };
    run(&mut machine, [Input::Begin, Input::Opened, Input::Applied(1, Some(v(3))), bookmark, Input::Begin]);
    assert!(matches!(machine.want(), Want::List { .. }));
}
