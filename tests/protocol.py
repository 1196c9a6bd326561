"""Checks messages of the Debug Adapter Protocol against protocol.txt: every
member known and of its type, every required member there.
  tests/protocol.py FILE...
checks whole exchanges, one message a line, and that together they have every
request and event that dndbg serves."""
import json
import os
import re
import sys

from drive import Failure

PLAIN = {
    "str": lambda v: isinstance(v, str),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "num": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "bool": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "obj": lambda v: isinstance(v, dict),
    "any": lambda v: True,
}
# What adapters agree on with their clients, not with the protocol.
OPEN = ("LaunchRequestArguments", "AttachRequestArguments",
        "ExceptionDetails")
TOKEN = re.compile(r'"[^"]*"|[\w$]+|[{}\[\]<>:!|]')


class Parser:
    """A shape's text, taken apart."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def next(self, wanted=None):
        token = self.tokens[self.at]
        self.at += 1
        if wanted and token != wanted:
            raise ValueError(f"{wanted} wanted in {self.tokens}")
        return token

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def shape(self):
        shapes = [self.one()]
        while self.peek() == "|":
            self.next()
            shapes.append(self.one())
        return shapes[0] if len(shapes) == 1 else ("either", shapes)

    def one(self):
        token = self.next()
        if token == "[":
            inner = self.shape()
            self.next("]")
            return ("list", inner)
        if token == "<":
            inner = self.shape()
            self.next(">")
            return ("map", inner)
        if token == "{":
            return ("members", self.members())
        if token.startswith('"'):
            return ("words", token.strip('"').split(","))
        return ("name", token)

    def members(self):
        members = {}
        while self.peek() != "}":
            name = self.next()
            required = self.peek() == "!"
            if required:
                self.next()
            self.next(":")
            members[name] = (required, self.shape())
        self.next("}")
        return members

    def carried(self):
        """A shape and whether it is required."""
        shape = self.shape()
        required = self.peek() == "!"
        if required:
            self.next()
        return shape, required


def load():
    requests, events, types = {}, {}, {}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "protocol.txt")
    with open(path) as file:
        lines = [line for line in file if not line.startswith("#")]
    for line in "".join(lines).replace("\n ", " ").split("\n"):
        if not line:
            continue
        kind, name, rest = line.split(" ", 2)
        parser = Parser(rest)
        if kind == "request":
            requests[name] = (parser.carried(), parser.carried())
        elif kind == "event":
            events[name] = parser.shape()
        else:
            types[name] = parser.shape()
    return requests, events, types


REQUESTS, EVENTS, TYPES = load()


def fit(value, shape, where):
    """Raise unless a value has a shape."""
    kind, what = shape
    if kind == "name" and what in PLAIN:
        if not PLAIN[what](value):
            raise Failure(f"{where}: {what} wanted, got {value!r}")
    elif kind == "name":
        if what not in OPEN:
            fit(value, TYPES[what], f"{where} ({what})")
    elif kind == "either":
        for one in what:
            try:
                return fit(value, one, where)
            except Failure as e:
                fault = e
        raise fault
    elif kind == "words":
        if value not in what:
            raise Failure(f"{where}: {value!r} is none of {what}")
    elif kind == "list":
        if not isinstance(value, list):
            raise Failure(f"{where}: an array wanted, got {value!r}")
        for i, one in enumerate(value):
            fit(one, what, f"{where}[{i}]")
    elif kind == "map":
        for name, one in value.items():
            fit(one, what, f"{where}.{name}")
    else:
        fit_members(value, what, where)


def fit_members(value, members, where):
    if not isinstance(value, dict):
        raise Failure(f"{where}: an object wanted, got {value!r}")
    for name, one in value.items():
        if name not in members:
            raise Failure(f"{where}: the protocol has no member '{name}'")
        fit(one, members[name][1], f"{where}.{name}")
    for name, (required, _) in members.items():
        if required and name not in value:
            raise Failure(f"{where}: the member '{name}' is missing")


def fit_carried(message, key, carried, where):
    shape, required = carried
    if shape == ("name", "none"):
        if message.get(key):
            raise Failure(f"{where}: nothing is to be in '{key}'")
    elif key in message:
        fit(message[key], shape, where)
    elif required:
        raise Failure(f"{where}: there is no '{key}'")


FRAME = {
    "request": {"seq", "type", "command", "arguments"},
    "event": {"seq", "type", "event", "body"},
    "response": {"seq", "type", "request_seq", "success", "command", "message",
                 "body"},
}


def check(message, history=()):
    """Raise Failure unless a message is as the protocol says. An answer must
    follow the request in history that it names."""
    kind = message.get("type")
    if kind not in FRAME or not PLAIN["int"](message.get("seq")):
        raise Failure(f"no message: {message}")
    strange = set(message) - FRAME[kind]
    if strange:
        raise Failure(f"strange members {strange}: {message}")
    if kind == "request":
        name = message["command"]
        if name not in REQUESTS:
            raise Failure(f"no request of the protocol: {message}")
        fit_carried(message, "arguments", REQUESTS[name][0], name)
    elif kind == "event":
        name = message["event"]
        if name not in EVENTS:
            raise Failure(f"no event of the protocol: {message}")
        fit_carried(message, "body", (EVENTS[name], EVENTS[name] !=
                                      ("name", "none")), name)
    else:
        check_answer(message, history)


def check_answer(message, history):
    name = message["command"]
    asked = [m for m in history if m["type"] == "request"
             and m["seq"] == message["request_seq"]
             and m["command"] == name]
    if len(asked) != 1 and message["request_seq"]:
        raise Failure(f"an answer to nothing: {message}")
    again = [m for m in history if m["type"] == "response"
             and m["request_seq"] == message["request_seq"]
             and m["command"] == name]
    if again and message["request_seq"]:
        raise Failure(f"a second answer: {message}")
    if message["success"]:
        fit_carried(message, "body", REQUESTS[name][1], name)
    elif not message.get("message"):
        raise Failure(f"no words of why: {message}")
    else:
        fit(message.get("body", {}), ("name", "ErrorBody"), name)


UNSERVED = {"stepBack", "reverseContinue", "restartFrame", "terminateThreads"}


def main(paths):
    asked, told, count = set(), set(), 0
    for path in paths:
        history = []
        with open(path) as file:
            for line in file:
                message = json.loads(line)
                try:
                    check(message, history)
                except Failure as e:
                    sys.exit(f"{path}: {e}")
                history.append(message)
        count += len(history)
        asked |= {m["command"] for m in history
                  if m["type"] == "response" and m["success"]}
        told |= {m["event"] for m in history if m["type"] == "event"}
    missing = (set(REQUESTS) - UNSERVED - asked) | (set(EVENTS) - told)
    if missing:
        sys.exit(f"never seen: {', '.join(sorted(missing))}")
    print(f"{count} messages, {len(asked)} requests, {len(told)} events")


if __name__ == "__main__":
    main(sys.argv[1:])
