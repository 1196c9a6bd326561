"""The runtime's state, of a program that runs and of its core: what Stuck.cs
holds still is found, all of it and no more."""
import json
import os
import re
import subprocess

import cgroups
import container
import drive
import dumps

# Two workers, however many processors there are.
WORKERS = {"DOTNET_ThreadPool_ForceMinWorkerThreads": "2",
           "DOTNET_ThreadPool_ForceMaxWorkerThreads": "2"}


class Stuck:
    """Stuck.cs as it stands; it ends at the end of its input."""

    def __init__(self, t, *args, config="Debug", words=None,
                 preexec_fn=None):
        self.t = t
        self.process = subprocess.Popen(
            words or t.program("Stuck", *args, config=config, host="dotnet"),
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**t.env, **WORKERS, **dumps.STEADY}, preexec_fn=preexec_fn)
        t.check_equal("ready\n", self.process.stdout.readline())
        self.pid = str(self.process.pid)

    def core(self):
        path = f"{self.t.dir}/stuck.core"
        done = self.t.run("dump", "--type", "heap", "-o", path, self.pid)
        self.t.check_equal((0, ""), (done.returncode, done.stderr))
        return path

    def targets(self):
        """What is to show the same: the program and its core."""
        return self.pid, self.core()

    def ends(self):
        self.t.check_equal(0, drive.tracer_of(self.process.pid))
        self.process.communicate("", timeout=30 * drive.TIME)
        self.t.check_equal(0, self.process.returncode)


def ask(t, command, target, *args):
    """What a one-shot command gives in JSON."""
    done = t.run(command, target, *args, "--json")
    t.check_equal((0, ""), (done.returncode, done.stderr))
    return json.loads(done.stdout)


# ---- Stacks ------------------------------------------------------------------

def branches(stacks, above=()):
    """Each branch: the user's own frames from the outermost on, and how many
    threads stand at its end."""
    for one in stacks:
        way = above + tuple((f["name"], f["line"]) for f in one["frames"]
                            if f["own"])
        if "threads" in one:
            yield way, len(one["threads"])
        yield from branches(one.get("stacks", []), way)


def test_stacks(t):
    """Threads at one place are one branch, below what they share with others."""
    program = Stuck(t)
    cross = ("Stuck.Program.Cross.lambda", t.line("Stuck", "cross"))
    for target in program.targets():
        found = ask(t, "pstacks", target)
        own = [(way, n) for way, n in branches(found["stacks"]) if way]
        t.check_equal(found["threads"],
                      sum(n for _, n in branches(found["stacks"])))
        t.check_equal([2, 2] if t.runtime == "8" else [2, 2, 2],
                      [n for way, n in own if way[0] == cross])
        # two lambdas that call one method
        worker = ("Stuck.Program.Worker", t.line("Stuck", "worker"))
        t.check_equal([1, 1], [n for way, n in own if way[-1] == worker])
        done = t.run("pstacks", target)
        t.check_match(r"^ +2 Stuck\.Program\.Locks\.lambda\(bool\) at .*\n"
                      r"( +2 .*\n)*      +threads \d+, \d+$", done.stdout)
    # what the user has set stays as it was
    done = t.run("--batch", "--core", target, "-ex", "pstacks", "-ex",
                 "show runtime-threads")
    t.check_match(r"runtime-threads.*\bon\b", done.stdout)
    program.ends()


# ---- Async calls and tasks ---------------------------------------------------

def configs(t):
    """State machines and, on .NET 11, runtime async, of which the same is
    told."""
    return ("Debug", "Release",
            *(drive.ELEVEN if t.runtime == "11" else ()))


def calls(chain):
    """A chain in short: methods with their lines, what they are stuck at."""
    return [(one["method"].removeprefix("Stuck.Program."), one["line"])
            if one["async"] else one["what"].partition(" 0x")[0]
            for one in chain["calls"]]


def test_async(t):
    """Who awaits whom, to what nobody does; a circle has no end."""
    def at(method, mark):
        return method, t.line("Stuck", mark)

    outer = ["System.Threading.Tasks.TaskCompletionSource<int>",
             at("Inner", "inner"), at("Middle", "middle"), at("Outer", "outer")]
    both = ["Task.WhenAll", at("Both", "both")]
    wanted = [
        ("circle", 1, [at("Circle", "circle")] * 2),
        ("chain", 3, outer),
        ("chain", 2, outer),
        ("chain", 1, ["Task.Delay, 100000000 ms", at("Sleeps", "sleeps"),
                      *both]),
        ("chain", 1, ["SemaphoreSlim.WaitAsync of", at("Gated", "gated"),
                      *both]),
        ("chain", 1, [at("Ticks", "ticks")])]
    for config in configs(t):
        program = Stuck(t, "circle", config=config)
        for target in program.targets():
            found = ask(t, "dumpasync", target)
            got = [(one["kind"], one["count"], calls(one))
                   for one in found["chains"]]
            t.check_equal(sorted(map(repr, wanted)), sorted(map(repr, got)))
            t.check_equal("circle", got[0][0])
            # three times five calls, Both, Sleeps, Gated, Ticks, the circle
            t.check_equal(21, found["calls"])
            awaits, = (one["calls"][0]["what"] for one in found["chains"]
                       if calls(one) == [at("Ticks", "ticks")])
            t.check_equal("awaits System.Threading.PeriodicTimer", awaits)
            # the workers' own are those that threads wait for
            t.check_equal([2], [one["count"] for one in found["chains"]
                                if one["calls"][-1]["threadWaits"]])
        each = ask(t, "dumpasync", target, "--stacks", "--type", "Outer")
        t.check_equal([(1, outer)] * 5, [(one["count"], calls(one))
                                         for one in each["chains"]])
        t.check_equal(5, len({one["calls"][-1]["address"]
                              for one in each["chains"]}))
        program.ends()
    done = t.run("--batch", "--core", target, "-ex", "dumpasync --type Gated")
    t.check_match(r"^1 chain:\n  0x\w+  SemaphoreSlim\.WaitAsync of 0x\w+\n"
                  r"  0x\w+  Stuck\.Program\.Gated\(\) at .*Stuck\.cs:"
                  + str(t.line("Stuck", "gated")), done.stdout)


def batch_at(t, target, *commands):
    """What commands print of a program or core, the exit status 0 demanded."""
    words = (["--core", target] if os.path.isfile(target) else ["-p", target])
    done = t.run("--batch", *words, *(word for one in commands
                                      for word in ("-ex", one)))
    t.check_equal((0, ""), (done.returncode, done.stderr))
    return done.stdout


