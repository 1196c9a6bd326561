"""The protocol under strain: garbage, floods, slow and dead clients. The
program must come to no harm, the adapter must not grow or hang."""
import json
import os
import select

import drive


def full(path):
    """Would a write to this pipe wait?"""
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        return not select.select([], [fd], [], 0)[1]
    finally:
        os.close(fd)


def held_up(c, program):
    """Output that nobody reads: the adapter sleeps and leaves in its pipe what
    the program has written."""
    ours = f"/proc/self/fd/{c.stdout.fileno()}"
    waits = full(ours) and full(f"/proc/{program}/fd/1")
    with open(f"/proc/{c.pid}/stat") as file:
        state = file.read().rpartition(")")[2].split()[0]
    return waits and state == "S" and full(f"/proc/{program}/fd/1")


def raw(c, body):
    c.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def test_garbage(t):
    """What is no message is refused; the session goes on."""
    c = t.adapter()
    c.initialize()
    for body in (b"", b"{", b"[]", b"7", b"null", b'"text"', b"\xff\xfe\0",
                 b"[" * 5000, b'{"seq":"1","type":"request"}',
                 b'{"seq":0,"type":"command"}', b'{"seq":1.5,"type":"request"}',
                 b'{"seq":0,"type":"request"}',
                 b'{"seq":0,"type":"request","command":7}'):
        raw(c, body)
        answer = c.until("a refusal", lambda: [
            c.answers.pop(n) for n in list(c.answers) if n == 0])[0]
        t.check_equal(False, answer["success"])
        c.history = [m for m in c.history if m.get("type") != "response"]
    t.check_in("not known", c.refused("restartFrame", frameId=1))
    raw(c, b'{"seq":900,"type":"request","command":"threads","arguments":[]}')
    c.seq = 900
    c.history.append({"type": "request", "seq": 900, "command": "threads"})
    t.check_in("'arguments' must be an object", c.answer(900)["message"])
    a_cs = {"path": "a.cs"}
    for command, arguments, words in (
            ("setBreakpoints", {}, "'source' is missing"),
            ("setBreakpoints", {"source": 7}, "'source' must be an object"),
            ("setBreakpoints", {"source": {}}, "'source' names no file"),
            ("setBreakpoints", {"source": a_cs, "breakpoints": 7},
             "'breakpoints' must be an array"),
            ("setBreakpoints", {"source": a_cs, "breakpoints": [7]},
             "'breakpoints' must hold objects only"),
            ("setBreakpoints", {"source": a_cs, "breakpoints": [{"line": -1}]},
             "'line' must not be negative"),
            ("setBreakpoints",
             {"source": a_cs, "breakpoints": [{"line": 1e300}]},
             "'line' must be a whole number"),
            ("setFunctionBreakpoints", {"breakpoints": [{"name": 1}]},
             "'name' must be a string"),
            ("setExceptionBreakpoints", {"filters": [1]},
             "'filters' must hold strings only"),
            ("cancel", {"requestId": "x"},
             "'requestId' must be a whole number"),
            ("cancel", {"progressId": 7}, "'progressId' must be a string"),
            ("disconnect", {"suspendDebuggee": 1},
             "'suspendDebuggee' must be true or false"),
            *((command, arguments, "there is no program")
              for command, arguments in (
                  ("evaluate", {"expression": "1"}),
                  ("stackTrace", {"threadId": 1}), ("locations", {}),
                  ("locations", {"locationReference": 1}),
                  ("source", {"sourceReference": -1}),
                  ("source", {"source": {"sourceReference": "1"}}),
                  ("completions", {"text": 7, "column": 1}),
                  ("continue", {"threadId": 1, "singleThread": 7}),
                  ("continue", {"threadId": 1}), ("scopes", {"frameId": 1})))):
        c.seq += 1
        body = {"seq": c.seq, "type": "request", "command": command,
                "arguments": arguments}
        c.history.append(body)
        raw(c, json.dumps(body).encode())
        answer = c.answer(c.seq)
        t.check_equal((False, words), (answer["success"], answer["message"]))
    c.launch(t.program("Hello"))
    c.end()


