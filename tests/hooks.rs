//! Hooks: what they may do, and what becomes of those that fail.

use std::future::pending;
use std::sync::{Arc, Mutex};

use bsh::hooks::{
    AfterRun, AfterRunAnswer, AfterRunHook, Authorization, AuthorizeAnswer, Authorizer,
    BeforeRunAnswer, BeforeRunHook, EnvSource, FolderAnswer, FolderRequest, FolderResolver,
    HookFailure, HookFuture, Planned, SpillFactory,
};
use bsh::output::{Spill, SpillSink};
use bsh::runner::{Exit, Stream};
use bsh::{BashRequest, BashToolBuilder, Control, EnvVars, Note, Severity};

use crate::harness::scripted::{Scripted, Then, call};

/// What a hook of these tests does, in every place.
#[derive(Clone, Copy)]
enum Does {
    Refuse,
    RefuseWithNote,
    Fail,
    Panic,
    Wait,
    Nonsense,
}

struct Hook(Does);

impl Hook {
    async fn answer<T>(
        &self,
        refusal: impl Fn(Option<Note>) -> T,
        nonsense: T,
    ) -> Result<T, HookFailure> {
        match self.0 {
            Does::Refuse => Ok(refusal(None)),
            Does::RefuseWithNote => Ok(refusal(Some(Note {
                code: "no-rm".into(),
                severity: Severity::Info,
                message: "rm is\nnot for you".into(),
                data: Some(serde_json::json!({ "word": "rm" })),
            }))),
            Does::Fail => Err(HookFailure::new("no answer.")),
            Does::Panic => panic!("oh no"),
            Does::Wait => pending().await,
            Does::Nonsense => Ok(nonsense),
        }
    }
}

impl FolderResolver for Hook {
    fn id(&self) -> &str {
        "test"
    }

    fn resolve<'a>(&'a self, _: FolderRequest<'a>) -> HookFuture<'a, FolderAnswer> {
        let nonsense = FolderAnswer::Folder {
            cwd: "relative".into(),
            notes: vec![],
        };
        Box::pin(self.answer(|_| FolderAnswer::NotFound, nonsense))
    }
}

impl BeforeRunHook for Hook {
    fn id(&self) -> &str {
        "test"
    }

    fn before_run<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, BeforeRunAnswer> {
        let nonsense = BeforeRunAnswer::Allow {
            command: Some(" ".into()),
            notes: vec![],
        };
        Box::pin(self.answer(|note| BeforeRunAnswer::Refuse { note }, nonsense))
    }
}

impl Authorizer for Hook {
    fn id(&self) -> &str {
        "test"
    }

    fn authorize<'a>(&'a self, _: Authorization<'a>) -> HookFuture<'a, AuthorizeAnswer> {
        let note = Note {
            code: "two words".into(),
            severity: Severity::Info,
            message: String::new(),
            data: None,
        };
        let nonsense = AuthorizeAnswer::Allow { notes: vec![note] };
        Box::pin(self.answer(|note| AuthorizeAnswer::Deny { note }, nonsense))
    }
}

impl EnvSource for Hook {
    fn id(&self) -> &str {
        "test"
    }

    fn env<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, EnvVars> {
        Box::pin(self.answer(|_| vec![], vec![("A=B".into(), "".into())]))
    }
}

impl AfterRunHook for Hook {
    fn id(&self) -> &str {
        "test"
    }

    fn after_run<'a>(&'a self, _: AfterRun<'a>) -> HookFuture<'a, AfterRunAnswer> {
        let note = Note {
            code: String::new(),
            severity: Severity::Info,
            message: String::new(),
            data: None,
        };
        let nonsense = AfterRunAnswer {
            output: None,
            notes: Some(vec![note]),
        };
        Box::pin(self.answer(|_| AfterRunAnswer::default(), nonsense))
    }
}

impl SpillFactory for Hook {
    fn id(&self) -> &str {
        "test"
    }

    fn open<'a>(&'a self, _: Planned<'a>) -> HookFuture<'a, Spill> {
        Box::pin(async {
            match self.0 {
                Does::Fail => Err(HookFailure::new("the disk is gone")),
                Does::Wait => pending().await,
                does => Ok(Spill::with_sink(Box::new(Sink(does))).expect("a thread")),
            }
        })
    }
}

struct Sink(Does);

