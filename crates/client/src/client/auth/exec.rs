//! Running a credential plugin: a command that prints an `ExecCredential`.
//!
//! In: what the kubeconfig says about the command, and the policy. Out: token or certificate, and when they expire.
//! Everything blocks: callers run it off the async workers. The command is found once as an absolute path, asked for
//! by the policy, given no terminal it was not promised, killed when it takes too long, and never quoted: what it
//! prints is a credential.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::AuthError;
use crate::config::{ExecAuthCluster, ExecConfig, ExecInteractiveMode, ExecPolicy};

/// How long a plugin may take: a slow login service, not a hanging one.
const RUN_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a plugin may take that asks a person, who may have to find a phone first.
const INTERACTIVE_TIMEOUT: Duration = Duration::from_secs(300);

/// The most that is read of what a plugin prints: a token and a certificate chain are some 20 KiB.
const OUTPUT_BYTES_MAX: u64 = 1024 * 1024;

/// How often a plugin that has closed its output is asked whether it has ended.
const END_POLL: Duration = Duration::from_millis(5);

/// The versions of the protocol that are spoken.
const VERSIONS: [&str; 2] = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/// The variable in which a plugin receives its question.
const INFO_VARIABLE: &str = "KUBERNETES_EXEC_INFO";

/// A credential plugin.
#[derive(Clone)]
pub(crate) struct Plugin {
    config: ExecConfig,
    policy: ExecPolicy,
}

/// What a plugin gave.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Given {
    pub(super) expiration_timestamp: Option<String>,
    pub(super) token: Option<SecretString>,
    pub(super) client_certificate_data: Option<String>,
    pub(super) client_key_data: Option<SecretString>,
}

/// What a plugin receives.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Question<'a> {
    api_version: &'a str,
    kind: &'static str,
    spec: QuestionSpec<'a>,
}

#[derive(Serialize)]
struct QuestionSpec<'a> {
    interactive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'a ExecAuthCluster>,
}

/// What a plugin answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    api_version: Option<String>,
    kind: Option<String>,
    status: Option<Given>,
}

impl Plugin {
    /// Checks what can be checked without running anything.
    pub(super) fn new(config: &ExecConfig, policy: &ExecPolicy) -> Result<Self, AuthError> {
        let plugin = Self { config: config.clone(), policy: policy.clone() };
        plugin.command()?;
        if !VERSIONS.contains(&plugin.version()) {
            let (asked, known) = (plugin.version(), VERSIONS.join(" and "));
            return Err(AuthError::AuthExec(format!("its `apiVersion` is `{asked}`; {known} are known")));
        }
        if config.provide_cluster_info && config.cluster.is_none() {
            return Err(AuthError::ExecMissingClusterInfo);
        }
        if *policy == ExecPolicy::DenyAll {
            return Err(plugin.denied());
        }
        Ok(plugin)
    }

    /// Runs the plugin. It blocks until the plugin has ended.
    pub(super) fn run(&self) -> Result<Given, AuthError> {
        let interactive = self.interactive()?;
        let mut command = self.prepared(interactive)?;
        let limit = if interactive { INTERACTIVE_TIMEOUT } else { RUN_TIMEOUT };
        let (status, output) = run_within(&mut command, limit).map_err(|error| self.not_run(error))?;
        if !status.success() {
            let out = Box::new(Output { status, stdout: Vec::new(), stderr: Vec::new() });
            return Err(AuthError::AuthExecRun { cmd: self.command()?.to_owned(), out });
        }
        self.read(&output)
    }

    fn command(&self) -> Result<&str, AuthError> {
        self.config.command.as_deref().filter(|command| !command.is_empty()).ok_or(AuthError::MissingCommand)
    }

    fn version(&self) -> &str {
        self.config.api_version.as_deref().unwrap_or(VERSIONS[0])
    }

    fn denied(&self) -> AuthError {
        let command = self.config.command.as_deref().unwrap_or_default();
        AuthError::AuthExec(format!("`{command}` may not run: `Config::exec_policy` does not allow it"))
    }

    fn interactive(&self) -> Result<bool, AuthError> {
        let has_terminal = std::io::stdin().is_terminal();
        match self.config.interactive_mode {
            Some(ExecInteractiveMode::Never) => Ok(false),
            Some(ExecInteractiveMode::IfAvailable) | None => Ok(has_terminal),
            Some(ExecInteractiveMode::Always) if has_terminal => Ok(true),
            Some(ExecInteractiveMode::Always) => {
                Err(AuthError::AuthExec("it has to ask a person, and standard input is not a terminal".to_owned()))
            }
        }
    }

