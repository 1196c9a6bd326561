"""Random sessions by the Debug Adapter Protocol: requests of the protocol with
arguments of its types, and others."""
import json
import os
import re
import time

import dapdrive
import drive
import protocol
import words
from play import LIMIT, HURT, Fault, Play, decoded, encoded

REVERSE = {"runInTerminal", "startDebugging"}
BARRED = REVERSE | {"attach", "launch", "disconnect", "initialize", "terminate",
                    "configurationDone"}
CHANGING = {"setVariable", "setExpression", "writeMemory", "goto", "terminate",
            "restart", "terminateThreads", "restartFrame", "cancel"}
FLOW = ("continue", "next", "stepIn", "stepOut", "pause")
LOOKING = ("stackTrace", "scopes", "variables", "evaluate", "threads")
WHOLE = (0, 1, -1, 2, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 2 ** 64, -2 ** 63)


class Table:
    """The requests that the adapter may get: name -> the shape of arguments."""

    def __init__(self, dndbg):
        self.requests = {name: shape[0][0]
                         for name, shape in protocol.REQUESTS.items()}


class Maker:
    """Makes the steps of a plan."""

    def __init__(self, table, plan, program, random):
        self.table = table
        self.plan = plan
        self.program = program
        self.random = random
        self.names = sorted(
            name for name in table.requests if name not in BARRED
            and not (plan.quiet and name in CHANGING))

    def source(self):
        path = self.random.choice(self.program.files)
        return self.random.choice([
            {"path": path}, {"path": path, "name": os.path.basename(path)},
            {"name": os.path.basename(path)}, {"path": os.path.basename(path)},
            {"sourceReference": "${source:0}"}, {"path": ""},
            {"path": "./no/such.cs"}, {}])

    def line(self):
        random = self.random
        if self.program.places and random.random() < 0.8:
            return random.choice(sorted(self.program.places.values()))[1]
        return random.choice([0, -1, 1, 12, 99999, 2 ** 31 - 1])

    def named(self, name):
        """A value for a member of this name; None if the name says nothing."""
        random, quiet = self.random, self.plan.quiet
        n = random.randint(0, 9)
        makers = {
            "threadId": lambda: "${thread:%d}" % n,
            "frameId": lambda: "${frame:%d}" % n,
            "variablesReference": lambda: "${ref:%d}" % n,
            "sourceReference": lambda: "${source:%d}" % n,
            "targetId": lambda: "${target:%d}" % n,
            "requestId": lambda: random.randint(0, 60),
            "memoryReference": lambda: "${memory:%d}" % n,
            "instructionReference": lambda: "${memory:%d}" % n,
            "dataId": lambda: "${data:%d}" % n,
            "locationReference": lambda: "${location:%d}" % n,
            "expression": lambda: self.program.expression(random, quiet),
            "name": lambda: random.choice(self.program.names),
            "value": lambda: random.choice(["1", "null", "\"x\"", "x", ""]),
            "condition": lambda: self.program.condition(random, quiet),
            "hitCondition": lambda: random.choice(["2", ">1", "% 2", "x", ""]),
            "logMessage": lambda: "at {%s}" % self.program.expression(random, quiet),
            "line": self.line, "endLine": self.line,
            "column": lambda: random.choice([1, 5, 9, 0, 9999]),
            "count": lambda: random.choice([0, 1, 16, 100, 2 ** 20, -1]),
            "instructionCount": lambda: random.choice([1, 20, 1000, -1, 2 ** 31]),
            "levels": lambda: random.choice([0, 1, 20, 2 ** 31 - 1]),
            "filters": lambda: random.sample(["all", "user-unhandled", "unhandled",
                                              "thrown", "x"], random.randint(0, 2)),
            "filterId": lambda: random.choice(["all", "user-unhandled", "x"]),
            "context": lambda: random.choice(["watch", "hover", "repl", "clipboard",
                                              "variables", "x"]),
            "source": self.source, "text": lambda: random.choice(
                [self.program.expression(random, True), "print ", "this."]),
            "data": lambda: random.choice(["", "AAAA", "!!!!", "A"]),
            "granularity": lambda: random.choice(["statement", "line", "instruction"]),
            "singleThread": lambda: random.random() < 0.1,
            "breakpoints": lambda: None,
        }
        return makers[name]() if name in makers else None

    def value(self, shape, name, depth=0):
        """A value of a shape of protocol.py."""
        random = self.random
        if random.random() < 0.02:
            return random.choice([None, [], {}, "", -1, 1e300, True, "x" * 5000,
                                  [[[]]], 2 ** 70, *words.SILLY])
        given = self.named(name)
        if given is not None:
            return given
        kind, what = shape
        if kind == "either":
            return self.value(random.choice(what), name, depth)
        if kind == "words":
            return random.choice(what)
        if kind == "list":
            return [self.value(what, name.rstrip("s"), depth + 1)
                    for _ in range(random.randint(0, 3))] if depth < 4 else []
        if kind == "map":
            return {random.choice(self.program.names): self.value(what, "", depth + 1)}
        if kind == "members":
            return {member: self.value(inner, member, depth + 1)
                    for member, (required, inner) in what.items()
                    if required or random.random() < 0.4}
        plain = {"str": lambda: random.choice(words.SILLY),
                 "int": lambda: random.choice(WHOLE),
                 "num": lambda: random.choice([*WHOLE, 0.5, -1e300]),
                 "bool": lambda: random.random() < 0.5, "null": lambda: None,
                 "obj": lambda: {}, "any": lambda: random.choice([None, 1, "x", {}]),
                 "none": lambda: {}}
        if what in plain:
            return plain[what]()
        return self.value(protocol.TYPES[what], name, depth + 1) \
            if what not in protocol.OPEN else {}

    def request(self, name):
        arguments = self.value(self.table.requests[name], "arguments")
        if name in FLOW and self.random.random() < 0.9:
            arguments = {"threadId": "${thread:%d}" % self.random.randint(0, 2)}
        if name == "evaluate" and isinstance(arguments, dict):
            arguments.setdefault("frameId", "${frame:0}")
        if name == "setBreakpoints" and isinstance(arguments, dict):
            arguments["source"] = {"path": self.random.choice(self.program.files)}
            arguments.setdefault("breakpoints", [{"line": self.line()}
                                                 for _ in range(2)])
        return ["ask", name, arguments, self.random.random() < 0.8]

    def launch(self):
        random = self.random
        arguments = {}
        for name in ("stopAtEntry", "justMyCode", "noDebug"):
            if random.random() < (0.3 if name != "noDebug" else 0.03):
                arguments[name] = random.random() < 0.7
        if self.plan.how == "attach":
            return ["ask", "attach", {**arguments, "processId": "${pid:0}"}, False]
        if random.random() < 0.1 and not self.plan.quiet:
            arguments["console"] = random.choice(
                ["integratedTerminal", "internalConsole", "x"])
        return ["ask", "launch", {**arguments, "program": "${program:0}",
                                  "args": self.plan.args}, False]

    def garbage(self):
        random = self.random
        body = json.dumps({"seq": random.randint(10 ** 6, 10 ** 9),
                           "type": "request", "command": "threads"}).encode()
        return random.choice([
            b"Content-Length: 0\r\n\r\n", b"Content-Length: 2\r\n\r\n{}",
            b"Content-Length: -1\r\n\r\n", b"\r\n\r\n", b"x: y\r\n\r\n",
            b"Content-Length: 99999999999999999999\r\n\r\n",
            b"Content-Length: 4\r\n\r\nnull", b"Content-Length: 3\r\n\r\n{\"\xff",
            b"Content-Length: 200000\r\n\r\n" + b"[" * 200000,
            b"Content-Length: %d\r\n\r\n" % (len(body) + 5) + body,
            b"Content-Length: %d\r\n\r\n" % (len(body) - 5) + body,
            b"Content-Length: %d\r\nX: y\r\n\r\n" % len(body) + body,
            bytes(random.randrange(256) for _ in range(80))])

    def configure(self):
        random = self.random
        steps = [self.request("setBreakpoints")
                 for _ in range(random.randint(0, 3))]
        if random.random() < 0.4:
            steps.append(["ask", "setExceptionBreakpoints", {
                "filters": [random.choice(["all", "user-unhandled"])]}, True])
        if random.random() < 0.3:
            steps.append(self.request("setFunctionBreakpoints"))
        return steps

    def steps(self, count):
        random = self.random
        steps = [["ask", "initialize", {"adapterID": "coreclr",
                                        "supportsVariableType": True,
                                        "supportsProgressReporting":
                                        random.random() < 0.5}, True]]
        launch = self.launch()
        if random.random() < 0.5:
            steps += [launch, *self.configure()]
        else:
            steps += [*self.configure(), launch]
        steps.append(["ask", "configurationDone", {}, True])
        steps.append(["wait", 5])
        if random.random() < 0.05:
            random.shuffle(steps)
        while len(steps) < count:
            kind = random.random()
            if kind < 0.25:
                steps.append(self.request(random.choice(FLOW)))
                steps.append(["wait", random.choice([0.05, 0.5, 2])])
            elif kind < 0.55:
                steps.append(self.request(random.choice(LOOKING)))
            elif kind < 0.57 and not self.plan.quiet:
                steps.append(["signal", random.choice(
                    ["KILL", "TERM", "USR1", "SEGV", "WINCH"])])
            elif kind < 0.58 and not self.plan.quiet:
                steps.append(["ask", random.choice(["terminate", "restart"]), {},
                              True])
            elif kind < 0.65 and self.plan.hostile:
                steps.append(["raw", encoded(self.garbage())])
            else:
                steps.append(self.request(random.choice(self.names)))
        return steps


