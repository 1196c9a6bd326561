"""createdump below `dndbg run`: the runtime starts it to have the program dumped
at a crash (DOTNET_DbgEnableMiniDump, `dotnet test --blame-crash`) or when a
client asks for it (`dotnet-dump collect`, --blame-hang). It needs to trace what
dndbg traces."""
import contextlib
import glob
import json
import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess

import drive
from dumps import STEADY, core, crash_settings, shown

# .NET's diagnostic IPC protocol: command set 1 is of dumps, command 1 makes
# one; type 1 is a mini dump.
MAGIC = b"DOTNET_IPC_V1\0"
DUMP = (1, 1)
MINI = 1


def command(t, words, *options, env=None):
    prefix = [t.dndbg, "run", *options, "--"] if options else []
    return subprocess.run([*prefix, *words], text=True, capture_output=True,
                          env={**t.env, **(env or {})}, cwd=t.dir,
                          timeout=120 * drive.TIME, start_new_session=True)


def reports(path):
    with open(path) as file:
        return json.load(file)


def throws(t, how):
    return t.program("Throws", how, host="dotnet")


def test_crash(t):
    """The dump is what it is without dndbg, and so is how the command ends."""
    for how, kind in (("unhandled-inner", "exception"),
                      ("unhandled-thread", "exception"),
                      ("unhandled-fast", "failfast"),
                      ("unhandled-native", "signal")):
        looks = []
        for options in (), ("--json", f"{t.dir}/json"):
            path = f"{t.dir}/{how}-{len(options)}.core"
            done = command(t, throws(t, how), *options,
                           env=crash_settings(path, "heap"))
            t.check(os.path.exists(path), done.stderr)
            looks.append((done.returncode, shown(core(t, path).stdout)))
            # it writes no note with the command line
            t.check_match(r"process \d+ +Throws.dll",
                          core(t, path, ["info inferiors"]).stdout)
            os.unlink(path)
        t.check_equal(*looks)
        report, = reports(f"{t.dir}/json")
        t.check_equal(kind, report["kind"])


def test_below(t):
    """A program that the command starts, while another one runs."""
    path = f"{t.dir}/core"
    busy = t.program("Busy", host="dotnet")
    crash = throws(t, "unhandled-inner")
    script = (f"mkfifo go; {' '.join(busy)} < go > busy & exec 3> go; "
              "while ! grep -q ready busy; do sleep 0.05; done; "
              '"$@" > /dev/null; echo $?; exec 3>&-; wait $!; echo $?; cat busy')
    done = command(t, ["sh", "-c", script, "sh", *crash], "--json",
                   f"{t.dir}/json", env=crash_settings(path, "mini"))
    t.check_equal((0, "134\n0\nready\nright\n"),
                  (done.returncode, done.stdout))
    t.check_match("^#0 .* Throws.Program.Unhandled", core(t, path).stdout)
    report, = reports(f"{t.dir}/json")
    t.check_equal("exception", report["kind"])


