"""Files and programs that mean harm: dndbg is neither held up nor misled;
and programs that cannot bear much: dndbg does them none."""
import ctypes
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import zlib

import drive
from survivor import Busy, batch

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


def forge_fields(data, mt):
    """Have the runtime's descriptions of a type's fields, each of which begins
    with the type, name fields that the type does not have."""
    key = struct.pack("<Q", mt)
    found = {m.start() for m in re.finditer(re.escape(key), data)}
    fields = [at for at in found if {at - 16, at + 16} & found]
    for at in fields:
        word, = struct.unpack_from("<I", data, at + 8)
        struct.pack_into("<I", data, at + 8, word + 0x400)
    return len(fields)


@one_runtime
def test_forged_fields(t):
    """A field that the runtime does not know is read by its metadata: it is not
    asked for again and again, until the stack has no room."""
    core = f"{t.dir}/core"
    s = t.start("--args", *t.program("Trees"))
    s.cmd("set confirm off")
    s.cmd("break " + t.at("Trees", "trees"))
    s.cmd("run")
    mt = int(s.cmd("x/gx order").split()[1], 16)
    s.cmd(f"generate-core-file {core}")
    s.cmd("kill")
    with open(core, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        t.check(forge_fields(data, mt) > 10, "no fields were found")
    s.cmd(f"core-file {core}")
    t.check_in(" = 3\n", s.cmd("print order.Bits"))
    t.check_in(" = 4\n", s.cmd("print order.Bits + 1"))
    s.line("quit")
    t.check_equal(0, s.wait())


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
        raise drive.Skip("only root can give a home away")
    home = f"{t.dir}/home"
    os.mkdir(home)
    os.chown(home, 12345, 12345)
    s = t.start(env={**EDITING, "HOME": home})
    t.check_in("would be in a directory of another user.", s.text)
    s.line("quit")
    t.check_equal(0, s.wait())
    t.check_equal([], os.listdir(home))


# ---- seccomp filters

# The system calls that Busy makes on .NET 8 to 11, as strace and the kernel's
# audit tell them, six that the C library may make in their place on another
# machine, and the one that Python makes before the start.
MADE = [
    0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 21, 24, 25, 28,
    39, 41, 49, 50, 59, 60, 63, 72, 73, 77, 79, 87, 89, 91, 99, 107, 124, 131, 137,
    143, 144, 145, 146, 147, 157, 158, 186, 202, 203, 204, 217, 218, 219, 230,
    231, 234, 239, 257, 259, 262, 273, 293, 302, 318, 319, 324, 334, 435, 436]
OPEN = 2
KILL, EPERM, ALLOW = 0x80000000, 0x00050001, 0x7fff0000
# What is done to the listed calls, and to all others: a program that kills
# itself for the old open, an allow-list of its own, and lists as those of
# docker and systemd, which answer EPERM.
FILTERS = {"open": ([OPEN], KILL, ALLOW), "allow": (MADE, ALLOW, KILL),
           "eperm": (MADE, ALLOW, EPERM)}


def filtered(numbers, listed, others):
    """A function that puts the filter on its process."""
    code = struct.pack("<HBBI", 0x20, 0, 0, 0)
    for i, number in enumerate(numbers):
        code += struct.pack("<HBBI", 0x15, len(numbers) - i, 0, number)
    code += struct.pack("<HBBIHBBI", 0x06, 0, 0, others, 0x06, 0, 0, listed)

    def put_on():
        libc = ctypes.CDLL(None, use_errno=True)
        buffer = ctypes.create_string_buffer(code)
        fprog = struct.pack("<HxxxxxxQ", len(code) // 8,
                            ctypes.addressof(buffer))
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, fprog, 0, 0):
            os._exit(77)
    return put_on


def killed_under(t, name):
    """dndbg and its cleanup process are killed at a breakpoint that four threads come
    to all the time: what is in the program takes all out."""
    busy = Busy(t, "4", "4", preexec_fn=filtered(*FILTERS[name])).ready()
    for _ in range(3):
        s = t.start("-p", str(busy.pid))
        s.cmd("break Tally.Turn")
        s.cmd("rbreak ^Busy.Program")
        s.line("continue")
        s.expect(r"^Breakpoint \d+, ")
        for pid in t.processes("dndbg-cleanup"):
            os.kill(pid, signal.SIGKILL)
        os.kill(s.pid, signal.SIGKILL)
        s.wait()
        t.wait_for("the end of the tracing",
                   lambda: drive.state(busy.pid) in "ZX" or
                   not drive.tracer_of(busy.pid))
        t.check(drive.state(busy.pid) not in "ZX",
                f"the program died under the filter '{name}'")
        t.check_in("detached]", batch(t, f"attach {busy.pid}", "detach"))
    busy.untouched()
    busy.right()


def test_killed_filter_open(t):
    killed_under(t, "open")


