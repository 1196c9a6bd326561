"""Programs that are watched while they run: what is told is what the program
counts itself, nothing of ours is left, and no program is stopped."""
import csv
import ctypes
import errno
import glob
import gzip
import html
import json
import os
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess

import container
import drive
from screen import Screen
from survivor import Busy
from watched import Watched, Watching, shape, shown


def test_gc(t):
    """Collections by generation, cause and number are those that the program
    counts; the text is what the document shows."""
    program = Watched(t)
    watching = Watching(t, program, "events", "gc", "--json")
    probes = watching.probe(1, "gc")
    truth = [int(n) for n in program.do("gc").split()]
    got = json.loads(watching.interrupt())
    gcs = got["collections"]
    if t.runtime != "11":  # which leaves out the first, or parts of them
        t.check_equal(10 * (probes + 1), len(gcs))
    numbers = [gc["number"] for gc in gcs]
    t.check_equal(list(range(numbers[0], numbers[0] + len(gcs))), numbers)
    t.check_equal(truth, [sum(gc["generation"] == n for gc in gcs[-10:])
                          for n in range(3)])
    t.check_equal({"induced"}, {gc["cause"] for gc in gcs[-10:]})
    t.check_equal(("interrupted", 0), (got["end"], got["lostEvents"]))
    t.check(all(0 < gc["pauseMs"] < 10000 and gc["pauses"] == 1 and
                gc["heapBytes"] >= gc["promotedBytes"] for gc in gcs), got)
    t.check(abs(sum(gc["pauseMs"] for gc in gcs) - got["pausedMs"]) < 0.001,
            got)
    t.check_equal([program.pid], [one["tid"] for one in got["threads"]])

    watching = Watching(t, program, "events", "gc")
    watching.probe(1, "gc")
    program.do("gc")
    wanted, got = shape(shown("gc")), shape(watching.interrupt())
    if t.runtime == "11":  # parts of the first may be the longest
        wanted, got = (text[:text.index("caused")] for text in (wanted, got))
    t.check_equal(wanted, got)
    t.wait_for("the end of the traces", lambda: program.threads() == program.idle)
    program.end()


def test_gc_allocating(t):
    """Nothing is lost of a program that collects all the time, and there is no
    gap in the numbers; background collections have their pauses."""
    # as often on every processor, whose caches else decide (hexadecimal)
    env = {**t.env, "DOTNET_GCgen0size": "1000000"}
    process = subprocess.Popen(t.program("GcHeavy", "1500", config="Release",
                                         host="dotnet"),
                               env=env, stdout=subprocess.PIPE, text=True)
    t.wait_for("the runtime", lambda: glob.glob(
        f"/tmp/dotnet-diagnostic-{process.pid}-*-socket"))
    done = t.run("events", "gc", "--json", "--seconds", "60", str(process.pid))
    out, _ = process.communicate()
    t.check_in("\nok\n", out)
    t.check_equal((0, ""), (done.returncode, done.stderr))
    got = json.loads(done.stdout)
    t.check_equal(("program ended", 0), (got["end"], got["lostEvents"]))
    numbers = sorted(gc["number"] for gc in got["collections"])
    # One may go on in the background when the program ends.
    missing = sorted(set(range(numbers[0], numbers[-1])) - set(numbers))
    background = [gc["number"] for gc in got["collections"]
                  if gc.get("kind") == "background"]
    t.check(len(missing) <= 1 and all(max(background, default=0) < one for one in missing),
            f"{missing} are missing")
    t.check(len(numbers) > 20, f"{len(numbers)} collections")
    for gc in got["collections"]:
        if gc.get("kind") == "background":
            t.check(gc["generation"] == 2 and gc["pauses"] >= 1, gc)
    causes = {gc.get("cause") for gc in got["collections"]}
    t.check("allocation" in causes, causes)


def test_exceptions(t):
    """Types, numbers, messages, and where they are caught."""
    program = Watched(t)
    watching = Watching(t, program, "events", "exceptions", "--caught")
    watching.probe(80, "throw 1")
    t.check_equal("40", program.do("throw 20"))
    t.check_equal(shape(shown("exceptions")), shape(watching.interrupt()))
    watching = Watching(t, program, "events", "exceptions", "--json")
    probes = watching.probe(80, "throw 1")
    t.check_equal("14", program.do("throw 7"))
    got = json.loads(watching.interrupt())
    t.check_equal({("System.InvalidOperationException", "state 6"),
                   ("Watched.OrderException", "order 6")},
                  {(one["type"], one["lastMessage"]) for one in got["types"]})
    least = 7 if t.runtime == "11" else 7 + probes
    t.check(all(least <= one["count"] <= 7 + probes for one in got["types"]), got)
    t.check_equal((sum(one["count"] for one in got["types"]), 0, 0),
                  (got["count"], got["thrownAgain"], got["lostEvents"]))
    thrown = {one["method"]: one["count"] for one in got["thrownIn"]}
    t.check_equal({"Watched.Program.ThrowOrder(int)",
                   "Watched.Program.ThrowState(int)"}, set(thrown))
    t.check_equal(got["count"], sum(thrown.values()))
    watching = Watching(t, program, "events", "exceptions", "--json", "--caught",
                        "--no-stacks")
    watching.probe(80, "throw 1")
    got = json.loads(watching.interrupt())
    # what 8 tells has stacks whatever it was asked for
    t.check_equal(t.runtime == "8", bool(got.get("thrownIn")))
    t.check_equal({"Watched.Program.Throw(int)"},
                  {one["method"] for one in got["caughtIn"]})
    program.end()


def test_each_line(t):
    """With --each and --json each event is a line of JSON, the last one all."""
    program = Watched(t)
    for kind, command, number, key in (
            ("exceptions", "throw 5", 80, "types"), ("gc", "gc", None, "collections"),
            ("contention", "contend 3", None, "locks")):
        watching = Watching(t, program, "events", kind, "--each", "--json")
        if number:
            watching.probe(number, "throw 1")
        for _ in range(10 if t.runtime == "11" else 1):
            program.do(command)
        *lines, last = [json.loads(line) for line in watching.interrupt().splitlines()]
        t.check(len(lines) >= 3 and all(line["time"] >= 0 for line in lines), lines)
        t.check_in(key, last)
        if kind == "exceptions":
            t.check_equal({("Watched.OrderException", "Watched.Program.ThrowOrder(int)"),
                           ("System.InvalidOperationException",
                            "Watched.Program.ThrowState(int)")},
                          {(line["type"], line["method"]) for line in lines})
            t.check_equal(last["count"], len(lines))
    program.end()


class Paced:
    """dndbg that watches the exceptions of a program that throws all the time:
    in turns."""

    def __init__(self, t, program, *words):
        self.t = t
        self.program = program
        self.thrown = 0
        self.process = subprocess.Popen(
            [t.dndbg, "events", "exceptions", "--seconds", "600", "--json", *words,
             str(program.pid)], env=t.env, text=True, stdout=subprocess.PIPE)

    def until(self, watched):
        def is_so():
            self.t.check_equal(None, self.process.poll())
            self.thrown += int(self.program.do("throw 2000"))
            return (self.program.threads() > self.program.idle) == watched
        self.t.wait_for("a turn" if watched else "a pause", is_so, 60)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.result()

    def result(self):
        out, _ = drive.ending(self.process, 60)
        self.t.check_equal(0, self.process.returncode)
        return json.loads(out)


