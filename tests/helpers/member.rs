//! A member of a process tree, shaped by its words: what a hostile or careless command does to processes.
//!
//! Words are obeyed from left to right. Whoever comes to `hang` or `stop` writes one byte to descriptor
//! 9, which the whole tree inherits: so a test knows that the tree stands, and by the end of that pipe
//! that it is gone.

// Leaving children unwaited for is what this program is for.
#![allow(clippy::zombie_processes)]

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::process::{Child, Command};

use nix::sys::signal::{SigSet, Signal, raise};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    obey(&words);
}

fn obey(words: &[String]) {
    let Some((word, rest)) = words.split_first() else {
        return;
    };
    match word.as_str() {
        // A session of its own.
        "session" => {
            // Whoever leads a group cannot, and goes on without.
            let _ = nix::unistd::setsid();
            obey(rest);
        }
        // A process group of its own.
        "group" => {
            let own = nix::unistd::Pid::from_raw(0);
            nix::unistd::setpgid(own, own).expect("a group can be made");
            obey(rest);
        }
        // Takes no notice of the signals that ask it to end.
        "ignore" => {
            asking_signals()
                .thread_block()
                .expect("signals can be blocked");
            obey(rest);
        }
        // A name of its own, as `ps` shows it.
        "name" => {
            let (name, rest) = rest.split_first().expect("a name follows");
            std::fs::write("/proc/self/comm", name).expect("a name can be set");
            obey(rest);
        }
        // Holds no pipe of its tree any more.
        "close" => {
            for number in (0..16).filter(|number| *number != 2) {
                let _ = nix::unistd::close(number);
            }
            obey(rest);
        }
        // That many children, and itself hangs.
        "times" => {
            let (count, rest) = rest.split_first().expect("a number follows");
            let count: usize = count.parse().expect("a number follows");
            let children: Vec<Child> = (0..count).map(|_| spawn(rest)).collect();
            hang();
            drop(children);
        }
        // A chain of that many, each the parent of the next.
        "chain" => {
            let (count, rest) = rest.split_first().expect("a number follows");
            match count.parse::<usize>().expect("a number follows") {
                0 => obey(rest),
                count => {
                    let shorter = ["chain".to_owned(), (count - 1).to_string()];
                    let _child = spawn(&[&shorter, rest].concat());
                    hang();
                }
            }
        }
        // Leaves a child behind and ends, so that the child is an orphan.
        "orphan" => {
            let _child = spawn(rest);
        }
        // Asked to end, it leaves a copy of itself behind.
        "respawn" => {
            let asking = asking_signals();
            asking.thread_block().expect("signals can be blocked");
            say_ready();
            asking.wait().expect("signals can be waited for");
            let _child = spawn(&["session".to_owned(), "respawn".to_owned()]);
        }
        // Makes children as fast as it can, which do the same.
        "bomb" => loop {
            let _ = Command::new(own_path()).arg("bomb").spawn();
        },
        // Is there and gone, and another one takes its place, for ever.
        "hop" => {
            let _child = spawn(&["hop".to_owned()]);
        }
        // Writes as much as anybody reads.
        "flood" => {
            let mut out = std::io::stdout().lock();
            while out.write_all(&[b'x'; 5000]).is_ok() && out.write_all(b"\n").is_ok() {}
            hang();
        }
        // Counts to that number, in turns of one to that many writes to the two outputs, and ends.
        "count" => {
            let number = |at: usize| -> usize {
                let word = rest.get(at).expect("a number follows");
                word.parse().expect("a number follows")
            };
            count(number(0), number(1));
        }
        "exit" => {}
        "stop" => {
            say_ready();
            raise(Signal::SIGSTOP).expect("a process can stop itself");
            hang();
        }
        "hang" => {
            say_ready();
            hang();
        }
        other => panic!("unknown word {other}"),
    }
}

fn count(numbers: usize, longest_turn: usize) {
    let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
    let outputs = [stdout.as_fd(), stderr.as_fd()];
    let mut number = 0;
    for turn in 0.. {
        for _ in 0..=turn * 5 % longest_turn {
            if number == numbers {
                return;
            }
            let line = format!("{number}\n");
            let written = nix::unistd::write(outputs[turn % 2], line.as_bytes());
            assert_eq!(written, Ok(line.len()));
            number += 1;
        }
    }
}

fn asking_signals() -> SigSet {
    use Signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    [SIGTERM, SIGINT, SIGHUP, SIGQUIT].into_iter().collect()
}

fn own_path() -> std::path::PathBuf {
    std::env::current_exe().expect("/proc is there")
}

fn spawn(words: &[String]) -> Child {
    Command::new(own_path())
        .args(words)
        .spawn()
        .expect("a process can be made")
}

fn say_ready() {
    let pipe = std::fs::OpenOptions::new()
        .write(true)
        .open("/proc/self/fd/9");
    match pipe {
        Ok(mut pipe) => pipe.write_all(b"r").expect("descriptor 9 is a pipe"),
        // Closed by itself or its parent.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    }
}

fn hang() {
    loop {
        std::thread::park();
    }
}