def test_suspended(t):
    """Variables of calls that wait; one is selected, with those that await it,
    and expressions are evaluated in it."""
    for config in configs(t):
        program = Stuck(t, config=config)
        for target in program.targets():
            listed = batch_at(t, target, "dumpasync --locals --type Inner")
            # all that differs of five calls is their objects
            t.check_match(r"Stuck\.Program\.Inner\(int\) at .*\n +n = \d\n",
                          listed)
            each = batch_at(t, target, "dumpasync --locals --stacks --type "
                            "Inner")
            values = [int(n) for n in re.findall(
                r"Inner\(int\) at .*\n +n = (\d+)\n", each)]
            t.check_equal((5, [0, 1, 2]), (len(values), sorted(values)[:3]))
            shown = batch_at(t, target, "task Inner", "print n", "bt",
                             "up", "task", "frame 0", "print n + 1")
            if config.endswith("Debug"):
                t.check_match(r"\n#1  \[async\] Stuck\.Program\.Middle "
                              r"\(n=(\d+)\) at Stuck\.cs:\d+\n"
                              r"#2  \[async\] Stuck\.Program\.Outer "
                              r"\(n=\1\) at ", shown)
            t.check_match(r"This is the first of 5; [^\n]*\n"
                          r"\[Switching to suspended call 0x\w+\]\n"
                          r"#0  \[async\] Stuck\.Program\.Inner \(n=(\d+)\) at "
                          rf"Stuck\.cs:{t.line('Stuck', 'inner')}\n"
                          r"(.*\n)*\$1 = \1\n", shown)
            n, more = re.findall(r"^\$\d = (\d+)$", shown, re.M)
            t.check_equal(int(n) + 1, int(more))
        failed = t.run("--batch", "--core", target, "-ex", "task Nothing",
                       "-ex", "task 0x10", "-ex", "task", "-ex", "task Inner",
                       "-ex", "thread 1", "-ex", "info locals")
        t.check_equal('No call of a method "Nothing" is suspended.\n'
                      "No suspended call is at 0x10.\n"
                      "No suspended call is selected.\n", failed.stderr)
        program.ends()


def test_continuations(t):
    """Continuations of runtime async are called by the calls that are suspended
    in them, on the heap, in paths from roots and in views of their tasks."""
    for config in ("RtDebug", "RtRelease"):
        program = Stuck(t, config=config)
        for target in program.targets():
            listed = batch_at(t, target, "heap list --type Continuation")
            inner = (r"async Stuck\.Program\.Inner, awaiting at Stuck\.cs:"
                     + str(t.line("Stuck", "inner")))
            found = re.findall(r"^(0x\w+) .* " + inner + "$", listed, re.M)
            t.check_equal(5, len(found))
            path = batch_at(t, target, f"heap roots {found[0]}")
            t.check_match(inner, path)
            # what it leads to is what awaits it
            shown = batch_at(t, target, f"heap object {found[0]}")
            t.check_match(r"Next +0x\w+ +async Stuck\.Program\.Middle, awaiting "
                          rf"at Stuck\.cs:{t.line('Stuck', 'middle')}\n", shown)
            called = batch_at(t, target, "print Stuck.Program.keep[0]")
            t.check_match(r"Status = WaitingForActivation, Method = "
                          r'"Stuck\.Program\.Outer\(int\)", Result', called)
        program.ends()


test_continuations.runtimes = ("11",)


def test_async_running(t):
    """Async calls on the stack of a thread are counted, before they have ever
    waited and behind that."""
    for config in "Debug", "Release":
        done = t.batch(["break " + t.at("StepAsync", "leaf-await"), "run",
                        "dumpasync", "continue", "bt", "dumpasync",
                        "dumpasync --json", "kill"],
                       t.program("StepAsync", config=config))
        t.check_in("\n0 async calls wait, 3 are on the stack of a thread "
                   "(pstacks)\n", done.stdout)
        stack = done.stdout[done.stdout.index("\n#0 "):]
        frames = re.findall(r"^#\d+ .*StepAsync\.Program\.(?:Leaf|Middle|Chain)"
                            r" \((?:n=\d)?\) at ", stack, re.M)
        t.check_in(f"\n0 async calls wait, {len(frames)} are on the stack",
                   stack)
        t.check_in(f'"running":{len(frames)},', stack)


def test_tasks(t):
    """Tasks by state, with what they run and what they have thrown."""
    program = Stuck(t)
    for target in program.targets():
        found = ask(t, "tasks", target)
        groups = {(one["state"], one["task"].rpartition(" at ")[0]
                   or one["task"]): one for one in found["groups"]}
        for state, task, n in (("created", "Fail()", 1),
                               ("queued", "Queued()", 4),
                               ("queued", "Mine()", 2),
                               ("running", "Pool.lambda()", 2),
                               ("running", "Crossed.lambda()", 2),
                               ("running", "Within.lambda()", 2),
                               ("waiting", "Outer(int)", 5)):
            t.check_equal(n, groups[state, "Stuck.Program." + task]["count"])
        lost, = (one for one in found["groups"] if one["state"] == "faulted")
        t.check_equal((2, "Stuck.LostException", "nobody looked", True),
                      (lost["count"], lost["exception"], lost["message"],
                       lost["unobserved"]))
        t.check_equal((1, 6, 6, 2), tuple(found[state] for state in
                                          ("created", "queued", "running",
                                           "faulted")))
    listed = ask(t, "tasks", target, "--all", "--completed")["tasks"]
    t.check(any("<Done>" in one["type"] for one in listed
                if one["state"] == "done"), "Done is not listed")
    t.check_equal(1, sum(one["state"] == "canceled" for one in listed))
    program.ends()


# ---- The thread pool and timers ----------------------------------------------

def test_pool(t):
    """Workers, what is queued for all and by a worker, and what timers call."""
    program = Stuck(t)
    for target in program.targets():
        found = ask(t, "threadpool", target)
        # .NET 10 takes from a worker that waits what it has queued
        own = "local" if t.runtime in ("8", "9") else "high priority"
        t.check_equal((2, 2, 2, 2, 7, 2), (
            *(found[name] for name in ("workers", "working", "min", "max",
                                       "global")),
            found["local"] + found["highPriority"]))
        t.check_equal([(2, own, "Stuck.Program.Mine"),
                       (3, "global", "Stuck.Program.Item"),
                       (4, "global", "Stuck.Program.Queued")],
                      sorted((one["count"], one["queue"], one["method"])
                             for one in found["work"]))
        timers = ask(t, "timers", target)["timers"]
        t.check_equal([(50000000, 7000), (60000000, None)],
                      sorted((one["due"], one.get("period"))
                             for one in timers
                             if one["method"] == "Stuck.Program.Tick"))
        t.check_equal([100000000], [one["due"] for one in timers
                                    if "Delay" in one["method"]])
    report, = json.loads(t.run("core", target, "--report=json").stdout)
    t.check_equal({"workers": 2, "working": 2, "max": 2, "queued": 9},
                  report["threadPool"])
    heap = dict.fromkeys(report["heap"], 0)
    for one in ask(t, "heap", "segments", target)["segments"]:
        name = one["generation"]
        heap["gen" + name if name.isdigit() else name] += one["bytes"]
    t.check_equal(heap, report["heap"])
    done = t.run("--batch", "--core", target, "-ex", "threadpool", "-ex",
                 "timerinfo")
    t.check_match(r"^Workers: 2, at work 2, ", done.stdout)
    t.check_match(r"^Queued: 7 global, [02] of workers' own, ", done.stdout)
    t.check_match(r"^0x\w+ +50000000 +7000  Stuck\.Program\.Tick\(object\)$",
                  done.stdout)
    program.ends()


# ---- Threads that wait for each other ----------------------------------------

