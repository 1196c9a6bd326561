"""A client of GDB/MI for tests: starts dndbg as gdb is started, reads every
byte that it writes by the grammar, keeps the asynchronous records in order."""
import os
import re
import select
import subprocess
import tempfile
import time

from drive import TIME, Failure

ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f",
           "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
NAME = re.compile(r"[A-Za-z_][\w-]*")
# Where the grammar's names are not told apart: members of one name.
REPEATED = {"thread-id"}


class Fault(Exception):
    """What was written is not of the grammar."""


class Refused(Exception):
    """A command was answered by ^error; the text is its message."""

    def __init__(self, results):
        super().__init__(results.get("msg", ""))
        self.results = results


class Parser:
    """One record, read strictly."""

    def __init__(self, text, version=4):
        self.text = text
        self.at = 0
        self.version = version

    def fail(self, why):
        raise Fault(f"{why} at {self.at}: {self.text[self.at:self.at + 60]!r} "
                    f"of {self.text[:2000]!r}")

    def here(self):
        return self.text[self.at:self.at + 1]

    def take(self, c):
        if self.here() != c:
            self.fail(f"'{c}' expected")
        self.at += 1

    def string(self):
        self.take('"')
        data = bytearray()
        while True:
            c = self.here()
            if not c:
                self.fail("a string without its end")
            self.at += 1
            if c == '"':
                return data.decode("utf-8", errors="replace")
            if c != "\\":
                if ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0:
                    self.fail("a control character that is not escaped")
                data += c.encode()
                continue
            octal = re.compile("[0-7]{3}").match(self.text, self.at)
            if octal:
                data.append(int(octal[0], 8))
                self.at += 3
            elif self.here() in ESCAPES:
                data += ESCAPES[self.here()].encode()
                self.at += 1
            else:
                self.fail("an escape that is none")

    def name(self):
        found = NAME.match(self.text, self.at)
        if not found:
            self.fail("a name expected")
        self.at = found.end()
        return found[0]

    def result(self):
        name = self.name()
        self.take("=")
        return name, self.value()

    def value(self):
        if self.here() == "{":
            return self.tuple()
        if self.here() == "[":
            return self.list()
        return self.string()

    def results(self, end=""):
        """name=value,... up to the end, as a dictionary."""
        found = {}
        while True:
            if self.version == 2 and self.here() == "{":
                # version 2: locations behind their breakpoint
                found.setdefault("locations", []).append(self.tuple())
            else:
                name, value = self.result()
                if name in REPEATED and name in found:
                    found[name] = found[name] + [value]
                elif name in found:
                    self.fail(f"'{name}' stands twice")
                else:
                    found[name] = [value] if name in REPEATED and end else value
            if self.here() != ",":
                return found
            self.at += 1

    def tuple(self):
        self.take("{")
        found = {}
        if self.here() == '"':
            # version 2 and 3: a script
            found = [self.string()]
            while self.here() == ",":
                self.at += 1
                found.append(self.string())
        elif self.here() != "}":
            found = self.results("}")
        self.take("}")
        return found

    def list(self):
        self.take("[")
        found, names = [], set()
        while self.here() != "]":
            if found:
                self.take(",")
            if self.here() in '{["':
                names.add(None)
                found.append(self.value())
            else:
                name, value = self.result()
                names.add(name)
                found.append(value)
            if len(names) > 1 and names != {"src_and_asm_line", None}:
                self.fail(f"a list of several kinds: {names}")
        self.take("]")
        return found


class Record:
    """kind is ^ * = ~ @ & or "(gdb)"."""

    def __init__(self, line, version=4):
        self.line = line
        self.token = self.name = None
        self.results = {}
        if line in ("(gdb) ", "(gdb)"):
            self.kind = "(gdb)"
            return
        p = Parser(line, version)
        digits = re.match(r"\d*", line)[0]
        p.at = len(digits)
        self.token = digits or None
        self.kind = p.here()
        if not self.kind or self.kind not in "^*=~@&":
            p.fail("no record")
        p.at += 1
        if self.kind in "~@&":
            if digits:
                p.fail("a stream with a token")
            self.text = p.string()
        else:
            self.name = p.name()
            if self.kind == "^" and self.name not in (
                    "done", "running", "connected", "error", "exit"):
                p.fail("no result class")
            if p.here() == ",":
                p.at += 1
                self.results = p.results()
        if p.at != len(line):
            p.fail("more than a record")


