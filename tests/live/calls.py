"""call: methods of the program that the stopped thread calls."""
import os
import re
import signal
import subprocess
import sys

import drive
from survivor import Caller

RETURNED = re.compile(r"^\$\d+ = (.*)$", re.M)


def printed(t, config="Debug"):
    """What the program says of its own calls: [(expression, value)]."""
    done = subprocess.run(t.program("Calls", config=config, host="dotnet"),
                          env=t.env, capture_output=True, text=True,
                          timeout=60 * drive.TIME)
    t.check_equal("", done.stderr)
    found = re.findall(r"^(.*?) = (.*)$", done.stdout, re.M)
    t.check(len(found) > 20, done.stdout)
    return found


def stand(t, *commands, args=(), end="continue"):
    """Commands at @stop; what the program prints there, and behind."""
    done = t.batch(["set call-timeout 600000",
                    f"break {t.at('Calls', 'stop')}", "run", "echo ---\\n",
                    *commands, "echo ---\\n", "delete", end],
                   t.program("Calls", *args), timeout=120)
    before, here, behind = done.stdout.split("---\n")
    t.check_in("Breakpoint 1", before)
    return here, behind + done.stderr


def test_values(t):
    """All kinds of arguments and results, static, virtual and of structures;
    each as the program itself gives it; and the program goes on unhurt."""
    calls = printed(t)
    here, behind = stand(t, *(f"call {text}" for text, _ in calls))
    t.check_equal([value for _, value in calls], RETURNED.findall(here))
    t.check_in("right 0", behind)


def test_frame(t):
    """What is known of the selected frame is known behind a call."""
    here, _ = stand(t, "info frame", "call box.Whole()", "info frame",
                    "call DateTime.Now.Year > 2000", "info frame")
    t.check_equal(["true"], RETURNED.findall(here)[1:])
    places = re.findall(r"^ pc = (.*)$", here, re.M)
    t.check_equal([places[0]] * 3, places)


def test_needed(t):
    """Of several calls those alone are made that cannot be interpreted."""
    here, behind = stand(t, "print box.Same().Reads() + box.Number",
                         "print Box.Changes", "print box.Same().Whole().Name",
                         "print box.Same().Silent()", "print Box.Changes")
    t.check_equal(["15", "0", '"box7"', "void", "1"], RETURNED.findall(here))
    t.check_in("right 1", behind)


def test_caller(t):
    """What looks at its caller would see none."""
    here, behind = stand(
        t, "call Type.GetType(\"Calls.Box\")",
        "call System.Reflection.Assembly.GetExecutingAssembly()",
        "call System.Reflection.MethodBase.GetCurrentMethod()",
        "call Activator.CreateInstance(typeof(object)) != null")
    t.check_equal(["true"], RETURNED.findall(here))
    t.check_equal(3, behind.count("on the method that calls it"))
    t.check_in("right 0", behind)


def test_handles(t):
    """What the runtime's own code is given by interpreted code may be nothing
    that the program knows."""
    here, behind = stand(t, "print new Func<int, int>(box.Change)"
                         ".DynamicInvoke(4)", "print Box.Changes")
    t.check_equal(["0"], RETURNED.findall(here))
    t.check_in("it is code of the runtime", behind)
    t.check_in("right 0", behind)


def test_refused(t):
    """What the expression itself cannot do has none of its calls made; a class
    that only the program can initialise has that done by the call."""
    here, behind = stand(t, "print box.Change(5) + Unready.Number",
                         "print box.Number", "print Unready.Times(2)",
                         "print box.Change(5) + Unready.Number",
                         "print box.Number")
    t.check_equal(["7", "8", "16", "7"], RETURNED.findall(here))
    t.check_in("cannot be evaluated without running the program", behind)
    t.check_in("right 0", behind)


