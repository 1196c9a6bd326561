"""Calls of kinds that are seldom, and those that registers do not hold."""
import re
import subprocess

import drive

RETURNED = re.compile(r"^\$\d+ = (.*)$", re.M)


def printed(t):
    """What the program says of its own calls: {expression: value}."""
    done = subprocess.run(t.program("CallKinds", host="dotnet"), env=t.env,
                          capture_output=True, text=True,
                          timeout=60 * drive.TIME)
    t.check_equal("", done.stderr)
    found = dict(re.findall(r"^(.*?) = (.*)$", done.stdout, re.M))
    t.check(len(found) > 30, done.stdout)
    return found


def stand(t, *commands, at="stop"):
    """Commands at a mark; what is printed there, and behind."""
    done = t.batch(["set call-timeout 600000",
                    f"break {t.at('CallKinds', at)}", "run",
                    "echo ---\\n", *commands, "echo ---\\n", "delete",
                    "continue"], t.program("CallKinds"), timeout=120)
    before, here, behind = done.stdout.split("---\n")
    t.check_in("Breakpoint 1", before)
    return here, behind + done.stderr


def test_kinds(t):
    """Large results and arguments, by-refs, virtual methods of generic
    structures, static abstract and async ones, iterators: as the program
    itself gives them. What a method writes to its structure stays."""
    calls = printed(t)
    here, behind = stand(t, *(f"call {text}" for text in calls))
    t.check_equal([*calls.values()], RETURNED.findall(here))
    t.check_in("moves 1 0\ncounts 3 6 5", behind)
    t.check_in("exited normally", behind)


def test_larger(t):
    """Structures that hold objects are what they were while further calls move
    everything; nothing keeps what they returned."""
    here, behind = stand(
        t, 'call Program.Mixed("a" + Program.Mixed(Program.Both("x", "y").Left)'
        '.Item3)', "call Program.Five(Program.Five(2).Item5)",
        'call Program.Mixed("b").Item1 + Program.Mixed("c").Item3', "handles")
    t.check_equal(['("ax121", 4, "ax122")', "(6, 7, 8, 9, 10)", '"b1c2"'],
                  RETURNED.findall(here))
    t.check_equal([], re.findall(r"^.* strong .* (?:CallKinds\..*|"
                                 r"System\.ValueTuple.*|.*MethodInfo)$", here,
                                 re.M))
    t.check_in("moves 0 0", behind)


def test_thrown(t):
    """The exception is the method's own, and changes nothing."""
    here, behind = stand(t, "call Program.Throws(3)", "call holder.Number(5)",
                         "set var big.A = 1", "print big.A")
    t.check_in("'CallKinds.Program.Throws(int)' threw System.Invalid"
               "OperationException: big 3.", behind)
    t.check_in("threw System.IndexOutOfRangeException", behind)
    t.check_equal("1", RETURNED.findall(here)[-1])
    t.check_in("exited normally", behind)


def test_spans(t):
    """Spans are given beside other arguments, if they lead to memory that stays
    where it is and that the program has too. What the method writes by them and
    by `ref` is there."""
    raw = "new ReadOnlySpan<byte>(Program.Raw, 4)"
    own = ("call Program.OneSpan(new char[3])",
           f'call Program.Spans("t", {raw}, new byte[] {{ 1, 2 }}, {raw})')
    here, behind = stand(
        t, 'call Program.Mixes<int>(0.5, new Span<byte>(Program.Raw, 3), 1f, '
        '77, ref written, "t", new Span<byte>(Program.Raw + 1, 2), 8, default, '
        '3, DayOfWeek.Monday)', "print written", "print Program.Raw[0]",
        f'call Program.Spans(null, {raw}, {raw}, {raw})',
        f'call Program.Spans("t", {raw}, Program.Bytes, {raw})', *own,
        "call Program.OneSpan(holder.Big.Name)", "handles")
    t.check_equal(['"0.5t17721Int32803Monday"', "77", "9", "4"],
                  RETURNED.findall(here))
    t.check_in("threw System.NullReferenceException", behind)
    t.check_in("leads into an object, which a collection could move", behind)
    t.check_equal(len(own), behind.count("cannot be evaluated without"))
    t.check_equal([], re.findall(r"^.* strong .*(?:MethodInfo|Signature)$",
                                 here, re.M))
    t.check_in("written 77\n", behind)
    t.check_in("exited normally", behind)