impl SpillSink for Sink {
    fn write(&mut self, _: Stream, _: &[u8]) -> std::io::Result<()> {
        match self.0 {
            Does::Panic => panic!("oh no"),
            _ => Err(std::io::ErrorKind::StorageFull.into()),
        }
    }

    fn finish(&mut self) -> std::io::Result<Option<String>> {
        Ok(None)
    }
}

type Place = (&'static str, fn(BashToolBuilder, Does) -> BashToolBuilder);

const PLACES: [Place; 5] = [
    ("resolve", |tool, does| tool.folder_resolver(Hook(does))),
    ("beforeRun", |tool, does| tool.before_run(Hook(does))),
    ("authorize", |tool, does| tool.authorizer(Hook(does))),
    ("env", |tool, does| tool.env(Hook(does))),
    ("afterRun", |tool, does| tool.after_run(Hook(does))),
];

fn script() -> Scripted {
    Scripted::ending(Exit::with_code(0)).printing("done\n")
}

#[tokio::test]
async fn a_hook_that_fails_panics_or_answers_nonsense_is_extension_failed_in_its_phase() {
    for (phase, place) in PLACES {
        for does in [Does::Fail, Does::Panic, Does::Nonsense] {
            let tool = place(script().tool(), does);
            let report = call(tool, BashRequest::new("x"), &Control::new()).await;
            assert_eq!(report.error_code(), ("EXTENSION_FAILED", phase));
            assert_eq!(report.run.is_some(), phase == "afterRun");
            let data = report.error.expect("an error").data.expect("data");
            assert_eq!(
                (&data["extension"], &data["id"]),
                (&phase.into(), &"test".into())
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_abort_reaches_a_hook_that_waits() {
    let mut places = PLACES.to_vec();
    places.push(("spill", |tool, does| tool.spill(Hook(does))));
    for (phase, place) in places {
        let control = Control::new();
        let tool = place(script().tool(), Does::Wait);
        let (report, ()) = tokio::join!(call(tool, BashRequest::new("x"), &control), async {
            tokio::time::sleep(std::time::Duration::from_secs(9)).await;
            control.abort();
        });
        assert_eq!(report.error_code(), ("ABORTED", phase));
        assert_eq!(report.run.is_some(), phase == "afterRun");
    }
}

#[tokio::test]
async fn refusals() {
    let cases = [
        (PLACES[1], "REFUSED", "refused"),
        (PLACES[2], "DENIED", "denied"),
    ];
    for ((phase, place), code, note_code) in cases {
        let tool = place(script().tool(), Does::Refuse);
        let report = call(tool, BashRequest::new("x"), &Control::new()).await;
        assert_eq!(report.error_code(), (code, phase));
        assert_eq!(report.note_codes(), [note_code]);
        let tool = place(script().tool(), Does::RefuseWithNote);
        let report = call(tool, BashRequest::new("x"), &Control::new()).await;
        assert_eq!(report.error_code(), (code, phase));
        assert_eq!(report.text(), "[bash:no-rm] rm is not for you");
        assert!(report.run.is_none());
    }
    let tool = script().tool().folder_resolver(Hook(Does::Refuse));
    let report = call(tool, BashRequest::new("x").with_cwd("y"), &Control::new()).await;
    assert_eq!(report.error_code(), ("CWD_NOT_FOUND", "resolve"));
    assert_eq!(
        report.text(),
        "[bash:cwd-not-found] The folder /work/y does not exist."
    );
}

struct Rewrite(&'static str, Arc<Mutex<Vec<String>>>);

impl BeforeRunHook for Rewrite {
    fn id(&self) -> &str {
        self.0
    }

    fn before_run<'a>(&'a self, planned: Planned<'a>) -> HookFuture<'a, BeforeRunAnswer> {
        self.1.lock().expect("log").push(planned.command.to_owned());
        let command = Some(format!("{} {}", self.0, planned.command));
        Box::pin(async {
            Ok(BeforeRunAnswer::Allow {
                command,
                notes: vec![],
            })
        })
    }
}

impl Authorizer for Rewrite {
    fn id(&self) -> &str {
        self.0
    }

    fn authorize<'a>(&'a self, asked: Authorization<'a>) -> HookFuture<'a, AuthorizeAnswer> {
        let seen = format!("{} in {}", asked.planned.command, asked.display_path);
        self.1.lock().expect("log").push(seen);
        Box::pin(async { Ok(AuthorizeAnswer::Allow { notes: vec![] }) })
    }
}

#[tokio::test]
async fn a_rewrite_feeds_the_next_and_the_authorizer_sees_the_last() {
    for (cwd, display) in [("/work", "."), ("a/./b", "a/b"), ("/etc", "/etc")] {
        let log = Arc::default();
        let tool = script()
            .tool()
            .before_run(Rewrite("one", Arc::clone(&log)))
            .before_run(Rewrite("two", Arc::clone(&log)))
            .authorizer(Rewrite("auth", Arc::clone(&log)));
        let request = BashRequest::new("x").with_cwd(cwd);
        let report = call(tool, request, &Control::new()).await;
        let seen = log.lock().expect("log").clone();
        assert_eq!(
            seen,
            [
                "x".to_owned(),
                "one x".into(),
                format!("two one x in {display}")
            ]
        );
        assert_eq!(report.request.expect("a request").command, "x");
        assert_eq!(report.run.expect("it ran").command, "two one x");
    }
}

struct Replace;

impl AfterRunHook for Replace {
    fn id(&self) -> &str {
        "replace"
    }

    fn after_run<'a>(&'a self, ran: AfterRun<'a>) -> HookFuture<'a, AfterRunAnswer> {
        let mut output = ran.output.clone();
        output.head = "new\u{1b}[0m".into();
        let note = |code: &str| Note {
            code: code.into(),
            severity: Severity::Info,
            message: "mine".into(),
            data: None,
        };
        let notes = Some(vec![note("mine"), note("runner-lost")]);
        Box::pin(async {
            Ok(AfterRunAnswer {
                output: Some(output),
                notes,
            })
        })
    }
}

#[tokio::test]
async fn an_after_run_hook_replaces_view_and_notes_but_not_the_error() {
    let tool = Scripted::new(Then::Panic).tool().after_run(Replace);
    let report = call(tool, BashRequest::new("x"), &Control::new()).await;
    assert_eq!(report.error_code(), ("RUNNER_LOST", "run"));
    assert_eq!(report.note_codes(), ["mine", "runner-lost"]);
    assert_eq!(report.output.expect("it ran").head, "new[0m");
}

#[tokio::test]
async fn a_spill_that_fails_never_harms_the_command() {
    for (does, detail) in [
        (Does::Fail, "the disk is gone"),
        (Does::Panic, "the spill crashed"),
        (Does::Refuse, ""),
    ] {
        let tool = script().tool().spill(Hook(does));
        let report = call(tool, BashRequest::new("x"), &Control::new()).await;
        assert_eq!(report.status, "ok");
        let note = report.note("spill-failed").expect("the note");
        assert!(note.message.contains(detail), "{}", note.message);
        let output = report.output.as_ref().expect("it ran");
        assert_eq!(
            (output.head.as_str(), output.spill.as_deref()),
            ("done\n", None)
        );
    }
}

struct Broken;

impl bsh::format::Formatter for Broken {
    fn id(&self) -> &str {
        "broken"
    }

    fn format(&self, _: &bsh::Report, _: &bsh::ShellMessages) -> Result<String, HookFailure> {
        panic!("no text")
    }
}

#[tokio::test]
async fn a_formatter_that_fails_is_a_note_at_the_very_end() {
    let tool = script().tool().formatter(Broken);
    let report = call(tool, BashRequest::new("x"), &Control::new()).await;
    assert_eq!(report.status, "ok");
    assert_eq!(report.note_codes(), ["extension-failed"]);
    assert!(
        report
            .text()
            .starts_with("Exit code 0 · 0 s\ndone\n\n[bash:extension-failed] ")
    );
    let data = report.notes[0].data.as_ref().expect("data").to_string();
    assert_eq!(data, r#"{"extension":"formatter","id":"broken"}"#);
}

#[tokio::test]
async fn masks_hide_in_every_string() {
    let masks = bsh::output::Masks::new(["s3cret"], Vec::<String>::new()).expect("a pattern");
    let tool = Scripted::ending(Exit::with_code(0))
        .printing("s3cret\n")
        .tool()
        .masks(masks);
    let request = BashRequest::new("echo s3cret").with_cwd("/s3cret");
    let result = tool.build().call(request, &Control::new()).await;
    let json = bsh::format::to_json(&result);
    assert!(!json.contains("s3cret"), "{json}");
    assert!(json.contains(r#""command":"echo ***""#), "{json}");
}