    fn prepared(&self, interactive: bool) -> Result<Command, AuthError> {
        let name = Path::new(self.command()?);
        let found = look_up(name).ok_or_else(|| self.not_found(name))?;
        if !self.policy.allows(&found, look_up) {
            return Err(self.denied());
        }
        let mut command = Command::new(found);
        command.args(self.config.args.iter().flatten());
        for variable in self.config.env.iter().flatten() {
            if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
                command.env(name, value);
            }
        }
        for name in self.config.drop_env.iter().flatten() {
            command.env_remove(name);
        }
        let cluster = self.config.cluster.as_ref().filter(|_| self.config.provide_cluster_info);
        let spec = QuestionSpec { interactive, cluster };
        let question = Question { api_version: self.version(), kind: "ExecCredential", spec };
        command.env(INFO_VARIABLE, serde_json::to_string(&question).map_err(AuthError::AuthExecSerialize)?);
        // Only a plugin that speaks with a person gets the terminal, also for what it complains about.
        let terminal = || if interactive { Stdio::inherit() } else { Stdio::null() };
        command.stdin(terminal()).stderr(terminal()).stdout(Stdio::piped());
        Ok(command)
    }

    fn not_found(&self, name: &Path) -> AuthError {
        let hint = self.config.install_hint.as_deref().map_or_else(String::new, |hint| format!("; {}", hint.trim()));
        let text = format!("`{}` is not an executable file and not in $PATH{hint}", name.display());
        AuthError::AuthExecStart(std::io::Error::new(std::io::ErrorKind::NotFound, text))
    }

    fn not_run(&self, error: NotRun) -> AuthError {
        let command = self.config.command.as_deref().unwrap_or_default();
        match error {
            NotRun::Start(error) => AuthError::AuthExecStart(error),
            NotRun::TooSlow(limit) => {
                AuthError::AuthExec(format!("`{command}` took longer than {limit:?} and was killed"))
            }
            NotRun::TooLarge => {
                AuthError::AuthExec(format!("`{command}` printed more than {OUTPUT_BYTES_MAX} bytes and was killed"))
            }
        }
    }

    fn read(&self, output: &[u8]) -> Result<Given, AuthError> {
        let answer = parse(output)?;
        if answer.kind.as_deref() != Some("ExecCredential") || answer.api_version.as_deref() != Some(self.version()) {
            let version = self.version();
            return Err(AuthError::AuthExec(format!("it answered something else than an ExecCredential of {version}")));
        }
        let given = answer.status.ok_or(AuthError::ExecPluginFailed)?;
        match (&given.token, &given.client_certificate_data, &given.client_key_data) {
            (None, None, None) => Err(AuthError::ExecPluginFailed),
            (_, Some(_), None) | (_, None, Some(_)) => {
                Err(AuthError::AuthExec("it answered with a certificate or a key, and not with both".to_owned()))
            }
            _ => Ok(given),
        }
    }
}

