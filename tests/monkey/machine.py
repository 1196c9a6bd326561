"""Random sessions by GDB/MI: commands from the tables in src/mi, lines of the
prompt, and bytes that are none of both."""
import glob
import os
import re
import signal
import time

import drive
import midrive
import prompt
import words
from play import LIMIT, Fault, Play, decoded, encoded

BARRED = {"target-attach", "gdb-exit", "inferior-tty-set"}
CHANGING = {"exec-jump", "exec-run", "exec-abort", "exec-return", "var-assign",
            "data-write-memory-bytes", "exec-arguments", "gdb-set",
            "file-exec-and-symbols", "file-exec-file", "target-select",
            "environment-cd", "environment-path", "interpreter-exec",
            "target-detach", "target-disconnect"}
ENTRY = re.compile(r'\{"((?:[a-z]+-)*[a-z]+)",\s*[\w| \n\t]+,'
                   r'\s*((?:"[^"]*"\s*)+|NULL|[A-Z_]+)')
FLOW = ("exec-continue", "exec-next", "exec-step", "exec-finish", "exec-until",
        "exec-next-instruction", "exec-step-instruction", "exec-next 3")


class Table:
    """The commands, by what the source has: name -> usage."""

    def __init__(self, dndbg):
        self.usage = {}
        for path in glob.glob(f"{drive.TOP}/src/mi/**/*.c", recursive=True):
            with open(path) as file:
                for name, usage in ENTRY.findall(file.read()):
                    self.usage[name] = "".join(
                        re.findall(r'"([^"]*)"', usage)) or "[-t] [-r REGEXP]"
        if len(self.usage) < 90:
            raise SystemExit("monkey: src/mi has no table of commands")
        self.prompt = prompt.Table(dndbg)


