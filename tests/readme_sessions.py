#!/usr/bin/env python3
"""Do the sessions in README.md tell the truth? Each is made as it is shown, and
what is shown is compared with what comes; "..." there is any text.
    readme_sessions.py SOURCE DNDBG BUILD"""
import json
import os
import re
import subprocess
import sys
import types

from dapdrive import Client


def session(text, name):
    """The blocks of code between the marks of a session."""
    part = text.split(f"<!-- {name} -->")[1].split("<!-- end -->")[0]
    return part, re.findall(r"```\w*\n(.*?)```", part, re.S)


def is_shown(shown, got):
    """Is it what is shown? Numbers of processes and addresses differ."""
    def normal(text):
        text = re.sub(r"\b(process|tid) \d+", r"\1 N", text)
        return re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", text.strip("\n"))

    parts = normal(shown).split("...")
    return re.fullmatch(".*".join(map(re.escape, parts)), normal(got), re.S)


def told(what, shown, got):
    """The number of faults."""
    if is_shown(shown, got):
        return 0
    print(f"README.md shows for '{what}':\n{shown}\ndndbg says:\n{got}")
    return 1


def editor(text, top, dndbg, build):
    """launch.json, a breakpoint at the line that is named, and the console."""
    part, (config, console) = session(text, "editor")
    config = json.loads(config)["configurations"][0]
    line = int(re.search(r"line (\d+) of `docs/demo/Demo.cs`", part)[1])
    config["program"] = config["program"].replace(
        "${workspaceFolder}/build", build)
    client = Client(types.SimpleNamespace(dndbg=dndbg, env=dict(os.environ),
                                          dir=build))
    request = config.pop("request")
    client.launch([config["program"]], {f"{top}/docs/demo/Demo.cs": [line]},
                  request=request, **config)
    client.stopped("breakpoint")
    failed = 0
    for question, answer in (q.split("\n", 1)
                             for q in console.split("> ")[1:]):
        got = client.evaluate(question, context="repl")["result"]
        failed += told(question, answer, got)
    client.ask("disconnect", terminateDebuggee=True)
    client.wait()
    client.close()
    return failed


def mi(text, top, dndbg, build):
    """Commands with numbers, and the records that answer them."""
    _, (command, exchange) = session(text, "mi")
    words = [word.replace("build/", f"{build}/") for word in command.split()]
    failed = 0
    with subprocess.Popen(["timeout", "60", dndbg, *words[1:]],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        for line in exchange.splitlines():
            if re.match(r"\d+-", line):
                asked = line
                process.stdin.write(line + "\n")
                process.stdin.flush()
                continue
            first = re.match(r"\d*[\^*]\w+", line)[0]
            got = next((at for at in process.stdout if at.startswith(first)), "")
            failed += told(asked, line, got)
        process.stdin.close()
    return failed


def report(text, top, dndbg, build):
    """A command, and what it prints."""
    _, (block,) = session(text, "report")
    command, shown = block.split("\n", 1)
    words = [word.replace("build/", f"{build}/") for word in command.split()]
    done = subprocess.run([dndbg, *words[2:]], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    got = done.stderr.replace(f"{top}/", "/src/")
    failed = told(command, shown, got)
    if done.returncode != 134 and done.returncode != -6:
        print(f"'{command}' ends with {done.returncode}")
        failed += 1
    return failed


def main():
    top, dndbg, build = sys.argv[1:]
    with open(f"{top}/README.md", encoding="utf-8") as file:
        text = file.read()
    return min(1, sum(show(text, top, dndbg, build)
                      for show in (editor, mi, report)))


sys.exit(main())
