//! A runner that does what a test tells it, for what no real command does on demand.

use std::future::pending;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bsh::runner::{ChunkSink, Exit, Job, Order, RunFuture, Runner, Stream};
use bsh::{BashTool, BashToolBuilder, Control, Input, ShellResult};

use crate::harness::Mirror;

/// What the runner does after its output.
#[derive(Clone)]
pub enum Then {
    End(Exit),
    EndAfter(Duration, Exit),
    /// Ends with this once it is told to stop.
    EndOnStop(Exit),
    /// Never comes back.
    Hang,
    Panic,
}

#[derive(Clone)]
pub struct Scripted {
    pub output: Vec<(Stream, Vec<u8>)>,
    pub then: Then,
    pub orders: Arc<Mutex<Vec<Order>>>,
}

impl Scripted {
    pub fn new(then: Then) -> Self {
        Self {
            output: Vec::new(),
            then,
            orders: Arc::default(),
        }
    }

    pub fn ending(exit: Exit) -> Self {
        Self::new(Then::End(exit))
    }

    pub fn printing(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.output.push((Stream::Stdout, text.into()));
        self
    }

    pub fn tool(&self) -> BashToolBuilder {
        BashTool::builder(self.clone())
    }
}

impl Runner for Scripted {
    fn id(&self) -> &str {
        "scripted"
    }

    fn default_folder(&self) -> std::io::Result<PathBuf> {
        Ok("/work".into())
    }

    fn run(&self, mut job: Job, output: ChunkSink) -> RunFuture {
        let script = self.clone();
        Box::pin(async move {
            for (stream, bytes) in script.output {
                output.send(stream, bytes).await;
            }
            let orders = script.orders;
            let stopped = async move {
                while job.orders.changed().await.is_ok() {
                    let order = *job.orders.borrow_and_update();
                    orders.lock().expect("no test panics here").push(order);
                    if matches!(order, Order::Stop | Order::Kill) {
                        break;
                    }
                }
            };
            match script.then {
                Then::End(exit) => exit,
                Then::EndAfter(time, exit) => tokio::select! {
                    () = tokio::time::sleep(time) => exit,
                    () = async { stopped.await; pending().await } => exit,
                },
                Then::EndOnStop(exit) => {
                    stopped.await;
                    exit
                }
                Then::Hang => pending().await,
                Then::Panic => panic!("the script says so"),
            }
        })
    }
}

/// Calls a tool, and reads its report strictly.
pub async fn call(tool: BashToolBuilder, input: impl Into<Input>, control: &Control) -> Mirror {
    let result: ShellResult = tool.build().call(input, control).await;
    let json = bsh::format::to_json(&result);
    Mirror::read(&json).unwrap_or_else(|problem| panic!("{problem}\n{json}"))
}
