"""What editors show: threads, frames, exceptions, values."""
import re


def threads(c):
    return sorted(one["name"] for one in c.ask("threads")["threads"])


def test_threads(t):
    """The program's threads by name and number, none of the runtime's own
    unless they are asked for."""
    source = t.source("Views")
    for more in False, True:
        c = t.adapter()
        c.launch(t.program("Views", "threads"),
                 {source: [t.line("Views", "threads")]},
                 **({"showRuntimeThreads": True} if more else {}))
        c.stopped("breakpoint")
        a, b = (c.evaluate(name)["result"] for name in ("id", "other"))
        own = ["Main Thread", f"Thread [{b}]",
               f"a worker with a long name [{a}]"]
        seen = threads(c)
        told = {m["body"]["threadId"] for m in c.history
                if m.get("event") == "thread"
                and m["body"]["reason"] == "started"}
        t.check_equal({one["id"] for one in c.ask("threads")["threads"]}, told)
        if more:
            t.check(set(own) < set(seen), str(seen))
            t.check(".NET SynchManager" in seen, str(seen))
        else:
            t.check_equal(own, seen)
        c.go()
        c.end()


def names(c, **more):
    return [re.sub(r"\(.*", "", f["name"]) for f in c.frames(**more)]


def test_external(t):
    """Frames nobody wrote are one; all are there without Just My Code."""
    source = t.source("Views")
    lines = [t.line("Views", mark) for mark in ("main", "compare", "resumed")]
    c = t.adapter()
    c.launch(t.program("Views", "external"), {source: lines})
    c.stopped("breakpoint")
    t.check_equal(["Views.Program.Main", "[External Code]"], names(c))
    external = c.frames()[1]
    t.check_equal("label", external["presentationHint"])
    t.check_equal(0, external["line"])
    t.check("source" not in external, str(external))
    t.check_in("rip", str(c.scope("Registers", external["id"])))
    c.go()
    c.stopped("breakpoint")
    whole = ["Views.Program.Compare", "[External Code]",
             "Views.Program.External.lambda", "[External Code]",
             "Views.Program.External", "Views.Program.Main", "[External Code]"]
    t.check_equal(whole, names(c))
    # pieces of it, as clients ask for them
    for first in range(len(whole)):
        t.check_equal(whole[first:first + 2],
                      names(c, startFrame=first, levels=2))
    body = c.ask("stackTrace", threadId=c.thread, startFrame=0, levels=7)
    t.check_equal(7, body["totalFrames"])
    body = c.ask("stackTrace", threadId=c.thread, startFrame=0, levels=6)
    t.check_equal(7, body["totalFrames"])
    c.ask("evaluate", expression="-exec set just-my-code off", context="repl")
    all_names = names(c)
    t.check("[External Code]" not in all_names, str(all_names))
    t.check_in("Views.Program.Call", str(all_names))
    c.ask("evaluate", expression="-exec set just-my-code on", context="repl")
    t.check_equal(whole, names(c))
    # a step out of the callback ends behind the code that is nobody's
    c.step("stepOut")
    t.check_in("External", c.top()["name"])
    c.ask("setBreakpoints", source={"path": source},
          breakpoints=[{"line": lines[2]}])
    c.go()
    c.stopped("breakpoint")
    # who awaits it may not have begun to wait
    resumed = names(c)
    t.check_equal(["Views.Program.Later", "[External Code]"], resumed[:2])
    t.check(set(resumed[2:]) <= {"[async] Views.Program.Main",
                                 "[External Code]"}, str(resumed))
    c.go()
    c.end()
