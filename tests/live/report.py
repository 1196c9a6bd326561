"""`dndbg run`, `dndbg stack`, `dndbg ps`: a command is as without dndbg, and what
it dies of is reported; stacks of programs that run and of cores; which run."""
import json
import os
import re
import signal
import subprocess
import uuid
import xml.etree.ElementTree as xml

import cgroups
import container
import drive
import dumps
import forms
import schema
from drive import Failure
from survivor import Busy


def command(t, words, *options, stdin=""):
    """Carry out a command bare, or with options under `dndbg run`."""
    prefix = [t.dndbg, "run", *options, "--"] if options else []
    return subprocess.run([*prefix, *words], input=stdin, text=True,
                          capture_output=True, env=t.env, cwd=t.dir,
                          timeout=60 * drive.TIME, start_new_session=True)


def throws(t, how, config="Debug"):
    return t.program("Throws", how, config=config, host="dotnet")


def reported(t, words, *options):
    """The reports of a run, which ends as the command does by itself; every
    form of them says the same."""
    bare = command(t, words)
    done = command(t, words, *forms.options(t), *options)
    t.check_equal(bare.returncode, done.returncode)
    output, log = forms.split(done.stdout)
    t.check_equal(bare.stdout, output)
    # how deep a stack is when it overflows differs
    t.check_equal(*(re.sub(r"Repeat(ed)? \d+", "Repeated N", one.stderr)
                    for one in (bare, done)))
    return forms.check(t, log)


def only(t, reports):
    t.check_equal(1, len(reports))
    return reports[0]


def crashed(report):
    """The frames of the thread that the report is about."""
    thread = report["threads"][0]
    if thread["number"] != report["thread"]:
        raise Failure("the crashed thread is not the first")
    return thread["frames"]


def own(frames):
    return [(f["name"], f["line"]) for f in frames if f["own"]]


def test_exit(t):
    """Nothing happens: no report, output, input and exit code pass."""
    t.check_equal([], reported(t, t.program("Hello", host="dotnet")))
    done = command(t, ["sh", "-c", "cat; exit 7"], "--report", "text",
                   stdin="through\n")
    t.check_equal((7, "through\n", ""),
                  (done.returncode, done.stdout, done.stderr))
    for number, name in ((signal.SIGKILL, "SIGKILL (Killed)"),
                         (signal.SIGTERM, "SIGTERM (Terminated)")):
        report = only(t, reported(t, ["sh", "-c", f"kill -{int(number)} $$"]))
        t.check_equal(("signal", "Ended by " + name, int(number)),
                      (report["kind"], report["cause"], report["signal"]))


def test_on_exit(t):
    """Exit codes that are asked about: where Environment.Exit was called; that
    a program has ended so."""
    report = only(t, reported(t, throws(t, "exit"), "--on-exit", "1,3-4"))
    t.check_equal(("exit", "Exits with code 3 by Environment.Exit"),
                  (report["kind"], report["cause"]))
    t.check_equal(("Throws.Program.Exit", t.line("Throws", "exit")),
                  own(crashed(report))[0])
    report = only(t, reported(t, ["sh", "-c", "exit 4"], "--on-exit", "3-4"))
    t.check_equal(("exit", "Exited with code 4", []),
                  (report["kind"], report["cause"], report["threads"]))
    t.check_equal([], reported(t, throws(t, "exit"), "--on-exit", "4"))
    for codes in ("x", "3,", "4-3", "256", "3;4", ""):
        done = command(t, ["true"], "--on-exit", codes)
        t.check_equal((2, f"dndbg: '{codes}' are no exit codes\n"),
                      (done.returncode, done.stderr))


def test_on_exit_crash(t):
    """What crashes at its exit has reports of both."""
    done = reported(t, throws(t, "unhandled-exit"), "--on-exit", "3")
    t.check_equal(["exit", "exception"], [report["kind"] for report in done])


def test_unseen(t):
    """Who asks whether a debugger is there gets the answer as without; a child
    of the command, too (test frameworks have no time limits for tests if one
    is)."""
    for words in (["poll", "3"], ["break"], ["write"]):
        reported(t, t.program("Asking", *words, host="dotnet"))
    report = only(t, reported(t, t.program("Asking", "assert", host="dotnet")))
    t.check_equal("Environment.FailFast: not so ---> System.Diagnostics.Debug"
                  "Provider.DebugAssertException", report["cause"])
    asks = t.program("Asking", "poll", "3", host="dotnet")
    reported(t, ["sh", "-c", '"$@"; exit 3', "sh", *asks])


def test_unhandled(t):
    for config in ("Debug", "Release"):
        report = only(t, reported(t, throws(t, "unhandled", config)))
        t.check_equal("exception", report["kind"])
        t.check_equal("Unhandled exception: Throws.ShopException: nobody "
                      "catches", report["cause"])
        t.check_equal(int(signal.SIGABRT), report["signal"])
        t.check_equal(["Throws.ShopException"],
                      [x["type"] for x in report["exceptions"]])
        t.check_equal(("Throws.Program.Unhandled",
                       t.line("Throws", "unhandled")),
                      own(crashed(report))[0])
        t.check_in(f".NET {t.runtime}.", report["runtime"])
        how = [v["value"] for v in crashed(report)[0]["variables"]
               if v["name"] == "how"]
        t.check(how[0] in ('"unhandled"', "<optimized out>"), how[0])


