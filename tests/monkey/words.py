"""What random sessions are made of: programs with their places and names, read
from the sources and transcripts of the fixtures, and words that nobody should
type. A word "${kind:n}" stands for the nth thing of a kind that the session has
shown by then (a thread, a frame's id, ...): so a session is the same text each
time, whatever numbers it meets."""
import glob
import os
import re
import shlex

import drive

# The fixture that checks its own answers: what is said of whether a program is
# hurt is said of it. Its expressions read, or call what changes nothing.
JUDGE = "Rental"
LOOKS = (
    "shelf", "shelf.Count", "shelf.Find(\"b1\")", "shelf.Find(\"none\")",
    "shelf.Find(\"b2\").Daily", "pricing", "pricing.Price(bike, 7)", "contract",
    "contract.Item", "contract.Price.ToString()", "contract.Days + 1", "bike",
    "bike.Daily", "bike.Code.Length", "item", "item.Code", "item.State", "items",
    "items.Count", "items.Keys", "items.Where(i => i.Value.Gears > 1).Count()",
    "e", "e.Message", "e.InnerException", "e.Item", "e.StackTrace", "args",
    "args.Length", "days", "percent", "turn", "turns", "found", "code", "this",
    "jobs", "jobs.Count", "thread", "thread.Name", "Failed", "boat", "one", "two",
    "done.CurrentCount", "sums", "longest", "count", "price", "note", "sum",
    "first", "wrong", "Program.wrong", "Rental.Program.wrong", "typeof(Rental.Model.Bike)",
    "new Rental.Model.Money(3) + new Rental.Model.Money(4)",
    "new Rental.Model.Bike(\"x\", 2).Daily", "Rental.Model.Rules.Days(3)",
    "Rental.Model.Rules.Days(3).Sum()", "Rental.Model.Rules.Days(4).ToList()",
    "Console.Out.Flush()", "Environment.ProcessId", "DateTime.Now",
    "new { P = 1 }", "false ? new { P = 1 } : null", "new[] { 1, 2 }.Select(n => n * 2).ToArray()",
    "Enumerable.Range(0, 10000000).Sum()", "Thread.CurrentThread.Name",
    "Thread.Sleep(1)", "Task.Delay(1).Wait()", "GC.CollectionCount(0)",
    "AppDomain.CurrentDomain.GetAssemblies()", "System.Console.Out",
    "typeof(Rental.Program).Assembly.GetTypes()", "$1", "$", "$$", "$_",
    "$exception", "$returnvalue", "$rip", "$rsp", "$nothing", "1 / 0", "(byte)300",
    "checked(int.MaxValue + 1)", "string.Join(\",\", args)", "\"a\" + 1 + 'c'",
    "default(Rental.Model.Money)", "nameof(args)", "args?.Length ?? 3", "args[0]",
    "args[999]", "null", "((object)null).ToString()", "this.ToString()",
    "\"x\".PadLeft(100000)", "new string('x', 1 << 20)", "new int[1000000]",
    "typeof(int).GetMethods()", "int.Parse(\"x\")", "Guid.NewGuid()",
)
CHANGES = (
    "wrong = 1", "percent = 3", "longest++", "count = 99", "price = default",
    "bike = null", "item.State = Rental.Model.State.Broken", "turn += 1",
    "args = null", "this = null", "shelf.Add(new Rental.Model.Bike(\"z\", 1))",
    "GC.Collect()", "Environment.Exit(3)", "throw new Exception()",
    "Environment.FailFast(\"x\")", "Console.ReadLine()", "$mine = shelf",
    "Thread.Sleep(100000)", "new Thread(() => { }).Start()", "$rip = 0",
    "$rsp = 1", "$rax = -1",
)
SILLY = (
    "", " ", "0", "-1", "1", "2", "99999", "4294967296", "18446744073709551615",
    "18446744073709551616", "-9223372036854775808", "1e9", "0x", "0x0",
    "0x7fffffffffff", "0xffffffffffffffff", "1.5", "nan", "*", "**", ".", "..",
    "/", "//", "./x", "../../x", "x" * 300, "(" * 200, "[" * 100 + "]" * 100,
    "{}", "[]", "()", "\"", "'", "\\", "\"unfinished", "'a", "%s%n%d", "$", "${",
    "@", "#", ";", ",", ":", "::", ":1", "x:", "x:y", "a!b", "!" + "x", "~", "=",
    "==", "-", "--", "---x", "-x", "\t", "\N{GREEK SMALL LETTER ALPHA}",
    "\N{SNOWMAN}.cs:3", "\N{ZERO WIDTH JOINER}", "\N{RIGHT-TO-LEFT OVERRIDE}x",
    "e\N{COMBINING ACUTE ACCENT}", "\U0001f600", "None", "null", "true", "on",
    "off", "all", "unlimited", "i1", "x<y>", "List<", "a.b.c.d.e.f", "Program.Main",
    "if", "if 1", "thread", "thread 1", "-p 99", "&", "<", ">",
)


