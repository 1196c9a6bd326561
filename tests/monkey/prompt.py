"""Random sessions at the prompt: commands from the table that dndbg --manual
prints, and from the transcripts."""
import os
import re
import subprocess
import time

import drive
import words
from play import LIMIT, HURT, Fault, Play

# Not for a monkey: what carries out words of the shell, hides the prompt, or
# takes over processes that are not ours (those are planned by themselves).
BARRED = {"shell", "pipe", "new-ui", "attach", "snapshot", "tty",
          "set inferior-tty", "quit", "define", "document", "commands"}
# What is meant to change the program: not in a session whose program is judged.
CHANGING = {"jump", "kill", "signal", "queue-signal", "handle", "return", "call",
            "set variable", "set next-statement", "set environment", "set args",
            "set cwd", "set", "file", "core-file", "run", "start", "starti",
            "unset environment", "unset", "inferior", "source", "alias",
            "set evaluation", "server", "frame apply", "thread apply", "cd",
            "scheduler-locking"}
# Big files, minutes of work.
RARE = {"generate-core-file", "heap verify", "verifyheap", "heap diff"}
RUNS = ("continue", "next", "step", "finish", "until", "stepi", "nexti", "next 3",
        "step 2", "continue 2", "stepi 5")
SETTINGS = ("on", "off", "0", "1", "-1", "unlimited", "5", "99999999999", "",
            "auto", "late", "parent", "child", "interpret", "call", "x")
FORMATS = ("x", "d", "10i", "4gx", "s", "c", "99999999999x", "-3x", "z", "20xb",
           "100000gx", "o", "t", "a", "f")


class Table:
    """The commands with their usage, by the words of the manual."""

    def __init__(self, dndbg):
        text = subprocess.run([dndbg, "--manual"], capture_output=True,
                              text=True, check=True).stdout
        self.usage = {}
        for line in text.split("\n"):
            if line.startswith(".B "):
                plain = line[3:].replace("\\-", "-")
                names, _, usage = plain.partition("\\fI")
                name = names.split(",")[0].replace("\\fR", "").strip()
                self.usage[name] = usage.replace("\\fR", "").strip()
        shown = subprocess.run([dndbg, "--batch", "-ex", "show"],
                               capture_output=True, text=True).stdout
        self.settings = [line.partition(":")[0] for line in shown.split("\n")
                         if ":" in line and not line.startswith("prompt")]
        if len(self.usage) < 100 or len(self.settings) < 20:
            raise SystemExit("monkey: the manual lists no commands")


