"""Programs that the program starts, as thread groups."""


def start(t, *args):
    c = t.mi("-i=mi", "--args", *t.program("Children", *args))
    c.event("thread-group-added", id="i1")
    # as front ends of gdb ask for it
    c.ask("-gdb-set detach-on-fork off")
    c.ask("-gdb-set schedule-multiple on")
    return c


def test_groups(t):
    """A child stops, is looked at beside its parent, and ends."""
    c = start(t, "start", "2")
    c.ask("-break-insert " + t.at("Children", "both"))
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal("Children.Program.Both", stop["frame"]["func"])
    t.check_equal([{"name": "number", "value": "1"}], stop["frame"]["args"])
    first = int(c.event("thread-group-started", id="i1")["pid"])
    child = int(c.event("thread-group-started", id="i2")["pid"])
    t.check_equal({first, child}, set(t.processes()))
    thread = stop["thread-id"]
    t.check_equal(thread, c.event("thread-created", group_id="i2")["id"])
    ids = [r.results["id"] for r in c.records if r.name == "thread-created"]
    t.check_equal(len(set(ids)), len(ids))
    groups = c.ask("-list-thread-groups")["groups"]
    t.check_equal([("i1", str(first)), ("i2", str(child))],
                  [(g["id"], g["pid"]) for g in groups])
    inside = c.ask("-list-thread-groups i2")["threads"]
    t.check_in(thread, [x["id"] for x in inside])
    t.check_not_in("1", [x["id"] for x in inside])
    both = c.ask("-list-thread-groups --recurse 1")["groups"]
    t.check_equal(inside, both[1]["threads"])
    # all of them stand; each is looked at by its thread
    info = c.ask("-thread-info")
    t.check_equal(thread, info["current-thread-id"])
    t.check_equal(len(info["threads"]), len({x["id"] for x in info["threads"]}))
    t.check_in("1", [x["id"] for x in info["threads"]])
    t.check_equal([thread],
                  [x["id"] for x in c.ask("-thread-info " + thread)["threads"]])
    t.check_in(thread, c.ask("-thread-list-ids")["thread-ids"]["thread-id"])
    functions = [f["func"] for f in
                 c.ask("-stack-list-frames --thread 1")["stack"]]
    t.check_in("Children.Program.Start", functions)
    functions = [f["func"] for f in c.ask("-stack-list-frames")["stack"]]
    t.check_equal(["Children.Program.Both", "Children.Program.Child",
                   "Children.Program.Main"], functions[:3])
    t.check_equal("1", c.ask("-data-evaluate-expression number")["value"])
    t.check_in("i2", str(c.ask("-break-info 1")))
    # a variable object belongs to its program, whatever is selected
    v = c.ask("-var-create - * number")
    t.check_equal((thread, "1"), (v["thread-id"], v["value"]))
    found = c.ask("-thread-select 1")
    t.check_equal("1", found["new-thread-id"])
    t.check_in("* 1", c.console("info inferiors"))
    t.check_equal([], c.ask("-var-update *")["changelist"])
    t.check_equal("1", c.ask("-var-evaluate-expression " + v["name"])["value"])
    t.check_in("no 'number'", c.refused(
        "-data-evaluate-expression number"))
    t.check_equal("1", c.ask(f"-data-evaluate-expression --thread {thread} "
                             "--frame 0 number")["value"])
    c.ask("-data-evaluate-expression --thread-group i2 number")
    t.check_in("* 1", c.console("info inferiors"))
    for wrong in ("-stack-list-frames --thread 999",
                  "-thread-info --thread-group i9", "-target-detach i9"):
        c.refused(wrong)
    # a step of one lets the other go on
    stop = c.go(f"-exec-next --thread {thread}", "end-stepping-range")
    t.check_equal(thread, stop["thread-id"])
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("1", stop["thread-id"])
    # the child is gone: its threads, its group, its variables
    c.event("thread-exited", id=thread, group_id="i2")
    t.check_equal("01", c.event("thread-group-exited", id="i2")["exit-code"])
    c.event("thread-group-removed", id="i2")
    t.check_equal([(v["name"], "false")],
                  [(x["name"], x["in_scope"])
                   for x in c.ask("-var-update *")["changelist"]])
    c.ask("-var-delete " + v["name"])
    t.check_equal(["i1"], [g["id"] for g in
                           c.ask("-list-thread-groups")["groups"]])
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_not_in(stop["thread-id"], ids)
    c.event("thread-group-started", id="i3")
    # one is let go, the rest stays
    c.ask("-target-detach i3")
    c.event("thread-group-exited", id="i3")
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("1", stop["thread-id"])
    c.go("-exec-continue", "exited-normally")
    t.check_in("sum 3 3", c.said("@"))
    t.check_equal(0, c.quit())


def test_ends_in_call(t):
    """A child that ends in a call: its session is gone, not the others."""
    c = start(t, "start", "2")
    c.ask("-gdb-set call-timeout 600000")
    c.ask("-break-insert " + t.at("Children", "both"))
    c.go("-exec-run", "breakpoint-hit")
    t.check_in("the program ended during the evaluation", c.refused(
        '-data-evaluate-expression "System.Environment.Exit(3)"'))
    t.check_equal("03", c.event("thread-group-exited", id="i2")["exit-code"])
    t.check_equal(["i1"], [g["id"] for g in
                           c.ask("-list-thread-groups")["groups"]])
    t.check_equal(0, c.quit())


test_ends_in_call.runtimes = ("10",)


def test_ends(t):
    """One is ended by the client; the prompt selects; netcoredbg's clients
    are told of no groups."""
    c = start(t, "start", "1")
    c.ask("-break-insert " + t.at("Children", "child"))
    c.go("-exec-run", "breakpoint-hit")
    c.at = len(c.records)
    c.console("inferior 1")
    t.check_equal("1", c.find("the selection", lambda r: r.name ==
                              "thread-selected").results["id"])
    c.console("inferior 2")
    c.ask("-exec-abort")
    c.event("thread-group-exited", id="i2")
    c.go("-exec-continue", "exited-normally")
    # 128 + SIGKILL is what .NET tells of it
    t.check_in("sum 137 137", c.said("@"))
    # and once more from the start
    c.go("-exec-run", "breakpoint-hit")
    pids = t.processes()
    t.check_equal(2, len(pids))
    t.check_equal(0, c.quit())
    for pid in pids:
        t.wait_gone(pid)


test_ends.runtimes = ("10",)
