"""A plan is a session before it happens: which front, runtime and program, and
its steps, all plain data, so that it can be kept in a file, carried out again,
and made shorter. A step is a list: its kind, and what that kind wants:
    ["say", TEXT, SECONDS]    give a command; wait this long before Ctrl-C
    ["raw", TEXT]             bytes as they are, as Latin-1
    ["ask", NAME, ARGUMENTS, WAIT]   a request of the debug adapter
    ["wait", SECONDS]         wait for a stop at most this long
    ["interrupt"]             Ctrl-C, SIGINT, or pause
    ["signal", NAME]          a signal for the program
    ["poke", NAME]            a signal for dndbg that it has to outlive
    ["again"]                 start another program if there is none
    ["pause", SECONDS]        do nothing
"""
import json

import words


class Plan:
    """What a session is to be."""

    def __init__(self, front, runtime, seed, random, program):
        self.front = front
        self.runtime = runtime
        self.seed = seed
        self.fixture = program.fixture
        self.quiet = program.fixture == words.JUDGE and random.random() < 0.6
        self.config = "Debug" if random.random() < 0.8 else "Release"
        self.how = random.choice(["launch", "launch", "attach"])
        self.args = random.choice(program.cases)[0].split()
        if program.fixture == words.JUDGE and (
                self.how == "attach" or random.random() < 0.3):
            self.args = ["serve"]
        elif program.fixture != words.JUDGE:
            self.how = "launch"
            if front != "dap" and random.random() < 0.15:
                self.how = "core"
        # Bytes that are no messages, and no lines of the language.
        self.hostile = random.random() < 0.07
        # How the session ends if it is not ended by a step.
        self.end = random.choice(["leave", "leave", "eof", "detach", "kill9"])
        self.steps = []

    @staticmethod
    def load(path):
        plan = Plan.__new__(Plan)
        with open(path) as file:
            plan.__dict__.update(json.load(file))
        return plan

    def but(self, steps):
        """The same with other steps."""
        plan = Plan.__new__(Plan)
        plan.__dict__.update(self.__dict__, steps=steps)
        return plan

    def text(self):
        head = {key: value for key, value in self.__dict__.items()
                if key != "steps"}
        lines = ",\n  ".join(json.dumps(step) for step in self.steps)
        return json.dumps(head)[:-1] + f',\n "steps": [\n  {lines}]}}\n'

    def save(self, path):
        with open(path, "w") as file:
            file.write(self.text())
