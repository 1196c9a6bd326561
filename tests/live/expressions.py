"""Expressions that run code: the debugger's values are the compiler's."""
import os
import re

from drive import SLOW, uncoded

# Of which dndbg and the compiler find another fault first.
ELSEWHERE = (
    "s is 5", "5++", "words.Select(w => { return; })",
    "words.Select((a, b, c) => a)", "Node.Bump(i)", "(int)[1]",
    "sizeof(string)", "await i", "null + null", "from w in i select w",
    "s is Missing")
REFUSED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                       "expr", "refused.txt")


def fixture_lines(t, name, config="Debug"):
    """What the program has written: [point, text, value] of each E(...). The
    point is the mark where the text is to be evaluated."""
    path = os.path.join(t.dir, "lines")
    t.batch(["run"], t.program(name, path, config=config))
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines]


def evaluate(t, name, cases, config="Debug"):
    """What dndbg says of each text, in one session; None: it refuses it. And
    what it says of those that it refuses."""
    points = list(dict.fromkeys(point for point, _ in cases))
    commands = ["b " + t.at(name, point) for point in points]
    for number, point in enumerate(points):
        commands.append("continue" if number else "run")
        for at, (where, text) in enumerate(cases):
            if where == point:
                commands += [f"echo @{at}\\n", "print " + text]
    got = [None] * len(cases)
    number = None
    done = t.batch(commands, t.program(name, os.path.join(t.dir, "again"),
                                       config=config))
    for line in done.stdout.split("\n"):
        if line.startswith("@"):
            number = int(line[1:])
        elif line.startswith("$") and number is not None:
            got[number] = line.split(" = ", 1)[1]
    return got, done.stderr.splitlines()


def check_fixture(t, name, least, wanted=lambda point: True, config="Debug"):
    cases = [case for case in fixture_lines(t, name, config)
             if wanted(case[0])]
    t.check_equal(True, len(cases) > least)
    got, _ = evaluate(t, name, [case[:2] for case in cases], config)
    t.check_equal([], [(*case, is_) for case, is_ in zip(cases, got)
                       if case[2] != is_])


def test_values(t):
    """Members, calls, LINQ, operators: every expression of the fixture is
    what its compiler says."""
    check_fixture(t, "Expressions", 130)


def test_language(t):
    """The whole language, at several places of a program."""
    check_fixture(t, "Language", 350, lambda point: point != "typed")


def test_typed(t):
    """What people type: the library's types, local functions, hash codes."""
    check_fixture(t, "Language", 170, lambda point: point == "typed")


def test_asked(t):
    """Several hundred expressions as people type them."""
    check_fixture(t, "Asked", 300)


def test_meaning(t):
    """What a debugger gets wrong easily: hidden variables, base, statics
    before their class is initialised, dynamic, implicit conversions."""
    check_fixture(t, "CSharp", 770)


def test_variety(t):
    """Every kind of expression, in generic code, iterators, async methods,
    lambdas, structures and static constructors."""
    check_fixture(t, "Variety", 800)


def test_variants(t):
    """Operators, conversions and patterns of the user's own types, and what
    numbers of every kind become."""
    check_fixture(t, "Variants", 490)


def test_corners(t):
    """Overloads, conversions, generic math, records, spans, patterns and
    lambdas with statements where C# has rules of its own."""
    check_fixture(t, "Corners", 800)


def test_depth(t):
    """Patterns, interpolated text, numbers of every size, spans, records,
    static abstract members, queries and tuples as people combine them."""
    check_fixture(t, "Depth", 780)


def test_breadth(t):
    """Overloads, inference and constraints, operators of the user's own types,
    generic classes in each other, dynamic, cultures, pointers, parameters as
    overrides declare them."""
    check_fixture(t, "Breadth", 600)


def test_features(t):
    """By feature of the language: ranges, patterns, collections, numbers and
    what becomes of reals out of range, formats, records, generics."""
    check_fixture(t, "Features", 690)


def test_dynamic(t):
    """What is dynamic is what its value is, or what the object says itself;
    runtime code below a method that the program has made is called."""
    check_fixture(t, "Dynamics", 80)


