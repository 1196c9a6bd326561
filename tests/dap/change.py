"""What changes the program: variables, memory, where it runs next."""


def test_set_variable(t):
    """Locals and elements are set and keep their value; what cannot be is
    refused in words, and nothing changes."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    top = c.top()["id"]
    args = c.ask("scopes", frameId=top)["scopes"][1]
    t.check_equal("Arguments", args["name"])
    reference = args["variablesReference"]
    answer = c.ask("setVariable", variablesReference=reference, name="i",
                   value="1000")
    t.check_equal("1000", answer["value"])
    c.event("invalidated", areas=["variables"])
    t.check_equal("1000", c.evaluate("i")["result"])
    answer = c.ask("setExpression", expression="sum", value="i + 7",
                   frameId=top)
    t.check_equal("1007", answer["value"])
    words = c.refused("setVariable", variablesReference=reference, name="i",
                      value='"text"')
    t.check(words, "no words")
    t.check_in("no variable 'nothing'", c.refused(
        "setVariable", variablesReference=reference, name="nothing", value="1"))
    t.check_equal("1000", c.evaluate("i")["result"])
    c.set_breaks(source, [])
    c.go()
    c.end()
    # 1007 + 1000 + (1 + 2 + 3 + 4)
    t.check_in("sum 2017\n", c.output())


def test_set_element(t):
    """An element of an array, and the other elements stay."""
    source = t.source("Values")
    c = t.adapter()
    c.launch(t.program("Values"), {source: [t.line("Values", "arrays")]})
    c.stopped("breakpoint")
    numbers = c.scope("Locals")["numbers"]["variablesReference"]
    before = c.variables(numbers)
    c.ask("setVariable", variablesReference=numbers, name="[1]", value="-77")
    after = c.variables(numbers)
    t.check_equal("-77", after["[1]"]["value"])
    t.check_equal({k: v["value"] for k, v in before.items() if k != "[1]"},
                  {k: v["value"] for k, v in after.items() if k != "[1]"})
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()
