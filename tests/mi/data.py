"""Expressions, memory, registers, machine code."""
import re



def start(t, mark="add"):
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    c.stop = c.start_at("Hello", mark)
    return c


def test_expressions(t):
    c = start(t)
    for text, value in (("a", "2"), ('"a + b"', "5"), ("a + b", "5"),
                        ('"\\"x\\" + a"', '"x2"'), ("--frame 1 who", '"world"'),
                        ('"a = 40"', "40"), ("a", "40")):
        t.check_equal(value,
                      c.ask(f"-data-evaluate-expression {text}")["value"])
    t.check_in("nowhere", c.refused("-data-evaluate-expression nowhere"))
    t.check_equal(0, c.quit())


def test_memory(t):
    c = start(t, "add-return")
    addr = c.ask('-data-evaluate-expression "&sum"')["value"]
    addr = next(w for w in addr.replace("(", " ").split() if w[:2] == "0x")
    memory = c.ask(f"-data-read-memory-bytes {addr} 4")["memory"][0]
    t.check_equal("05000000", memory["contents"])
    t.check_equal(int(addr, 16) + 4, int(memory["end"], 16))
    c.ask(f"-data-write-memory-bytes {addr} 2a000000")
    t.check_equal("42", c.ask("-data-evaluate-expression sum")["value"])
    c.event("memory-changed", len="0x4")
    c.ask(f"-data-write-memory-bytes {addr} 01 4")
    t.check_equal(str(0x01010101),
                  c.ask("-data-evaluate-expression sum")["value"])
    t.check_equal(
        "0101", c.ask(f"-data-read-memory-bytes -o 2 {addr} 2")
        ["memory"][0]["contents"])
    cells = c.ask(f"-data-read-memory {addr} x 2 2 1")
    t.check_equal([["0x0101"], ["0x0101"]],
                  [row["data"] for row in cells["memory"]])
    for bad in ("0 4", "0xffffffffffffffff 4", f"{addr} 999999999", "frob 1"):
        c.refused("-data-read-memory-bytes " + bad)
    for bad in (f"{addr} 0", f"{addr} xy", "0 00"):
        c.refused("-data-write-memory-bytes " + bad)
    t.check_equal(0, c.quit())


def test_registers(t):
    c = start(t)
    names = c.ask("-data-list-register-names")["register-names"]
    for name in ("rax", "rip", "rsp", "eflags"):
        t.check_in(name, names)
    values = c.ask("-data-list-register-values x")["register-values"]
    t.check_equal(len(names), len(values))
    rip = names.index("rip")
    t.check_equal(int(c.stop["frame"]["addr"], 16), int(values[rip]["value"],
                                                        16))
    one = c.ask(f"-data-list-register-values d {rip}")["register-values"]
    t.check_equal([(str(rip), int(values[rip]["value"], 16))],
                  [(r["number"], int(r["value"])) for r in one])
    first = c.ask("-data-list-changed-registers")["changed-registers"]
    t.check_equal(len(names), len(first))
    t.check_equal([], c.ask("-data-list-changed-registers")
                  ["changed-registers"])
    c.go("-exec-step-instruction", "end-stepping-range")
    t.check_in(str(rip), c.ask("-data-list-changed-registers")
               ["changed-registers"])
    c.refused("-data-list-register-values q")
    t.check_equal(0, c.quit())


def test_disassemble(t):
    c = start(t)
    pc = c.stop["frame"]["addr"]
    whole = c.ask(f"-data-disassemble -a {pc} -- 0")["asm_insns"]
    t.check(len(whole) > 5, str(whole))
    t.check_equal("0", whole[0]["offset"])
    t.check_equal({"Hello.Program.Add"}, {i["func-name"] for i in whole})
    t.check_in(int(pc, 16), [int(i["address"], 16) for i in whole])
    t.check(all("opcodes" not in i for i in whole), "no opcodes")
    opcodes = c.ask(f"-data-disassemble -a {pc} -- 2")["asm_insns"]
    t.check_equal([i["inst"] for i in whole], [i["inst"] for i in opcodes])
    t.check_match(r"^[0-9a-f]{2}( [0-9a-f]{2})*$", opcodes[0]["opcodes"])
    for mode in 1, 3, 4, 5:
        lines = c.ask(f"-data-disassemble -a {pc} -- {mode}")["asm_insns"]
        t.check_in(str(t.line("Hello", "add")), [x["line"] for x in lines])
        t.check_equal({"Hello.cs"}, {x["file"] for x in lines})
        t.check_equal(len(whole), sum(len(x["line_asm_insn"]) for x in lines))
        t.check_equal(mode in (3, 5), "opcodes" in lines[0]["line_asm_insn"][0])
    part = c.ask(f'-data-disassemble -s $pc -e "$pc + 16" -- 0')["asm_insns"]
    t.check_equal(int(pc, 16), int(part[0]["address"], 16))
    t.check(int(part[-1]["address"], 16) < int(pc, 16) + 16, str(part))
    # as Vim's Termdebug and its user say it
    for text in "$pc,+16", "$pc, $pc + 16":
        shown = re.findall("0x[0-9a-f]{16} <", c.console("disassemble " + text))
        t.check_equal([int(i["address"], 16) for i in part],
                      [int(x[:-2], 16) for x in shown])
    t.check_in("A range has", c.refused(
        '-interpreter-exec console "disassemble $pc,$pc"'))
    name, line = t.place("Hello", "add")
    some = c.ask(f"-data-disassemble -f {name} -l {line} -n 3 -- 0")
    t.check_equal(3, len(some["asm_insns"]))
    for bad in ("-s 0 -- 0", "-s 1 -e 2 -- 9", "-f Hello.cs -l 9999 -- 0", "0"):
        c.refused("-data-disassemble " + bad)
    t.check_equal(0, c.quit())
