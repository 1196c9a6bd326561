"""`doctor --seconds`: what a program does while it is watched, told as findings
of doctor's own; the program goes on, and nothing of ours is left in it."""
import json
import os
import re
import signal
import subprocess

import cgroups
import container
import drive
from watched import Watched, Watching, shape


def doctor(t, pid, seconds="1", **options):
    done = t.run("doctor", "--seconds", seconds, str(pid), "--json", **options)
    t.check_equal((0, ""), (done.returncode, done.stderr))
    return json.loads(done.stdout)


def found(got, check):
    """Findings of one check: their weights and texts."""
    return [(one["weight"], one["finding"], one["command"])
            for one in got["findings"] if one["check"] == check]


def wait_for_finding(t, pid, check, word):
    """However slow the program is: until it did enough of it. What was seen."""
    seen = []

    def is_found():
        seen.append(doctor(t, pid))
        return any(word in text for _, text, _ in found(seen[-1], check))

    t.wait_for(f"a finding of {check}", is_found, 120)
    (weight, text, command), = [one for one in found(seen[-1], check)
                                if word in one[1]]
    return weight, text, command, seen[-1]["watched"]


def block(name):
    """An example of docs/state.md, without its command."""
    with open(f"{drive.TOP}/docs/state.md", encoding="utf-8") as file:
        text = file.read()
    return text.split(f"<!-- {name} -->\n```\n")[1].split("```\n")[0] \
        .split("\n", 1)[1]


def test_healthy(t):
    """Nothing is found, and it is said for how long and what was watched."""
    program = Watched(t)
    done = t.run("doctor", "--seconds", "0.5", str(program.pid))
    t.check_equal((0, ""), (done.returncode, done.stderr))
    t.check_equal(shape(block("doctor-healthy")), shape(done.stdout))
    got = doctor(t, program.pid)
    t.check_equal(([], "time"), (got["findings"], got["watched"]["end"]))
    t.check(1 <= got["watched"]["seconds"] < 60, got)
    t.wait_for("the end of the traces", lambda: program.threads() == program.idle)
    program.do("gc")
    program.end()


def test_burning(t):
    """Threads that compute: how much of a processor they use or want, and where
    most of it goes; they go on."""
    program = Watched(t)
    program.do("load 8")
    first = t.line("Watched", "leaf")
    line = re.compile(
        r'^Thread \d+ "[^"]*" used \d+ % of a processor(?: and waited for one '
        r"for \d+ % of the time)?, (\d+) % of that in Watched\.Program\.Leaf\("
        r"int\) at Watched\.cs:(\d+)$")
    seen = []

    def is_told():
        got = doctor(t, program.pid)
        texts = [text for _, text, _ in found(got, "processor")
                 if text.startswith("Thread ")]
        t.check_equal(1, len(texts))
        seen[:] = texts[0].split("; ")
        t.check_equal(4, len(seen))
        busy = [one for one in got["watched"]["threads"] if one.get("own")]
        return all(map(line.match, seen)) and {"Watched.Program.Leaf(int)"} == {
            one["method"] for one in busy}

    # of one that gets no processor there are few samples
    t.wait_for("the method", is_told, 120)
    for text in seen:
        share, at = line.match(text).groups()
        t.check(int(share) > 30 and first <= int(at) < first + 8, text)
    turns = int(program.do("turns"))
    t.wait_for("more turns", lambda: int(program.do("turns")) > turns)
    program.end()


def test_held_back(t):
    """A cgroup whose processors are used up, so that threads wait."""
    where, enter = cgroups.of_cpu(t, 20)
    if not where:
        raise drive.Skip("no cgroup with a limit of processors can be made")
    program = Watched(t)
    program.do("load 0")
    enter(program.pid)
    weight, text, command, watched = wait_for_finding(
        t, program.pid, "processor", "held back")
    t.check_equal(("warning", "sample"), (weight, command))
    t.check_match(r"^Threads waited for a processor for [\d.]+ s, all together, "
                  r"and ran for [\d.]+ s; the program's cgroup has 0\.20 "
                  r"processors, and was held back in \d+ of \d+ periods$", text)
    t.check(watched["processors"]["heldBack"] <=
            watched["processors"]["periods"], watched)
    program.process.kill()
    program.process.wait()
    t.wait_for("the end of all", lambda: cgroups.removed(where))


