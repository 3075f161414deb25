//! `--events`: one JSON object a line, as things happen, and the report last.
//!
//! A thread writes them, so that a slow reader holds up neither the clock of the run nor a stop; the
//! command has to wait for it, as for any reader of a pipe. With masks the bytes are no longer raw: each
//! stream comes as cleaned text in whole lines, in which secrets are hidden as in the report.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bsh::format::to_json;
use bsh::observer::{CaughtUp, Progress, Snapshot};
use bsh::output::Masks;
use bsh::runner::Stream;
use bsh::{Observer, ShellResult, ShellRun, stdio};
use tokio::sync::Notify;

use crate::session::Exit;
use crate::session::hooks::MaskedText;
use crate::session::print::{failed_write, not_written};
use crate::session::screen::ScreenWatcher;

/// Bytes of output that may wait for the reader before the command has to.
const MOST_WAITING: usize = 256 * 1024;

/// The screen and the events of one call.
pub struct Watching {
    pub screen: ScreenWatcher,
    pub events: EventObserver,
}

impl Observer for Watching {
    fn starting(&self, start: &Snapshot) {
        self.screen.starting(start);
        self.events.starting(start);
    }

    fn asks_for_start(&self) -> bool {
        true
    }

    fn started(&self) {
        self.screen.started();
        self.events.started();
    }

    fn is_behind(&self) -> bool {
        self.events.is_behind()
    }

    fn caught_up(&self) -> CaughtUp<'_> {
        self.events.caught_up()
    }

    fn chunk(&self, stream: Stream, bytes: &[u8]) {
        self.screen.chunk(stream, bytes);
        self.events.chunk(stream, bytes);
    }

    fn text(&self, text: &str) {
        self.screen.text(text);
    }

    fn progress(&self, progress: &Progress) {
        self.screen.progress(progress);
    }

    fn snapshot(&self, snapshot: &Snapshot) {
        self.screen.snapshot(snapshot);
    }

    fn ended(&self) {
        self.screen.ended();
        self.events.ended();
    }
}

/// The last line: the report.
pub fn end_line(result: &ShellResult) -> String {
    format!(r#"{{"t":"end","result":{}}}"#, to_json(result))
}

enum Event {
    /// One line, and how many bytes of output it stands for.
    Line(String, usize),
    End,
}

/// How much waits for the writer.
#[derive(Default)]
struct Queue {
    waiting: AtomicUsize,
    /// Nothing can be written any more.
    broken: AtomicBool,
    taken: Notify,
    /// Kept until somebody waits for it.
    broke: Notify,
}

/// The writer of events.
pub struct Events {
    events: mpsc::Sender<Event>,
    queue: Arc<Queue>,
    writer: JoinHandle<io::Result<()>>,
}

impl Events {
    /// Starts the writer.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn begin() -> io::Result<Self> {
        let (events, receiver) = mpsc::channel();
        let queue = Arc::new(Queue::default());
        let shared = Arc::clone(&queue);
        let writer = std::thread::Builder::new()
            .name("bsh-events".to_owned())
            .spawn(move || write_all(&receiver, &shared))?;
        Ok(Self {
            events,
            queue,
            writer,
        })
    }

    /// What turns a call into events.
    pub fn observer(&self, masks: &Masks) -> EventObserver {
        EventObserver {
            events: self.events.clone(),
            queue: Arc::clone(&self.queue),
            run: Mutex::new(None),
            texts: (!masks.is_empty()).then(|| {
                let text = || MaskedText::new(masks);
                Mutex::new([text(), text()])
            }),
        }
    }

    /// Returns when nothing can be written any more; to be waited for once.
    pub async fn broken(&self) {
        self.queue.broke.notified().await;
    }

    /// Writes the report, and waits until all is written; `exit` stands when that works.
    pub fn end(self, result: &ShellResult, exit: Exit) -> Exit {
        // A writer that is gone has said why.
        let _ = self.events.send(Event::Line(end_line(result), 0));
        let _ = self.events.send(Event::End);
        match self.writer.join() {
            Ok(Ok(())) => exit,
            Ok(Err(error)) => failed_write("the events", &error),
            Err(_) => not_written("the events", "their writer failed"),
        }
    }
}

