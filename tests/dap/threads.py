"""One thread alone; a program that is left stopped; what runs is told."""
import os
import signal
import subprocess

import drive


def test_single_thread(t):
    """singleThread: the other threads stand still through steps and a run,
    and move again without it."""
    source = t.source("StepKinds")
    c = t.adapter()
    c.launch(t.program("StepKinds", "held"), {source: [
        t.line("StepKinds", "held-before"), t.line("StepKinds", "held-end")]},
        env={"DOTNET_TieredCompilation": "0"})
    c.stopped("breakpoint")
    # no async call has waited: no thread stands for such
    t.check_not_in("Suspended async calls", [
        one["name"] for one in c.ask("threads")["threads"]])
    c.step("next", singleThread=True)
    before = c.evaluate("before")["result"]
    c.step("stepIn", singleThread=True)
    t.check_in("Pause(", c.top()["name"])
    c.step("stepOut", singleThread=True)
    t.check_equal(before, c.evaluate("turns")["result"])
    answer = c.ask("continue", threadId=c.thread, singleThread=True)
    t.check_equal(False, answer["allThreadsContinued"])
    c.stopped("breakpoint")
    t.check_equal(before, c.evaluate("after")["result"])

    def moves():
        """Pause once more, without a hold: has the other thread turned? On a
        busy machine it may not have had its turn yet."""
        targets = c.ask("gotoTargets", source={"path": source},
                        line=t.line("StepKinds", "held-pause"))["targets"]
        c.ask("goto", threadId=c.thread, targetId=targets[0]["id"])
        c.stopped("goto")
        answer = c.ask("continue", threadId=c.thread)
        t.check_equal(True, answer["allThreadsContinued"])
        c.stopped("breakpoint")
        return c.evaluate("after")["result"] != before

    t.wait_for("the other thread to move", moves)
    t.check_in("no thread number 77", c.refused("continue", threadId=77,
                                               singleThread=True))
    c.ask("continue", threadId=c.thread)
    c.end()


def test_suspended_calls(t):
    """Behind the threads stands one for the async calls that wait, each with
    variables; no step is made there."""
    at = t.line("Frames", "outer")
    for config in ("Debug", *(("RtDebug",) if t.runtime == "11" else ())):
        c = t.adapter()
        c.launch(t.program("Frames", "async", config=config),
                 {t.source("Frames"): [t.line("Frames", "inner")]})
        c.stopped("breakpoint")
        last = c.ask("threads")["threads"][-1]
        t.check_equal("Suspended async calls", last["name"])
        frames = c.ask("stackTrace", threadId=last["id"])["stackFrames"]
        t.check_equal("label", frames[0]["presentationHint"])
        t.check_match(r"^\[\d+ chains?", frames[0]["name"])
        outer = next(f for f in frames if "Async.Outer(" in f["name"])
        t.check_match(r"^\[async\] Frames\.Async\.Outer\(", outer["name"])
        t.check_equal(at, outer["line"])
        t.check_equal('"top"', c.scope("Locals", outer["id"])["name"]["value"])
        t.check_equal("3", c.evaluate("name.Length", frame=outer["id"])["result"])
        t.check_equal(outer["name"], c.ask(
            "stackTrace", threadId=last["id"], levels=1,
            startFrame=frames.index(outer))["stackFrames"][0]["name"])
        t.check_in("a suspended call is on no thread", c.refused(
            "next", threadId=last["id"]))
        c.ask("disconnect", terminateDebuggee=True)
        c.wait()


def test_suspended(t):
    """suspendDebuggee: nobody traces the program, it stands still until
    SIGCONT, and then all that it does is right."""
    process = subprocess.Popen(
        t.program("Busy", "2", "2", host="dotnet"), env=t.env, text=True,
        cwd=t.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    c = t.adapter()
    try:
        t.check_equal("ready\n", process.stdout.readline())
        c.launch([], {t.source("Busy"): [t.line("Busy", "turn")]},
                 request="attach", processId=process.pid)
        t.check_equal({"supportsRestartRequest": False},
                      c.event("capabilities")["capabilities"])
        t.check_in("attached to", c.refused("restart"))
        c.stopped("breakpoint")
        c.ask("disconnect", terminateDebuggee=False, suspendDebuggee=True)
        c.wait()
        t.check_equal(0, drive.tracer_of(process.pid))
        t.wait_for("all threads to stand",
                   lambda: drive.states(process.pid) == {"T"})
        os.kill(process.pid, signal.SIGCONT)
        out, _ = process.communicate("", timeout=30 * drive.TIME)
        t.check_equal(("right\n", 0), (out, process.returncode))
    finally:
        process.kill()
        process.wait()


def test_names(t):
    """Threads of a program that was taken over have their names while it
    runs, and those that are gone are listed no more. One that was joined may
    yet be on its way out, with or without its managed thread: the kernel says
    which are gone."""
    process = subprocess.Popen(
        t.program("Busy", "3", "0", host="dotnet"), env=t.env, text=True,
        cwd=t.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    c = t.adapter()

    def waiting():
        return sorted(one["name"].partition(" [")[0]
                      for one in c.ask("threads")["threads"]
                      if one["name"].startswith("wait"))

    try:
        t.check_equal("ready\n", process.stdout.readline())
        c.launch([], {t.source("Busy"): [t.line("Busy", "right")]},
                 request="attach", processId=process.pid)
        t.check_equal(["wait0", "wait1", "wait2"], waiting())
        process.stdin.close()
        c.stopped("breakpoint")
        t.wait_for("all threads to stand or be gone",
                   lambda: drive.states(process.pid) <= set("tZX"))
        there = {name for name, state in drive.tasks(process.pid).values()
                 if state == "t"}
        t.check_equal(set(), set(waiting()) - there)
        c.ask("continue", threadId=c.thread)
        c.end()
    finally:
        process.kill()
        process.wait()


def test_continued(t):
    """What a command set going is told; what a request did is not."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "3"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    c.go()
    c.stopped("breakpoint")
    t.check(not c.has_event("continued"), "told what was asked for")
    c.ask("evaluate", expression="`continue", context="repl")
    body = c.event("continued")
    t.check_equal((c.thread, True),
                  (body["threadId"], body["allThreadsContinued"]))
    c.stopped("breakpoint")
    c.ask("terminate")
    c.event("continued")
    c.end(code=None)


def test_terminate(t):
    """A program without a handler of SIGTERM is ended by it, without a stop:
    running, and stopped at a breakpoint."""
    source = t.source("Signals")
    c = t.adapter()
    c.launch(t.program("Signals", "sleep"))
    c.until("ready", lambda: "ready" in c.output())
    c.ask("terminate")
    c.end(code=143)
    t.check(not c.has_event("stopped"), "stopped at the signal")
    c = t.adapter()
    c.launch(t.program("Signals", "sleep"),
             {source: [t.line("Signals", "sleep")]})
    c.stopped("breakpoint")
    c.ask("terminate")
    c.end(code=143)
    t.check(not c.has_event("stopped"), "stopped at the signal")