def test_thread_values(t):
    """A thread that has no Thread object yet has its AsyncLocals all the same,
    for one evaluation; whatis needs no value."""
    done = t.batch(["b " + t.at("Dynamics", "first"), "run",
                    "print ambient.Number", "print ambient.Text",
                    "print ambient.Text", "whatis Environment.MachineName",
                    "whatis (Environment.MachineName, x: 3)",
                    "ptype Environment.MachineName.Length", "print recast"],
                   t.program("Dynamics", os.path.join(t.dir, "lines")))
    t.check_in('$1 = 6\n$2 = "xy"\n$3 = "xy"\ntype = string\n'
               "type = (string MachineName, int x)\ntype = int\n"
               "$4 = -1 9 High 'A'\n",
               done.stdout)


def test_lifted(t):
    """Lifted operators of the user's own types, checked arithmetic, numbers in
    generic code, collections, patterns and queries of the user's own, formats
    and cultures. A constant pattern means one thing for T, another for ulong."""
    check_fixture(t, "Lifted", 970)
    cases = [("mathsUInt64", text) for text in ("a is 7", "a is 7UL")]
    got, said = evaluate(t, "Lifted", cases)
    t.check_equal([None, "true"], got)
    t.check_in("not known here: cast the constant", said[0])


test_lifted.glibc = "there is no ICU for musl here"


def test_contexts(t):
    """Which string is that of a literal; what is chosen by static types in
    generic code, for all instances."""
    check_fixture(t, "Contexts", 280)


def test_scenes(t):
    """Records, primary constructors, ref structs, extension members, spans,
    numbers, queries, in generic classes, iterators and async methods."""
    check_fixture(t, "Scenes", 480)


def test_enumerable(t):
    """What IEnumerable alone enumerates; a breakpoint by the name of a
    file-local type."""
    done = t.batch(["b " + t.at("Depth", "queries"), "b Hidden.Go", "run",
                    "print loose", "print loose,results",
                    "print new Hidden().A"],
                   t.program("Depth", os.path.join(t.dir, "lines")))
    t.check_equal(["{N = 3}", '{1, "two", (Depth.Leaf) {Value = 3}}', "3"],
                  re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M))
    t.check_match(r"Breakpoint 2 at Depth\.Hidden\.Go: file Depth\.cs, line "
                  + t.at("Depth", "file-local").split(":")[1], done.stdout)


def test_tuple_types(t):
    """Names of types have the names of tuple elements."""
    pairs = [("nest", "(int, string, (bool B, double D) In)"),
             ("pt", "(int X, int Y)"), ("tq", "(int A, int B)?"),
             ("dict", "System.Collections.Generic.Dictionary<string, "
                      "(int A, string[] B)>"),
             ("two", "System.Func<int, int, (int, int)>"),
             ("DivRem2(7, 2)", "(int Q, int R)")]
    done = t.batch(["b " + t.at("Corners", "main"), "run"] +
                   ["whatis " + text for text, _ in pairs],
                   t.program("Corners", os.path.join(t.dir, "lines")))
    t.check_equal([name for _, name in pairs],
                  re.findall(r"^type = (.*)$", done.stdout, re.M))


def test_edges(t):
    """Names and members by the place that they are asked at, conversions and
    operators that types inherit, optional and narrowing values."""
    check_fixture(t, "Edges", 1000)