def check_circles(t, target, *options):
    """The circles of each kind of lock, and of tasks; all who wait."""
    kinds = ["Monitor", "ReaderWriterLockSlim", "Task"]
    if t.runtime != "8":
        kinds.append("Lock")
    waits = ask(t, "deadlock", target, *options)["waits"]
    circles = {}
    for one in waits:
        if one["deadlock"]:
            circles.setdefault(one["for"], {})[one["thread"]] = one["owner"]
    t.check_equal(sorted(kinds), sorted(circles))
    for owners in circles.values():
        # two threads, each of which waits for the other
        (a, b), (c, d) = owners.items()
        t.check_equal((a, b), (d, c))
    return waits


def test_container(t):
    """From outside of a container, whose threads have numbers of their own by
    which locks know their owners: it, a copy and a core, which has these."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    t.env["DNDBG_CORE_SEARCH_PATH"] = os.path.dirname(t.program("Stuck")[0])
    program = Stuck(t, words=container.words(t, "Stuck"))
    inner, = t.processes("dotnet")
    program.pid = str(inner)
    check_circles(t, program.pid, "--snapshot")
    for target in program.targets():
        check_circles(t, target)
    outside = [one["tid"] for one in ask(t, "stack", program.pid)["threads"]]
    inside = [one["tid"] for one in ask(t, "stack", target)["threads"]]
    t.check_in(inner, outside)
    t.check_equal(1, min(inside))
    t.check_equal(0, drive.tracer_of(inner))
    program.ends()


def test_container_events(t):
    """Where all numbers of processes and threads are small no event is taken for
    a Mutex that one of them has."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    program = Stuck(t, words=container.words(t, "Busy", "8", "4"))
    inner, = t.processes("dotnet")
    kinds = {one["name"]: one["for"]
             for one in ask(t, "deadlock", str(inner))["waits"]}
    t.check_equal({f"wait{n}": "WaitHandle" for n in range(8)},
                  {name: kind for name, kind in kinds.items()
                   if name.startswith("wait")})
    program.ends()


