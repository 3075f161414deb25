//! What the command finds in its environment.
//!
//! Five defaults keep programs from paging, prompting and colouring. They are laid over the base
//! (the environment of the host), so they win over what was inherited; whoever wants another value
//! sets it for this call ([`EnvEdit::Set`], or [`EnvEdit::Pass`] to keep the inherited one). Names
//! and values are bytes and pass unchanged, exported shell functions too.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// Names and values, in order.
pub type EnvVars = Vec<(OsString, OsString)>;

/// The defaults that are laid over the base.
pub fn default_shell_env() -> [(&'static str, &'static str); 5] {
    [
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("NO_COLOR", "1"),
        ("TERM", "dumb"),
    ]
}

/// The defaults over the environment of this process, read anew at each call.
pub fn shell_env() -> EnvVars {
    shell_env_over(std::env::vars_os())
}

/// The defaults over a base of one's own. Of a name that comes twice the last value counts.
pub fn shell_env_over(base: impl IntoIterator<Item = (OsString, OsString)>) -> EnvVars {
    let mut env: EnvVars = base.into_iter().collect();
    keep_last_of_each(&mut env);
    for (name, value) in default_shell_env() {
        set(&mut env, name.into(), value.into());
    }
    env
}

/// One change to an environment. Edits apply in order, so later ones win, and all win over the
/// defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvEdit {
    /// Sets a variable.
    Set(OsString, OsString),
    /// Removes a variable.
    Unset(OsString),
    /// Removes every variable, the defaults too.
    Clear,
    /// Takes a variable as the base has it: its value there, or absent when it is absent there.
    Pass(OsString),
}

/// The defaults over `base`, then the edits in order.
///
/// ```
/// use bsh::environment::{EnvEdit, edited_env};
///
/// let base = vec![("PAGER".into(), "less".into()), ("HOME".into(), "/root".into())];
/// let edits = [EnvEdit::Clear, EnvEdit::Pass("PAGER".into()), EnvEdit::Set("A".into(), "1".into())];
/// let env = edited_env(base, &edits);
/// assert_eq!(env, [("PAGER".into(), "less".into()), ("A".into(), "1".into())]);
/// ```
pub fn edited_env(base: EnvVars, edits: &[EnvEdit]) -> EnvVars {
    if edits.is_empty() {
        return shell_env_over(base);
    }
    let mut env = shell_env_over(base.iter().cloned());
    for edit in edits {
        match edit {
            EnvEdit::Set(name, value) => set(&mut env, name.clone(), value.clone()),
            EnvEdit::Unset(name) => env.retain(|(known, _)| known != name),
            EnvEdit::Clear => env.clear(),
            EnvEdit::Pass(name) => match base.iter().rev().find(|(known, _)| known == name) {
                Some((_, value)) => set(&mut env, name.clone(), value.clone()),
                None => env.retain(|(known, _)| known != name),
            },
        }
    }
    env
}

fn set(env: &mut EnvVars, name: OsString, value: OsString) {
    match env.iter_mut().find(|(known, _)| *known == name) {
        Some(entry) => entry.1 = value,
        None => env.push((name, value)),
    }
}

/// getenv(3) leaves open which of two entries it finds; here it is always the last.
fn keep_last_of_each(env: &mut EnvVars) {
    let mut seen = BTreeSet::new();
    let mut keep: Vec<bool> = env
        .iter()
        .rev()
        .map(|(name, _)| seen.insert(name.as_os_str()))
        .collect();
    env.retain(|_| keep.pop().unwrap_or(true));
}

/// Whether execve(2) can pass this variable on: a name, and no NUL in either part.
///
/// The name may begin with `=`, which is how a C program sees an entry such as `=x=1`.
pub fn is_valid_var(name: &OsStr, value: &OsStr) -> bool {
    let name = name.as_bytes();
    !name.is_empty()
        && !name.iter().skip(1).any(|byte| *byte == b'=')
        && !name.contains(&0)
        && !value.as_bytes().contains(&0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    fn vars(list: &[(&str, &str)]) -> EnvVars {
        list.iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    }

    #[test]
    fn the_defaults_win_over_the_base_and_edits_win_over_the_defaults() {
        let base = vars(&[("TERM", "xterm"), ("A", "1"), ("A", "2")]);
        let env = shell_env_over(base.clone());
        assert_eq!(
            env,
            vars(&[
                ("TERM", "dumb"),
                ("A", "2"),
                ("PAGER", "cat"),
                ("GIT_PAGER", "cat"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("NO_COLOR", "1"),
            ])
        );
        let edits = [
            EnvEdit::Clear,
            EnvEdit::Set("B".into(), "1".into()),
            EnvEdit::Pass("TERM".into()),
            EnvEdit::Pass("PAGER".into()),
            EnvEdit::Set("B".into(), "2".into()),
            EnvEdit::Unset("C".into()),
        ];
        assert_eq!(
            edited_env(base, &edits),
            vars(&[("B", "2"), ("TERM", "xterm")])
        );
    }

    #[test]
    fn bytes_that_are_not_utf_8_pass() {
        let odd = OsString::from_vec(vec![0xff, b'x']);
        let env = shell_env_over([(odd.clone(), odd.clone())]);
        assert_eq!(env[0], (odd.clone(), odd));
    }

    #[test]
    fn what_execve_cannot_pass_is_invalid() {
        let valid = |name: &str, value: &str| is_valid_var(name.as_ref(), value.as_ref());
        assert!(valid("BASH_FUNC_ls%%", "() { :; }"));
        assert!(valid("=x", "1"));
        assert!(!valid("", "1"));
        assert!(!valid("a=b", "1"));
        assert!(!valid("a\0", "1"));
        assert!(!valid("a", "\0"));
    }
}
