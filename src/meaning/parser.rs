//! From shell text to a [`Script`].
//!
//! # The choice of parser
//!
//! The parsers that exist either overflow the stack on nested text, go wrong on here-documents,
//! or need a C build, and all of them build far more than one question needs. So this is a
//! scanner of our own. It is a pushdown machine: what has been begun stands on an explicit
//! stack ([`Frame`]), one step reads a little text and pushes or pops, and no step calls itself.
//! Text over [`MAX_TEXT`], more than
//! [`MAX_NODES`] commands, and nesting over [`MAX_DEPTH`] are not followed. Where the grammar is
//! doubtful (extended patterns, `((` that may be two brackets, `${ …; }`) it says
//! [`End::Unknown`] instead of guessing. In development it is compared with `bash -n` and, in a
//! crate outside the package, with another parser.
//!
//! As in the shell, text is read line by line: lines before a syntax error run.

use super::frames::{Context, Frame, ListFrame, ListKind, SimpleFrame, WordFrame, WordMode};
use super::syntax::{End, Item, Link, Node, NodeId, Pipeline, Script};
use std::collections::BTreeSet;

/// Longer text is not followed, in bytes.
pub(super) const MAX_TEXT: usize = 64 * 1024;

/// Deeper nesting is not followed.
pub(super) const MAX_DEPTH: usize = 64;

/// More commands are not followed.
pub(super) const MAX_NODES: usize = 2_000;

