"""Unhandled exceptions of async code, and those thrown again: the stop is at
the throw, though its stack is gone."""


def check(t, how, *marks):
    c = t.adapter()
    c.launch(t.program("Rethrown", how), {}, lambda c: c.ask(
        "setExceptionBreakpoints", filters=["unhandled"]))
    c.stopped("exception")
    info = c.ask("exceptionInfo", threadId=c.thread)
    t.check_equal("CLR/System.TimeoutException", info["exceptionId"])
    t.check_equal("unhandled", info["breakMode"])
    t.check_equal("Rethrown.dll", info["details"]["source"])
    frames = c.frames()
    for frame, mark in zip(frames, ("throw", "deep") + marks):
        t.check(frame["name"].startswith("[thrown] Rethrown."), str(frame))
        t.check_equal(t.source("Rethrown"), frame["source"]["path"])
        t.check_equal(t.line("Rethrown", mark), frame["line"])
    # then those that live
    living = [f for f in frames if not f["name"].startswith("[thrown]")]
    t.check(living == frames[len(frames) - len(living):] and living,
            str(frames))
    seen = c.scope("Locals", frames[0]["id"])
    t.check_equal(["$exception"], list(seen))
    t.check_in("the frame is not on the stack any more, its variables are gone",
               c.refused("evaluate", expression="n", frameId=frames[0]["id"],
                         context="watch"))
    c.go()
    c.event("exited", exitCode=134)
    c.ask("disconnect")
    c.wait()


def test_main(t):
    """Main awaits a call that fails."""
    check(t, "main", "fails", "main")


def test_wait(t):
    """A task is waited for."""
    check(t, "wait", "fails")


def test_again(t):
    """ExceptionDispatchInfo throws again what was caught."""
    check(t, "again", "kept")


def test_thread(t):
    """The same on a thread of its own."""
    check(t, "thread", "kept")
