#!/usr/bin/env python3
"""Run the tests that need real programs: transcripts (tests/repl/*.t) and
scripts (tests/live/*.py, tests/dap/*.py, tests/mi/*.py), each on every runtime it names.

A transcript begins with lines "#! key=value ...":
    fixture=Hello         the program; without it none is started
    config=Debug          Debug, Release (both: Debug,Release), RtDebug,
                          RtRelease (runtime async), NetDebug (11 only),
                          or a kind of symbols (Embedded, NoPdb, ...)
    runtimes=8,9,10,11    where it may run
    host=dll              dll, dotnet, apphost, or 8, 10: self-contained
    args='a "b c"'        arguments of the program, quoted as in a shell
    stdin='one\\ntwo\\n'    what the program may read
    time=30               limit in seconds
    exit=0                the exit status to demand
    glibc='...'           why it makes no sense where programs run on musl
and goes on with commands and the output that each must have:
    ## comment
    +command              given to dndbg, which echoes it like this
    >line                 a line of the command before it, not echoed
    text                  a line of output; \\+text, \\>text, \\#text: escaped
    ...                   any number of lines
    {8,9}text             demanded on these runtimes only; {Debug}, {Release}
In commands @mark is the line of "// @mark" as File.cs:12. In output {@mark} is
its number; {addr} an address, {n} a number, {...} any text in the line; {src}
and {out} the directories of the sources and the program, in both.

A script defines functions test_*(t); t is drive.Test. The attribute runtimes
of a function says where it runs (all), time its limit in seconds where 150 are
too few: behind it whatever the test has started is killed, until the test is
over; glibc why it makes no sense where programs run on musl. A script with
only_musl makes sense only there (scripts/check-musl). Those of
tests/dap talk to dndbg as a debug adapter, by dapdrive.Client; those of tests/mi
as a front end of gdb does, by midrive.Client.

Of the runtimes that a test names it runs on 10, on 11 and on one of the older
ones; with --each=all on all of them, with --each=one on one of them. Which one
that is follows from the test's name: it is the same each time, and every
runtime has its share.
"""
import argparse
import concurrent.futures
import glob
import importlib.util
import inspect
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import traceback
import zlib

import drive
from drive import Failure

MAX_LINES = 4000
LIMIT = 150
PLACEHOLDER = re.compile(r"\{(@[A-Za-z][\w-]*|addr|n|\.\.\.|src|out)\}")
SOME = "(?:8|9|10|11|" + "|".join(("Debug", "Release", *drive.ELEVEN)) + ")"
ONLY = re.compile(r"\{(%s(?:,%s)*)\}" % (SOME, SOME))
IN_COMMAND = re.compile(r"(?<![\w@])@([A-Za-z][\w-]*)")


class Transcript:
    """A .t file: its settings and its lines."""

    def __init__(self, path):
        self.path = path
        self.head = {"config": "Debug", "runtimes": "8,9,10,11", "host": "dll",
                     "args": "", "stdin": "", "time": "30"}
        self.lines = []
        with open(path) as file:
            for line in file.read().split("\n"):
                if line.startswith("#!"):
                    for word in shlex.split(line[2:]):
                        key, _, value = word.partition("=")
                        if key not in (*self.head, "fixture", "exit",
                                       "glibc"):
                            raise Failure(f"{path}: unknown key '{key}'")
                        self.head[key] = value
                elif not line.startswith("##"):
                    self.lines.append(line)
        while self.lines and not self.lines[-1]:
            self.lines.pop()

    def runs(self):
        for config in self.head["config"].split(","):
            for runtime in self.head["runtimes"].split(","):
                if runtime == "11" or config not in drive.ELEVEN:
                    yield config, runtime