def test_stuck(t):
    """createdump does not come to an end: the time of the command does."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    done = command(t, throws(t, "unhandled-inner"), "--timeout", "5", "--json",
                   f"{t.dir}/json", env=crash_settings(path, "mini"))
    report, = reports(f"{t.dir}/json")
    t.check_equal((124, "timeout"), (done.returncode, report["kind"]))


def opens_pipe(pid):
    with open(f"/proc/{pid}/wchan") as file:
        return file.read() == "wait_for_partner"


def await_pipe(t):
    """createdump has attached to the program, and opens its file, a pipe."""
    t.wait_for("the pipe", lambda: any(map(opens_pipe,
                                           t.processes("createdump"))), 60)


def read_pipe(path):
    subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True,
                   timeout=60 * drive.TIME)


def start(t, words, path, *options):
    return subprocess.Popen(
        [t.dndbg, "run", "--json", f"{t.dir}/json", *options, "--", *words],
        cwd=t.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
        env={**t.env, **crash_settings(path, "mini")})


def check_killed(t, wait):
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    process = start(t, throws(t, "unhandled-inner"), path)
    wait()
    # once more where it is held when it ends
    pid = t.processes("createdump")[0]
    with contextlib.suppress(ProcessLookupError):
        while process.poll() is None:
            os.kill(pid, signal.SIGKILL)
    t.check_equal(-signal.SIGABRT, process.wait(60 * drive.TIME))
    report, = reports(f"{t.dir}/json")
    t.check_equal("exception", report["kind"])


def test_killed(t):
    """createdump is killed by somebody where it has attached to the program:
    that dies as it would have, and is reported."""
    check_killed(t, lambda: await_pipe(t))


def test_killed_early(t):
    """... when it has been started this moment, wherever it is by then."""
    check_killed(t, lambda: t.wait_for("createdump",
                                       lambda: t.processes("createdump"), 60))


def test_debugger_killed(t):
    """dndbg is killed: createdump comes to its end, the program to its own."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    process = start(t, throws(t, "unhandled-inner"), path)
    await_pipe(t)
    pid, = t.processes("dotnet")
    process.kill()
    process.wait(60 * drive.TIME)
    read_pipe(path)
    t.wait_for("the program's end", lambda: ended(pid), 60)


