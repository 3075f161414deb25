//! The pipeline: input → resolve → beforeRun → authorize → env → spill → run → afterRun → format.

mod builder;
mod capture;
mod clock;
mod guard;
mod mask;
mod notes;
mod run;
mod spill;
mod stages;
mod verdict;
mod watching;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub use builder::BashToolBuilder;
use builder::Parts;
use capture::{Capture, Captured};
use guard::guarded;
use stages::{Halt, Plan};
use verdict::Subject;
use watching::Watching;

use crate::control::{Control, Wish};
use crate::environment::EnvVars;
use crate::format::text::without_controls;
use crate::format::{Formatter as _, TextFormatter};
use crate::hooks::{AfterRun, AfterRunAnswer, HookFailure};
use crate::meaning::{Evidence, interpret_run};
use crate::messages::{Message, ShellMessages};
use crate::output::OmittedErrors;
use crate::report::{
    Content, Note, Phase, Report, Severity, ShellError, ShellOutput, ShellResult, ShellRun, Status,
    StoppedBy,
};
use crate::request::{BashRequest, Input};
use crate::runner::Runner;
use crate::tool::mask::Twins;
use crate::tool::spill::SpillFeed;

/// Runs one shell command a call, and reports what happened.
///
/// A tool is cheap to clone, and calls do not share anything: any number may run at once.
#[derive(Clone)]
pub struct BashTool {
    parts: Parts,
}

impl BashTool {
    /// A tool over a runner, its other parts at their defaults.
    pub fn new(runner: impl Runner + 'static) -> Self {
        Self::builder(runner).build()
    }

    /// A builder over a runner.
    pub fn builder(runner: impl Runner + 'static) -> BashToolBuilder {
        BashToolBuilder::new(Arc::new(runner))
    }

    /// Runs one command. It never fails: whatever goes wrong is in the report.
    ///
    /// Dropping the future stops the command's tree. It runs on either flavour of tokio, and needs
    /// the runtime's timers.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let tool = bsh::BashTool::new(bsh::runner::EchoRunner::new("/tmp"));
    /// let result = tool.call(bsh::BashRequest::new("ls -la"), &bsh::Control::new()).await;
    /// assert_eq!(bsh::text_of(&result), "Exit code 0 · 0 s\nls -la");
    /// # });
    /// ```
    pub async fn call(&self, input: impl Into<Input>, control: &Control) -> ShellResult {
        let report = self.report(input.into(), control).await;
        self.formatted(report)
    }

    fn parts(&self) -> &Parts {
        &self.parts
    }

    async fn report(&self, input: Input, control: &Control) -> Report {
        let mut plan = match self.input(input) {
            Ok(plan) => plan,
            Err(halt) => return not_started(None, Vec::new(), *halt),
        };
        match self.prepare(&mut plan, control).await {
            Ok((env, spill)) => self.run(plan, Arc::new(env), spill, control).await,
            Err(halt) => not_started(Some(plan.request), plan.notes, *halt),
        }
    }

    /// Everything between the request and the run.
    async fn prepare(
        &self,
        plan: &mut Plan,
        control: &Control,
    ) -> Result<(EnvVars, SpillFeed), Box<Halt>> {
        self.resolve(plan, control).await?;
        self.before_run(plan, control).await?;
        self.authorize(plan, control).await?;
        let env = self.env(plan, control).await?;
        let spill = self.spill(plan, control).await?;
        self.check_abort(Phase::Run, control)?;
        Ok((env, spill))
    }