def test_instances(t):
    """Instances of generic methods and classes that the program does not have
    yet are made; no handle keeps what they returned."""
    calls = {"Unused.Twice(4)": "8", "Unused<int>.Name(4)": '"Int324"',
             "Unused<Box>.Name(box)": '"BoxBox 7"',
             "box.ReadsAs<Dictionary<string, List<Box[]>>>()": "8",
             "box.ReadsAs<Crate>() + box.ReadsAs<int>()": "16",
             "Program.Same(point).X": "3",
             "Shelf<int[]>.Kind()": '"Int32[]"',
             'map["c"] = 1': "1", 'map["c"] += 4': "5", "map.Count": "3",
             'map.Remove("c")': "true",
             'shelf.Put("a").Put("b" + box.Number).Count': "4",
             'box.Add(box.Next.Next.Name)': '"box7+box9"'}
    here, behind = stand(
        t, *("call " + text for text in calls), "handles",
        'call Program.Failing("x")', "call Program.Compare(box, box)")
    t.check_equal([*calls.values()], RETURNED.findall(here))
    t.check_equal([], re.findall(r"^.* strong .* Calls\..*$", here, re.M))
    t.check_in("'Calls.Program.Failing<string>(string)' threw "
               "System.ArgumentException: Stringx.", behind)
    # a Box is not what the type parameter has to be
    t.check_in("The arguments do not fit 'Calls.Program.Compare<T>(T, T)'",
               behind)
    t.check_in("right 0", behind)


def test_given_up(t):
    """What spends its budget is given up: no call is made for it. A call does
    not see what was interpreted before it, and is not made then."""
    here, behind = stand(
        t, "print new Func<int>(() => { int n = box.Change(5); "
        "while (true) n++; })()", "print box.Number",
        "print box.Change(5) + box.Reads()", "print box.Number",
        "call box.Change(5) + box.Reads()", "call box.Change(-5)")
    t.check_equal(["7", "7", "25", "7"], RETURNED.findall(here))
    t.check_in("The evaluation is given up: ", behind)
    t.check_in("does not see what the expression has written", behind)
    t.check_in("right 2", behind)


def test_effects(t):
    """A call does what it does, where print only computes it."""
    here, behind = stand(t, "print box.Change(5)", "print box.Number",
                         "call box.Change(5)", "print box.Number",
                         "call box.Change(-5)", "call Program.Nothing()",
                         "print Box.Changes")
    t.check_equal(["12", "7", "12", "12", "7", "102"], RETURNED.findall(here))
    t.check_in("right 102", behind)


def test_assigned(t):
    """A property is set by its setter, a string is made by the program; where
    no call may be made both are refused, and nothing has changed."""
    here, behind = stand(t, 'print word = "new one"', "print word",
                         'print box.Label = "hello"', "print box.Label",
                         "set var crate.Label = word", "print crate.Label",
                         'print box.Label += "!"',
                         "set evaluation interpret",
                         'print word = "x"', 'print box.Label = "x"',
                         "print word", "print box.Label")
    t.check_equal(['"new one"', '"new one"', '"hello"', '"hello1"',
                   '"new one2"', '"hello1!"', '"new one"', '"hello1!3"'],
                  RETURNED.findall(here))
    t.check_in("A new string is made by a call, which is not allowed here",
               behind)
    t.check_in("'box.Label' is set by a call, which is not allowed here",
               behind)
    t.check_in("right 3", behind)


def test_assigned_value(t):
    """The value of an assignment is what was assigned, whatever the getter
    says of it, and whatever the setter changes or moves."""
    said = {"box[0] = 5": "5", "box[0]": "105", "box[0] += 7": "112",
            "box[0] = box[0] * 2": "424", "box[0]++": "524",
            "++box[0]": "626", "box.Any = 5": "5", 'box.Any = "s"': '"s"',
            "box.Any ??= 3": "7",
            "box.Twin = new Box(5)": "{Number = 5",
            "box.Twin++": "{Number = 7", "++box.Twin": "{Number = 5"}
    here, behind = stand(t, *(f"print {text}" for text in said))
    got = [value.split(",")[0] for value in RETURNED.findall(here)]
    t.check_equal([*said.values()], got)


