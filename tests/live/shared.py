"""Code that instances share and that does not use its type parameters: its
variables have their types all the same."""

# what is asked at a mark: [(expression, answer)] for each time it is reached
ASKED = {
    "extension": [[("list", "Count = 0"), ("list.Count", "0"),
                   ("typeof(T).Name", '"String"')]],
    "same": [
        [("x", '"id"'), ('x == "id"', "true"), ("x.Length", "2")],
        [("x.Name", '"rex"'), ("x.ToString()", '"animal rex"'),
         ("typeof(T)", "typeof(Animal)")],
        [("x[0][0]", '"z"'), ("new T().Count", "0"),
         ("typeof(T)", "typeof(System.Collections.Generic.List<string[]>)")],
        [("x == null", "true"), ("typeof(T)", "typeof(string)")]],
    "many": [[("r.Length", "1"), ('d["k"]', '"v"'), ("a[1]", '"e1"'),
              ('f("abc")', "true"), ("t.Item1", '"t"'), ("t.Item2", "5")]],
    "map": [[("a.Length", "1"), ("typeof(A).Name", '"String"'),
             ("typeof(B).Name", '"Object"')]],
    "constructor": [[("x.Length", "4"), ("item", '"item"')]],
    "put": [[("Item.Length", "4"), ("typeof(A).Name", '"String"')]],
    "struct": [[("y.Length", "1"), ("First", '"f"'),
                ("typeof(T).Name", '"String"')]],
    "interface": [[("t", '"h"'), ("typeof(T).Name", '"String"')],
                  [("t", '"o"'), ("typeof(T).Name", '"Object"')]],
}
NAMES = ["Methods.IsEmpty<string> (", "Methods.Same<string> (",
         "Methods.Same<Animal> (",
         "Methods.Same<System.Collections.Generic.List<string[]>> (",
         "Methods.Many<string> (", "Shelf<string>.Map<object> (",
         "Shelf<string>.Shelf (", "Shelf<string>.Put (",
         "Pair<string>.Has (", "IGreets<string>.Greet (",
         "IGreets<object>.Greet ("]


def ask(t, config):
    """Run to each mark in turn; all that was shown there is right."""
    asked, wanted = ["set width 0"], []
    for mark in ASKED:
        asked.append(f"break {t.at('Shared', mark)}")
    for stop, pairs in enumerate([p for all in ASKED.values() for p in all]):
        asked.append("continue" if stop else "run")
        for expression, answer in pairs:
            asked.append("output " + expression)
            asked.append(f"echo {chr(92)}n")
            wanted.append(answer)
    out = t.batch(asked, t.program("Shared", config=config)).stdout
    rest = out
    for answer in wanted:
        t.check_in("\n" + answer + "\n", rest)
        rest = rest[rest.index("\n" + answer + "\n") + 1:]
    for name in NAMES:
        t.check_in(name, out)


def test_debug(t):
    ask(t, "Debug")


def test_release(t):
    """Code of the first tier keeps its hidden argument, too."""
    ask(t, "Release")


def test_gone(t):
    """What optimised code does not tell of types, its values do; a type that
    nothing tells is refused."""
    out = t.batch(["break " + t.at("Shared", "gone"), "run", "print list[0]",
                   'print x == "id"', "print x.Length", "print a[0].Length",
                   "print none == null", "print typeof(T)",
                   "print new List<T>()", "set var x = null", "print x",
                   "set var none = x", "set var x = 3"],
                  t.program("Shared", config="Release"),
                  env={"DOTNET_TieredCompilation": "0"})
    for n, answer in enumerate(('"l"', "true", "2", "2", "true", "null"), 1):
        t.check_in(f"${n} = {answer}\n", out.stdout)
    t.check_in("ptimised code that several instances share does not tell 'T'",
               out.stderr)
    t.check_equal(2, out.stderr.count("does not tell 'T'"))


def test_conditions(t):
    """Conditions, hovers and messages in an editor."""
    c = t.adapter()
    lines = {mark: t.line("Shared", mark) for mark in ("same", "put", "struct")}
    c.launch(t.program("Shared"), {t.source("Shared"): [
        {"line": lines["same"], "condition": "x is Animal"},
        {"line": lines["put"], "condition": "x.Length == 2"},
        {"line": lines["struct"], "logMessage": "{First} {y.Length} "
         "{typeof(T).Name}"}]})
    c.stopped("breakpoint")
    t.check_equal(lines["same"], c.top()["line"])
    t.check_equal('{animal rex}', c.evaluate("x", context="hover")["result"])
    c.go()
    c.stopped("breakpoint")
    t.check_equal(lines["put"], c.top()["line"])
    t.check_equal("4", c.evaluate("Item.Length")["result"])
    c.go()
    c.end()
    t.check_in('"f" 1 "String"\n', c.output("console"))