class Run:
    """One run of a transcript, on one runtime."""

    def __init__(self, transcript, config, runtime, test):
        self.head = transcript.head
        self.config = config
        self.runtime = runtime
        self.test = test
        fixture = self.head.get("fixture")
        self.places = drive.places_of(fixture) if fixture else {}
        self.words = []
        if fixture:
            self.words = drive.program(fixture, config, self.head["host"])
        self.commands = []
        self.expected = []
        for line in transcript.lines:
            self.take(line)

    def place(self, mark):
        if mark not in self.places:
            raise Failure(f"no mark '{mark}' in {self.head.get('fixture')}")
        return self.places[mark]

    def directories(self, text):
        out = os.path.dirname(self.words[-1]) if self.words else ""
        return text.replace("{src}", drive.SOURCES).replace("{out}", out)

    def take(self, line):
        only = ONLY.match(line)
        if only:
            if not {self.config, self.runtime} & set(only[1].split(",")):
                return
            line = line[only.end():]
        if line.startswith(("+", ">")):
            command = IN_COMMAND.sub(
                lambda found: "%s:%d" % self.place(found[1]),
                self.directories(line[1:]))
            self.commands.append(command)
            if line.startswith("+"):
                self.expected.append(("+" + command,
                                      re.compile(re.escape("+" + command))))
        elif line == "...":
            self.expected.append((line, None))
        else:
            if line.startswith(("\\+", "\\>", "\\#", "\\.")):
                line = line[1:]
            self.expected.append((line, self.pattern(line)))

    def pattern(self, line):
        """The regular expression of a line of expected output."""
        parts = []
        last = 0
        for found in PLACEHOLDER.finditer(line):
            parts.append(re.escape(line[last:found.start()]))
            last = found.end()
            name = found[1]
            if name.startswith("@"):
                parts.append(str(self.place(name[1:])[1]))
            elif name in ("src", "out"):
                parts.append(re.escape(self.directories(found[0])))
            else:
                parts.append({"addr": "0x[0-9a-f]+", "n": r"-?\d+",
                              "...": ".*"}[name])
        parts.append(re.escape(line[last:]))
        return re.compile("".join(parts))

    def execute(self):
        """Run it; return the lines of its output."""
        script = os.path.join(self.test.dir, "script")
        with open(script, "w") as file:
            file.write("\n".join(["set trace-commands on", *self.commands, ""]))
        command = [self.test.dndbg, "--batch", "-x", script]
        if self.words:
            command += ["--args", *self.words, *shlex.split(self.head["args"])]
        stdin = self.head["stdin"].encode().decode("unicode_escape").encode()
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=self.test.env, cwd=self.test.dir,
            start_new_session=True)
        limit = float(self.head["time"]) * drive.TIME
        hang = False
        try:
            output, _ = process.communicate(stdin, timeout=limit)
        except subprocess.TimeoutExpired:
            hang = True
            process.kill()
            self.test.kill_all()
            output, _ = process.communicate()
        lines = output.decode(errors="replace").replace("\r\n", "\n")
        lines = lines.rstrip("\n").split("\n") if lines else []
        if len(lines) > MAX_LINES:
            lines = lines[:MAX_LINES] + ["... and more lines ..."]
        return lines, process.returncode, hang

    def run(self):
        lines, code, hang = self.execute()
        faults = []
        if hang:
            limit = float(self.head["time"]) * drive.TIME
            faults.append(f"hang: killed after {limit:g} s")
        elif code < 0:
            faults.append(f"dndbg died of {signal.Signals(-code).name}")
        elif code == drive.SANITIZER_EXIT:
            faults.append("a sanitizer stopped dndbg")
        elif "exit" in self.head and code != int(self.head["exit"]):
            faults.append(f"exit status {code}, not {self.head['exit']}")
        faults += difference(self.expected, lines)
        if faults:
            raise Failure("\n".join(faults))


