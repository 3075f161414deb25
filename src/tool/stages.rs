//! The stages before the run. Each takes the plan, may change it, and may halt the call.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::control::{Control, Wish};
use crate::environment::{EnvVars, is_valid_var};
use crate::format::text::without_controls;
use crate::hooks::{
    Authorization, AuthorizeAnswer, BeforeRunAnswer, FolderAnswer, FolderRequest, HookFailure,
    Planned,
};
use crate::messages::Message;
use crate::report::{ErrorCode, Note, Phase, Severity, ShellError};
use crate::request::{BashRequest, Input};
use crate::sys::failure::reason;
use crate::tool::guard::{Guarded, guarded};
use crate::tool::notes;
use crate::tool::spill::SpillFeed;
use crate::tool::{BashTool, Parts};

/// What is about to run, as far as the stages have come.
pub(super) struct Plan {
    pub request: BashRequest,
    pub command: String,
    pub default_folder: PathBuf,
    pub cwd: PathBuf,
    pub timeout: Duration,
    pub notes: Vec<Note>,
}

impl Plan {
    fn planned(&self) -> Planned<'_> {
        Planned {
            request: &self.request,
            command: &self.command,
            cwd: &self.cwd,
            timeout: self.timeout,
        }
    }
}

/// Why a call goes no further.
pub(super) struct Halt {
    pub error: ShellError,
    /// The note of a hook that refused with one.
    pub note: Option<Note>,
}

impl Halt {
    pub(super) fn new(code: ErrorCode, phase: Phase, message: String) -> Box<Self> {
        let error = ShellError {
            code,
            phase,
            message,
            data: None,
        };
        Box::new(Self { error, note: None })
    }

    /// A hook's refusal: its note, if it has one, is the note of the error.
    fn refusal(code: ErrorCode, phase: Phase, message: String, note: Option<Note>) -> Box<Self> {
        let mut halt = Self::new(code, phase, message);
        if let Some(mut note) = note {
            note.severity = Severity::Warning;
            halt.error.message.clone_from(&note.message);
            halt.error.data.clone_from(&note.data);
            halt.note = Some(note);
        }
        halt
    }
}

impl BashTool {
    /// input: the request, with its timeout in force.
    pub(super) fn input(&self, input: Input) -> Result<Plan, Box<Halt>> {
        let Parts {
            limits, messages, ..
        } = self.parts();
        let mut request = input.into_request().map_err(|error| {
            let message = error.message(messages);
            Halt::new(ErrorCode::InvalidInput, Phase::Input, message)
        })?;
        let mut first_notes = Vec::new();
        let asked = request.timeout_ms.unwrap_or(limits.default_timeout_ms);
        let in_force = asked.min(limits.max_timeout_ms);
        if in_force < asked {
            first_notes.push(notes::clamped(messages, asked, in_force));
        }
        request.timeout_ms = Some(in_force);
        Ok(Plan {
            command: request.command.clone(),
            request,
            default_folder: PathBuf::new(),
            cwd: PathBuf::new(),
            timeout: Duration::from_millis(in_force),
            notes: first_notes,
        })
    }