def test_paced(t):
    """Of a program that throws all the time a part is watched, so that it goes on
    at its speed; it ends in a pause, too, as does the program."""
    program = Watched(t)
    paced = Paced(t, program, "--caught")
    for watched in (True, False, True, False, True):
        paced.until(watched)
    got = paced.end()
    t.check(0 < got["watchedSeconds"] < got["seconds"], got)
    t.check(10000 < got["count"] < paced.thrown, (paced.thrown, got["count"]))
    t.check_equal(0, got["lostEvents"])
    numbers = [one["count"] for one in got["types"]]
    # of each turn the first and the last may be half of a pair
    t.check(len(numbers) == 2 and abs(numbers[0] - numbers[1]) <= 6, numbers)
    t.check_equal(got["count"], sum(one["count"] for one in got["thrownIn"]))
    paced = Paced(t, program, "--caught")
    paced.until(True)
    paced.until(False)
    t.check(paced.end()["count"] > 10000, "of one turn")
    paced = Paced(t, program, "--caught", "--all")
    paced.until(True)
    while paced.thrown < 100000:
        paced.until(True)
    got = paced.end()
    t.check("watchedSeconds" not in got and got["count"] > 15000, got)
    paced = Paced(t, program, "--caught")
    paced.until(True)
    paced.until(False)
    program.end()
    t.check_equal("program ended", paced.result()["end"])


def test_paced_table(t):
    """What is said of a part that is watched leaves the table in its screen."""
    program = Watched(t)
    screen = Screen(t, [t.dndbg, "events", "exceptions", "--seconds", "600",
                        str(program.pid)], width=60, height=10)
    found = []

    def is_part():
        program.do("throw 2000")
        found[:] = re.findall(r"\A((?:Process .*\n)?More than 10000 (?:.*\n)+.* THROWN "
                              r"IN\n(?:.*\n)*and \d more )", screen.text())
        return found
    t.wait_for("a part", is_part, 60)
    t.check_match(r"\AProcess \d+, \.NET \d+: \d+ exceptions in [\d.]+ of [\d.]+ s",
                  found[0])
    screen.keys("C-c")
    t.wait_for("its end", lambda: not os.path.exists(f"/proc/{screen.pid}"))
    screen.close()
    program.end()


# where exceptions are cheap enough for more than that, however busy the machine
test_paced_table.runtimes = ("10", "11")


def test_live_table(t):
    """On a terminal the table is shown while it grows, and cut to its size."""
    program = Watched(t)
    screen = Screen(t, [t.dndbg, "events", "exceptions", "--seconds", "600",
                        str(program.pid)], width=60, height=20)
    seen = set()

    def shown_count():
        program.do("throw 1")
        found = re.search(r": (\d+) exceptions? in ", screen.text())
        if found:
            seen.add(found.group(1))
        return len(seen) > 2
    t.wait_for("a table that grows", shown_count)
    # the first that is told may be the second of a pair
    screen.wait(r"\n +COUNT +THROWN IN\n( +\d+ +Watched\.Program\.Throw"
                r"(Order|State)\(int\)\n){2}")
    screen.keys("C-c")
    t.wait_for("its end", lambda: not os.path.exists(f"/proc/{screen.pid}"))
    screen.close()
    program.end()


def test_alloc(t):
    """By the sampled bytes of each type: of 1,000 samples and more they are
    within 10 % of what the program counts."""
    program = Watched(t)
    watching = Watching(t, program, "events", "alloc", "--json")
    watching.probe(303 if t.runtime in ("10", "11") else 10, "alloc 300")
    truth = int(program.do("alloc 300000"))
    got = json.loads(watching.interrupt())
    t.check(abs(got["bytes"] / truth - 1) < 0.1, (got["bytes"], truth))
    types = {one["type"]: one["bytes"] for one in got["types"]}
    # 48 bytes an object to 1,024 of an array
    t.check(0.025 < types["Watched.Node"] / types["byte[]"] < 0.07, types)
    sites = {one["method"]: one["bytes"] for one in got["allocatedIn"]}
    for method, kind in (("Bytes", "byte[]"), ("Nodes", "Watched.Node")):
        share = sites[f"Watched.Program.Allocate{method}(int)"] / types[kind]
        t.check(0.99 < share <= 1.01, (sites, types))
    program.end()


def test_contention(t):
    """How often and how long a lock was waited for."""
    program = Watched(t)
    watching = Watching(t, program, "events", "contention", "--json")
    # 11 tells of locks a moment after the trace has begun
    rounds = 10 if t.runtime == "11" else 1
    for _ in range(rounds):
        t.check_equal("10", program.do("contend 10"))
    got = json.loads(watching.interrupt())
    t.check_equal((0, 0), (got["stillWaiting"], got["lostEvents"]))
    # A semaphore whose two threads meet in its own lock may be among them.
    lock = max(got["locks"], key=lambda one: one["waits"])
    t.check_equal(got["waits"], sum(one["waits"] for one in got["locks"]))
    t.check(10 <= lock["waits"] <= 10 * rounds, lock)
    t.check(1 < lock["longestMs"] < 10000, lock)
    t.check_match(r"^managed thread \d+$" if t.runtime == "11" else r"^\d+( '|$)",
                  lock["heldBy"])
    if t.runtime != "11":  # its Monitor is a Lock of the framework's
        t.check_equal("object", lock["type"])
    site = max(got["waitedIn"], key=lambda one: one["waits"])
    t.check_match(r"^Watched\.Program\.Contend\(int\)( -> |$)", site["method"])
    t.check_equal(lock["waits"], site["waits"])
    program.end()


def test_jit(t):
    """Methods that the program has compiled while it was watched; the file for
    PerfView is what the runtime has told."""
    program = Watched(t)
    file = f"{t.dir}/events.nettrace"
    watching = Watching(t, program, "events", "jit", "--json", "--nettrace", file)
    # each compiles methods that were not
    watching.probe(143, "order 1", "throw 1", "alloc 1", "each", "gc")
    program.do("contend 1")
    got = json.loads(watching.interrupt())
    methods = {one["method"]: one for one in got["methods"]}
    one = methods["Watched.Program.Contend"]
    t.check_equal((1, "tier 0"), (one["compiled"], one["lastVersion"]))
    t.check(0 < one["tookMs"] < 10000 and one["lastSize"] > 50, one)
    t.check_equal(got["compiled"], sum(got["versions"].values()))
    with open(file, "rb") as told:
        told = told.read()
    t.check_equal((b"Nettrace", True),
                  (told[:8], "Contend".encode("utf-16-le") in told))
    t.check_equal(1, t.run("events", "jit", "--nettrace", "/nosuch/file",
                           str(program.pid)).returncode)
    program.end()


