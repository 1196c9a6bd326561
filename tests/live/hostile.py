"""Files and programs that mean harm: dndbg is neither held up nor misled."""
import os
import re
import signal

import drive

PROMPT = "^" + re.escape(drive.PROMPT)
EDITING = {"TERM": "xterm", "NO_COLOR": "1"}


def wait_open(t, pid, path):
    """Until the process has the file open."""
    def is_open():
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                if os.readlink(f"/proc/{pid}/fd/{fd}") == path:
                    return True
            except OSError:
                continue
        return False
    t.wait_for(f"process {pid} to open {path}", is_open)


def one_runtime(test):
    test.runtimes = ("10",)
    return test


def state_of(t):
    directory = f"{t.dir}/state/dndbg"
    os.makedirs(directory, exist_ok=True)
    return directory, {**EDITING, "XDG_STATE_HOME": f"{t.dir}/state"}


@one_runtime
def test_fifo_at_start(t):
    """Pipes where dndbg keeps its own files: the prompt comes all the same,
    and SIGTERM ends it."""
    state, env = state_of(t)
    os.mkfifo(f"{state}/history")
    os.mkfifo(f"{t.dir}/.editrc")
    s = t.start(env=env)
    t.check_in("No history is kept: ", s.text)
    t.check_in("/history' is not a regular file.", s.text)
    t.check_in("still here", s.cmd("echo still here\\n"))
    s.signal(signal.SIGTERM)
    t.check_equal(1, s.wait())


@one_runtime
def test_fifo_named(t):
    """A pipe that nobody writes or reads, wherever a file is named."""
    fifo = f"{t.dir}/pipe"
    os.mkfifo(fifo)
    s = t.start("--args", *t.program("Hello"))
    for command, wanted in (
            (f"source {fifo}", ""),
            (f"set log {fifo}", "No such device or address"),
            ("b Main", "Breakpoint 1"),
            (f"save breakpoints {fifo}", "No such device or address"),
            (f"set log {t.dir}", "is not a regular file"),
            (f"source {t.dir}", "is not a regular file")):
        text = s.cmd(command)
        t.check(text.count("\n") <= 1 and wanted in text,
                f"{command}: {text}")
    done = t.run("--batch", "-x", fifo, "-ex", "echo on\\n")
    t.check_equal("on\n", done.stdout)
    done = t.run("--batch", "-ex", "run", fifo, timeout=20)
    t.check_equal(1, done.stderr.count("\n"))


@one_runtime
def test_source_of_pipe(t):
    """Commands of a pipe, as the shell's <(...), are waited for; Ctrl-C and
    SIGTERM end the wait."""
    fifo = f"{t.dir}/pipe"
    os.mkfifo(fifo)
    s = t.start()
    writer = os.open(fifo, os.O_RDWR)
    s.line(f"source {fifo}")
    wait_open(t, s.pid, fifo)
    s.interrupt()
    t.check_in("Quit", s.expect(PROMPT))
    s.line(f"source {fifo}")
    wait_open(t, s.pid, fifo)
    os.write(writer, b"echo one\\n\necho two\\n\n")
    os.close(writer)
    t.check_in("one\ntwo\n", s.expect(PROMPT))
    writer = os.open(fifo, os.O_RDWR)
    s.line(f"source {fifo}")
    wait_open(t, s.pid, fifo)
    s.signal(signal.SIGTERM)
    t.check_equal(1, s.wait())
    os.close(writer)


@one_runtime
def test_run_with_pipe(t):
    """A program whose input is a pipe that nobody writes waits for it, as in
    a shell; dndbg does not."""
    fifo = f"{t.dir}/pipe"
    os.mkfifo(fifo)
    s = t.start("--args", *t.program("Hello"))
    s.line(f"run < {fifo}")
    t.wait_for("the program", t.processes)
    s.signal(signal.SIGTERM)
    # Its end is not waited for.
    t.check_equal(128 + signal.SIGTERM, s.wait())
    t.wait_for("the program to be gone", lambda: not t.processes())


@one_runtime
def test_history_by_link(t):
    """The history is not written through a link, nor into what is not the
    user's own, nor lost when it cannot be written."""
    state, env = state_of(t)
    other = f"{t.dir}/precious"
    with open(other, "w") as file:
        file.write("keep me\n")
    os.chmod(other, 0o644)
    os.symlink(other, f"{state}/history")
    s = t.start(env=env)
    t.check_in("/history' is a symbolic link.", s.text)
    s.line("quit")
    t.check_equal(0, s.wait())
    with open(other) as file:
        t.check_equal("keep me\n", file.read())
    t.check_equal(0o644, os.stat(other).st_mode & 0o777)
    t.check_equal(["history"], os.listdir(state))
    # The directory, too.
    os.remove(f"{state}/history")
    os.rename(state, f"{t.dir}/elsewhere")
    os.symlink(f"{t.dir}/elsewhere", state)
    s = t.start(env=env)
    t.check_in("/state/dndbg' is not a directory.", s.text)
    s.line("quit")
    t.check_equal(0, s.wait())
    t.check_equal([], os.listdir(f"{t.dir}/elsewhere"))


@one_runtime
def test_history_of_another(t):
    """As under sudo: the home is another user's, and stays as it is."""
    if os.geteuid():
        return
    home = f"{t.dir}/home"
    os.mkdir(home)
    os.chown(home, 12345, 12345)
    s = t.start(env={**EDITING, "HOME": home})
    t.check_in("would be in a directory of another user.", s.text)
    s.line("quit")
    t.check_equal(0, s.wait())
    t.check_equal([], os.listdir(home))