def test_places(t):
    """What a call writes by `out` and `ref` is there, where registers hold
    neither what it returns nor, of a variable of the expression's own, what it
    is given: so awaiters are waited for."""
    here, behind = stand(
        t, "call Program.Fills(3, out one.Count).A", "print one.Count",
        "call Program.Later(4).GetAwaiter().GetResult()",
        "print Program.Later(5).Result",
        "print Program.Later(6).AsTask().ConfigureAwait(false).GetAwaiter()"
        ".GetResult()",
        "print new Func<bool>(() => { System.Threading.ThreadPool"
        ".GetMaxThreads(out var a, out var b); return a > 0 && b > 0; })()")
    t.check_equal(["0", "3", "5", "6", "7", "true"], RETURNED.findall(here))
    t.check_in("counts 3 3 5", behind)
    t.check_in("exited normally", behind)


def test_base(t):
    """A base's method is called itself, or not at all."""
    here, behind = stand(t, "call base.Part(3)", "call Part(3)",
                         "call Parts(3)", "call base.Parts(3)",
                         "call ((Middle)this).Parts(4)", at="leaf")
    t.check_equal(["3", "13", "(13, 1, 1, 1, 13)", "(14, 1, 1, 1, 14)"],
                  RETURNED.findall(here))
    t.check_in("'CallKinds.Middle.Parts(int)' cannot be called: it returns a "
               "'(int, int, int, int, int)', which is larger than two registers",
               behind)
    t.check_in("exited normally", behind)


def test_empty(t):
    """A value with a structure without fields is kept over a call, but for the
    first call of all, which may have other threads run."""
    here, _ = stand(t, 'call Program.Mixed("z").Item1', "print holder.Tagged",
                    'call Program.Mixed("a").Item1', "print $2.Text")
    t.check_equal(['"a1"', '"tagged"'], RETURNED.findall(here)[2:])


def test_seen(t):
    """What a method writes to its structure is seen by the expression that has
    written there before."""
    here, _ = stand(t, "call new Func<long>(() => { holder.Big.A = 9; "
                       "return holder.Big.Moved(1).A + holder.Big.Moves; })()")
    t.check_equal(["11"], RETURNED.findall(here))


def test_function_pointers(t):
    """They are arguments as others. A call by one that is null, or leads to no
    method, would end the program: no method is called with it."""
    texts = ("call Apply(Pointers.Half, 8)", "call Apply(twice, 4)",
             "print Apply(twice, 4)", "call Halve(6)",
             "print twice == opaque", "print none == null",
             "print wild == data", "print (long)twice == (long)opaque")
    refused = {"call Apply(none, 4)": "function pointer that is null",
               "call Apply(null, 4)": "function pointer that is null",
               "call Apply(Pointers.Never, 4)": "function pointer that is null",
               "call Apply(wild, 4)": "leads to no managed method",
               "call Apply(data, 4)": "cannot convert 'void*' to",
               "call Apply(opaque, 4)": "cannot convert 'void*' to",
               "print Apply(none, 4)": "throws System.NullReferenceException",
               "print twice(3)": "'twice' is a pointer, by which no call",
               "print Pointers.Half(8)": "'Pointers.Half' is a pointer, by "}
    done = t.batch(["set call-timeout 600000",
                    f"break {t.at('Kinds', 'functions')}", "run", *texts,
                    *refused, "continue"], t.program("Kinds", "functions"))
    t.check_equal(["4", "8", "8", "3", "true", "true", "true", "true"],
                  RETURNED.findall(done.stdout))
    said = done.stderr.splitlines()
    t.check_equal(len(refused), len(said))
    for (text, why), words in zip(refused.items(), said):
        t.check_in(why, words)
    t.check_in("exited normally", done.stdout)