def test_container_mutexes(t):
    """... and the owners of those that are some are found."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    t.env["DNDBG_CORE_SEARCH_PATH"] = os.path.dirname(t.program("Stuck")[0])
    program = Stuck(t, words=container.words(t, "Stuck", "events"))
    inner, = t.processes("dotnet")
    program.pid = str(inner)
    for target in program.targets():
        waits = ask(t, "deadlock", target)["waits"]
        names = {one["thread"]: one["name"] for one in waits}
        t.check_equal(
            {"mutex a": "mutex b", "mutex b": "mutex a"},
            {one["name"]: names.get(one["owner"]) for one in waits
             if one["for"] == "Mutex"})
    program.ends()


test_container_mutexes.glibc = "the container for musl has no program to wait for"


def test_deadlock(t):
    """Who waits for whose lock or task; which wait in circles."""
    program = Stuck(t)
    for target in program.targets():
        waits = check_circles(t, target)
        # the workers and the one at the semaphore have nobody to wait for
        t.check_equal([None] * 3, [one.get("owner") for one in waits
                                   if not one["deadlock"]])
        t.check_equal([1, 1], [one["waiting"] for one in
                               ask(t, "syncblk", target)["locks"]
                               if one["waiting"]])
        words = {"Monitor": "lock", "Lock": "lock", "Task": "task",
                 "ReaderWriterLockSlim": "rwlock", "Event": "event",
                 "SemaphoreSlim": "semaphore", "WaitHandle": "handle"}
        t.check_equal([(one["thread"], words[one["for"]], one["deadlock"])
                       for one in waits],
                      [(one["thread"], one["for"], one["deadlock"])
                       for one in ask(t, "stack", target)["waits"]])
    found = t.run("deadlock", target).stdout
    threads = ", ".join(str(number) for number in sorted(
        one["thread"] for one in waits if one["deadlock"]))
    t.check_in(f"\nDeadlock of threads {threads}\n", found)
    # The columns are as wide as what is in them.
    at = found.splitlines()[0].index("  In") + 2
    rows = re.findall(r"^ +\d+  .*$", found, re.M)
    t.check_in(len(rows), (8, 10))
    t.check_equal(["  Stuck."] * len(rows),
                  [row[at - 2:at + 6] for row in rows])
    program.ends()
    quiet = Stuck(t, "quiet")
    t.check_equal("No thread waits for a lock, a task, an event or another "
                  "thing that is known here.\n",
                  t.run("deadlock", quiet.pid).stdout)
    quiet.ends()


def test_events(t):
    """What else threads wait for."""
    program = Stuck(t, "events")
    # the state of a thread does not tell that it waits for a class
    t.wait_for("the wait for a class", lambda: any(
        one["for"] == "Class constructor"
        for one in ask(t, "deadlock", program.pid)["waits"]) and any(
        one["for"] == "Cancellation callback"
        for one in ask(t, "deadlock", program.pid)["waits"]))
    for target in program.targets():
        report = ask(t, "stack", target)
        names = {one["number"]: one["name"] for one in report["threads"]}
        waits = {names[one["thread"]]:
                 (one["for"], one["type"], names.get(one.get("owner")))
                 for one in report["waits"]}
        event = ("event", "System.Threading.ManualResetEventSlim", None)
        wanted = {"event": event, "result": (
                      "task", "System.Threading.Tasks.Task<int>", None),
                  "countdown": ("countdown",
                                "System.Threading.CountdownEvent", None),
                  "barrier": ("barrier", "System.Threading.Barrier", None),
                  "collection": ("collection", "System.Collections.Concurrent."
                                 "BlockingCollection<int>", None),
                  "reader": ("lock", "object", "writer"),
                  "writer": ("rwlock", "System.Threading.ReaderWriterLockSlim",
                             "reader"),
                  "maker": ("lock", "object", "user"),
                  "user": ("class", "Stuck.Program.Made", "maker"),
                  "mutex a": ("mutex", "System.Threading.Mutex", "mutex b"),
                  "mutex b": ("mutex", "System.Threading.Mutex", "mutex a"),
                  "lazy user": ("lazy", "System.Lazy<int>", "lazy maker"),
                  "lazy maker": ("lock", "object", "lazy user"),
                  "convoy": ("lock", "object", "convoy"),
                  "plain reader": event,
                  "upgrader": ("rwlock", "System.Threading.ReaderWriter"
                               "LockSlim", "plain reader"),
                  "job runner": ("lock", "object", "job waiter"),
                  "job waiter": ("task", "System.Threading.Tasks.Task",
                                 "job runner"),
                  "canceller": ("lock", "object", "disposer"),
                  "disposer": ("callback", "System.Threading.Cancellation"
                               "TokenSource.Registrations", "canceller"),
                  "old writer": ("lock", "object", "old reader"),
                  "old reader": ("rwlock", "System.Threading.Reader"
                                 "WriterLock", "old writer"),
                  "spins": ("spin", "System.Threading.SpinLock", None),
                  "process": ("process", "System.Diagnostics.Process", None)}
        # before .NET 10 the one with a time limit is no managed code
        joins = ("join",) if t.runtime in ("8", "9") else ("join", "joinms")
        wanted.update(dict.fromkeys(joins, (
            "thread", "System.Threading.Thread", "autoevent")))
        t.check_equal("handle", waits.pop("autoevent")[0])
        t.check_equal("task", waits.pop("pump")[0])
        t.check_equal("task", waits.pop("all")[0])
        # the one that has the lock waits for a task
        first = waits["convoy"]
        waits["convoy"] = wanted["convoy"] if first[0] == "task" else first
        t.check_equal(wanted, waits)
        circles = {names[one["thread"]] for one in report["waits"]
                   if one["deadlock"]}
        t.check_equal({"reader", "writer", "maker", "user", "mutex a",
                       "mutex b", "lazy maker", "lazy user", "job runner",
                       "job waiter", "canceller", "disposer", "old writer",
                       "old reader"}, circles)
        # those of the circle come first
        t.check_equal(circles,
                      set(list(names.values())[:len(circles)]))
        pump, = [one for one in ask(t, "deadlock", target)["waits"]
                 if one["name"] == "pump"]
        t.check_equal((pump["thread"], True),
                      (pump["owner"], pump["deadlock"]))
        t.check_match(r"^  0x[0-9a-f]+  Stuck.Program.Pumped\(\) at .*, which has "
                      r"awaited System.Threading.Tasks.Task\S*, which is done, "
                      r"and is to be resumed by Stuck.Program.Pump 0x[0-9a-f]+ "
                      r"\(a thread waits for it\)$",
                      t.run("dumpasync", target).stdout)
    said = t.run("deadlock", target).stdout
    t.check_equal(1, len(re.findall(r"^ +\d+ +Monitor .* 10 +convoy ", said,
                                    re.M)))
    t.check_match(r"^13 threads wait in the end for Task {.*}( 0x[0-9a-f]+)?, "
                  "of which is not known who holds or sets it$", said)
    t.check_match(r"^1 thread waits in the end for Task {Stuck.Program.Gated "
                  r"at Stuck.cs:\d+} 0x[0-9a-f]+, which waits for SemaphoreSlim"
                  r".WaitAsync of 0x[0-9a-f]+, of which is not known who", said)
    t.check_match(r"^ +\d+ +Process .* process +process \d+ ", said)
    told = t.run("doctor", target).stdout
    t.check_match(r"^\d+ threads wait for what nobody is known to hold or to "
                  "set: deadlock$", told)
    t.check_match(r"^11 threads wait for one lock, {object} 0x[0-9a-f]+, which "
                  r"thread \d+ \"convoy\" holds in Stuck\.".replace("^", "^warning +"), told)
    t.check_match(r"^2 threads \(first \d+, last \d+\) wait for "
                  r"{System.Threading.Tasks.Task<int>} 0x[0-9a-f]+$",
                  t.run("stack", target).stdout)
    if t.runtime in ("10", "11"):
        # Without the objects nobody knows whether that is one lock; createdump
        # writes whole pages, and the lock may be on one of them by chance.
        lock = re.search(r"wait for one lock, ({object} 0x[0-9a-f]+), ", told)[1]
        small = dumps.dump_running(t, program.pid, "-n")
        told = t.run("doctor", small).stdout
        if "the core lacks which" not in told:
            t.check_match(rf"^warning +11 threads wait for one lock, {lock}, "
                          r'which thread \d+ "(convoy)?" holds in Stuck\.', told)
            program.ends()
            return
        t.check_match(r"^warning +\d+ threads wait for locks, one or several: "
                      "the core lacks which$", told)
        t.check_match(r"^\d+ threads \(first \d+, last \d+\) wait for the lock "
                      r"of {System.Threading.Monitor}, of one or of several$",
                      t.run("stack", small).stdout)
        t.check_equal(1, t.run("deadlock", small).stdout.count(
            "in the end for Monitor {System.Threading.Monitor}, whose holder "
            "could not be read"))
    program.ends()


# ---- The runtime's own structures, and SOS's words ---------------------------

# What dotnet-dump's help lists, and SOS's in lldb.
WORDS = """
analyzeoom assemblies bpmd clrmodules clrstack clrthreads clru crashinfo d da db
dc dd dp dq dw dcd dcq dg dlk do dso dumpalc dumparray dumpassembly dumpasync
dumpclass dumpconcurrentdictionary dumpconcurrentqueue dumpdelegate dumpdomain
dumpgcdata dumpgen dumpheap dumphttp dumpil dumplog dumpmd dumpmodule dumpmt
dumpobj dumpobjgcrefs dumprequests dumpruntimetypes dumpsig dumpsigelem
dumpstack dumpstackobjects dumpvc eeheap eestack eeversion ehinfo enummem
ephrefs ephtoloh finalizequeue findappdomain findpointersin findroots gchandles
gcheapstat gcinfo gcroot gctonative gcwhere histclear histinit histobj
histobjfind histroot histstats ip2md listnearobj lm lno loadsymbols logclose
logging logopen maddress modules name2ee notreachableinrange objsize
parallelstacks pathto pe printexception pstacks registers runtimes setclrpath sethostruntime
setsymbolserver setthread sizestats soshelp sosflush sosstatus stoponexception
strings syncblk taskstate thinlock threadpool threadpoolqueue threads
threadstate ti timerinfo tks tpq traverseheap verifyheap verifyobj
watsonbuckets""".split()

# Those that go by another name here and begin with that of another command, or
# with an option.
MEANT = {
    "da": "x/s",
    "dumpstack": "backtrace -native",
    "clrstack": "backtrace",
    "clrstack -all": "thread apply all backtrace",
    "pe -nested": "info exception",
    "printexception -nested": "info exception",
    "eeheap -gc": "heap segments",
    "eeheap -loader": "memory",
    "maddress -summary": "memory",
    "dumpheap -strings": "heap strings",
    "gchandles -stat": "handles",
    "finalizequeue -detail": "finalizequeue",
    "clrthreads -special": "clrthreads",
    "pstacks -a": "pstacks",
}


def test_named(t):
    """Named Mutexes: who has one, also in another process; in cores as well,
    by createdump too."""
    name = f"dndbg-test-{os.getpid()}-{t.runtime}"
    holder = Stuck(t, "quiet", "holder", name)
    program = Stuck(t, "quiet", "named", name)
    wanted = {"named a": ("named b", True, None),
              "named b": ("named a", True, None),
              "guest": (None, False, holder.process.pid)}

    def waits(target, names=None):
        found = ask(t, "deadlock", target)["waits"]
        names = names or {one["thread"]: one["name"] for one in found}
        return {names[one["thread"]]: (
                    names.get(one.get("owner")), one["deadlock"],
                    one.get("ownerOutside"))
                for one in found if one["for"] == "Mutex"}

    t.wait_for("the waits", lambda: waits(program.pid) == wanted)
    # a small core may lack the names
    names = {one["thread"]: one["name"]
             for one in ask(t, "deadlock", program.pid)["waits"]}
    mini = dumps.dump_running(t, program.pid, "-n")
    t.check_in("\nWho waits for whom: objects are missing in this core",
               t.run("stack", mini).stdout)
    for target in (*program.targets(), mini,
                   dumps.dump_running(t, program.pid, "-h")):
        t.check_equal(wanted, waits(target, names))
        t.check_match(r"^1 thread waits in the end for Mutex {System.Threading."
                      r"Mutex}( 0x[0-9a-f]+)?, which (process|thread) "
                      rf"{holder.pid} .* holds$",
                      t.run("deadlock", target).stdout)
        t.check_match("^warning +Threads that wait for what another process has"
                      r': \d+; thread \d+ "(guest)?" waits for a Mutex, which '
                      rf"(process|thread) {holder.pid} .* has, in Stuck\.",
                      t.run("doctor", target).stdout)
    program.ends()
    holder.ends()


def test_words(t):
    """Each of SOS's words is a command, or says which one does that."""
    words = WORDS + [one for one in MEANT if one not in WORDS]
    done = t.run("--batch", *[x for one in words for x in (
        "-ex", f"echo @@{one}\\n", "-ex", "help " + one)])
    t.check_equal("", done.stderr)
    # these are classes of commands, and stand in front
    classes = {"assemblies": "What the runtime has loaded",
               "threads": "Threads"}
    found = dict(part.split("\n", 1) for part in done.stdout.split("@@")[1:])
    t.check_equal(words, list(found))
    for word, text in found.items():
        names, _, says = text.splitlines()[0].partition(" -- ")
        if word in classes:
            t.check_equal(classes[word], names)
        else:
            t.check_in(word, names.split(", "))
        if word in MEANT:
            t.check_equal(f'as "{MEANT[word]}"', says)
    t.check_match("^breakpoints are set by \"break TYPE.METHOD\"",
                  found["bpmd"].partition(" -- ")[2])
    # gdb's own
    wholes = {"d": "delete", "k": "kill", "r": "run", "u": "until",
              "i": "info", "dis": "disable", "t": "thread", "p": "print"}
    done = t.run("--batch", *[x for one in wholes
                              for x in ("-ex", "help " + one)])
    for word, whole in wholes.items():
        t.check_match(rf"^{whole}, ([a-z]+, )*{word}(, [a-z]+)* -- ",
                      done.stdout)
    # and so they do when they are typed, in any case
    program = Stuck(t, "quiet")
    done = t.run("--batch", "-p", program.pid, "-ex", "CLRStack", "-ex",
                 "clrstack -l", "-ex", "db $sp", "-ex", "bpmd Stuck.dll Main")
    main = r"^#\d+ .* in Stuck\.Program\.Main \(.*\) at Stuck\.cs:\d+$"
    t.check_equal(2, len(re.findall(main, done.stdout, re.M)))
    t.check_equal(16, len(re.findall(r"^0x\w+:(\t0x\w\w){8}$", done.stdout,
                                     re.M)))
    t.check_match('^Breakpoints are set by "break', done.stderr)
    for word, wanted in (
            ("eeheap -gc", r"^Heap +Generation "),
            ("eeheap -loader", r"^Total \d+ regions, "),
            ("threads", r"^ +Id +Target Id +Frame$"),
            ("da $sp", r'^0x\w+:\t"'),
            ("dumpstack", r" in Stuck\.Program\.Main \("),
            ("pe -nested", r"^No exception")):
        done = t.run("--batch", "-p", program.pid, "-ex", word)
        t.check_match(wanted, done.stdout)
        t.check_equal("", done.stderr)

    def first(regex):
        done = t.run("heap", "list", program.pid, "--type", regex)
        return re.search("^0x[0-9a-f]+", done.stdout, re.M)[0]

    lost, text = first(r"\.OutOfMemoryException$"), first("^string$")
    done = t.run("--batch", "-p", program.pid, "-ex", f"pe {lost}",
                 "-ex", f"printexception {text}")
    t.check_match(rf"^ +1  {lost}  System.OutOfMemoryException: ",
                  done.stdout)
    t.check_equal(f"The object at {text} is no exception, but string.\n",
                  done.stderr)
    program.ends()