class Client:
    """One session."""

    def __init__(self, test, *args, command=None, env=None):
        version = re.search(r"mi([23])", " ".join(args))
        self.begin(test, int(version[1]) if version else 4)
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command or [test.dndbg, *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.stderr,
            env={**test.env, **(env or {})}, cwd=test.dir,
            start_new_session=True)
        self.pid = self.process.pid

    def begin(self, test, version=4):
        self.test = test
        self.version = version
        self.bytes = b""
        self.records = []     # all, in order
        self.at = 0           # those before were taken by stopped() and until()
        self.token = 0
        self.input = None     # of the program

    def errors(self):
        self.stderr.seek(0)
        return self.stderr.read().decode(errors="replace")

    def write(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, timeout):
        """Read one record into its place; False when time is up."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self.bytes:
            left = max(deadline - time.monotonic(), 0)
            fd = self.process.stdout.fileno()
            if not select.select([fd], [], [], left)[0]:
                return False
            data = os.read(fd, 1 << 20)
            if not data:
                if self.bytes:
                    raise Failure(f"a line without its end: {self.bytes!r}")
                raise EOFError
            self.bytes += data
        line, _, self.bytes = self.bytes.partition(b"\n")
        try:
            record = Record(line.decode("utf-8", errors="strict"), self.version)
        except (Fault, UnicodeDecodeError) as e:
            raise Failure(f"not GDB/MI: {e}\n" + self.tail())
        self.records.append(record)
        return True

    def tail(self):
        return "the last records:\n" + "\n".join(
            r.line[:600] for r in self.records[-40:]) + "\n" + self.errors()

    def until(self, what, ready, timeout=20):
        deadline = time.monotonic() + timeout * TIME
        while True:
            found = ready()
            if found:
                return found
            left = deadline - time.monotonic()
            try:
                more = left > 0 and self.read(left)
            except EOFError:
                raise Failure(f"waited for {what} and dndbg ended;\n"
                              + self.tail())
            if not more:
                raise Failure(f"waited {timeout * TIME:g} s in vain for "
                              f"{what};\n" + self.tail())

    def prompt(self, timeout=20):
        """Wait for the prompt behind everything that was taken."""
        self.find("the prompt", lambda r: r.kind == "(gdb)", timeout)

    def find(self, what, wanted, timeout=20):
        """The next record that is wanted; all before it are taken."""
        seen = self.at

        def ready():
            nonlocal seen
            while seen < len(self.records):
                seen += 1
                if wanted(self.records[seen - 1]):
                    self.at = seen
                    return self.records[seen - 1]
            return None
        return self.until(what, ready, timeout)

    def send(self, command):
        """Send a command with a token; the token."""
        self.token += 1
        self.write(f"{self.token}{command}\n")
        return str(self.token)

    def answer(self, token, timeout=20):
        """The result record with this token; a prompt must follow it."""
        def ready():
            for i, record in enumerate(self.records):
                if record.kind == "^" and record.token == token:
                    return (i + 1,)
            return None
        at = self.until(f"the answer to {token}", ready, timeout)[0]
        record = self.records[at - 1]
        if record.name != "exit":
            self.until("the prompt", lambda: any(
                r.kind == "(gdb)" for r in self.records[at:]), timeout)
        return record

    def ask(self, command, timeout=20):
        """Carry out a command that must succeed; its results."""
        record = self.answer(self.send(command), timeout)
        if record.name == "error":
            raise Refused(record.results)
        return record.results

    def refused(self, command):
        """Carry out a command that must fail; its message."""
        try:
            results = self.ask(command)
        except Refused as e:
            return str(e)
        raise Failure(f"'{command}' was not refused: {results}\n" + self.tail())

    def resume(self, command, timeout=20):
        """Carry out a command that must be answered by ^running."""
        record = self.answer(self.send(command), timeout)
        if record.name != "running":
            raise Failure(f"'{command}': {record.line}")

    def stopped(self, reason=None, timeout=30):
        """Wait for the next *stopped, with this reason; its results."""
        record = self.find("*stopped", lambda r: r.kind == "*"
                           and r.name == "stopped", timeout)
        if reason and record.results.get("reason") != reason:
            raise Failure(f"not {reason}: {record.line}\n" + self.tail())
        return record.results

    def go(self, command, reason=None, timeout=30):
        """Resume and wait for the stop."""
        self.at = len(self.records)
        self.resume(command)
        return self.stopped(reason, timeout)

    def event(self, name, **wanted):
        """Wait for an = record with these members, from the beginning."""
        def ready():
            return next((r for r in self.records if r.kind == "="
                         and r.name == name and all(
                             r.results.get(k.replace("_", "-")) == v
                             for k, v in wanted.items())), None)
        return self.until(f"={name} {wanted}", ready).results

    def said(self, kinds="~"):
        """The text of all stream records of these kinds."""
        return "".join(r.text for r in self.records if r.kind in kinds
                       and r.kind != "(gdb)")

    def console(self, command):
        """What a command of the prompt prints."""
        start = len(self.records)
        self.ask(command)
        return "".join(r.text for r in self.records[start:] if r.kind == "~")

    def wait(self, timeout=20):
        """The exit status of dndbg, which ends by itself."""
        try:
            while self.read(timeout * TIME):
                pass
        except EOFError:
            pass
        try:
            return self.process.wait(timeout * TIME)
        except subprocess.TimeoutExpired:
            raise Failure("dndbg does not end\n" + self.tail())

    def quit(self):
        record = self.answer(self.send("-gdb-exit"))
        if record.name != "exit":
            raise Failure(record.line)
        return self.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.input is not None:
            os.close(self.input)
            self.input = None
        for pipe in self.process.stdin, self.process.stdout:
            try:
                pipe.close()
            except OSError:
                pass

    # Usual ways.

    def start_at(self, fixture, mark, *more):
        """Run to a mark of a fixture; the stop."""
        name, line = self.test.place(fixture, mark)
        self.ask(f"-break-insert -f {name}:{line}")
        return self.go("-exec-run", "breakpoint-hit")

    def run_on(self):
        """Start Busy, whose input never ends, and wait for its output."""
        path = os.path.join(self.test.dir, "input")
        os.mkfifo(path)
        self.input = os.open(path, os.O_RDWR)
        self.ask(f"-exec-arguments < {path}")
        self.resume("-exec-run")
        self.find("output", lambda r: r.kind == "@")
