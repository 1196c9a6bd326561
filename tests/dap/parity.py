"""One scenario by the prompt and by the protocol: the same facts."""
import re


def by_prompt(t):
    done = t.batch(["b " + t.at("Steps", "calls-nested"), "run", "step",
                    "bt", "info args", "finish", "next", "info locals"],
                   t.program("Steps"))
    text = done.stdout
    frames = [(name, int(line)) for name, line in re.findall(
        r"^#\d+ +(?:0x\w+ in )?([\w.<>]+) \(.*\) at \w+\.cs:(\d+)", text, re.M)]
    values = dict(re.findall(r"^(\w+) = (-?\d+)$", text, re.M))
    return frames, values


def by_protocol(t):
    source = t.source("Steps")
    c = t.adapter()
    c.launch(t.program("Steps"), {source: [t.line("Steps", "calls-nested")]})
    c.stopped("breakpoint")
    c.step("stepIn")
    frames = [(f["name"].partition("(")[0], f["line"]) for f in c.frames()
              if f.get("source")]
    values = {v["name"]: v["value"] for v in c.scope("Arguments").values()}
    c.step("stepOut")
    c.step("next")
    values.update((v["name"], v["value"]) for v in c.scope("Locals").values())
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()
    return frames, values


def test_steps(t):
    """Frames with their lines, arguments and locals."""
    frames, values = by_prompt(t)
    t.check(len(frames) >= 3 and len(values) >= 3, f"{frames} {values}")
    t.check_equal((frames, values), by_protocol(t))
