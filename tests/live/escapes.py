"""What a program names and says cannot act on the terminal: Escapes chooses
every name it can with control characters in it, and a line end behind which
"FAKE" would begin a line."""
import os
import re
import shutil

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]")
NAME = "\x1b]0;owned\x07\n"


def check_plain(t, text, shown):
    """No control character, no faked line; and what is @shown was seen."""
    for line in text.split("\n"):
        found = CONTROL.search(line)
        t.check(not found, f"{found and found[0]!r} in {line!r}")
        t.check(not line.startswith("FAKE"), f"a faked line in:\n{text}")
    for name in shown:
        t.check_in(name + r"\u001b]0;owned\a\u001b[2J\r\nFAKE\u009b1m\u202e",
                   text)


def hostile_copy(t, fixture):
    """The program below a directory of a hostile name."""
    words = t.program(fixture)
    directory = os.path.join(t.dir, "dir" + NAME + "FAKE")
    shutil.copytree(os.path.dirname(words[-1]), directory)
    return [os.path.join(directory, os.path.basename(words[-1]))]


COMMANDS = ["bt", "bt full", "bt -native", "info threads", "thread",
            "info exception", "info sharedlibrary", "info locals",
            "print $exception", "print made", "print *made", "ptype made",
            "whatis made", "up", "info frame", "info line", "disassemble",
            "list", "frame 2", "frame 3", "info source", "info inferiors",
            "info program", "display made", "info display",
            "disassemble /il", "info scope Throw", "info types Made",
            "info functions Method", "info variables field",
            "info breakpoints"]


def test_prompt(t):
    """Every command that shows names of the program's."""
    words = hostile_copy(t, "Escapes")
    done = t.batch(["catch throw", "run", *COMMANDS, "kill"], words, env={"TMPDIR": t.dir})
    check_plain(t, done.stdout, ["Method", "message", "thread", "file",
                                 "assembly", "key", "value"])
    check_plain(t, done.stderr, [])
    t.check_in(r"/* \u001b]0;owned\a\u001b[2J */", done.stdout)
    t.check_in(r"at ba\u001b]0;owned\ad.cs:100", done.stdout)


def test_members(t):
    """Names in metadata, where lines are ours: a type's declaration."""
    done = t.batch(["break Plugin.Work.Run", "run", "ptype Plugin.Work",
                    "info statics", "step", "bt", "up", "ptype Plugin.Work",
                    "tbreak LoadsPlugin.cs:%d" % t.line("Loads", "plugin-generic"),
                    "continue", "bt", "info calls", "kill"],
                   t.program("Escapes"), env={"TMPDIR": t.dir})
    check_plain(t, done.stdout, [])
    t.check_match(r"^    .*static int c\\u001b\?\\ax;", done.stdout)
    t.check_in(r"G\u001b\neric<string>.A\nx", done.stdout)


test_members.runtimes = ("10",)


def test_child(t):
    """The path of a program is printed when it is started and followed."""
    words = hostile_copy(t, "Hello")
    done = t.batch(["run"], words)
    check_plain(t, done.stdout, [])
    t.check_in(r"dir\u001b]0;owned\a\nFAKE/Hello.dll", done.stdout)


test_child.runtimes = ("10",)


def test_adapter(t):
    """What the adapter says of its own accord and by commands."""
    c = t.adapter(env={"TMPDIR": t.dir})
    c.launch(hostile_copy(t, "Escapes"), logging={"moduleLoad": True},
             configure=lambda client: client.ask(
                 "setExceptionBreakpoints", filters=["all"]))
    c.stopped("exception")
    frame = c.top()["id"]
    for command in COMMANDS:
        answer = c.answer(c.send("evaluate", expression="`" + command,
                                 context="repl", frameId=frame))
        text = answer.get("body", {}).get("result") or answer["message"]
        check_plain(t, text, [])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()
    check_plain(t, c.output("console"), ["file"])