    /// run and afterRun.
    async fn run(
        &self,
        plan: Plan,
        env: Arc<EnvVars>,
        spill: SpillFeed,
        control: &Control,
    ) -> Report {
        let Parts {
            runner,
            limits,
            messages,
            masks,
            observer,
            after_run,
            ..
        } = self.parts();
        let cwd = plan.cwd.to_string_lossy().into_owned();
        let mut capture = Capture::new(
            limits,
            masks,
            !after_run.is_empty(),
            spill,
            observer.clone(),
        );
        let surroundings = runner.surroundings();
        let watching = observer.as_deref().map(|observer| Watching {
            observer,
            masks,
            request: &plan.request,
            command: &plan.command,
            cwd: &cwd,
            notes: &plan.notes,
        });
        if let Some(watching) = &watching {
            watching.starting(plan.timeout);
        }
        let start = run::Start {
            runner: &**runner,
            command: plan.command.clone(),
            cwd: plan.cwd.clone(),
            env: Arc::clone(&env),
            grace: limits.kill_grace(),
            timeout: plan.timeout,
        };
        let ended = run::run(start, &mut capture, control, watching.as_ref()).await;
        if let Some(error) = ended.exit.as_ref().and_then(|exit| exit.error.as_ref()) {
            let halt = match ended.stop {
                // A runner elsewhere may be told to stop before anything is there.
                Some(StoppedBy::Abort) => *self.aborted(Phase::Run),
                _ => Halt {
                    error: verdict::start_error(error, &cwd, messages),
                    note: None,
                },
            };
            capture.discard().await;
            return not_started(Some(plan.request), plan.notes, halt);
        }
        capture.started();
        let subject = Subject {
            command: plan.command,
            cwd,
            timeout_ms: plan.request.timeout_ms.unwrap_or(limits.default_timeout_ms),
            max_capture_bytes: limits.max_capture_bytes,
            over_cap: capture.is_over_cap(),
        };
        let Captured {
            output,
            omitted_errors,
            raw,
            stderr,
            spill_failure,
        } = capture.finish().await;
        if let Some(observer) = observer {
            observer.ended();
        }
        let mut verdict = verdict::verdict(subject, ended, messages);
        let meaning = verdict.code_to_explain().and_then(|code| {
            let is_here = surroundings.is_this_machine;
            let evidence = Evidence {
                stderr: stderr.as_deref(),
                env: is_here.then_some(&*env),
                cwd: is_here.then_some(&*plan.cwd),
                shell: &surroundings.shell,
            };
            let meaning = interpret_run(&verdict.run.command, code, &evidence);
            meaning.is_claim().then_some((code, meaning))
        });
        let notes_of = |verdict: &verdict::Verdict, omitted_errors: &OmittedErrors| {
            let facts = notes::Facts {
                status: verdict.status,
                spill_failure: spill_failure.clone(),
                findings: &verdict.findings,
                unconfirmed: verdict.unconfirmed.as_deref(),
                omitted_errors,
                meaning: meaning.clone(),
            };
            notes::of_run(messages, &facts)
        };
        let raw = raw.map(|(output, errors)| (output, notes_of(&verdict, &errors)));
        if !masks.is_empty() {
            mask::mask_findings(&mut verdict.findings, masks);
            let unconfirmed = verdict.unconfirmed.as_deref_mut();
            mask::mask_unconfirmed(unconfirmed.unwrap_or_default(), masks);
        }
        let notes = notes_of(&verdict, &omitted_errors);
        let mut all_notes = plan.notes;
        // Hooks see what is raw, and what they leave as it is is said masked.
        let (output, twins) = match raw {
            None => {
                all_notes.extend(notes);
                (output, None)
            }
            Some((raw_output, raw_notes)) => {
                all_notes.extend(raw_notes.iter().cloned());
                let twins = Twins {
                    raw_output: raw_output.clone(),
                    output,
                    notes: raw_notes.into_iter().zip(notes).collect(),
                };
                (raw_output, Some(twins))
            }
        };
        let ran = Ran {
            request: plan.request,
            run: verdict.run,
            status: verdict.status,
            output,
            notes: all_notes,
            error: verdict.error,
        };
        self.after_run(ran, twins, control).await
    }

    /// afterRun: hooks in order, each on the result of the one before.
    async fn after_run(&self, mut ran: Ran, twins: Option<Twins>, control: &Control) -> Report {
        // After an abort hooks still see the run; only a further wish interrupts them.
        let so_far = control.state().wish;
        let so_far = if ran.error.is_some() {
            so_far
        } else {
            Wish::Run
        };
        for hook in &self.parts().after_run {
            let seen = AfterRun {
                request: &ran.request,
                run: &ran.run,
                status: ran.status,
                output: &ran.output,
                notes: &ran.notes,
                error: ran.error.as_ref(),
            };
            let answer = guarded(async { hook.after_run(seen).await }, control, so_far).await;
            let answer = self.answered(answer, hook.id(), Phase::AfterRun);
            let applied = answer.and_then(|answer| self.apply(&mut ran, hook.id(), answer));
            if let Err(halt) = applied {
                ran.fail(*halt);
                break;
            }
        }
        if let Some(twins) = twins {
            twins.restore(&mut ran.output, &mut ran.notes);
        }
        ran.into_report()
    }

