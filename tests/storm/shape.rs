//! One random call: the shape of its tree, its flags, and how it is stopped.

use nix::sys::signal::Signal;

use crate::random::Random;

/// How a call is stopped, or what else befalls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Timeout,
    Abort(Signal),
    AbortTwice(Signal, Signal),
    OutputCap,
    KillBsh,
    /// Stops bsh, and continues it after so many milliseconds; then the timeout comes.
    FreezeBsh(u64),
    SuspendBsh(u64),
    /// Stops the watcher for good; then the timeout comes.
    FreezeWatcher,
    KillWatcher,
    /// The reader of the report goes away.
    CloseStdout,
    /// Nothing: the shell ends by itself.
    Nothing,
}

#[derive(Debug)]
pub struct Shape {
    pub line: String,
    pub stop: Stop,
    pub timeout_ms: u64,
    pub grace_ms: u64,
    pub cap_bytes: u64,
    /// Milliseconds from the start to the stop.
    pub delay_ms: u64,
    pub stop_background: bool,
    pub usage: bool,
    /// The shell may end by itself, or signal itself or its watcher, before anything stops it.
    pub may_end: bool,
    pub may_lose_watcher: bool,
}

const ABORTS: [Signal; 4] = [
    Signal::SIGTERM,
    Signal::SIGINT,
    Signal::SIGHUP,
    Signal::SIGQUIT,
];

impl Shape {
    pub fn random(random: &mut Random) -> Self {
        let stop = match random.below(16) {
            0..=3 => Stop::Timeout,
            4..=5 => Stop::Abort(random.pick(&ABORTS)),
            6 => Stop::AbortTwice(random.pick(&ABORTS), random.pick(&ABORTS)),
            7 => Stop::OutputCap,
            8..=9 => Stop::KillBsh,
            10 => Stop::FreezeBsh(random.below(150)),
            11 => Stop::SuspendBsh(random.below(150)),
            12 => Stop::FreezeWatcher,
            13 => Stop::KillWatcher,
            14 => Stop::CloseStdout,
            _ => Stop::Nothing,
        };
        let mut shape = Self {
            line: String::new(),
            stop,
            timeout_ms: 60_000,
            grace_ms: 1 + random.below(120),
            cap_bytes: 1_000 + random.below(300_000),
            delay_ms: random.below(80),
            stop_background: random.once_in(3),
            usage: random.once_in(3),
            may_end: false,
            may_lose_watcher: stop == Stop::KillWatcher,
        };
        if matches!(
            stop,
            Stop::Timeout | Stop::FreezeBsh(_) | Stop::SuspendBsh(_) | Stop::FreezeWatcher
        ) {
            shape.timeout_ms = 5 + random.below(250);
        }
        shape.may_end = stop != Stop::OutputCap && (stop == Stop::Nothing || random.once_in(8));
        shape.line = shape.write(random);
        shape
    }

    fn write(&mut self, random: &mut Random) -> String {
        // What goes on has to be found afterwards, so it must not change its pid all the time.
        let restless = !self.may_end || self.stop_background;
        let member = |random: &mut Random| member(random, restless);
        let mut parts = Vec::new();
        parts.push(match random.below(8) {
            0 => "trap '' TERM INT HUP QUIT".to_owned(),
            1 => "trap 'echo bye; exit 3' TERM".to_owned(),
            2 => "trap : TERM".to_owned(),
            3 => format!("trap '{} & exit' TERM", member(random)),
            _ => ":".to_owned(),
        });
        if random.once_in(6) {
            parts.push("set -m".to_owned());
        }
        for _ in 0..random.below(5) {
            parts.push(piece(random, &member));
        }
        if restless && random.once_in(25) {
            parts.push("hop() { hop & }; hop".to_owned());
        }
        if self.stop != Stop::OutputCap && random.once_in(10) {
            parts.push("exec 1>&-".to_owned());
        }
        // A shell that starts when its watcher has been killed already has bsh for its parent.
        let has_watcher = self.stop != Stop::KillWatcher;
        match random.below(30) {
            _ if !has_watcher => {}
            0 => parts.push("kill -TERM $PPID".to_owned()),
            // Both killed at once is the one hole, and a watcher that is stopped after bsh was killed.
            1 if self.stop != Stop::KillBsh => parts.push("kill -STOP $PPID".to_owned()),
            2 if self.stop != Stop::KillBsh => {
                self.may_lose_watcher = true;
                parts.push("kill -KILL $PPID".to_owned());
            }
            _ => {}
        }
        parts.push(self.ending(random));
        parts.join("\n")
    }

    fn ending(&self, random: &mut Random) -> String {
        if self.stop == Stop::OutputCap {
            return random
                .pick(&["exec yes", "while echo line; do :; done", "cat /dev/zero"])
                .to_owned();
        }
        if self.may_end {
            return match random.below(4) {
                0 => "kill -KILL $$".to_owned(),
                1 => "exec \"$member\" exit".to_owned(),
                _ => format!("exit {}", random.below(256)),
            };
        }
        let hangs = [
            "while :; do wait; sleep 0.01; done",
            "exec \"$member\" hang",
            "while :; do sleep 0.01; done",
            "kill -STOP $$; exec \"$member\" hang",
            "exec \"$member\" stop",
            "\"$member\" hang; exec \"$member\" hang",
            "\"$member\" flood; exec \"$member\" hang",
            "echo some text; echo more >&2; exec \"$member\" ignore hang",
        ];
        random.pick(&hangs).to_owned()
    }
}

/// A command that starts some members and goes on.
fn piece(random: &mut Random, member: &dyn Fn(&mut Random) -> String) -> String {
    let member = member(random);
    match random.below(8) {
        0 => format!("({member} &)"),
        1 => format!("setsid {member} &"),
        2 => format!("nohup {member} >/dev/null 2>&1 & disown -a"),
        3 => format!("(setsid sh -c '{member} &' </dev/null >/dev/null 2>&1 &)"),
        4 => format!("{member} | {member} &"),
        5 => format!("exec 3< <({member})"),
        _ => format!("{member} &"),
    }
}

/// The helper program and its words.
fn member(random: &mut Random, restless: bool) -> String {
    let mut words = vec!["\"$member\"".to_owned()];
    let mut crowd = 1;
    for _ in 0..random.below(5) {
        match random.below(8) {
            0 => words.push("session".to_owned()),
            1 => words.push("group".to_owned()),
            2 => words.push("ignore".to_owned()),
            3 => words.push("orphan".to_owned()),
            4 => words.push("close".to_owned()),
            5 => words.push("name \") S 1 (\"".to_owned()),
            6 if crowd == 1 => {
                crowd = 1 + random.below(6);
                words.push(format!("times {crowd}"));
            }
            _ => words.push(format!("chain {}", random.below(4))),
        }
    }
    let ends = [
        "hang", "hang", "hang", "stop", "respawn", "flood", "exit", "hop",
    ];
    let choices = if restless { ends.len() } else { ends.len() - 1 };
    words.push(random.pick(&ends[..choices]).to_owned());
    words.join(" ")
}