class Maker(prompt.Maker):
    """Makes the steps of a plan."""

    def __init__(self, table, plan, program, random):
        super().__init__(table.prompt, plan, program, random)
        self.mi = table
        self.mi_names = [name for name in table.usage if name not in BARRED
                         and not (plan.quiet and name in CHANGING)]

    def word(self, kind):
        random, quiet = self.random, self.plan.quiet
        n = random.randint(0, 9)
        makers = {
            "NUMBER": lambda: "${break:%d}" % n, "THREAD": lambda: "${thread:%d}" % n,
            "FRAME": lambda: random.choice(["*", "@", "0", "${address:%d}" % n]),
            "NAME": lambda: random.choice(["${var:%d}" % n, "${var:%d}" % n, "-",
                                           "v1", "v1.x", "*"]),
            "PRINT_VALUES": lambda: random.choice(
                ["0", "1", "2", "--all-values", "--simple-values"]),
            "FORMAT": lambda: random.choice(["x", "d", "natural", "hexadecimal", "q"]),
            "MODE": lambda: str(random.randint(-1, 6)),
            "GROUP": lambda: random.choice(["i1", "i2", "i99", "x"]),
            "LINE": lambda: str(random.choice([1, 12, 40, 0, 10 ** 12])),
            "START": lambda: random.choice(["$pc", "${address:%d}" % n]),
            "END": lambda: random.choice(["$pc+20", "${address:%d}" % n]),
            "COMMAND": lambda: '"%s"' % random.choice(
                ["bt", "print 1", "continue", "-exec-next", "nothing"]),
            "STAGE": lambda: random.choice(["throw", "unhandled", "x"]),
            "PID": lambda: "${pid:0}", "REGEXP": lambda: random.choice([".", "(", "Rental"]),
            "INTERPRETER": lambda: random.choice(["console", "mi", "x"]),
            "DIRECTORY": lambda: random.choice([".", "no", "/"]),
            "ARGUMENTS": lambda: random.choice(["a b", "'", "\"x\" y", "\\"]),
            "TYPE": lambda: random.choice(["core", "native", *self.program.types]),
        }
        if kind in makers and random.random() > 0.08:
            return makers[kind]()
        return super().word(kind)

    def quoted(self, text):
        """As front ends quote, or as nobody does."""
        if self.random.random() < 0.8 and (" " in text or '"' in text):
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return text

    def mi_command(self):
        random = self.random
        name = random.choice(self.mi_names)
        usage = self.mi.usage[name]
        text = self.fill(usage)
        if name.startswith("gdb-set"):
            text = f"{random.choice(self.table.settings)} {random.choice(prompt.SETTINGS)}"
        line = f"-{name} "
        if random.random() < 0.15:
            line += random.choice(["--thread ${thread:%d} ", "--frame %d ",
                                   "--thread-group i%d "]) % random.randint(0, 9)
        return line + text

    def line(self):
        random, quiet = self.random, self.plan.quiet
        kind = random.random()
        if kind < 0.2:
            return "-" + random.choice(FLOW)
        if kind < 0.3:
            return "-data-evaluate-expression " + self.quoted(
                self.program.expression(random, quiet))
        if kind < 0.4:
            return "-var-create - * " + self.quoted(
                self.program.expression(random, quiet))
        if kind < 0.5:
            return "-break-insert -f " + random.choice(
                ["", "-t ", "-d ", "-i 2 ", "-c \"%s\" " % self.program.condition(
                    random, quiet).replace('"', '\\"')]) + self.program.place(random)
        if kind < 0.6:
            return random.choice(["-stack-list-frames", "-thread-info",
                                  "-stack-list-variables 2", "-var-update *",
                                  "-stack-info-depth 5", "-break-list"])
        if kind < 0.7:
            return super().line().replace("\n", " ")
        return self.mi_command()

    def garbage(self):
        random = self.random
        return random.choice([
            b"-", b"\n", b"99999999999999999999-gdb-version\n", b"-\xff\xfe\n",
            b"-data-evaluate-expression \"\xc3\n", b"-break-insert \"\\\n",
            b"-data-evaluate-expression \"\\777\\400\"\n", b"\0\0\0\n",
            b"-gdb-version\r\n", b"1-2-3\n", b"-" + b"x" * 100000 + b"\n",
            b"-data-evaluate-expression " + b"(" * 20000 + b"\n",
            b"-data-evaluate-expression \"" + b"a+" * 500000 + b"a\"\n",
            b"-interpreter-exec console \"-interpreter-exec console \\\"bt\\\"\"\n",
            b"x" * 1000000 + b"\n", bytes(random.randrange(256) for _ in range(60))
            .replace(b"!", b"?").replace(b"|", b"?").replace(b"\n", b" ") + b"\n"])

    def steps(self, count):
        random = self.random
        steps = [["say", f"-break-insert -f {self.program.place(random)}"]
                 for _ in range(random.randint(0, 4))]
        if self.plan.how == "launch":
            steps.append(["say", random.choice(["-exec-run", "-exec-run --start"])])
            steps.append(["wait", 5])
        while len(steps) < count:
            kind = random.random()
            if len(steps) % 6 == 5:
                steps.append(["again"])
            if kind < 0.01:
                steps.append(["poke", random.choice(["WINCH", "CONT", "CHLD"])])
            elif kind < 0.06:
                steps.append(["interrupt"])
            elif kind < 0.08 and not self.plan.quiet:
                steps.append(["signal", random.choice(
                    ["KILL", "TERM", "USR1", "SEGV", "WINCH"])])
            elif kind < 0.09 and self.plan.how == "attach":
                steps.append(["say", "-target-detach"])
                steps.append(["say", "-target-attach ${pid:0}"])
            elif kind < 0.11 and not self.plan.quiet:
                steps.append(["say", random.choice(
                    ["-exec-run", "-exec-abort", "kill", "-exec-run --start"])])
            elif kind < (0.4 if self.plan.hostile else 0.12):
                steps.append(["raw", encoded(self.garbage())])
            elif kind < (0.44 if self.plan.hostile else 0.16):
                steps.append(["raw", encoded("".join(
                    self.line() + "\n" for _ in range(4)).encode())])
            else:
                line = self.line()
                steps.append(["say", line])
                if line.startswith("-exec") or random.random() < 0.05:
                    steps.append(["wait", random.choice([0.05, 0.5, 2])])
        return steps


