#!/usr/bin/env python3
"""Runs a shell command through bsh: client.py COMMAND [TIMEOUT]

A caller that is cancelled takes the command with it by the lifeline: bsh aborts when its standard input
ends. Python holds the other end of that pipe, so it ends when we close it, and also when Python is
killed, which no handler of a signal would see.
"""

import asyncio
import json
import signal
import sys


async def bsh(command, timeout="2m"):
    """The report of one command, whatever became of it."""
    process = await asyncio.create_subprocess_exec(
        "bsh", "--json", "--lifeline", "--timeout", timeout, "--", command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        # Not communicate(): that would close standard input, and abort.
        report = await process.stdout.read()
    finally:
        # Here on a cancellation too. bsh ends once the whole tree is gone.
        process.stdin.close()
        await process.wait()
    return json.loads(report)


def outcome(report):
    """One line for each of the four statuses, and an exit code."""
    match report["status"]:
        case "ok":
            return "ok", 0
        case "failed":
            run = report["run"]
            return f"failed: {run['signal'] or run['exitCode']}", 1
        case "timeout":
            return f"timed out after {report['run']['timeoutMs']} ms", 2
        case "error":
            return f"error {report['error']['code']}", 3


async def main():
    call = asyncio.ensure_future(bsh(*sys.argv[1:3]))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, call.cancel)
    try:
        report = await call
    except asyncio.CancelledError:
        print("cancelled")
        return 4
    line, code = outcome(report)
    print(line)
    if report["output"]:
        print(report["output"]["head"], end="")
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