def test_declared(t):
    """What is declared is known in its frame, as in an Immediate Window; a
    semicolon behind it means nothing."""
    pairs = [
        ("int z = 1;", "1"), ("z", "1"), ("z + 1;", "2"), ("z = 7", "7"),
        ("z++", "7"), ("z", "8"), ("z += 3", "11"), ("--z", "10"),
        ('var t = "text"', '"text"'), ("t.Length", "4"),
        ("const int k = 5", "5"), ("k + z", "15"), ("long lng = k", "5"),
        ('var (a, b) = (1, "two")', '"two"'), ("a", "1"), ("b", '"two"'),
        ("(int e, var g) = (3, 4.5)", "4.5"), ("e + g", "7.5"),
        ('int.TryParse("55", out int o1)', "true"), ("o1", "55"),
        ('map.TryGetValue("b", out var o2);', "true"), ("o2 + 1", "3"),
        ("var twice = (int n) => n * 2", "{System.Func<int, int>}"),
        ("twice(21)", "42"), ("int[] row = { 1, 2, 3 }", "{1, 2, 3}"),
        ("row.Sum()", "6"), ("list.Count(n => n < z)", "3"),
        ("(i, j) = (j, i)", "3"), ("i", "-7"), ("(i, j) = (j, i)", "-7"),
        ("(i, i) = (8, 3)", "3"), ("i", "3"),
        ("list.Select(n => int.TryParse(\"1\", out var q) ? q : 0).Sum()", "3"),
    ]
    refused = [
        ("int i = 5", "'i' is declared in the program already."),
        ("by = u", "Cannot convert 'uint' to 'byte' without a cast at column 6."),
        ("z = \"a\"", "Cannot convert 'string' to 'int' at column 5."),
        ("var (m1, (m2, m3)) = (1, (2, 3))", "Targets within targets: assign "
         "to the parts one after the other."),
        ("base", "'base' stands before a member only, as in "
                 "'base.ToString()'."),
        ("typeof(Action<Action<>>)",
         "'System.Action<System.Action<void>>' has no type arguments at "
         "column 8."),
        ("new IThing()", "'CSharp.IThing' is abstract: no object can be one at "
                         "column 5."),
    ]
    done = t.batch(["b " + t.at("CSharp", "main"), "run"] +
                   ["print " + text for text, _ in pairs + refused] +
                   ["next", "print z", "print t", "up"],
                   t.program("CSharp", os.path.join(t.dir, "lines")))
    got = [line.split(" = ", 1)[1] for line in done.stdout.split("\n")
           if re.match(r"\$\d+ = ", line)]
    t.check_equal([value for _, value in pairs] + ["10", '"text"'], got)
    t.check_equal([words for _, words in refused],
                  uncoded(done.stderr.splitlines()[:len(refused)]))


def test_statics_assigned(t):
    """What a static constructor would overwrite is not assigned to."""
    done = t.batch(["b " + t.at("CSharp", "statics"), "run",
                    "set var Lazy2.St = 23", "print Lazy2.St",
                    "print Lazy2.Auto2"],
                   t.program("CSharp", os.path.join(t.dir, "lines")))
    t.check_in("\n$1 = 1\n", done.stdout)
    t.check_equal("'Lazy2.St' cannot be assigned to: 'CSharp.Lazy2' is not "
                  "initialized yet, and its static constructor would "
                  "overwrite it.", done.stderr.splitlines()[0])


def test_delegates(t):
    """Delegates of every kind: called, combined, compared, asked for their
    method, those of the program and those that an expression makes."""
    check_fixture(t, "Delegates", 90)


def test_unions(t):
    """Unions of C# 15: patterns, conversions, and how they are shown and set,
    as the case that they hold; arguments of collection expressions."""
    check_fixture(t, "Unions", 80, config="NetDebug")
    done = t.batch(["b " + t.at("Unions", "unions"), "run", "info locals",
                    "print p = new Dog(8)", "set var p = new Cat(\"set\")",
                    "print p", "print p is Cat { Name: \"set\" }"],
                   t.program("Unions", os.path.join(t.dir, "again"),
                             config="NetDebug"))
    for line in ('p = (Unions.Cat) {Name = "tom"}', "none = null", "n = 5",
                 't = "text"', "maybe = {Age = 7}", "no = null", "o = 4",
                 'held = (Unions.Cat) {Name = "held"}', "unheld = null",
                 "$1 = (Unions.Dog) {Age = 8}",
                 '$2 = (Unions.Cat) {Name = "set"}', "$3 = true"):
        t.check_in("\n" + line + "\n", done.stdout)
    t.check_equal("", done.stderr)


test_unions.runtimes = ("11",)


