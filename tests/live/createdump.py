"""createdump below `dndbg run`: the runtime starts it to have the program dumped
at a crash (DOTNET_DbgEnableMiniDump, `dotnet test --blame-crash`) or when a
client asks for it (`dotnet-dump collect`, --blame-hang). It needs to trace what
dndbg traces."""
import glob
import json
import os
import re
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


def test_program_killed(t):
    """The program is killed while createdump has it, and does not end: there is
    a report, and the command's status."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    process = subprocess.Popen(
        [t.dndbg, "run", "--json", f"{t.dir}/json", "--",
         *throws(t, "unhandled-inner")], cwd=t.dir, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**t.env, **crash_settings(path, "mini")})
    t.wait_for("the pipe", lambda: any(map(opens_pipe,
                                           t.processes("createdump"))), 60)
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
if os.WIFSTOPPED(status):
    os.killpg(job.pid, signal.SIGCONT)
    _, status = os.waitpid(job.pid, 0)
print("status", os.waitstatus_to_exitcode(status), flush=True)
"""


def has_pending(pid, number):
    with open(f"/proc/{pid}/status") as file:
        pending, = re.findall(r"^ShdPnd:\s*(\w+)$", file.read(), re.M)
    return int(pending, 16) >> (number - 1) & 1


def test_suspend(t):
    """Ctrl-Z while createdump works: it comes to its end. Then dndbg stops for
    the shell that waits, unless the program has died by then."""
    path = f"{t.dir}/fifo"
    os.mkfifo(path)
    env = {**t.env, **crash_settings(path, "mini")}
    session = drive.Session(
        ["python3", "-c", JOB, t.dndbg, "run", "--json", f"{t.dir}/json", "--",
         *throws(t, "unhandled-inner")], env, t.dir)
    t.sessions.append(session)
    t.wait_for("the pipe", lambda: any(map(opens_pipe,
                                           t.processes("createdump"))), 60)
    session.send("\x1a")
    t.wait_for("the key", lambda: any(has_pending(pid, signal.SIGTSTP) for pid
                                      in t.processes("dndbg")), 60)
    subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True,
                   timeout=60 * drive.TIME)
    session.expect("^status -6")
    session.wait()
    report, = reports(f"{t.dir}/json")
    t.check_equal("exception", report["kind"])


def test_no_dac(t):
    """What cannot be read before createdump cannot be behind it either: the
    report has native frames."""
    root = f"{t.dir}/root"
    shutil.copytree(t.env["DOTNET_ROOT"] + "/", root, symlinks=True)
    dac, = glob.glob(f"{root}/shared/Microsoft.NETCore.App/*/libmscordaccore.so")
    os.remove(dac)
    done = command(t, throws(t, "unhandled-inner"), "--json", f"{t.dir}/json",
                   env={**crash_settings(f"{t.dir}/core", "mini"),
                        "DOTNET_ROOT": root,
                        "PATH": f"{root}:{t.env['PATH']}"})
    report, = reports(f"{t.dir}/json")
    t.check_equal((-signal.SIGABRT, "signal", int(signal.SIGABRT)),
                  (done.returncode, report["kind"], report["signal"]))


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


for test in test_program_killed, test_suspend, test_no_dac:
    test.runtimes = ("10",)