class Maker:
    """Makes the steps of a plan."""

    def __init__(self, table, plan, program, random):
        self.table = table
        self.plan = plan
        self.program = program
        self.random = random
        corpus = [line for _, lines in program.cases for line in lines]
        self.corpus = [self.marked(line) for line in corpus
                       if self.allowed(line)]
        self.names = [name for name in table.usage if self.allowed(name)]

    def marked(self, line):
        return re.sub(r"(?<![\w@])@([A-Za-z][\w-]*)", lambda m: "%s:%d"
                      % self.program.places.get(m[1], ("none.cs", 1)), line)

    def allowed(self, line):
        both = {" ".join(line.split()[:2]), line.split()[0] if line.split()
                else ""}
        if both & BARRED or line.startswith("!"):
            return False
        if not self.plan.quiet:
            return True
        return not both & CHANGING and not any(
            word in line for word in ("=", "++", "--", "Environment.", "$rip"))

    def word(self, kind):
        """Something for a word of a usage."""
        random, quiet = self.random, self.plan.quiet
        if random.random() < 0.08:
            return random.choice(words.SILLY)
        number = str(random.choice([0, 1, 1, 2, 3, 5, 10, 1000, 2 ** 32, -1]))
        makers = {
            "LOCATION": lambda: self.program.place(random),
            "EXPRESSION": lambda: self.program.expression(random, quiet),
            "CONDITION": lambda: self.program.condition(random, quiet),
            "ADDRESS": lambda: random.choice(
                ["$pc", "$sp", "this", "${address:%d}" % random.randint(0, 9),
                 "0x10", "$sp+8", "shelf"]),
            "FILE": lambda: random.choice(
                ["out.txt", "./a/b.txt", "", ".", "Program.cs", "/dev/null"]),
            "REGEX": lambda: random.choice(
                [random.choice(self.program.names), ".", "^M", "(", "[", "a*"]),
            "TYPE": lambda: random.choice(self.program.types or ["int"]),
            "METHOD": lambda: random.choice(self.program.methods or ["Main"]),
            "NAME": lambda: random.choice(self.program.names),
            "LIST": lambda: random.choice(["1", "1 2", "1-3", "3-1", "1.1", "99"]),
            "COMMAND": lambda: self.command(),
            "SETTING": lambda: random.choice(self.table.settings),
            "VALUE": lambda: random.choice(SETTINGS),
            "/FMT": lambda: "/" + random.choice(FORMATS),
            "FORMAT": lambda: random.choice(["%d", "%s %p", "%", "%n", "%999999d",
                                             "\\n\\x", "%c%c"]),
            "SIGNAL": lambda: random.choice(["SIGUSR1", "SIGSEGV", "0", "35", "x"]),
            "ACTION": lambda: random.choice(["stop", "nopass", "print", "x"]),
            "PLACE": lambda: random.choice(self.program.names),
            "GENERATION": lambda: random.choice(["0", "2", "loh", "x"]),
            "OPTIONS": lambda: random.choice(["-q", "-n", "--x", "-gfi"]),
            "THREAD": lambda: "${thread:%d}" % random.randint(0, 9),
        }
        return makers[kind]() if kind in makers else number

    def fill(self, usage):
        """One line of what a usage allows."""
        random = self.random

        def optional(m):
            if random.random() < 0.5:
                return ""
            return " " + random.choice(m[1].split(" | ")) + " "
        while "[" in usage:
            shorter = re.sub(r"\[([^\[\]]*)\]", optional, usage)
            if shorter == usage:
                break
            usage = shorter
        usage = random.choice(usage.split(" | "))
        usage = usage.replace("...", "")
        return re.sub(r"/FMT|[A-Z]{2,}|\bN\b",
                      lambda m: self.word(m[0]), usage)

    def command(self):
        """A command of the table with arguments."""
        random = self.random
        for _ in range(20):
            name = random.choice(self.names)
            if name in RARE and random.random() < 0.9:
                continue
            text = self.fill(self.table.usage[name])
            if name in ("core-file", "generate-core-file") and "/dev" in text:
                continue
            line = f"{name} {text}" if not text.startswith("/") else name + text
            if self.plan.quiet and not self.allowed(line.strip()):
                continue
            return line
        return "backtrace"

    def flow(self):
        """What makes the program run, or ends it."""
        return RUNS if self.plan.quiet else (*RUNS, "kill", "run", "detach",
                                             "delete", "start", "continue 3")

    def body(self, line):
        """What goes on for several lines."""
        lines = [self.random.choice(self.flow()) if self.random.random() < 0.5
                 else self.command() for _ in range(self.random.randint(0, 3))]
        return "\n".join([line, *lines, "end"])

    def line(self):
        random, quiet = self.random, self.plan.quiet
        kind = random.random()
        if kind < 0.22:
            return random.choice(self.flow())
        if kind < 0.42 and self.corpus:
            return random.choice(self.corpus)
        if kind < 0.55:
            verb = random.choice(["print", "p", "output", "ptype", "whatis",
                                  "display", "info symbol", "print/x", "x",
                                  "watch", "printf \"%s\\n\","])
            return f"{verb} {self.program.expression(random, quiet)}"
        if kind < 0.65:
            return random.choice(["break", "tbreak", "until", "advance", "list",
                                  "clear", "info line", "info scope"]) \
                + " " + self.program.place(random) \
                + (f" if {self.program.condition(random, quiet)}"
                   if random.random() < 0.4 else "")
        if kind < 0.68:
            return self.body(random.choice(["commands", "commands 1",
                                            "define mine", "define hook-stop"]))
        if kind < 0.70:
            return random.choice(words.SILLY).lstrip("!|")
        return self.command()

    def steps(self, count):
        random = self.random
        steps = []
        if random.random() < 0.3:
            steps.append(["say", "set confirm off", 1])
        for _ in range(random.randint(0, 4)):
            place = self.program.place(random)
            if random.random() < 0.3:
                place += f" if {self.program.condition(random, self.plan.quiet)}"
            steps.append(["say", f"break {place}", 3])
        if self.plan.how == "launch":
            steps.append(["say", random.choice(["run", "run", "start", "starti"]),
                          5])
        while len(steps) < count:
            kind = random.random()
            if len(steps) % 6 == 5:
                steps.append(["again"])
            if kind < 0.01:
                steps.append(["poke", random.choice(["WINCH", "CONT", "CHLD"])])
            elif kind < 0.03:
                steps.append(["interrupt"])
            elif kind < 0.05 and not self.plan.quiet:
                steps.append(["signal", random.choice(
                    ["KILL", "TERM", "USR1", "SEGV", "WINCH", "QUIT"])])
            elif kind < 0.06:
                steps.append(["say", "detach" if self.plan.how == "attach"
                              or not self.plan.quiet else "info program", 3])
            elif kind < 0.07 and self.plan.how == "attach":
                steps.append(["say", "attach ${pid:0}", 5])
            elif kind < 0.09 and not self.plan.quiet:
                steps.append(["say", random.choice(["kill", "run", "start"]), 3])
            elif kind < 0.12:
                steps.append(["type", "".join(
                    self.line() + "\n" for _ in range(random.randint(1, 4)))])
            else:
                steps.append(["say", self.line(),
                              random.choice([0.1, 1, 1, 3])])
        return steps