def test_inner(t):
    report = only(t, reported(t, throws(t, "unhandled-inner")))
    t.check_equal([0, 1], [x["depth"] for x in report["exceptions"]])
    t.check_equal(["outer", "the cause"],
                  [x["message"] for x in report["exceptions"]])
    t.check_equal([True, False], [
        bool(x["frames"]) for x in report["exceptions"]])
    check_wrapped(t)
    check_aggregate(t)


def check_wrapped(t):
    """Through reflection, a handler that wraps and a class constructor: each
    has its frames, and the innermost is what went wrong."""
    report = only(t, reported(t, throws(t, "unhandled-wrapped")))
    t.check_equal([
        ("System.Reflection.TargetInvocationException",
         ("Throws.Program.Unhandled", t.line("Throws", "unhandled-wrapped"))),
        ("System.InvalidOperationException",
         ("Throws.Program.Wraps", t.line("Throws", "wraps"))),
        ("System.TypeInitializationException", None),
        ("Throws.ShopException",
         ("Throws.Program.Stock", t.line("Throws", "stock")))],
                  [(x["type"], next(iter(own(x["frames"])), None)
                    if x["depth"] != 2 else None)
                   for x in report["exceptions"]])
    t.check_equal(("Throws.Program", t.line("Throws", "stock")),
                  (own(report["exceptions"][3]["frames"])[1][0].rpartition(
                      ".Settings")[0], forms.culprit(report)[1]))
    t.check(report["cause"].endswith(
        " ---> Throws.ShopException: negative stock"), report["cause"])


def check_aggregate(t):
    """Both of an AggregateException have their frames and marks; crashes that
    differ in the innermost exception alone differ."""
    report = only(t, reported(t, throws(t, "unhandled-aggregate")))
    t.check_equal([("Throws.Program.Level", t.line("Throws", "level-throw")),
                   ("Throws.Program.Stock", t.line("Throws", "stock"))],
                  [own(x["frames"])[0] for x in report["exceptions"][1:]])
    t.check(report["cause"].endswith(
        " ---> System.InvalidOperationException: level zero (and 1 more)"),
            report["cause"])
    pay, stock = (only(t, reported(t, throws(t, "unhandled-" + how)))
                  for how in ("pay", "stock"))
    t.check_equal((False, True), tuple(
        pay[name] == stock[name]
        for name in ("fingerprint", "fingerprintOutermost")))


def test_rethrown(t):
    """What an await threw again: frames that are recorded in the exception are
    marked; where it is thrown they have their variables."""
    words = t.program("Rethrown", "main", host="dotnet")
    said = command(t, words, "--report", "text").stderr
    with open(f"{t.dir}/text") as file:
        said += file.read()
    where = rf"Rethrown\.cs:{t.line('Rethrown', 'throw')}$"
    t.check_match(r"^  #0   \[thrown\] Rethrown\.Program\.Deep\(int\) at .*/"
                  + where, said)
    reports = reported(t, words, "--first-chance", "System.TimeoutException")
    t.check_equal(["thrown", "exception"], [
        reports[at]["kind"] for at in (0, -1)])
    first, last = (crashed(reports[at])[0] for at in (0, -1))
    t.check_equal(("managed", "thrown", first["line"]),
                  (first["kind"], last["kind"], last["line"]))
    t.check(first["variables"] and not last.get("variables"), str(last))


def test_thread(t):
    """The thread that crashed is first, the one that waits for it follows."""
    report = only(t, reported(t, throws(t, "unhandled-thread")))
    frames = own(crashed(report))
    t.check_equal([("Throws.Program.Level", t.line("Throws", "level-throw")),
                   ("Throws.Program.Level", t.line("Throws", "level-call"))],
                  frames[:2])
    t.check_equal("Main Thread", report["threads"][1]["name"])


def test_stack_overflow(t):
    """The frames that repeat are one, and those below are there."""
    report = only(t, reported(t, throws(t, "unhandled-stack")))
    t.check_in("StackOverflowException", report["cause"])
    frames = crashed(report)
    # it may overflow in front of the call's line
    at = next(i for i, f in enumerate(frames) if "repeatedFrames" in f)
    t.check_equal(("Throws.Program.Endless", 1),
                  (frames[at]["name"], frames[at]["repeatedFrames"]))
    t.check(frames[at]["times"] > 10000, f"{frames[at]['times']} times")
    t.check_equal(["Throws.Program.Unhandled", "Throws.Program.Main"],
                  [f["name"] for f in frames[at + 1:]])