test_killed_filter_open.glibc = "its filters know the system calls of glibc"


def test_killed_filter_allow(t):
    killed_under(t, "allow")


test_killed_filter_allow.glibc = "its filters know the system calls of glibc"


def test_killed_filter_eperm(t):
    killed_under(t, "eperm")


test_killed_filter_eperm.glibc = "its filters know the system calls of glibc"


# ---- No room left, and too much

@one_runtime
def test_full_disk(t):
    """What cannot be written is said once, and the session goes on."""
    done = t.batch(["b Main", "save breakpoints /dev/full",
                    "set log /dev/full", "run", "bt", "continue"],
                   t.program("Hello"))
    t.check_equal("/dev/full: No space left on device.\n", done.stderr)
    t.check_equal(["Cannot write the log '/dev/full': No space left on "
                   "device."], re.findall(".*the log.*", done.stdout))
    t.check_in("Breakpoint 1, Hello.Program.Main", done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)


SMALL = """
mount -t tmpfs -o size=8k tmpfs /mnt
cat /dev/zero >/mnt/fill 2>/dev/null
exec "$@"
"""


@one_runtime
def test_full_files(t):
    """... the prompt's log, the adapter's, a report."""
    if os.geteuid():
        raise drive.Skip("only root can mount a small disk")
    words = t.program("Hello")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", SMALL, "sh", t.dndbg, "--batch",
         "-ex", "set logging file /mnt/out", "-ex", "set logging enabled on",
         "-ex", "b Main", "-ex", "run", "-ex", "bt", "-ex", "continue",
         "--args", *words], env=t.env, text=True, capture_output=True)
    t.check_equal("Logging is off: /mnt/out: No space left on device.\n",
                  done.stderr)
    t.check_in("Breakpoint 1, Hello.Program.Main", done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)
    message = '{"seq":1,"type":"request","command":"initialize"}'
    done = t.run("dap", "--log", "/dev/full",
                 stdin=f"Content-Length: {len(message)}\r\n\r\n{message}")
    t.check_in('"success":true', done.stdout)
    t.check_equal("dndbg: cannot write the log: No space left on device\n",
                  done.stderr)
    done = t.run("run", "--json", "/dev/full", "--", "sh", "-c",
                 "kill -BUS $$")
    t.check_equal(-signal.SIGBUS, done.returncode)
    t.check_in("dndbg: the report is not whole in '/dev/full': No space left "
               "on device\n", done.stderr)


def peak_of(t, *words):
    """What dndbg says at a breakpoint in Main, and its peak in kilobytes."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, t.dndbg, "--batch", "-ex", "b Main",
         "-ex", "run", "-ex", "bt", "-ex", "continue", "--args", *words],
        env=t.env, cwd=t.dir, text=True, capture_output=True,
        timeout=60 * drive.TIME)
    return done.stdout, int(done.stderr.split()[-1])


PEAK = """
import resource, subprocess, sys
dndbg = subprocess.Popen(sys.argv[1:])
dndbg.wait()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


@one_runtime
def test_many_modules(t):
    """3,000 modules, each loaded from bytes: none is missed."""
    words = t.program("Loads")
    plugin = f"{os.path.dirname(words[0])}/LoadsPlugin.dll"
    done = t.batch(["b Main", "run", "continue"],
                   [*words, *[plugin] * 3000], timeout=100)
    t.check_in("Breakpoint 1, Loads.Program.Main", done.stdout)
    t.check_equal(3000, len(re.findall("^3$", done.stdout, re.M)))  # its types
    t.check_in("\nok\n", done.stdout)
    t.check_equal(0, done.returncode)


@one_runtime
def test_inflating_pdb(t):
    """A PDB in the assembly that is 64 KB and says to be 4 GB, or is a little
    more than the 64 MB that are taken, is not inflated at all."""
    shutil.copytree(f"{drive.BUILT}/Symbols/Embedded", f"{t.dir}/bomb")
    path = f"{t.dir}/bomb/Hello.dll"
    with open(path, "rb") as file:
        good = file.read()
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = squeeze.compress(bytes(65 << 20)) + squeeze.flush()
    entry = good.index(struct.pack("<I", good.index(b"MPDB"))) - 8
    _, usual = peak_of(t, path)
    for claim in (65 << 20, 0xffffffff):
        packed = b"MPDB" + struct.pack("<I", claim) + zeros
        bad = bytearray(good) + packed
        struct.pack_into("<III", bad, entry, len(packed), 0, len(good))
        with open(path, "wb") as file:
            file.write(bad)
        text, peak = peak_of(t, path)
        t.check_in("in Hello.Program.Main (string[]) from Hello.dll", text)
        t.check_in("hello world 5\nok\n", text)
        t.check(peak < usual + (16 << 10), f"{peak} KB, usually {usual}")
