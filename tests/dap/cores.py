"""A core dump in an editor: what it shows is what the program showed."""
from dumps import dump


def shown(c):
    """The exception, the frames with a source and their variables."""
    c.stopped("exception")
    info = c.ask("exceptionInfo", threadId=c.thread)
    frames = [(frame["name"], frame["line"],
               {name: (one["value"], one.get("type"))
                for name, one in c.scope("Locals", frame["id"]).items()})
              for frame in c.frames() if "source" in frame]
    return (info["exceptionId"], info["details"]["message"],
            info["details"]["innerException"][0]["message"], frames)


def test_same(t):
    """The stop of the program where nobody catches its exception, and the one
    of its dump."""
    words = t.program("Throws", "unhandled-inner")
    c = t.adapter()
    c.launch(words, configure=lambda c: c.ask(
        "setExceptionBreakpoints", filters=["unhandled"]))
    live = shown(c)
    c.ask("disconnect")
    c.wait()
    t.check("outer", live[1])

    path = dump(t, words, "heap")
    c = t.adapter()
    c.launch([], {t.source("Throws"): [t.line("Throws", "unhandled-inner")]},
             request="attach", coreDumpPath=path)
    t.check_equal(live, shown(c))
    t.check_equal("5", c.evaluate("$exception.Message.Length")["result"])
    t.check_equal('"the cause"', c.evaluate(
        "$exception.InnerException.Message")["result"])
    # as VS Code does; there is nothing to catch, and nothing to be said of it
    c.ask("setExceptionBreakpoints", filters=["all", "user-unhandled"])
    c.ask("threads")
    c.ask("pause", threadId=c.thread)
    for command in ("continue", "next", "stepIn", "stepOut"):
        t.check_match("^a core dump or a snapshot cannot run: look at ", c.refused(
            command, threadId=c.thread))
    c.ask("terminate")
    c.event("terminated")
    t.check_equal("", c.output("console"))
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_refused(t):
    """What is no core is told in the answer to attach."""
    with open(f"{t.dir}/none", "w") as file:
        file.write("nothing")
    for name, words in (("none", "too short for a core"), ("absent", "No such file")):
        c = t.adapter()
        c.initialize()
        t.check_in(words, c.refused("attach", coreDumpPath=name))
        c.ask("disconnect")
        c.wait()


test_refused.runtimes = ("10",)
