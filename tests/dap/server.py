"""dndbg waits for a client that connects: who may, and what it says first."""
import os
import socket
import stat
import subprocess
import sys

from dapdrive import Client
from drive import TIME
from serving import connect, server


def session(t, process, connection):
    """A whole session over a connection; then the adapter ends."""
    with connection, connection.makefile("rb", buffering=0) as reader, \
            connection.makefile("wb", buffering=0) as writer:
        c = Client(t, stdin=writer, stdout=reader)
        c.launch(t.program("Hello"))
        c.event("exited", exitCode=0)
        c.event("terminated")
        c.ask("disconnect")
        t.check_equal(0, process.wait(20 * TIME))


def test_tcp(t):
    """--server: one client over TCP, then the end."""
    with server(t, "vscode", 0) as (process, where):
        session(t, process, connect(where))


def test_unix(t):
    """A Unix socket that nobody else may connect to, and that goes away."""
    path = f"{t.dir}/socket"
    with server(t, "vscode", path) as (process, where):
        t.check_equal(path, where)
        t.check_equal(0o600, stat.S_IMODE(os.stat(path).st_mode))
        session(t, process, connect(where))
        t.check(not os.path.exists(path), "the socket is left")


test_unix.runtimes = ("10",)


def test_dual_stack(t):
    """A client whose sockets are of IPv6, as Java's are."""
    with server(t, "vscode", 0) as (process, where):
        connection = socket.socket(socket.AF_INET6)
        connection.connect(("::ffff:127.0.0.1", int(where.split(":")[1])))
        session(t, process, connection)


test_dual_stack.runtimes = ("10",)


def test_browser(t):
    """What a web page can send does not use up the adapter that waits, nor
    does a connection that says nothing."""
    message = (b'{"seq":1,"type":"request","command":"initialize",'
               b'"arguments":{"adapterID":"x"}}')
    length = b"Content-Length: %d\r\n" % len(message)
    with server(t, "vscode", 0) as (process, where):
        silent = [connect(where) for _ in range(10)]
        for head in (b"POST / HTTP/1.1\r\nHost: localhost\r\n" + length,
                     b"POST /a:b HTTP/1.1\r\n" + length,
                     length + b"Origin: http://localhost\r\n"):
            with connect(where) as browser:
                browser.sendall(head + b"\r\n" + message)
                t.check_equal(b"", browser.recv(4096))
            t.check_in("refused a client that does not speak the Debug "
                       "Adapter Protocol", process.stderr.readline().decode())
        session(t, process, connect(where))
        for connection in silent:
            connection.close()


test_browser.runtimes = ("10",)

# As another user: connect, and say what comes; the second argument is the port.
STRANGER = """
import encodings.idna, os, socket, sys
os.setuid(65534)
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
    try:
        s.sendall(b'Content-Length: 2\\r\\n\\r\\n{}')
        sys.exit(len(s.recv(100)))
    except ConnectionError:
        sys.exit(0)
"""


def test_other_user(t):
    """Over TCP a process of another user is sent away before it is heard."""
    if os.getuid():
        # only root can be somebody else
        return
    with server(t, "vscode", 0) as (process, where):
        done = subprocess.run([sys.executable, "-c", STRANGER,
                               where.split(":")[1]])
        t.check_equal(0, done.returncode)
        t.check_in("refused a client of another user",
                   process.stderr.readline().decode())
        session(t, process, connect(where))


test_other_user.runtimes = ("10",)
