"""`dndbg run` and signals: what is sent to it is the command's, and so are the
keys of the terminal."""
import fcntl
import json
import os
import re
import signal
import subprocess
import time

import drive
from halfway import DETACH, ptrace, stop_at_read

SHELL = ["sh", "-c"]
# It ends later than dndbg would wait that is to end itself.
ENDS = "trap 'sleep 2; echo got; exit 4' {}; echo up; while :; do sleep 0.1; done"
# Starts a command as a shell does, with the foreground of the terminal, and
# continues it when it has stopped.
JOB = """
import os, signal, subprocess, sys

def front():
    os.setpgrp()
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)

job = subprocess.Popen(sys.argv[1:], preexec_fn=front)
_, status = os.waitpid(job.pid, os.WUNTRACED)
print("stopped", os.WIFSTOPPED(status), flush=True)
os.killpg(job.pid, signal.SIGCONT)
print("status", job.wait(), flush=True)
"""


def run(t, *words):
    return [t.dndbg, "run", "--report", f"{t.dir}/report", "--", *words]


def at_terminal(t, words):
    session = drive.Session(words, t.env, t.dir)
    t.sessions.append(session)
    return session


def test_sent(t):
    """Each is passed on, and the command has the time that it takes."""
    numbers = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM,
               signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGCONT]
    all_of_them = [subprocess.Popen(
        run(t, *SHELL, ENDS.format(number.name.removeprefix("SIG"))),
        env=t.env, cwd=t.dir, stdout=subprocess.PIPE, text=True,
        start_new_session=True) for number in numbers]
    for number, process in zip(numbers, all_of_them):
        t.check_equal("up\n", process.stdout.readline())
        process.send_signal(number)
    for number, process in zip(numbers, all_of_them):
        with process:
            t.check_equal((number, "got\n"), (number, process.stdout.read()))
        t.check_equal((number, 4), (number, process.returncode))


