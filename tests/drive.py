"""What tests need to drive dndbg: paths of fixtures and runtimes, a clean
environment, a session at a terminal, and a watch over what is left behind."""
import glob
import itertools
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(TOP, "tests", "fixtures")
CACHE = os.environ.get("DNDBG_CACHE") or os.path.expanduser("~/.cache/dndbg")
BUILT = os.path.join(CACHE, "fixtures")
# A directory of others that programs run on: scripts/musl/within.
ROOTS = os.environ.get("DNDBG_TEST_ROOTS") or os.path.join(CACHE, "roots")
# Is theirs another C library than ours?
MUSL = os.environ.get("DNDBG_TEST_LIBC") == "musl"
RUNTIMES = ("8", "9", "10", "11")
NEWEST = ("10", "11")  # the others are tested by selection, see run.py
# Of a fixture for .NET 11: runtime async, or state machines as before.
ELEVEN = ("RtDebug", "RtRelease", "NetDebug")
PROMPT = "(dndbg) "
# Sanitized builds are slower, and take more memory, by this.
SLOW = float(os.environ.get("DNDBG_TEST_SLOW") or 1)
# Every time limit is stretched by this: it ends what hangs, and no test is to
# fail because the machine had something else to do for some seconds.
TIME = 4 * SLOW
# Settings of the runtime that all programs get: "DOTNET_TieredPGO=0 ...".
SETTINGS = [setting.partition("=")[::2] for setting
            in os.environ.get("DNDBG_TEST_SETTINGS", "").split()]
MARK = re.compile(r"// @([A-Za-z][\w-]*)")
ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")
SANITIZER_EXIT = 99


class Failure(Exception):
    """A test's demand is not met; the text says which."""


class Skip(Exception):
    """A test cannot be carried out here; the text says why."""


def uncoded(lines):
    """Lines of errors without the compiler's numbers, which test_refused of
    live/expressions.py is about."""
    return [re.sub(r" \(CS\d{4}\)(?=\W*$)", "", line) for line in lines]


def marks_of(path):
    """The marks of a source file: name -> line."""
    marks = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            for name in MARK.findall(line):
                if name in marks:
                    raise Failure(f"{path}: mark '{name}' stands twice")
                marks[name] = number
    return marks


def source_of(fixture):
    tried = [f"{BUILT}/src/{fixture}.cs", f"{SOURCES}/{fixture}.fs",
             f"{SOURCES}/{fixture}.vb",
             f"{SOURCES}/{fixture}/{fixture}/Program.cs"]
    found = [path for path in tried if os.path.exists(path)]
    return found[0] if found else f"{SOURCES}/{fixture}.cs"


def places_of(fixture):
    """The marks of a fixture and its libraries: name -> (file, line)."""
    main = source_of(fixture)
    paths = [main]
    with open(main) as file:
        paths += [source_of(name)
                  for name in re.findall(r"with=(\w+)", file.readline())]
    paths += [path for path in glob.glob(f"{SOURCES}/{fixture}/*/*.cs")
              if path != main]
    places = {}
    for path in paths:
        for name, line in marks_of(path).items():
            if name in places:
                raise Failure(f"{path}: mark '{name}' stands twice")
            places[name] = (os.path.basename(path), line)
    return places


def program(fixture, config="Debug", host="dll"):
    """The words that start a fixture; host is dll, dotnet, apphost or a major
    version for the self-contained Hello."""
    if host.isdigit():
        return [f"{BUILT}/SelfContained/{host}/Hello"]
    if config in ("Debug", "Release", *ELEVEN):
        path = f"{BUILT}/{config}/{fixture}/{fixture}"
    else:
        path = f"{BUILT}/Symbols/{config}/{fixture}"
    return {"dll": [path + ".dll"], "dotnet": ["dotnet", path + ".dll"],
            "apphost": [path]}[host]


def environment(runtime, tag, home):
    """A clean environment in which only this runtime is found. The tag is
    inherited by whatever is started, which shows who was left behind."""
    root = f"{ROOTS}/{runtime}"
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("DOTNET_", "COMPlus_", "DNDBG_", "LC_"))}
    env.update(DOTNET_ROOT=root, PATH=root + ":" + env.get("PATH", ""),
               DOTNET_CLI_TELEMETRY_OPTOUT="1", LANG="C.UTF-8", TERM="dumb",
               HOME=home, DNDBG_TEST=tag)
    env.update(SETTINGS)
    env.setdefault("ASAN_OPTIONS", "")
    # .NET 8's debugging library frees with delete what it made with new[].
    env["ASAN_OPTIONS"] += (":alloc_dealloc_mismatch=0:quarantine_size_mb=32"
                            f":exitcode={SANITIZER_EXIT}:handle_abort=1")
    env["LSAN_OPTIONS"] = f"suppressions={TOP}/tests/lsan.supp:print_suppressions=0"
    env["UBSAN_OPTIONS"] = f"print_stacktrace=1:exitcode={SANITIZER_EXIT}"
    return env


