"""Clients that do not keep to the grammar, die or flood."""
import os
import signal
import threading

from drive import state, tracer_of


def test_garbage(t):
    """Every line is answered, and the session goes on."""
    c = t.mi()
    lines = [b"-", b"901-", b"--", b"99999999999999999999999999-gdb-version",
             b"-break-insert", b'-break-insert "', b'-break-insert "a"b',
             b"-thread-select \xff\xfe", b"\x00\x01\x02", b"-gdb-set",
             b"-exec-next", b"-stack-list-frames", b"-data-evaluate-expression",
             b"-interpreter-exec console", b"-interpreter-exec lua x",
             b"-gdb-show no-such-setting", b"-break-delete x",
             b"-break-delete 4294967296", b"-break-after 1", b"-exec-step -1",
             b"-thread-info --thread", b"-exec-run --frob", b'"', b"\\",
             b"-gdb-set dialect french", b"-break-watch", b"-break-commands 7",
             b"-target-attach 0", b"-target-select frob x", b"=done", b"^done"]
    for line in lines:
        start = len(c.records)
        c.write(line + b"\n")
        c.until(repr(line), lambda: any(
            r.kind == "(gdb)" for r in c.records[start:]))
        results = [r for r in c.records[start:] if r.kind == "^"]
        t.check_equal(1, len(results))
    t.check_equal(0, c.quit())


def test_long_line(t):
    """A line that never ends is refused once; what follows it is read."""
    c = t.mi()
    for _ in range(40):
        c.write(b"x" * 100000)
    c.write(b"\n")
    c.find("the refusal", lambda r: r.name == "error")
    c.ask("-gdb-version")
    t.check_equal(0, c.quit())


def test_flood(t):
    """A client that asks and does not read makes nothing grow."""
    c = t.mi()
    many = 20000
    writer = threading.Thread(target=c.write, args=(
        b"-list-features\n" * many + b"777-gdb-version\n",))
    writer.start()
    c.find("the end", lambda r: r.token == "777", 60)
    writer.join()
    t.check_equal(many, sum(r.kind == "^" and r.name == "done"
                            for r in c.records) - 1)
    t.check_equal(0, c.quit())


def test_it_goes(t):
    """The client dies at a stop: what was started ends, what was attached to
    goes on."""
    c = t.mi("-i=mi", *t.program("Hello"))
    c.go("-exec-run --start", "breakpoint-hit")
    pid = t.processes()[0]
    c.process.stdin.close()
    t.check_equal(0, c.wait())
    t.wait_gone(pid)
    c = t.mi("-i=mi", *t.program("Busy"))
    c.run_on()
    c.at = len(c.records)
    c.ask("-exec-interrupt")
    c.stopped()
    pid = t.processes()[0]
    c.ask("-target-detach")
    d = t.mi("-i=mi", "-p", str(pid))
    d.until("the attach", lambda: any(r.name == "stopped" for r in d.records))
    os.kill(d.pid, signal.SIGKILL)
    d.wait()
    # what cleans up behind the dead one traces it for a moment
    t.wait_for("the program to run alone",
               lambda: tracer_of(pid) == 0 and state(pid) in "RS")
    os.kill(pid, signal.SIGKILL)
    t.check_equal(0, c.quit())