def ended(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


BESIDE = """
import os, signal, subprocess, sys

signal.signal(signal.SIGUSR1, lambda *_: print("signal", flush=True))
split = sys.argv.index("--")
dumped = subprocess.Popen(sys.argv[1:split], stdout=subprocess.DEVNULL)
input()
os.environ["DOTNET_DbgEnableMiniDump"] = "0"
other = subprocess.run(sys.argv[split + 1:], stdout=subprocess.DEVNULL)
print("other", other.returncode, flush=True)
print("dumped", dumped.wait(), flush=True)
"""


def test_beside(t):
    """While createdump works what the command does besides goes on and is
    looked at, and it gets signals."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    words = ["python3", "-c", BESIDE, *throws(t, "unhandled-inner"), "--",
             *throws(t, "unhandled-thread")]
    process = start(t, words, path)
    await_pipe(t)
    process.send_signal(signal.SIGUSR1)
    t.check_equal("signal\n", process.stdout.readline())
    process.stdin.write("\n")
    process.stdin.flush()
    t.check_equal("other -6\n", process.stdout.readline())
    read_pipe(path)
    t.check_equal("dumped -6\n", process.stdout.readline())
    t.check_equal(0, process.wait(60 * drive.TIME))
    t.check_equal(["exception"] * 2,
                  [report["kind"] for report in reports(f"{t.dir}/json")])


# Something called createdump is at work on it until it closes 3.
LENT = "./createdump gate & exec 3>gate"
BACK = "exec 3>&-; wait; echo end"


def lent(t, *lines, options=()):
    """A shell that does something while it is lent; its reports."""
    shutil.copy("/bin/cat", f"{t.dir}/createdump")
    os.mkfifo(f"{t.dir}/gate")
    done = command(t, ["sh", "-c", "\n".join(lines)], "--json",
                   f"{t.dir}/json", *options)
    return done, (reports(f"{t.dir}/json")
                  if os.path.exists(f"{t.dir}/json") else [])


def test_two(t):
    """A second createdump of what is lent runs, too, as without dndbg."""
    os.mkfifo(f"{t.dir}/later")
    done, found = lent(
        t, "(read word <later; exec ./createdump /dev/null) & second=$!", LENT,
        "echo go >later; wait $second; echo second $?", BACK,
        options=("--timeout", str(int(60 * drive.TIME))))
    t.check_equal((0, "second 0\nend\n", []),
                  (done.returncode, done.stdout, found))


test_two.runtimes = ("10",)


def test_crash_lent(t):
    """A crash while createdump has it: by which signal is reported, no more."""
    done, found = lent(t, LENT, "kill -ABRT $$")
    t.check_equal((-signal.SIGABRT, ""), (done.returncode, done.stdout))
    t.check_equal(["Ended by SIGABRT (Aborted)"],
                  [report["cause"] for report in found])


test_crash_lent.runtimes = ("10",)


def test_signal_lent(t):
    """What it sends to dndbg, its parent, does not come back to it."""
    done, found = lent(t, LENT, "kill -USR1 $PPID", BACK)
    t.check_equal((0, "end\n", []), (done.returncode, done.stdout, found))


test_signal_lent.runtimes = ("10",)


def test_program_killed(t):
    """The program is killed while createdump has it, and does not end: there is
    a report, and the command's status."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    process = start(t, throws(t, "unhandled-inner"), path)
    await_pipe(t)
    pid, = t.processes("dotnet")
    os.kill(pid, signal.SIGKILL)
    t.check_equal(-signal.SIGKILL, process.wait(60 * drive.TIME))
    report, = reports(f"{t.dir}/json")
    t.check_equal(("signal", int(signal.SIGKILL)),
                  (report["kind"], report["signal"]))


JOB = """
import os, signal, subprocess, sys

job = subprocess.Popen(sys.argv[1:], preexec_fn=os.setpgrp,
                       stderr=subprocess.DEVNULL)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.tcsetpgrp(0, job.pid)
_, status = os.waitpid(job.pid, os.WUNTRACED)
os.tcsetpgrp(0, os.getpgrp())
if os.WIFSTOPPED(status):
    print("stopped", flush=True)
    input()
    os.tcsetpgrp(0, job.pid)
    os.killpg(job.pid, signal.SIGCONT)
    _, status = os.waitpid(job.pid, 0)
print("status", os.waitstatus_to_exitcode(status), flush=True)
"""


def test_suspend(t):
    """Ctrl-Z while createdump works stops both for the shell that waits."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    env = {**t.env, **crash_settings(path, "mini")}
    session = drive.Session(
        ["python3", "-c", JOB, t.dndbg, "run", "--json", f"{t.dir}/json", "--",
         *throws(t, "unhandled-inner")], env, t.dir)
    t.sessions.append(session)
    await_pipe(t)
    session.send("\x1a")
    session.expect("stopped$")
    session.send("\n")
    read_pipe(path)
    session.expect("^status -6")
    session.wait()
    report, = reports(f"{t.dir}/json")
    t.check_equal("exception", report["kind"])


def test_no_dac(t):
    """What cannot be read before createdump cannot be behind it either: the
    report has native frames. A DAC that others may write is not loaded; one that
    is missing would be found in another root."""
    root = f"{t.dir}/root"
    shutil.copytree(t.env["DOTNET_ROOT"] + "/", root, symlinks=True)
    dac, = glob.glob(f"{root}/shared/Microsoft.NETCore.App/*/libmscordaccore.so")
    os.chmod(dac, 0o666)
    done = command(t, throws(t, "unhandled-inner"), "--json", f"{t.dir}/json",
                   env={**crash_settings(f"{t.dir}/core", "mini"),
                        "DOTNET_ROOT": root,
                        "PATH": f"{root}:{t.env['PATH']}"})
    report, = reports(f"{t.dir}/json")
    t.check_equal((-signal.SIGABRT, "signal", int(signal.SIGABRT)),
                  (done.returncode, report["kind"], report["signal"]))


test_no_dac.glibc = (
    "the DAC beside the runtime is looked at last there: one for glibc is taken")


def ask_for_dump(t, pid, path):
    """As dotnet-dump asks; the runtime's answer, 0: done."""
    name = (path + "\0").encode("utf-16-le")
    body = struct.pack("<I", len(path) + 1) + name + struct.pack("<II", MINI, 0)
    place, = glob.glob(f"{t.dir}/dotnet-diagnostic-{pid}-*-socket")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60 * drive.TIME)
        client.connect(place)
        client.sendall(MAGIC + struct.pack("<HBBH", 20 + len(body), *DUMP, 0)
                       + body)
        answer = client.recv(24, socket.MSG_WAITALL)
    return struct.unpack_from("<i", answer, 20)[0]