/// Why reading stopped: [`End::Broken`] or [`End::Unknown`].
pub(super) type Step<T> = Result<T, End>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) stack: Vec<Frame>,
    nodes: Vec<Node>,
    /// End marks of here-documents whose text begins on the next line.
    pub(super) documents: Vec<(String, bool)>,
    /// How many here-documents were waiting outside each open `$(`.
    pub(super) outer_documents: Vec<usize>,
    /// Names the text has set so far.
    pub(super) assigned: BTreeSet<String>,
    /// Something was met that makes a later error uncertain.
    pub(super) doubtful: bool,
    pub(super) line: usize,
    /// Entries of the outermost list on lines that were read whole.
    settled: usize,
}

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Script {
    if text.len() > MAX_TEXT || text.contains('\0') {
        return Script {
            nodes: vec![Node::List(Vec::new())],
            root: 0,
            end: End::Unknown,
        };
    }
    let mut parser = Parser {
        text,
        at: 0,
        stack: vec![Frame::List(ListFrame::new(ListKind::Top, 0))],
        nodes: Vec::new(),
        documents: Vec::new(),
        outer_documents: Vec::new(),
        assigned: BTreeSet::new(),
        doubtful: false,
        line: 0,
        settled: 0,
    };
    let (root, end) = match parser.run() {
        Ok(root) => (root, End::Complete),
        Err(end) => {
            let end = if parser.doubtful { End::Unknown } else { end };
            let items = match parser.stack.into_iter().next() {
                Some(Frame::List(list)) => list.items.into_iter().take(parser.settled).collect(),
                _ => Vec::new(),
            };
            parser.nodes.push(Node::List(items));
            (parser.nodes.len() - 1, end)
        }
    };
    Script {
        nodes: parser.nodes,
        root,
        end,
    }
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Step<NodeId> {
        loop {
            if self.stack.len() > MAX_DEPTH * 2 || self.nodes.len() > MAX_NODES {
                return Err(End::Unknown);
            }
            let Some(frame) = self.stack.pop() else {
                return Err(End::Unknown);
            };
            match frame {
                Frame::List(list) => {
                    if let Some(root) = self.list(list)? {
                        return Ok(root);
                    }
                }
                Frame::Simple(simple) => self.simple(simple)?,
                Frame::Word(word) => self.word(word)?,
                Frame::Redirects {
                    node,
                    redirects,
                    pending,
                } => self.redirects(node, redirects, pending)?,
                Frame::For(frame) => self.for_head(frame)?,
                Frame::Case(frame) => self.case_head(frame)?,
                Frame::Function { name } => self.function_head(name)?,
                Frame::Condition { words } => self.condition(words)?,
                Frame::If { .. } | Frame::Loop { .. } => return Err(End::Unknown),
            }
        }
    }

    // The text

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn starts(&self, prefix: &str) -> bool {
        self.rest().starts_with(prefix)
    }

    pub(super) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.starts(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Skips blanks, continued lines and a comment.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.starts("\\\n") => self.at += 2,
                Some('#') => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Skips everything that may stand between two words across lines.
    pub(super) fn skip_lines(&mut self) -> Step<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Reads the end of a line and the here-documents that follow it.
    pub(super) fn newline(&mut self) -> Step<()> {
        self.at += 1;
        if self.outer_documents.last().is_some_and(|&outer| outer > 0) {
            // Which of the lines the shell takes for the outer document is not plain.
            return Err(End::Unknown);
        }
        for (mark, strip_tabs) in std::mem::take(&mut self.documents) {
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    break;
                }
                let length = rest.find('\n').unwrap_or(rest.len());
                let line = rest.get(..length).unwrap_or_default();
                let line = if strip_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                let found = line == mark;
                self.at = (self.at + length + 1).min(self.text.len());
                if found {
                    break;
                }
            }
        }
        Ok(())
    }

    // Nodes and delivery

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A compound command is complete up to its redirections.
    pub(super) fn compound(&mut self, node: Node) {
        let node = self.add(node);
        self.stack.push(Frame::Redirects {
            node,
            redirects: Vec::new(),
            pending: None,
        });
    }

    /// A command is complete: it becomes a stage of the list below.
    pub(super) fn attach(&mut self, node: NodeId) -> Step<()> {
        let Some(Frame::List(list)) = self.stack.last_mut() else {
            return Err(End::Unknown);
        };
        list.stages.push(node);
        list.after = true;
        list.needs = false;
        list.timed = false;
        if list.kind == ListKind::FunctionBody {
            self.stack.pop();
            let Some(Frame::Function { name: Some(name) }) = self.stack.pop() else {
                return Err(End::Unknown);
            };
            let function = self.add(Node::Function { name, body: node });
            return self.attach(function);
        }
        Ok(())
    }

    // Lists

    fn list(&mut self, mut list: ListFrame) -> Step<Option<NodeId>> {
        self.skip_blanks();
        let Some(next) = self.peek() else {
            if list.kind != ListKind::Top || list.needs || list.timed || list.negated && !list.after
            {
                return Err(if list.timed || list.negated {
                    End::Unknown
                } else {
                    End::Broken
                });
            }
            let root = self.close(list)?;
            return Ok(Some(root));
        };
        match next {
            '\n' => {
                if !list.after && (list.timed || list.negated) {
                    return Err(End::Unknown);
                }
                if list.after {
                    self.finish_item(&mut list, false);
                }
                let settle = list.kind == ListKind::Top && !list.needs;
                let items = list.items.len();
                self.stack.push(Frame::List(list));
                self.newline()?;
                if settle {
                    self.settled = items;
                    self.line += 1;
                }
            }
            ')' => return self.close_bracket(list).map(|()| None),
            ';' if list.kind == ListKind::CaseArm && !list.needs && self.ends_arm() => {
                self.close_arm(list)?;
            }
            ';' | '&' | '|' if list.after => self.operator(list)?,
            ';' if list.timed || list.negated => return Err(End::Unknown),
            ';' | '|' => return Err(End::Broken),
            '&' if !self.starts("&>") => return Err(End::Broken),
            '(' if !list.after => {
                self.stack.push(Frame::List(list));
                if self.starts("((") {
                    self.begin_arithmetic();
                } else {
                    self.at += 1;
                    self.push_list(ListKind::Subshell);
                }
            }
            '(' => return Err(End::Broken),
            _ => {
                let closers_only = list.after;
                self.stack.push(Frame::List(list));
                self.stack.push(Frame::Simple(SimpleFrame {
                    closers_only,
                    ..SimpleFrame::default()
                }));
            }
        }
        Ok(None)
    }

    pub(super) fn push_list(&mut self, kind: ListKind) {
        self.stack
            .push(Frame::List(ListFrame::new(kind, self.line)));
    }

    pub(super) fn begin_arithmetic(&mut self) {
        let mut word = WordFrame::new(self.at, WordMode::Arithmetic, false);
        word.open(Context::Arithmetic { depth: 0 });
        self.doubtful = true;
        self.at += 2;
        self.stack.push(Frame::Word(word));
    }

    fn operator(&mut self, mut list: ListFrame) -> Step<()> {
        let link = if self.eat("&&") {
            Some(Link::And)
        } else if self.eat("||") {
            Some(Link::Or)
        } else {
            None
        };
        if let Some(link) = link {
            self.finish_pipeline(&mut list);
            list.link = link;
            list.needs = true;
        } else if self.eat("|&") || self.eat("|") {
            list.both |= self.text.get(..self.at).is_some_and(|t| t.ends_with('&'));
            list.needs = true;
            list.after = false;
        } else if self.starts(";;") {
            return Err(End::Broken);
        } else if self.eat(";") {
            self.finish_item(&mut list, false);
        } else if self.eat("&") {
            self.finish_item(&mut list, true);
        }
        self.stack.push(Frame::List(list));
        Ok(())
    }

    fn finish_pipeline(&mut self, list: &mut ListFrame) {
        let stages = std::mem::take(&mut list.stages);
        let node = match stages.as_slice() {
            [only] if !list.negated => *only,
            _ => self.add(Node::Pipeline(Pipeline {
                stages,
                negated: list.negated,
                both: list.both,
            })),
        };
        list.chain.push((list.link, node));
        list.negated = false;
        list.both = false;
        list.after = false;
    }

    fn finish_item(&mut self, list: &mut ListFrame, background: bool) {
        self.finish_pipeline(list);
        let chain = std::mem::take(&mut list.chain);
        let node = match chain.as_slice() {
            [(_, only)] => *only,
            _ => self.add(Node::Chain(chain)),
        };
        let line = if list.kind == ListKind::Top {
            self.line
        } else {
            list.line
        };
        list.items.push(Item {
            node,
            background,
            line,
        });
        list.link = Link::And;
    }

    /// Ends a list; its frame is already off the stack.
    pub(super) fn close(&mut self, mut list: ListFrame) -> Step<NodeId> {
        if list.needs {
            return Err(End::Broken);
        }
        if !list.after && (list.negated || list.timed) {
            return Err(End::Unknown);
        }
        if list.after {
            self.finish_item(&mut list, false);
        }
        let may_be_empty = matches!(
            list.kind,
            ListKind::Top | ListKind::Substitution | ListKind::Process | ListKind::CaseArm
        );
        if list.items.is_empty() && !may_be_empty {
            return Err(End::Broken);
        }
        Ok(self.add(Node::List(list.items)))
    }
}
