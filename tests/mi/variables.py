"""Variable objects."""


def test_children_and_updates(t):
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    c.start_at("Hello", "add")
    v = c.ask('-var-create - * "a + b"')
    t.check_equal(("var1", "0", "5", "int"),
                  tuple(v[k] for k in ("name", "numchild", "value", "type")))
    t.check_equal("0", c.ask("-var-create - * sum")["value"])
    t.check_equal([], c.ask("-var-update *")["changelist"])
    c.go("-exec-next", "end-stepping-range")
    t.check_equal([{"name": "var2", "value": "5", "in_scope": "true",
                    "type_changed": "false", "has_more": "0"}],
                  c.ask("-var-update --all-values *")["changelist"])
    t.check_equal([], c.ask("-var-update *")["changelist"])
    t.check_equal("7", c.ask("-var-assign var2 7")["value"])
    t.check_equal("7", c.ask("-data-evaluate-expression sum")["value"])
    t.check_equal("0x7", c.ask("-var-set-format var2 hexadecimal")["value"])
    t.check_equal("111",
                  c.ask("-var-evaluate-expression -f binary var2")["value"])
    t.check_equal("hexadecimal", c.ask("-var-show-format var2")["format"])
    c.go("-exec-finish", "function-finished")
    changes = c.ask("-var-update 1 *")["changelist"]
    t.check_equal(["var1", "var2"], [x["name"] for x in changes])
    t.check_equal({"false"}, {x["in_scope"] for x in changes})
    # another frame now, and the floating one follows
    who = c.ask("-var-create who @ who")
    t.check_equal('"world"', who["value"])
    t.check_equal("1", c.ask("-var-delete var1")["ndeleted"])
    t.check_in("not found", c.refused("-var-info-type var1"))
    t.check_in("Duplicate", c.refused("-var-create who * sum"))
    t.check_in("nowhere", c.refused("-var-create - * nowhere"))
    t.check_equal(0, c.quit())