def test_broken_stream(t):
    """A header that is none ends the session, with words, and the program;
    other header fields and split messages are fine."""
    for head in (b"Hello: world\r\n\r\n", b"Content-Length: x\r\n\r\n",
                 b"Content-Length: 99999999999\r\n\r\n", b"x" * 5000,
                 b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
                 b"no colon\r\n\r\n",
                 b"X-Other: 1\r\nContent-Length: 2\r\n\r\n{}"):
        c = t.adapter()
        c.initialize()
        c.write(head)
        answer = c.answer(0)
        t.check_equal(False, answer["success"])
        c.wait(code=1)
    c = t.adapter()
    body = json.dumps({"seq": 1, "type": "request", "command": "initialize",
                       "arguments": {"adapterID": "x"}}).encode()
    c.history.append(json.loads(body))
    message = (b"Content-Type: x\r\ncontent-length: %d\r\n\r\n" % len(body)) + body
    for i in range(len(message)):
        c.write(message[i:i + 1])
    t.check_equal(True, c.answer(1)["success"])
    c.seq = 1
    c.ask("disconnect")
    c.wait()


test_broken_stream.runtimes = ("10",)


def test_state(t):
    """Requests at the wrong time are refused in words, at once."""
    c = t.adapter()
    t.check_in("initialize", c.refused("threads"))
    c.initialize()
    t.check_in("once", c.refused("initialize", adapterID="x"))
    t.check_in("no program", c.refused("pause", threadId=1))
    t.check_equal([], c.ask("threads")["threads"])
    c.launch(t.program("Signals", "spin"))
    c.event("process")
    for command, arguments in (("stackTrace", {"threadId": 1}),
                               ("next", {"threadId": 1}),
                               ("variables", {"variablesReference": 1}),
                               ("continue", {"threadId": 1})):
        t.check_in("running", c.refused(command, **arguments))
    t.check_in("started already", c.refused("launch", program="x"))
    t.check(c.ask("threads")["threads"], "no thread")
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_capabilities(t):
    """What is promised, by name: all of it is tested somewhere here."""
    c = t.adapter()
    found = c.initialize()
    t.check_equal(sorted("""
        supportTerminateDebuggee supportSuspendDebuggee
        supportsApplyDeltasRequest supportsBreakpointLocationsRequest supportsCancelRequest
        supportsClipboardContext supportsCompletionsRequest
        supportsConditionalBreakpoints supportsConfigurationDoneRequest
        supportsDataBreakpoints supportsDelayedStackTraceLoading
        supportsDisassembleRequest supportsEvaluateForHovers
        supportsExceptionFilterOptions supportsExceptionInfoRequest
        supportsExceptionOptions supportsFunctionBreakpoints
        supportsGotoTargetsRequest supportsHitConditionalBreakpoints
        supportsInstructionBreakpoints supportsLoadedSourcesRequest
        supportsLogPoints supportsModulesRequest supportsReadMemoryRequest
        supportsRestartRequest supportsSetExpression supportsSetVariable
        supportsSingleThreadExecutionRequests supportsStepInTargetsRequest
        supportsSteppingGranularity supportsTerminateRequest
        supportsValueFormattingOptions supportsWriteMemoryRequest
        """.split()), sorted(k for k, v in found.items() if v is True))
    t.check_equal(["all", "user-unhandled", "unhandled"],
                  [f["filter"] for f in found["exceptionBreakpointFilters"]])
    c.ask("disconnect")
    c.wait()


test_capabilities.runtimes = ("10",)