def difference(expected, lines):
    """Compare expected patterns with lines: nothing when they fit, else a
    diff in the unified form. One table of edit costs serves both."""
    n, m = len(expected), len(lines)
    cost = [[0] * (m + 1) for _ in range(n + 1)]
    fits = [[pattern is None or pattern.fullmatch(line) is not None
             for line in lines] for _, pattern in expected]
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            best = 0 if i == n and j == m else n + m + 1
            any_lines = i < n and expected[i][1] is None
            if i < n:
                best = min(best, cost[i + 1][j] + (0 if any_lines else 1))
            if j < m:
                best = min(best, cost[i][j + 1] + (0 if any_lines else 1))
            if i < n and j < m and fits[i][j]:
                best = min(best, cost[i + 1][j + 1])
            cost[i][j] = best
    if cost[0][0] == 0:
        return []
    result = []
    i = j = 0
    while i < n or j < m:
        any_lines = i < n and expected[i][1] is None
        here = cost[i][j]
        if i < n and j < m and fits[i][j] and cost[i + 1][j + 1] == here:
            result.append(" " + lines[j])
            i, j = i + 1, j + 1
        elif any_lines and cost[i + 1][j] == here:
            i += 1
        elif j < m and any_lines and cost[i][j + 1] == here:
            result.append(" " + lines[j])
            j += 1
        elif i < n and cost[i + 1][j] + 1 == here:
            result.append("-" + expected[i][0])
            i += 1
        else:
            result.append("+" + lines[j])
            j += 1
    return hunks(result)


def hunks(result, context=4):
    """Of a whole diff, the changed lines with some lines around them."""
    near = set()
    for at, line in enumerate(result):
        if line[0] != " ":
            near.update(range(at - context, at + context + 1))
    shown = ["--- expected", "+++ got"]
    last = -1
    for at, line in enumerate(result):
        if at in near:
            if at != last + 1:
                shown.append(f"@@ line {at + 1} @@")
            shown.append(line)
            last = at
    return shown


def watch(test, limit, over):
    """Kill what a test has started when its time is up, and what it starts
    then, until it is over."""
    while not over.wait(limit):
        test.hung = True
        test.kill_all()
        limit = 1


class Job:
    """A test to run, by its name and the runtime."""

    def __init__(self, name, runtime, function):
        self.name = name
        self.runtime = runtime
        self.function = function
        self.seconds = 0

    def __call__(self, dndbg):
        """Run it; return the fault, or nothing, and why it was skipped, if so."""
        begin = time.monotonic()
        test = drive.Test(self.name, dndbg, self.runtime)
        fault = skipped = None
        limit = max(getattr(self.function, "time", 0), LIMIT) * drive.TIME
        over = threading.Event()
        watcher = threading.Thread(target=watch, args=(test, limit, over))
        watcher.start()
        try:
            why = getattr(self.function, "glibc", None)
            if why and drive.MUSL:
                raise drive.Skip(why)
            self.function(test)
        except drive.Skip as e:
            skipped = str(e)
        except Failure as e:
            fault = str(e)
            where = [f for f in traceback.extract_tb(e.__traceback__)
                     if re.search("/tests/(live|dap|mi)/", f.filename)]
            if where:
                fault = (f"{os.path.basename(where[-1].filename)}:"
                         f"{where[-1].lineno}: {where[-1].line}\n{fault}")
        except Exception:
            fault = traceback.format_exc()
        finally:
            over.set()
            watcher.join()
        if test.hung:
            fault = f"hang: killed after {limit:g} s\n{fault or ''}"
        try:
            left = test.close()
        except Exception:
            left = {}
            fault = f"{fault or ''}{traceback.format_exc()}"
        if left and not fault:
            fault = "left behind: " + ", ".join(
                f"{name} ({pid})" for pid, name in left.items())
        self.seconds = time.monotonic() - begin
        return fault, skipped


def transcripts(runtimes):
    for path in sorted(glob.glob(f"{drive.TOP}/tests/repl/*.t")):
        transcript = Transcript(path)
        for config, runtime in transcript.runs():
            if runtime not in runtimes:
                continue
            name = f"repl/{os.path.basename(path)} [{config} {runtime}]"

            def run(test, t=transcript, c=config, r=runtime):
                Run(t, c, r, test).run()

            run.glibc = transcript.head.get("glibc")
            yield Job(name, runtime, run)


