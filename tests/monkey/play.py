"""What the three fronts have in common when a plan is carried out: dndbg under
watch, the program that it attaches to, and what counts as a fault."""
import base64
import glob
import os
import re
import select
import signal
import subprocess
import time

import drive
import words

# No answer within this is a hang.
LIMIT = 15 * drive.TIME
REFERENCE = re.compile(r"\$\{(\w+):(\d+)\}")
REPORT = re.compile(r"\w+Sanitizer:|runtime error:")
# Where a report or a stack says it happened: the first frames that are ours.
FRAME = re.compile(r"#\d+ 0x[0-9a-f]+ in (\w+) \S*?/src/(\S+?):\d+")
# What the program says of its answers, and how dndbg tells of its end.
HURT = re.compile(r"^wrong: .*|^failed$|Unhandled exception.*|"
                  r"exited with code .*|terminated with signal .*", re.M)


class Fault(Exception):
    """What must not happen; the kind is the same for the same fault."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Program:
    """The program that dndbg attaches to; it checks its own answers."""

    def __init__(self, test, fixture, config):
        self.process = subprocess.Popen(
            ["dotnet", *drive.program(fixture, config), "serve"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=test.env, cwd=test.dir)
        self.pid = self.process.pid
        self.said = b""
        self.line("serving")

    def line(self, wanted):
        """Wait for a line with these words."""
        deadline = time.monotonic() + 2 * LIMIT
        while True:
            found = re.search(rb"^(.*\b%s\b.*)\n" % wanted.encode(), self.said,
                              re.M)
            if found:
                self.said = self.said[found.end():]
                return found[1].decode()
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [],
                                              left)[0]:
                raise Fault("hurt: the program stands still", self.state())
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise Fault("hurt: the program is gone",
                            f"status {self.process.wait()}\n"
                            + self.said.decode(errors="replace"))
            self.said += data

    def state(self):
        """What its threads wait in."""
        told = [self.said.decode(errors="replace")]
        for path in sorted(glob.glob(f"/proc/{self.pid}/task/*")):
            told.append(os.path.basename(path))
            for name in "status", "wchan", "syscall":
                try:
                    with open(f"{path}/{name}") as file:
                        text = file.read()
                except OSError:
                    continue
                told += [line for line in text.split("\n") if name != "status"
                         or line.startswith(("Name", "State", "Tracer",
                                             "SigPnd", "SigBlk"))]
        return "\n".join(told)

    def asked(self):
        try:
            self.process.stdin.write(b"x\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return int(self.line("days").split()[1])

    def judge(self):
        """It must go on, answer, and end as if nobody had looked at it."""
        deadline = time.monotonic() + LIMIT
        while drive.tracer_of(self.pid):
            if time.monotonic() > deadline:
                raise Fault("hurt: the program is still traced", self.state())
            time.sleep(0.05)
        before = self.asked()
        deadline = time.monotonic() + 2 * LIMIT
        while self.asked() < before + 3:
            if time.monotonic() > deadline:
                raise Fault("hurt: no work is done any more", self.state())
            time.sleep(0.05)
        self.process.stdin.close()
        self.line("ok")
        if self.process.wait(2 * LIMIT):
            raise Fault("hurt: exit status", str(self.process.returncode))

    def close(self):
        self.process.kill()
        self.process.wait()
        for pipe in self.process.stdin, self.process.stdout:
            try:
                pipe.close()
            except OSError:
                pass


class Play:
    """One plan carried out; run() returns or raises Fault."""
    def __init__(self, plan, dndbg):
        self.plan = plan
        self.test = drive.Test("monkey", dndbg, plan.runtime)
        log = f"{self.test.dir}/report"
        for name in "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS":
            self.test.env[name] += f":log_path={log}"
        self.test.env["ASAN_OPTIONS"] += ":handle_abort=1"
        self.program = None
        self.process = None   # dndbg
        self.last = "the start"
        self.seen = {}        # kind -> what the session has shown of it
        self.changed = not plan.quiet
        self.trace = []       # what was given and got, in short

    # What the fronts define: begin(), step(kind, *what), finish().

    def words(self):
        """The words behind dndbg that name the program, process or core."""
        started = drive.program(self.plan.fixture, self.plan.config) \
            + self.plan.args
        if self.program:
            return ["-p", str(self.program.pid)]
        if self.plan.how != "core":
            return ["--args", *started]
        mark = sorted(drive.places_of(self.plan.fixture).values())[0]
        self.test.batch(["break %s:%d" % mark, "run", "gcore --heap core",
                         "kill"], started)
        return ["--core", f"{self.test.dir}/core"]

    def see(self, kind, value):
        known = self.seen.setdefault(kind, [])
        if value not in known[-50:]:
            known.append(value)

    def resolve(self, value):
        """Replace references by what they stand for."""
        if isinstance(value, dict):
            return {key: self.resolve(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.resolve(one) for one in value]
        if not isinstance(value, str):
            return value
        whole = REFERENCE.fullmatch(value)
        if whole:
            return self.one(whole[1], int(whole[2]))
        return REFERENCE.sub(lambda m: str(self.one(m[1], int(m[2]))), value)

    def one(self, kind, number):
        if kind == "pid":
            return self.program.pid if self.program else 2 ** 22 + 1
        known = self.seen.get(kind)
        return known[-1 - number % len(known)] if known else number

    def note(self, text):
        self.trace.append(text if len(text) < 600 else text[:600] + " ...")

    def pids(self):
        """The debugged program's processes."""
        return [pid for pid, name in drive.tagged(self.test.tag).items()
                if pid != self.process.pid and name == "dotnet"]

    def signal(self, name):
        if name in ("KILL", "TERM", "INT", "SEGV", "ABRT", "QUIT"):
            self.changed = True
        for pid in self.pids():
            try:
                os.kill(pid, getattr(signal, "SIG" + name))
            except ProcessLookupError:
                pass

    def said(self):
        """What dndbg wrote beside its answers; the fronts know where."""
        return ""

    def reports(self):
        """What sanitizers report, in files or, of a signal, beside them."""
        text = self.said()
        text = text if REPORT.search(text) or FRAME.search(text) else ""
        for path in sorted(glob.glob(f"{self.test.dir}/report*")):
            with open(path, errors="replace") as file:
                text += file.read()
        return text

    def place_of(self, report):
        """Where a report says it happened, to tell faults apart."""
        frames = FRAME.findall(report)
        return " < ".join(name for name, _ in frames[:3]) or "?"

    def hang(self):
        """dndbg does not answer: end it by SIGABRT, which shows its stack."""
        pid = self.process.pid
        told = []
        for name in "wchan", "syscall", "stack":
            try:
                with open(f"/proc/{pid}/{name}") as file:
                    told.append(f"{name}: {file.read().strip()}")
            except OSError:
                continue
        state = drive.state(pid)
        try:
            os.kill(pid, signal.SIGABRT)
        except ProcessLookupError:
            pass
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
        report = self.reports()
        raise Fault(f"hang: {self.place_of(report)}",
                    f"no answer within {LIMIT:g} s to {self.last!r}; state "
                    f"{state}; {'; '.join(told)}\n{report}")

    def check_report(self):
        report = self.reports()
        if REPORT.search(report):
            kind = re.search(r"Sanitizer:? ([\w-]+)|runtime error: ([^\n]*)",
                             report)
            what = (kind[1] or kind[2]) if kind else "sanitizer"
            raise Fault(f"sanitizer: {what} in {self.place_of(report)}",
                        f"after {self.last!r}\n{report}")

    def check_end(self, code):
        """The end of dndbg: of what, and was it to come?"""
        self.check_report()
        if code == drive.SANITIZER_EXIT:
            raise Fault(f"sanitizer: exit in {self.place_of(self.reports())}",
                        f"after {self.last!r}\n{self.reports()}")
        if code is not None and code < 0 and self.plan.end != "kill9":
            raise Fault(f"crash: {signal.Signals(-code).name} "
                        f"{self.place_of(self.reports())}",
                        f"after {self.last!r}")

    def run(self):
        try:
            if self.plan.how == "attach":
                self.program = Program(self.test, self.plan.fixture,
                                       self.plan.config)
            self.begin()
            for kind, *what in self.plan.steps:
                if not self.alive():
                    break
                self.last = " ".join(str(one) for one in what)[:300] or kind
                self.note(f"> {kind} {self.last}")
                self.step(kind, *what)
            self.finish()
            self.check_report()
            if self.program and not self.changed:
                self.last = "the program afterwards"
                self.program.judge()
        except drive.Failure as e:
            self.check_report()
            raise Fault("form: " + re.sub(r"\d+", "N", str(e))[:80], str(e))
        finally:
            self.close()

    def alive(self):
        return self.process.poll() is None

    def step(self, kind, *what):
        if kind == "signal":
            self.signal(*what)
        elif kind == "poke":
            self.process.send_signal(getattr(signal, "SIG" + what[0]))
        elif kind == "pause":
            time.sleep(*what)
        else:
            getattr(self, "step_" + kind)(*what)

    def close(self):
        if self.program:
            self.program.close()
        self.test.kill_all()
        self.test.close()


def encoded(text):
    """Bytes that JSON can hold."""
    return base64.b64encode(text).decode()


def decoded(text):
    return base64.b64decode(text)