def test_cultures(t):
    """Text is compared, sought and sorted as the program does it with ICU."""
    check_fixture(t, "Cultures", 300)


test_cultures.glibc = "there is no ICU for musl here"


def test_cultures_refused(t):
    """What only ICU can tell is refused with the way that needs it not."""
    done = t.batch(["set evaluation interpret",
                    "b " + t.at("Cultures", "end"), "run",
                    "print street.IndexOf(\"SS\", "
                    "StringComparison.CurrentCultureIgnoreCase)",
                    "print string.Compare(street, word)",
                    "print string.Compare(\"ä\", \"à\")"],
                   t.program("Cultures", os.path.join(t.dir, "lines")))
    told = done.stderr.splitlines()
    t.check_equal(3, len(told))
    for words in told:
        t.check_match("by the rules of a culture: pass "
                      "StringComparison.Ordinal or StringComparer.Ordinal",
                      words)


test_cultures_refused.glibc = "there is no ICU for musl here"


def test_culture_unused(t):
    """Before the program has used a culture: text is compared as it will be,
    what only ICU could tell is refused, not taken for the invariant one's."""
    compared = [('string.Compare("a", "B")', "-1"), ('"a".CompareTo("B")', "-1"),
                ('"anna".StartsWith("a")', "true"), ('"anna".ToUpper()', '"ANNA"'),
                ('"anna".IndexOf("n")', "1"), ('"ANNA".ToLower()', '"anna"'),
                ('new[] { "Bob", "anna" }.OrderBy(n => n).First()', '"anna"')]
    written = [("(1.5).ToString()", '"1.5"'),
               ("System.Globalization.CultureInfo.CurrentCulture.Name", '""')]
    for lang in ("C.UTF-8", "de_DE.UTF-8"):
        done = t.batch(["set evaluation interpret",
                        "set environment LC_ALL=" + lang,
                        "b " + t.at("Cultures", "unused"), "run"] +
                       ["print " + text for text, _ in compared + written],
                       t.program("Cultures", os.path.join(t.dir, "lines")))
        got = re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M)
        known = compared if lang[0] == "d" else compared + written
        t.check_equal([value for _, value in known], got)
        for words in done.stderr.splitlines():
            t.check_match("the program has used no culture yet", words)


test_culture_unused.glibc = "there is no ICU for musl here"


def test_enumerated(t):
    """What a query yields is shown in place of its fields; if that is nothing,
    and raw, its fields are. Setters of extension properties."""
    done = t.batch(["b " + t.at("Language", "unloaded"), "run",
                    "print numbers.Where(n => n > 2)",
                    "print names.Select(n => n.Length).Where(n => n > 3)",
                    "print numbers.Where(n => n > 2),raw",
                    "print numbers.Where(n => n > 9)",
                    "print Basket.Level = 5", "print Basket.Level",
                    "print Basket.Level += 2", "set var numbers.Final = 7",
                    "print numbers.Final"],
                   t.program("Language", os.path.join(t.dir, "lines")))
    t.check_in("$5 = 5\n$6 = 10\n$7 = 12\n$8 = 7\n", done.stdout)
    shown = re.findall(r"^\$\d+ = \(System\.Linq\.\S.*?\) (.*)$", done.stdout,
                       re.M)
    t.check_equal(["{3, 4}", "{5}"], shown[:2])
    for fields in shown[2:]:
        t.check_match("^{_source = Count = 3", fields)
    t.check_equal(4, len(shown))


def test_extension_names(t):
    """Accessors of extension properties are named as others."""
    done = t.batch(["info functions Level", "b Level.get", "b Final.set"],
                   t.program("Language"))
    t.check_in("\tstatic int Language.More.Level.get();\n", done.stdout)
    t.check_in("\tstatic void Language.More.Level.set(int);\n", done.stdout)
    t.check_in("Breakpoint 1 at Language.More.Level.get: file", done.stdout)
    t.check_in("Breakpoint 2 at Language.More.Final.set<T>: file", done.stdout)


