"""The program is stopped while it is watched, by a breakpoint of the prompt that
watches it or by a signal: the watching ends soon, with what was seen or a
sentence, and what it began in the program ends when that goes on."""
import json
import os
import re
import signal
import subprocess
import time

import drive
from watched import Watched, Watching

WATCHES = ("sample", "events gc", "events exceptions", "counters",
           "doctor", "doctor --json")
LATE = r"dndbg: process \d+ is stopped: what it had not told yet is missing\n"
EARLY = r"dndbg: process \d+ is stopped, by a (debugger|signal; SIGCONT lets it "\
        r"go on): (there is nothing to sample|its runtime answers when it goes " \
        r"on)\n"


def is_over(t, program):
    t.wait_for("the guardian's end", lambda: not t.processes("dndbg-guardian"))
    t.wait_for("the end of the traces", lambda: program.threads() == program.idle)


def watched_until_hit(t, program, words, crossings):
    """The command at the prompt, amid which a breakpoint is hit."""
    done = t.run("-q", "-n", "--batch", "-p", str(program.pid),
                 "-ex", "break Watched.Program.SpinLess",
                 "-ex", f"ignore 1 {crossings}", "-ex", "echo --watch\\n",
                 "-ex", f"{words} --seconds 600",
                 "-ex", "echo --end\\n", "-ex", "info symbol $pc")
    out = re.search(r"--watch\n(.*)--end\n(.*)", done.stdout, re.S)
    t.check_match(r"^Watched\.Program\.SpinLess\(\)", out[2])
    t.check_match(f"^({LATE}|{EARLY})?$", done.stderr)
    return out[1], done.stderr


def check_told(t, program, words, out, err):
    """The stop, and what was seen, or the sentence that says why nothing was."""
    if "--json" in words:
        t.check(not json.loads(out)["findings"] or err or "watched" in out, out)
        return
    t.check_in("\nBreakpoint 1, Watched.Program.SpinLess () at ", "\n" + out)
    if words == "doctor":
        t.check_match(r"(?m)^(Nothing was found: |Weight +Finding$)", out)
    elif not re.search(EARLY, err):
        t.check_match(rf"(?m)^Process {program.pid}, .*, interrupted", out)


def test_hit(t):
    """At once, and after some time."""
    program = Watched(t)
    program.do("load 0")
    program.do("keep")
    for words in WATCHES:
        for crossings in 1, 100:
            out, err = watched_until_hit(t, program, words, crossings)
            check_told(t, program, words, out, err)
    is_over(t, program)
    program.do("gc")
    program.end()


def test_stopped(t):
    """Ctrl-C while a signal has stopped it: what was told is shown."""
    program = Watched(t)
    for words in ("events", "gc"), ("events", "exceptions"), ("counters",):
        watching = Watching(t, program, *words)
        os.kill(program.pid, signal.SIGSTOP)
        t.wait_for("the stop", lambda: drive.state(program.pid) == "T")
        watching.process.send_signal(signal.SIGINT)
        out, err = watching.end()
        t.check_match(rf"^Process {program.pid}, .*, interrupted", out)
        t.check_match(f"^{LATE}$", err)
        os.kill(program.pid, signal.SIGCONT)
        t.check_match(r"^\d+ \d+ \d+$", program.do("gc"))
    is_over(t, program)
    program.end()


def test_any_moment(t):
    """It is stopped at whatever moment of a watch."""
    program = Watched(t)
    words = ("events", "gc"), ("counters",), ("doctor",), ("sample",)
    for i in range(24):
        watching = subprocess.Popen(
            [t.dndbg, *words[i % 4], "--seconds", "0.2", str(program.pid)],
            env=t.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(i * 0.004)  # the moment; nothing is waited for
        os.kill(program.pid, signal.SIGSTOP)
        out, err = drive.ending(watching, 60)
        os.kill(program.pid, signal.SIGCONT)
        t.check_match(f"^({LATE}|{EARLY})?$", err)
        t.check(out or re.search(EARLY, err), (out, err))
    t.check_match(r"^\d+ \d+ \d+$", program.do("gc"))
    is_over(t, program)
    program.end()