def test_steps(t):
    """x++ and --x of what is set by a call: each sets it once, and has the
    value of before or behind."""
    steps = {"print box.Level++": "4", "call box.Level++": "5",
             "print ++box.Level": "7", "call --box.Level": "6",
             "print box.Level--": "6", "print box.Level": "5",
             "print Box.Changes": "5", "print numbers[1]++": "2",
             "call ++map[\"a\"]": "2", "print (numbers[1], map[\"a\"])":
             "(3, 2)"}
    here, behind = stand(t, *steps)
    t.check_equal([*steps.values()], RETURNED.findall(here))
    t.check_in("right 5", behind)


def test_changed(t):
    """An expression that reads what its own call has changed has no answer, and
    the call is made once."""
    here, behind = stand(t, "call box.Number == 7 ? box.Change(5) + 1 : 0",
                         "print box.Number", "call box.Change(-5)")
    t.check_in("The calls changed what the expression had read", behind)
    t.check_equal(["12", "7"], RETURNED.findall(here))
    t.check_in("right 2", behind)


def test_exceptions(t):
    """An exception is an error with its words; what stands in `finally` has
    run, locks are free, catchpoints see nothing of it, nothing is left."""
    s = t.start("--args", *t.program("Calls"))
    s.cmd("set confirm off")
    s.cmd("set call-timeout 600000")
    s.cmd(f"break {t.at('Calls', 'stop')}")
    s.cmd("run")
    s.cmd("catch throw")
    for number in (1, 2):
        t.check_in("'Calls.Program.Throw(int)' threw "
                   f"System.InvalidOperationException: box{number}.",
                   s.cmd(f"call Program.Throw({number})"))
        t.check_in("threw System.NullReferenceException: ",
                   s.cmd("call Program.NoObject(null)"))
    t.check_in("= 3", s.cmd("call Program.Threads()"))
    t.check_in("#0  Calls.Program.Stand", s.cmd("bt"))
    s.cmd("delete")
    s.line("continue")
    s.expect("right 20")
    s.expect("exited normally")


def test_breakpoints(t):
    """Breakpoints inside are passed; those of the program's own way are not."""
    here, behind = stand(t, "break Box.Kind", "call box.Kind()",
                         "tbreak " + t.at("Calls", "behind"),
                         end="continue\ncontinue")
    t.check_equal(['"box"'], RETURNED.findall(here))
    t.check_not_in("Breakpoint 2,", here)


def test_given(t):
    """Boxes, arrays and objects that only the debugger has are given to a call
    as copies: what the program makes of them, and writes, is right. A delegate
    is not."""
    calls = {'string.Concat(new object[] { 1, "a", box })': '"1aBox 7"',
             "Program.Same<object>(new Box(6)).ToString()": '"Box 6"',
             'Program.Map("k", new Box(9) { Number = 4 })["k"].Data[0]': "9",
             "Enumerable.Sum(new[] { 1, 2, 3 })": "6",
             'string.Format("{0}-{1}-{2}-{3}", 1, 2.5, true, box)':
             '"1-2.5-True-Box 7"',
             'Program.Same(new List<string> { "x", "y" + box.Number })[1]':
             '"y7"',
             "Program.Same(new[] { new[] { 1 }, new[] { 2, 3 } })[1][1]": "3",
             'Shelf<object>.Of(1, "b", new Crate(3)).Count': "3",
             "System.Runtime.InteropServices.Marshal.SizeOf(new Point())": "8",
             'Program.Same(new Dictionary<string, int> { ["a"] = 3 })["a"]':
             "3"}
    here, behind = stand(
        t, *("call " + text for text in calls),
        'print Console.Out.WriteLine("+{0}+{1}+{2}", 1, 2.5m, new Box(6))',
        "print Console.Out.WriteLine(new[] { 'u', 'v' })",
        'print Console.Out.WriteLine("{0}", new Func<int>(() => 3))')
    t.check_equal([*calls.values()], RETURNED.findall(here)[:len(calls)])
    for line in ("+1+2.5+Box 6", "uv"):
        t.check_match(f"(?m)^{re.escape(line)}$", here)
    t.check_in("cannot be evaluated without running the program", behind)
    t.check_in("right 0", behind)