def test_objects(t):
    """Members, elements, members of elements; ranges; what cannot be named."""
    c = t.mi("-i=mi", "--args", *t.program("Values", "structs"))
    c.ask("-break-insert " + t.at("Values", "structs"))
    c.go("-exec-run", "breakpoint-hit")
    names = {v["name"]: v for v in
             c.ask("-stack-list-variables --simple-values")["variables"]}
    t.check("segment" in names, str(names))
    t.check("value" in names["segment"], str(names["segment"]))
    v = c.ask("-var-create s * segment")
    children = c.ask("-var-list-children --all-values s")
    t.check_equal(v["numchild"], children["numchild"])
    found = {x["exp"]: x for x in children["children"]}
    t.check({"From", "To", "Label"} <= set(found), str(found))
    t.check_equal("s.From", found["From"]["name"])
    inner = c.ask("-var-list-children 1 s.From")["children"]
    t.check_equal(["X", "Y", "Sum"], [x["exp"] for x in inner])
    t.check_equal("segment.From.X",
                  c.ask("-var-info-path-expression s.From.X")["path_expr"])
    t.check_equal("X", c.ask("-var-info-expression s.From.X")["exp"])
    t.check_equal("int", c.ask("-var-info-type s.From.X")["type"])
    t.check_equal("editable", c.ask("-var-show-attributes s.From.X")["attr"])
    old = inner[0]["value"]
    c.ask("-var-assign s.From.X 4711")
    t.check_equal("4711", c.ask("-var-evaluate-expression s.From.X")["value"])
    c.ask(f"-data-evaluate-expression \"segment.From.X = {old}\"")
    changed = [x["name"] for x in c.ask("-var-update 1 s")["changelist"]]
    t.check_in("s.From.X", changed)
    c.ask("-var-set-frozen s 1")
    c.ask("-data-evaluate-expression \"segment.From.X = 99\"")
    t.check_equal([], c.ask("-var-update *")["changelist"])
    c.ask("-var-set-frozen s 0")
    t.check("s.From.X" in [x["name"] for x in
                           c.ask("-var-update *")["changelist"]], "thawed")
    t.check_equal(1, int(c.ask("-var-delete -c s.From")["ndeleted"]) // 2)
    t.check_equal(0, c.quit())


def test_properties(t):
    """Properties are members of the tree, of what has nothing else in values,
    too; attributes tell what can be assigned to."""
    c = t.mi("-i=mi", "--args", *t.program("Variety", "/dev/null"))
    c.ask("-break-insert " + t.at("Variety", "main"))
    c.go("-exec-run", "breakpoint-hit")
    square = c.ask("-var-create q * square")
    t.check_equal("{Variety.Square}", square["value"])
    found = {x["exp"]: x["value"] for x in
             c.ask("-var-list-children --all-values q")["children"]}
    t.check_equal("4", found["Sides"])
    c.ask("-var-create p * p")
    found = {x["exp"]: x["value"] for x in
             c.ask("-var-list-children --all-values p")["children"]}
    t.check_equal(('"Ann"', '"Ann:30"', "1"),
                  (found["Name"], found["Tag"], found["Rank"]))
    t.check_equal([], c.ask("-var-update *")["changelist"])
    for expression, attr in (
            ("1", "noneditable"), ("i + 1", "noneditable"),
            ("p.Tag", "noneditable"), ("s.Length", "noneditable"),
            ("IShape.Count", "editable"), ("i", "editable"),
            ("nums[0]", "editable"), ("words[0]", "editable"),
            ("sbuild.Length", "editable"), ("dict[\\\"one\\\"]", "editable")):
        name = c.ask(f'-var-create - * "{expression}"')["name"]
        t.check_equal((expression, attr), (expression, c.ask(
            "-var-show-attributes " + name)["attr"]))
    c.quit()


def test_ranges(t):
    c = t.mi("-i=mi", "--args", *t.program("Hello", "a", "0", "c", "d"))
    c.start_at("Hello", "call")
    v = c.ask("-var-create v * args")
    t.check_equal("4", v["numchild"])
    part = c.ask("-var-list-children 1 v 1 3")
    t.check_equal(("2", "1"), (part["numchild"], part["has_more"]))
    t.check_equal([("v.1", "1", '"0"'), ("v.2", "2", '"c"')],
                  [(x["name"], x["exp"], x["value"])
                   for x in part["children"]])
    rest = c.ask("-var-list-children --no-values v 2 99")
    t.check_equal(("2", "0"), (rest["numchild"], rest["has_more"]))
    c.ask("-var-set-update-range v 0 1")
    t.check_equal("1", c.ask("-var-list-children v")["numchild"])
    t.check_equal("4", c.ask("-var-info-num-children v")["numchild"])
    t.check_equal("Variable object not found: 'nosuch'",
                  c.refused("-var-assign nosuch 1"))
    none = c.ask("-var-create n * args.Length")
    t.check_equal(("0", "4"), (none["numchild"], none["value"]))
    t.check_equal({"numchild": "0", "has_more": "0"},
                  c.ask("-var-list-children n"))
    t.check_equal(0, c.quit())


def test_recursion(t):
    """A fixed one keeps to its frame, however deep others are."""
    c = t.mi("-i=mi", "--args", *t.program("Steps", "recursion"))
    c.start_at("Steps", "fact-base")
    depth = int(c.ask("-stack-info-depth")["depth"])
    values = {}
    for level in range(5):
        values[level] = c.ask(f"-var-create f{level} --frame {level} * n"
                              .replace(f"f{level} --frame {level}",
                                       f"--frame {level} f{level}"))["value"]
    t.check_equal(["1", "2", "3", "4", "5"], list(values.values()))
    t.check_equal([], c.ask("-var-update *")["changelist"])
    c.go("-exec-finish", "function-finished")
    changes = c.ask("-var-update *")["changelist"]
    t.check_equal(["f0"], [x["name"] for x in changes])
    t.check_equal("2", c.ask("-var-evaluate-expression f1")["value"])
    t.check_equal(depth - 1, int(c.ask("-stack-info-depth")["depth"]))
    t.check_equal(0, c.quit())


def test_names(t):
    """A name is one word, so that a client can send it back as it is."""
    c = t.mi("-i=mi", "--args", *t.program("Values", "objects"))
    c.ask("-break-insert -f " + t.at("Values", "objects"))
    c.go("-exec-run", "breakpoint-hit")
    c.ask("-var-create d * derived")
    children = c.ask("-var-list-children d")["children"]
    t.check(any(" " in x["exp"] for x in children), str(children))
    for child in children:
        t.check_not_in(" ", child["name"])
        t.check_equal(child["exp"], c.ask(
            f"-var-info-expression {child['name']}")["exp"])
    inside = c.ask("-var-list-children 1 d.static_members")["children"]
    t.check_equal(["Count"], [x["exp"] for x in inside])
    c.go("-exec-next", "end-stepping-range")
    count = c.ask("-data-evaluate-expression Values.Base.Count")["value"]
    t.check_equal(count, c.ask(
        f"-var-evaluate-expression {inside[0]['name']}")["value"])
    t.check_equal(0, c.quit())


def test_pretty_printing(t):
    """The authors' views of types, once they are asked for."""
    c = t.mi("-i=mi", "--args", *t.program("Displays"))
    c.start_at("Displays", "collections")
    raw = c.ask("-var-create raw * list")
    t.check_equal("{System.Collections.Generic.List<int>}", raw["value"])
    t.check("dynamic" not in raw, str(raw))
    names = [child["exp"] for child in
             c.ask("-var-list-children raw")["children"]]
    t.check_equal(["_items", "_size", "_version"], names[:3])
    c.ask("-enable-pretty-printing")
    v = c.ask("-var-create list * list")
    t.check_equal(("Count = 3", "3", "array", "1"), tuple(
        v[k] for k in ("value", "numchild", "displayhint", "dynamic")))
    found = c.ask("-var-list-children --all-values list 1 3")["children"]
    t.check_equal([("1", "20"), ("2", "30")],
                  [(child["exp"], child["value"]) for child in found])
    c.ask("-var-create map * map")
    found = c.ask("-var-list-children --all-values map")["children"]
    t.check_equal([('"a, b"', "1"), ('"c"', "2")],
                  [(child["exp"], child["value"]) for child in found])
    t.check_equal("Count = 3", c.ask("-data-evaluate-expression list")["value"])
    t.check_equal(0, c.quit())