def test_types(t):
    """Names to types and methods, their code, and back, all the same ones."""
    program = Stuck(t)
    for target in program.targets():
        kind, = ask(t, "name2ee", target, "Stuck!Stuck.LostException")["names"]
        found = t.run("heap", "list", target, "--type", "LostException$",
                      "--json")
        objects = json.loads(found.stdout)["objects"]
        t.check_equal([kind["methodTable"]] * 2,
                      [one["methodTable"] for one in objects])
        shown = ask(t, "dumpmt", target, kind["methodTable"], "-md")
        t.check_equal(("Stuck.LostException", "System.Exception", "Stuck.dll",
                       kind["token"]),
                      tuple(shown[name] for name in (
                          "name", "parentName", "file", "token")))
        t.check_in("Stuck.LostException.LostException()",
                   [one["name"] for one in shown["methods"]])
        # two of one name; one of them stands on a stack
        cross = ask(t, "name2ee", target, "*!Program.Cross")["names"]
        t.check_equal(2, len(cross))
        # by names of the CLR as well as of C#
        for name, wanted in (
                ("System.String", ["string"]),
                ("System.Private.CoreLib!System.Int32", ["int"]),
                ("System.Collections.Generic.List`1",
                 ["System.Collections.Generic.List<T>"]),
                ("System.Collections.Generic.List`1+Enumerator..ctor",
                 ["System.Collections.Generic.List<T>.Enumerator.Enumerator("
                  "System.Collections.Generic.List<T>)"]),
                ("System.String.get_Length", ["int string.Length.get()"]),
                ("Stuck!Stuck.LostException..ctor",
                 ["Stuck.LostException.LostException()"])):
            t.check_equal(wanted, [one["name"] for one in ask(
                t, "name2ee", target, name)["names"]])
        counts = [json.loads(t.run("heap", "stat", target, "--type", pattern,
                                   "--json").stdout)
                  for pattern in (r"^System\.String$", "^string$")]
        t.check_equal(counts[0], counts[1])
        worker, = ask(t, "name2ee", target, "Stuck.Program.Worker")["names"]
        method = ask(t, "dumpmd", target, worker["methodDesc"])
        code, = method["codes"]
        t.check_equal(("Stuck.Program.Worker(int)", "not optimized"),
                      (method["name"], code.get("kind")))
        inside = hex(int(code["start"], 16) + code["size"] - 1)
        t.check_equal(worker["methodDesc"],
                      ask(t, "ip2md", target, inside)["methodDesc"])
        il = t.run("dumpil", target, worker["methodDesc"]).stdout
        t.check_match(r"^Dump of IL code for method Stuck\.Program\.Worker\(int"
                      r"\):\n(.*\n)* +IL_\w+:\t.*SignalAndWait", il)
    for command, words, said in (
            ("dumpmt", "10", "no MethodTable and no EEClass at 0x10"),
            ("dumpmd", "10", "no MethodDesc at 0x10"),
            ("ip2md", "10", "0x10 is not in managed code"),
            ("name2ee", "Nope!A", "no module 'Nope'"),
            ("name2ee", "Stuck!Nope", "no type and no method 'Nope' in Stuck")):
        done = t.run(command, target, words)
        t.check_equal((1, f"dndbg: {said}\n"), (done.returncode, done.stderr))
    program.ends()