def test_limit(t):
    """A call that takes too long stops the program in it. It goes on with the
    program, and when it returns the thread is where it was."""
    s = t.start("--args", *t.program("Calls"))
    s.cmd("set confirm off")
    s.cmd("set call-timeout 600000")
    s.cmd(f"break {t.at('Calls', 'stop')}")
    s.cmd("run")
    # what the first call of all prepares is not what is too slow
    t.check_in('= "box"', s.cmd("call box.Kind()"))
    s.cmd("set call-timeout 1000")
    text = s.cmd("call Program.Forever()")
    t.check_in("did not return within 1000 ms", text)
    t.check_not_in("signal", text)
    t.check_match(r"Forever \(\) at .*\n(?:#\d+ .*\n)?"
                  r"#\d+ +<function called from dndbg>\n"
                  r"#\d+ .* in Calls.Program.Stand ", s.cmd("bt"))
    t.check_in("has not returned yet", s.cmd("call Environment.TickCount"))
    s.cmd("set var Calls.Program.over = true")
    text = s.cmd("continue")
    t.check_in("'Calls.Program.Forever()' has returned", text)
    t.check_in("#0  Calls.Program.Stand", s.cmd("bt"))
    s.cmd("set call-timeout 600000")
    t.check_in('= "box"', s.cmd("call box.Kind()"))
    s.cmd("delete")
    s.line("continue")
    s.expect("right 0")
    s.expect("exited normally")


def test_others(t):
    """The others run beside a call from half its limit on at the latest. What
    one of them hits ends the evaluation when the call has not returned after a
    while, as in gdb, and the call goes on with the program."""
    log = f"{t.dir}/log"
    s = t.start("--args", *t.program("Calls", "passes", "1"))
    s.cmd("set confirm off")
    s.cmd("set env DOTNET_TieredCompilation 0")
    s.cmd("set call-timeout 600000")
    s.cmd(f"tbreak {t.at('Calls', 'pass')}")
    s.cmd("run")
    t.check_in("= false", s.cmd("call Program.Not(true)"))
    s.cmd("set call-timeout 400")
    s.cmd(f"set log {log}:control")
    t.check_in("did not return within 400 ms: the evaluation is given up",
               s.cmd("call Program.Spin()"))
    s.cmd("set log")
    with open(log) as file:
        t.check_in("the other threads run beside the call of "
                   "Calls.Program.Spin()", file.read())
    s.cmd("set var Calls.Program.spun = true")
    t.check_in("'Calls.Program.Spin()' has returned", s.cmd("continue"))
    s.cmd("set call-timeout 20000")
    s.cmd("set call-threads on")
    s.cmd(f"break {t.at('Calls', 'pass')}")
    text = s.cmd("call Program.Forever()")
    t.check_match(r"Breakpoint 2, .*Pass(?s:.*)^The program stopped in the "
                  r"call of 'Calls.Program.Forever\(\)': the evaluation is "
                  r"given up; the call goes on when the program does, and "
                  r"thread \d+ stops here again when it returns\.$", text)
    t.check_equal(1, text.count("given up"))
    s.cmd("delete")
    s.cmd("set var Calls.Program.over = true")
    t.check_in("'Calls.Program.Forever()' has returned", s.cmd("continue"))
    t.check_in("#0  Calls.Program.Pass", s.cmd("bt"))
    s.line("continue")
    s.expect("right 0")


def test_switched(t):
    """Where a call ends in a stop of another thread that is told, and which."""
    done = t.batch(["set env DOTNET_TieredCompilation 0",
                    f"tbreak {t.at('Calls', 'pass')}", "run",
                    "set call-timeout 600000", "call Program.Not(true)",
                    "set call-timeout 20000", "set call-threads on",
                    f"break {t.at('Calls', 'pass')}", "thread",
                    "call Program.Forever()", "thread", "kill"],
                   t.program("Calls", "passes", "1"))
    before, now = re.findall(r"^\[Current thread is (\d+) ", done.stdout, re.M)
    t.check(before != now, done.stdout)
    t.check_match(rf"^\[Switching to thread {now} \(.*\]\n+"
                  r"Breakpoint 2, Calls.Program.Pass", done.stdout)


