#!/usr/bin/env python3
"""Measure the debug adapter over stdio, as an editor sees it: medians beside
the bare program, on a quiet machine.

    tests/bench/dap_bench.py [--dndbg ./dndbg] [--runtime 10] [--runs 7]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drive


class Pipe:
    """The least of a client: nothing is checked or kept."""

    def __init__(self, test):
        self.process = subprocess.Popen(
            [test.dndbg, "--interpreter=dap"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=test.env, cwd=test.dir, bufsize=0)
        self.fd = self.process.stdout.fileno()
        self.bytes = b""
        self.seq = 0

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request",
                           "command": command, "arguments": arguments})
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s"
                                 % (len(body), body.encode()))
        return self.seq

    def read(self):
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            if found:
                size = int(head[16:])
                if len(rest) >= size:
                    self.bytes = rest[size:]
                    return json.loads(rest[:size])
            data = os.read(self.fd, 1 << 20)
            if not data:
                raise EOFError
            self.bytes += data

    def answer(self, seq):
        while True:
            message = self.read()
            if message.get("request_seq") == seq:
                return message["body"] if "body" in message else {}

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def event(self, name):
        while True:
            message = self.read()
            if message.get("event") == name:
                return message.get("body", {})

    def launch(self, test, words, breaks):
        self.ask("initialize", adapterID="bench")
        self.send("launch", program=words[0], args=words[1:])
        for fixture, lines in breaks.items():
            self.ask("setBreakpoints", source={"path": test.source(fixture)},
                     breakpoints=[{"line": line} for line in lines])
        self.send("configurationDone")

    def stopped(self):
        self.thread = self.event("stopped")["threadId"]

    def end(self):
        self.ask("disconnect", terminateDebuggee=True)
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def timed(function):
    began = time.perf_counter()
    result = function()
    return (time.perf_counter() - began) * 1000, result


def bare(test, words):
    return timed(lambda: subprocess.run(["dotnet", *words], env=test.env,
                                        stdout=subprocess.DEVNULL))[0]


def start(test):
    words = test.program("Hello")
    alone = bare(test, words)
    c = Pipe(test)
    took, _ = timed(lambda: (c.launch(test, words, {
        "Hello": [test.line("Hello", "first")]}), c.stopped()))
    c.end()
    return {"bare run": alone, "launch to stopped": took}


def steps(test):
    c = Pipe(test)
    c.launch(test, test.program("HitLoop", "100000"),
             {"HitLoop": [test.line("HitLoop", "main")]})
    c.stopped()
    nexts, looks = [], []

    def look():
        top = c.ask("stackTrace", threadId=c.thread, levels=20)
        scopes = c.ask("scopes", frameId=top["stackFrames"][0]["id"])["scopes"]
        for scope in scopes[:2]:
            c.ask("variables", variablesReference=scope["variablesReference"])

    for _ in range(30):
        nexts.append(timed(lambda: (c.send("next", threadId=c.thread),
                                    c.stopped()))[0])
        looks.append(timed(look)[0])
    with open(f"/proc/{c.process.pid}/smaps_rollup") as file:
        private = sum(int(line.split()[1]) for line in file
                      if line.startswith("Private"))
    c.end()
    return {"next to stopped": statistics.median(nexts),
            "stack, scopes, variables": statistics.median(looks),
            "private memory, MB": private / 1024}


def stack(test):
    c = Pipe(test)
    c.launch(test, test.program("Deep", "1000"),
             {"Deep": [test.line("Deep", "bottom")]})
    c.stopped()
    top, _ = timed(lambda: c.ask("stackTrace", threadId=c.thread,
                                 startFrame=0, levels=20))
    whole, _ = timed(lambda: c.ask("stackTrace", threadId=c.thread))
    c.end()
    return {"top 20 of 1,000 frames": top, "1,000 frames": whole}


def breaks(test):
    lines = [test.line("Many", f"m{i:04}") for i in range(1000)]
    c = Pipe(test)
    c.launch(test, test.program("Many"), {"Many": [test.line("Many", "main")]})
    c.stopped()
    took, _ = timed(lambda: c.ask(
        "setBreakpoints", source={"path": test.source("Many")},
        breakpoints=[{"line": line} for line in lines]))
    c.end()
    return {"1,000 breakpoints in one file": took}


def output(test):
    words = test.program("Output", "100")
    alone = bare(test, words)
    c = Pipe(test)
    began = time.perf_counter()
    c.launch(test, words, {})
    total = 0
    while True:
        message = c.read()
        if message.get("event") == "output":
            total += len(message["body"]["output"])
        if message.get("event") == "terminated":
            break
    took = time.perf_counter() - began
    c.end()
    return {"bare run of 100 MB": alone, "output, MB/s": total / took / 1e6}


GROUPS = (start, steps, stack, breaks, output)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--runtime", default="10")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    for group in GROUPS:
        samples = {}
        for _ in range(options.runs):
            test = drive.Test(group.__name__, options.dndbg, options.runtime)
            for name, value in group(test).items():
                samples.setdefault(name, []).append(value)
            test.close()
        for name, values in samples.items():
            unit = "" if "MB" in name else " ms"
            print(f"{name:32} {statistics.median(values):9.2f}{unit}"
                  f"   ({min(values):.2f} .. {max(values):.2f})")


if __name__ == "__main__":
    main()
