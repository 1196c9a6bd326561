"""`dndbg run --output-lines`: the last lines of output are in the reports, and
the output arrives as without it."""
import fcntl
import json
import os
import pty
import signal
import socket
import struct
import subprocess
import termios

import drive

RUN = 60 * drive.TIME


def unread(pipe):
    """The bytes that lie in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"1234"))[0]


def run(t, n, script, *args, **more):
    """`dndbg run --output-lines N` around a shell's script, and its reports."""
    path = f"{t.dir}/report.json"
    done = subprocess.run(
        [t.dndbg, "run", "--output-lines", str(n), "--json", path,
         "--report", f"{t.dir}/report", "--", "sh", "-c", script, "sh", *args],
        env=t.env, cwd=t.dir, timeout=RUN, start_new_session=True, **more)
    reports = []
    if os.path.exists(path):
        with open(path) as file:
            reports = json.load(file)
    return done, reports


def test_crash(t):
    """The end of both outputs, in their order; a colour is no text."""
    program = t.program("Throws", "unhandled", host="dotnet")
    script = """seq 2000; printf '\\033[31mred\\033[0m\\n'; echo error >&2
                echo again; exec "$@" 2>/dev/null"""
    done, reports = run(t, 4, script, *program, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True)
    t.check_equal(-signal.SIGABRT, done.returncode)
    t.check_equal("".join(f"{n}\n" for n in range(1, 2001)) +
                  "\033[31mred\033[0m\nerror\nagain\n", done.stdout)
    t.check_equal(["2000", "red", "error", "again"], reports[0]["output"])
    with open(f"{t.dir}/report") as file:
        t.check_in("Last lines of output:\n  2000\n  red\n  error\n  again\n",
                   file.read())


def test_killed(t):
    """There is nothing else to show of what was killed."""
    done, reports = run(t, 10, "echo one; echo two >&2; kill -9 $$",
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    t.check_equal((-signal.SIGKILL, b"one\n", b"two\n"),
                  (done.returncode, done.stdout, done.stderr))
    t.check_equal(["one", "two"], sorted(reports[0]["output"]))


test_killed.runtimes = ("10",)


def test_left_running(t):
    """What goes on without the command and dndbg loses none of its output, and
    nothing of ours stays when it has ended."""
    gate = f"{t.dir}/gate"
    os.mkfifo(gate)
    read, write = os.pipe()
    script = '(read word <"$1"; echo "late $word"; echo more >&2) & echo early'
    done, _ = run(t, 10, script, gate, stdin=subprocess.DEVNULL, stdout=write,
                  stderr=write)
    os.close(write)
    t.check_equal(0, done.returncode)
    with open(gate, "w") as file:
        file.write("words\n")
    with os.fdopen(read, "rb") as output:
        t.check_equal(b"early\nlate words\nmore\n", output.read())
    t.wait_for("the end of all", lambda: not drive.tagged(t.tag))


test_left_running.runtimes = ("10",)


def test_unread(t):
    """Who does not read the one output gets the other, and the reports have the
    end of both."""
    path = f"{t.dir}/report.json"
    script = """seq 100000 & read word; echo ready >&2
                read word; kill $!; wait; kill -9 $$"""
    with drive.Process(
            [t.dndbg, "run", "--output-lines", "2", "--json", path, "--report",
             f"{t.dir}/report", "--", "sh", "-c", script], env=t.env,
            cwd=t.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True) as process:
        t.wait_for("a pipe that is full",
                   lambda: unread(process.stdout) > 1 << 15)
        process.stdin.write(b"go\n")
        process.stdin.flush()
        t.check_equal(b"ready\n", process.stderr.readline())
        process.stdin.write(b"go\n")
        process.stdin.flush()
        t.check_equal(-signal.SIGKILL, process.wait(RUN))
        # what seq had written when it could not go on
        with open(path) as file:
            report, = json.load(file)
        whole, _ = report["output"]
        t.check_equal(f"{whole}\n".encode(),
                      process.stdout.read().splitlines(keepends=True)[-2])


test_unread.runtimes = ("10",)


def test_slow_reader(t):
    """The last lines are in the report before anybody reads them."""
    path = f"{t.dir}/report.json"
    with drive.Process(
            [t.dndbg, "run", "--output-lines", "2", "--json", path, "--report",
             f"{t.dir}/report", "--", "sh", "-c", "seq 20000; kill -9 $$"],
            env=t.env, cwd=t.dir, stdout=subprocess.PIPE,
            start_new_session=True) as process:
        t.check_equal(-signal.SIGKILL, process.wait(RUN))
        with open(path) as file:
            report, = json.load(file)
        t.check_equal(["19999", "20000"], report["output"])
        t.check_equal("".join(f"{n}\n" for n in range(1, 20001)).encode(),
                      process.stdout.read())


test_slow_reader.runtimes = ("10",)


def test_reader_gone(t):
    """Who reads the output does so no more: the command is told by SIGPIPE."""
    read, write = os.pipe()
    os.close(read)
    near, far = socket.socketpair()
    far.close()
    for fd in write, near.fileno():
        done, _ = run(t, 10, "exec yes", stdout=fd, stderr=subprocess.PIPE)
        os.close(fd)
        t.check_equal((-signal.SIGPIPE, b""), (done.returncode, done.stderr))
    near.detach()
    t.wait_for("the end of all", lambda: not drive.tagged(t.tag))


test_reader_gone.runtimes = ("10",)


def test_terminal(t):
    """A terminal is the command's own, what does not go there is kept."""
    ours, theirs = pty.openpty()
    script = """test -t 1 && echo terminal; test -t 2 || echo none >&2
                kill -9 $$"""
    done, reports = run(t, 10, script, stdin=theirs, stdout=theirs,
                        stderr=subprocess.PIPE)
    os.close(theirs)
    t.check_equal(b"terminal\r\n", os.read(ours, 100))
    os.close(ours)
    t.check_equal(b"none\n", done.stderr)
    t.check_equal(["none"], reports[0]["output"])


test_terminal.runtimes = ("10",)


def test_refused(t):
    for words in (["--output-lines", "0"], ["--output-lines", "1001"],
                  ["--output-lines", "all"]):
        done = subprocess.run([t.dndbg, "run", *words, "--", "true"],
                              capture_output=True, text=True, timeout=RUN)
        t.check_equal((2, f"dndbg: '{words[1]}' is no number of lines from 1 "
                          "to 1000\n"), (done.returncode, done.stderr))
    for words, said in ((["--no-such"], "dndbg run: unrecognized option "
                         "'--no-such'\n"), ([], "dndbg: no command is named\n")):
        done = subprocess.run([t.dndbg, "run", *words], capture_output=True,
                              text=True, timeout=RUN)
        t.check_equal((2, said + "Try 'dndbg run --help'.\n"),
                      (done.returncode, done.stderr))


test_refused.runtimes = ("10",)