def test_beside(t):
    """What a thread hits that runs beside a call is told behind the call,
    once, and is judged when it was hit."""
    log, file = f"{t.dir}/log", f"{t.dir}/file"
    s = t.start("--args", *t.program("Calls", "passes", "1"))
    s.cmd("set confirm off")
    s.cmd("set env DOTNET_TieredCompilation 0")
    s.cmd("set call-timeout 600000")
    s.cmd(f"tbreak {t.at('Calls', 'pass')}")
    s.cmd("run")
    t.check_in("= false", s.cmd("call Program.Not(true)"))
    s.cmd("set call-threads on")
    s.cmd(f"set log {log}:control")
    for _ in range(2):
        s.cmd(f"break {t.at('Calls', 'met')} if Calls.Program.meeting")
    s.line(f'call Program.Meets("{file}")')
    t.wait_for("a hit beside the call",
               lambda: "waits for the call of" in open(log).read())
    open(file, "w").close()
    s.expect(r"^\$\d+ = 9\s")
    s.expect(r"^\(dndbg\) ")
    # the other one at that place held, too
    s.cmd("delete 2")
    t.check_match(r"\[Switching to thread (?s:.*)Breakpoint 3, .*Pass",
                  s.cmd("continue"))
    t.check_in("already hit 1 time", s.cmd("info breakpoints"))
    s.cmd("delete")
    s.cmd("set var Calls.Program.over = true")
    s.line("continue")
    s.expect("right 0")


def test_kept(t):
    """What was shown is what it was behind calls that move everything; what
    lay within an object, or is the debugger's own, is not known any more. When
    the program runs on no handle keeps an object."""
    strong = r"^.* strong .* (?:Calls\..*|int\[\]|string)$"
    here, behind = stand(
        t, "call box.Kind()", "print late", "print cell", "print late.Data",
        "call Program.Make(3)", "call Program.Pair(8)", "print point",
        "set $mine = late", "print new Box(6)",
        "call Program.Make(4)", "echo +++\\n",
        "print $2.Name", "print $3.Value", "print $4[0]", "print $5.Name",
        "print $6.Item2", "print $7.Y", "print $mine.IsRight",
        "print $8.Number", "call $5.Add($mine.Name)", "handles",
        "echo +++\\n", "next", "print $5.Name", "handles")
    _, kept, gone = here.split("+++\n")
    t.check_equal(['"box11"', '"cell"', "11", '"box3"', '"p8"', "4", "true",
                   '"box3+box11"'], RETURNED.findall(kept))
    t.check_in("$8 is not known any more since a call was made: ", behind)
    t.check(re.findall(strong, kept, re.M), kept)
    t.check_equal([], re.findall(r"^.* strong .* Calls\..*$", gone, re.M))
    t.check_in("$5 is of an earlier stop", behind)
    t.check_in("right 0", behind)


def test_served(t):
    """A signal stops the program while a call is made that the user's call
    needs first: it is not named, the program goes on past its end, and it
    leaves no handle that keeps an object."""
    s = t.start("--args", *t.program("Calls"))
    s.cmd("set confirm off")
    s.cmd("set call-timeout 600000")
    s.cmd("handle SIGURG stop nopass")
    s.cmd(f"break {t.at('Calls', 'stop')}")
    s.cmd("run")
    pid = int(RETURNED.search(s.cmd("call Environment.ProcessId"))[1])
    for shown, text, mark in (("1", 'box.Add("text")', "behind"),
                              ("box", "box.Kind()", "handler")):
        s.cmd(f"tbreak {t.at('Calls', mark)}")
        s.cmd(f"print {shown}")
        os.kill(pid, signal.SIGURG)
        said = s.cmd(f"call {text}")
        t.check_in("signal SIGURG", said)
        t.check_in(f"The program stopped before a call of '{text}' was made: "
                   "the evaluation is given up.", said)
        t.check_match(r"Temporary breakpoint \d+, .*Stand", s.cmd("continue"))
    t.check_equal([], re.findall(r"^.* strong .* Calls\.Box$",
                                 s.cmd("handles"), re.M))
    s.cmd("delete")
    s.line("continue")
    s.expect("right 0")
    s.expect("exited normally")


