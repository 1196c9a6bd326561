"""Expressions and assignments for which the program makes calls."""
import drive
from survivor import Caller


def stand(t):
    c = t.mi("-i=mi", "--args", *t.program("Calls"))
    c.ask("-gdb-set call-timeout 600000")
    c.start_at("Calls", "stop")
    return c


def value(c, text):
    return c.ask(f"-data-evaluate-expression {text}")["value"]


def test_evaluate(t):
    """Calls, assignments by calls, exceptions; variable objects are made by
    calls, but updates make none; the setting forbids them."""
    c = stand(t)
    before = len(c.records)
    t.check_equal("3", value(c, "Program.Threads()"))
    t.check_equal('"one"', value(c, '"box.Label = \\"one\\""'))
    t.check_in("threw System.InvalidOperationException: broken",
               c.refused("-data-evaluate-expression box.Broken"))
    late = c.ask("-var-create L * late.Number")
    t.check_equal("11", late["value"])
    t.check_equal("8", c.ask("-var-create I * box.Id")["value"])
    t.check_equal('"one1"', c.ask("-var-create N * box.Label")["value"])
    t.check_equal('"two2"', c.ask('-var-assign N "\\"two\\""')["value"])
    c.ask("-gdb-set evaluation call")
    t.check_equal("3", value(c, "Program.Make(3).Number"))
    t.check_equal([], c.ask("-var-update --all-values *")["changelist"])
    t.check_equal("11", c.ask("-var-evaluate-expression L")["value"])
    t.check_in("= 4", c.console(
        '-interpreter-exec console "call Program.Make(4).Number"'))
    t.check_equal("8", c.ask("-var-evaluate-expression I")["value"])
    t.check_equal('"two2"', c.ask("-var-evaluate-expression N")["value"])
    c.ask("-gdb-set evaluation interpret")
    t.check_in("without running the program",
               c.refused("-data-evaluate-expression Program.Threads()"))
    c.refused("-gdb-set evaluation never")
    t.check_equal([], [r.line for r in c.records[before:] if r.kind == "*"])
    t.check_equal(0, c.quit())


def test_told(t):
    """What a call gave is told for the rest of its stop, whatever else is
    called in it, and leaves the scope with its frame."""
    c = stand(t)
    t.check_equal("8", c.ask("-var-create I * box.Id")["value"])
    t.check_equal("{Calls.Crate}",
                  c.ask("-var-create B * Program.Make(5)")["value"])
    t.check_equal("3", value(c, "Program.Make(3).Number"))
    t.check_equal("8", c.ask("-var-evaluate-expression I")["value"])
    t.check_equal([], c.ask("-var-update --all-values *")["changelist"])
    names = c.ask("-var-list-children --all-values B")["children"]
    t.check_in("box5", str(names))
    c.go("-exec-next", "end-stepping-range")
    t.check_in("was given by a call",
               c.refused("-var-evaluate-expression I"))
    t.check_equal([], c.ask("-var-update --all-values *")["changelist"])
    c.go("-exec-finish", "function-finished")
    t.check_equal([("I", "false"), ("B", "false")],
                  [(one["name"], one["in_scope"]) for one in
                   c.ask("-var-update --all-values *")["changelist"]][:2])
    t.check_equal(0, c.quit())


def test_interrupt(t):
    """-exec-interrupt, and SIGINT, stop the program in the call."""
    c = stand(t)
    token = c.send("-data-evaluate-expression Program.Forever()")
    c.until("the call", lambda: "forever" in c.said("@~") or None)
    c.send("-exec-interrupt")
    answer = c.answer(token)
    t.check_equal("error", answer.name)
    t.check_in("stopped in the call of 'Calls.Program.Forever()'",
               answer.results["msg"])
    c.stopped()
    t.check_equal(0, c.quit())


def test_limit(t):
    """A call that takes too long is told to have, where it stops the program
    as well."""
    c = stand(t)
    # what the first call of all prepares is not what is too slow
    t.check_equal("3", c.ask("-data-evaluate-expression Program.Threads()")
                  ["value"])
    c.ask("-gdb-set call-timeout 500")
    message = c.refused("-data-evaluate-expression Program.Forever()")
    t.check_in("'Calls.Program.Forever()' did not return within 500 ms",
               message)
    t.check_equal(message, c.stopped()["note"])
    t.check_in(message + ".\n", c.said("~"))
    t.check_equal(0, c.quit())


def test_interrupted_before(t):
    """An -exec-interrupt gives up what is behind it no more than its name in
    an expression does."""
    c = stand(t)
    tokens = ("901", "902", "903")
    c.write("901-exec-interrupt\n"
            "902-data-evaluate-expression Program.Threads()\n"
            "903-data-evaluate-expression "
            '"\\"-exec-interrupt\\" + Program.Threads()"\n')
    values = [c.answer(one).results.get("value") for one in tokens]
    t.check_equal([None, "3", '"-exec-interrupt3"'], values)
    t.check_equal(0, c.quit())


def test_gone(t):
    """A client that is gone in the middle of a call is not waited for: dndbg
    ends, and the program goes on as if there had been no call."""
    program = Caller(t)
    c = t.mi("-i=mi")
    c.ask("-gdb-set call-timeout 600000")
    c.ask(f"-target-attach {program.pid}")
    c.stopped()
    name, line = t.place("Calls", "stop")
    c.ask(f"-break-insert {name}:{line}")
    c.resume("-exec-continue")
    program.say("on")
    c.stopped("breakpoint-hit")
    c.ask("-break-delete")
    c.send("-data-evaluate-expression Program.Wait(false)")
    program.await_waiting()
    c.process.stdin.close()
    c.process.stdout.close()
    t.check_equal(0, c.process.wait(20 * drive.TIME))
    program.right()