def test_threadpool(t):
    """Starvation is told while it goes on."""
    program = Watched(t)
    watching = Watching(t, program, "events", "threadpool")
    program.process.stdin.write("starve 1500\n")
    program.process.stdin.flush()
    t.check_match(r"^ +[\d.]+ s  the pool starves: \d+ workers, ",
                  watching.process.stdout.readline())
    program.process.stdout.readline()
    t.check_match(r"^Process \d+, \.NET \d+: the pool has changed its workers "
                  r"\d+ times in [\d.]+ s, interrupted, \d+ at last; it starved "
                  r"\d+ times\n(?s:.*) starvation$", watching.interrupt())
    program.end()


def test_counters(t):
    """The runtime's and the program's own count what the program counts."""
    program = Watched(t)
    watching = Watching(t, program, "counters", "--each", "--seconds", "60",
                        "--meter", "Watched.Shop")
    # What is counted before anybody listens is not told.
    t.check_match(r"^ +[\d.]+ s  ", watching.process.stdout.readline())
    program.do("throw 20")
    t.check_equal("5 10", program.do("order 5"))
    wanted = {r" 5 +\d+  orders\{kind=book\} \(\{order\}\)$",
              r" 10 +\d+  orders\{kind=pen\} \(\{order\}\)$", r" 42 +stock$"}
    wanted |= ({r" 40 +\d+  exception-count$"} if t.runtime == "8" else
               {rf" 20 +\d+  dotnet\.exceptions\{{error\.type={name}\}} "
                for name in ("OrderException", "InvalidOperationException")})
    while wanted:
        line = watching.process.stdout.readline()
        t.check(line, f"not told: {wanted}")
        wanted = {one for one in wanted if not re.search(one, line)}
    out = watching.interrupt()
    t.check_match(r"^Process \d+, \.NET \d+: \d+ counters in [\d.]+ s, "
                  r"interrupted\n\n +VALUE +A SECOND  System\.Runtime\n",
                  out[out.index("Process "):])
    t.check_match(r"^ +VALUE +A SECOND  Watched\.Shop\n +\d+ +\d+  orders", out)
    done = t.run("counters", "--json", "--seconds", "3", str(program.pid))
    got = json.loads(done.stdout)
    t.check_equal({"System.Runtime", "kernel"},
                  {one["source"] for one in got["counters"]})
    own = {one["name"]: one for one in got["counters"] if one["source"] == "kernel"}
    with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
        threads = int(re.search(r"^Threads:\s+(\d+)", file.read(), re.M).group(1))
    t.check(abs(own["process.threads"]["value"] - threads) < 4, (own, threads))
    t.check(0 <= own["process.cpu.time"]["perSecond"] < 1.5, own)
    t.check(own["process.memory.resident"]["value"] > 20 << 20, own)
    # It is stopped between two collections, not when six seconds are over.
    t.check(got["seconds"] < 9, got["seconds"])
    out = t.run("counters", "--csv", "--seconds", "2", str(program.pid)).stdout
    rows = list(csv.DictReader(out.splitlines()))
    t.check(len(rows) > 5 and all(row["source"] in ("System.Runtime", "kernel") and
                                  row["pid"] == str(program.pid) and
                                  float(row["seconds"]) > 0 for row in rows), out)
    out = t.run("counters", "--prometheus", "--seconds", "2", "--meter",
                "Watched.Shop", str(program.pid)).stdout
    for line in out.splitlines():
        t.check_match(r'^(# TYPE \w+ (counter|gauge|summary)|\w+\{\w+="[^"]*"'
                      r'(,\w+="[^"]*")*\} [-+.\w]+)$', line)
    t.check_in(f'stock{{pid="{program.pid}",source="Watched.Shop"}} 42\n', out)
    t.check_equal("dndbg: 'a;b' is no name of a meter\n",
                  t.run("counters", "--meter", "a;b", str(program.pid)).stderr)
    program.end()


def test_counters_screen(t):
    """On a terminal as much as there is room for, with each value as it is now."""
    program = Watched(t)
    screen = Screen(t, [t.dndbg, "counters", "--seconds", "600", str(program.pid)],
                    width=60, height=12)
    screen.wait(r"\A\n +VALUE +A SECOND  System\.Runtime\n( .*\n){8} +and \d+ others$")
    value = r"^ +(\d+) +\d+  (dotnet\.gc\.heap\.total_alloc|alloc-rate)"
    first = int(screen.wait(value).group(1))

    def grows():
        program.do("alloc 100")
        return int(screen.wait(value).group(1)) > first
    t.wait_for("another value", grows)
    screen.keys("C-c")
    t.wait_for("its end", lambda: not os.path.exists(f"/proc/{screen.pid}"))
    screen.close()
    program.end()


def test_counters_several(t):
    """Of several programs each has its own result; what goes wrong with one
    leaves the others' whole."""
    programs = [Watched(t), Watched(t)]
    pids = [str(one.pid) for one in programs]
    done = t.run("counters", "--json", "--seconds", "2", *pids, "999999999")
    t.check_equal((1, "dndbg: there is no process 999999999, or it has ended\n"),
                  (done.returncode, done.stderr))
    decoder, text, found = json.JSONDecoder(), done.stdout, {}
    while text:
        got, end = decoder.raw_decode(text)
        found[str(got["pid"])] = len(got["counters"])
        text = text[end:].lstrip()
    t.check(set(found) == set(pids) and min(found.values()) > 10, found)
    process = subprocess.Popen([t.dndbg, "counters", "--each", "--json", "--seconds",
                                "600", *pids], stdout=subprocess.PIPE, text=True,
                               env=t.env)
    seen = set()
    while len(seen) < 2:
        one = json.loads(process.stdout.readline())
        if one["source"] == "System.Runtime":
            seen.add(str(one["pid"]))
    process.send_signal(signal.SIGINT)
    ends = [json.loads(line)["end"] for line in process.stdout
            if '"counters":' in line]
    t.check_equal((0, ["interrupted"] * 2), (process.wait(), ends))
    # nobody is left of one that is killed
    process = subprocess.Popen([t.dndbg, "counters", "--each", "--seconds", "600",
                                *pids], stdout=subprocess.PIPE, text=True, env=t.env)
    process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    t.wait_for("the ends of the others", lambda: not t.processes("dndbg"))
    for one in programs:
        one.end()


def test_counters_stopped(t):
    """The runtime is not told to stop while it asks the program's counters, when
    it might wait for itself for ever: not by Ctrl-C, and not when dndbg is
    killed; not the first time, and not later."""
    for how, status in ((signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)):
        for is_first in (True, False):
            program = Watched(t)
            said = [program.do("late")] if is_first else []
            watching = Watching(t, program, "counters", "--each", "--meter",
                                "Watched.Shop")
            if not is_first:
                t.check_in("stock", watching.until("stock"))
                said = [program.do("late")]  # or it is asked before it says so
            said.append(program.process.stdout.readline().strip())
            t.check_equal({"asked", "late"}, set(said))
            watching.process.send_signal(how)
            out, _ = watching.end(status)
            t.wait_for("the guardian",
                       lambda: not t.processes("dndbg-guardian"))
            if not status:
                t.check_in("late", out)
            program.end()