def scripts(runtimes):
    for path in sorted(glob.glob(f"{drive.TOP}/tests/live/*.py")
                       + glob.glob(f"{drive.TOP}/tests/dap/*.py")
                       + glob.glob(f"{drive.TOP}/tests/mi/*.py")):
        name = os.path.basename(path)
        room = os.path.basename(os.path.dirname(path))
        spec = importlib.util.spec_from_file_location(f"{room}_{name[:-3]}",
                                                      path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if getattr(module, "only_musl", False) and not drive.MUSL:
            continue
        for label, function in inspect.getmembers(module, inspect.isfunction):
            if not label.startswith("test_"):
                continue
            for runtime in getattr(function, "runtimes", drive.RUNTIMES):
                if runtime not in drive.RUNTIMES:
                    sys.exit(f"{name}:{label} names no runtime: '{runtime}'")
                if runtime in runtimes:
                    yield Job(f"{room}/{name}:{label} [{runtime}]", runtime,
                              function)


def choose(jobs, each):
    """Of the jobs of a test those on the runtimes where it is to run."""
    tests = {}
    for job in jobs:
        tests.setdefault(job.name[:-len(job.runtime) - 1], []).append(job)
    for name, same in tests.items():
        turn = zlib.crc32(name.encode())
        if each == "one":
            same = [same[turn % len(same)]]
        old = [job for job in same if job.runtime not in drive.NEWEST]
        if each == "new" and old:
            same = [job for job in same if job not in old]
            same.insert(0, old[turn % len(old)])
        yield from same


def usual_signals():
    """Whoever started us may have had signals ignored (nohup, a job in the
    background): tests begin with none, as at a terminal."""
    for number in signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main():
    usual_signals()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dndbg", default="./dndbg", help="the binary")
    parser.add_argument("--runtime", action="append", help="only this: 8, 9, 10, 11")
    parser.add_argument("--each", choices=("new", "one", "all"), default="new",
                        help="how many runtimes each test has [new]")
    parser.add_argument("-j", type=int, default=2, help="tests at once [2]")
    parser.add_argument("--but", action="append", default=[], metavar="WORD",
                        help="not those with this in the name")
    parser.add_argument("-v", action="store_true", help="name each test")
    parser.add_argument("--no-build", action="store_true",
                        help="take the fixtures as they are")
    parser.add_argument("--slowest", type=int, default=0, metavar="N",
                        help="name the N tests that took longest")
    parser.add_argument("--list", action="store_true", help="name them only")
    parser.add_argument("name", nargs="*", help="only tests with this in the name")
    options = parser.parse_args()
    if not options.no_build and not options.list:
        subprocess.run([f"{drive.TOP}/scripts/build-fixtures"], check=True)
    if not os.access(options.dndbg, os.X_OK) and not options.list:
        sys.exit(f"run.py: no program '{options.dndbg}'")
    runtimes = options.runtime or [
        one for one in drive.RUNTIMES
        if not drive.MUSL or os.path.exists(f"{drive.ROOTS}/{one}")]
    jobs = [job for source in (transcripts, scripts)
            for job in source(runtimes)
            if (not options.name or any(n in job.name for n in options.name))
            and not any(n in job.name for n in options.but)]
    if not options.runtime:
        jobs = list(choose(jobs, options.each))
    if (any("single.py" in job.name for job in jobs)
            and not options.no_build and not options.list):
        subprocess.run([f"{drive.TOP}/scripts/build-single", *runtimes],
                       check=True)
    if (any("/solution" in job.name for job in jobs)
            and not options.no_build and not options.list):
        subprocess.run([f"{drive.TOP}/scripts/build-solution"], check=True)
    if options.list:
        print("\n".join(job.name for job in jobs))
        return 0
    failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        running = {pool.submit(job, options.dndbg): job for job in jobs}
        for done in concurrent.futures.as_completed(running):
            job = running[done]
            fault, why = done.result()
            if fault:
                failed += 1
                print(f"FAIL {job.name}\n{fault}\n", flush=True)
            elif why:
                skipped += 1
                print(f"skipped {job.name}: {why}", flush=True)
            elif options.v:
                print(f"ok {job.name}", flush=True)
    by_time = sorted(jobs, key=lambda job: -job.seconds)
    for job in by_time[:options.slowest]:
        print(f"{job.seconds:6.1f} s {job.name}")
    print(f"live: {len(jobs) - failed - skipped} passed, {failed} failed, "
          f"{skipped} skipped")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
