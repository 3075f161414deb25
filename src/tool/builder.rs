//! The parts of a tool, each replaceable.

use std::sync::Arc;

use crate::format::{Formatter, TextFormatter};
use crate::hooks::{
    AfterRunHook, Authorizer, BeforeRunHook, EnvSource, FolderResolver, ShellEnv, SpillFactory,
};
use crate::limits::ShellLimits;
use crate::messages::ShellMessages;
use crate::observer::Observer;
use crate::output::Masks;
use crate::runner::Runner;
use crate::tool::BashTool;

/// What a tool is made of.
#[derive(Clone)]
pub(super) struct Parts {
    pub runner: Arc<dyn Runner>,
    pub limits: ShellLimits,
    pub messages: ShellMessages,
    pub masks: Masks,
    pub env: Arc<dyn EnvSource>,
    pub resolver: Option<Arc<dyn FolderResolver>>,
    pub before_run: Vec<Arc<dyn BeforeRunHook>>,
    pub authorizer: Option<Arc<dyn Authorizer>>,
    pub after_run: Vec<Arc<dyn AfterRunHook>>,
    pub spill: Option<Arc<dyn SpillFactory>>,
    pub formatter: Arc<dyn Formatter>,
    pub observer: Option<Arc<dyn Observer>>,
}

/// Makes a [`BashTool`] of its parts; what is not set keeps its default.
#[derive(Clone)]
pub struct BashToolBuilder {
    parts: Parts,
}

impl BashToolBuilder {
    pub(super) fn new(runner: Arc<dyn Runner>) -> Self {
        Self {
            parts: Parts {
                runner,
                limits: ShellLimits::default(),
                messages: ShellMessages::default(),
                masks: Masks::default(),
                env: Arc::new(ShellEnv::default()),
                resolver: None,
                before_run: Vec::new(),
                authorizer: None,
                after_run: Vec::new(),
                spill: None,
                formatter: Arc::new(TextFormatter::default()),
                observer: None,
            },
        }
    }

    /// The limits, from [`crate::resolve_shell_limits`].
    #[must_use]
    pub fn limits(mut self, limits: ShellLimits) -> Self {
        self.parts.limits = limits;
        self
    }

    /// The wording, from [`crate::resolve_shell_messages`].
    #[must_use]
    pub fn messages(mut self, messages: ShellMessages) -> Self {
        self.parts.messages = messages;
        self
    }

    /// What is replaced by `***` in every string of a report; hooks and the spill see it all the same.
    #[must_use]
    pub fn masks(mut self, masks: Masks) -> Self {
        self.parts.masks = masks;
        self
    }

    /// Where the environment comes from.
    #[must_use]
    pub fn env(mut self, env: impl EnvSource + 'static) -> Self {
        self.parts.env = Arc::new(env);
        self
    }

    /// Who decides on the folder.
    #[must_use]
    pub fn folder_resolver(mut self, resolver: impl FolderResolver + 'static) -> Self {
        self.parts.resolver = Some(Arc::new(resolver));
        self
    }

    /// Adds a hook before the run, after those added before.
    #[must_use]
    pub fn before_run(mut self, hook: impl BeforeRunHook + 'static) -> Self {
        self.parts.before_run.push(Arc::new(hook));
        self
    }

    /// Who lets the final command run or not.
    #[must_use]
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.parts.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// Adds a hook after the run, after those added before.
    #[must_use]
    pub fn after_run(mut self, hook: impl AfterRunHook + 'static) -> Self {
        self.parts.after_run.push(Arc::new(hook));
        self
    }

    /// What keeps every raw byte.
    #[must_use]
    pub fn spill(mut self, spill: impl SpillFactory + 'static) -> Self {
        self.parts.spill = Some(Arc::new(spill));
        self
    }

    /// Who makes the text.
    #[must_use]
    pub fn formatter(mut self, formatter: impl Formatter + 'static) -> Self {
        self.parts.formatter = Arc::new(formatter);
        self
    }

    /// Who sees the call while it runs.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.parts.observer = Some(Arc::new(observer));
        self
    }

    /// The tool.
    pub fn build(self) -> BashTool {
        BashTool { parts: self.parts }
    }
}