def ending(process, limit, stdin=None):
    """What dndbg prints until its end: stdout and stderr. One that hangs is made
    to tell where: it reports its stack when it is aborted."""
    try:
        return process.communicate(stdin, timeout=limit * TIME)
    except subprocess.TimeoutExpired:
        pass
    text = f"hang: no end within {limit * TIME:g} s of {' '.join(process.args)}"
    if process.poll() is not None:
        raise Failure(f"{text}: it has ended ({process.returncode}), what it "
                      "has started has not")
    process.send_signal(signal.SIGABRT)
    try:
        out, err = process.communicate(timeout=10 * TIME)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failure(f"{text}, nor of its report")
    raise Failure(f"{text}\n{out or ''}{err or ''}")


def tagged(tag):
    """The processes that carry the tag in their environment: pid -> name."""
    found = {}
    wanted = f"DNDBG_TEST={tag}\0".encode()
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if wanted in file.read() + b"\0":
                    pid = int(path.split("/")[2])
                    with open(f"/proc/{pid}/comm") as comm:
                        name = comm.read().strip()
                    if state(pid) not in "ZX":
                        found[pid] = name
        except OSError:
            continue
    return found


def state(pid):
    """The state letter of a process; X when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def tasks(pid):
    """The threads of a process, but those that end while they are looked at:
    thread -> (its name, its state)."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/task/*/stat"):
        try:
            with open(path) as file:
                tid, _, rest = file.read().partition(" (")
        except (FileNotFoundError, ProcessLookupError):
            continue
        name, _, rest = rest.rpartition(") ")
        found[int(tid)] = name, rest[0]
    return found


def states(pid):
    """The states of its threads."""
    return {state for _, state in tasks(pid).values()}


def tracer_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"TracerPid:\s*(\d+)", file.read()).group(1))


class Test:
    """One run of one test on one runtime; also what a live test is given."""
    # Tests are made by several threads at once: next() is atomic.
    numbers = itertools.count(1)

    def __init__(self, name, dndbg, runtime):
        self.name = name
        self.dndbg = os.path.abspath(dndbg)
        self.runtime = runtime
        self.tag = f"{os.getpid()}-{next(Test.numbers)}"
        self.dir = tempfile.mkdtemp(prefix="dndbg-test-")
        self.env = environment(runtime, self.tag, self.dir)
        self.sessions = []
        self.hung = False

    def close(self):
        """End what is left; return it. A program must not outlive dndbg."""
        for session in self.sessions:
            session.close()
        deadline = time.monotonic() + 5 * TIME
        left = tagged(self.tag)
        while left and time.monotonic() < deadline:
            time.sleep(0.02)
            left = tagged(self.tag)
        self.kill_all()
        shutil.rmtree(self.dir, ignore_errors=True)
        return left

    def kill_all(self):
        for pid in tagged(self.tag):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    # What live tests say.

    def executable(self, name, text):
        """A script to be executed; its path. It is not this process that
        writes it: what another thread forks meanwhile would have the file open
        for writing, and it could not be executed."""
        path = os.path.join(self.dir, name)
        subprocess.run(["install", "-m", "755", "/dev/stdin", path],
                       input=text.encode(), check=True)
        return path

    def program(self, fixture, *args, config="Debug", host="dll"):
        return program(fixture, config, host) + list(args)

    def at(self, fixture, mark):
        """A mark as a location: Hello.cs:12."""
        name, line = self.place(fixture, mark)
        return f"{name}:{line}"

    def place(self, fixture, mark):
        places = places_of(fixture)
        if mark not in places:
            raise Failure(f"{fixture} has no mark '{mark}'")
        return places[mark]

    def line(self, fixture, mark):
        return self.place(fixture, mark)[1]

    def run(self, *args, stdin="", timeout=60, env=None, **options):
        """Run dndbg with these arguments to its end, without a terminal.
        The result has returncode, stdout and stderr."""
        process = subprocess.Popen(
            [self.dndbg, *args], text=True, errors="replace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**self.env, **(env or {})}, start_new_session=True,
            **{"cwd": self.dir, **options})
        out, err = ending(process, timeout, stdin)
        done = subprocess.CompletedProcess(process.args, process.returncode,
                                           out, err)
        if done.returncode in (SANITIZER_EXIT, -signal.SIGSEGV,
                               -signal.SIGABRT):
            raise Failure(f"dndbg crashed ({done.returncode}):\n"
                          + done.stdout + done.stderr)
        return done

    def batch(self, commands, words, **options):
        """Run a program under dndbg with these commands; all in one text."""
        flags = [word for command in commands for word in ("-ex", command)]
        return self.run("--batch", *flags, "--args", *words, **options)

    def start(self, *args, **options):
        """Start dndbg at a terminal and wait for its first prompt."""
        session = self.spawn(*args, **options)
        session.expect(re.escape(PROMPT))
        return session

    def spawn(self, *args, env=None, cwd=None):
        """Start dndbg at a terminal."""
        session = Session([self.dndbg, *args], {**self.env, **(env or {})},
                          cwd or self.dir)
        self.sessions.append(session)
        return session

    def adapter(self, *args, **options):
        """Start dndbg as a debug adapter; the client."""
        import dapdrive
        client = dapdrive.Client(self, *args, **options)
        self.sessions.append(client)
        return client

    def mi(self, *args, **options):
        """Start dndbg as GDB/MI and wait for its first prompt; the client."""
        import midrive
        client = midrive.Client(self, *(args or ("-i=mi",)), **options)
        self.sessions.append(client)
        client.prompt()
        return client

    def screen(self, words, **options):
        """Start a program that draws whole screens."""
        import screen
        shown = screen.Screen(self, words, **options)
        self.sessions.append(shown)
        return shown

    def source(self, fixture):
        return source_of(fixture)

    def wait_for(self, what, test, timeout=20):
        """Poll until the test is true and return what it gave: for what nothing
        can be awaited on."""
        deadline = time.monotonic() + timeout * TIME
        while not (result := test()):
            if time.monotonic() > deadline:
                raise Failure(f"waited {timeout * TIME:g} s in vain for "
                              f"{what}")
            time.sleep(0.01)
        return result

    def wait_gone(self, pid, timeout=10):
        self.wait_for(f"the end of process {pid}",
                      lambda: state(pid) in "ZX", timeout)

    def processes(self, name=None):
        """The live processes of this test but dndbg itself: pids."""
        own = {session.pid for session in self.sessions}
        return [pid for pid, comm in tagged(self.tag).items()
                if pid not in own and name in (None, comm)]

    def check(self, true, text):
        if not true:
            raise Failure(text)

    def check_in(self, wanted, text):
        if wanted not in text:
            raise Failure(f"'{wanted}' is not in:\n{text}")

    def check_not_in(self, unwanted, text):
        if unwanted in text:
            raise Failure(f"'{unwanted}' is in:\n{text}")

    def check_equal(self, wanted, got):
        if wanted != got:
            raise Failure(f"wanted {wanted!r}, got {got!r}")

    def check_match(self, pattern, text):
        found = re.search(pattern, text, re.M)
        if not found:
            raise Failure(f"/{pattern}/ does not match:\n{text}")
        return found


