//! A runner of one's own, which runs nothing and prints the command, and a report of it.
//!
//! Prints the example of the README: `cargo run --example echo_runner`.

use std::path::PathBuf;
use std::time::Duration;

use bsh::runner::{ChunkSink, Exit, Job, RunFuture, Runner, Stream};
use bsh::{BashRequest, BashTool, Control, text_of};

struct Echo;

impl Runner for Echo {
    fn id(&self) -> &str {
        "echo"
    }

    fn default_folder(&self) -> std::io::Result<PathBuf> {
        Ok("/".into())
    }

    fn run(&self, job: Job, output: ChunkSink) -> RunFuture {
        Box::pin(async move {
            output.send(Stream::Stdout, job.command + "\n").await;
            Exit::with_code(0)
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let request = BashRequest::new("ls -la").with_timeout(Duration::from_secs(15 * 60));
    let result = BashTool::new(Echo).call(request, &Control::new()).await;
    let head = result
        .report
        .output
        .as_ref()
        .map(|output| output.head.as_str());
    assert_eq!(head, Some("ls -la\n"));
    println!("{}", text_of(&result));
}
