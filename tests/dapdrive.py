"""A client of the Debug Adapter Protocol for tests: starts dndbg as an
adapter, checks every message in both directions against protocol.py, keeps
the events in order."""
import json
import os
import select
import subprocess
import tempfile
import time

import protocol
from drive import TIME, Failure


class Refused(Exception):
    """The answer to a request was not success; the text is its message."""

    def __init__(self, answer):
        super().__init__(answer.get("message", ""))
        self.answer = answer


class Client:
    """One session with an adapter."""

    def __init__(self, test, *args, env=None, command=None, stdin=None,
                 stdout=None):
        self.test = test
        self.seq = 0
        self.bytes = b""
        self.events = []      # not taken yet
        self.history = []     # every message, in order
        self.answers = {}
        self.asked = []       # the adapter's requests, not taken yet
        self.last_seq = 0
        self.process = None
        self.stderr = tempfile.TemporaryFile()
        if stdin is None:
            self.process = subprocess.Popen(
                command or [test.dndbg, "--interpreter=vscode", *args],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self.stderr, env={**test.env, **(env or {})},
                cwd=test.dir, start_new_session=True)
            self.pid = self.process.pid
            stdin, stdout = self.process.stdin, self.process.stdout
        self.stdin, self.stdout = stdin, stdout
        self.capabilities = {}

    def errors(self):
        """What dndbg wrote to stderr."""
        self.stderr.seek(0)
        return self.stderr.read().decode(errors="replace")

    # The exchange.

    def write(self, data):
        self.stdin.write(data)
        self.stdin.flush()

    def post(self, message):
        protocol.check(message, self.history)
        self.history.append(message)
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, command, **arguments):
        """Send a request; its number."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments or protocol.REQUESTS[command][0][1]:
            message["arguments"] = arguments
        self.post(message)
        return self.seq

    def take(self):
        """A whole message out of what was read; None if there is none."""
        head, found, rest = self.bytes.partition(b"\r\n\r\n")
        if not found:
            return None
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n"))
        if set(fields) != {b"Content-Length"}:
            raise Failure(f"a strange header: {head!r}")
        size = int(fields[b"Content-Length"])
        if len(rest) < size:
            return None
        self.bytes = rest[size:]
        return json.loads(rest[:size].decode("utf-8", errors="strict"))

    def read(self, timeout):
        """Read one message into its place; False when time is up."""
        deadline = time.monotonic() + timeout
        while True:
            message = self.take()
            if message is not None:
                break
            left = max(deadline - time.monotonic(), 0)
            if not select.select([self.stdout], [], [], left)[0]:
                return False
            data = os.read(self.stdout.fileno(), 1 << 20)
            if not data:
                raise EOFError
            self.bytes += data
        if message["seq"] <= self.last_seq:
            raise Failure(f"seq does not rise: {message}")
        self.last_seq = message["seq"]
        protocol.check(message, self.history)
        self.history.append(message)
        if message["type"] == "event":
            self.events.append(message)
        elif message["type"] == "response":
            self.answers[message["request_seq"]] = message
        else:
            self.asked.append(message)
        return True

    def until(self, what, ready, timeout=20):
        """Read until ready() gives something; that."""
        deadline = time.monotonic() + timeout * TIME
        while True:
            result = ready()
            if result:
                return result
            left = deadline - time.monotonic()
            try:
                more = left > 0 and self.read(left)
            except EOFError:
                raise Failure(f"waited for {what} and the adapter ended;\n"
                              + self.tail())
            if not more:
                raise Failure(f"waited {timeout * TIME:g} s in vain for "
                              f"{what};\n" + self.tail())

    def tail(self):
        text = "\n".join(json.dumps(m)[:1000] for m in self.history[-25:])
        return "the last messages:\n" + text

    def answer(self, seq, timeout=20):
        """The answer to a request, whatever it says."""
        return self.until(f"the answer to request {seq}",
                          lambda: self.answers.pop(seq, None), timeout)

    def ask(self, command, timeout=20, **arguments):
        """Send a request and wait for its success; the body."""
        answer = self.answer(self.send(command, **arguments), timeout)
        if not answer["success"]:
            raise Refused(answer)
        return answer.get("body", {})

    def refused(self, command, **arguments):
        """Send a request that must fail; the words."""
        try:
            body = self.ask(command, **arguments)
        except Refused as e:
            return str(e)
        raise Failure(f"'{command}' was not refused: {body}")

    def event(self, name, timeout=20, **wanted):
        """Wait for an event with these members; take it, leave the others."""
        def ready():
            for i, event in enumerate(self.events):
                body = event.get("body", {})
                if event["event"] == name and all(
                        body.get(k) == v for k, v in wanted.items()):
                    del self.events[i]
                    return {"body": body}
            return None
        return self.until(f"the event '{name}' {wanted or ''}", ready,
                          timeout)["body"]

    def has_event(self, name):
        return any(e["event"] == name for e in self.events)

    def request(self, command, timeout=20):
        """Wait for a request of the adapter."""
        def ready():
            for i, message in enumerate(self.asked):
                if message["command"] == command:
                    return self.asked.pop(i)
            return None
        return self.until(f"the request '{command}'", ready, timeout)

    def output(self, category="stdout"):
        """All output of a category up to now."""
        return "".join(m["body"]["output"] for m in self.history
                       if m.get("event") == "output"
                       and m["body"].get("category") == category)

    # Usual ways.

    def initialize(self, **more):
        arguments = dict(
            adapterID="coreclr", clientID="test", linesStartAt1=True,
            columnsStartAt1=True, pathFormat="path",
            supportsVariableType=True, supportsVariablePaging=True,
            supportsRunInTerminalRequest=True, supportsMemoryReferences=True,
            supportsInvalidatedEvent=True, supportsMemoryEvent=True,
            supportsProgressReporting=True, supportsStartDebuggingRequest=True)
        arguments.update(more)
        self.capabilities = self.ask("initialize", **arguments)
        self.event("initialized")
        return self.capabilities

    def launch(self, words, breaks=None, configure=None, request="launch",
               **more):
        """Initialize, launch a program with breakpoints ({path: [lines or
        objects]}), and run it; the answers to setBreakpoints."""
        if not self.capabilities:
            self.initialize()
        if request == "launch" and words:
            more.setdefault("program", words[0])
            if len(words) > 1:
                more.setdefault("args", words[1:])
        launched = self.send(request, **more)
        answers = {}
        for path, lines in (breaks or {}).items():
            answers[path] = self.set_breaks(path, lines)
        if configure:
            configure(self)
        self.ask("configurationDone")
        answer = self.answer(launched)
        if not answer["success"]:
            raise Refused(answer)
        return answers

    def set_breaks(self, path, lines):
        return self.ask("setBreakpoints", source={"path": path}, breakpoints=[
            line if isinstance(line, dict) else {"line": line}
            for line in lines])["breakpoints"]

    def stopped(self, reason=None, timeout=20):
        body = self.event("stopped", timeout)
        if reason and body["reason"] != reason:
            raise Failure(f"wanted a stop by '{reason}', got {body}")
        self.thread = body.get("threadId")
        return body

    def frames(self, **more):
        return self.ask("stackTrace", threadId=self.thread,
                        **more)["stackFrames"]

    def top(self):
        return self.frames(startFrame=0, levels=1)[0]

    def scope(self, name, frame=None):
        """The variables of a scope: name -> variable."""
        scopes = self.ask("scopes", frameId=frame or self.top()["id"])["scopes"]
        for scope in scopes:
            if scope["name"] == name:
                return self.variables(scope["variablesReference"])
        raise Failure(f"no scope '{name}' in {scopes}")

    def variables(self, reference, **more):
        found = self.ask("variables", variablesReference=reference, **more)
        return {v["name"]: v for v in found["variables"]}

    def evaluate(self, expression, context="watch", frame=None, **more):
        return self.ask("evaluate", expression=expression, context=context,
                        frameId=frame or self.top()["id"], **more)

    def go(self):
        self.ask("continue", threadId=self.thread)

    def step(self, command="next", **more):
        self.ask(command, threadId=self.thread, **more)
        return self.stopped("step")

    def end(self, code=0, timeout=30):
        """Let the program run to its end and leave."""
        body = self.event("exited", timeout)
        if code is not None and body["exitCode"] != code:
            raise Failure(f"exit code {body['exitCode']}, not {code}")
        self.event("terminated")
        self.ask("disconnect")
        return self.wait()

    def wait(self, code=0, timeout=20):
        """Wait for the adapter's end."""
        try:
            while self.read(timeout * TIME):
                pass
        except EOFError:
            pass
        try:
            got = self.process.wait(timeout * TIME)
        except subprocess.TimeoutExpired:
            raise Failure("the adapter does not end;\n" + self.tail())
        if got != code:
            raise Failure(f"the adapter ended with {got}, not {code}:\n"
                          + self.errors())

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()
            self.stdin.close()
            self.stdout.close()
        self.stderr.close()