def total(got, name):
    """Milliseconds of a method, with those that it has called."""
    return sum(one["totalMs"] for one in got["methods"]
               if one["method"].startswith(f"Watched.Program.{name}("))


def test_sample(t):
    """Methods that run for known shares of the time are shown so, under those
    that have called them; the text is what the document shows."""
    program = Watched(t)
    # A method is compiled again while it runs.
    program.do("spin 300")
    watching = Watching(t, program, "sample", "--rate", "10000", "--json")
    program.do("spin 1500")
    got = json.loads(watching.interrupt())
    shares = [total(got, name) for name in ("SpinMost", "SpinLess", "SpinLeast")]
    for share, truth in zip(shares, (0.6, 0.3, 0.1)):
        t.check(abs(share / sum(shares) - truth) < 0.02, shares)
    t.check(total(got, "Spin") >= sum(shares) * 0.999, shares)
    t.check(1500 <= got["runningMs"] < 2500, got["runningMs"])
    main, = [one for one in got["threads"] if one["tid"] == program.pid]
    t.check(main["runningMs"] >= 1500 and main["samples"] > 5000, main)
    t.check(got["stacksCutOff"] < (got["samples"] + got["looks"]) / 100, got)
    t.check_equal((0, "interrupted"), (got["lostEvents"], got["end"]))

    program.do("wait")
    watching = Watching(t, program, "sample")
    # the least of three methods has some 20 samples
    program.do("spin 2000")
    out = watching.interrupt()
    lines = [shape(line) for line in out.splitlines()]
    for line in shown("sample").splitlines():
        if "Watched." in line or re.match(r"Process|[A-Z\s]*$", line):
            t.check_in(shape(line), lines)
    t.check_match(r"^\d+ samples at 99 Hz, 0 lost; \d+ looks at blocked threads"
                  r"; \d+ stacks? cut off$", out)
    program.end()


test_sample.glibc = "musl hides its functions and has no tables to unwind them"


def test_sample_callers(t):
    """Who allocates is the direct caller of the runtime's helpers, which have no
    frames of their own."""
    program = Watched(t)
    file = f"{t.dir}/folded"
    program.do("alloc 1000")  # the JIT compiles what is called first
    watching = Watching(t, program, "sample", "--rate", "2000", "--folded", file)
    # long enough that what is compiled anew meanwhile, and Allocate's own calls
    # of the runtime, are no share of it
    program.do("alloc 10000000")
    watching.interrupt()
    called, wrong = 0, {}
    with open(file, encoding="utf-8") as folded:
        for line in folded:
            stack, _, us = line.rpartition(" ")
            found, _, callee = stack.partition(";Watched.Program.Allocate(int);")
            # where it is blocked, as by the JIT's thread, is no sample
            if found == stack or re.search(r";\[(lock|event|disk|other)\]$", stack):
                continue
            called += int(us)
            if not callee.startswith("Watched.Program."):
                wrong[callee] = int(us)
    t.check(called > 10000 and sum(wrong.values()) < called / 50, (called, wrong))
    program.end()


def test_sample_short_lived(t):
    """Threads that are over before their events are read are there at most
    once, and the times of all are those of a program of some 110 threads."""
    program = Busy(t, "100", "3", config="Release").ready()
    done = t.run("sample", str(program.pid), "--seconds", "2", "--rate", "999",
                 "--json")
    got = json.loads(done.stdout)
    tids = [one["tid"] for one in got["threads"]]
    t.check_equal((len(set(tids)), True), (len(tids), min(tids) > 0))
    t.check(got["blockedMs"] < 125 * 1000 * got["seconds"], got["blockedMs"])
    # (what 8 throws is too deep for the copy of a stack that a sample has)
    t.check(got["stacksCutOff"] < got["samples"] / (50 if t.runtime == "8" else 200),
            (got["stacksCutOff"], got["samples"]))
    program.right()


test_sample_short_lived.glibc = "its threads begin in code without tables"


def test_sample_inlined(t):
    """A wait whose methods were all compiled into the program's own is no lock,
    which has no methods either."""
    t.env = {**t.env, "DOTNET_TC_CallCountingDelayMs": "0"}  # optimise at once
    program = Busy(t, "600", "1", config="Release").ready()
    got = json.loads(t.run("sample", str(program.pid), "--seconds", "1",
                           "--json").stdout)
    rows = [one for one in got["blocked"] if one["in"] == "Busy.Program.Wait()"]
    t.check_equal(["event"], [one["on"] for one in rows])
    t.check(rows[0]["blockedMs"] > 300 * 1000, rows)
    program.right()


test_sample_inlined.runtimes = ("9", "10", "11")
test_sample_inlined.glibc = "musl has no tables to unwind it"


def awaited(t, config):
    """Whoever awaits a call that was resumed has its time; of others of the same
    method nobody has."""
    program = Watched(t, config)
    file = f"{t.dir}/folded"
    program.do("await 300")
    watching = Watching(t, program, "sample", "--async", "--rate", "999", "--json",
                        "--folded", file)
    program.do("await 2500")
    got = json.loads(watching.interrupt())
    resumed, joined = got["asyncResumed"], got["asyncJoined"]
    # Where it was not looked in time, as on a machine with much else to do, the
    # call may be over.
    t.check(resumed > 50 and joined > resumed / 3, (resumed, joined))
    unsure = 1 - joined / resumed
    times = {}
    with open(file, encoding="utf-8") as folded:
        for line in folded:
            stack, _, us = line.rstrip("\n").rpartition(" ")
            before, found, _ = stack.partition(";Watched.Program.AwaitLeaf(int);")
            if found and "ThreadPoolWorkQueue" not in before:
                callers = tuple(re.findall(r"Watched\.Program\.(\w+)\(", before))
                times[callers] = times.get(callers, 0) + int(us)
    whole = [times.get(("AwaitAll", f"Await{name}"), 0)
             for name in ("Most", "Less", "Least")]
    t.check(sum(whole) > 0.95 * sum(times.values()), times)
    # ... running, without what has waited for a processor
    shares = [total(got, f"Await{name}") for name in ("Most", "Less", "Least")]
    for one, truth in zip(shares, (0.6, 0.3, 0.1)):
        t.check(abs(one / sum(shares) - truth) < 0.05 + unsure, (shares, resumed, joined))
    t.check(total(got, "AwaitAll") > 0.8 * sum(shares), got["methods"][:9])
    program.end()


def test_sample_async(t):
    """State machines: those of before .NET 11, and of most libraries."""
    awaited(t, "Release")


def test_sample_runtime_async(t):
    """Calls that the runtime suspends have no state machines."""
    awaited(t, "RtRelease")


test_sample_runtime_async.runtimes = ["11"]