def test_stack_overflow_cores(t):
    """Of a small core too, which has the stack but not its methods. The stack
    is small since createdump looks at each of its frames; on musl .NET does not
    start with less than this."""
    words = ["prlimit", f"--stack={(2 if drive.MUSL else 1) << 20}",
             *throws(t, "unhandled-stack")]
    for kind, named in ("heap", True), ("mini", False):
        path = dumps.dump(t, words, kind)
        report = json.loads(t.run("core", path, "--report=json").stdout)[0]
        t.check_equal("Throws.dll", report["program"])
        t.check_in("StackOverflowException", report["cause"])
        frames = crashed(report)
        at = next(i for i, f in enumerate(frames) if "repeatedFrames" in f)
        t.check(frames[at]["times"] > 1000, f"{frames[at]['times']} times")
        for frame in frames[at], frames[-1]:
            lacks = re.fullmatch(r"\[method 0x[0-9a-f]+, not in this core\]",
                                 frame["name"])
            t.check_equal(named, not lacks)
            t.check_equal("managed", frame["kind"])


def test_memory(t):
    """The heap's limit is reached."""
    t.env["DOTNET_GCHeapHardLimit"] = "0x4000000"
    report = only(t, reported(t, throws(t, "unhandled-memory")))
    t.check_equal(("exception", "System.OutOfMemoryException",
                   ("Throws.Program.Fill", t.line("Throws",
                                                  "unhandled-memory"))),
                  (report["kind"], report["exceptions"][0]["type"],
                   own(crashed(report))[0]))


def test_memory_killed(t):
    """The kernel ends what takes more than its group may: with the group's
    numbers."""
    where, enter = cgroups.of_memory(t, 400 << 20)
    if not where:
        raise drive.Skip("no cgroup with a limit of memory can be made")
    script = "all = []\nwhile True: all.append(bytearray(1 << 20))"
    done = subprocess.run(
        [t.dndbg, "run", *forms.options(t), "--", "python3", "-c", script],
        env=t.env, cwd=t.dir, timeout=60 * drive.TIME, preexec_fn=enter,
        capture_output=True, text=True)
    t.check_equal(-signal.SIGKILL, done.returncode)
    report = only(t, forms.check(t, done.stdout.splitlines()))
    t.check_equal(("signal", int(signal.SIGKILL)),
                  (report["kind"], report["signal"]))
    t.check_match(r"^Killed by the kernel: out of memory \(limit of the cgroup:"
                  r" 400 MiB, used at most: (400|39\d) MiB\)$", report["cause"])
    t.wait_for("the end of all", lambda: cgroups.removed(where))


def test_native_fault(t):
    """In a function of C that managed code calls: its frames, too, from there
    on to where managed code begins."""
    report = only(t, reported(t, throws(t, "unhandled-native")))
    t.check_equal(("signal", int(signal.SIGSEGV)),
                  (report["kind"], report["signal"]))
    frames = crashed(report)
    t.check_equal("native", frames[0]["kind"])
    t.check_match(r"^(libc\.so(\.6)?|ld-musl-.*)$", frames[0]["module"])
    t.check_match("strlen", frames[0]["name"])
    t.check_equal("Throws.Program.Main", frames[-1]["name"])
    t.check_equal(("Throws.Program.Unhandled",
                   t.line("Throws", "unhandled-native")), own(frames)[0])


def test_by_itself(t):
    """A program that calls abort, or kills itself."""
    for how, number in (("abort", signal.SIGABRT), ("kill", signal.SIGKILL)):
        report = only(t, reported(t, t.program("Signals", how, host="dotnet")))
        t.check_equal(("signal", int(number), None),
                      (report["kind"], report["signal"], report.get("fault")))
        if how != "kill":
            t.check_in("Signals.Program", own(crashed(report))[0][0])