fn write_all(events: &mpsc::Receiver<Event>, queue: &Queue) -> io::Result<()> {
    let written = write_until_end(events, queue);
    if written.is_err() {
        queue.broken.store(true, Ordering::Release);
        queue.taken.notify_waiters();
        queue.broke.notify_one();
    }
    written
}

fn write_until_end(events: &mpsc::Receiver<Event>, queue: &Queue) -> io::Result<()> {
    while let Ok(Event::Line(mut line, bytes)) = events.recv() {
        if stdio::stdout_was_closed() {
            return Err(io::Error::other("it is closed"));
        }
        line.push('\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(line.as_bytes())?;
        stdout.flush()?;
        queue.waiting.fetch_sub(bytes, Ordering::AcqRel);
        queue.taken.notify_waiters();
    }
    Ok(())
}

/// Sees a call, and queues an event for each thing that happens.
pub struct EventObserver {
    events: mpsc::Sender<Event>,
    queue: Arc<Queue>,
    /// What is about to start.
    run: Mutex<Option<ShellRun>>,
    /// Of each stream, when secrets are hidden.
    texts: Option<Mutex<[MaskedText; 2]>>,
}

impl EventObserver {
    fn send(&self, line: String, bytes: usize) {
        self.queue.waiting.fetch_add(bytes, Ordering::AcqRel);
        // A writer that is gone has said why.
        let _ = self.events.send(Event::Line(line, bytes));
    }

    fn send_bytes(&self, stream: Stream, bytes: &[u8]) {
        let name = match stream {
            Stream::Stdout => "out",
            Stream::Stderr => "err",
        };
        let line = format!(r#"{{"t":"{name}","b64":"{}"}}"#, STANDARD.encode(bytes));
        self.send(line, bytes.len());
    }

    /// Takes bytes of a stream; no bytes are its end.
    fn take(&self, stream: Stream, bytes: &[u8]) {
        let Some(texts) = &self.texts else {
            if !bytes.is_empty() {
                self.send_bytes(stream, bytes);
            }
            return;
        };
        let mut texts = texts.lock().unwrap_or_else(PoisonError::into_inner);
        let [out, err] = &mut *texts;
        let text = match stream {
            Stream::Stdout => out.push(stream, bytes),
            Stream::Stderr => err.push(stream, bytes),
        };
        if !text.is_empty() {
            self.send_bytes(stream, text.as_bytes());
        }
    }
}

impl Observer for EventObserver {
    fn starting(&self, start: &Snapshot) {
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = start.run.clone();
    }

    fn started(&self) {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        // Plain strings and numbers always become JSON.
        let run = serde_json::to_string(&*run).unwrap_or_default();
        self.send(format!(r#"{{"t":"start","run":{run}}}"#), 0);
    }

    fn chunk(&self, stream: Stream, bytes: &[u8]) {
        self.take(stream, bytes);
    }

    fn ended(&self) {
        self.take(Stream::Stdout, &[]);
        self.take(Stream::Stderr, &[]);
    }

    fn is_behind(&self) -> bool {
        self.queue.waiting.load(Ordering::Acquire) > MOST_WAITING
            && !self.queue.broken.load(Ordering::Acquire)
    }

    fn caught_up(&self) -> CaughtUp<'_> {
        Box::pin(async {
            loop {
                let mut taken = std::pin::pin!(self.queue.taken.notified());
                // Listens before it looks, so that nothing is missed in between.
                taken.as_mut().enable();
                if !self.is_behind() {
                    return;
                }
                taken.await;
            }
        })
    }
}
