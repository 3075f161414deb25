#!/usr/bin/env node
// Runs a shell command through bsh: client.mjs COMMAND [TIMEOUT]
//
// A caller that is cancelled takes the command with it by the lifeline: bsh aborts when its standard
// input ends. Node holds the other end of that pipe, so it ends when we close it, and also when Node is
// killed, which no handler of a signal would see.

import { spawn } from "node:child_process";

/** The report of one command, whatever became of it. */
export function bsh(command, { timeout = "2m", signal } = {}) {
  return new Promise((resolve, reject) => {
    const args = ["--json", "--lifeline", "--timeout", timeout, "--", command];
    const child = spawn("bsh", args, { stdio: ["pipe", "pipe", "inherit"] });
    const cut = () => child.stdin.end();
    signal?.addEventListener("abort", cut, { once: true });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
    child.stdin.on("error", () => {}); // bsh was faster than we were.
    child.on("error", reject);
    // bsh ends once the whole tree is gone.
    child.on("close", () => {
      signal?.removeEventListener("abort", cut);
      if (signal?.aborted) reject(signal.reason);
      else resolve(JSON.parse(text));
    });
  });
}

/** One line for each of the four statuses, and an exit code. */
function outcome({ status, run, error }) {
  switch (status) {
    case "ok":
      return ["ok", 0];
    case "failed":
      return [`failed: ${run.signal ?? run.exitCode}`, 1];
    case "timeout":
      return [`timed out after ${run.timeoutMs} ms`, 2];
    case "error":
      return [`error ${error.code}`, 3];
  }
}

const abort = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => abort.abort());
try {
  const [command, timeout] = process.argv.slice(2);
  const report = await bsh(command, { timeout, signal: abort.signal });
  const [line, code] = outcome(report);
  process.stdout.write(`${line}\n${report.output?.head ?? ""}`);
  process.exitCode = code;
} catch (error) {
  if (!abort.signal.aborted) throw error;
  console.log("cancelled");
  process.exitCode = 4;
}