def test_interrupt(t):
    """Ctrl-C stops the program in the call."""
    s = t.start("--args", *t.program("Calls"))
    s.cmd("set confirm off")
    s.cmd("set call-timeout 600000")
    s.cmd(f"break {t.at('Calls', 'stop')}")
    s.cmd("run")
    s.line("call Program.Forever()")
    s.expect("^forever")
    s.signal(signal.SIGINT)
    s.expect("stopped in the call of 'Calls.Program.Forever")
    s.expect(r"^\(dndbg\) ")


def test_hits(t):
    """Hits of other threads, and the one of the thread that makes a call, wait
    while it does; each is told, once."""
    call = "call Program.Not(true)"
    others = [word for number in (1, *range(10, 20))
              for word in (f"thread {number}", call)]
    stop = ["print ($_thread, passes)", call, *others, "continue"]
    done = t.batch(["set env DOTNET_TieredCompilation 0",
                    "set call-timeout 600000", "set call-threads off",
                    f"break {t.at('Calls', 'pass')}", "run",
                    *stop * 12, "delete",
                    "set var Calls.Program.over = true", "continue"],
                   t.program("Calls", "passes", "5"), timeout=120)
    t.check_not_in("stopped in the call", done.stderr)
    stops = re.split(r"^\$\d+ = \((\d+), passes: (\d+)\)$", done.stdout,
                     flags=re.M)
    t.check_equal(3 * 12 + 1, len(stops))
    passed = {}
    for thread, passes, text in zip(stops[1::3], stops[2::3], stops[3::3]):
        t.check_equal((thread, passed.get(thread, 0)), (thread, int(passes)))
        passed[thread] = int(passes) + 1
        t.check_match(r"^\n\$\d+ = false\n", text)
    t.check_in("right 0", done.stdout)


def test_exit(t):
    """The program may end in a call: it exits, the runtime gives up, or the
    stack is spent."""
    for text, end, name in (
            ("Program.Exit(5)", "exited with code 05",
             "Calls.Program.Exit(int)"),
            ('Environment.FailFast("bye")', "terminated with signal SIGABRT",
             "System.Environment.FailFast(string)")):
        here, behind = stand(t, f"call {text}", end="print 1")
        t.check_in(end, here)
        t.check_in(f"The program ended in '{name}'", behind)
    here, behind = stand(t, "call Program.Deep(0)")
    t.check_in("System.StackOverflowException", here)
    t.check_in("'Calls.Program.Deep(int)' ends the program: ", behind)
    t.check_in("terminated with signal SIGABRT", behind)


def test_places(t):
    """Where no call can be made it is said why, and what to do."""
    done = t.batch(["break Box.Kind", "run", "call Number", "finish",
                    "call box.Kind()", "delete",
                    "catch throw", "continue", "call Program.Not(true)",
                    "kill"], t.program("Calls"))
    t.check_in("No call can be made from here: the thread is within a "
               "statement", done.stderr)
    t.check_in("No call can be made while an exception is thrown", done.stderr)
    done = t.batch([f"break {t.at('Calls', 'handler')}", "run",
                    "call Program.Make(3)", "delete", "continue"],
                   t.program("Calls"))
    t.check_in("No call can be made from here: the thread is within a "
               "statement", done.stderr)
    t.check_in("right 0", done.stdout)
    done = t.batch([f"break {t.at('Calls', 'stop')}", "run",
                    "call Program.Not(true)", "continue"],
                   t.program("Calls", config="Release"))
    t.check_in("the method is optimized", done.stderr)


def test_policy(t):
    """What cannot be interpreted is called, unless the setting forbids it."""
    here, _ = stand(t, "print Environment.ProcessId > 0",
                    "print Program.Threads()",
                    "set evaluation interpret",
                    "print Program.Threads()",
                    "show evaluation")
    t.check_match(r"^\$2 = 3$", here)


