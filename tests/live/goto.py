"""Where the next statement cannot be set, and that nothing moved then."""

OPTIMIZED = "The method is optimized: its next statement cannot be set."
HANDLER = "That is not possible into or out of a catch, finally or filter."


def at(t, mark, config="Debug"):
    s = t.start("--args", *t.program("StepKinds", "jumps", "unwinds",
                                     config=config))
    s.cmd("tbreak " + t.at("StepKinds", mark))
    t.check_in("emporary breakpoint 1, ", s.cmd("run"))
    return s


def refused(t, s, mark, why):
    t.check_in(why, s.cmd("set next-statement " + t.at("StepKinds", mark)))
    t.check_in(why, s.cmd("jump " + t.at("StepKinds", mark)))


def test_handlers(t):
    s = at(t, "jump-finally")
    refused(t, s, "jump-body", HANDLER)
    refused(t, s, "jump-try", HANDLER)
    refused(t, s, "main", "No statement of the newest frame's method begins")
    s.cmd("advance " + t.at("StepKinds", "jump-body"))
    refused(t, s, "jump-finally", HANDLER)
    t.check_in("jumps 1119", s.cmd("continue"))


def test_filter(t):
    s = at(t, "middle-filter")
    refused(t, s, "middle-rethrow", HANDLER)
    s.cmd("advance " + t.at("StepKinds", "middle-rethrow"))
    refused(t, s, "middle-call", HANDLER)
    t.check_in("unwinds 5", s.cmd("continue"))


def test_optimized(t):
    s = at(t, "jump-hundred", config="Release")
    refused(t, s, "jump-ten", OPTIMIZED)
    t.check_in("jumps 1119", s.cmd("continue"))


def test_native(t):
    s = t.start("--args", *t.program("StepKinds", "held"))
    s.cmd("tbreak " + t.at("StepKinds", "pause"))
    t.check_in("emporary breakpoint 1, ", s.cmd("run"))
    s.cmd("stepi 60")
    refused(t, s, "pause", "The thread is not in code with source now")
    t.check_in("held 2", s.cmd("continue"))