def cores(t, words):
    """Reports of what createdump and dndbg make of the program's end."""
    path = f"{t.dir}/fault"
    subprocess.run(words, timeout=60 * drive.TIME, cwd=t.dir,
                   env={**t.env, **dumps.crash_settings(path, "full")},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([t.dndbg, "--batch", "-ex", "run", "-ex",
                    f"gcore --heap {path}.heap", "-ex",
                    f"gcore --mini {path}.mini", "--args", *words],
                   env=t.env, cwd=t.dir, timeout=60 * drive.TIME,
                   capture_output=True)
    for one in path, f"{path}.heap", f"{path}.mini":
        yield json.loads(t.run("core", one, "--report=json").stdout)[0]


def test_fault(t):
    """Memory that is not there, or not of the file that is mapped, in managed
    code and in native code that it calls: live and from cores. On musl frames
    below a signal's handler are lost (docs/limitations.md), and with them the
    native instruction in the core that the handler has written."""
    managed = "Unhandled exception: System.AccessViolationException: "
    for words, mark, cause, fault in (
            (t.program("Signals", "segv", host="dotnet"), ("Signals", "segv"),
             managed + "no memory at 0x10000 (writing)",
             (int(signal.SIGSEGV), "writing")),
            (t.program("Signals", "bus", f"{t.dir}/short", host="dotnet"),
             ("Signals", "bus"), managed + f"nothing of '{t.dir}/short' is "
             "that far, at 0x", (int(signal.SIGBUS), "reading")),
            (throws(t, "unhandled-native"), ("Throws", "unhandled-native"),
             "Ended by SIGSEGV (Segmentation fault): no memory at 0x8 "
             "(reading)", (int(signal.SIGSEGV), "reading")))[:2 + (
                not drive.MUSL)]:
        live = only(t, reported(t, words))
        for report in (live, *cores(t, words)):
            t.check(report["cause"].startswith(cause), report["cause"])
            t.check_equal(fault, tuple(report["fault"][key]
                                       for key in ("signal", "access")))
            t.check_equal(live["fingerprint"], report["fingerprint"])
            frames = crashed(report)
            t.check_equal(t.line(*mark), own(frames)[0][1])
            t.check_equal("managed" if cause.startswith(managed) else "native",
                          frames[0]["kind"])
            t.check(not any("signal handler" in f["name"] for f in frames),
                    "the crash handler is shown")
    member = "$_siginfo._sifields._sigfault.si_addr"
    for path in f"{t.dir}/fault", f"{t.dir}/fault.heap":
        report, = json.loads(t.run("core", path, "--report=json").stdout)
        addr = int(re.search("at (0x[0-9a-f]+)", report["cause"])[1], 16)
        said = t.run("core", path, "--batch", "-ex", "print $_siginfo",
                     "-ex", f"print /x {member} + $_siginfo.si_signo",
                     "-ex", "print $_siginfo.si_pid")
        t.check_match(r"^\{si_signo = \d+, si_errno = 0, si_code = -?\d+, "
                      r"_sifields = \{_sigfault = \{si_addr = "
                      rf"0x{addr:x}\}}\}}\}}$", said.stdout)
        t.check_match(rf"^\$1 = 0x{addr + fault[0]:x}$", said.stdout)
        t.check_in("has here .si_signo", said.stderr)


def test_damaged_heap(t):
    """A program that ends within the collector since its heap is damaged: the
    reports of it, of its cores and the commands of the heap say where."""
    words = throws(t, "unhandled-heap")
    said = r", in the garbage collector: the heap is damaged at 0x[0-9a-f]{8,}"
    reports = [only(t, reported(t, words)), *cores(t, words)]
    # the mini core has no objects
    for report in reports[:-1]:
        t.check_match(said, report["cause"])
        t.check_equal("Throws.dll", report["program"])
    kernel = dumps.kernel_core(t, words)
    for path in filter(None, (f"{t.dir}/fault", f"{t.dir}/fault.heap", kernel)):
        for command in ("heap", "verify"), ("heap", "stat"), ("doctor",):
            done = t.run(*command, path)
            t.check_match(r"^(severe +)?the heap is damaged at 0x[0-9a-f]{8,}",
                          done.stdout)
            t.check_equal("the garbage collector was at work: what it was "
                          "moving reads as damaged",
                          done.stdout.splitlines()[-1])
    if kernel:
        report, = json.loads(t.run("core", kernel, "--report=json").stdout)
        t.check_equal("Throws.dll", report["program"])


def test_fail_fast(t):
    """Each overload of it, with what it was given."""
    for how in "unhandled-fast", "unhandled-fast-cause":
        cause = "Environment.FailFast: failed fast"
        given = how == "unhandled-fast-cause"
        if given:
            cause += " ---> System.FormatException: the cause"
        for report in (only(t, reported(t, throws(t, how))),
                       *cores(t, throws(t, how))):
            t.check_equal(("failfast", cause), (report["kind"],
                                                report["cause"]))
            t.check_equal(["System.FormatException"] * given,
                          [x["type"] for x in report["exceptions"]])
            t.check_equal(("Throws.Program.Unhandled", t.line("Throws", how)),
                          own(crashed(report))[0])


def test_descendant(t):
    """A program that dies below a shell, which lives on."""
    words = " ".join(throws(t, "unhandled"))
    report = only(t, reported(
        t, ["sh", "-c", f"({words}) 2>&1 | grep -c nobody; exit 3"]))
    t.check_equal("Throws.dll", report["program"])


def of_both(t, words, *options):
    """The reports of a program and of the command that has started it, which
    ends as it does by itself."""
    done = command(t, words, "--json", f"{t.dir}/json", *options)
    t.check_equal(command(t, words).returncode, done.returncode)
    with open(f"{t.dir}/json") as file:
        return json.load(file)


def test_container(t):
    """Each end of the first process of a container: the kernel keeps it from
    signals of its own and, while it is traced, from faults, which then come
    again and again. It ends as it does untraced."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    for fixture, how, kind, cause, name in (
            ("Throws", "unhandled", "exception", "Throws.ShopException",
             "Throws.Program.Unhandled"),
            ("Throws", "unhandled-stack", "exception",
             "System.StackOverflowException", "Throws.Program.Endless"),
            ("Throws", "unhandled-fast", "failfast", "failed fast",
             "Throws.Program.Unhandled"),
            ("Signals", "segv", "exception", "System.AccessViolationException",
             "Signals.Program.Run"),
            ("Signals", "abort", "signal", "SIGABRT",
             "Signals.Program.Run")):
        report, *outer = of_both(t, container.words(t, fixture, how))
        t.check_equal((kind, True), (report["kind"], cause in report["cause"]))
        t.check_in(name, [f["name"] for f in crashed(report)])
        t.check_equal([("signal", int(signal.SIGSEGV))],
                      [(one["kind"], one["signal"]) for one in outer])
    done = of_both(t, container.words(t, "Signals", "exit", "3"),
                   "--on-exit", "3")
    t.check_equal(["Exited with code 3"] * 2, [one["cause"] for one in done])


def test_mounts(t):
    """A process that begins here and gets another root before it starts its
    program, as "chroot" has it: the runtime is that root's."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    report, = of_both(t, container.words(t, "Throws", "unhandled", first=False))
    t.check_equal("exception", report["kind"])
    t.check_in("Throws.Program.Unhandled", [f["name"] for f in crashed(report)])


def test_native(t):
    """A program that is not .NET gets native frames."""
    report = only(t, reported(t, ["sh", "-c", "kill -SEGV $$"]))
    t.check_equal("Ended by SIGSEGV (Segmentation fault)", report["cause"])
    t.check_equal(["native"], list({f["kind"] for f in crashed(report)}))
    script = """
import os, threading
gate = threading.Event()
for _ in range(3):
    threading.Thread(target=gate.wait, daemon=True).start()
os.abort()
"""
    report = only(t, reported(t, ["python3", "-c", script]))
    t.check_equal(4, len(report["threads"]))
    t.check_match("abort", " ".join(f["name"] for f in crashed(report)))


def test_timeout(t):
    """It is ended with what it has started."""
    limit = round(6 * drive.SLOW)
    script = (" ".join(t.program("Signals", "sleep", host="dotnet"))
              + " & sleep 1000 & wait")
    done = command(t, ["sh", "-c", script], "--timeout", str(limit), "--json",
                   "all")
    t.check_equal(124, done.returncode)
    with open(f"{t.dir}/all") as file:
        reports = {r["program"]: r for r in json.load(file)}
    sleeps = reports["Signals.dll"]
    t.check_equal(f"No end within {limit} s", sleeps["cause"])
    t.check(any("Signals" in name for thread in sleeps["threads"]
                for name, line in own(thread["frames"])), "no stack")
    t.wait_for("the end of all", lambda: not drive.tagged(t.tag))


def test_signal(t):
    """It is ended as was asked for, with what it has started, and by SIGKILL
    if it does not end so."""
    script = "trap '{}' TERM; echo ready; sleep 1000; while :; do wait; done"
    done = command(t, ["sh", "-c", script.format("echo ended; exit 3")],
                   "--timeout", "6", "--signal", "TERM", "--kill-after", "60")
    t.check_equal((124, "ready\nended\n"), (done.returncode, done.stdout))
    done = command(t, ["sh", "-c", script.format("")], "--timeout", "6",
                   "--signal", "SIGTERM", "--kill-after", "1")
    t.check_equal((124, "ready\n"), (done.returncode, done.stdout))
    t.wait_for("the end of all", lambda: not drive.tagged(t.tag))
    done = command(t, ["true"], "--signal", "JUNK")
    t.check_equal((2, "dndbg: 'JUNK' is no signal\n"),
                  (done.returncode, done.stderr))


def test_hang(t):
    """What neither writes nor works has no end, and is reported; what writes
    now and then does not hang."""
    words = t.program("Signals", "sleep", host="dotnet")
    done = command(t, words, "--hang", "4", "--json", "all")
    t.check_equal(124, done.returncode)
    with open(f"{t.dir}/all") as file:
        report = only(t, json.load(file))
    t.check_equal(("hang", "Neither output nor work for 4 s"),
                  (report["kind"], report["cause"]))
    t.check_in("Signals.Program", own(report["threads"][0]["frames"])[0][0])
    script = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 1; done"
    done = command(t, ["sh", "-c", script], "--hang", "6")
    t.check_equal((0, "1\n2\n3\n4\n5\n6\n7\n8\n", ""),
                  (done.returncode, done.stdout, done.stderr))


def test_hang_threads(t):
    """Threads that begin and end are no work, nor is it that they are named."""
    script = """
import threading, time
while True:
    thread = threading.Thread(target=time.sleep, args=(0.5,))
    thread.start()
    with open(f"/proc/self/task/{thread.native_id}/comm", "w") as name:
        name.write("a new thread")
    thread.join()
"""
    done = command(t, ["python3", "-c", script], "--hang", "4", "--timeout",
                   "60", "--json", "all")
    t.check_equal(124, done.returncode)
    with open(f"{t.dir}/all") as file:
        t.check_equal("hang", only(t, json.load(file))["kind"])


def test_hang_tests(t):
    """What runs one test after the other, each of which does nothing for a
    while, does not hang."""
    done = command(t, throws(t, "unhandled-test-rests"), "--hang", "4")
    t.check_not_in("Neither output nor work", done.stderr)
    t.check_equal(0, done.returncode)


def test_deadlock(t):
    """Who waits for whose lock, and in a circle."""
    done = command(t, t.program("Threads", "deadlock", host="dotnet"),
                   "--hang", "4", "--json", "all")
    with open(f"{t.dir}/all") as file:
        report = only(t, json.load(file))
    t.check_equal(124, done.returncode)
    names = {thread["number"]: thread["name"] for thread in report["threads"]}
    t.check_equal(
        [("main thread", "one", "object", "lock", False),
         ("one", "two", "System.Collections.Generic.List<int>", "lock", True),
         ("pulse", None, "object", "pulse", False),
         ("two", "one", "object", "lock", True)],
        sorted((names[w["thread"]], names.get(w.get("owner")), w["type"],
                w["for"], w["deadlock"]) for w in report["waits"]))
    one, two = (next(n for n in names if names[n] == name)
                for name in ("one", "two"))
    t.check_match(rf"^Deadlock of threads {one}, {two}$", done.stderr)
    t.check_match(rf'^Thread {two} "two" waits for the lock of {{object}} '
                  rf'0x[0-9a-f]+, which thread {one} "one" holds$',
                  done.stderr)


test_signal.runtimes = test_hang_threads.runtimes = ("10",)


def test_first_chance(t):
    """Exceptions that are caught, where they are thrown; others are not."""
    words = t.program("Throws", "inner", host="dotnet")
    reports = reported(t, words, "--first-chance",
                       "FormatException,System.ArgumentException")
    t.check_equal([("thrown", "Exception thrown: System.FormatException: "
                    "innermost", "inner-first"),
                   ("thrown", "Exception thrown: System.ArgumentException: "
                    "middle ---> System.FormatException: innermost",
                    "inner-second")],
                  [(r["kind"], r["cause"],
                    {t.line("Throws", mark): mark for mark in (
                        "inner-first", "inner-second")}.get(
                            own(crashed(r))[0][1])) for r in reports])


def test_forms(t):
    t.env["GITHUB_STEP_SUMMARY"] = f"{t.dir}/summary"
    # a byte that is no UTF-8, and a character that XML has not
    t.env["DOTNET_note"] = "\udcff\ufffe"
    done = command(t, throws(t, "unhandled"), "--junit", "junit", "--sarif",
                   "sarif", "--jsonl", "lines", "--github", "--gitlab",
                   "gitlab", "--crashreport", "dump", "--azure", "--teamcity")
    line = t.line("Throws", "unhandled")
    t.check_in("Unhandled exception: Throws.ShopException: nobody catches",
               done.stderr)
    t.check_in(f"      > {line:5d}  ", done.stderr)
    t.check_match(rf"^::error file=.*/Throws\.cs,line={line},title=Throws\.dll"
                  r"::Unhandled exception: ", done.stdout)
    t.check_match(rf"^##vso\[task\.logissue type=error;sourcepath=.*/Throws\.cs;"
                  rf"linenumber={line};\]Throws\.dll: Unhandled", done.stdout)
    t.check_match(r"^##teamcity\[buildProblem description='Throws\.dll: "
                  rf"Unhandled .*\.cs:{line}' identity='crash_\w{{16}}'\]$", done.stdout)
    with open(f"{t.dir}/summary") as file:
        t.check_match(r"\A### dndbg run\n\n```\nUnhandled exception: [^`]*```\n",
                      file.read())
    suite = xml.parse(f"{t.dir}/junit").getroot()
    schema.check_junit(suite)
    t.check_equal(("testsuite", "1"), (suite.tag, suite.get("failures")))
    t.check_equal("Throws.ShopException",
                  suite.find("testcase/failure").get("type"))
    with open(f"{t.dir}/gitlab") as file:
        findings = json.load(file)
    schema.check(findings, schema.GITLAB)
    t.check_equal(line, findings[0]["location"]["lines"]["begin"])
    with open(f"{t.dir}/dump") as file:
        dumped = json.load(file)["payload"]
    t.check_equal(("1.0.0", "Throws.dll"),
                  (dumped["protocol_version"], dumped["process_name"]))
    crashed_one, = [x for x in dumped["threads"] if x["crashed"] == "true"]
    t.check_equal(("Throws.ShopException", "Throws.Program.Unhandled"),
                  (crashed_one["managed_exception_type"],
                   crashed_one["stack_frames"][0]["method_name"]))
    with open(f"{t.dir}/sarif") as file:
        log = json.load(file)
    schema.check(log, schema.SARIF)
    result, = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    t.check_equal(line, place["region"]["startLine"])
    command(t, throws(t, "unhandled"), "--jsonl", "lines")
    with open(f"{t.dir}/lines") as file:
        reports = [json.loads(one) for one in file]
    t.check_equal(2, len(reports))
    t.check_in("DOTNET_note=\ufffd\ufffe", reports[0]["environment"])
    t.check_equal(1, len({r["fingerprint"] for r in reports}))


def test_line_without_end(t):
    """Commands of the log stand on lines of their own, also where the program
    has not ended its last one."""
    only(t, reported(t, ["sh", "-c", 'printf "no end"; exec "$@"', "sh",
                         *throws(t, "unhandled")]))


def facts(report):
    """What a core says as the program did itself: all but its numbers."""
    threads = [[(f["name"], f["kind"], f.get("file"), f.get("line"),
                 f.get("variables")) for f in thread["frames"]]
               for thread in report["threads"]]
    for exception in report["exceptions"]:
        for frame in exception["frames"]:
            frame.pop("pc", None)
    return {**{key: report.get(key) for key in (
        "kind", "cause", "signal", "program", "runtime", "fingerprint",
        "exceptions")}, "threads": threads}


def test_core(t):
    """The report of a core is what `dndbg run` would have made."""
    path = f"{t.dir}/core"
    for how in ("unhandled-inner", "unhandled-thread"):
        live = only(t, reported(t, throws(t, how)))
        subprocess.run(throws(t, how), timeout=60 * drive.TIME,
                       env={**t.env, **dumps.crash_settings(path, "full")},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        dead, = json.loads(t.run("core", path, "--report=json").stdout)
        t.check_equal(facts(live), facts(dead))
    line = t.line("Throws", "level-throw")
    for form, wanted in (("", "Unhandled exception: System.InvalidOperation"),
                         ("=junit", "<testsuite name="),
                         ("=github", f"Throws.cs,line={line},title=Throws")):
        t.check_in(wanted, t.run("core", "--report" + form, path).stdout)
    done = t.run("core", path, "--report=junk")
    t.check_equal((2, "dndbg: no form 'junk' of reports\n"),
                  (done.returncode, done.stderr))


def test_tests(t):
    """The test that was running: with its arguments, by a lambda on another
    thread, by who awaits."""
    for how, name, display in (
            ("test", "Sells", "Sells(item: \"fig\", code: 3)"),
            ("test-thread", "Serves", "Serves"),
            ("test-async", "Delivers", "Delivers(item: \"plum\")")):
        report = only(t, reported(t, throws(t, "unhandled-" + how)))
        test, = report["tests"]
        t.check_equal((report["thread"], "Throws.Shop." + name,
                       "Throws.Shop." + display, t.line("Throws", how)),
                      tuple(test[key] for key in (
                          "thread", "name", "display", "line")))
    report = only(t, reported(t, throws(t, "unhandled")))
    t.check_equal([], report["tests"])


def test_tests_waiting(t):
    """Async tests that wait in an await and are on no stack; what for."""
    done = command(t, throws(t, "unhandled-test-waits"), "--hang", "4",
                   *forms.options(t))
    t.check_equal(124, done.returncode)
    report = only(t, forms.check(t, forms.split(done.stdout)[1]))
    line = t.line("Throws", "test-waits")
    t.check_equal(
        {('Throws.Shop.Waits(item: "date")', line),
         ('Throws.Shop.Waits(item: "sloe")', line)},
        {(one["display"], one["line"]) for one in report["tests"]})
    waits, = report["async"]
    t.check_equal((2, [("Throws.Shop.Forever", t.line("Throws",
                                                      "test-forever")),
                       ("Throws.Shop.Waits", line)]),
                  (waits["count"], own(waits["frames"])))
    t.check_match("TaskCompletionSource", waits["awaited"])
    items = [v["value"] for f in waits["frames"] for v in f.get("variables", [])
             if v["name"] == "item" and v["argument"]]
    t.check(items in (['"date"'] * 2, ['"sloe"'] * 2), str(items))


def test_surroundings(t):
    """What the program runs in; secrets are nobody's business."""
    t.env.update(DOTNET_TOKEN="hidden", ASPNETCORE_URLS="http://here",
                 OTHER="hidden")
    words = ["sh", "-c", "exec \"$@\"", "sh", *throws(t, "unhandled")]
    report = only(t, reported(t, words))
    t.check_equal(throws(t, "unhandled"), report["commandLine"])
    t.check_in("ASPNETCORE_URLS=http://here", report["environment"])
    t.check_in("DOTNET_TOKEN=<redacted>", report["environment"])
    t.check_not_in("hidden", json.dumps(report))
    own, = [m for m in report["modules"] if m["own"]]
    t.check_equal(("Throws.dll", True), (own["name"], own["symbols"]))
    with open(own["path"], "rb") as file:
        t.check_in(uuid.UUID(own["mvid"]).bytes_le, file.read())
    done = command(t, ["sh", "-c", "kill -SEGV $$", "sh", "--api-key=hidden",
                       "--filter=TokenTests", "--db=Server=a;Password=hidden",
                       "--password", "hidden", "--token:hidden", "next",
                       "--blob=AccountKey=hidden", "--bus=A=b;Key=hidden",
                       "https://user:hidden@host/", "--at=http://a:80/b",
                       "--url=https://host/?x=1&sig=hidden"],
                   "--timeout", "60")
    t.check_in("--api-key=<redacted> --filter=TokenTests --db=<redacted> "
               "--password <redacted> --token:<redacted> next "
               "--blob=<redacted> --bus=<redacted> https:<redacted> "
               "--at=http://a:80/b --url=<redacted>\n", done.stderr)
    t.check_not_in("hidden", done.stderr)
    report = only(t, reported(t, throws(t, "unhandled-data")))
    t.check_equal('"order" = 17\n"password" = <redacted>',
                  report["exceptions"][0]["data"])


def test_refused(t):
    """What can't be done is told, and changes nothing but that."""
    done = command(t, ["/nowhere/at/all"], "--report", "text")
    t.check_equal(126, done.returncode)
    t.check_in("/nowhere/at/all", done.stderr)
    done = command(t, throws(t, "unhandled"), "--json", "/nowhere/at/all")
    t.check_equal(-signal.SIGABRT, done.returncode)
    t.check_in("dndbg: the report cannot be written to '/nowhere/at/all': No "
               "such file or directory", done.stderr)
    for command_name in ("stack", "dump", "handles"):
        done = t.run(command_name, "no\033[31mname")
        t.check_equal((1, "", "dndbg: no .NET program is called "
                       "'no\\u001b[31mname'\n"),
                      (done.returncode, done.stdout, done.stderr))
    done = t.run("handles", "/dev/zero")
    t.check_equal((1, "", "dndbg: '/dev/zero' is not a regular file: a core is "
                   "one\n"), (done.returncode, done.stdout, done.stderr))


def test_whole(t):
    """A file that has all reports is whole at any moment: it is there when the
    program that crashed is gone, and stays as it was if there is no room."""
    path = f"{t.dir}/report.json"
    done = command(t, ["sh", "-c", f'"$@"; cp {path} copy; "$@"; exit 3', "sh",
                       *throws(t, "unhandled")], "--json", path)
    t.check_equal(3, done.returncode)
    for name, n in (("copy", 1), ("report.json", 2)):
        with open(f"{t.dir}/{name}") as file:
            t.check_equal(["exception"] * n,
                          [one["kind"] for one in json.load(file)])
    with open(path, "w") as file:
        file.write("old")
    os.chmod(path, 0o640)
    crash = ["sh", "-c", "kill -SEGV $$"]
    for small in (True, False):
        words = [t.dndbg, "run", "--json", path, "--", *crash]
        if small:
            words = ["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh",
                     *words]
        done = command(t, words)
        t.check_equal(-signal.SIGSEGV, done.returncode)
        t.check_equal(small, "cannot be written to" in done.stderr)
        t.check_equal(0o640, os.stat(path).st_mode & 0o777)
        with open(path) as file:
            t.check_equal(small, file.read() == "old")
    t.check_equal(["report.json"], [name for name in os.listdir(t.dir)
                                    if name.startswith("report")])


def test_stack(t):
    """A running program, which goes on; equal stacks are one."""
    busy = Busy(t, "20", "4").ready()
    out = t.run("stack", str(busy.pid)).stdout
    t.check_match(r'^Thread \d+ "wait\d+" .* and 19 more with the same stack',
                  out)
    t.check_in("Busy.Program.Wait()", out)
    found = json.loads(t.run("stack", "--json", "--all",
                             str(busy.pid)).stdout)
    t.check_equal(busy.pid, found["pid"])
    t.check_in(".NET Finalizer", [x["name"] for x in found["threads"]])
    busy.right()
    done = t.run("stack", str(busy.pid))
    t.check_equal(1, done.returncode)
    t.check_match(r"^dndbg: no process", done.stderr)


def listed(t, pid):
    """What `dndbg ps` says of a program; nothing of any that debugs it."""
    found = json.loads(t.run("ps", "--json").stdout)
    t.check_not_in("dndbg", [one["name"] for one in found])
    return next(one for one in found if one["pid"] == pid)


def test_ps(t):
    busy = Busy(t, "20", "4").ready()
    s = t.start("--args", *t.program("Hello"))
    s.cmd("b " + t.at("Hello", "add"))
    s.cmd("run")
    found = listed(t, busy.pid)
    t.check_equal((busy.pid, os.getuid(), "Busy.dll"),
                  tuple(found[x] for x in ("pidInside", "uid", "name")))
    t.check_match(rf"^{t.runtime}\.0\.\d+$", found["runtime"])
    t.check_match(r"/Busy\.dll 20 4$", found["command"])
    t.check(found["threads"] > 24, f"{found['threads']} threads")
    t.check(1 << 24 < found["residentBytes"] < 1 << 30,
            f"{found['residentBytes']} bytes")
    title, *lines = t.run("ps").stdout.splitlines()
    t.check_match(r"^ *PID  (INSIDE  )?USER +(CONTAINER +)?RUNTIME +THREADS"
                  r"  +MEMORY  COMMAND$", title)
    line, = (one for one in lines if one.split()[0] == str(busy.pid))
    t.check_equal(title.index("COMMAND"), line.index(found["command"]))
    busy.right()