/// Where a command is: a path as it is, a name by `$PATH`. Folders of `$PATH` that are relative are passed over.
pub(super) fn look_up(command: &Path) -> Option<PathBuf> {
    if command.components().count() > 1 {
        return std::path::absolute(command).ok().filter(|path| is_executable(path));
    }
    let folders = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    let suffix = std::env::consts::EXE_SUFFIX;
    let mut candidates = folders.flat_map(|folder| {
        let plain = folder.join(command);
        let mut with_suffix = plain.clone().into_os_string();
        with_suffix.push(suffix);
        [plain, PathBuf::from(with_suffix)]
    });
    candidates.find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// JSON or YAML; what cannot be read is not quoted.
fn parse(output: &[u8]) -> Result<Answer, AuthError> {
    if let Ok(answer) = serde_json::from_slice(output) {
        return Ok(answer);
    }
    let unreadable = || {
        let text = "it is not an ExecCredential in JSON or YAML";
        AuthError::AuthExecParse(Box::new(serde::de::Error::custom(text)))
    };
    let text = std::str::from_utf8(output).map_err(|_| unreadable())?;
    serde_saphyr::from_str(text).map_err(|_| unreadable())
}

pub(super) enum NotRun {
    Start(std::io::Error),
    TooSlow(Duration),
    TooLarge,
}

/// Runs a command and returns how it ended and what it printed, or kills it.
pub(super) fn run_within(command: &mut Command, limit: Duration) -> Result<(ExitStatus, Vec<u8>), NotRun> {
    let deadline = Instant::now() + limit;
    let mut child = command.spawn().map_err(NotRun::Start)?;
    let ended = match printed(&mut child).recv_timeout(limit) {
        Ok(Ok(output)) if output.len() as u64 > OUTPUT_BYTES_MAX => Err(NotRun::TooLarge),
        Ok(Ok(output)) => end(&mut child, deadline).map(|status| (status, output)).ok_or(NotRun::TooSlow(limit)),
        Ok(Err(error)) => Err(NotRun::Start(error)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(NotRun::TooSlow(limit)),
    };
    if ended.is_err() {
        // It may have ended meanwhile, which is as good.
        let _ = child.kill();
        let _ = child.wait();
    }
    ended
}

/// Reads what the command prints in a thread of its own: a pipe cannot be read with a deadline.
fn printed(child: &mut Child) -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(1);
    let output = child.stdout.take();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map_or(Ok(0), |pipe| pipe.take(OUTPUT_BYTES_MAX + 1).read_to_end(&mut bytes));
        // The receiver is gone when it took too long.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

fn end(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(END_POLL),
            Ok(None) | Err(_) => return None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> ExecConfig {
        ExecConfig {
            api_version: Some(VERSIONS[0].to_owned()),
            command: Some("sh".to_owned()),
            args: Some(vec!["-c".to_owned(), script.to_owned()]),
            interactive_mode: Some(ExecInteractiveMode::Never),
            ..ExecConfig::default()
        }
    }

    fn run(config: &ExecConfig) -> Result<Given, AuthError> {
        Plugin::new(config, &ExecPolicy::AllowAll)?.run()
    }

    #[test]
    fn a_plugin_of_either_version_receives_its_question_and_answers_in_json_or_yaml() {
        use secrecy::ExposeSecret;
        let checks = r#"case "$KUBERNETES_EXEC_INFO" in *"$VERSION\""*'"kind":"ExecCredential"'*'"interactive":false'*) ;; *) exit 3;; esac;"#;
        let json = r#"echo '{"apiVersion":"'$VERSION'","kind":"ExecCredential","status":{"token":"'$EXTRA'"}}'"#;
        let yaml = "printf 'apiVersion: %s\\nkind: ExecCredential\\nstatus: {token: %s}\\n' $VERSION $EXTRA";
        for (version, answer) in VERSIONS.iter().flat_map(|version| [json, yaml].map(|answer| (*version, answer))) {
            let mut config = shell(&format!("VERSION={version}; {checks} {answer}"));
            config.api_version = Some(version.to_owned());
            let variable = [("name".to_owned(), "EXTRA".to_owned()), ("value".to_owned(), "t0ken".to_owned())];
            config.env = Some(vec![variable.into_iter().collect()]);
            assert_eq!(run(&config).unwrap().token.unwrap().expose_secret(), "t0ken");
        }
    }

    #[test]
    fn answers_that_cannot_be_used_are_errors_that_do_not_quote_them() {
        let wrong_version = r#"echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"s3cr3t"}}'"#;
        let no_status = r#"echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"}'"#;
        let half = r#"echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"clientKeyData":"s3cr3t"}}'"#;
        for script in [wrong_version, no_status, half, "echo s3cr3t: [", "echo s3cr3t >&2; echo s3cr3t; exit 1"] {
            let error = run(&shell(script)).map(|_| ()).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("s3cr3t"), "{error:?}");
        }
        let flood = run(&shell("head -c 2000000 /dev/zero")).map(|_| ()).unwrap_err();
        assert!(flood.to_string().contains("1048576"), "{flood}");
    }

    #[test]
    fn a_plugin_that_hangs_is_killed_also_when_it_has_closed_its_output() {
        for script in ["sleep 60", "exec >&-; sleep 60"] {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::piped());
            let limit = Duration::from_millis(50);
            assert!(matches!(run_within(&mut command, limit), Err(NotRun::TooSlow(_))), "{script}");
        }
    }

    #[test]
    fn the_policy_says_what_may_run() {
        let config = shell("exit 7");
        let denied = Plugin::new(&config, &ExecPolicy::DenyAll).map(|_| ()).unwrap_err();
        assert!(denied.to_string().contains("exec_policy"), "{denied}");
        let ran = |list: &[&str]| {
            let list = list.iter().map(PathBuf::from).collect();
            let result = Plugin::new(&config, &ExecPolicy::AllowList(list)).unwrap().run();
            matches!(result, Err(AuthError::AuthExecRun { .. }))
        };
        let path = look_up(Path::new("sh")).unwrap();
        assert!(ran(&["aws", "sh"]) && ran(&[path.to_str().unwrap()]));
        assert!(!ran(&["aws"]) && !ran(&["/elsewhere/sh"]) && !ran(&[]));
    }

    #[test]
    fn a_missing_command_comes_with_its_hint_and_bad_settings_are_named_before_anything_runs() {
        let missing = ExecConfig {
            command: Some("no-such-plugin".into()),
            install_hint: Some("brew install it".into()),
            ..shell("")
        };
        let error = run(&missing).map(|_| ()).unwrap_err();
        assert!(matches!(&error, AuthError::AuthExecStart(why) if why.to_string().contains("brew install it")));
        let new = |config: ExecConfig| Plugin::new(&config, &ExecPolicy::AllowAll).map(|_| ());
        assert!(matches!(new(ExecConfig { command: None, ..shell("") }), Err(AuthError::MissingCommand)));
        let clusterless = ExecConfig { provide_cluster_info: true, ..shell("") };
        assert!(matches!(new(clusterless), Err(AuthError::ExecMissingClusterInfo)));
        let old = ExecConfig { api_version: Some("client.authentication.k8s.io/v1alpha1".into()), ..shell("") };
        assert!(new(old).unwrap_err().to_string().contains("v1alpha1"));
    }

    #[test]
    fn dropped_variables_do_not_reach_the_plugin() {
        let mut config = shell("[ -z \"$HOME\" ] || exit 9; exit 4");
        config.drop_env = Some(vec!["HOME".to_owned()]);
        let error = run(&config).map(|_| ()).unwrap_err();
        assert!(matches!(&error, AuthError::AuthExecRun { out, .. } if out.status.code() == Some(4)), "{error:?}");
    }
}