def test_group(t):
    """What the command and its children send to their group comes once, also
    of those that are gone at once."""
    words = run(t, f"{drive.BUILT}/Native/Family", "group")
    with drive.Process(words, env=t.env, cwd=t.dir, text=True,
                       stdout=subprocess.PIPE,
                       start_new_session=True) as process:
        t.check_equal("up\n", process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        t.check_equal("50 by children, 1 by itself\n",
                      process.stdout.read())
    t.check_equal(5, process.returncode)


# Each signal that it gets is a line; SIGTERM, which comes after those of lower
# numbers that were sent before, ends it.
COUNTS = """
import signal
wanted = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM]
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
print("up", flush=True)
while (number := signal.sigwait(wanted)) != signal.SIGTERM:
    print(number.name, flush=True)
"""


def test_to_group(t):
    """What somebody else sends to the group comes once, and what is sent to
    dndbg alone is passed on."""
    with drive.Process(run(t, "python3", "-c", COUNTS), env=t.env, cwd=t.dir,
                       stdout=subprocess.PIPE, text=True,
                       start_new_session=True) as process:
        t.check_equal("up\n", process.stdout.readline())
        lines = []
        for _ in range(20):
            os.killpg(process.pid, signal.SIGUSR1)
            lines.append(process.stdout.readline())
            process.send_signal(signal.SIGUSR2)
            lines.append(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        lines += process.stdout
    t.check_equal(["SIGUSR1\n", "SIGUSR2\n"] * 20, lines)
    t.check_equal(0, process.returncode)


def of_group(group):
    """Processes by number: what names them."""
    names = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            if os.getpgid(pid) == group:
                with open(f"/proc/{pid}/comm") as comm, \
                        open(f"/proc/{pid}/cmdline") as line:
                    names[pid] = comm.read() + line.read()
        except (FileNotFoundError, ProcessLookupError):
            pass
    return names


def test_by_name(t):
    """What is sent to all that are called dndbg is passed on: no other process
    of the group is."""
    def named():
        return {pid: "dndbg" in text
                for pid, text in of_group(process.pid).items()}

    with drive.Process(run(t, "python3", "-c", COUNTS), env=t.env, cwd=t.dir,
                       stdout=subprocess.PIPE, text=True,
                       start_new_session=True) as process:
        t.check_equal("up\n", process.stdout.readline())
        try:
            t.wait_for("two processes of another name", lambda: sorted(
                named().values()) == [False, False, True])
            # any other first: dndbg asks what that was sent
            for pid in sorted((pid for pid, yes in named().items() if yes),
                              key=lambda pid: pid == process.pid):
                os.kill(pid, signal.SIGUSR1)
        finally:
            process.send_signal(signal.SIGTERM)
        t.check_equal(["SIGUSR1\n"], process.stdout.readlines())


def test_own_group(t):
    """One of the group may mean dndbg alone: "kill $!" in a script."""
    ends = "trap 'echo got; exit 4' TERM; echo up; while :; do sleep 0.1; done"
    with drive.Process(run(t, *SHELL, ends), env=t.env, cwd=t.dir,
                       stdout=subprocess.PIPE, text=True) as process:
        t.check_equal("up\n", process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        t.check_equal("got\n", process.stdout.read())
    t.check_equal(4, process.returncode)


def has_open(pid, path):
    """Has a process a file open?"""
    folder = f"/proc/{pid}/fd"
    return any(os.path.realpath(f"{folder}/{fd}") == os.path.realpath(path)
               for fd in os.listdir(folder))


def test_reporting(t):
    """A signal that comes while a report is made waits until it is written."""
    fifo = f"{t.dir}/fifo"
    os.mkfifo(fifo)
    words = ["sh", "-c", "trap 'echo got; exit 4' TERM; echo up; \"$@\"", "sh",
             *t.program("Throws", "unhandled", host="dotnet")]
    # it is full: whoever writes waits until somebody reads
    full = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    filler = os.write(full, bytes(fcntl.fcntl(full, fcntl.F_GETPIPE_SZ)))
    with drive.Process([t.dndbg, "run", "--report", fifo, "--", *words],
                       env=t.env, cwd=t.dir, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, text=True,
                       start_new_session=True) as process:
        try:
            t.check_equal("up\n", process.stdout.readline())
            t.wait_for("a report that is written",
                       lambda: has_open(process.pid, fifo))
            process.send_signal(signal.SIGTERM)
        finally:
            reader = os.open(fifo, os.O_RDONLY)
            os.close(full)
        with open(reader) as file:
            report = file.read()
        t.check_in("nobody catches", report[filler:])
        t.check_equal("got\n", process.stdout.read())
    t.check_equal(4, process.returncode)


# A program with many threads, which takes no notice of what asks it to end.
ABORTS = """
import os, signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP, signal.SIGTERM])
gate = threading.Event()
for _ in range(500):
    threading.Thread(target=gate.wait, daemon=True).start()
print("up", flush=True)
sys.stdin.read()
os.abort()
"""


def signal_file(pid):
    """The number of the file that a process reads SIGTERM from (signalfd)."""
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}") as file:
            mask = re.search(r"^sigmask:\t(\w+)$", file.read(), re.M)
        if mask and int(mask[1], 16) >> signal.SIGTERM - 1 & 1:
            return int(fd)
    raise drive.Failure(f"process {pid} has no such file")


def test_hurry(t):
    """Who asks the command twice to end while a report is made does not wait
    for all of it."""
    path = f"{t.dir}/all"
    with drive.Process([t.dndbg, "run", "--json", path, "--", "python3",
                           "-c", ABORTS], env=t.env, cwd=t.dir, text=True,
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL,
                       start_new_session=True) as process:
        t.check_equal("up\n", process.stdout.readline())
        # while a report is made it looks between two threads what was sent
        stop_at_read(process.pid, signal_file(process.pid),
                     process.stdin.close)
        for number in signal.SIGHUP, signal.SIGTERM:
            process.send_signal(number)
        ptrace(DETACH, process.pid)
    t.check_equal(-signal.SIGABRT, process.returncode)
    with open(path) as file:
        report, = json.load(file)
    t.check_equal(501, len(report["threads"]))
    t.check_match("abort", " ".join(f["name"] for f in
                                    report["threads"][0]["frames"]))
    t.check_in("asked to end twice", report["threads"][-1].get("error", ""))


def test_inherited(t):
    """What is ignored stays so, and nothing else is."""
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    words = ["grep", "Sig[BI]", "/proc/self/status"]
    bare, done = (subprocess.run(
        one, env=t.env, cwd=t.dir, capture_output=True, text=True,
        preexec_fn=ignore, check=True) for one in (words, run(t, *words)))
    t.check_equal(bare.stdout, done.stdout)
    t.check_match(r"^SigIgn:\s+[0-9a-f]+[2367abef]$", done.stdout)


def test_interrupt(t):
    """Ctrl-C at the terminal: the command alone has a say, and no report is
    made of it."""
    s = at_terminal(t, run(t, *SHELL, ENDS.format("INT")))
    s.expect("^up")
    s.send("\x03")
    s.expect("got")
    t.check_equal(4, s.wait())
    s = at_terminal(t, run(t, *SHELL, "echo up; exec sleep 1000"))
    s.expect("^up")
    s.send("\x03")
    t.check_equal(-signal.SIGINT, s.wait())
    t.check(not os.path.exists(f"{t.dir}/report"), "a report")


def test_stopped(t):
    """While dndbg itself is stopped, or gets no processor, what the command does
    is not known: that is no hang."""
    process = subprocess.Popen(
        [t.dndbg, "run", "--hang", "6", "--", *SHELL,
         "echo up; read line; echo $line; exit 6"], env=t.env, cwd=t.dir,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        start_new_session=True)
    t.check_equal("up\n", process.stdout.readline())
    begin = time.monotonic()
    # it looks for the first time, and is stopped for longer than a hang
    for seconds, number in (2, signal.SIGSTOP), (9, signal.SIGCONT):
        t.wait_for("the time", lambda: time.monotonic() > begin + seconds)
        process.send_signal(number)
    # it has looked, and waits again
    t.wait_for("dndbg to wait", lambda: drive.state(process.pid) == "S")
    t.check_equal(("on\n", None), process.communicate("on\n"))
    t.check_equal(6, process.returncode)


def test_suspend(t):
    """Ctrl-Z stops dndbg with the command, for the shell that waits; both are
    continued."""
    s = at_terminal(t, ["python3", "-c", JOB,
                        *run(t, *SHELL, "echo up; read line; exit 6")])
    s.expect("^up")
    s.send("\x1a")
    s.expect("stopped True")
    s.line("on")
    s.expect("^status 6")
    s.wait()


for test in (test_sent, test_group, test_to_group, test_by_name,
             test_own_group, test_reporting, test_hurry, test_inherited, test_interrupt,
             test_stopped, test_suspend):
    test.runtimes = ("10",)