def test_sample_blocked(t):
    """What threads wait for, and how long: a thread that does one after the
    other knows how long each was."""
    program = Watched(t)
    program.do("phases 3")
    phases = [("sleep", "Sleep()"), ("lock", "Lock()"),
              ("socket", "Socket(System.Net.Sockets.Socket)"), ("task", "Task()")]
    watching = Watching(t, program, "sample", "--rate", "999", "--json")
    truth = [int(n) for n in program.do("phases 60").split()]
    got = json.loads(watching.interrupt())
    found = [sum(one["blockedMs"] for one in got["blocked"] if
                 (one["on"], one["in"]) == (on, f"Watched.Program.Phase{name}"))
             for on, name in phases]
    # Where it was not looked in time, as on a machine with much else to do, is
    # said. A clock tick is what the program knows its own times by.
    unsure = got["guessedMs"] / sum(found)
    for one, real in zip(found, truth):
        t.check(abs(one / sum(found) - real / sum(truth)) < 0.02 + unsure,
                (found, truth, got["guessedMs"]))
    t.check(abs(sum(found) / sum(truth) - 1) < 0.1, (found, truth))
    program.do("wait")
    watching = Watching(t, program, "sample", "--json")
    t.wait_for("some looks", lambda: drive.state(program.pid) == "S")
    program.do("spin 200")
    got = json.loads(watching.interrupt())
    waits = {(one["on"], one["in"]) for one in got["blocked"]
             if one["blockedMs"] > 100}
    for one in (("sleep", "SleepLong()"), ("lock", "WaitForGate()"),
                ("task", "WaitForTask(System.Threading.Tasks.Task)"), ("event", "WaitForEvent()"),
                ("socket", "WaitForSocket(System.Net.Sockets.Socket)")):
        t.check_in((one[0], "Watched.Program." + one[1]), waits)
    program.end()


# Appended to the page of a flame graph: uses it, and tells what it shows.
USE_FLAMES = """<script>
const told = {};
const names = () => boxes.map(b => name(b.i));
const press = text => [...document.querySelectorAll('button')].find(
    b => b.textContent === text).click();
function type(text) {
  $('search').value = text;
  $('search').dispatchEvent(new Event('input'));
  return $('found').textContent;
}
told.errors = [];
addEventListener('error', event => told.errors.push(event.message));
told.running = names();
told.most = type('SPINMOST(');
told.less = type('spinless(');
type('');
const most = boxes.find(b => name(b.i).includes('SpinMost('));
const place = canvas.getBoundingClientRect();
const at = {clientX: place.left + most.x + 1, clientY: place.top + most.y + 1, bubbles: true};
canvas.dispatchEvent(new MouseEvent('mousemove', at));
told.tip = $('tip').textContent;
told.change = change(most.i);
canvas.dispatchEvent(new MouseEvent('click', {...at, ctrlKey: true}));
told.sent = sent;
canvas.dispatchEvent(new MouseEvent('click', at));
told.zoomed = names();
told.width = boxes.find(b => name(b.i).includes('SpinMost(')).w / canvas.clientWidth;
press('Zoom out (Esc)');
told.out = names().length === told.running.length;
press('Blocked');
told.blocked = names();
$('threads').click();
told.threads = names();
told.html = document.querySelectorAll('body b').length;
const result = document.createElement('pre');
result.id = 'told';
result.textContent = JSON.stringify(told);
document.body.append(result);
</script>"""


# ... in front of it: VS Code, in which frames lead to their source.
EDITOR = """<script>
const sent = [];
function acquireVsCodeApi() { return { postMessage: one => sent.push(one) }; }
</script>"""


def browse(t, page):
    """What the page of a flame graph shows to somebody who uses it."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace("<head>", "<head>" + EDITOR, 1) + USE_FLAMES)
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={t.dir}/browser", "--dump-dom", f"file://{page}"],
        capture_output=True, text=True, timeout=60 * drive.TIME, check=True)
    text = done.stdout.split('<pre id="told">')[1].split("</pre>")[0]
    return json.loads(html.unescape(text))


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def message(data):
    """The fields of a message of protocol buffers, in order."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        number, at = varint(data, at)
        yield number


def pprof_times(path):
    """Microseconds of the stacks in a file for pprof: as in a folded one."""
    with gzip.open(path) as file:
        fields = list(message(file.read()))
    texts = [value.decode() for field, value in fields if field == 6]
    functions = [dict(message(value)) for field, value in fields if field == 5]
    names = {one[1]: texts[one[2]] for one in functions}
    places = {}
    for field, value in fields:
        if field == 4:
            place = dict(message(value))
            places[place[1]] = names[dict(message(place[4]))[1]]
    found = {}
    for field, value in fields:
        if field == 2:
            sample = dict(message(value))
            stack = ";".join(places[n] for n in reversed(list(numbers(sample[1]))))
            found[stack] = sum(numbers(sample[2])) // 1000
    return found


def firefox_times(path):
    """Microseconds of the stacks in a file for the Firefox Profiler."""
    with open(path, encoding="utf-8") as file:
        got = json.load(file)
    shared = got["shared"]
    strings, frames = shared["stringArray"], shared["frameTable"]
    table = shared["stackTable"]
    stacks = []
    for frame, offset in zip(table["frame"], table["prefixOffset"]):
        name = strings[shared["funcTable"]["name"][frames["func"][frame]]]
        stacks.append((stacks[len(stacks) - offset] + ";" if offset else "") +
                      name.replace(";", ":"))
    found = {}
    for one in got["threads"]:
        samples = one["samples"]
        ran = 0
        for stack, ms, ns in zip(samples["stack"], samples["weight"],
                                 samples["threadCPUDelta"]):
            text = stacks[stack].removesuffix(";[waiting for a processor]")
            text = f"{one['tid']} '{one['name']}';{text}"
            found[text] = found.get(text, 0) + ms * 1000
            ran += ns
        if not {samples["length"]} == {len(samples[name]) for name in
                                       ("stack", "time", "weight")}:
            raise drive.Failure("columns of different lengths")
        found[one["tid"]] = ran
    return found


