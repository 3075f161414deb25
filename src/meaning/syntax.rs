//! The shape of a parsed shell text.
//!
//! Nodes live in one vector and name each other by index, so that building and dropping a
//! deeply nested text needs no stack. Words keep only what the question "who set the status"
//! needs: their constant text, the commands substituted into them, and what may fail in them.

/// Index of a node in its [`Script`].
pub(super) type NodeId = usize;

/// Stands in [`Word::text`] for whatever an expansion will put there.
pub(super) const HOLE: char = '\0';

/// A parsed text: the lines that will run, and how the text ends.
#[derive(Debug)]
pub(super) struct Script {
    pub nodes: Vec<Node>,
    /// A [`Node::List`] of everything that is sure to be read by the shell.
    pub root: NodeId,
    pub end: End,
}

/// What comes after the lines of a [`Script`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing: all of the text was understood.
    Complete,
    /// A syntax error that the shell will see too.
    Broken,
    /// Something that this parser does not follow.
    Unknown,
}

#[derive(Debug)]
pub(super) enum Node {
    Simple(Simple),
    Pipeline(Pipeline),
    /// `first && second || third`, in order; the link of the first is not looked at.
    Chain(Vec<(Link, NodeId)>),
    List(Vec<Item>),
    Subshell(NodeId),
    /// Condition and body of each branch, then the body of `else`.
    If(Vec<(NodeId, NodeId)>, Option<NodeId>),
    /// `while` and `until`.
    Loop {
        until: bool,
        condition: NodeId,
        body: NodeId,
    },
    For {
        rounds: Rounds,
        body: NodeId,
    },
    Select(NodeId),
    Case {
        subject: Word,
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: NodeId,
    },
    /// `[[ … ]]`
    Condition(Vec<Word>),
    /// `(( … ))`
    Arithmetic,
    /// A compound command with redirections.
    Redirected(NodeId, Vec<Redirect>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    And,
    Or,
}

/// One entry of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub node: NodeId,
    /// Started with `&`.
    pub background: bool,
    /// Number of the line that the shell reads it with; aliases begin on the next one.
    pub line: usize,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    pub stages: Vec<NodeId>,
    pub negated: bool,
    /// Some stage also sends its standard error down the pipe (`|&`).
    pub both: bool,
}

/// How often the body of a `for` runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounds {
    None,
    Some,
    Unknown,
}

#[derive(Debug)]
pub(super) struct Arm {
    pub patterns: Vec<Word>,
    pub body: NodeId,
    pub end: ArmEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArmEnd {
    /// `;;`
    Break,
    /// `;&`
    Fall,
    /// `;;&`
    Test,
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub assignments: Vec<Word>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    pub line: usize,
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub target: Fd,
    pub kind: RedirectKind,
    pub word: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fd {
    Number(u32),
    /// `{name}>file`
    Variable,
    /// `&>file`
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectKind {
    /// Opens a file.
    File,
    /// `>&word` or `<&word`.
    Duplicate,
    /// A here-document or here-string.
    Here,
}

/// A command substituted into a word.
#[derive(Debug, Clone)]
pub(super) enum Substitution {
    Commands(NodeId),
    /// The text between backquotes, to be parsed when it is asked for.
    Backquoted(String),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    /// The text after quote removal, [`HOLE`] for each expansion.
    pub text: String,
    /// The text as written.
    pub raw: String,
    /// Some of it is quoted, so it is no keyword and no alias.
    pub quoted: bool,
    /// It may become several words or a file name: a pattern or a brace expansion.
    pub pattern: bool,
    /// Commands whose status may become that of an assignment, in order.
    pub substitutions: Vec<Substitution>,
    /// Some substitution may not run at all (`${x:-$(…)}`).
    pub conditional: bool,
    /// Expands a name that the text did not set before, an error under `set -u`.
    pub unset: bool,
    /// Holds an expansion that can fail by itself (`${x:?}`, a division).
    pub fragile: bool,
}

impl Word {
    /// The text, when no expansion can change it.
    pub fn constant(&self) -> Option<&str> {
        (!self.text.contains(HOLE) && !self.pattern).then_some(self.text.as_str())
    }

    /// The text before the first expansion.
    pub fn prefix(&self) -> &str {
        self.text.split(HOLE).next().unwrap_or_default()
    }

    #[cfg(test)]
    /// A word written down without quotes or expansions.
    pub fn plain(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            raw: text.to_owned(),
            ..Word::default()
        }
    }

    /// Whether it is exactly this parameter, quoted or not.
    pub fn is_parameter(&self, name: &str) -> bool {
        let bare = self
            .raw
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .unwrap_or(&self.raw);
        match bare.strip_prefix('$') {
            Some(rest) => {
                rest == name
                    || rest
                        .strip_prefix('{')
                        .and_then(|rest| rest.strip_suffix('}'))
                        == Some(name)
            }
            None => false,
        }
    }
}