    /// resolve: the absolute folder.
    pub(super) async fn resolve(
        &self,
        plan: &mut Plan,
        control: &Control,
    ) -> Result<(), Box<Halt>> {
        let Parts {
            runner,
            messages,
            resolver,
            ..
        } = self.parts();
        self.check_abort(Phase::Resolve, control)?;
        let asked = plan.request.cwd.as_deref().unwrap_or(".");
        let found = match runner.default_folder() {
            // An absolute folder needs no other. It is in none, so it is shown whole.
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound
                    && Path::new(asked).is_absolute() =>
            {
                Ok(PathBuf::new())
            }
            found => found,
        };
        plan.default_folder = found.map_err(|error| {
            let detail = reason(&error);
            let message = messages.render(Message::NoDefaultFolder, &[("detail", &detail)]);
            let code = match error.kind() {
                std::io::ErrorKind::NotFound => ErrorCode::CwdNotFound,
                // A runner elsewhere that cannot get there.
                std::io::ErrorKind::NotConnected => {
                    let message =
                        messages.render(Message::SpawnFailedDetail, &[("detail", &detail)]);
                    return Halt::new(ErrorCode::SpawnFailed, Phase::Run, message);
                }
                _ => ErrorCode::SpawnFailed,
            };
            Halt::new(code, Phase::Run, message)
        })?;
        // Only what changes nothing is tidied: `..` may lead through a symbolic link.
        plan.cwd = plan.default_folder.join(asked).components().collect();
        let Some(resolver) = resolver else {
            return Ok(());
        };
        let question = FolderRequest {
            request: &plan.request,
            default_folder: &plan.default_folder,
            requested: &plan.cwd,
        };
        let answer = guarded(
            async { resolver.resolve(question).await },
            control,
            Wish::Run,
        )
        .await;
        match self.answered(answer, resolver.id(), Phase::Resolve)? {
            FolderAnswer::Folder { cwd, notes } => {
                if !is_usable_folder(&cwd) {
                    let nonsense = "it answered a folder that is not absolute";
                    return Err(self.nonsense(resolver.id(), Phase::Resolve, nonsense));
                }
                self.add_notes(plan, resolver.id(), Phase::Resolve, notes)?;
                plan.cwd = cwd;
                Ok(())
            }
            FolderAnswer::NotFound => {
                let cwd = plan.cwd.to_string_lossy();
                let message = messages.render(Message::CwdNotFound, &[("cwd", &cwd)]);
                Err(Halt::new(ErrorCode::CwdNotFound, Phase::Resolve, message))
            }
        }
    }

    /// beforeRun: checks and rewrites, each on the command of the one before.
    pub(super) async fn before_run(
        &self,
        plan: &mut Plan,
        control: &Control,
    ) -> Result<(), Box<Halt>> {
        let Parts {
            messages,
            before_run,
            ..
        } = self.parts();
        self.check_abort(Phase::BeforeRun, control)?;
        for hook in before_run {
            let planned = plan.planned();
            let answer =
                guarded(async { hook.before_run(planned).await }, control, Wish::Run).await;
            match self.answered(answer, hook.id(), Phase::BeforeRun)? {
                BeforeRunAnswer::Allow { command, notes } => {
                    self.add_notes(plan, hook.id(), Phase::BeforeRun, notes)?;
                    if let Some(command) = command {
                        if let Err(error) = BashRequest::new(command.as_str()).validate() {
                            let detail = format!("it answered a command that is none: {error}");
                            return Err(self.nonsense(hook.id(), Phase::BeforeRun, &detail));
                        }
                        plan.command = command;
                    }
                }
                BeforeRunAnswer::Refuse { note } => {
                    let note = self.checked_note(hook.id(), Phase::BeforeRun, note)?;
                    let message = messages.render(Message::Refused, &[("id", hook.id())]);
                    let (code, phase) = (ErrorCode::Refused, Phase::BeforeRun);
                    return Err(Halt::refusal(code, phase, message, note));
                }
            }
        }
        Ok(())
    }

    /// authorize: sees the final command.
    pub(super) async fn authorize(
        &self,
        plan: &mut Plan,
        control: &Control,
    ) -> Result<(), Box<Halt>> {
        let Parts {
            messages,
            authorizer,
            ..
        } = self.parts();
        self.check_abort(Phase::Authorize, control)?;
        let Some(authorizer) = authorizer else {
            return Ok(());
        };
        let display_path = display_path(&plan.cwd, &plan.default_folder);
        let question = Authorization {
            planned: plan.planned(),
            display_path: &display_path,
        };
        let answer = guarded(
            async { authorizer.authorize(question).await },
            control,
            Wish::Run,
        )
        .await;
        match self.answered(answer, authorizer.id(), Phase::Authorize)? {
            AuthorizeAnswer::Allow { notes } => {
                self.add_notes(plan, authorizer.id(), Phase::Authorize, notes)
            }
            AuthorizeAnswer::Deny { note } => {
                let note = self.checked_note(authorizer.id(), Phase::Authorize, note)?;
                let message = messages.render(Message::Denied, &[("id", authorizer.id())]);
                let (code, phase) = (ErrorCode::Denied, Phase::Authorize);
                Err(Halt::refusal(code, phase, message, note))
            }
        }
    }

