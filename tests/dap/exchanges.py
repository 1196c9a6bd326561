"""What editors' plugins send, in their order and their words: nvim-dap, dape and
vimspector, which check-editors drives where it can have them; dap-mode, Helix
and Zed, which have dndbg in netcoredbg's place."""
import os

from dapdrive import Client
from serving import connect, server


class Exchange:
    """A client that never waits where the plugin does not: what it does next
    depends on the messages that came."""

    def __init__(self, t, c=None, **who):
        self.t = t
        self.source = t.source("HitLoop")
        self.line = t.line("HitLoop", "hit")
        self.program = t.program("HitLoop", "2")
        self.c = c or t.adapter()
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


def netcoredbg(t):
    """The adapter by that name."""
    link = f"{t.dir}/netcoredbg"
    os.symlink(t.dndbg, link)
    return t.adapter(command=[link, "--interpreter=vscode"])


def test_dap_mode(t):
    """Emacs's dap-mode: a link in netcoredbg's place; the whole stack, the value
    that the mouse rests on; the adapter is killed at 'exited'."""
    x = Exchange(t, netcoredbg(t), clientID="vscode", adapterID="coreclr")
    x.launch(type="coreclr", mode="launch", name="app")
    x.c.ask("setBreakpoints", source={"path": x.source, "name": "HitLoop.cs"},
            breakpoints=[{"line": x.line}], sourceModified=False)
    x.c.ask("setExceptionBreakpoints", filters=x.filters())
    x.configured()
    frame = x.stopped(x.line, "breakpoint")
    t.check_equal("0", x.c.ask("evaluate", expression="i", context="hover",
                               frameId=frame["id"])["result"])
    x.next()
    x.stopped(x.line + 1, "step")
    x.c.set_breaks(x.source, [])
    x.c.ask("continue", threadId=x.c.thread)
    x.c.event("exited", exitCode=0)
    t.check_in("sum 1\nok\n", x.c.output())
    x.c.process.kill()


test_dap_mode.runtimes = ("10",)


def test_helix(t):
    """Helix's own configuration: over TCP, attributes that are VS Code's, values
    asked for without a context."""
    with server(t, "vscode", 0) as (process, where), connect(where) as both, \
            both.makefile("rb", buffering=0) as reader, \
            both.makefile("wb", buffering=0) as writer:
        x = Exchange(t, Client(t, stdin=writer, stdout=reader), clientID="hx",
                     clientName="helix", adapterID="netcoredbg",
                     supportsVariableType=True, supportsVariablePaging=False,
                     supportsMemoryReferences=False, locale="en-us",
                     supportsProgressReporting=True,
                     supportsInvalidatedEvent=True)
        x.launch(type="coreclr", console="internalConsole",
                 internalConsoleOptions="openOnSessionStart")
        x.c.ask("setBreakpoints", source={"path": x.source},
                breakpoints=[{"line": x.line}])
        x.configured()
        frame = x.stopped(x.line, "breakpoint")
        t.check_equal("int", x.c.ask("evaluate", expression="i",
                                     frameId=frame["id"])["type"])
        x.next()
        x.stopped(x.line + 1, "step")
        x.c.ask("disconnect")
        t.check_equal(0, process.wait(80))


test_helix.runtimes = ("10",)


def test_zed(t):
    """Zed's extension for C#: what its user left out is not sent, modules and
    sources are asked for beside the stack, steps are lines."""
    x = Exchange(t, netcoredbg(t), clientID="zed", clientName="Zed",
                 adapterID="netcoredbg", locale="en-US",
                 supportsVariableType=True, supportsVariablePaging=False,
                 supportsMemoryReferences=True, supportsANSIStyling=True,
                 supportsArgsCanBeInterpretedByShell=False)
    x.launch(cwd=t.dir, env={}, stopAtEntry=False)
    x.c.ask("setBreakpoints", source={"path": x.source}, sourceModified=False,
            breakpoints=[{"line": x.line}])
    x.c.ask("setExceptionBreakpoints", filters=[], filterOptions=[
        {"filterId": one} for one in x.filters()])
    x.configured()
    frame = x.stopped(x.line, "breakpoint")
    t.check_in("HitLoop.dll", [m["name"] for m in
                               x.c.ask("modules")["modules"]])
    t.check_in(x.source, [s["path"] for s in
                          x.c.ask("loadedSources")["sources"]])
    t.check(x.c.ask("completions", text="i.To", column=5,
                    frameId=frame["id"])["targets"], "nothing offered")
    x.next(granularity="line")
    x.stopped(x.line + 1, "step")
    x.c.ask("terminate")
    x.c.event("terminated")
    x.c.ask("disconnect", terminateDebuggee=True)
    x.c.wait()


test_zed.runtimes = ("10",)
