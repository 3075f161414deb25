//! An OpenSSH server on loopback, with keys and configuration of its own.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::harness::process::Bsh;
use crate::harness::script::{folder, script};

/// What the far side has.
#[derive(Clone, Copy, PartialEq)]
pub enum Far {
    /// This bsh, on the PATH of its sessions.
    WithBsh,
    WithoutBsh,
}

/// A server under way; it ends with this.
pub struct Sshd {
    server: Child,
    folder: PathBuf,
    pub port: u16,
}

fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let mut files = folders.into_iter().map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

fn keygen(file: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(file)
        .status();
    assert!(made.expect("ssh-keygen").success());
}

impl Sshd {
    /// Starts one; none where there is no sshd.
    pub fn start(name: &str, far: Far) -> Option<Self> {
        let Some(sshd) = find("sshd") else {
            eprintln!("skipped: there is no sshd");
            return None;
        };
        let folder = folder(&format!("sshd-{name}"));
        for key in ["host", "user"] {
            keygen(&folder.join(key));
        }
        let bin = folder.join("bin");
        std::fs::create_dir(&bin).expect("a folder");
        let mut path = "/usr/bin:/bin".to_owned();
        if far == Far::WithBsh {
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_bsh"), bin.join("bsh")).expect("a link");
            path = format!("{}:{path}", bin.display());
        }
        if nix::unistd::geteuid().is_root() {
            std::fs::create_dir_all("/run/sshd").expect("a folder");
        }
        // The port may be taken again before sshd has it; then another one is tried.
        for _ in 0..10 {
            let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            let port = socket.local_addr().expect("an address").port();
            drop(socket);
            let at = |file: &str| folder.join(file).display().to_string();
            let config = format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
                 StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n\
                 SetEnv PATH={path} FAR=\"far away\"\nPrintMotd no\n",
                at("host"),
                at("user.pub"),
            );
            std::fs::write(folder.join("sshd_config"), config).expect("a file");
            let mut server = Command::new(&sshd)
                .args(["-D", "-e", "-f"])
                .arg(folder.join("sshd_config"))
                .stdin(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("sshd starts");
            let mut lines = BufReader::new(server.stderr.take().expect("a pipe")).lines();
            let listens = lines
                .by_ref()
                .map_while(Result::ok)
                .any(|line| line.contains("listening on"));
            if !listens {
                let _ = server.wait();
                continue;
            }
            // Its words are read on, so that it never waits for a full pipe.
            std::thread::spawn(move || lines.for_each(drop));
            let key = std::fs::read_to_string(folder.join("host.pub")).expect("a key");
            let known = format!("[127.0.0.1]:{port} {key}");
            std::fs::write(folder.join("known_hosts"), known).expect("a file");
            return Some(
                Self {
                    server,
                    folder,
                    port,
                }
                .with_client(),
            );
        }
        panic!("sshd finds no port");
    }

    /// An `ssh` that reads a configuration of its own, in which the alias `far` is this server.
    fn with_client(self) -> Self {
        let user = nix::unistd::User::from_uid(nix::unistd::geteuid());
        let user = user.expect("a user").expect("a user").name;
        let at = |file: &str| self.folder.join(file).display().to_string();
        let config = format!(
            "Host far\n  HostName 127.0.0.1\n  Port {}\n  User {user}\n  IdentityFile {}\n  IdentitiesOnly yes\n  \
             UserKnownHostsFile {}\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n",
            self.port,
            at("user"),
            at("known_hosts"),
        );
        std::fs::write(self.folder.join("ssh_config"), config).expect("a file");
        std::fs::create_dir(self.folder.join("client")).expect("a folder");
        let real = find("ssh").expect("ssh is where sshd is");
        let text = format!(
            "#!/bin/sh\nexec '{}' -F '{}' \"$@\"\n",
            real.display(),
            at("ssh_config")
        );
        let name = self.folder.file_name().expect("a name").to_string_lossy();
        script(&format!("{name}/client/ssh"), &text);
        self
    }

    pub fn known_hosts(&self) -> PathBuf {
        self.folder.join("known_hosts")
    }

    /// A `bsh` that finds that `ssh`.
    pub fn client(&self, bsh: Bsh) -> Bsh {
        let mut path = OsString::from(self.folder.join("client"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        bsh.env("PATH", path)
    }

    /// The processes of connections: children of the server.
    pub fn connections(&self) -> Vec<i32> {
        let pid = self.server.id();
        let file = format!("/proc/{pid}/task/{pid}/children");
        let children = std::fs::read_to_string(file).unwrap_or_default();
        children
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