class Dumped:
    """A program below `dndbg run` that echoes lines, of which a client has had
    a dump."""

    def __init__(self, t):
        self.t = t
        words = t.program("Signals", "stdin", host="dotnet")
        self.process = subprocess.Popen(
            [t.dndbg, "run", "--json", f"{t.dir}/json", "--", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            stderr=subprocess.DEVNULL, cwd=t.dir,
            env={**t.env, **STEADY, "TMPDIR": t.dir})
        self.echoes("first")
        self.pid, = t.processes("dotnet")
        path = f"{t.dir}/core"
        t.check_equal(0, ask_for_dump(t, self.pid, path))
        t.check_in("Signals.Program.Stdin", t.run("stack", path).stdout)

    def echoes(self, line):
        self.process.stdin.write(line + "\n")
        while self.process.stdout.readline() != line.upper() + "\n":
            self.t.check_equal(None, self.process.poll())

    def end(self):
        self.process.stdin.close()
        return self.process.wait(60 * drive.TIME)


def test_alive(t):
    """It goes on, and dndbg looks at it again."""
    dumped = Dumped(t)
    dumped.echoes("second")
    with open(f"/proc/{dumped.pid}/status") as file:
        t.check_in(f"TracerPid:\t{dumped.process.pid}\n", file.read())
    t.check_equal(0, dumped.end())
    t.check(not os.path.exists(f"{t.dir}/json")
            or not reports(f"{t.dir}/json"), "there is a report")


def test_alive_children(t):
    """What a shell starts that it has started before is looked at."""
    script = f"{t.dir}/script"
    with open(script, "w") as file:
        file.write("#!/bin/sh\nwhile ! [ -e go ]; do sleep 0.05; done\n"
                   + shlex.join(throws(t, "unhandled-inner")))
    os.chmod(script, 0o755)
    process = subprocess.Popen(
        [t.dndbg, "run", "--json", f"{t.dir}/json", "--",
         *t.program("Children", "run", script, host="dotnet")], cwd=t.dir,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**t.env, **STEADY, "TMPDIR": t.dir})
    t.wait_for("the script", lambda: t.processes("script"), 60)
    pid, = t.processes("dotnet")
    t.check_equal(0, ask_for_dump(t, pid, f"{t.dir}/core"))
    with open(f"{t.dir}/go", "w"):
        pass
    t.check_equal(0, process.wait(60 * drive.TIME))
    report, = reports(f"{t.dir}/json")
    t.check_equal("exception", report["kind"])


def test_alive_debugger_killed(t):
    """It ends with dndbg, as before."""
    dumped = Dumped(t)
    dumped.echoes("second")
    dumped.process.kill()
    dumped.process.wait(60 * drive.TIME)
    t.wait_for("the program's end", lambda: ended(dumped.pid), 60)


def test_alive_killed(t):
    """Who has dumped it kills it, as --blame-hang does: the stacks that it had
    are in the report of its end."""
    dumped = Dumped(t)
    os.kill(dumped.pid, signal.SIGKILL)
    t.check_equal(-signal.SIGKILL, dumped.end())
    report, = reports(f"{t.dir}/json")
    t.check_equal(("signal", int(signal.SIGKILL),
                   "Ended by SIGKILL (Killed); the stacks are of the dump "
                   "before it"),
                  (report["kind"], report["signal"], report["cause"]))
    t.check_in("Signals.Program.Stdin",
               [frame["name"] for thread in report["threads"]
                for frame in thread["frames"]])


for test in (test_debugger_killed, test_beside, test_program_killed,
             test_suspend, test_no_dac, test_alive_children,
             test_alive_debugger_killed):
    test.runtimes = ("10",)