class Adapter(Play):
    """The session, by pipes."""

    def begin(self):
        self.seen["program"] = [drive.program(self.plan.fixture,
                                              self.plan.config)[0]]
        self.client = dapdrive.Client(self.test)
        self.test.sessions.append(self.client)
        self.process = self.client.process
        self.sent = {}        # seq -> command, not answered yet
        self.marked = 0
        self.running = True
        self.over = False     # the program has ended
        self.behind = 0       # steps carried out behind its end
        self.broken = False   # bytes were sent that are no message

    def read(self, seconds):
        """Read one message; False when time is up or at dndbg's end."""
        try:
            got = self.client.read(seconds)
        except EOFError:
            self.ended()
            return False
        self.gather()
        return got

    def until(self, ready):
        deadline = time.monotonic() + LIMIT
        while self.alive() and not ready():
            left = deadline - time.monotonic()
            if left <= 0:
                self.note(self.client.tail())
                self.hang()
            self.read(min(left, 1))
        return self.alive()

    def gather(self):
        history = self.client.history
        for message in history[self.marked:]:
            text = json.dumps(message)
            self.note(("  " if message["type"] != "request" else "- ") + text)
            if message["type"] == "response":
                self.sent.pop(message["request_seq"], None)
                self.answered(message)
            elif message["type"] == "event":
                self.told(message["event"], message.get("body", {}))
            elif message["command"] in REVERSE and message in self.client.asked:
                self.client.asked.remove(message)
                self.reply(message)
            for kind, pattern in (
                    ("ref", r'"variablesReference": ([1-9]\d*)'),
                    ("memory", r'"memoryReference": "(0x[0-9a-f]+)'),
                    ("memory", r'"instructionPointerReference": "(0x[0-9a-f]+)'),
                    ("source", r'"sourceReference": ([1-9]\d*)'),
                    ("data", r'"dataId": "([^"]+)"'),
                    ("location", r'"\w+LocationReference": (\d+)')):
                if message["type"] != "request":
                    for value in re.findall(pattern, text)[:20]:
                        self.see(kind, int(value) if value.isdigit() else value)
        self.marked = len(history)

    def answered(self, message):
        body = message.get("body") or {}
        for frame in body.get("stackFrames", [])[:30]:
            self.see("frame", frame["id"])
        for thread in body.get("threads", []):
            self.see("thread", thread["id"])
        for target in body.get("targets", []):
            if "id" in target:
                self.see("target", target["id"])

    def told(self, event, body):
        if event == "stopped":
            self.running = False
            if "threadId" in body:
                self.see("thread", body["threadId"])
                # the one that stopped is the one that is meant mostly
                known = self.seen["thread"]
                known.remove(body["threadId"])
                known.append(body["threadId"])
        elif event in ("continued", "exited", "terminated"):
            self.running = event == "continued"
            self.over = self.over or event == "terminated"
        if self.changed or self.plan.fixture != words.JUDGE:
            return
        found = HURT.search(body.get("output", ""))
        if event == "output" and found and body.get("category") == "stdout":
            raise Fault("hurt: " + found[0][:60], self.client.tail())
        if event == "exited" and body["exitCode"]:
            raise Fault(f"hurt: exit code {body['exitCode']}", self.client.tail())

    def reply(self, request):
        self.client.seq += 1
        self.post({"seq": self.client.seq, "type": "response", "success": False,
                   "command": request["command"], "message": "no",
                   "request_seq": request["seq"]})

    def put(self, data):
        """Give bytes, reading meanwhile."""
        fd = self.process.stdin.fileno()
        os.set_blocking(fd, False)
        deadline = time.monotonic() + LIMIT
        while data and self.alive():
            try:
                data = data[os.write(fd, data[:65536]):]
            except BlockingIOError:
                self.read(0.05)
            except BrokenPipeError:
                self.ended()
            if time.monotonic() > deadline:
                self.hang()

    def post(self, message):
        self.client.history.append(message)
        body = json.dumps(message).encode()
        self.put(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def step_ask(self, name, arguments, wait):
        self.client.seq += 1
        seq = self.client.seq
        self.sent[seq] = name
        self.post({"seq": seq, "type": "request", "command": name,
                   "arguments": self.resolve(arguments)})
        if name in ("continue", "next", "stepIn", "stepOut"):
            self.running = True
        if wait and not self.broken:
            self.until(lambda: seq not in self.sent)

    def step(self, kind, *what):
        # a few requests behind the end are enough
        self.behind += self.over
        if self.behind < 5:
            super().step(kind, *what)

    def step_raw(self, text):
        self.broken = True
        data = decoded(text)
        # a request may be whole though its frame is not: it may be answered
        for body in re.findall(rb'{"seq": \d+, "type": "request".*?}', data):
            self.client.history.append(json.loads(body))
        self.put(data)
        self.step_wait(1)

    def step_wait(self, seconds):
        deadline = time.monotonic() + seconds * drive.TIME / 4
        while self.running and self.alive() and time.monotonic() < deadline:
            self.read(0.1)

    def said(self):
        return self.client.errors()

    def ended(self):
        try:
            code = self.process.wait(LIMIT)
        except Exception:
            self.hang()
        self.note(self.client.errors()[-2000:])
        self.check_end(code)

    def finish(self):
        end = self.plan.end
        self.last = "the end: " + end
        if self.alive() and end == "kill9":
            self.process.kill()
        elif self.alive() and (end == "eof" or self.broken):
            self.process.stdin.close()
        elif self.alive():
            if not self.changed and not self.program:
                self.to_end()
            # from here on the end of a program that was started is ours
            self.changed = self.changed or not self.program
            self.step_ask("disconnect", {}, True)
            missing = [f"{name} ({seq})" for seq, name in self.sent.items()]
            if missing and self.alive() and not self.broken:
                raise Fault("form: not answered: " + missing[0].split()[0],
                            f"{missing}\n{self.client.tail()}")
            if self.alive():
                self.process.stdin.close()
        deadline = time.monotonic() + LIMIT
        while self.alive():
            self.read(0.5)
            if time.monotonic() > deadline:
                self.hang()
        self.ended()

    def to_end(self):
        if "serve" in self.plan.args:
            return
        for path in words.Program(self.plan.fixture).files:
            self.step_ask("setBreakpoints", {"source": {"path": path},
                                             "breakpoints": []}, True)
        for name in ("setFunctionBreakpoints", "setInstructionBreakpoints",
                     "setDataBreakpoints"):
            self.step_ask(name, {"breakpoints": []}, True)
        self.step_ask("setExceptionBreakpoints", {"filters": []}, True)
        # the steps may have left it out, or said it too early
        self.step_ask("configurationDone", {}, True)
        deadline = time.monotonic() + LIMIT
        while self.alive() and not self.over and not self.idle():
            self.step_ask("continue", {"threadId": "${thread:0}"}, True)
            self.step_wait(2)
            if time.monotonic() > deadline:
                raise Fault("hurt: the program does not end", self.client.tail())

    def idle(self):
        """Was no program started, or is it not ours?"""
        return not any(m.get("command") in ("launch",) and m.get("success")
                       and m["type"] == "response" for m in self.client.history)
