"""A step that waits for a thread that is held."""
import drive


def test_deadlock(t):
    """Others are never to run: Ctrl-C ends the step and says why."""
    s = t.start("--args", *t.program("StepKinds", "held"))
    s.cmd("tbreak " + t.at("StepKinds", "held-end"))
    t.check_in("Temporary breakpoint 1", s.cmd("run"))
    s.cmd("set scheduler-locking on")
    t.check_in("other.Join();", s.cmd("next"))
    s.line("next")
    # All others stand still, so what the step waits for does not come.
    t.wait_for("one thread in a wait, the others stopped by us",
               lambda: held(t))
    s.interrupt()
    text = s.expect(r"^\(dndbg\) ")
    t.check_in("scheduler-locking", text)
    s.cmd("set scheduler-locking off")
    t.check_in("held", s.cmd("continue"))


def test_step_goes_on(t):
    """Others are held for a step: they run when it would never end. A
    collection waits for all of them, by sleeps with a limit."""
    s = t.start("--args", *t.program("StepKinds", "held"))
    s.cmd("tbreak " + t.at("StepKinds", "held-collect"))
    s.cmd("run")
    s.cmd("set scheduler-locking step")
    text = s.cmd("next")
    t.check_in("The step sleeps", text)
    t.check_in("held-collected", text)
    t.check_in("held ", s.cmd("continue"))


def held(t):
    """Is the first thread asleep and every other one in a trace stop?"""
    for pid in t.processes("dotnet"):
        states = {tid: state for tid, (_, state) in drive.tasks(pid).items()}
        return states.pop(pid, "X") == "S" and set(states.values()) == {"t"}
    return False