class Machine(Play):
    """The session, by pipes."""

    def begin(self):
        self.client = midrive.Client(self.test, "-i=mi", *self.words())
        self.test.sessions.append(self.client)
        self.process = self.client.process
        self.marked = 0
        self.running = False
        self.gone = self.plan.how == "launch"   # no program
        self.until(lambda: any(r.kind == "(gdb)" for r in self.client.records))

    def until(self, ready, limit=LIMIT):
        """Read until something is so; dndbg's end ends it, too."""
        deadline = time.monotonic() + limit
        interrupted = False
        while not ready():
            left = deadline - time.monotonic()
            try:
                if left > 0:
                    self.client.read(min(left, 1))
            except EOFError:
                return self.ended()
            if left <= 0:
                self.note(self.client.tail())
                self.hang()
            if left < limit / 2 and not interrupted:
                interrupted = True
                self.process.send_signal(signal.SIGINT)
        self.gather()
        return True

    def gather(self):
        for record in self.client.records[self.marked:]:
            if record.kind == "(gdb)":
                continue
            self.note("  " + record.line)
            for kind, pattern in (
                    ("thread", r'thread-id="(\d+)"'), ("var", r'name="(v[\w.]*)"'),
                    ("break", r'bkpt={number="(\d+)"'),
                    ("address", r'(?:addr|value)="(0x[0-9a-f]+)"')):
                for value in re.findall(pattern, record.line)[:10]:
                    self.see(kind, value)
            if record.name in ("thread-group-started", "thread-group-exited"):
                self.gone = record.name == "thread-group-exited"
            if record.kind == "^" and record.name == "running":
                self.running = True
            if record.kind == "*":
                self.running = record.name == "running"
                self.judge_stop(record)
            if record.kind in "~@" and not self.changed and re.search(
                    "^wrong: |^failed$|Unhandled exception", record.text, re.M):
                raise Fault("hurt: " + record.text[:60], self.client.tail())
        self.marked = len(self.client.records)

    def judge_stop(self, record):
        reason = record.results.get("reason", "")
        if not self.changed and self.plan.fixture == words.JUDGE and (
                reason == "exited-signalled" or (reason == "exited" and int(
                    record.results.get("exit-code", "1"), 8))):
            raise Fault("hurt: " + re.sub(r"\d+", "N", record.line)[:60],
                        self.client.tail())

    def put(self, data):
        """Give bytes, reading meanwhile."""
        fd = self.process.stdin.fileno()
        os.set_blocking(fd, False)
        deadline = time.monotonic() + LIMIT
        while data:
            try:
                data = data[os.write(fd, data[:65536]):]
            except BlockingIOError:
                try:
                    self.client.read(0.05)
                except EOFError:
                    return self.ended()
            except BrokenPipeError:
                return self.ended()
            if time.monotonic() > deadline:
                self.hang()
        return True

    def say(self, line):
        token = str(self.client.token + 1)
        self.client.token += 1
        if not self.put(f"{token}{line}\n".encode()):
            return False
        records = self.client.records
        at = len(records)

        def answered():
            nonlocal at
            while at < len(records):
                at += 1
                r = records[at - 1]
                if r.kind == "^" and r.token == token:
                    return True
            return False
        return self.until(answered)

    def step_say(self, line):
        line = self.resolve(line).replace("\n", " ")
        if not line.startswith("-"):
            # a line of the prompt has no token
            if not self.put(line.encode() + b"\n"):
                return
            line = "-list-features"
        self.say(line)

    def step_raw(self, text):
        if self.put(decoded(text)):
            # What is behind an unfinished line goes with it.
            if self.put(b"\n"):
                self.say("-list-features")

    def step_again(self):
        """Another program where there is none."""
        if self.gone:
            self.say(f"-target-attach {self.program.pid}" if self.program
                     else "-exec-run")
            self.step_wait(1)

    def step_wait(self, seconds):
        deadline = time.monotonic() + seconds * drive.TIME / 4
        while self.running and time.monotonic() < deadline and self.alive():
            try:
                self.client.read(0.1)
            except EOFError:
                self.ended()
                return
            self.gather()

    def step_interrupt(self):
        self.process.send_signal(signal.SIGINT)
        self.say("-exec-interrupt")
        self.step_wait(1)

    def said(self):
        return self.client.errors()

    def ended(self):
        try:
            code = self.process.wait(LIMIT)
        except Exception:
            self.hang()
        self.note(self.client.tail())
        self.check_end(code)
        return False

    def finish(self):
        end = self.plan.end
        self.last = "the end: " + end
        if self.alive() and end != "kill9":
            if self.program and end == "detach":
                self.say("-target-detach")
            elif not self.changed and not self.program and end == "leave":
                self.to_end()
            if self.alive() and end == "eof":
                self.process.stdin.close()
            elif self.alive():
                self.put(b"-gdb-exit\n")
        elif self.alive():
            self.process.kill()
        deadline = time.monotonic() + LIMIT
        try:
            while self.client.read(max(deadline - time.monotonic(), 0)):
                pass
            self.hang()
        except EOFError:
            self.ended()

    def to_end(self):
        if "serve" in self.plan.args:
            return
        for line in ("-gdb-set scheduler-locking off", "-break-delete",
                     "-exec-interrupt"):
            if not self.say(line):
                return
        self.step_wait(2)
        for _ in range(3):
            if self.alive() and self.say("-exec-continue"):
                self.step_wait(60)