def test_refused(t):
    """What the compiler refuses is refused, at the same column: a message
    without one is about the whole. A number is the compiler's."""
    with open(REFUSED) as file:
        rows = [line.rstrip("\n").split(" ", 2) for line in file
                if not line.startswith("#")]
    numbers = [number for number, *_ in rows]
    cases = [row[1:] for row in rows]
    t.check_equal(True, len(cases) > 110)
    texts = [text for _, text in cases]
    got, why = evaluate(t, "Language", [("language", text) for text in texts])
    t.check_equal([], [(text, is_) for text, is_ in zip(texts, got)
                       if is_ is not None])
    t.check_equal(len(texts), len(why))
    told = [re.search(r" at column (\d+)", words) for words in why]
    t.check_equal([], [(text, column, words)
                       for (column, text), words, found
                       in zip(cases, why, told)
                       if column not in ("-", found[1] if found else "1")])
    said = [re.search(r" \((CS\d{4})\)\.$", words) for words in why]
    # another sentence about the same fault, with its number
    other = {"CS7036": "CS1501", "CS0029": "CS1503", "CS0117": "CS1061"}
    wrong = [(text, number, found[1])
             for text, number, found in zip(texts, numbers, said)
             if found and found[1] not in (number, other.get(number))]
    t.check_equal([], [one for one in wrong if one[0] not in ELSEWHERE])
    t.check_equal(True, sum(found is not None for found in said) > 85)


def test_set_indexer(t):
    """An element that a method of the program would set is refused with the
    way to it."""
    done = t.batch(["set evaluation interpret",
                    "b " + t.at("Language", "language"), "run",
                    "print map[\"a\"] = 3", "set var map._entries[0].value = 3",
                    "print map[\"a\"]"],
                   t.program("Language", os.path.join(t.dir, "lines")))
    t.check_equal("'map[\"a\"]' is set by a call of the indexer, which is not "
                  "allowed here: assign to the field that holds the value, "
                  "'map,raw' shows it.\n", done.stderr)
    t.check_match(r"^\$1 = 3$", done.stdout)


test_set_indexer.runtimes = ("10",)


def test_trees(t):
    """Lambdas that are expression trees: what takes them does with them what
    it does with the compiler's."""
    check_fixture(t, "Trees", 60)


def test_trees_tuples(t):
    """A tuple that stands for an anonymous object tells a query's provider of
    the fields that the values are in."""
    done = t.batch(["b " + t.at("Trees", "trees"), "run",
                    "print Taker.Members(o => new { o.Id, Zzz = o.Name })",
                    "print db.Select(o => new { o.Id, Zzz = o.Name })"
                    ".Count(x => x.Zzz == \"o2\")"],
                   t.program("Trees", os.path.join(t.dir, "lines")))
    t.check_match(r"\$1 = \"Field Item1,Field Item2\"\n\$2 = 1$", done.stdout)


def test_trees_refused(t):
    """What cannot be part of a tree is named; a query of a program that has
    nothing to make it of is refused with the way to what is asked for."""
    done = t.batch(["b " + t.at("Language", "unloaded"), "run",
                    "print new Remote().Where(n => n > 2).Count()",
                    "print new Remote().Count()",
                    "print new Remote().ToList().Count()",
                    "print new Remote().Looks(n => { return n > 2; })",
                    "print new Remote().Looks(n => n is > 2 and < 5)",
                    "print new Remote().Looks(n => new Node(1, null) && "
                    "new Node(n, null) ? true : false)"],
                   t.program("Language", os.path.join(t.dir, "lines")))
    t.check_equal(["Call 'ToList()' before 'Where': the program has no "
                   "System.Linq.Queryable loaded, which makes a query of the "
                   "lambda at column 20.",
                   "Call 'ToList()' before 'Count': the program has no "
                   "System.Linq.Queryable loaded, which makes a query of the "
                   "call at column 14.",
                   "'new Remote().ToList().Count()' throws "
                   "System.NotSupportedException: Specified method is not supported.",
                   "A lambda with statements cannot be an expression tree at "
                   "column 25.",
                   "'n is > 2 and < 5' cannot be part of an expression tree "
                   "at column 25.",
                   "'new Node(1, null) && new Node(n, null)' cannot be part "
                   "of an expression tree at column 25."], done.stderr.splitlines())