class Prompt(Play):
    """The session, at a terminal."""
    ANSWER = re.compile(r"(?:^\(dndbg\) |^ *>|\(y or n\) |\(\[?y\]?/n\).*|"
                        r"--Type <RET>.*)\Z", re.M)

    def begin(self):
        self.session = drive.Session([self.test.dndbg, "-q", *self.words()],
                                     self.test.env, self.test.dir)
        self.test.sessions.append(self.session)
        self.process = self.session.process
        self.marks = 0
        self.from_send = -2   # where the terminal stood then
        self.from_step = 0
        self.gone = self.plan.how == "launch"   # no program
        self.sync(30)

    def read(self, seconds):
        """Read for so long, or until dndbg waits for something behind what was
        sent last; is it that?"""
        deadline = time.monotonic() + seconds
        while True:
            if (len(self.session.text) > self.from_send + 1
                    and self.ANSWER.search(self.session.text[-200:])):
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if not self.session.read_more(min(left, 0.25)) and not self.alive():
                return True

    def sync(self, patience):
        """Until dndbg carries out a command again; Ctrl-C if it does not."""
        self.marks += 1
        mark = f"here-{self.marks}-"
        deadline = time.monotonic() + LIMIT + patience
        self.read(patience)
        while self.alive():
            tail = self.session.text[-200:]
            if tail.endswith("(y or n) "):
                self.send("y\n")
            elif re.search(r"(^|\n) *>\Z", tail):
                self.send("end\n")
            elif "--Type <RET>" in tail[-80:]:
                self.send("q\n")
            elif not self.ANSWER.search(tail):
                self.send("\x03")
                self.read(1)
            self.send(f"echo {mark}\\n\n")
            end = min(deadline, time.monotonic() + 3 * drive.TIME)
            while time.monotonic() < end and self.alive():
                if re.search(rf"^(?:\(dndbg\) |>)*{mark}$", self.session.text,
                             re.M):
                    self.read(0)
                    return
                self.session.read_more(0.25)
            if time.monotonic() > deadline:
                self.note(self.session.text[-3000:])
                self.hang()
        self.ended()

    def said(self):
        return self.session.text[-20000:]

    def ended(self):
        while self.session.read_more(0):
            pass
        self.note(self.session.text[-2000:])
        self.check_end(self.process.poll())

    def send(self, text):
        data = text.encode()
        self.from_send = len(self.session.text)
        # A terminal's queue is short, and read as dndbg gets to it.
        while data and self.alive():
            try:
                data = data[os.write(self.session.master, data[:512]):]
            except OSError:
                return
            self.session.read_more(0)

    def step_say(self, text, patience):
        self.from_step = len(self.session.text)
        self.send(self.resolve(text) + "\n")
        self.sync(patience * drive.TIME / 4)
        self.gather(self.session.text[self.from_step:])

    def step_type(self, text):
        """Typed ahead: nobody waits for each."""
        self.step_say(text.rstrip("\n"), 1)

    def step_interrupt(self):
        self.send("\x03")
        self.sync(0.2)

    def step_again(self):
        """Another program where there is none."""
        if self.gone:
            self.step_say(f"attach {self.program.pid}" if self.program
                          else "run", 5)

    def gather(self, text):
        self.note(text)
        for told in re.findall(r"exited (?:normally|with code)|killed\]|^Starting "
                               r"program|not being run|terminated with|^Detach|"
                               r"^Attaching", text, re.M):
            self.gone = told not in ("Starting program", "Attaching")
        for address in re.findall(r"0x[0-9a-f]{6,16}", text)[:20]:
            self.see("address", address)
        for thread in re.findall(r"^[* ] +(\d+) ", text, re.M)[:20]:
            self.see("thread", thread)
        if not self.changed and self.plan.fixture == words.JUDGE:
            found = HURT.search(text)
            if found:
                raise Fault("hurt: " + re.sub(r"\d+", "N", found[0])[:60], text)

    def finish(self):
        end = self.plan.end
        self.last = "the end: " + end
        if not self.alive():
            return self.ended()
        if end == "kill9":
            self.process.kill()
        elif end == "eof":
            self.send("\x04")
            self.send("\x04")
        else:
            if self.program and end == "detach":
                self.step_say("detach", 5)
            elif not self.changed and not self.program:
                self.to_end()
            self.send("set confirm off\nquit\n")
        deadline = time.monotonic() + LIMIT
        while self.alive():
            self.session.read_more(0.1)
            if end != "kill9" and self.ANSWER.search(self.session.text[-200:]):
                self.send("y\n" if "(y or n)" in self.session.text[-20:] else
                          "end\n" if self.session.text.endswith(">")
                          else "quit\n")
            elif end != "kill9" and time.monotonic() > deadline - LIMIT / 2:
                self.send("\x03")
            if time.monotonic() > deadline:
                self.hang()
        self.ended()

    def to_end(self):
        """Let the program run to its end, which must be as without us."""
        if "serve" in self.plan.args:
            return
        for line in ("set confirm off", "set scheduler-locking off", "delete",
                     "undisplay", "define hook-stop", "continue"):
            self.step_say(line, 30 if line == "continue" else 2)
