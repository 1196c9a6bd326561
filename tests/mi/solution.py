"""A solution of several assemblies by GDB/MI: breakpoints in libraries before
and after they are loaded, stacks, variables and steps across all of them."""


def test_the_entry(t):
    """The first stop of a program whose Main has variables of a library's
    types."""
    c = t.mi("-i=mi", *t.program("Rental"))
    frame = c.go("-exec-run --start", "breakpoint-hit")["frame"]
    t.check_equal(("Rental.Program.Main", str(t.line("Rental", "main-open"))),
                  (frame["func"], frame["line"]))
    c.go("-exec-next 3", "end-stepping-range")
    stop = c.go("-exec-step", "end-stepping-range")
    t.check_equal("Model.cs", stop["frame"]["file"])
    c.go("-exec-finish", "function-finished")
    c.go("-exec-next", "end-stepping-range")
    t.check_equal("3", c.ask("-data-evaluate-expression contract.Days")["value"])
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


def test_breakpoints(t):
    c = t.mi("-i=mi", *t.program("Rental"))
    for where in (t.at("Rental", "rent-price"), "Rental.Model.Rules.Rent"):
        c.ask(f"-break-insert -f {where}")
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal("1", stop["bkptno"])
    t.check_equal(str(t.line("Rental", "rent-price")), stop["frame"]["line"])
    t.check_match(r"Rental\.Store\.Shelf<Rental\.Model\.Bike>\.RentAsync",
                  stop["frame"]["func"])
    found = c.ask(f"-break-insert {t.at('Rental', 'rent')}")["bkpt"]
    t.check_equal(("Model.cs", str(t.line("Rental", "rent"))),
                  (found["file"], found["line"]))
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("2", stop["bkptno"])
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("3", stop["bkptno"])
    frames = c.ask("-stack-list-frames 0 1")["stack"]
    t.check_equal(["Model.cs", "Store.cs"], [f["file"] for f in frames])
    t.check_equal('"b0"', c.ask("-data-evaluate-expression item.Code")["value"])
    c.ask("-break-delete")
    c.go("-exec-continue", "exited-normally")
    t.check_in("ok\n", c.said("@"))
    t.check_equal(0, c.quit())


def test_values_and_steps(t):
    c = t.mi("-i=mi", *t.program("Rental"))
    c.start_at("Rental", "price")
    c.ask("-var-create bike * bike")
    c.ask("-var-create shelf * shelf")
    t.check_equal("Rental.Store.Shelf<Rental.Model.Bike>",
                  c.ask("-var-info-type shelf")["type"])
    children = c.ask("-var-list-children --all-values bike")["children"]
    t.check_equal("3", {one["exp"]: one["value"] for one in children}["Gears"])
    stop = c.go("-exec-step", "end-stepping-range")
    t.check_equal("Rental.Loyalty.Percent", stop["frame"]["func"])
    frames = c.ask("-stack-list-frames 1 1")["stack"]
    t.check_equal("Rental.Rates.Tariff.Price", frames[0]["func"])
    t.check("file" not in frames[0], frames)
    stop = c.go("-exec-finish", "function-finished")
    t.check_equal(str(t.line("Rental", "price")), stop["frame"]["line"])
    c.go("-exec-next", "end-stepping-range")
    t.check_equal("3339", c.ask("-data-evaluate-expression price.Cents")["value"])
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())
