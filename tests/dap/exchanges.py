"""What editors' plugins send, in their order and their words: nvim-dap, dape and
vimspector, which check-editors drives where it can have them."""


class Exchange:
    """A client that never waits where the plugin does not: what it does next
    depends on the messages that came."""

    def __init__(self, t, **who):
        self.t = t
        self.source = t.source("HitLoop")
        self.line = t.line("HitLoop", "hit")
        self.program = t.program("HitLoop", "2")
        self.c = t.adapter()
        self.able = self.c.ask("initialize", pathFormat="path",
                               linesStartAt1=True, columnsStartAt1=True,
                               supportsRunInTerminalRequest=True,
                               supportsStartDebuggingRequest=True, **who)

    def launch(self, **config):
        """Sent at the answer to initialize; nobody waits for its answer."""
        self.launched = self.c.send(
            "launch", request="launch", program=self.program[0],
            args=self.program[1:], **config)
        self.c.event("initialized")

    def filters(self):
        return [f["filter"] for f in self.able["exceptionBreakpointFilters"]
                if f.get("default")]

    def configured(self):
        self.c.ask("configurationDone")
        self.t.check(self.c.answer(self.launched)["success"], "launch")

    def stopped(self, line, reason, **stack):
        """What is asked at a stop; the newest frame."""
        c = self.c
        thread = c.stopped(reason)["threadId"]
        names = [one["id"] for one in c.ask("threads")["threads"]]
        self.t.check_in(thread, names)
        frame = c.ask("stackTrace", threadId=thread, **stack)["stackFrames"][0]
        self.t.check_equal((self.source, line),
                           (frame["source"]["path"], frame["line"]))
        scopes = c.ask("scopes", frameId=frame["id"])["scopes"]
        found = {}
        for scope in scopes:
            if not scope.get("expensive"):
                found.update(c.variables(scope["variablesReference"]))
        answer = c.ask("evaluate", expression="i + 1", context="repl",
                       frameId=frame["id"])
        self.t.check_equal(int(found["i"]["value"]) + 1,
                           int(answer["result"]))
        return frame

    def next(self, **more):
        self.c.ask("next", threadId=self.c.thread, **more)


def test_nvim_dap(t):
    """nvim-dap: one request after the other, the stack whole, and the adapter
    left without a word once it has said 'terminated'."""
    x = Exchange(t, clientID="neovim", clientName="neovim",
                 adapterID="nvim-dap", supportsVariableType=True,
                 supportsProgressReporting=True, locale="en_US.UTF-8")
    x.launch(type="coreclr", name="launch")
    found = x.c.ask("setBreakpoints", sourceModified=False, lines=[x.line],
                    breakpoints=[{"line": x.line}],
                    source={"path": x.source, "name": "HitLoop.cs"})
    t.check_equal(1, len(found["breakpoints"]))
    x.c.ask("setExceptionBreakpoints", filters=x.filters())
    x.configured()
    x.stopped(x.line, "breakpoint")
    x.next(granularity="statement")
    x.stopped(x.line + 1, "step")
    x.c.send("terminate", restart=False)
    x.c.event("terminated")
    x.c.stdin.close()
    x.c.wait()


def test_dape(t):
    """dape: what is nil is false, all kinds of breakpoints in a row, one frame
    at a time."""
    x = Exchange(t, clientID="dape", adapterID="coreclr",
                 supportsArgsCanBeInterpretedByShell=True,
                 supportsProgressReporting=True)
    x.launch(type="coreclr", cwd=t.dir, stopAtEntry=False)
    x.c.ask("setExceptionBreakpoints", filters=x.filters())
    x.c.ask("setBreakpoints", breakpoints=[{"line": x.line}], lines=[x.line],
            source={"path": x.source})
    x.c.ask("setFunctionBreakpoints", breakpoints=[])
    x.c.ask("setDataBreakpoints", breakpoints=[])
    x.configured()
    x.stopped(x.line, "breakpoint", startFrame=0, levels=1)
    x.next(granularity="line")
    x.stopped(x.line + 1, "step", startFrame=0, levels=1)
    x.c.ask("disconnect", terminateDebuggee=True)
    x.c.wait()


def test_vimspector(t):
    """vimspector: every kind of breakpoint at once, the threads as soon as
    both launch and configurationDone are answered, whatever runs then."""
    x = Exchange(t, clientID="vimspector", clientName="vimspector",
                 adapterID="dndbg", locale="en_GB", supportsVariableType=True,
                 supportsVariablePaging=False, supportsMemoryReferences=True)
    x.launch(name="launch", stopAtEntry=True)
    seqs = [x.c.send("setBreakpoints", sourceModified=False,
                     source={"path": x.source, "name": "HitLoop.cs"},
                     breakpoints=[{"line": x.line}])]
    seqs += [x.c.send(command, breakpoints=[]) for command in (
        "setFunctionBreakpoints", "setInstructionBreakpoints",
        "setDataBreakpoints")]
    seqs.append(x.c.send("setExceptionBreakpoints", filters=x.filters()))
    for seq in seqs:
        t.check(x.c.answer(seq)["success"], str(seq))
    x.configured()
    t.check(x.c.ask("threads")["threads"], "no threads")
    x.c.stopped("entry")
    x.c.go()
    x.stopped(x.line, "breakpoint")
    x.next()
    x.stopped(x.line + 1, "step")
    x.c.ask("disconnect", terminateDebuggee=True)
    x.c.wait()
