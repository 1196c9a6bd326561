"""What a program says to its debugger: System.Diagnostics.Debugger."""
import os
import shutil
import subprocess

import drive

LINES = ("to debug \u00e4\u20ac\n", "no line end\n", "to trace\n",
         "Asking Warning: 0 : a warning\n", "category: a message\n",
         "bare \u00e4\n")


def start(t, *args):
    """The program by itself, to be attached to."""
    words = t.program("Asking", *args)
    dotnet = shutil.which("dotnet", path=t.env["PATH"])
    return subprocess.Popen([dotnet, *words], env=t.env, cwd=t.dir, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            start_new_session=True)


def test_output(t):
    """What is written to Debug, Trace and Debugger.Log is shown, in order, and
    a text without end is cut."""
    for config in "Debug", "Release":
        out = t.batch(["run"], t.program("Asking", "write", config=config)).stdout
        at = 0
        for line in LINES:
            found = out.find(line, at)
            t.check(found >= 0, f"{line!r} is not behind the others:\n{out}")
            at = found + len(line)
        t.check_match(r"^x{60000,99999}\.\.\.$", out)
        t.check_in("written\n", out)


def test_attached(t):
    """A program that is debugged knows it, from its first line on."""
    for config in "Debug", "Release":
        out = t.batch(["run"],
                      t.program("Asking", "attached", config=config)).stdout
        t.check_in("attached True\nlaunched True\nattached True\n", out)


def test_waits_for_debugger(t):
    """One that waits for a debugger goes on when we attach, and knows when we
    have left."""
    program = start(t, "attached")
    try:
        t.check_equal("attached False\n", program.stdout.readline())
        out = t.run("--batch", "-ex", f"attach {program.pid}",
                    "-ex", f"break {t.at('Asking', 'attached')}",
                    "-ex", "continue", "-ex", "detach").stdout
        t.check_in("Breakpoint 1, Asking.Program.Attached", out)
        t.check_equal(("launched True\nattached False\n", None),
                      program.communicate(timeout=60 * drive.TIME))
        t.check_equal(0, program.returncode)
    finally:
        program.kill()
        program.wait()


def test_unseen_asking_is_free(t):
    """Below `dndbg run` nothing stops for Debugger.IsAttached, which the
    framework's own async methods ask for: fewer changes of context than
    calls."""
    calls = 100000
    process = subprocess.Popen(
        [t.dndbg, "run", "--",
         *t.program("Asking", "poll", str(calls), host="dotnet")],
        env=t.env, cwd=t.dir, text=True, stdout=subprocess.PIPE)
    out = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    t.check_equal(("yes 0\n", 0), (out, process.returncode))
    t.check(usage.ru_nvcsw < calls / 2, f"{usage.ru_nvcsw} changes of context")


def test_threads_break(t):
    """Threads that break at the same time stop one after the other."""
    words = t.program("Asking", "threads")
    out = t.batch(["run", *["continue"] * 100], words).stdout
    t.check_equal(100, out.count("\nProgram called Debugger.Break.\n"))
    t.check_equal(100, out.count(t.at("Asking", "thread") + "\n"))
    t.check_in("breaks 100\n", out)


def test_let_go_while_breaking(t):
    """A program that does nothing but break survives whoever attaches and
    detaches."""
    program = start(t, "loop")
    try:
        t.check_equal("ready\n", program.stdout.readline())
        for _ in range(3):
            out = t.run("--batch", "-ex", f"attach {program.pid}",
                        "-ex", "continue", "-ex", "continue",
                        "-ex", "detach").stdout
            t.check_equal(2, out.count("Program called Debugger.Break."))
        out, _ = program.communicate(timeout=60 * drive.TIME)
        t.check_equal("done True\n", out)
        t.check_equal(0, program.returncode)
    finally:
        program.kill()
        program.wait()
