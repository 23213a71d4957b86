//! kubectl, typed twice: to real Kubernetes and to the embedded server, which must print the same.
//!
//! ```text
//!   conformance/kubectl/session.txt ─► session ─► typist ──► real Kubernetes ─┐ what it printed,
//!                                                     └────► pintle serve ────┴─► mask ─► the same?
//! ```
//! Both sides are typed at the same time, step by step, so that a difference is reported where it first appears.

mod mask;
mod session;
mod typist;

use std::thread;
use std::time::{Duration, Instant};

use pintle_real::RealServer;

use super::{Problem, workspace};
use crate::programs::{Report, built};
use session::Step;
use typist::{Said, Typist};

pub(super) use typist::Embedded;

/// Types the session to both, and fails where they differ.
pub(super) fn compare(report: Report<'_>) -> Result<(), Problem> {
    let folder = workspace().join("conformance/kubectl");
    let steps = session::read(&folder.join("session.txt"))?;
    let pintle = built("pintle")?;
    let (real, embedded) =
        (RealServer::start("kubectl", Default::default())?, Embedded::start(&pintle, "kubectl", &[])?);
    let mut real = Typist::new(&folder, real.kubeconfig());
    let mut embedded = Typist::new(&folder, embedded.kubeconfig());
    let (mut compared, mut different) = (0, 0);
    for step in &steps {
        if let Step::Remark(text) = step {
            report(text);
            continue;
        }
        if let (Some(left), Some(right)) = type_to_both(step, &mut real, &mut embedded)? {
            compared += 1;
            different += usize::from(!is_same(report, step, &left, &right));
        }
    }
    report(&format!(
        "{compared} commands of kubectl were typed to both servers; {different} were answered differently"
    ));
    if different == 0 { Ok(()) } else { Err("kubectl sees a difference; it is shown above".to_owned()) }
}

/// What each said. Where controllers have to do something first, it is typed again until both say the same.
fn type_to_both(
    step: &Step,
    real: &mut Typist,
    embedded: &mut Typist,
) -> Result<(Option<Said>, Option<Said>), Problem> {
    let begun = Instant::now();
    loop {
        let [left, right] = thread::scope(|scope| {
            let typing = scope.spawn(|| real.type_in(step));
            let right = embedded.type_in(step);
            [typing.join().unwrap_or_else(|_| Err("the typist panicked".to_owned())), right]
        });
        let (left, right) = (left?, right?);
        if left == right || !step.is_eventual() || begun.elapsed() > CONTROLLERS_MAX {
            return Ok((left, right));
        }
        thread::sleep(PAUSE);
    }
}

/// kube-controller-manager fills a new namespace within a second; on a machine that builds other things meanwhile it has needed more.
const CONTROLLERS_MAX: Duration = Duration::from_secs(30);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// Whether both said the same; reports what each said if not.
fn is_same(report: Report<'_>, step: &Step, real: &Said, embedded: &Said) -> bool {
    if real == embedded {
        return true;
    }
    report(&format!("$ {step}"));
    for (whose, said) in [("real", real), ("embedded", embedded)] {
        let other = if whose == "real" { embedded } else { real };
        report(&format!("  {whose}: exit code {:?}", said.code));
        said.lines.iter().filter(|line| !other.lines.contains(line)).for_each(|line| report(&format!("    {line}")));
    }
    false
}
