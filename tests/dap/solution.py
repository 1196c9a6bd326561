"""A solution of several assemblies in editors: breakpoints in libraries before
and after they are loaded, stacks, variables and steps across all of them."""
import os


def file_of(t, name):
    """A source file of the solution by its assembly's folder."""
    folder = os.path.dirname(os.path.dirname(t.source("Rental")))
    return f"{folder}/{name}/{name}.cs"


def begin(t, mark, **more):
    """Launch it with a breakpoint at a mark of a library; the client."""
    name, line = t.place("Rental", mark)
    path = (t.source("Rental") if name == "Program.cs"
            else file_of(t, name[:-3]))
    c = t.adapter()
    c.launch(t.program("Rental"), {path: [line]}, **more)
    return c


def test_entry(t):
    """The first stop of a program whose Main has variables of a library's
    types."""
    c = t.adapter()
    c.launch(t.program("Rental"), stopAtEntry=True)
    c.stopped("entry")
    t.check_equal(("Rental.Program.Main", t.line("Rental", "main-open")),
                  (c.top()["name"].partition("(")[0], c.top()["line"]))
    c.step()
    c.step()
    c.step()
    t.check_equal(t.line("Rental", "main-contract"), c.top()["line"])
    c.step("stepIn")
    t.check_equal(file_of(t, "Model"), c.top()["source"]["path"])
    c.step("stepOut")
    c.step()
    t.check_equal("{Rental.Model.Contract<Rental.Model.Boat>}",
                  c.scope("Locals")["contract"]["value"])
    c.go()
    c.end()


def test_breakpoints(t):
    """A breakpoint in a library that is not loaded yet is hit; one in a library
    that is loaded is verified at once."""
    c = begin(t, "rent-price")
    c.stopped("breakpoint")
    frames = c.frames()
    t.check_in("RentAsync", frames[0]["name"])
    t.check_equal(file_of(t, "Store"), frames[0]["source"]["path"])
    line = t.line("Rental", "rent")
    found, = c.set_breaks(file_of(t, "Model"), [line])
    t.check_equal((True, line), (found["verified"], found["line"]))
    c.go()
    c.stopped("breakpoint")
    t.check_equal([line, t.line("Rental", "rent-price") + 1],
                  [frame["line"] for frame in c.frames()[:2]])
    t.check_equal('"b0"', c.evaluate("item.Code")["result"])
    for path in file_of(t, "Model"), file_of(t, "Store"):
        c.set_breaks(path, [])
    c.go()
    c.end()


def test_values(t):
    """Variables of types of each assembly, and an expression over them."""
    c = begin(t, "prices")
    c.stopped("breakpoint")
    c.step()
    values = c.scope("Locals")
    t.check_equal("{Rental.Model.Bike}", values["bike"]["value"])
    t.check_equal("{Rental.Rates.Tariff}", values["pricing"]["value"])
    t.check_equal("{Rental.Store.Shelf<Rental.Model.Bike>}",
                  values["shelf"]["value"])
    inside = c.variables(values["bike"]["variablesReference"])
    t.check_equal("3", inside["Gears"]["value"])
    for expression, wanted in (
            ("shelf.Count + bike.Gears", "7"),
            ("shelf.Find(\"b3\").Daily.Cents", "540"),
            ("new Rental.Model.Contract<Rental.Model.Bike>(bike, 2).With(1).Note",
             "1"),
            ("Rental.Model.Rules.Days(4).Sum()", "10")):
        t.check_equal(wanted, c.evaluate(expression)["result"])
    c.go()
    c.end()


def test_steps(t):
    """Into the program by way of a library without symbols, and out again; with
    all code, into a package by its symbols."""
    c = begin(t, "price")
    c.stopped("breakpoint")
    c.step("stepIn")
    c.step()
    t.check_equal(t.line("Rental", "percent"), c.top()["line"])
    t.check_equal("[External Code]", c.frames()[1]["name"])
    c.step("stepOut")
    t.check_equal(t.line("Rental", "price"), c.top()["line"])
    c.go()
    c.end()
    c = begin(t, "for-each", justMyCode=False)
    c.stopped("breakpoint")
    c.step("stepIn")
    while "ForEach" not in c.top()["name"]:
        c.step("stepOut")
        c.step("stepIn")
    t.check_in("/MoreLinq/ForEach.cs", c.top()["source"]["path"])
    c.go()
    c.end()
    c = begin(t, "percent", justMyCode=False)
    c.stopped("breakpoint")
    rates = c.frames()[1]
    t.check_in("Rental.Rates.Tariff.Price", rates["name"])
    t.check("source" not in rates, rates)
    c.set_breaks(t.source("Rental"), [])
    c.go()
    c.end()


def test_exception(t):
    """One that a library throws and the program catches: seen where it is thrown
    by those who ask for all of them."""
    c = begin(t, "job", configure=lambda c: c.ask(
        "setExceptionBreakpoints", filters=["all"]))
    c.stopped("exception")
    t.check_equal(t.line("Rental", "not-free"), c.top()["line"])
    info = c.ask("exceptionInfo", threadId=c.thread)
    t.check_equal("CLR/Rental.Model.NotFree", info["exceptionId"])
    c.ask("setExceptionBreakpoints", filters=[])
    c.go()
    c.stopped("breakpoint")
    t.check_equal(t.line("Rental", "job"), c.top()["line"])
    c.set_breaks(file_of(t, "Store"), [])
    c.go()
    c.end()