def test_results_unloaded(t):
    """What is IEnumerable alone is shown by a class of System.Linq, whether or
    not the program has loaded that."""
    done = t.batch(["b " + t.at("Hello", "main-open"), "run", "info sharedlibrary",
                    "print new System.Collections.ArrayList { 1, \"b\" }, "
                    "results",
                    "print 5, results"], t.program("Hello"))
    t.check_not_in("System.Linq.dll", done.stdout)
    t.check_match(r'\$1 = Count = 2 = \{1, "b"\}\n'
                  r"\$2 = <no results view: it is no IEnumerable>$",
                  done.stdout)


def test_uninitialized(t):
    """A class whose static constructor cannot be interpreted is not taken for
    one whose constructor has run."""
    done = t.batch(["set evaluation interpret",
                    "b " + t.at("Getters", "stop"), "run",
                    "print Unread.Length", "print Unread.Length"],
                   t.program("Getters"))
    told = done.stderr.splitlines()
    t.check_equal(2, len(told))
    t.check_equal(told[0], told[1])
    t.check_match("cannot be evaluated without running the program", told[0])


def test_initializer_throws(t):
    """A static constructor that throws: its exception, inside of the one that
    each use of the class throws."""
    done = t.batch(["set evaluation interpret",
                    "b " + t.at("Getters", "stop"), "run",
                    "print Broken.Value", "print Broken.Value"],
                   t.program("Getters"))
    t.check_equal(["'Broken.Value' throws System.TypeInitializationException: "
                   "The type initializer for 'Broken' threw an exception. "
                   "Inside of it is System.FormatException: no luck."] * 2,
                  done.stderr.splitlines())


def test_inner_exception(t):
    """What is said of the inner exception is a sentence of its own, however
    the message before it ends."""
    done = t.batch(["set evaluation interpret",
                    "b " + t.at("Getters", "stop"), "run"] +
                   [f'print s == "" ? 1 : throw new Exception("{message}", '
                    'new FormatException("no luck"))'
                    for message in ("outer", "Why?")],
                   t.program("Getters"))
    t.check_equal([f"{message} Inside of it is System.FormatException: no luck."
                   for message in ("outer.", "Why?")],
                  [line.split(" throws System.Exception: ")[-1]
                   for line in done.stderr.splitlines()])


def test_event_set(t):
    """That an event of the program is set is not said where it is not done:
    the call is not interpreted; the program does it."""
    done = t.batch(["b " + t.at("Signals", "self"), "run",
                    "set evaluation interpret", "print one.Set()",
                    "set evaluation interpret-then-call",
                    "print one.WaitOne(0)", "print one.Set()",
                    "print one.WaitOne(0)"],
                   t.program("Signals", "self", "1"))
    refused, *others = done.stderr.splitlines()
    t.check_match("cannot be evaluated without running the program", refused)
    t.check_equal([], others)
    t.check_equal(["false", "true", "true"],
                  re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M))


def test_looked_again(t):
    """What needs classes that the program has not initialised looks the same
    at the second look."""
    done = t.batch(["b " + t.at("Getters", "stop"), "run", "print json",
                    "print json", "print json.ToJsonString()"],
                   t.program("Getters"))
    shown = re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M)
    array = 'JsonArray[2] = {Json = "[\\"one\\",2]", Path = "$", "one", 2}'
    t.check_equal([array, array, '"[\\"one\\",2]"'], shown)


def private(text):
    """KiB that are private, by the lines of a process's smaps_rollup."""
    return [int(size) for size in re.findall(r"Private_Dirty: +(\d+) kB", text)]