def test_sample_files(t):
    """Each form has the same stacks and times; a browser shows them, whatever
    the program calls its threads."""
    program = Watched(t)
    program.do("wait")
    forms = {name: f"{t.dir}/{name}" for name in
             ("folded", "speedscope", "pprof", "firefox")}
    forms["flame"] = f"{t.dir}/flame.html"
    watching = Watching(t, program, "sample", "--rate", "999",
                        *[f"--{name}={path}" for name, path in forms.items()])
    program.do("spin 300")
    watching.interrupt()
    with open(forms["folded"], encoding="utf-8") as file:
        folded = dict(line.rstrip("\n").rsplit(" ", 1) for line in file)
    folded = {stack: int(us) for stack, us in folded.items()}
    t.check_equal(folded, {stack: us for stack, us in
                           pprof_times(forms["pprof"]).items() if us})
    fire = firefox_times(forms["firefox"])
    t.check_equal([], [(stack, us, fire.get(stack)) for stack, us in folded.items()
                       if ";" in stack and abs(us - fire.get(stack, 0)) > 3])
    t.check(fire[program.pid] > 200e6, fire[program.pid])
    with open(forms["speedscope"], encoding="utf-8") as file:
        speed = json.load(file)
    frames = [one["name"] for one in speed["shared"]["frames"]]
    times = {}
    for profile in speed["profiles"]:
        t.check_equal(profile["endValue"], sum(profile["weights"]))
        for sample, us in zip(profile["samples"], profile["weights"]):
            stack = ";".join(frames[n] for n in sample)
            times[stack] = times.get(stack, 0) + us
    # three parts, each rounded down
    t.check_equal([], [stack for stack, us in folded.items()
                       if us - times.get(stack, 0) not in range(4)])
    t.check_equal(2, t.run("sample", "--diff", forms["folded"],
                           str(program.pid)).returncode)
    t.check_match(r"^dndbg: '.*/pprof' has no stacks: --folded writes such a "
                  r"file\n$", t.run("sample", "--diff", forms["pprof"], "--flame",
                                    forms["flame"], str(program.pid)).stderr)
    watching = Watching(t, program, "sample", "--rate", "999", "--flame",
                        forms["flame"], "--diff", forms["folded"])
    program.do("spin 300")
    watching.interrupt()
    program.end()
    if not shutil.which("chromium"):
        raise drive.Skip("no chromium")
    told = browse(t, forms["flame"])
    before = re.search(r"\nbefore (\d+\.\d) %$", told["tip"])
    t.check(before and 5 < float(before.group(1)) < 70, told["tip"])
    t.check_match(r"^hsl\((5|215) \d+% \d+%\)$", told["change"])
    t.check_equal([{"method": "Watched.Program.SpinMost()", "module": "Watched.dll"}],
                  told["sent"])
    t.check_in("\nCtrl+click: its source", told["tip"])
    t.check_equal(([], True, 0), (told["errors"], told["out"], told["html"]))
    t.check_in("Watched.Program.SpinMost()", told["running"])
    for name in ("most", "less"):
        t.check_match(r"^found in \d+\.\d %, [\d.]+ ms$", told[name])
    t.check_match(r"^Watched\.Program\.SpinMost\(\)\nWatched\.dll\n"
                  r"\d+\.\d %, .*; itself ", told["tip"])
    t.check("Watched.Program.SpinLess()" not in told["zoomed"] and
            told["width"] > 0.99, (told["zoomed"], told["width"]))
    t.check_in("Watched.Program.WaitForGate()", told["blocked"])
    t.check_match(r"^\d+ '</script><b>'$", "\n".join(told["threads"]))


def forbid_perf():
    """In a child: perf_event_open fails, as in most containers."""
    rules = struct.pack("HBBI", 0x20, 0, 0, 0)  # the number of the call
    rules += struct.pack("HBBI", 0x15, 0, 1, 298)
    rules += struct.pack("HBBI", 0x06, 0, 0, 0x50000 | errno.EPERM)
    rules += struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000)
    text = ctypes.create_string_buffer(rules)
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def test_sample_without_perf(t):
    """Where perf_event is not permitted, running threads are stopped for a
    moment, which is said; the program is none the worse for it."""
    program = Watched(t)
    program.do("spin 300")
    watching = Watching(t, program, "sample", "--json", preexec_fn=forbid_perf)
    program.do("spin 2000")
    got = json.loads(watching.interrupt())
    t.check_match("^running threads were stopped for some microseconds to be "
                  "sampled: perf_event is not permitted", got["note"])
    t.check(got["samples"] > 50 and total(got, "Spin") > 1800, got)
    # Of 50 samples and more: six times as many as the other, and neither none.
    times = [total(got, f"Spin{name}") for name in ("Most", "Less", "Least")]
    t.check(times[0] > times[2] and times[1] > 0, (times, got["samples"]))
    watching = Watching(t, program, "sample", preexec_fn=forbid_perf)
    watching.process.kill()
    watching.end(-signal.SIGKILL)
    program.do("gc")
    program.end()


def test_sample_bad(t):
    """What stands in the way is said in a sentence; nothing of ours is left."""
    program = Watched(t)
    words = ["sample", "--seconds", "20"]
    os.kill(program.pid, signal.SIGSTOP)
    t.wait_for("the stop", lambda: drive.state(program.pid) == "T")
    t.check_equal(f"dndbg: process {program.pid} is stopped, by a signal; "
                  "SIGCONT lets it go on: there is nothing to sample\n",
                  t.run(*words, str(program.pid)).stderr)
    os.kill(program.pid, signal.SIGCONT)
    watching = Watching(t, program, *words)
    watching.process.kill()
    watching.end(-signal.SIGKILL)
    program.do("gc")
    done = t.run(*words[:1], "--seconds", "0.2", "--folded", "/nosuch/file",
                 str(program.pid))
    t.check_equal((1, "dndbg: cannot write '/nosuch/file': "
                   "No such file or directory\n"), (done.returncode, done.stderr))
    if not os.geteuid():
        other = ["setpriv", "--reuid", "65534", "--clear-groups",
                 "--inh-caps=-all", "--bounding-set=-all", t.dndbg]
        done = subprocess.run([*other, *words, str(program.pid)], text=True,
                              capture_output=True, env=t.env, cwd="/")
        t.check_match(r"^dndbg: .*process .*run dndbg as that user or as root\n$"
                      r"|^dndbg: process .* is no .NET program", done.stderr)
    watching = Watching(t, program, *words)
    program.process.kill()
    out, err = watching.end()
    t.check_equal("", err)
    t.check_match(r"^Process \d+, \.NET \d+: .* in [\d.]+ s, program ended\n",
                  out)
    program.process.wait()
    t.check_equal(2, t.run("sample", "--rate", "0", "1").returncode)


def test_prompt(t):
    """The prompt lets the program go on while it is watched; a breakpoint ends
    that early, with a whole result; nothing of ours is left."""
    program = Watched(t)
    program.do("keep")
    flame = f"{t.dir}/flame.html"
    done = t.run("-q", "-n", "--batch", "-p", str(program.pid),
                 "-ex", f"sample --seconds 0.5 --flame {flame}",
                 "-ex", "echo --events\\n", "-ex", "events gc --seconds 0.2",
                 "-ex", "echo --counters\\n", "-ex", "counters --seconds 1.2",
                 "-ex", "echo --perfmap\\n",
                 "-ex", f"perfmap --output {t.dir}/map",
                 "-ex", "echo --top\\n", "-ex", "top --seconds 0.2",
                 "-ex", "echo --bad\\n", "-ex", "sample --seconds x",
                 "-ex", "echo --hit\\n", "-ex", "break Watched.Program.SpinLess",
                 "-ex", "ignore 1 1000", "-ex", "sample --seconds 60",
                 "-ex", "delete")
    parts = dict(re.findall(r"--(\w+)\n((?:(?!--).*\n)*)", "--sample\n" +
                            done.stdout))
    title = rf"^Process {program.pid}, \.NET \d+: "
    t.check_match(rf"(?m){title}.* running .* in [\d.]+ s$", parts["sample"])
    t.check_in("\nProgram received signal SIGINT, Interrupt.\n", parts["sample"])
    t.check(os.path.getsize(flame) > 1000, flame)
    t.check_match(rf"{title}\d+ collections in ", parts["events"])
    t.check_match(rf"{title}\d+ counters in ", parts["counters"])
    t.check_match(r"^Process \d+: \d+ methods of the JIT", parts["perfmap"])
    t.check_in(f" {program.pid} ", parts["top"])
    t.check_in("dndbg: 'x' is no number of seconds\n", done.stderr)
    t.check_match(rf"(?m){title}.*, interrupted$", parts["hit"])
    t.check_in("\nBreakpoint 1, Watched.Program.SpinLess () at ", parts["hit"])
    t.wait_for("the guardian's end", lambda: not t.processes("dndbg-guardian"))
    program.do("gc")
    program.end()