def test_own(t):
    """The runtime is never given what only the debugger has: places of the
    interpreter, delegates and structures that an expression made."""
    texts = ["new System.Func<int, int>(System.Math.Abs).Method.Name",
             "typeof(Box).GetMethods().Length",
             "System.Type.GetType(\"Box\").Name",
             "System.Activator.CreateInstance(typeof(Box)).GetType().Name"]
    here, behind = stand(t, *(f"print {text}" for text in texts),
                         *(f"call {text}" for text in texts))
    t.check("signal" not in here, here)
    t.check_in("right 0", behind)


def test_collections(t):
    """Other threads allocate, and everything is moved all the time, in calls
    that return and throw; scripts/torture-calls alone does more."""
    done = subprocess.run(
        [sys.executable, f"{drive.TOP}/scripts/torture-calls", "--rounds",
         "20", "--dndbg", t.dndbg, "--runtime", t.runtime], text=True,
        capture_output=True)
    t.check_equal("", done.stderr)
    t.check_match(r": \d+ calls, 0 went wrong", done.stdout)


def test_registers(t):
    """What the compiler says of registers at a statement is true after a call
    that moved everything, too: none leads to where an object was."""
    here, behind = stand(t, "heap roots", "echo +++\\n",
                         "call Program.Make(3).Number", "heap roots")
    before, after = (re.findall(r"^stack {20,}(0x\w+) .*\.Stand,", text,
                                re.M)
                     for text in here.split("+++\n"))
    t.check(before, f"no register leads to an object:\n{here}")
    t.check_equal([], after)
    t.check_in("right 0", behind)


def test_copies(t):
    """Where the collector would not find what the method holds, because it
    cannot look while structures are copied, there are no calls. The compiler
    of .NET 11 has a nop before each such copy, at which it finds all."""
    done = t.batch(["set call-timeout 600000",
                    f"break {t.at('Calls', 'copies')}", "run",
                    *["call Program.Make(3).Number",
                      "call Program.NoObject(null)", "next"] * 8,
                    "delete", "continue"], t.program("Calls"), timeout=120)
    found = [len(re.findall(text, done.stdout + done.stderr, re.M))
             for text in (r"^\$\d+ = 3$", "threw System.NullReferenceException",
                          "from here: the collector could not find")]
    t.check_equal(found[0], found[1])
    t.check_equal([True, True, int(t.runtime) < 11],
                  [number > 0 for number in found])
    t.check_in("right 0", done.stdout)


def test_killed(t):
    """Who kills dndbg in the midst of a call, which returns or throws then,
    has a program that goes on as if there had been none."""
    for fails in ("false", "true"):
        program = Caller(t)
        s = t.start("-p", str(program.pid))
        s.cmd("set call-timeout 600000")
        s.cmd(f"tbreak {t.at('Calls', 'stop')}")
        s.line("continue")
        program.say("on")
        s.expect("reakpoint 1, ")
        s.expect(r"^\(dndbg\) ")
        s.line(f"call box.Next.Add(Program.Wait({fails}))")
        program.await_waiting()
        s.signal(signal.SIGKILL)
        s.wait()
        t.wait_for("the end of the tracing",
                   lambda: not drive.tracer_of(program.pid))
        program.right()


def test_formats(t):
    """What prints by a format, of several elements, or in a text calls as print
    does; a display does at each stop."""
    here, behind = stand(
        t, "print/x box.Id", "print box.Data[0]@(box.Id - 7)",
        "print/x box.Data[0]@(box.Id - 7)", "output/x box.Id", "echo \\n",
        'printf "%d %x %s.\\n", box.Id, box.Id, box.Kind() + box.Id',
        "display box.Id", "display/x box.Id", "next",
        "set evaluation interpret", "print/x box.Id")
    t.check_equal(["0x8"], RETURNED.findall(here))
    t.check_match(r"(?m)^\{7\}\n\{0x7\}$", here)
    t.check_match(r"(?m)^0x8\n8 8 box8\.$", here)
    t.check_equal(2, len(re.findall(r"^\d: box.Id = 8$", here, re.M)))
    t.check_equal(2, len(re.findall(r"^\d: /x box.Id = 0x8$", here, re.M)))
    t.check_in("cannot be evaluated without running the program", behind)
    t.check_in("right 0", behind)


