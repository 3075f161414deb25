//! What the parser has begun and not yet finished, as entries of an explicit stack.

use super::syntax::{Arm, Fd, Item, Link, NodeId, Redirect, RedirectKind, Simple, Word};

/// One thing that is being read.
pub(super) enum Frame {
    List(ListFrame),
    Simple(SimpleFrame),
    /// Redirections behind a compound command.
    Redirects {
        node: NodeId,
        redirects: Vec<Redirect>,
        pending: Option<Pending>,
    },
    Word(WordFrame),
    If {
        branches: Vec<(NodeId, NodeId)>,
        condition: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    Loop {
        until: bool,
        condition: Option<NodeId>,
    },
    For(ForFrame),
    Case(CaseFrame),
    Function {
        name: Option<String>,
    },
    Condition {
        words: Vec<Word>,
    },
}

/// Who opened a list, and so what may close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    Top,
    Brace,
    Subshell,
    /// `$(…)`: its status may matter to the word around it.
    Substitution,
    /// `<(…)` and `>(…)`: its status is lost.
    Process,
    IfCondition,
    IfBody,
    ElseBody,
    LoopCondition,
    LoopBody,
    CaseArm,
    /// Exactly one compound command.
    FunctionBody,
}

pub(super) struct ListFrame {
    pub kind: ListKind,
    pub items: Vec<Item>,
    pub chain: Vec<(Link, NodeId)>,
    pub link: Link,
    pub stages: Vec<NodeId>,
    pub both: bool,
    pub negated: bool,
    /// A command just ended; an operator or a terminator comes next.
    pub after: bool,
    /// An operator asks for one more command.
    pub needs: bool,
    /// `time` was read and no command yet.
    pub timed: bool,
    pub line: usize,
}

impl ListFrame {
    pub fn new(kind: ListKind, line: usize) -> ListFrame {
        ListFrame {
            kind,
            items: Vec::new(),
            chain: Vec::new(),
            link: Link::And,
            stages: Vec::new(),
            both: false,
            negated: false,
            after: false,
            needs: false,
            timed: false,
            line,
        }
    }

    /// Nothing of the current pipeline was read yet.
    pub fn at_pipeline_start(&self) -> bool {
        self.stages.is_empty()
    }
}

#[derive(Default)]
pub(super) struct SimpleFrame {
    pub simple: Simple,
    pub pending: Option<Pending>,
    /// It stands behind a compound command, where only a closing keyword may come.
    pub closers_only: bool,
}

/// A redirection that waits for its word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub target: Fd,
    pub kind: RedirectKind,
    /// For a here-document: whether leading tabs are removed.
    pub document: Option<bool>,
}

pub(super) struct ForFrame {
    pub select: bool,
    pub state: ForState,
    pub words: Vec<Word>,
    pub given: bool,
    pub arithmetic: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForState {
    Name,
    /// `in`, `do`, or a separator.
    AfterName,
    Words,
    /// `do` must come.
    Do,
}

pub(super) struct CaseFrame {
    pub subject: Option<Word>,
    pub state: CaseState,
    pub patterns: Vec<Word>,
    pub arms: Vec<Arm>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseState {
    Subject,
    In,
    /// A pattern, an opening bracket, or `esac`.
    FirstPattern,
    /// A pattern behind `(` or `|`.
    Pattern,
    /// `|` or `)`.
    AfterPattern,
}

/// What a word is read for; it decides where the word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordMode {
    Plain,
    /// Between `[[` and `]]`.
    Condition,
    /// Right of `=~`, `==` and `!=` in a condition, where brackets belong to the word.
    ConditionPattern,
    /// `((…))`, as a command or the head of a `for`.
    Arithmetic,
}

/// Quoting and expansions that are open inside a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Double,
    /// `${…}`; whether a single quote quotes in it.
    Brace {
        single_quotes: bool,
    },
    /// `((…))` or `$((…))` and the brackets open in it.
    Arithmetic {
        depth: u32,
    },
    /// `name=(…)`; whether a new element may begin here.
    Array {
        boundary: bool,
    },
}

pub(super) struct WordFrame {
    pub start: usize,
    pub word: Word,
    pub contexts: Vec<Context>,
    /// Open contexts whose text is no part of the word's own text.
    pub hidden: usize,
    /// Brackets open in a pattern of a condition.
    pub brackets: u32,
    pub mode: WordMode,
    /// `name=(` begins an array here.
    pub arrays: bool,
}

impl WordFrame {
    pub fn new(start: usize, mode: WordMode, arrays: bool) -> WordFrame {
        WordFrame {
            start,
            word: Word::default(),
            contexts: Vec::new(),
            hidden: 0,
            brackets: 0,
            mode,
            arrays,
        }
    }

    pub fn open(&mut self, context: Context) {
        if !matches!(context, Context::Double) {
            self.hidden += 1;
        }
        self.contexts.push(context);
    }

    pub fn close(&mut self) {
        if let Some(context) = self.contexts.pop()
            && !matches!(context, Context::Double)
        {
            self.hidden = self.hidden.saturating_sub(1);
        }
    }

    /// Adds text that the word will really have.
    pub fn push(&mut self, c: char) {
        if self.hidden == 0 {
            self.word.text.push(c);
        }
    }

    /// Whether a `$(…)` here always runs.
    pub fn substitutes_surely(&self) -> bool {
        self.contexts
            .iter()
            .all(|context| matches!(context, Context::Double | Context::Array { .. }))
    }
}