def test_memory(t):
    """What an evaluation needs for itself ends with it: of a thousand more in
    one stop little is kept."""
    forms = ("order.Label", "list.Sum(n => n + 1)",
             'list.Where(n => n > 1 && "many".Length == 4).ToList().Count')
    some = "".join(f"print {forms[i % 3]}\n" for i in range(150))
    memory = "shell cat /proc/$PPID/smaps_rollup\n"
    path = os.path.join(t.dir, "evaluations")
    with open(path, "w") as script:
        script.write(some + memory + some * 7 + memory)
    # a sanitized build holds back what was freed
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    done = t.batch(["b " + t.at("Getters", "stop"), "run", "source " + path],
                   t.program("Getters"), env={"ASAN_OPTIONS": options})
    before, after = private(done.stdout)
    t.check_equal(400, done.stdout.count('= "#7: 10.0"'))
    t.check(after - before < 6 * 1024 * SLOW, f"{before} KiB, then {after}")


test_memory.runtimes = ("10",)


def test_namesakes(t):
    """Methods of the program's that have the names of the framework's own:
    what they say is what they do, whatever their signature."""
    out = t.batch(["b " + t.at("Namesakes", "stop"), "run",
                   "print holder.Six", "print holder.Seven",
                   "print holder.Wide.Last", "print holder.Mine",
                   "print Interop.Sys.ConvertErrorPalToPlatform(3)",
                   "info locals", "print 1"], t.program("Namesakes")).stdout
    values = [line.split(" = ", 1)[1] for line in out.splitlines()
              if line.startswith("$")]
    t.check_equal(["6", "7", "3", '"mine"', "6", "1"], values)


def test_imaginary(t):
    """Addresses and handles that the interpreter has made are no answer: the
    program is asked for its own, or nothing is said."""
    made = "System.Runtime.InteropServices.GCHandle"
    alloc = f"{made}.Alloc(bag)"
    asked = [f"(long){made}.ToIntPtr({alloc})", f"{made}.ToIntPtr({alloc})",
             f'$"{{(nint){alloc}}}"', f"new[] {{ (nint){alloc} }}[0]",
             f"new {{ H = (nint){alloc} }}.H",
             f'string.Format("{{0}}", (nint){alloc})',
             f'string.Join(", ", new[] {{ (nint){alloc} }})',
             "Over.HandleText(bag)",
             "typeof(System.Threading.Barrier).TypeHandle.Value",
             "new System.Threading.ManualResetEventSlim().WaitHandle.Handle",
             "(long)System.Runtime.CompilerServices.Unsafe.AsPointer("
             "ref new int[3][0])"]
    out = t.batch(["b " + t.at("Breadth", "values"), "run",
                   *("print " + text for text in asked),
                   "print new WeakReference(bag)",
                   "print new WeakReference(bag).Target == bag"],
                  t.program("Breadth", os.path.join(t.dir, "lines"))).stdout
    values = re.findall(r"^\$\d+ = (.*)$", out, re.M)
    t.check_equal(["{_taggedHandle = <known to dndbg only>}", "true"],
                  values[-2:])
    t.check(len(values) >= 10, out)
    for value in values[:-2]:
        t.check(0 < int(value.strip('"')) < 1 << 47, out)


def test_tuple_or_null(t):
    """Tuples, and what stands for anonymous objects that the program has none
    of, where they may be null."""
    cases = [("false ? new { P = 1 } : null", "null"),
             ("true ? null : new { P = 1 }", "null"),
             ("true ? new { P = 1 } : null", "(P: 1)"),
             ("new[] { null, new { P = new { Q = 1 } } }",
              "{null, (P: (Q: 1))}"),
             ("(true ? new { P = new[] { 1 } } : null)?.P", "{1}"),
             ("1 switch { 1 => (1, 2), _ => null }", "(1, 2)"),
             ("((int, long)?)(1, 2)", "(1, 2)"),
             ("new[] { 1, 2 }.Count(x => (x > 1 ? new { P = x } : null) "
              "!= null)", "1")]
    out = t.batch(["b " + t.at("FirstCalls", "work"), "run",
                   *("print " + text for text, _ in cases)],
                  t.program("FirstCalls"))
    t.check_equal("", out.stderr)
    t.check_equal([value for _, value in cases],
                  re.findall(r"^\$\d+ = (.*)$", out.stdout, re.M))