def test_container(t):
    """From outside, by the host's pid, and from inside of the container."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    program = Watched(t, words=container.words(t, "Watched"))
    program.do("load 0")
    pid, = t.processes("dotnet")
    inside = ["nsenter", "--pid", "--mount", "--root", "--target", str(pid)]
    for number, before in ((pid, []), (1, inside)):
        done = subprocess.run(
            [*before, t.dndbg, "doctor", "--seconds", "0.5", str(number),
             "--json"], env=t.env, capture_output=True, text=True,
            timeout=60 * drive.TIME, start_new_session=True)
        t.check_equal((0, ""), (done.returncode, done.stderr))
        got = json.loads(done.stdout)
        t.check_match(r'^Thread \d+ "[^"]*" used .* in Watched.Program.Leaf\(int\)'
                      r" at Watched.cs:\d+", found(got, "processor")[0][1])
        t.check_equal((None, "time"), (got["watched"].get("untold"),
                                       got["watched"]["end"]))
    program.end()


test_container.glibc = "its container on musl has no dndbg in it"


def test_user(t):
    """The program's own user, who may do nothing else; another is told what is
    in the way."""
    if os.geteuid():
        raise drive.Skip("only root can be somebody else")
    program = Watched(t, words=container.as_nobody(
        t, "/mnt/dotnet/dotnet", "/mnt/app/Watched.dll", fixture="Watched"))
    there = ["nsenter", "--mount", "--target", str(program.pid), "setpriv",
             "--clear-groups", "--regid", "65534", "--reuid"]
    for user, status, text in (
            ("65534", 0, r"(?m)^Watched for [\d.]+ s: .* exceptions a second$"),
            ("65533", 1, rf"^dndbg: cannot trace process {program.pid}, which "
             "user 65534 runs: run dndbg as that user or as root$")):
        done = subprocess.run(
            [*there, user, "/mnt/dndbg", "doctor", str(program.pid), "--seconds",
             "0.5"], env=t.env, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.STDOUT, timeout=60 * drive.TIME)
        t.check_equal((status, done.stdout), (done.returncode, done.stdout))
        t.check_match(text, done.stdout)
    program.do("gc")
    program.end()


def test_allocations(t):
    """Much that is allocated: how much, and of which types."""
    program = Watched(t)
    program.process.stdin.write("alloc 2000000000\n")
    program.process.stdin.flush()
    weight, text, command, watched = wait_for_finding(
        t, program.pid, "allocations", "MiB are allocated a second")
    t.check_equal(("warning", "events alloc"), (weight, command))
    t.check_match(r"^About \d+ MiB are allocated a second: \d+ % Watched.Node",
                  text)
    t.check(watched["allocations"]["bytes"] > 0 and
            watched["collections"]["count"] > 0, watched)
    program.process.kill()
    program.process.wait()


def test_pauses(t):
    """Collections that take much of the time: their share, cause, the
    longest."""
    env = {**t.env, "DOTNET_GCgen0size": "40000"}
    process = subprocess.Popen(
        t.program("GcHeavy", "1000000", config="Release", host="dotnet"),
        env=env, stdout=subprocess.DEVNULL)
    try:
        weight, text, command, watched = wait_for_finding(
            t, process.pid, "collections", "All threads stood still")
    finally:
        process.kill()
        process.wait()
    t.check_equal(("warning", "events gc"), (weight, command))
    t.check_match(r"^All threads stood still for collections for [\d.]+ % of the "
                  r"time: \d+ of them, most of that caused by: [a-z ,]+; the "
                  r"longest for \d+ ms, generation \d, caused by: [a-z ,]+$",
                  text)
    collections = watched["collections"]
    share = collections["pausedMs"] / collections["seconds"] / 1000
    t.check(share > 0.05 or collections["longestMs"] > 100, watched)


def test_exceptions(t):
    """Many that are thrown: how many, and of which type."""
    program = Watched(t)
    program.process.stdin.write("throw 2000000000\n")
    program.process.stdin.flush()
    weight, text, command, watched = wait_for_finding(
        t, program.pid, "exceptions", "a second")
    t.check_equal(("warning", "events exceptions"), (weight, command))
    t.check_match(r"^\d+ exceptions are thrown a second, \d+ % of them "
                  r"(Watched.OrderException, at last \"order \d+\"|"
                  r"System.InvalidOperationException, at last \"state \d+\")$",
                  text)
    t.check_equal({"Watched.OrderException", "System.InvalidOperationException"},
                  {one["type"] for one in watched["exceptions"]["types"]})
    program.process.kill()
    program.process.wait()


def test_starvation(t):
    """A pool whose workers wait, and to which the runtime adds others for that;
    Ctrl-C ends the watching, with whole findings."""
    program = Watched(t)

    def workers():
        names = []
        for tid in os.listdir(f"/proc/{program.pid}/task"):
            try:
                with open(f"/proc/{program.pid}/task/{tid}/comm") as file:
                    names.append(file.read())
            except OSError:
                pass  # it has ended
        return sum(name.startswith(".NET TP Worker") for name in names)

    program.process.stdin.write("starve 600000\n")
    program.process.stdin.flush()
    t.wait_for("the first workers", lambda: workers() >= 2)
    watching = Watching(t, program, "doctor", "--json")
    # .NET 11 heeds a moment after it has answered: the last ones are told
    before = workers()
    t.wait_for("more workers", lambda: workers() >= before + 5, 120)
    got = json.loads(watching.interrupt())
    t.check_equal("interrupted", got["watched"]["end"])
    one, = [one for one in found(got, "threadPool") if "starved" in one[1]]
    t.check_equal("events threadpool", one[2])
    t.check_match(r"^The thread pool starved \d+ times?: work waited, and no "
                  r"worker took it up, until the runtime added one; it had \d+ "
                  r"in the end$", one[1])
    t.wait_for("the end of the traces", lambda: program.threads() == program.idle)
    program.process.kill()
    program.process.wait()


def test_stood(t):
    """Threads that wait for each other, and a pool whose workers wait: that they
    have not run meanwhile."""
    workers = {"DOTNET_ThreadPool_ForceMinWorkerThreads": "2",
               "DOTNET_ThreadPool_ForceMaxWorkerThreads": "2"}
    process = subprocess.Popen(
        t.program("Stuck", "circle", config="Release", host="dotnet"),
        env={**t.env, **workers}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True)
    try:
        t.check_match("^ready", process.stdout.readline())
        got = doctor(t, process.pid)
    finally:
        process.kill()
        process.wait()
    for check, begins in (("deadlock", "Threads that wait for each other"),
                          ("threadPool", "The thread pool starves")):
        (weight, text, _), = [one for one in found(got, check)
                              if one[1].startswith(begins)]
        t.check_equal("severe", weight)
        t.check_match(r"; none of them has run in the last [\d.]+ s$", text)


def test_prompt(t):
    """The program goes on while it is watched, and is stopped then; a
    breakpoint ends the watching early. JSON is alone on stdout."""
    program = Watched(t)
    program.do("load 0")
    program.do("keep")
    done = t.run("-q", "-n", "--batch", "-p", str(program.pid),
                 "-ex", "doctor --seconds 0.5",
                 "-ex", "echo --json\\n", "-ex", "doctor --seconds 0.3 --json",
                 "-ex", "echo --hit\\n", "-ex", "break Watched.Program.SpinLess",
                 "-ex", "ignore 1 500", "-ex", "doctor --seconds 60",
                 "-ex", "echo --bad\\n", "-ex", "delete",
                 "-ex", "doctor --seconds x")
    parts = dict(re.findall(r"--(\w+)\n((?:(?!--).*\n)*)", "--first\n" +
                            done.stdout))
    t.check_match(r"(?m)^warning   Thread \d+ .* in Watched\.Program\.\w+\(",
                  parts["first"])
    t.check_match(r"(?m)^Watched for [\d.]+ s: ", parts["first"])
    got = json.loads(parts["json"].splitlines()[0])
    t.check_equal("time", got["watched"]["end"])
    t.check_in("\nBreakpoint 1, Watched.Program.SpinLess () at ", parts["hit"])
    t.check_match(r"(?m)^Watched for [\d.]+ s, interrupted: ", parts["hit"])
    t.check_in("dndbg: 'x' is no number of seconds\n", done.stderr)
    t.wait_for("the guardian's end", lambda: not t.processes("dndbg-guardian"))
    t.wait_for("the end of the traces", lambda: program.threads() == program.idle)
    program.end()


def test_bad(t):
    """A core, a program that is stopped, has ended, or whose runtime tells
    nothing; dndbg is killed."""
    program = Watched(t)
    done = t.run("doctor", "--seconds", "x", str(program.pid))
    t.check_equal((1, "dndbg: 'x' is no number of seconds\n"),
                  (done.returncode, done.stderr))
    core = f"{t.dir}/core"
    t.check_equal(0, t.run("dump", str(program.pid), "-o", core).returncode)
    done = t.run("doctor", "--seconds", "1", core)
    t.check_equal((1, "dndbg: A core dump does not go on: leave out "
                   "--seconds.\n"), (done.returncode, done.stderr))
    done = t.run("--batch", "--core", core, "-ex", "doctor --seconds 1")
    t.check_in("A core dump does not go on: leave out --seconds.\n",
               done.stderr)

    os.kill(program.pid, signal.SIGSTOP)
    done = t.run("doctor", "--seconds", "1", str(program.pid))
    os.kill(program.pid, signal.SIGCONT)
    t.check_match(f"^dndbg: process {program.pid} is stopped, by a signal",
                  done.stderr)
    t.check_equal(1, done.returncode)

    watching = Watching(t, program, "doctor")
    t.wait_for("the traces", lambda: program.threads() > program.idle)
    watching.process.kill()
    watching.process.communicate()
    t.wait_for("the end of the traces", lambda: program.threads() == program.idle)
    program.do("gc")

    watching = Watching(t, program, "doctor")
    program.end()
    out, err = watching.end(1)
    t.check_equal("", out)
    t.check_match(rf"^dndbg: .*\b{program.pid}\b", err)


def test_no_diagnostics(t):
    """Threads are watched all the same."""
    t.env["DOTNET_EnableDiagnostics"] = "0"
    program = Watched(t)
    program.do("load 0")
    got = doctor(t, program.pid)
    t.check_in(str(program.pid), got["watched"]["untold"])
    t.check_match('^Thread .* in Watched.Program.Leaf',
                  found(got, "processor")[0][1])
    done = t.run("doctor", "--seconds", "0.2", str(program.pid))
    t.check_match(r"(?m)^Watched for [\d.]+ s: [\d.]+ processors used; the "
                  r"runtime has told nothing: ", done.stdout)
    program.end()
