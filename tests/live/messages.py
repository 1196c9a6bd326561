"""Exceptions whose Message is made by their class: what is shown is what the
program shows."""
import re
import subprocess

import drive


def said(out):
    """What the program wrote of each: [(class, message)]."""
    return re.findall(r"^([\w`]+) \| (.*)$", out, re.M)


def test_shown(t):
    """In the line of a stop, of $exception and of a variable."""
    out = t.batch(["catch throw", f"break {t.at('Messages', 'said')}", "run",
                   *["print $exception", "continue", "print e", "continue"]
                   * 17, "continue"], t.program("Messages")).stdout
    texts = [message for _, message in said(out)]
    t.check_equal(17, len(texts))
    shown = [f'"{text}"' for text in texts]
    # the runtime itself makes the one of a file name, when it is asked for
    asked = 10
    late = shown[:asked] + ['"<not known: its Message cannot be interpreted>"'
                            ] + shown[asked + 1:]
    t.check_equal(late, re.findall(r'^Exception thrown: \S+: (".*")$', out,
                                   re.M))
    seen = re.findall(r"^\$\d+ = (?:\([^)]*\) )?\{[^:{]*(?:: (.*))?\}$", out,
                      re.M)
    wanted = [text for text in shown[:-1] for _ in range(2)] + ["null"] * 2
    del wanted[2 * asked:2 * asked + 2]
    t.check_equal(wanted, [text for text in seen if text])


def test_failing(t):
    """One that throws: what Exception would say of it."""
    out = t.batch([f"break {t.at('Messages', 'failing')}", "run",
                   "print failing"], t.program("Messages")).stdout
    t.check_match(r'^\$1 = (\([^)]*\) )?\{Failing: "kept"\}$', out)


def test_filter(t):
    """Catchpoints by message."""
    out = t.batch(["catch throw -message \"Parameter 'who'\"",
                   "catch throw -message ^code.8", "run", "continue",
                   "continue"], t.program("Messages")).stdout
    t.check_equal(["System.ArgumentException", "Derived"],
                  re.findall(r"^Exception thrown: ([\w.]+):", out, re.M))


def test_editor(t):
    c = t.adapter()
    c.initialize()
    c.launch(t.program("Messages"), configure=lambda c: c.ask(
        "setExceptionBreakpoints", filters=["all"]))
    body = c.stopped("exception")
    t.check_in("Value cannot be null. (Parameter 'name')", body["text"])
    info = c.ask("exceptionInfo", threadId=body["threadId"])
    t.check_in("'Value cannot be null. (Parameter 'name')'",
               info["description"])
    t.check_equal("Value cannot be null. (Parameter 'name')",
                  info["details"]["message"])
    c.ask("disconnect", terminateDebuggee=True)
    c.close()


def test_report(t):
    """An exception that nobody catches, below dndbg run."""
    path = f"{t.dir}/report.json"
    done = subprocess.run([t.dndbg, "run", "--json", path, "--",
                           *t.program("Messages", "1")], env=t.env, text=True,
                          capture_output=True, timeout=60 * drive.TIME)
    text = "bad (Parameter 'idx')\\nActual value was 42."
    t.check_in(f"System.ArgumentOutOfRangeException: {text}\nMessages.dll, ",
               done.stderr)
    with open(path) as file:
        t.check_match('"message":\\s+"' + re.escape(text) + '"', file.read())


def test_not_read(t):
    """The framework's texts that the program has not read from its resources:
    they are read there, none of its code runs."""
    out = t.batch(["catch throw", "run", "print $exception"],
                  t.program("Messages", "2")).stdout
    text = """System.ArgumentException: "wrong (Parameter 'who')\""""
    t.check_in(f"Exception thrown: {text}\n", out)
    t.check_in(f"{{{text}}}\n", out)
