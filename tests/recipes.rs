//! The recipes of the README, each really run.

use std::path::Path;
use std::process::Command;

use crate::harness::tools::{find, has_all, new_folder, with_bsh_on_path};

fn recipe(file: &str) -> String {
    format!("{}/examples/recipes/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command with `bsh` on its path; gives its exit code and all that it printed.
fn run(program: &str, args: &[&str], folder: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("LC_ALL", "C");
    // Whoever runs these tests by make or git is not to be seen by ours.
    for name in [
        "MAKEFLAGS",
        "MAKELEVEL",
        "MFLAGS",
        "GIT_DIR",
        "GIT_INDEX_FILE",
    ] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    with_bsh_on_path(&mut command);
    let output = command.output().expect("it is there");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

#[test]
fn make_runs_its_lines_through_bsh() {
    if !has_all("the recipe with make", &["make"]) {
        return;
    }
    let folder = new_folder("recipe-make");
    let (code, text) = run("make", &["-f", &recipe("Makefile")], &folder);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\nbuilt by bash\n"), "{text}");
    assert!(text.ends_with("\ndone\n"), "{text}");
}

#[test]
fn make_without_its_flags_is_told_what_to_do() {
    if !has_all("the recipe with make", &["make"]) {
        return;
    }
    let folder = new_folder("recipe-make-wrong");
    std::fs::write(
        folder.join("Makefile"),
        "SHELL := bsh\nall:\n\t@echo hi; true\n",
    )
    .expect("a file");
    let (code, text) = run("make", &[], &folder);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("bsh: there is no -c, the command comes first: bsh 'echo hi; true'"),
        "{text}"
    );
}

#[test]
fn git_bisect_misreads_neither_a_timeout_nor_an_error() {
    if !has_all("the recipe with git bisect", &["git", "jq"]) {
        return;
    }
    let folder = new_folder("recipe-bisect");
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let (code, text) = run("git", &[&who, args].concat(), &folder);
        assert_eq!(code, Some(0), "{args:?}: {text}");
        text
    };
    git(&["init", "-q", "-b", "main"]);
    // Good, cannot be built, hangs, bad, bad.
    let tests = ["exit 0", "exit 125", "sleep 60", "exit 1", "exit 124"];
    for (index, test) in tests.iter().enumerate() {
        std::fs::write(folder.join("test.sh"), format!("{test} # {index}\n")).expect("a file");
        git(&["add", "test.sh"]);
        git(&["commit", "-q", "-m", &format!("commit {index}")]);
    }
    let step = std::fs::read_to_string(recipe("bisect-step")).expect("the recipe");
    // Not five minutes for the one that hangs.
    let short = step.replace("-t 5m", "-t 500ms");
    assert_ne!(step, short);
    std::fs::write(folder.join("step"), short).expect("a file");
    let try_step = |line: &str| run("sh", &["step", line], &folder).0;
    assert_eq!(try_step("exit 0"), Some(0));
    assert_eq!(try_step("exit 124"), Some(1));
    assert_eq!(try_step("exit 125"), Some(125));
    assert_eq!(try_step("sleep 60"), Some(125));
    assert_eq!(try_step("  "), Some(128));
    git(&["bisect", "start", "main", "main~4"]);
    let (_, text) = run(
        "git",
        &["bisect", "run", "sh", "step", "bash test.sh"],
        &folder,
    );
    // The first bad one is the fourth, or one of the two that were skipped.
    let log = git(&["bisect", "log"]);
    assert!(
        text.contains("only 'skip'ped commits left") || text.contains("There are only"),
        "{text}\n{log}"
    );
    assert!(
        log.contains("# possible first bad commit") && log.contains("commit 3"),
        "{text}\n{log}"
    );
}

#[test]
fn parallel_runs_it_on_several_hosts() {
    let needs = ["parallel", "sshd", "ssh", "ssh-keygen", "jq"];
    if !has_all("the recipe with parallel", &needs) {
        return;
    }
    let folder = new_folder("recipe-parallel");
    let server = Server::start(&folder);
    let line = "parallel --will-cite --nonall --ssh \"ssh -F config\" -S one,two \
                --env PATH 'bsh --json -t 30s \"echo on \\$SSH_CONNECTION | wc -w; exit 3\"' | jq -c '[.status, .run.exitCode, .output.head]'";
    let (code, text) = run("bash", &["-c", line], &folder);
    drop(server);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text, "[\"failed\",3,\"5\\n\"]\n".repeat(2));
}

/// An sshd of the test's own, on loopback, with keys of its own, that two names lead to.
struct Server(std::process::Child);

impl Server {
    fn start(folder: &Path) -> Self {
        let key = |name: &str| {
            let args = ["-q", "-t", "ed25519", "-N", "", "-f", name];
            assert_eq!(run("ssh-keygen", &args, folder).0, Some(0));
        };
        key("host");
        key("user");
        let path = |name: &str| folder.join(name).display().to_string();
        std::fs::copy(folder.join("user.pub"), folder.join("authorized")).expect("a file");
        if nix::unistd::geteuid().is_root() {
            // Where sshd puts its unprivileged part; a package makes it at start-up.
            let _ = std::fs::create_dir_all("/run/sshd");
        }
        // A port that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port")
            .port();
        // The remote shell finds the bsh under test.
        let bsh = Path::new(env!("CARGO_BIN_EXE_bsh"));
        let bin = bsh.parent().expect("a folder").display();
        let config = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\n\
             PidFile none\nUsePAM no\nPermitRootLogin yes\nSetEnv PATH={bin}:/usr/local/bin:/usr/bin:/bin\n",
            path("host"),
            path("authorized")
        );
        std::fs::write(folder.join("sshd_config"), config).expect("a file");
        let config = format!(
            "Host one two\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {}\n  IdentitiesOnly yes\n  \
             StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n  BatchMode yes\n",
            path("user")
        );
        std::fs::write(folder.join("config"), config).expect("a file");
        let mut command = Command::new(find("sshd").expect("it is there"));
        command.args(["-D", "-e", "-f", &path("sshd_config")]);
        let log = std::fs::File::create(folder.join("sshd.log")).expect("a file");
        let server = Self(command.stderr(log).spawn().expect("sshd starts"));
        // It is ready once it takes a connection.
        let ready = (0..600).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        assert!(ready, "sshd does not listen: {}", path("sshd.log"));
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_readme_shows_the_recipes_as_they_are() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    for (language, file) in [("make", "Makefile"), ("sh", "bisect-step")] {
        let text = std::fs::read_to_string(recipe(file)).expect("the recipe");
        let block = format!("```{language}\n{text}```\n");
        assert!(readme.contains(&block), "{file}");
    }
}