def test_remains(t):
    """Assemblies and load contexts, and threads that are there no more."""
    program = Stuck(t)
    for target in program.targets():
        contexts = {one.get("name"): one for one in
                    ask(t, "loadcontexts", target)["contexts"]}
        t.check_equal({"Default": (False, False), "gone": (True, True),
                       "plugins": (True, False)},
                      {name: (one["collectible"], one["unloading"])
                       for name, one in contexts.items()})
        t.check_match(r"^static Stuck\.Program\.keep -> _items",
                      contexts["gone"]["keptBy"])
        assemblies = ask(t, "dumpassembly", target)["assemblies"]
        t.check_equal({"Default": len(assemblies) - 2, "gone": 1,
                       "plugins": 1},
                      {name: one["assemblies"]
                       for name, one in contexts.items()})
        own, = (one for one in assemblies if one["name"] == "Stuck.dll")
        t.check(own["path"].endswith("/Stuck.dll"), own["path"])
        one = ask(t, "dumpmodule", target, own["module"])
        t.check_equal((own["assembly"], "Stuck.dll"),
                      (one["assembly"], one["name"]))
        domains = ask(t, "appdomains", target)["domains"]
        t.check_equal([len(assemblies)], [one["assemblies"] for one in domains
                                          if not one["system"]])
        threads = ask(t, "clrthreads", target)
        states = {one.get("name"): one for one in threads["threads"]}
        t.check_equal((1, True, None), (threads["dead"], states["ended"]["dead"],
                                        states["ended"].get("lwp")))
        t.check_in("not begun", states["unstarted"]["state"])
        t.check_equal(1, sum(one["finalizer"] for one in threads["threads"]))
        t.check_in("pool worker", states[".NET TP Worker"]["state"])
        version = ask(t, "eeversion", target)
        t.check_equal((t.runtime, "workstation"),
                      (version["runtime"].partition(".")[0], version["kind"]))
    done = t.run("--batch", "--core", target, "-ex", "dso")
    t.check_match(r" string\[\] +args in Stuck\.Program\.Main, thread 1$",
                  done.stdout)
    program.ends()


def test_lacking(t):
    """A mini dump says that it lacks objects, with every command that asks
    them; a heap dump lacks none."""
    one = Stuck(t)
    path = f"{t.dir}/mini.core"
    done = t.run("dump", "--type", "mini", "-o", path, one.pid)
    t.check_equal((0, ""), (done.returncode, done.stderr))
    said = ("objects are missing in this core: what they would tell is left "
            "out (a core of the kind heap or full has them)")
    whole = one.core()
    for command in ("handles", "finalizequeue", "syncblk", "threadpool",
                    "timers", "deadlock", "loadcontexts", "clrthreads"):
        t.check_equal(said, t.run(command, path).stdout.splitlines()[-1])
        t.check_equal([said], ask(t, command, path)["lacking"])
        for target in one.pid, whole:
            t.check("lacking" not in ask(t, command, target),
                    f"{command} of {target}")
    done = t.run("deadlock", path)
    t.check_not_in("No thread waits", done.stdout)
    # what is not there is not damaged
    t.check_not_in("severe    the heap", t.run("doctor", path).stdout)
    for words in ("stat",), ("stat", "--live"), ("verify",):
        done = t.run("heap", words[0], path, *words[1:])
        t.check_in("\nthe heap cannot be read at ", "\n" + done.stdout)
        t.check_not_in("damaged", done.stdout)
    # who waits for a Monitor is known by the stacks, who holds it is not
    small = dumps.dump_running(t, one.pid, "-n")
    monitors, lacking = ([w for w in ask(t, "deadlock", target)["waits"]
                          if w["for"] == "Monitor"]
                         for target in (one.pid, small))
    t.check(monitors, "no thread waits for a Monitor")
    t.check_equal([(w["thread"], None) for w in monitors],
                  [(w["thread"], w.get("owner")) for w in lacking])
    if t.runtime in ("8", "9"):
        t.check_equal([w["object"] for w in monitors],
                      [w["object"] for w in lacking])
    said = t.run("deadlock", small).stdout
    t.check_match("^It cannot be told whether (these|more) threads wait for "
                  r"each other: who holds the locks could not be read\.$", said)
    t.check_not_in(" no ", said)
    # what kind of thing a thread waits for is told by the methods alone
    t.check_equal(2, len(re.findall(r"^ +\d+  Task .* Stuck\.Program\.Worker "
                                    f"at Stuck.cs:{t.line('Stuck', 'worker')}$",
                                    said, re.M)))
    triage = dumps.dump_running(t, one.pid, "-t")
    for command in "timers", "loadcontexts", "deadlock":
        t.check_match(r"^(objects are missing in|what tells of the heap is not "
                      r"in) this core: what .* \(a core of the kind .*\)$",
                      t.run(command, triage).stdout.splitlines()[-1])
    t.check_not_in("The heap is whole", t.run("heap", "verify", triage).stdout)
    one.ends()


def test_threads_of_core(t):
    """Threads have the numbers and names in a core that they have in the
    program."""
    one = Stuck(t)
    shown = [re.findall(r"^[* ] (\d+) +Thread (\d+) (\".*?\" (?:\(\w+\))?)",
                        t.run("--batch", "-ex", "info threads", *words).stdout,
                        re.M)
             for words in (("-p", one.pid), ("--core", one.core()))]
    t.check_in(".NET Finalizer", str(shown[0]))
    t.check_equal(*shown)
    one.ends()


def test_memory(t):
    """What each part of the address space is, by what is known to be there."""
    program = Stuck(t)
    for target in program.targets():
        found = ask(t, "memory", target, "--all")
        parts = [(int(one["start"], 16), int(one["end"], 16), one)
                 for one in found["all"]]
        # each byte once
        t.check_equal(parts, sorted(parts, key=lambda one: one[0]))
        t.check(all(a[1] <= b[0] for a, b in zip(parts, parts[1:])),
                "regions overlap")
        t.check_equal(found["bytes"], sum(b - a for a, b, one in parts
                                          if one["kind"] != "reserved"))

        def at(address):
            return next(one for a, b, one in parts
                        if a <= int(address, 16) < b)
        worker, = ask(t, "name2ee", target, "Stuck.Program.Worker")["names"]
        code, = ask(t, "dumpmd", target, worker["methodDesc"])["codes"]
        t.check_equal("JIT code", at(code["start"])["kind"])
        t.check_equal("loader heaps", at(worker["methodDesc"])["kind"])
        lost = t.run("heap", "list", target, "--type", "LostException$",
                     "--json")
        object_, _ = json.loads(lost.stdout)["objects"]
        place = at(object_["address"])
        t.check_equal(("GC heap", object_["generation"]),
                      (place["kind"], place["generation"]))
        kinds = {one["kind"]: one for one in found["kinds"]}
        stacks = {one["name"] for _, _, one in parts
                  if one["kind"] == "stacks"}
        t.check_equal(set(), {"monitor A", "monitor B"} - stacks)
        t.check_in("malloc", kinds)
        t.check(any(one["name"].endswith("/libcoreclr.so")
                    for _, _, one in parts if one["kind"] == "files"),
                "no libcoreclr.so")
        # a core does not tell what was in memory
        t.check_equal(target == program.pid, "resident" in found)
    shown = t.run("memory", program.pid).stdout
    t.check_match(r"^ +\d+ +\d+ +\d+  GC heap, generation 0$", shown)
    t.check_match(r"^Total \d+ regions, \d+ bytes, \d+ of them in memory",
                  shown)
    program.ends()


