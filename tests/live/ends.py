"""However dndbg ends, the launched program ends with it and nothing stays
behind. (That nothing carries the test's tag any more is demanded of every
test; these make sure that there was something to be left.)"""
import os
import signal
import subprocess

import drive
from halfway import STAGES, await_mapping

SLEEPS = "^ready"


def running(t):
    """A session whose program runs, and its pids."""
    s = t.start("--args", *t.program("Signals", "sleep"))
    s.line("run")
    s.expect(SLEEPS)
    return s, t.processes()


def stopped(t):
    s, pids = running(t)
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    return s, pids


def ends(t, s, pids, how):
    """Do it and demand the end of all."""
    t.check_equal(1, len(pids))
    how(s)
    s.wait()
    for pid in pids:
        t.wait_gone(pid)
    t.check_equal({}, drive.tagged(t.tag))


def test_quit(t):
    s, pids = stopped(t)

    def quit(s):
        s.line("quit")
        s.expect(r"\(y or n\) ")
        s.line("y")

    ends(t, s, pids, quit)
    t.check_equal(0, s.wait())


def test_files(t):
    """A program that is killed leaves no files: not those by which its runtime
    serves debuggers and tools, wherever it has them."""
    def files():
        return [name for name in os.listdir(place)
                if name.startswith(("clr-debug-pipe-", "dotnet-diagnostic-"))]
    place = t.env["TMPDIR"] = os.path.join(t.dir, "temporary")
    os.mkdir(place)
    for command in ("kill", "run", "quit"):
        s, _ = stopped(t)
        t.check_equal(3, len(files()))
        s.cmd("set confirm off")
        s.line(command)
        if command == "run":
            s.expect(SLEEPS)
            t.check_equal(3, len(files()))
            s.interrupt()
            s.expect(r"^\(dndbg\) ")
            s.line("detach")
            pid, = t.processes()
            s.expect(r"detached\]")
            t.check_equal(3, len(files()))
            # It may leave them now: that is its own affair.
            os.kill(pid, signal.SIGKILL)
            t.wait_gone(pid)
            for name in files():
                os.unlink(os.path.join(place, name))
        elif command == "kill":
            s.expect(r"killed\]")
        s.line("quit")
        s.wait()
        t.check_equal([], files())


def test_quit_refused(t):
    s, pids = stopped(t)
    s.line("quit")
    s.expect(r"\(y or n\) ")
    s.line("n")
    s.expect(r"^\(dndbg\) ")
    t.check_equal(pids, t.processes())
    t.check_in("Signals.Program.Sleep", s.cmd("bt"))
    ends(t, s, pids, lambda s: s.signal(signal.SIGTERM))


def test_end_of_input(t):
    s, pids = stopped(t)
    ends(t, s, pids, lambda s: s.send("\x04"))


def test_signals(t):
    """SIGTERM, SIGHUP and SIGKILL, stopped and running."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        for begin in (stopped, running):
            s, pids = begin(t)
            ends(t, s, pids, lambda s: s.signal(number))


def test_terminal_closed(t):
    """The window is closed, stopped and running."""
    def close(s):
        os.close(s.master)
        s.master = -1
        # No terminal any more, so only the process can be awaited.
        s.process.wait(timeout=20 * drive.TIME)

    for begin in (stopped, running):
        s, pids = begin(t)
        t.check_equal(1, len(pids))
        close(s)
        t.wait_gone(pids[0])


def test_killed_at_start(t):
    """Killed without notice at the stages of the start of a program."""
    for stage in ("", "dotnet", *STAGES, "Signals.dll"):
        with drive.Process(
                [t.dndbg, "-ex", "b Main", "-ex", "run", "--args",
                 *t.program("Signals", "sleep")], env=t.env, cwd=t.dir,
                stdout=subprocess.DEVNULL, stdin=subprocess.PIPE,
                start_new_session=True) as process:
            if stage:
                await_mapping(t, stage)
            process.kill()
        t.wait_for("the program's end", lambda: not drive.tagged(t.tag))


def test_batch_ends(t):
    """The end of --batch ends a program that is stopped."""
    done = t.batch(["b Main", "run"], t.program("Signals", "sleep"))
    t.check_in("Breakpoint 1,", done.stdout)
    t.check_equal({}, drive.tagged(t.tag))


def test_batch_end_of_input(t):
    """Commands from a pipe: its end ends dndbg and the program."""
    done = t.run("--args", *t.program("Signals", "sleep"),
                 stdin="b Main\nrun\nbt\n")
    t.check_in("#0  Signals.Program.Main", done.stdout)
    t.check_equal({}, drive.tagged(t.tag))


def test_children_live(t):
    """A child of the program is not the program: it lives on."""
    process = subprocess.Popen(
        [t.dndbg, "--batch", "-ex", "b " + t.at("Signals", "exec"), "-ex",
         "run", "--args", *t.program("Signals", "exec", "/bin/sleep", "1000")],
        env=t.env, cwd=t.dir, stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL, start_new_session=True)
    t.wait_for("the child", lambda: t.processes("sleep"))
    child, = t.processes("sleep")
    # It is looked at once more at its exec.
    t.wait_for("its freedom", lambda: not drive.tracer_of(child))
    process.kill()
    process.wait()
    t.wait_for("the program's end", lambda: t.processes() == [child])
    t.check(drive.state(child) in "SR", "the child is stopped")
    os.kill(child, signal.SIGKILL)


def test_reader_gone(t):
    """A reader that goes away ends dndbg and the program."""
    process = subprocess.Popen(
        [t.dndbg, "--batch", "-ex", "b Main", "-ex", "run",
         *[w for _ in range(2000) for w in ("-ex", "bt")], "--args",
         *t.program("Signals", "sleep")], env=t.env, cwd=t.dir,
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
        start_new_session=True)
    process.stdout.readline()
    process.stdout.close()
    t.wait_for("the end", lambda: process.poll() is not None)
    t.wait_for("the program's end", lambda: not drive.tagged(t.tag))
