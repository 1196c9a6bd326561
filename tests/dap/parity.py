"""The sessions of scenario.txt, by the prompt, by the protocol of editors and
by GDB/MI: the same facts."""
import os
import re

import drive


class Prompt:
    """A session at the prompt."""

    def __init__(self, t, words):
        self.t = t
        self.fixture = words[0]
        self.session = t.start("--args", *t.program(*words))
        self.cmd("set confirm off")
        self.cmd("set skip-opening-brace off")  # as editors have it
        self.cmd("set print elements 1024")     # of a string

    def cmd(self, text):
        return self.session.cmd(text).replace("\r\n", "\n")

    def break_at(self, mark, condition):
        place = self.t.at(self.fixture, mark)
        self.cmd(f"b {place}" + (f" if {condition}" if condition else ""))

    def catch(self, types):
        self.cmd(f"catch throw {types}")

    def clear(self):
        self.cmd("delete")

    def run(self):
        self.cmd("run")

    def resume(self, how):
        self.out = self.cmd(how)

    def where(self):
        return [(name, int(line)) for name, line in re.findall(
            r"^#\d+ +(?:0x\w+ in )?([\w.<>]+) \(.*\) at \w+\.cs:(\d+)",
            self.cmd("bt"), re.M)]

    def values(self):
        text = self.cmd("info args") + "\n" + self.cmd("info locals")
        return dict(re.findall(r"^(\w+) = ([^{].*)$", text, re.M))

    def print(self, expression):
        return self.t.check_match(r"(?m)^\$\d+ = (.*)$",
                                  self.cmd("print " + expression))[1]

    def view(self, expression):
        # the prompt shows what is in it behind it
        return self.print(expression).partition(" = {")[0]

    def set(self, target, value):
        self.cmd(f"set var {target} = {value}")

    def end(self):
        found = self.t.check_match(r"exited (normally|with code 0*(\d+))",
                                   self.out)
        return int(found[2] or "0", 8)


class Protocol:
    """The same by the protocol."""

    def __init__(self, t, words):
        self.t = t
        self.source = t.source(words[0])
        self.fixture = words[0]
        self.words = t.program(*words)
        self.c = t.adapter()
        self.breaks, self.types = [], None

    def break_at(self, mark, condition):
        line = self.t.line(self.fixture, mark)
        self.breaks.append({"line": line, **(
            {"condition": condition} if condition else {})})
        if self.c.capabilities:
            self.c.set_breaks(self.source, self.breaks)

    def catch(self, types):
        self.types = types

    def clear(self):
        self.breaks = []
        self.c.set_breaks(self.source, [])

    def configure(self, c):
        options = [{"filterId": "all", "condition": self.types}]
        c.ask("setExceptionBreakpoints", filters=[],
              filterOptions=options if self.types else [])

    def run(self):
        self.c.launch(self.words, {self.source: self.breaks}, self.configure)
        self.c.stopped()

    def resume(self, how):
        self.c.ask({"step": "stepIn", "finish": "stepOut"}.get(how, how),
                   threadId=self.c.thread)
        self.c.until("a stop or the end", lambda: self.c.has_event("stopped")
                     or self.c.has_event("terminated"))
        if self.c.has_event("stopped"):
            self.c.stopped()

    def where(self):
        return [(f["name"].partition("(")[0], f["line"])
                for f in self.c.frames() if f.get("source")]

    def values(self):
        return {v["name"]: v["value"] for name in ("Locals",)
                for v in self.c.scope(name).values()
                if not v["value"].startswith("{")}

    def print(self, expression):
        return self.c.evaluate(expression)["result"]

    view = print

    def set(self, target, value):
        self.c.ask("setExpression", expression=target, value=value,
                   frameId=self.c.top()["id"])

    def end(self):
        return self.c.event("exited")["exitCode"]


class Machine:
    """The same by GDB/MI."""

    def __init__(self, t, words):
        self.t = t
        self.fixture = words[0]
        self.c = t.mi("-i=mi", "--args", *t.program(*words))
        self.c.ask("-enable-pretty-printing")
        self.c.ask("-gdb-set print elements 1024")

    def break_at(self, mark, condition):
        condition = f'-c "{condition}" ' if condition else ""
        self.c.ask(f"-break-insert -f {condition}"
                   + self.t.at(self.fixture, mark))

    def catch(self, types):
        self.c.ask(f'-catch-throw -r "{types}"')

    def clear(self):
        table = self.c.ask("-break-list")["BreakpointTable"]
        for b in table["body"]:
            self.c.ask("-break-delete " + b["number"])

    def run(self):
        self.stop = self.c.go("-exec-run")

    def resume(self, how):
        self.stop = self.c.go("-exec-" + how)

    def where(self):
        return [(f["func"], int(f["line"]))
                for f in self.c.ask("-stack-list-frames")["stack"]
                if "line" in f]

    def values(self):
        found = self.c.ask("-stack-list-variables --all-values")["variables"]
        return {v["name"]: v["value"] for v in found
                if not v["value"].startswith("{")}

    def print(self, expression):
        return self.c.ask("-data-evaluate-expression " + expression)["value"]

    view = print

    def set(self, target, value):
        self.c.ask(f"-data-evaluate-expression {target} = {value}")

    def end(self):
        return int(self.stop.get("exit-code", "0"), 8)


def facts(side, lines):
    """What a session gives for each line that asks."""
    found = []
    for line in lines:
        verb, _, rest = line.partition(" ")
        if verb == "break":
            mark, _, condition = rest.partition(" if ")
            side.break_at(mark, condition)
        elif verb == "set":
            side.set(*rest.split(" = "))
        elif verb in ("print", "view"):
            found.append((line, getattr(side, verb)(rest)))
        elif verb in ("where", "values", "end"):
            found.append((line, getattr(side, verb)()))
        elif verb in ("step", "next", "finish", "continue"):
            side.resume(verb)
        else:
            getattr(side, verb)(*([rest] if rest else []))
    return found


def scenarios():
    path = os.path.join(drive.TOP, "tests", "dap", "scenario.txt")
    with open(path) as file:
        text = "".join(line for line in file if not line.startswith("#"))
    return [part.split("\n") for part in text.strip().split("\n\n")]


def test_scenarios(t):
    """Frames with their lines, arguments, locals, expressions, exceptions,
    assignments, steps, exit codes."""
    for program, *lines in scenarios():
        words = program.split()[1:]
        prompt = facts(Prompt(t, words), lines)
        t.check(all(fact or line == "end" for line, fact in prompt),
                f"{program}: nothing to compare in {prompt}")
        for side in Protocol, Machine:
            for wanted, got in zip(prompt, facts(side(t, words), lines)):
                t.check_equal(wanted, got)