def test_order(t):
    """What the protocol says of the order: events of a request follow its
    answer, the program starts at `launch` and runs behind configurationDone,
    a stop is told after the answer to what led there, and nothing comes after
    `terminated`."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "2"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    c.step("next")
    c.ask("setVariable", name="i", value="1", variablesReference=c.ask(
        "scopes", frameId=c.frames()[1]["id"])["scopes"][0]
        ["variablesReference"])
    c.go()
    c.end()
    seen = [m.get("event") or m["type"][0:3] + " " + m["command"]
            for m in c.history]

    def before(*names):
        places = [seen.index(name) for name in names]
        t.check_equal(sorted(places), places)

    before("res initialize", "initialized", "process", "res launch")
    before("initialized", "res setBreakpoints", "res configurationDone")
    before("res launch", "stopped")
    before("res configurationDone", "stopped", "res next", "res setVariable",
           "invalidated", "memory", "res continue", "exited", "terminated")
    first, second = [i for i, name in enumerate(seen) if name == "stopped"]
    t.check(first < seen.index("res next") < second, str(seen))
    t.check_equal(["req disconnect", "res disconnect"],
                  seen[seen.index("terminated") + 1:])
    t.check_equal(1, seen.count("terminated"))
    # i is 2 then: the loop is over
    t.check_in("sum 0\n", c.output())


def test_running(t):
    """While the program runs each request is answered at once, by what is
    known or in words."""
    c = t.adapter()
    c.launch(t.program("Signals", "spin"))
    c.event("loadedSource")
    t.check(c.ask("threads")["threads"], "no thread")
    t.check(c.ask("modules")["modules"], "no module")
    source = t.source("Signals")
    t.check_in(source, [s["path"] for s in c.ask("loadedSources")["sources"]])
    with open(source) as file:
        t.check_equal(file.read(), c.ask("source", source={"path": source},
                                         sourceReference=0)["content"])
    line = t.line("Signals", "sleep")
    places = c.ask("breakpointLocations", source={"path": source}, line=line)
    t.check_equal(line, places["breakpoints"][0]["line"])
    t.check_equal(True, c.set_breaks(source, [line])[0]["verified"])
    c.ask("cancel", requestId=1)
    for command, arguments in (
            ("scopes", {"frameId": 1}), ("locations", {"locationReference": 1}),
            ("setVariable", {"variablesReference": 1, "name": "a",
                             "value": "1"}),
            ("setExpression", {"expression": "a", "value": "1"}),
            ("completions", {"text": "a", "column": 1}),
            ("exceptionInfo", {"threadId": 1}),
            ("dataBreakpointInfo", {"name": "a"}),
            ("readMemory", {"memoryReference": "0x1", "count": 1}),
            ("writeMemory", {"memoryReference": "0x1", "data": ""}),
            ("disassemble", {"memoryReference": "0x1", "instructionCount": 1}),
            ("gotoTargets", {"source": {"path": source}, "line": 1}),
            ("goto", {"threadId": 1, "targetId": 1}),
            ("stepInTargets", {"frameId": 1}),
            ("stepIn", {"threadId": 1}), ("stepOut", {"threadId": 1}),
            ("evaluate", {"expression": "1", "context": "watch"})):
        t.check_in("the program is running", c.refused(command, **arguments))
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_flood(t):
    """5,000 requests without reading an answer: all are answered, in order;
    one that a later cancel names is not carried out."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    first = c.seq + 1
    body = b""
    for i in range(5000):
        c.seq += 1
        message = json.dumps({"seq": c.seq, "type": "request",
                              "command": "threads"}).encode()
        body += b"Content-Length: %d\r\n\r\n" % len(message) + message
    c.history = [{"type": "request", "seq": n, "command": "threads"}
                 for n in range(first, c.seq + 1)]
    sent = 0
    while sent < len(body):
        readable, writable, _ = select.select([c.stdout], [c.stdin], [], 20)
        t.check(readable or writable, "stuck")
        if writable:
            sent += os.write(c.stdin.fileno(), body[sent:sent + 4096])
        elif readable:
            c.bytes += os.read(c.stdout.fileno(), 65536)
    order = []
    while len(order) < 5000:
        message = c.take()
        if message is None:
            c.bytes += os.read(c.stdout.fileno(), 65536)
        elif message["type"] == "response":
            t.check_equal(True, message["success"])
            order.append(message["request_seq"])
    t.check_equal(list(range(first, first + 5000)), order)
    c.last_seq = 0
    c.history = []
    both = b""
    for command, arguments in (("stackTrace", {"threadId": c.thread}),
                               ("cancel", {"requestId": c.seq + 1})):
        c.seq += 1
        message = {"seq": c.seq, "type": "request", "command": command,
                   "arguments": arguments}
        c.history.append(message)
        text = json.dumps(message).encode()
        both += b"Content-Length: %d\r\n\r\n" % len(text) + text
    c.write(both)
    t.check_equal("cancelled", c.answer(c.seq - 1)["message"])
    t.check_equal(True, c.answer(c.seq)["success"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def memory(pid, name):
    with open(f"/proc/{pid}/status") as file:
        return int([line for line in file
                    if line.startswith(name)][0].split()[1])


def rss(pid):
    return memory(pid, "VmRSS")


def peak(pid):
    return memory(pid, "VmHWM")


def test_many_values(t):
    """A message of millions of values is refused before they are made; what
    one of many took is given back."""
    c = t.adapter()
    c.initialize()
    for n, good in ((10 << 20, False), (400000, True)):
        c.seq += 1
        message = {"seq": c.seq, "type": "request", "command": "threads"}
        c.history.append(message)
        text = json.dumps(message)[:-1].encode()
        raw(c, text + b',"arguments":{"x":[' + b"[]," * (n - 1) + b"[]]}}")
        answer = c.answer(c.seq if good else 0)
        t.check_equal(good, answer["success"])
        if not good:
            t.check_in("500,000 values", answer["message"])
        c.ask("threads")
        t.check(rss(c.pid) < 40 * 1024 * drive.SLOW, f"{rss(c.pid)} KB")
    t.check(peak(c.pid) < 130 * 1024 * drive.SLOW, f"{peak(c.pid)} KB")
    c.ask("disconnect")
    c.wait()


test_many_values.runtimes = ("10",)


def test_slow_reader(t):
    """100 MB of output, read slowly at first: nothing is lost, the adapter
    stays small, and the program waits."""
    c = t.adapter()
    c.launch(t.program("Output", "100"))
    program = c.event("process")["systemProcessId"]
    t.wait_for("the program to be held up", lambda: held_up(c, program))
    t.check(rss(c.pid) < 60 * 1024, f"{rss(c.pid)} KB")
    # raw, since history would hold it all
    total = 0
    lines = []
    done = False
    while not done:
        message = c.take()
        if message is None:
            data = os.read(c.stdout.fileno(), 1 << 20)
            t.check(data, "the adapter ended")
            c.bytes += data
            continue
        if (message.get("event") == "output"
                and message["body"]["category"] != "console"):
            t.check_equal("stdout", message["body"]["category"])
            total += len(message["body"]["output"])
            lines = (lines + message["body"]["output"].split("\n"))[-3:]
        done = message.get("event") == "terminated"
        if message.get("event") == "exited":
            t.check_equal(0, message["body"]["exitCode"])
    # the sum stands at the end; a line is 64 characters
    t.check_in("sum ", lines[-2])
    t.check_equal(100 * 1024 * 1024 + len(lines[-2]) + 1, total)
    # a sanitized build holds back what was freed
    t.check(rss(c.pid) < 60 * 1024 * drive.SLOW, f"{rss(c.pid)} KB")
    c.last_seq = 0
    c.history = []
    c.ask("disconnect")
    c.wait()


test_slow_reader.runtimes = ("10",)


def test_dead_client(t):
    """A client that goes away, at rest or in the middle of output: the
    adapter ends, and the program with it."""
    for how in ("stdin", "both"):
        c = t.adapter()
        c.launch(t.program("Output", "1000"))
        c.event("process")
        c.stdin.close()
        if how == "both":
            c.stdout.close()
        t.wait_for("the end", lambda: c.process.poll() is not None)
        t.check(c.process.returncode >= 0, "a signal has ended dndbg")
        t.wait_for("the program's end", lambda: not drive.tagged(t.tag))
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    c.process.kill()
    t.wait_for("the program's end", lambda: not drive.tagged(t.tag))


def test_dead_reader(t):
    """The same where output is held up, because the client reads none: all
    of the adapter's room for it is full when the client goes away."""
    c = t.adapter()
    c.launch(t.program("Output", "1000"))
    program = c.event("process")["systemProcessId"]
    t.wait_for("the program to be held up", lambda: held_up(c, program))
    c.stdin.close()
    t.wait_for("the end", lambda: c.process.poll() is not None)
    t.wait_for("the program's end", lambda: not drive.tagged(t.tag))


def test_log(t):
    """--log records both directions."""
    c = t.adapter("--log", f"{t.dir}/log")
    c.launch(t.program("Hello"))
    c.end()
    with open(f"{t.dir}/log") as file:
        lines = file.read().splitlines()
    seen = [json.loads(line[3:]) for line in lines]
    t.check(all(line[:3] in ("-> ", "<- ") for line in lines), "strange lines")
    t.check_equal([m["seq"] for m in seen if m["type"] != "request"],
                  sorted(m["seq"] for m in seen if m["type"] != "request"))
    t.check_equal(
        [m for m in c.history if m["type"] == "request"],
        [m for m in seen if m["type"] == "request"])