test_memory.glibc = "what musl's malloc holds cannot be told"


# ---- All checks --------------------------------------------------------------

def test_doctor(t):
    """Each kind of trouble that is there, and no other; none in a program that
    has none."""
    program = Stuck(t, "circle", "leaks", config="Release")
    for target in program.targets():
        found = ask(t, "doctor", target)["findings"]
        t.check_equal([("severe", "deadlock", "deadlock"),
                       ("severe", "threadPool", "threadpool"),
                       ("severe", "finalizer", "deadlock"),
                       ("severe", "async", "dumpasync"),
                       ("warning", "threads", "clrthreads"),
                       ("warning", "async", "dumpasync"),
                       ("warning", "tasks", "tasks"),
                       ("warning", "timers", "timers"),
                       ("warning", "loadContexts", "loadcontexts"),
                       ("warning", "heap", "heap strings"),
                       ("warning", "leaks", "heap roots")],
                      [(one["weight"], one["check"],
                        one["command"].split(" 0x")[0]) for one in found])
        t.check_match("work items that are queued: 9, and all 2 workers wait",
                      found[1]["finding"])
        texts = {one["check"]: one["finding"] for one in found}
        for check, text in (
                ("threads", r"^10[1-9] threads have ended, and their Thread"),
                ("tasks", "2, as Stuck.LostException: nobody looked"),
                # two more are set: of Stuck.cs, and its Task.Delay
                ("async", r"^1 async call waits in SemaphoreSlim.WaitAsync of "
                 r"0x[0-9a-f]+; one of them is awaited by a call of the same "
                 r"method, which may have it: Stuck.Program.Save at Stuck.cs:"
                 rf"{t.line('Stuck', 'once')} for Stuck.Program.Save at "
                 rf"Stuck.cs:{t.line('Stuck', 'again')}$"),
                ("timers", r"^100\d timers are set, 1002 of them call "
                 r"\S+\.Tick$"),
                ("deadlock", r'; thread \d+ "monitor A" waits for a lock, which '
                 r"thread \d+ has, in Stuck.Program.Locks.lambda at Stuck.cs:"
                 r"\d+;"),
                ("finalizer", r"The finalizer thread \d+ waits for a lock in "
                 r"Stuck.Program.Late.~Late at Stuck.cs:\d+: no object"),
                ("leaks", "^One object retains 20 of the heap's 2\\d MiB: "
                 r"\S+List<object> .*; kept by static Stuck.Program.keep -> _items"),
                ("loadContexts", "still there: 1, as gone, kept by static "
                 "Stuck.Program.keep -> _items -> "),
                ("heap", r"^10 of the heap's 2\d MiB are strings whose")):
            t.check_match(text, texts[check])
    done = t.run("--batch", "--core", target, "-ex", "doctor")
    t.check_match(r"^severe    Threads that wait for each other: \d+, .*\n"
                  r" +more: deadlock$", done.stdout)
    program.ends()
    for config in "Release", "Debug":
        quiet = Stuck(t, "quiet", config=config)
        done = t.run("doctor", quiet.pid)
        t.check_equal("Nothing was found: 16 checks were made.\n"
                      if config == "Release" else
                      "Weight    Finding\nnote      Built without optimization:"
                      " Stuck.dll\n          more: info sharedlibrary\n",
                      done.stdout)
        quiet.ends()
    # as a web server's threads wait that has nothing to do
    idle = Stuck(t, "quiet", "idle", config="Release")
    t.wait_for("the waits", lambda: sorted(
        (one["name"], one.get("awaits"))
        for one in ask(t, "deadlock", idle.pid)["waits"]) == [
            ("endless", "Task.Delay without an end"), ("work", None)])
    t.check_equal("Nothing was found: 16 checks were made.\n",
                  t.run("doctor", idle.pid).stdout)
    idle.ends()


def test_doctor_slots(t):
    """Many async calls wait for one semaphore: who is to release it is not
    known, which is said instead of nothing."""
    program = Stuck(t, "quiet", "slots", config="Release")
    for target in program.targets():
        found, = ask(t, "doctor", target)["findings"]
        t.check_equal(("note", "async", "dumpasync"),
                      (found["weight"], found["check"], found["command"]))
        t.check_match("^12 async calls wait in SemaphoreSlim.WaitAsync of 0x"
                      "[0-9a-f]+, of which is not known who is to release it: "
                      r"Stuck.Program.Gated at Stuck.cs:"
                      f"{t.line('Stuck', 'gated')}$", found["finding"])
    program.ends()


def test_overdue(t):
    """A delay that is over, and whose timer is queued, is not one that lasts;
    threads that wait alike are one line. What a core does not tell is said."""
    # the runtime has a list of timers for each processor
    program = Stuck(t, "quiet", "overdue", config="Release",
                    preexec_fn=lambda: os.sched_setaffinity(
                        0, {min(os.sched_getaffinity(0))}))
    over = f"Stuck.Program.Over at Stuck.cs:{t.line('Stuck', 'over')}"
    for target in program.targets():
        done = t.run("deadlock", target).stdout
        t.check_match(rf"^ +\d+  Task +0x\w+ +1  over +{over} ", done)
        t.check_in(f"\n2 threads wait in the end for Task {{{over}}}, not one "
                   "for all, which waits for an elapsed Task.Delay, queued to "
                   "the thread pool, of which", done)
        waits = ask(t, "deadlock", target)["waits"]
        t.check_equal(3, len([one for one in waits if one["for"] == "Task"]))
        found = ask(t, "doctor", target)
        t.check_equal(None if target == program.pid else "resident memory, the "
                      "limits of its cgroup, file descriptors",
                      found.get("untold"))
    program.ends()


def test_doctor_brisk(t):
    """A pool whose workers wait, and go on, does not starve."""
    program = Stuck(t, "quiet", "brisk", config="Release")
    pool = ask(t, "threadpool", program.pid)
    t.check_equal((2, True), (pool["workers"], pool["global"] > 0))
    t.check_equal([], ask(t, "doctor", program.pid)["findings"])
    program.ends()


