"""dndbg waits for a client that connects: who may, and what it says first."""
import os
import socket
import stat
import subprocess
import sys

from dapdrive import Client


def start(t, server):
    """An adapter that waits, and where it says it does."""
    process = subprocess.Popen(
        [t.dndbg, "--interpreter=vscode", f"--server={server}"], env=t.env,
        cwd=t.dir, stderr=subprocess.PIPE, start_new_session=True)
    line = process.stderr.readline().decode()
    where = t.check_match(r"waiting for a client on (\S+)$", line)[1]
    return process, where


def connect(where):
    host, found, port = where.rpartition(":")
    if found:
        return socket.create_connection((host, int(port)))
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(where)
    return connection


def session(t, process, connection):
    """A whole session over a connection; then the adapter ends."""
    with connection, connection.makefile("rb", buffering=0) as reader, \
            connection.makefile("wb", buffering=0) as writer:
        c = Client(t, stdin=writer, stdout=reader)
        c.launch(t.program("Hello"))
        c.event("exited", exitCode=0)
        c.event("terminated")
        c.ask("disconnect")
        t.check_equal(0, process.wait(20))


def end(process):
    process.kill()
    process.wait()
    process.stderr.close()


def test_tcp(t):
    """--server: one client over TCP, then the end."""
    process, where = start(t, 0)
    try:
        session(t, process, connect(where))
    finally:
        end(process)


def test_unix(t):
    """A Unix socket that nobody else may connect to, and that goes away."""
    path = f"{t.dir}/socket"
    process, where = start(t, path)
    try:
        t.check_equal(path, where)
        t.check_equal(0o600, stat.S_IMODE(os.stat(path).st_mode))
        session(t, process, connect(where))
        t.check(not os.path.exists(path), "the socket is left")
    finally:
        end(process)


test_unix.runtimes = ("10",)


def test_dual_stack(t):
    """A client whose sockets are of IPv6, as Java's are."""
    process, where = start(t, 0)
    try:
        connection = socket.socket(socket.AF_INET6)
        connection.connect(("::ffff:127.0.0.1", int(where.split(":")[1])))
        session(t, process, connection)
    finally:
        end(process)


test_dual_stack.runtimes = ("10",)


def test_browser(t):
    """What a web page can send does not use up the adapter that waits, nor
    does a connection that says nothing."""
    message = (b'{"seq":1,"type":"request","command":"initialize",'
               b'"arguments":{"adapterID":"x"}}')
    length = b"Content-Length: %d\r\n" % len(message)
    process, where = start(t, 0)
    silent = [connect(where) for _ in range(10)]
    try:
        for head in (b"POST / HTTP/1.1\r\nHost: localhost\r\n" + length,
                     b"POST /a:b HTTP/1.1\r\n" + length,
                     length + b"Origin: http://localhost\r\n"):
            with connect(where) as browser:
                browser.sendall(head + b"\r\n" + message)
                t.check_equal(b"", browser.recv(4096))
            t.check_in("refused a client that does not speak the Debug "
                       "Adapter Protocol", process.stderr.readline().decode())
        session(t, process, connect(where))
    finally:
        for connection in silent:
            connection.close()
        end(process)


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
    process, where = start(t, 0)
    try:
        done = subprocess.run([sys.executable, "-c", STRANGER,
                               where.split(":")[1]])
        t.check_equal(0, done.returncode)
        t.check_in("refused a client of another user",
                   process.stderr.readline().decode())
        session(t, process, connect(where))
    finally:
        end(process)


test_other_user.runtimes = ("10",)