def harvest():
    """What the transcripts do with each fixture: (arguments, its commands)."""
    found = {}
    for path in sorted(glob.glob(f"{drive.TOP}/tests/repl/*.t")):
        with open(path) as file:
            head, _, body = file.read().partition("\n")
        words = dict(word.partition("=")[::2] for word in shlex.split(head[2:]))
        if "fixture" in words and "stdin" not in words:
            commands = [line[1:] for line in body.split("\n")
                        if line.startswith("+") and "{" not in line]
            found.setdefault(words["fixture"], []).append(
                (words.get("args", ""), commands))
    return found


class Program:
    """A fixture with the places and names in its sources."""

    def __init__(self, fixture, cases=()):
        self.fixture = fixture
        self.cases = list(cases) or [("", [])]
        main = drive.source_of(fixture)
        self.places = drive.places_of(fixture)
        self.files = sorted({main, *glob.glob(
            f"{drive.SOURCES}/{fixture}/*/*.cs")})
        text = "".join(open(path, errors="replace").read()
                       for path in self.files)
        self.names = sorted(set(re.findall(r"\b[a-zA-Z_]\w{1,30}\b", text)))
        self.methods = sorted(set(re.findall(
            r"\b(?:static|void|int|string|public|private|async [\w<>]+|override "
            r"\w+) +(\w+)(?:<\w+>)?\(", text)))
        self.types = sorted(set(re.findall(
            r"\b(?:class|struct|record|interface|enum) (\w+)", text)))

    def place(self, random):
        """A place as people write one, or nearly."""
        kind = random.random()
        if self.places and kind < 0.6:
            name, line = random.choice(sorted(self.places.values()))
            return f"{name}:{line}"
        if self.methods and kind < 0.8:
            owner = random.choice(self.types or ["Program"])
            method = random.choice(self.methods)
            return random.choice([method, f"{owner}.{method}",
                                  f"{owner}.{method}(int)"])
        file = os.path.basename(random.choice(self.files))
        return random.choice([
            f"{file}:{random.randint(0, 300)}", str(random.randint(0, 200)),
            f"{file}:99999999999", f"{file}:{random.randint(1, 90)}:5", "*$pc",
            "*0x10", f"+{random.randint(0, 5)}", f"./{file}:12", f"{file}:",
            f"no/{file}:3", f"{file}:-1"])

    def expression(self, random, quiet):
        """An expression; a quiet one changes nothing."""
        kind = random.random()
        if kind < 0.1:
            return random.choice(SILLY)
        if not quiet and kind < 0.25:
            return random.choice(CHANGES)
        if self.fixture == JUDGE and kind < 0.8:
            return random.choice(LOOKS)
        if kind < 0.9 and self.names:
            name = random.choice(self.names)
            return random.choice([
                name, f"{name}.{random.choice(self.names)}", f"{name} == null",
                f"{name}[0]", f"{name}.ToString()", f"typeof({name})",
                f"{name}.{random.choice(self.names)}()"])
        return random.choice(LOOKS)

    def condition(self, random, quiet):
        return random.choice([
            "true", "false", "1 == 1", "i >= 3", "days > 5", "wrong == 0",
            "this != null", "item.Code == \"b1\"", "1 / 0 == 1", "x",
            self.expression(random, quiet)])


def programs():
    """All fixtures that transcripts use, the judge first."""
    found = harvest()
    cases = found.pop(JUDGE, [])
    all_of = [Program(JUDGE, cases)]
    for fixture in sorted(found):
        try:
            all_of.append(Program(fixture, found[fixture]))
        except (OSError, drive.Failure):
            continue
    return all_of
