//! How the ssh runner runs commands.

use crate::runner::local::{Background, StopSignal};
use crate::runner::ssh::SshHost;

/// The settings of an [`crate::runner::ssh::SshRunner`]. All of them are meant on the other machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSettings {
    /// Where.
    pub host: SshHost,
    /// The shell there: a path, or a name on the PATH of the session.
    pub shell: String,
    /// What a stop begins with.
    pub stop_signal: StopSignal,
    /// What becomes of processes that still run when the shell has ended by itself.
    pub background: Background,
    /// Measure what the tree used; only with `bsh` there.
    pub usage: bool,
    /// This process is a subreaper that does nothing but run commands: see
    /// [`crate::runner::local::LocalSettings::adopt_orphans`].
    pub adopt_orphans: bool,
}

impl SshSettings {
    /// The defaults, for this host.
    pub fn new(host: SshHost) -> Self {
        Self {
            host,
            shell: "bash".to_owned(),
            stop_signal: StopSignal::default(),
            background: Background::Keep,
            usage: false,
            adopt_orphans: false,
        }
    }
}