# The one that stops the program is first, before others ask its runtime.
WATCH = [["trace", "Watched.Program.Main"], ["sample"], ["events", "gc"],
         ["events", "exceptions"], ["events", "alloc"], ["events", "contention"],
         ["events", "jit"], ["events", "threadpool"], ["counters"], ["perfmap"],
         ["top"]]


def watch_all(t, pid, before=(), dndbg=None):
    """What each command prints of one process, by its words, status included;
    one after the other for those that stop it, else all at once."""
    running = {}
    for words in WATCH:
        line = [*before, dndbg or t.dndbg, *words]
        if words[0] != "top":
            line.insert(len(line) - (words[0] == "trace"), str(pid))
        line += ["--output", "/dev/null"] if words[0] == "perfmap" else [
            "--seconds", "0.3"]
        running[words[0], words[-1]] = process = subprocess.Popen(
            line, env=t.env, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        if words[0] == "trace":
            process.wait(timeout=60 * drive.TIME)
    found = {}
    for words, process in running.items():
        out, _ = process.communicate(timeout=60 * drive.TIME)
        found[words] = f"{process.returncode}: {out}"
    return found


def test_devices(t):
    """A device or a link that a result is written to stays what it is, also
    if that fails."""
    if os.geteuid():
        raise drive.Skip("only root can make a device")
    program = Watched(t)
    null, full, link = (f"{t.dir}/{name}" for name in ("null", "full", "link"))
    for path, minor in ((null, 3), (full, 7)):
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
    os.symlink(null, link)
    for path, status in ((null, 0), (link, 0), (full, 1)):
        for words in (["perfmap", "--output"],
                      ["sample", "--seconds", "0.1", "--folded"]):
            done = t.run(*words, path, str(program.pid))
            t.check_equal((status, f"dndbg: cannot write '{full}': No space "
                           "left on device\n" * status),
                          (done.returncode, done.stderr))
    t.check_equal((True, True, null),
                  (stat.S_ISCHR(os.lstat(null).st_mode),
                   stat.S_ISCHR(os.lstat(full).st_mode), os.readlink(link)))
    program.end()


def test_users(t):
    """Each command serves the program's own user, who may do nothing else, and
    root; another user is told what is in the way."""
    if os.geteuid():
        raise drive.Skip("only root can be somebody else")
    program = Watched(t, words=container.as_nobody(
        t, "/mnt/dotnet/dotnet", "/mnt/app/Watched.dll", fixture="Watched"))
    there = ["nsenter", "--mount", "--target", str(program.pid), "setpriv",
             "--clear-groups", "--regid", "65534", "--reuid"]
    for found in (watch_all(t, program.pid),
                  watch_all(t, program.pid, [*there, "65534"], "/mnt/dndbg")):
        for words, out in found.items():
            t.check_match(rf"(?m)^0: .*Process {program.pid}[,:] |"
                          rf"^ +{program.pid}  Watched\.dll  ", out)
    found = watch_all(t, program.pid, [*there, "65533"], "/mnt/dndbg")
    t.check_match(r"^0: +PID .*\n$", found.pop(("top", "top")))
    for words, out in found.items():
        t.check_match(rf"^1: dndbg: (cannot trace process {program.pid}, which "
                      r"user 65534 runs: run dndbg as that user or as root|no "
                      rf"permission for process {program.pid}, which belongs to "
                      r"user 'nobody': its runtime answers that user and root "
                      r"only)\n$", out)
    program.do("gc")
    program.end()


def test_top(t):
    """Each program with what it uses, once as a table, and refreshed on a
    terminal, however narrow; nothing is asked of the programs."""
    program = Watched(t)
    program.process.stdin.write("spin 2000\n")
    program.process.stdin.flush()
    got = json.loads(t.run("top", "--json").stdout)
    one, = [one for one in got["programs"] if one["pid"] == program.pid]
    t.check_equal("Watched.dll", one["name"])
    t.check(one["runtime"].startswith(t.runtime + "."), one)
    t.check(0.02 < one["processors"] < 1.2 and one["threads"] > 3 and
            10e6 < one["residentBytes"] < 1e9 and
            10e3 < one["heapBytes"] < 10e6 and "queued" in one["pool"], one)
    t.check_equal(("time", False), (got["end"], "pid" in got))
    out = t.run("top", "--seconds", "0.5").stdout
    title, *rows = shown("top").splitlines()
    # names are as wide as the longest
    t.check_equal(title.split(), out.splitlines()[0].split())
    row, = [line for line in out.splitlines() if f"{program.pid} " in line[:9]]
    for one in [*rows, row]:
        t.check_match(r"^ *\d+  [\w.]+  +[\d.]+ %  +[\d.]+ [KM]B  +[\d.]+ [KM]B  +"
                      r"[-+][\d.]+ [KM]?B  +[\d.]+ %  +\d+  +\d+  +\d+/\d+  +\d+  "
                      r"[\d.]{6,14} +(-|[0-9a-f]{12})$", one)
    t.check_equal("spun\n", program.process.stdout.readline())
    program.process.stdin.write("spin 3000\n")
    program.process.stdin.flush()
    screen = Screen(t, ["sh", "-c", f"trap : INT; {t.dndbg} top; echo ended $?; cat"],
                    width=60, height=10)  # room for the longest names
    first = screen.wait(rf"^ *{program.pid}  Watched\.dll  +([\d.]+ %) ").group(1)
    # the title is seen, and a row is a line
    t.check_match(r"\A    PID  PROGRAM +CPU.*\n +\d+  \S+ +[\d.]+ % .*\n", screen.text())
    screen.wait(rf"^ *{program.pid}  Watched\.dll  +(?!{first})[\d.]+ % ")
    screen.keys("C-c")
    screen.wait(r"^ended 0$")
    screen.close()
    t.check_equal("spun\n", program.process.stdout.readline())
    t.check_equal(program.idle, program.threads())
    t.check_equal(2, t.run("top", "1").returncode)
    program.end()


def test_top_counts(t):
    """Exceptions and pauses are those of the runtime's own counts, whichever
    collector it has; a program that does nothing has none."""
    for server in "01":
        t.env["DOTNET_gcServer"] = server
        program = Watched(t)

        def looked(lines):
            thrown = 0
            process = subprocess.Popen([t.dndbg, "top", "--json", "--seconds", "1"],
                                       env=t.env, stdout=subprocess.PIPE, text=True)
            while process.poll() is None and lines:
                program.do("gc")
                thrown += int(program.do("throw 100"))
            out, _ = process.communicate()
            got = json.loads(out)
            one, = [one for one in got["programs"] if one["pid"] == program.pid]
            return one["exceptionsPerSecond"], one["paused"], thrown / got["seconds"]
        t.check_equal((0, 0), looked(False)[:2])
        rate, paused, truth = looked(True)
        t.check(0 < rate <= truth and 0 < paused < 1, (server, rate, truth, paused))
        for name in ("ExceptionNative.GetExceptionCount",
                     "GCHeap.GetTotalPauseDuration"):
            got = json.loads(t.run("top", "--json", "--seconds", "0.1",
                                   env={"DNDBG_DISTRUST": name}).stdout)
            one, = [one for one in got["programs"] if one["pid"] == program.pid]
            t.check("paused" not in one and "heapBytes" in one, one)
        program.end()


def test_bad(t):
    """What stands in the way is said in a sentence; whatever becomes of us, or
    of the program, the trace is gone and the program goes on."""
    program = Watched(t)
    words = ["events", "gc", "--seconds", "20"]
    os.kill(program.pid, signal.SIGSTOP)
    t.wait_for("the stop", lambda: drive.state(program.pid) == "T")
    t.check_equal((f"dndbg: process {program.pid} is stopped, by a signal; "
                   "SIGCONT lets it go on: its runtime answers when it goes "
                   "on\n", 1),
                  (lambda done: (done.stderr, done.returncode))(
                      t.run(*words, str(program.pid))))
    os.kill(program.pid, signal.SIGCONT)
    # The guardian stops the trace of one that was killed.
    for number in (signal.SIGKILL, signal.SIGPIPE):
        watching = Watching(t, program, *words)
        watching.process.send_signal(number)
        watching.end(-number)
        t.wait_for("the trace's end", lambda: program.threads() == program.idle and
                   not t.processes("dndbg-guardian"))
    # ... and we if the guardian was.
    watching = Watching(t, program, *words)
    guardian, = t.processes("dndbg-guardian")
    os.kill(guardian, signal.SIGKILL)
    watching.interrupt()
    t.wait_for("the trace's end", lambda: program.threads() == program.idle)
    program.do("gc")
    watching = Watching(t, program, *words)
    program.process.kill()
    out, err = watching.end()
    t.check_equal("", err)
    t.check_match(r"^Process \d+, \.NET \d+: \d+ collections in [\d.]+ s, "
                  "program ended\n", out)
    program.process.wait()
    t.check_match(rf"^dndbg: (there is no process {program.pid}, or it has "
                  "ended|process .* is no .NET program.*)\n$",
                  t.run(*words, str(program.pid)).stderr)
    t.check_equal("dndbg: no .NET program is called 'nosuchname'\n",
                  t.run(*words, "nosuchname").stderr)
    t.check_equal(2, t.run("events", "nosuch", "1").returncode)
    t.check_equal("dndbg: 'x' is no number of seconds\n",
                  t.run("events", "gc", "--seconds", "x", "1").stderr)


def test_no_diagnostics(t):
    """A runtime that was told to serve nobody."""
    t.env["DOTNET_EnableDiagnostics"] = "0"
    program = Watched(t)
    t.check_in("was started with DOTNET_EnableDiagnostics=0",
               t.run("events", "gc", str(program.pid)).stderr)
    program.end()


def test_jitdump_ended(t):
    """A program that ends, reaped or not, ends `perfmap --jitdump`."""
    program = Watched(t)
    with subprocess.Popen([t.dndbg, "perfmap", "--jitdump", str(program.pid)],
                          stdout=subprocess.PIPE, text=True, env=t.env) as watch:
        t.check_match(r"^Process \d+ writes ", watch.stdout.readline())
        os.kill(program.pid, signal.SIGKILL)
        try:
            t.check_equal(0, watch.wait(20 * drive.TIME))
        except subprocess.TimeoutExpired:
            watch.kill()
            raise drive.Failure("it goes on without the program")


def test_foreign_socket(t):
    """Another process's socket of the same name, as two containers with one
    directory for temporary files can have it, is not asked."""
    # programs that were killed leave theirs, and their number may come again
    place = t.env["TMPDIR"] = os.path.join(t.dir, "temporary")
    os.mkdir(place)
    program = Watched(t)
    path, = glob.glob(f"{place}/dotnet-diagnostic-{program.pid}-*-socket")
    with socket.socket(socket.AF_UNIX) as other:
        os.unlink(path)
        other.bind(path)
        other.listen()
        for words in (["events", "gc"], ["counters"], ["perfmap", "--jitdump"]):
            t.check_equal(f"dndbg: the diagnostics socket of process {program.pid} "
                          f"is served by process {os.getpid()}, whose socket has the "
                          "same name: give each a directory for temporary files of "
                          "its own (TMPDIR)\n",
                          t.run(*words, "--seconds", "1", str(program.pid)).stderr)
    program.end()


def test_container(t):
    """A program of other pids, mounts and temporary files."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    program = Watched(t, words=container.words(t, "Watched"))
    pid, = t.processes("dotnet")
    program.pid = pid
    watching = Watching(t, program, "events", "gc", "--each")
    probes = watching.probe(1, "gc")
    program.do("gc")
    out = watching.interrupt()
    induced = len(re.findall(r"\d s +\d+ +[0-2]  blocking +.* induced$", out, re.M))
    least = 1 if t.runtime == "11" else probes + 1
    t.check(10 * least <= induced <= 10 * (probes + 1), (induced, probes))
    by_thread, = re.findall(r"^in threads +1 'dotnet' \((\d+)\)$", out, re.M)
    t.check(induced <= int(by_thread) <= 10 * (probes + 1), (out, probes))
    program.do("wait")
    watching = Watching(t, program, "sample", "--json")
    program.do("spin 300")
    got = json.loads(watching.interrupt())
    t.check(total(got, "Spin") >= 250 and (got["pid"], got.get("note")) ==
            (pid, None), got)
    t.check_in(("lock", "Watched.Program.WaitForGate()"),
               {(one["on"], one["in"]) for one in got["blocked"]})
    program.end()


def test_pid_namespace(t):
    """Each command from outside, by the host's pid, and from inside of the
    container, where the program is the first process."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    program = Watched(t, words=container.words(t, "Watched"))
    pid, = t.processes("dotnet")
    inside = ["nsenter", "--pid", "--mount", "--root", "--target", str(pid)]
    for number, before in ((pid, []), (1, inside)):
        for words, out in watch_all(t, number, before).items():
            t.check_match(rf"(?m)^0: .*Process {number}[,:] |"
                          rf"^ +{number}  Watched\.dll  ", out)
    program.do("gc")
    program.end()


test_pid_namespace.glibc = "its container on musl has no dndbg in it"
for every in (test_users, test_container, test_pid_namespace):
    every.runtimes = ("8", "10", "11")
