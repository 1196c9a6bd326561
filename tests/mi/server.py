"""GDB/MI over a connection (--server), as netcoredbg serves it."""
import os
import signal
import socket
import subprocess
import types

import midrive
from drive import TIME, state, tracer_of
from serving import connect, server


class Connected(midrive.Client):
    """A client that was greeted before it said anything."""

    def __init__(self, test, where):
        self.begin(test)
        self.socket = connect(where)
        self.process = types.SimpleNamespace(
            stdin=self.socket.makefile("wb", buffering=0),
            stdout=self.socket.makefile("rb", buffering=0))
        self.prompt()
        test.check_equal(["(gdb)"], [r.line for r in self.records])

    def errors(self):
        return ""

    def leave(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.socket.close()


def test_a_session(t):
    """In netcoredbg's dialect; the program has dndbg's own input, and what it
    prints is told. Then dndbg ends."""
    with server(t, "mi", 0, stdin=subprocess.PIPE) as (process, where):
        c = Connected(t, where)
        c.ask("-file-exec-and-symbols dotnet")
        c.ask("-exec-arguments " + t.program("Busy")[0])
        c.go("-exec-run", "entry-point-hit")
        c.resume("-exec-continue")
        c.find("its output", lambda r: r.name == "message")
        process.stdin.close()
        c.stopped("exited")
        c.write("9-gdb-exit\n")
        c.find("the end", lambda r: r.name == "exit")
        c.prompt()
        t.check_equal(["9^exit", "(gdb)"], [r.line for r in c.records[-2:]])
        t.check_equal(0, process.wait(20 * TIME))
        c.leave()


def test_unix_and_gdb(t):
    """A Unix socket, and gdb's records for who wants them."""
    path = f"{t.dir}/socket"
    with server(t, "mi", path, *t.program("Hello")) as (process, where):
        t.check_equal(path, where)
        c = Connected(t, where)
        c.ask("-gdb-set dialect gdb")
        c.go("-exec-run --start", "breakpoint-hit")
        c.event("thread-group-started", id="i1")
        c.go("-exec-continue", "exited-normally")
        t.check_in("hello world", c.said("@"))
        c.send("-gdb-exit")
        t.check_equal(0, process.wait(20 * TIME))
        c.leave()


test_unix_and_gdb.runtimes = ("10",)


def test_it_is_ended(t):
    """A signal while it waits ends it, and the socket's file goes with it."""
    path = f"{t.dir}/socket"
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        # nohup, or a shell's background
        if signal.getsignal(number) is signal.SIG_IGN:
            continue
        with server(t, "mi", path) as (process, where):
            with connect(where) as silent:
                silent.recv(100)
                process.send_signal(number)
                t.check_equal(-number, process.wait(20 * TIME))
        t.check(not os.path.exists(path), "the socket is left")


test_it_is_ended.runtimes = ("10",)


def test_strangers(t):
    """What says something else, as a browser may be made to, is sent away and
    carries nothing out; who says nothing keeps nobody out."""
    body = (f'-interpreter-exec console "shell touch {t.dir}/done"\n'
            "-gdb-exit\n")
    with server(t, "mi", 0) as (process, where):
        silent = [Connected(t, where) for _ in range(10)]
        for said in ("POST / HTTP/1.1\r\nHost: x\r\n\r\n" + body,
                     "GET /\r\n" + body, "1" * 4000, "x" * 100000,
                     "12 -gdb-exit\n", "quit\n"):
            with connect(where) as stranger:
                try:
                    stranger.sendall(said.encode())
                    stranger.shutdown(socket.SHUT_WR)
                    while stranger.recv(4096):
                        pass
                except OSError:  # it was sent away before it had said all
                    pass
            t.check_in("refused a client that does not speak GDB/MI",
                       process.stderr.readline().decode())
        t.check(not os.path.exists(f"{t.dir}/done"), "it was carried out")
        c = Connected(t, where)
        c.ask("-gdb-version")
        # one is served at a time
        try:
            connect(where)
        except ConnectionRefusedError:
            pass
        else:
            t.check(False, "a second one was served")
        for one in silent + [c]:
            one.leave()
        t.check_equal(0, process.wait(20 * TIME))


test_strangers.runtimes = ("10",)


def test_it_goes(t):
    """A client that floods, does not read and dies: what dndbg attached to
    lives on."""
    busy = t.mi("-i=mi", *t.program("Busy"))
    busy.run_on()
    busy.at = len(busy.records)
    busy.ask("-exec-interrupt")
    busy.stopped()
    pid = t.processes()[0]
    busy.ask("-target-detach")
    with server(t, "mi", 0) as (process, where):
        c = Connected(t, where)
        c.ask(f"-target-attach {pid}")
        c.event("library-loaded")
        c.socket.settimeout(0.2)
        try:
            for _ in range(200):
                c.socket.sendall(b"-thread-info\n" * 1000)
        except (TimeoutError, ConnectionError):
            pass
        c.leave()
        t.check_equal(0, process.wait(20 * TIME))
    t.wait_for("the program to run alone",
               lambda: tracer_of(pid) == 0 and state(pid) in "RS")
    os.kill(pid, signal.SIGKILL)
    t.check_equal(0, busy.quit())


def test_shared_file(t):
    """Output to a file goes behind what others have written to it."""
    path = os.path.join(t.dir, "out")
    with open(path, "wb", buffering=0) as file:
        for words in (["echo", "before"],
                      [t.dndbg, "--interpreter=mi"], ["echo", "after"]):
            subprocess.run(words, input=b"-gdb-exit\n", stdout=file,
                           env=t.env, check=True, timeout=60)
    with open(path) as file:
        text = file.read()
    t.check(text.startswith("before\n") and "^exit\n" in text
            and text.endswith("\nafter\n"), text)


test_shared_file.runtimes = ("10",)