def test_frame(t):
    """What is told of the frame is not that of before a call."""
    here, _ = stand(t, "call box.Kind()", "delete", "finish")
    t.check_in("Run till exit from #0  Calls.Program.Stand (box={Box 7}", here)


def test_made(t):
    """What an expression makes and assigns the program has the like of: objects
    and what they lead to, arrays, boxes, what structures refer to; where a call
    may be made."""
    here, behind = stand(
        t, "print crate = new Box(5) { Name = \"b\" + box.Number }",
        "print same[0] = 5", "print same[1] = (4, \"four\")",
        "print box.Data = new int[] { 7, 1 }",
        'print map = new Dictionary<string, int> { ["z"] = 4 }',
        "call Program.Make(3).Number", "print crate.Name + crate.Data.Length",
        "print (int)same[0] + (((int, string))same[1]).Item1", 'call map["z"]',
        "print box.Data[0] + box.Data[1]",
        "print crate = new Crate(9)", "print same[0] = box",
        "print same[1] = crate",
        'print cell = new Cell<string> { Value = "c" + map.Count }',
        "call GC.Collect()", "print cell.Value",
        'print cell = new Cell<string> { Value = "ce" + "ll" }',
        "call GC.Collect()", "print cell.Value", "set evaluation interpret",
        "print crate = new Box(5)", "print same[0] = 5",
        'print cell = new Cell<string> { Value = "d" + map.Count }')
    found = RETURNED.findall(here)
    t.check_equal(['"c1"', '"cell"'], [found[-3], found[-1]])
    t.check_equal(["3", '"b76"', "9", "4", "8"], found[5:10])
    for place in ("crate", "cell"):
        t.check_in(f"An object for '{place}' is made by a call, which is not "
                   "allowed", behind)
    t.check_in("A box for 'int' is made by a call, which is not allowed",
               behind)
    t.check_in("right 0", behind)


def test_coalesce(t):
    """??= asks once what its target is, and assigns only to null."""
    here, behind = stand(
        t, "print text ??= box.Kind()", "print text = null",
        "call text ??= box.Kind() + box.Reads()", "print text ??= \"no\"",
        "print crate = null", "call crate ??= Program.Make(3).Same()",
        "call crate.Name", "print box.Label ??= \"no\"",
        "print $n = (int?)null", "print $n ??= 5", "print $n ??= 6",
        "print Box.Changes", "print crate = (Crate)same[1]",
        "print text = (string)same[2]")
    t.check_equal(['"t1"', "null", '"box8"', '"box8"', "null", '"box3"',
                   '"none"', "null", "5", "5", "0"],
                  [one for one in RETURNED.findall(here)[:-2]
                   if "Number" not in one])
    t.check_in("right 0", behind)


def test_killed_handles(t):
    """Who kills dndbg in a stop in which it followed objects leaves no handle
    that keeps them."""
    process = subprocess.Popen(
        t.program("Calls", "passes", "1", host="dotnet"),
        stdout=subprocess.PIPE, text=True,
        env={**t.env, "DOTNET_TieredCompilation": "0"})
    kept = re.compile(r"^.* strong .* Calls\.(?:Box|Crate)$", re.M)
    look = ["-p", str(process.pid)]
    s = t.start(*look)
    s.cmd("set confirm off")
    s.cmd("set call-timeout 600000")
    s.cmd(f"tbreak {t.at('Calls', 'pass')}")
    s.cmd("continue")
    for n in (3, 4, 5):
        t.check_in(f'"box{n}"', s.cmd(f"call Program.Make({n})"))
    t.check_equal(2, len(kept.findall(s.cmd("handles"))))
    s.signal(signal.SIGKILL)
    s.wait()
    t.wait_for("the end of the tracing",
               lambda: not drive.tracer_of(process.pid))
    s = t.start(*look)
    t.check_equal([], kept.findall(s.cmd("handles")))
    s.cmd("set var Calls.Program.over = true")
    s.cmd("detach")
    s.line("quit")
    s.wait()
    out, _ = process.communicate(timeout=60 * drive.TIME)
    t.check_in("right 0", out)
