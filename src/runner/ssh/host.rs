//! The name of another machine, as `ssh` takes it.

use thiserror::Error;

/// A host that can be passed to `ssh` and can be nothing but a host: a name, an alias of the user's ssh
/// configuration, `user@host` or `ssh://user@host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshHost(String);

/// A text that is no host.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SshHostError {
    /// There is nothing.
    #[error("the host is empty. Expected a name, an alias or user@host")]
    Empty,
    /// It would be read as an option.
    #[error("the host begins with -, which ssh would read as an option")]
    LikeAnOption,
    /// It has something that no host has.
    #[error("the host has a blank or a control character. Expected a name, an alias or user@host")]
    Blank,
}

impl SshHost {
    /// The host, as it was typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for SshHost {
    type Err = SshHostError;

    fn from_str(text: &str) -> Result<Self, SshHostError> {
        // The part behind the user is what older versions of ssh took for an option.
        let host = text.rsplit('@').next().unwrap_or(text);
        if text.is_empty() || host.is_empty() {
            return Err(SshHostError::Empty);
        }
        if text.starts_with('-') || host.starts_with('-') {
            return Err(SshHostError::LikeAnOption);
        }
        if text
            .chars()
            .any(|char| char.is_whitespace() || char.is_control())
        {
            return Err(SshHostError::Blank);
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_are_hosts() {
        for host in [
            "build",
            "me@build",
            "ssh://me@build:2222",
            "10.0.0.1",
            "::1",
        ] {
            assert!(host.parse::<SshHost>().is_ok(), "{host}");
        }
        let refused = |text: &str| text.parse::<SshHost>().expect_err(text);
        assert_eq!(refused(""), SshHostError::Empty);
        assert_eq!(refused("me@"), SshHostError::Empty);
        assert_eq!(refused("-oProxyCommand=x"), SshHostError::LikeAnOption);
        assert_eq!(refused("me@-oProxyCommand=x"), SshHostError::LikeAnOption);
        assert_eq!(refused("a b"), SshHostError::Blank);
        assert_eq!(refused("a\n"), SshHostError::Blank);
    }
}
