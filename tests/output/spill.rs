//! The spill: what is saved, what is refused, and that no sink ever holds up the command.

use std::fs;
use std::future::Future;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use bsh::output::{Spill, SpillOutcome, SpillSink, SpillTarget};
use bsh::runner::Stream::{self, Stderr, Stdout};

/// A folder that goes away with its guard.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bsh-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        Self(path)
    }

    /// The same, but like `/tmp`.
    fn shared(name: &str) -> Self {
        let folder = Self::new(name);
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o1777)).unwrap();
        folder
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(future)
}

fn open(target: SpillTarget) -> io::Result<Spill> {
    block_on(Spill::open(target))
}

fn spill(target: SpillTarget, chunks: &[(Stream, &[u8])]) -> SpillOutcome {
    block_on(async {
        let mut spill = Spill::open(target).await.unwrap();
        for (stream, bytes) in chunks {
            spill.push(*stream, bytes).await;
        }
        spill.finish().await
    })
}

fn refusal(target: SpillTarget) -> String {
    match open(target) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error.to_string(),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn every_byte_is_saved_in_order() {
    let folder = Folder::new("order");
    let path = folder.join("log");
    let chunks: Vec<(Stream, Vec<u8>)> = (0..2_000u32)
        .map(|n| {
            let stream = if n % 3 == 0 { Stderr } else { Stdout };
            (stream, vec![n as u8; (n as usize * 37) % 5_000])
        })
        .chain([(Stdout, vec![b'x'; 3_000_000])])
        .collect();
    let borrowed: Vec<(Stream, &[u8])> = chunks.iter().map(|(s, b)| (*s, &b[..])).collect();
    let outcome = spill(SpillTarget::File(path.clone()), &borrowed);
    assert_eq!(outcome.failed, None);
    assert_eq!(outcome.path, Some(path.to_string_lossy().into_owned()));
    let all: Vec<u8> = chunks.into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(fs::read(&path).unwrap() == all);
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_file_that_exists_is_emptied() {
    let folder = Folder::new("emptied");
    let path = folder.join("log");
    fs::write(&path, "something long from an earlier run").unwrap();
    spill(SpillTarget::File(path.clone()), &[(Stdout, b"new")]);
    assert_eq!(fs::read(&path).unwrap(), b"new");
    // A link of the user's own is followed, to what does not exist yet too.
    let link = folder.join("link");
    symlink(folder.join("target"), &link).unwrap();
    for _ in 0..2 {
        let outcome = spill(SpillTarget::File(link.clone()), &[(Stdout, b"linked")]);
        assert_eq!(outcome.failed, None);
        assert_eq!(fs::read(folder.join("target")).unwrap(), b"linked");
    }
}

#[test]
fn a_folder_gets_fresh_files_with_names_of_their_own() {
    let folder = Folder::new("fresh");
    let target = || SpillTarget::Dir(folder.0.clone());
    let first = spill(target(), &[(Stdout, b"one")]).path.unwrap();
    let second = spill(target(), &[]).path.unwrap();
    assert_ne!(first, second);
    for (path, content) in [(first, "one"), (second, "")] {
        let path = PathBuf::from(path);
        assert_eq!(path.parent(), Some(&*folder.0));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("bsh-") && name.ends_with(".log"), "{name}");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn what_cannot_be_opened_is_said_in_a_sentence() {
    let folder = Folder::new("refused");
    let text = refusal(SpillTarget::File(folder.join("no/such/log")));
    assert!(
        text.ends_with("/no/such/log: No such file or directory"),
        "{text}"
    );
    let text = refusal(SpillTarget::Dir(folder.join("no")));
    assert!(text.ends_with("No such file or directory"), "{text}");
    let text = refusal(SpillTarget::File(folder.0.clone()));
    assert!(text.ends_with("Is a directory"), "{text}");
    let fifo = folder.join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let text = refusal(SpillTarget::File(fifo));
    assert!(text.ends_with("nobody reads this FIFO"), "{text}");
}

#[test]
fn a_fifo_with_a_reader_gets_everything() {
    let folder = Folder::new("fifo");
    let fifo = folder.join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    // Opened for both, so that neither end waits for the other.
    let mut both = fs::File::options()
        .read(true)
        .write(true)
        .open(&fifo)
        .unwrap();
    let target = SpillTarget::File(fifo.clone());
    let bytes = vec![b'f'; 1_000_000];
    let reader = std::thread::spawn(move || {
        let mut got = vec![0; 1_000_000];
        io::Read::read_exact(&mut both, &mut got).unwrap();
        (both, got)
    });
    let outcome = spill(target, &[(Stdout, &bytes)]);
    assert_eq!(outcome.failed, None);
    assert!(reader.join().unwrap().1 == bytes);
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
}

#[test]
fn a_reader_that_goes_away_does_not_kill() {
    let folder = Folder::new("pipe");
    let fifo = folder.join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let both = fs::File::options()
        .read(true)
        .write(true)
        .open(&fifo)
        .unwrap();
    let outcome = block_on(async {
        let mut spill = Spill::open(SpillTarget::File(fifo.clone())).await.unwrap();
        drop(both);
        spill.push(Stdout, b"x").await;
        spill.finish().await
    });
    let detail = outcome.failed.unwrap();
    assert!(detail.starts_with("Broken pipe"), "{detail}");
}

#[test]
fn links_in_a_shared_folder_are_not_followed() {
    let shared = Folder::shared("links");
    let private = Folder::new("links-target");
    symlink(private.join("log"), shared.join("log")).unwrap();
    symlink(&private.0, shared.join("dir")).unwrap();
    for target in [
        SpillTarget::File(shared.join("log")),
        SpillTarget::File(shared.join("dir/log")),
        SpillTarget::File(shared.join("dir/../log")),
        SpillTarget::Dir(shared.join("dir")),
    ] {
        let text = refusal(target);
        assert!(text.contains("symbolic link"), "{text}");
    }
    assert_eq!(fs::read_dir(&private.0).unwrap().count(), 0);
    // A file of one's own there is as good as anywhere.
    let outcome = spill(SpillTarget::File(shared.join("mine")), &[(Stdout, b"x")]);
    assert_eq!(outcome.failed, None);
}

#[test]
fn a_strangers_file_in_a_shared_folder_is_not_used() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let shared = Folder::shared("stranger");
    let path = shared.join("log");
    fs::write(&path, "theirs").unwrap();
    std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
    // The kernel may refuse it first (fs.protected_regular).
    refusal(SpillTarget::File(path.clone()));
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
}

#[test]
fn a_full_disk_is_said_and_nothing_else_happens() {
    let outcome = spill(
        SpillTarget::File("/dev/full".into()),
        &[(Stdout, b"x"), (Stderr, b"y")],
    );
    assert_eq!(outcome.path, None);
    let detail = outcome.failed.unwrap();
    assert!(detail.starts_with("No space left on device;"), "{detail}");
}

#[test]
fn a_file_that_vanished_is_said() {
    let folder = Folder::new("vanished");
    let inner = folder.join("inner");
    fs::create_dir(&inner).unwrap();
    let outcome = block_on(async {
        let mut spill = Spill::open(SpillTarget::Dir(inner.clone())).await.unwrap();
        spill.push(Stdout, b"x").await;
        fs::remove_dir_all(&inner).unwrap();
        spill.push(Stdout, b"y").await;
        spill.finish().await
    });
    assert_eq!(outcome.path, None);
    assert!(outcome.failed.unwrap().contains("removed"));
}

#[test]
fn a_command_that_did_not_start_leaves_no_file() {
    let folder = Folder::new("discard");
    block_on(async {
        for target in [
            SpillTarget::Dir(folder.0.clone()),
            SpillTarget::File(folder.join("new")),
        ] {
            Spill::open(target).await.unwrap().discard().await;
        }
    });
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
}

/// Set for the child of the next test.
const CHILD: &str = "BSH_TEST_SPILL_PAST_ITS_LIMIT";

#[test]
fn a_file_size_limit_does_not_kill_the_process() {
    if let Some(path) = std::env::var_os(CHILD) {
        // The limit is the process's, so this half runs in one of its own.
        use nix::sys::resource::{Resource, setrlimit};
        setrlimit(Resource::RLIMIT_FSIZE, 100_000, 100_000).unwrap();
        let outcome = spill(
            SpillTarget::File(path.into()),
            &[(Stdout, &vec![b'x'; 300_000])],
        );
        let detail = outcome.failed.unwrap();
        assert!(detail.starts_with("File too large;"), "{detail}");
        // The signal stayed with the thread that wrote: neither here nor the process's.
        let status = fs::read_to_string("/proc/self/status").unwrap();
        for set in ["SigPnd:", "ShdPnd:"] {
            let line = status.lines().find(|line| line.starts_with(set)).unwrap();
            assert_eq!(line.split_whitespace().nth(1), Some("0000000000000000"));
        }
        return;
    }
    let folder = Folder::new("limit");
    let path = folder.join("log");
    let name = format!(
        "{}::a_file_size_limit_does_not_kill_the_process",
        module_path!()
    );
    let name = name.split_once("::").map_or(&*name, |(_, inner)| inner);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .args(["--test-threads", "1"])
        .env(CHILD, &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    // What there was room for stays.
    assert_eq!(fs::metadata(&path).unwrap().len(), 100_000);
}

type Pieces = Vec<(Stream, Vec<u8>)>;

/// A sink that keeps what it gets and can be held up, fail or crash.
#[derive(Default)]
struct Sink {
    got: Arc<Mutex<Pieces>>,
    /// Blocks the first write until its sender goes away.
    gate: Option<mpsc::Receiver<()>>,
    crash: bool,
}

impl SpillSink for Sink {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        assert!(!self.crash, "a sink that crashes");
        if let Some(gate) = self.gate.take() {
            let _ = gate.recv();
        }
        self.got.lock().unwrap().push((stream, bytes.to_vec()));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<Option<String>> {
        Ok(None)
    }
}

#[test]
fn a_callers_sink_gets_the_streams_apart() {
    let sink = Sink::default();
    let got = Arc::clone(&sink.got);
    let outcome = block_on(async {
        let mut spill = Spill::with_sink(Box::new(sink)).unwrap();
        for (stream, bytes) in [(Stdout, "a"), (Stdout, "b"), (Stderr, "c"), (Stdout, "d")] {
            spill.push(stream, bytes.as_bytes()).await;
        }
        spill.finish().await
    });
    assert_eq!(outcome, SpillOutcome::default());
    let mut joined = Pieces::new();
    for (stream, bytes) in got.lock().unwrap().drain(..) {
        match joined.last_mut() {
            Some((last, all)) if *last == stream => all.extend(bytes),
            _ => joined.push((stream, bytes)),
        }
    }
    let expected = [(Stdout, "ab"), (Stderr, "c"), (Stdout, "d")];
    assert_eq!(joined, expected.map(|(stream, text)| (stream, text.into())));
}

#[test]
fn a_sink_that_stands_still_is_given_up() {
    let (open_gate, gate) = mpsc::channel();
    let sink = Sink {
        gate: Some(gate),
        ..Sink::default()
    };
    let outcome = block_on(async {
        let mut spill = Spill::with_sink(Box::new(sink)).unwrap();
        // Far more than the queue holds: if each push waited its second, this would take hours.
        for _ in 0..10_000 {
            spill.push(Stdout, &[b'x'; 60_000]).await;
        }
        spill.finish().await
    });
    assert!(outcome.failed.unwrap().contains("nothing for a second"));
    drop(open_gate);
}

#[test]
fn a_sink_that_stands_still_at_the_end_is_given_up() {
    let (_open_gate, gate) = mpsc::channel();
    let sink = Sink {
        gate: Some(gate),
        ..Sink::default()
    };
    let outcome = block_on(async {
        let mut spill = Spill::with_sink(Box::new(sink)).unwrap();
        spill.push(Stdout, b"x").await;
        spill.finish().await
    });
    assert_eq!(
        outcome.failed.as_deref(),
        Some("the spill took nothing for a second; what was saved is incomplete")
    );
}

#[test]
fn a_sink_that_crashes_is_said() {
    let sink = Sink {
        crash: true,
        ..Sink::default()
    };
    let outcome = block_on(async {
        let mut spill = Spill::with_sink(Box::new(sink)).unwrap();
        spill.push(Stdout, b"x").await;
        spill.finish().await
    });
    assert_eq!(outcome.failed.as_deref(), Some("the spill crashed"));
}

#[test]
fn a_push_that_is_dropped_while_it_waits_loses_nothing() {
    let (open_gate, gate) = mpsc::channel();
    let sink = Sink {
        gate: Some(gate),
        ..Sink::default()
    };
    let got = Arc::clone(&sink.got);
    let outcome = block_on(async {
        let mut spill = Spill::with_sink(Box::new(sink)).unwrap();
        for n in 0..20u8 {
            let bytes = [n; 60_000];
            tokio::select! {
                biased;
                () = spill.push(Stdout, &bytes) => {}
                () = std::future::ready(()) => {}
            }
        }
        drop(open_gate);
        spill.finish().await
    });
    assert_eq!(outcome.failed, None);
    let got = got.lock().unwrap();
    let all: Vec<u8> = got.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    let expected: Vec<u8> = (0..20u8).flat_map(|n| [n; 60_000]).collect();
    assert!(all == expected);
}
