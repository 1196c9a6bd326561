"""dndbg that waits for a client which connects (--server)."""
import contextlib
import socket
import subprocess


@contextlib.contextmanager
def server(t, interpreter, place, *words, stdin=None):
    """One at this place: the process, and where it says that it waits."""
    process = subprocess.Popen(
        [t.dndbg, f"--interpreter={interpreter}", f"--server={place}", *words],
        env=t.env, cwd=t.dir, stdin=stdin, stderr=subprocess.PIPE,
        start_new_session=True)
    try:
        line = process.stderr.readline().decode()
        yield process, t.check_match(r"waiting for a client on (\S+)$", line)[1]
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def connect(where):
    host, found, port = where.rpartition(":")
    if found:
        return socket.create_connection((host, int(port)))
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(where)
    return connection