class Process(subprocess.Popen):
    """A process that a test waits for ("with"); if the test fails it is
    killed: its end may never come."""

    def __exit__(self, kind, value, where):
        if kind:
            self.kill()
        super().__exit__(kind, value, where)


class Session:
    """dndbg at a terminal of its own."""

    def __init__(self, words, env, cwd):
        self.master, slave = pty.openpty()
        try:
            # setsid becomes the program it starts, so the pid is dndbg's.
            self.process = subprocess.Popen(
                ["setsid", "--ctty", *words], stdin=slave, stdout=slave,
                stderr=slave, env=env, cwd=cwd, close_fds=True)
        finally:
            os.close(slave)
        self.pid = self.process.pid
        self.text = ""
        self.at = 0
        self.rest = b""

    def read_more(self, timeout):
        """Take what the terminal has; False at its end or when time is up."""
        if not select.select([self.master], [], [], max(timeout, 0))[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        self.rest += data
        # An escape sequence may be cut in two: keep its beginning back.
        keep = re.search(rb"\x1b(\[[0-9;?]*)?$", self.rest) if data else None
        cut = keep.start() if keep else len(self.rest)
        clean = ESCAPE.sub(b"", self.rest[:cut])
        self.rest = self.rest[cut:]
        self.text += clean.decode(errors="replace")
        return bool(data)

    def expect(self, pattern, timeout=20):
        """Wait until the pattern stands in what was not yet taken; return
        what came before it and take both."""
        regex = re.compile(pattern, re.M)
        deadline = time.monotonic() + timeout * TIME
        while True:
            found = regex.search(self.text, self.at)
            if found:
                before = self.text[self.at:found.start()]
                self.at = found.end()
                return before
            left = deadline - time.monotonic()
            if left <= 0 or not self.read_more(left):
                gone = time.monotonic() < deadline
                raise Failure(f"waited for /{pattern}/ and "
                              f"{'dndbg ended' if gone else 'time is up'}; "
                              f"the terminal shows:\n{self.text[-4000:]}")

    def send(self, text):
        os.write(self.master, text.encode())

    def line(self, text):
        self.send(text + "\n")

    def cmd(self, text, timeout=20):
        """Give a command and return its output, up to the next prompt."""
        self.line(text)
        output = self.expect("^" + re.escape(PROMPT), timeout)
        return output.partition("\n")[2]

    def interrupt(self):
        self.send("\x03")

    def signal(self, number):
        os.kill(self.pid, number)

    def wait(self, timeout=20):
        """Wait for the end of dndbg: its exit code, -N for signal N."""
        deadline = time.monotonic() + timeout * TIME
        while self.process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Failure("dndbg does not end; the terminal shows:\n"
                              + self.text[-4000:])
            self.read_more(min(left, 0.05))
        while self.read_more(0):
            pass
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.master >= 0:
            os.close(self.master)
            self.master = -1