def test_doctor_kept(t):
    """What is kept by the thousand, or by half of the memory: what, by which
    field, and the command that shows more. A core tells nothing of descriptors,
    and one of the heap nothing of native memory."""
    program = Stuck(t, "quiet", "hoard", config="Release")
    at = f"Stuck.Program.Sleeper.~Sleeper at Stuck.cs:{t.line('Stuck', 'asleep')}"
    of = "static Stuck.Program."
    wanted = {
        # optimized code leaves the lambda by a tail call
        "threads": ["warning stack 150 threads stand in System.Threading."
                    r"Thread.Sleep(, as in Stuck.Program.Hoard.lambda at "
                    r"Stuck.cs:\d+)?$"],
        "handles": [r"warning handles 10[12]\d\d handles keep objects, most of "
                    "them \\(10100\\) Stuck.Program.Listener$"],
        "finalizer": ["severe stack The finalizer thread \\d+ waits in "
                      rf"{at}: no object is finalized meanwhile, and 2 are due"],
        "processor": [r'warning stack Thread \d+ "spins" uses (9\d|100) % of a '
                      r"processor in Stuck.Program\S* at Stuck.cs:"
                      f"{t.line('Stuck', 'spins')}"],
        "leaks": ["warning heap roots One object retains 20 of the heap's 2\\d "
                  "MiB: .*Dictionary<int, .*>>? 0x[0-9a-f]+, by its _entries -> "
                  r"\[0\].value -> _items, with 40 references, as to byte\[\]; "
                  rf"kept by {of}audit -> _entries -> \[0\].value -> _items",
                  "warning heap roots An event has 1100 handlers, as of "
                  r"Stuck.Program.Listener \(System.Action\), by "
                  f"{of}Changed -> (_invocationList|_helperObject)",
                  "warning heap roots 1100 registrations of one Cancellation"
                  f"TokenSource, 0x[0-9a-f]+, by {of}stopping, as of "
                  "Stuck.Program.Listener:"],
        "native": [r"warning memory \d+ MiB are native memory, .*its large "
                   r"blocks 1[45]\d MiB \(1\d\d blocks\)"],
        "descriptors": [r"warning heap paths 5\d\d file descriptors are open, "
                        r"of \d+ that may be: 5\d\d files, .*; 51\d of them are "
                        r"/\S+/Stuck.dll"],
    }
    wanted_native = wanted["native"][0].removeprefix("warning memory ")

    def hot(target):
        """What the thread waits for whose WaitOne is inlined into the user's
        code. Its state says that it waits some time before it does."""
        return [one["for"] for one in ask(t, "deadlock", target)["waits"]
                if one["name"] == "hot"]

    t.wait_for("the wait", lambda: hot(program.pid))
    # to write a core puts pages of zeros where nothing was: not before the look
    for core in False, True:
        target = program.core() if core else program.pid
        found = {}
        for one in ask(t, "doctor", target)["findings"]:
            command = re.sub(" (0x|[A-Z]).*", "", one["command"])
            found.setdefault(one["check"], []).append(
                f"{one['weight']} {command} {one['finding']}")
        if target != program.pid:
            del wanted["descriptors"], wanted["native"], wanted["processor"]
            # blocks that the kernel has joined with a stack are there with it
            found.pop("native", None)
        t.check_equal(wanted.keys(), found.keys())
        for check, texts in wanted.items():
            t.check_equal((check, len(texts)), (check, len(found[check])))
            for text, is_ in zip(texts, found[check]):
                t.check_match("^" + text, is_)
        # the far end of a list of nodes: its two ends, as a person reads it
        done = t.run("heap", "list", target, "--type", "CallbackNode$")
        nodes = re.findall("^0x[0-9a-f]+", done.stdout, re.M)
        done = t.run("heap", "roots", target, nodes[0], "--top", "1")
        t.check_match(r"^static: static Stuck.Program.stopping\n.*\n.*\n"
                      r".*\n.*CallbackNode .*\n +\(\d+ more of these, by (?:Next|Prev)\)\n"
                      rf"  {nodes[0]} .*CallbackNode +(?:Next|Prev)$", done.stdout)
    t.check_equal(["WaitHandle"], hot(target))
    t.wait_for("a second of processor time", lambda: re.search(
        r'^Thread \d+ "spins" \(tid \d+, managed \d+, runs, \d+\.\d s of '
        r"processor time\)$", t.run("stack", program.pid).stdout, re.M))
    used, = [one["processorMs"] for one in ask(t, "stack", target)["threads"]
             if one["name"] == "spins"]
    t.check(used > 0, used)
    kinds = {one["kind"]: one
             for one in ask(t, "memory", program.pid)["kinds"]}
    t.check(140 <= kinds["malloc, large blocks"]["regions"] < 160, kinds)
    # createdump joins a stack and the block above it
    path = dumps.dump_running(t, program.pid, "-u")
    in_core = {one["kind"]: one for one in ask(t, "memory", path)["kinds"]}
    for kind in "malloc, large blocks", "stacks":
        # the program runs: a thread or a block comes or goes between both looks
        t.check(abs(kinds[kind]["regions"] - in_core[kind]["regions"]) <= 2,
                (kind, kinds[kind], in_core[kind]))
    t.check_match(wanted_native, next(
        one["finding"] for one in ask(t, "doctor", path)["findings"]
        if one["check"] == "native"))
    program.ends()


test_doctor_kept.glibc = "what musl's malloc holds cannot be told"


def test_doctor_large(t):
    """Space between large objects, which others do not fit into."""
    program = Stuck(t, "quiet", "holes", config="Release")
    for target in program.targets():
        found, = [one for one in ask(t, "doctor", target)["findings"]
                  if one["check"] == "heap"
                  and one["finding"].startswith("The large")]
        free, all = re.match(r"The large object heap is fragmented: (\d+) of "
                             r"its (\d+) MiB are free space between objects$",
                             found["finding"]).groups()
        # 100 holes of a MiB, between as many arrays of half of one
        t.check_equal(True, 98 <= int(free) <= 102 and
                      148 <= int(all) <= 156)
        stat = t.run(*found["command"].split()[:2], target,
                     *found["command"].split()[2:])
        t.check_match("Free$", stat.stdout)
    program.ends()


def test_doctor_flows(t):
    """Objects of one type that retain half of the heap together."""
    program = Stuck(t, "quiet", "flows", config="Release")
    for target in program.targets():
        found, = ask(t, "doctor", target)["findings"]
        t.check_match(r"^200 objects of System.Threading.TimerQueueTimer retain "
                      r"1\d of the heap's \d\d MiB together, as by byte\[\]; "
                      r"that is kept by .*_executionContext.*; a leak",
                      found["finding"])
    program.ends()


def test_doctor_limits(t):
    """A cgroup that is nearly full is found, one with room is not."""
    where, enter = cgroups.of_memory(t, 1 << 40)
    if not where:
        raise drive.Skip("no cgroup with a limit of memory can be made")
    program = Stuck(t, "quiet", "holes", config="Release", preexec_fn=enter)

    def found_of(target):
        return [one for one in ask(t, "doctor", target)["findings"]
                if one["check"] == "limits"]

    t.check_equal([], found_of(program.pid))
    # when the limit is set the kernel takes back pages of files, no others
    held, limit = cgroups.memory_held(where)
    allowed = held * 100 // 95 & ~0xfff
    for size in allowed, 1 << 40:
        with open(limit, "w") as file:
            file.write(str(size))
        if size == allowed:
            found, = found_of(program.pid)
    t.check_equal(("severe", "memory"), (found["weight"], found["command"]))
    t.check_match(r"^The program's cgroup uses \d+ of the "
                  rf"{allowed >> 20} MiB that it may: ", found["finding"])
    # of a core nothing is known of them
    t.check_equal([], found_of(program.core()))
    program.ends()
    t.wait_for("the end of all", lambda: cgroups.removed(where))