    /// env: the whole environment.
    pub(super) async fn env(&self, plan: &Plan, control: &Control) -> Result<EnvVars, Box<Halt>> {
        let source = &self.parts().env;
        self.check_abort(Phase::Env, control)?;
        let planned = plan.planned();
        let answer = guarded(async { source.env(planned).await }, control, Wish::Run).await;
        let env = self.answered(answer, source.id(), Phase::Env)?;
        match env.iter().find(|(name, value)| !is_valid_var(name, value)) {
            None => Ok(env),
            Some((name, _)) => {
                let name = name.to_string_lossy();
                let detail = format!("it answered a variable that cannot be passed: {name:?}");
                Err(self.nonsense(source.id(), Phase::Env, &detail))
            }
        }
    }

    /// spill: the sink of every raw byte. One that cannot be opened is a note, not an error.
    pub(super) async fn spill(
        &self,
        plan: &Plan,
        control: &Control,
    ) -> Result<SpillFeed, Box<Halt>> {
        self.check_abort(Phase::Spill, control)?;
        let Some(factory) = &self.parts().spill else {
            return Ok(SpillFeed::none(None));
        };
        let planned = plan.planned();
        match guarded(async { factory.open(planned).await }, control, Wish::Run).await {
            Guarded::Done(sink) => Ok(SpillFeed::to(sink)),
            Guarded::Failed(failure) => Ok(SpillFeed::none(Some(failure.detail))),
            Guarded::Aborted => Err(self.aborted(Phase::Spill)),
        }
    }

    pub(super) fn check_abort(&self, phase: Phase, control: &Control) -> Result<(), Box<Halt>> {
        match control.state().wish {
            Wish::Run => Ok(()),
            Wish::Abort | Wish::AbortNow => Err(self.aborted(phase)),
        }
    }

    pub(super) fn aborted(&self, phase: Phase) -> Box<Halt> {
        let message = match phase {
            Phase::AfterRun => Message::AbortedAfter,
            _ => Message::Aborted,
        };
        let message = self.parts().messages.plain(message);
        Halt::new(ErrorCode::Aborted, phase, message)
    }

    /// The answer of a hook, or the halt that it causes.
    pub(super) fn answered<T>(
        &self,
        answer: Guarded<T>,
        id: &str,
        phase: Phase,
    ) -> Result<T, Box<Halt>> {
        match answer {
            Guarded::Done(answer) => Ok(answer),
            Guarded::Failed(HookFailure { detail }) => Err(self.nonsense(id, phase, &detail)),
            Guarded::Aborted => Err(self.aborted(phase)),
        }
    }

    pub(super) fn nonsense(&self, id: &str, phase: Phase, detail: &str) -> Box<Halt> {
        let values = [("id", id), ("detail", detail.trim_end_matches('.'))];
        let message = self
            .parts()
            .messages
            .render(Message::ExtensionFailed, &values);
        let mut halt = Halt::new(ErrorCode::ExtensionFailed, phase, message);
        halt.error.data =
            Some(serde_json::json!({ "extension": phase, "id": id, "detail": detail }));
        halt
    }

    fn add_notes(
        &self,
        plan: &mut Plan,
        id: &str,
        phase: Phase,
        notes: Vec<Note>,
    ) -> Result<(), Box<Halt>> {
        for note in notes {
            plan.notes.extend(self.checked_note(id, phase, Some(note))?);
        }
        Ok(())
    }

    /// A hook's note: its code has to be one word, its message becomes one line.
    pub(super) fn checked_note(
        &self,
        id: &str,
        phase: Phase,
        note: Option<Note>,
    ) -> Result<Option<Note>, Box<Halt>> {
        let Some(mut note) = note else {
            return Ok(None);
        };
        let one_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        if note.code.is_empty() || !note.code.chars().all(one_word) {
            let detail = format!("it answered a note whose code is no word: {:?}", note.code);
            return Err(self.nonsense(id, phase, &detail));
        }
        note.message = crate::messages::one_line(&without_controls(&note.message));
        Ok(Some(note))
    }
}

fn is_usable_folder(folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    folder.is_absolute() && !folder.as_os_str().as_bytes().contains(&0)
}

/// The folder for a person.
fn display_path(cwd: &Path, default_folder: &Path) -> String {
    match cwd.strip_prefix(default_folder) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Ok(rest) => rest.to_string_lossy().into_owned(),
        Err(_) => cwd.to_string_lossy().into_owned(),
    }
}
