#!/usr/bin/env python3
"""Does the editor's session in docs/launch.md tell the truth? Launches by the
configuration shown there, stops at the line that it names, and asks at the
debug console what is asked there.
    readme_editor.py SOURCE DNDBG BUILD"""
import json
import os
import re
import sys
import types

from dapdrive import Client


def normal(text):
    return re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", text.rstrip("\n"))


def shown(text):
    """The configuration, and the console's lines: [question, answer]."""
    part = text.split("<!-- editor -->")[1].split("<!-- end -->")[0]
    config, console = re.findall(r"```\w*\n(.*?)```", part, re.S)
    asked = [q.split("\n", 1) for q in console.split("> ")[1:]]
    line = int(re.search(r"line (\d+) of `docs/demo/Demo.cs`", part)[1])
    return json.loads(config)["configurations"][0], line, asked


def main():
    top, dndbg, build = sys.argv[1:]
    with open(f"{top}/docs/launch.md", encoding="utf-8") as file:
        config, line, asked = shown(file.read())
    config["program"] = config["program"].replace(
        "${workspaceFolder}/build", build)
    client = Client(types.SimpleNamespace(dndbg=dndbg, env=dict(os.environ),
                                          dir=build))
    request = config.pop("request")
    client.launch([config["program"]], {f"{top}/docs/demo/Demo.cs": [line]},
                  request=request, **config)
    client.stopped("breakpoint")
    failed = 0
    for question, answer in asked:
        got = client.evaluate(question, context="repl")["result"]
        if normal(got) != normal(answer):
            print(f"docs/launch.md shows for '{question}':\n{answer}\n"
                  f"dndbg says:\n{got}")
            failed = 1
    client.ask("disconnect", terminateDebuggee=True)
    client.wait()
    client.close()
    return failed


sys.exit(main())
