"""Range variables of queries: in clauses behind `let`, a second `from` or a
join, and in lambdas within them."""


def test_ranges(t):
    """They are variables, also in conditions, and can be set."""
    out = t.batch(
        ["break " + t.at("Queries", "where") + ' if x == 3 && w == "bb"',
         "tbreak " + t.at("Queries", "nested"),
         "tbreak " + t.at("Queries", "group"), "run", "output (x, w, y, v)",
         "continue", "output (w, more, g.Count())", "continue", "info args",
         "output x + y", "set var x = 7", "output x"],
        t.program("Queries")).stdout
    t.check_in('(x: 2, w: "a", y: 14, v: 1)', out)
    t.check_in('(w: "a", more: 1, 1)', out)
    t.check_match(r'Breakpoint 1, .*x=3, w="bb", y=16\)', out)
    t.check_in('x = 3\nw = "bb"\ny = 16\n197', out)