    fn apply(&self, ran: &mut Ran, id: &str, answer: AfterRunAnswer) -> Result<(), Box<Halt>> {
        if let Some(notes) = answer.notes {
            let mut checked = Vec::with_capacity(notes.len());
            for note in notes {
                checked.extend(self.checked_note(id, Phase::AfterRun, Some(note))?);
            }
            ran.notes = checked;
        }
        if let Some(mut output) = answer.output {
            output.head = without_controls(&output.head);
            output.tail = output.tail.map(|tail| without_controls(&tail));
            if output.total_bytes != output.stdout_bytes.saturating_add(output.stderr_bytes) {
                let detail = "it answered an output whose totalBytes is not stdoutBytes and stderrBytes together";
                return Err(self.nonsense(id, Phase::AfterRun, detail));
            }
            // A tail is there exactly when something is left out.
            if output.omitted_bytes > 0 {
                output.tail.get_or_insert_default();
            } else if let Some(tail) = output.tail.take() {
                output.head.push_str(&tail);
            }
            ran.output = output;
        }
        Ok(())
    }

    /// format: the text. A formatter that fails is a note, and the default one is used.
    fn formatted(&self, mut report: Report) -> ShellResult {
        let Parts {
            messages,
            formatter,
            masks,
            ..
        } = self.parts();
        mask::mask_report(&mut report, masks);
        let formatting = || formatter.format(&report, messages);
        let formatted = catch_unwind(AssertUnwindSafe(formatting))
            .unwrap_or_else(|panic| Err(HookFailure::new(guard::words_of(&*panic))));
        let text = match formatted {
            Ok(text) => without_controls(&text),
            Err(HookFailure { detail }) => {
                let id = formatter.id();
                let values = [("id", id), ("detail", detail.trim_end_matches('.'))];
                let sentence = messages.render(Message::FormatterFailed, &values);
                report.notes.push(notes::note(
                    "extension-failed",
                    Severity::Warning,
                    sentence,
                    serde_json::json!({ "extension": "formatter", "id": id }),
                ));
                // The words of the failure may have a secret in them too.
                mask::mask_report(&mut report, masks);
                default_text(&report, messages)
            }
        };
        with_text(report, text)
    }
}

/// The result of a call that was refused before there was a tool, such as a wrong flag.
pub fn refused_result(error: ShellError, messages: &ShellMessages) -> ShellResult {
    let report = not_started(None, Vec::new(), Halt { error, note: None });
    let text = default_text(&report, messages);
    with_text(report, text)
}

fn default_text(report: &Report, messages: &ShellMessages) -> String {
    // The default formatter has no way to fail.
    TextFormatter::default()
        .format(report, messages)
        .unwrap_or_default()
}

fn with_text(report: Report, text: String) -> ShellResult {
    let text = text.strip_suffix('\n').map(str::to_owned).unwrap_or(text);
    ShellResult {
        report,
        content: vec![Content::Text { text }],
    }
}

fn not_started(request: Option<BashRequest>, notes: Vec<Note>, halt: Halt) -> Report {
    let note = halt.note.unwrap_or_else(|| note_of(&halt.error));
    Report {
        tool: "bash",
        status: Status::Error,
        error: Some(halt.error),
        request,
        run: None,
        output: None,
        notes: with_error_note(notes, note),
    }
}

fn note_of(error: &ShellError) -> Note {
    notes::note(
        error.code.note_code(),
        Severity::Warning,
        error.message.clone(),
        error.data.clone(),
    )
}

/// The note of the error comes last, and exactly once, whatever hooks call theirs.
fn with_error_note(mut notes: Vec<Note>, error_note: Note) -> Vec<Note> {
    notes.retain(|note| note.code != error_note.code);
    notes.push(error_note);
    notes
}

/// A command that ran, on its way through the hooks after it.
struct Ran {
    request: BashRequest,
    run: ShellRun,
    status: Status,
    output: ShellOutput,
    notes: Vec<Note>,
    error: Option<ShellError>,
}

impl Ran {
    /// A hook failed or was aborted. An error of the run itself stays the error of the report.
    fn fail(&mut self, halt: Halt) {
        if self.error.is_some() {
            self.notes.push(note_of(&halt.error));
            return;
        }
        self.status = Status::Error;
        self.error = Some(halt.error);
    }

    fn into_report(self) -> Report {
        let notes = match &self.error {
            Some(error) => with_error_note(self.notes, note_of(error)),
            None => self.notes,
        };
        Report {
            tool: "bash",
            status: self.status,
            error: self.error,
            request: Some(self.request),
            run: Some(self.run),
            output: Some(self.output),
            notes,
        }
    }
}
