"""Sources and symbols: where they are looked for, texts that only the symbols
have, the methods that delegates call."""
import os
import re
import shutil

import drive


def test_embedded(t):
    """A source that only the PDB has: frames, events and lists give it a
    number, by which its text comes, also while the program runs."""
    c = t.adapter()
    c.launch(t.program("Hello", config="EmbedSource"),
             configure=lambda c: c.ask("setFunctionBreakpoints",
                                       breakpoints=[{"name": "Add"}]))
    c.stopped("breakpoint")
    source = c.top()["source"]
    t.check_equal("Hello.cs", source["name"])
    t.check(source["sourceReference"] > 0, str(source))
    t.check_equal("in the symbols", source["origin"])
    t.check_equal(source, c.event("loadedSource", source=source)["source"])
    t.check_in(source, c.ask("loadedSources")["sources"])
    with open(t.source("Hello")) as file:
        text = file.read()
    number = source["sourceReference"]
    body = c.ask("source", sourceReference=number)
    t.check_equal((text, "text/x-csharp"), (body["content"], body["mimeType"]))
    again = c.ask("source", source=source, sourceReference=number)
    t.check_equal(text, again["content"])
    by_path = c.ask("source", source={"path": source["path"]},
                    sourceReference=0)
    t.check_equal(text, by_path["content"])
    t.check_in("no source 99", c.refused("source", sourceReference=99))
    t.check_in("names no file", c.refused("source", sourceReference=0))
    answer, = c.ask("setBreakpoints", source=source, breakpoints=[
        {"line": t.line("Hello", "last")}])["breakpoints"]
    t.check_equal(True, answer["verified"])
    t.check_equal(number, answer["source"]["sourceReference"])
    c.go()
    c.stopped("breakpoint")
    c.go()
    c.end()


def test_loaded(t):
    """Each source file of the program is told once, as it is listed; one that
    the client can read has no number."""
    source = t.source("Hello")
    c = t.adapter()
    c.launch(t.program("Hello"), {source: [t.line("Hello", "call")]})
    c.stopped("breakpoint")
    told = [m["body"]["source"] for m in c.history
            if m.get("event") == "loadedSource"]
    listed = c.ask("loadedSources")["sources"]
    t.check_equal(sorted(s["path"] for s in listed),
                  sorted(s["path"] for s in told))
    own, = [s for s in listed if s["path"] == source]
    t.check("sourceReference" not in own, str(own))
    c.go()
    c.end()


def test_missing(t):
    """An assertion of an optimised library whose source is nowhere: the user's
    line is the first that is shown, and that source is never sent as a file;
    where the user is in it himself a text says whose it is."""
    here = f"{t.dir}/asserts"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(f"{drive.BUILT}/Debug/Asserts", here)
    for ext in "dll", "pdb":
        shutil.copy(f"{drive.BUILT}/Release/Asserts/"
                    f"AssertsLibrary.{ext}", here)
    program, path = f"{here}/Asserts.dll", "/_/src/checks/Check.cs"
    lines = t.line("Asserts", "assert")
    for own in True, False:
        c = t.adapter()
        c.launch([program], justMyCode=own, configure=lambda c: c.ask(
            "setExceptionBreakpoints",
            filters=["user-unhandled" if own else "all"]))
        stop = c.stopped("exception")
        t.check_in("Values differ: 2, 1", stop["text"])
        frames = c.frames()
        first = [f for f in frames if "source" in f and
                 f["source"].get("presentationHint") != "deemphasize"][0]
        t.check_equal(("Asserts.Program.Test()", lines),
                      (first["name"], first["line"]))
        for f in frames:
            source = f.get("source", {})
            t.check("sourceReference" in source or
                    os.path.exists(source.get("path", "/")), str(f))
        t.check_equal("[External Code]" if own else
                      "AssertsLibrary.Check.Equal<int>(int, int)",
                      frames[0]["name"])
        user = {m["name"]: m["isUserCode"]
                for m in c.ask("modules")["modules"]}
        t.check_equal((True, False, False), tuple(user[name] for name in (
            "Asserts.dll", "AssertsLibrary.dll",
            "System.Private.CoreLib.dll")))
        c.ask("setFunctionBreakpoints", breakpoints=[])
        c.go()
        c.end()
    c = t.adapter()
    c.launch([program], configure=lambda c: c.ask(
        "setFunctionBreakpoints", breakpoints=[{"name": "Check.Equal"}]))
    c.stopped("breakpoint")
    top = c.top()
    t.check_in("Check.Equal<int>", top["name"])
    source = top["source"]
    t.check_equal(("Check.cs", path, "not on this machine"),
                  tuple(source[k] for k in ("name", "path", "origin")))
    t.check("presentationHint" not in source, str(source))
    text = c.ask("source", source=source,
                 sourceReference=source["sourceReference"])["content"]
    t.check_in(path, text)
    t.check_in("symbols of AssertsLibrary.dll", text)
    t.check_in('"sourceFileMap": { "/_/src/checks":', text)
    t.check_in(source, c.ask("loadedSources")["sources"])
    t.check_in("is not here", c.refused("source", source={"path": path},
                                        sourceReference=0))
    c.go()
    c.end()


def unbound(c):
    """What was told of breakpoints that are not bound."""
    told = [m["body"]["breakpoint"] for m in c.history
            if m.get("event") == "breakpoint"]
    return "\n".join(b["message"] for b in told if not b["verified"])


def test_by_checksum(t):
    """A file that was compiled elsewhere is known by its name and checksum, with
    slashes of either kind; what only has its name is told with what would map
    it; what stays unbound is told with its reason."""
    source, other = t.source("Hello"), f"{t.dir}/other/hello.cs"
    os.makedirs(os.path.dirname(other))
    with open(other, "w") as file:
        file.write("// another one\n")
    for slash in b"/", b"\\":
        here = f"{t.dir}/app"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(f"{drive.BUILT}/Symbols/Moved", here)
        with open(f"{here}/Hello.pdb", "rb") as file:
            data = file.read()
        # The document's name: a separator and its parts, the first empty.
        data, n = re.subn(rb"([\x05-\x09])/\0",
                          lambda m: m[1] + slash + b"\0", data)
        t.check_equal(1, n)
        with open(f"{here}/Hello.pdb", "wb") as file:
            file.write(data)
        c = t.adapter()
        c.launch([f"{here}/Hello.dll"],
                 {source: [t.line("Hello", "print"), 4000]})
        c.stopped("breakpoint")
        t.check_equal((source, t.line("Hello", "print")),
                      (c.top()["source"]["path"], c.top()["line"]))
        t.check_in("no code at or after line 4000 of", unbound(c))
        c.ask("setBreakpoints", source={"path": source}, breakpoints=[])
        c.go()
        c.end()
    c = t.adapter()
    c.launch([f"{here}/Hello.dll"], {other: [1]})
    c.end()
    t.check_in(r"Hello.dll has '\nowhere\src\Hello.cs'", unbound(c))
    t.check_in("sourceFileMap", unbound(c))
    # beside the program, without being told
    os.makedirs(f"{t.dir}/src")
    shutil.copy(source, f"{t.dir}/src/Hello.cs")
    c = t.adapter()
    c.launch([f"{here}/Hello.dll"], stopAtEntry=True)
    c.stopped("entry")
    t.check_equal(f"{t.dir}/src/Hello.cs", c.top()["source"]["path"])
    c.go()
    c.end()


def hidden(c, value):
    """The non-public members of a value."""
    group = c.variables(value["variablesReference"])["non-public members"]
    return c.variables(group["variablesReference"])


def test_delegates(t):
    """A delegate leads to the source of the method that it calls."""
    source = t.source("Values")
    c = t.adapter()
    c.launch(t.program("Values", "delegates"),
             {source: [t.line("Values", "delegates")]})
    c.stopped("breakpoint")
    found = c.scope("Locals")
    lines = open(source).read().split("\n")
    for name, wanted in (("square", "Square(int"), ("lambda", "n * factor")):
        reference = found[name]["valueLocationReference"]
        place = c.ask("locations", locationReference=reference)
        t.check_equal(source, place["source"]["path"])
        line = place["line"] - 1
        t.check_in(wanted, "".join(lines[line - 1:line + 1]))
    value = c.evaluate("lambda")
    t.check_equal(place, c.ask(
        "locations", locationReference=value["valueLocationReference"]))
    many = found["many"]
    t.check_in("leads to no one method", c.refused(
        "locations", locationReference=many["valueLocationReference"]))
    # .NET 11 has the list in _helperObject, each in a Delegate.Wrapper
    newer = t.runtime == "11"
    targets = hidden(c, many)["_helperObject" if newer else "_invocationList"]
    first = c.variables(targets["variablesReference"])["[0]"]
    first = hidden(c, first)["Value"] if newer else first
    t.check_match(r"no symbols for '.*WriteLine\(string\)'", c.refused(
        "locations", locationReference=first["valueLocationReference"]))
    t.check("valueLocationReference" not in found["text"], str(found["text"]))
    t.check("valueLocationReference" not in found["none"], str(found["none"]))
    t.check_in("no location 9999", c.refused("locations",
                                             locationReference=9999))
    scope = c.ask("scopes", frameId=c.top()["id"])["scopes"][0]
    t.check_in("no location", c.refused(
        "locations", locationReference=scope["variablesReference"]))
    c.go()
    c.end()


def app(t):
    """Hello whose PDB is in another directory, which nothing names."""
    here = f"{t.dir}/some app"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(f"{drive.BUILT}/Debug/Hello", here)
    os.makedirs(f"{t.dir}/pdbs", exist_ok=True)
    os.rename(f"{here}/Hello.pdb", f"{t.dir}/pdbs/Hello.pdb")
    # the dll also names the place where it was built
    with open(f"{here}/Hello.dll", "r+b") as file:
        file.seek(file.read().index(b"/Debug/Hello/Hello.pdb\0"))
        file.write(b"/x")
    return f"{here}/Hello.dll"


def status(c):
    module, = [m for m in c.ask("modules")["modules"]
               if m["name"] == "Hello.dll"]
    return module["symbolStatus"], module.get("symbolFilePath")


def test_symbol_options(t):
    """PDBs in directories that are named, for the modules that are named;
    servers and what is not known are told."""
    program, pdb = app(t), f"{t.dir}/pdbs/Hello.pdb"
    loaded, none = ("Symbols loaded.", pdb), ("No symbols loaded.", None)
    paths = {"searchPaths": ["/nowhere", f"{t.dir}/pdbs"]}
    for options, wanted in (
            ({}, none), (paths, loaded),
            ({"moduleFilter": {"mode": "loadAllButExcluded",
                               "excludedModules": ["hel*.dll"]}}, none),
            ({"moduleFilter": {"mode": "loadAllButExcluded",
                               "excludedModules": []}}, loaded),
            ({"moduleFilter": {"mode": "loadOnlyIncluded",
                               "includedModules": ["Other.dll", "Hello.dll"]}},
             loaded),
            ({"moduleFilter": {"mode": "loadOnlyIncluded",
                               "includedModules": ["Other.dll"]}}, none)):
        options = {**paths, **options} if options else options
        c = t.adapter()
        c.launch([program], symbolOptions=options,
                 configure=lambda c: c.ask("setFunctionBreakpoints",
                                           breakpoints=[{"name": "Add"}]))
        c.stopped("breakpoint")
        t.check_equal(wanted, status(c))
        c.go()
        c.end()
    c = t.adapter()
    c.launch(t.program("Hello"), symbolOptions={
        "searchPaths": ["https://symbols.example"], "cachePath": "/tmp",
        "searchMicrosoftSymbolServer": True,
        "searchNuGetOrgSymbolServer": False})
    c.end()
    said = c.output("console")
    t.check_in("'https://symbols.example' has no effect", said)
    t.check_in("'searchMicrosoftSymbolServer' has no effect", said)
    t.check_in("'symbolOptions.cachePath' is not served", said)
    t.check_not_in("NuGetOrg", said)


test_symbol_options.runtimes = ("10",)


def test_beside(t):
    """Only the named modules' symbols: others still beside themselves,
    unless that is off."""
    for beside, wanted in ((True, "Symbols loaded."),
                           (False, "No symbols loaded.")):
        c = t.adapter()
        c.launch(t.program("Hello"), symbolOptions={"moduleFilter": {
            "mode": "loadOnlyIncluded", "includedModules": [],
            "includeSymbolsNextToModules": beside}},
            configure=lambda c: c.ask("setFunctionBreakpoints",
                                      breakpoints=[{"name": "Add"}]))
        c.stopped("breakpoint")
        t.check_equal(wanted, status(c)[0])
        c.go()
        c.end()


test_beside.runtimes = ("10",)


def test_exact_source(t):
    """A source that was changed after the build: breakpoints say so, and
    with requireExactSource are not set."""
    source = f"{drive.BUILT}/Symbols/Changed/src/Hello.cs"
    words = "not the one that the program was built from"
    for exact in (False, True):
        c = t.adapter()
        c.launch(t.program("Hello", config="Changed"),
                 {source: [t.line("Hello", "last")]},
                 configure=lambda c: c.ask("setFunctionBreakpoints",
                                           breakpoints=[{"name": "Add"}]),
                 requireExactSource=exact)
        c.stopped("breakpoint")
        answer, = c.set_breaks(source, [t.line("Hello", "last")])
        t.check_equal(not exact, answer["verified"])
        t.check_in(words, answer["message"])
        c.go()
        if not exact:
            c.stopped("breakpoint")
            c.go()
        c.end()
    c = t.adapter()
    c.launch(t.program("Hello"), {t.source("Hello"): [t.line("Hello", "last")]},
             requireExactSource=True)
    c.stopped("breakpoint")
    c.go()
    c.end()


def test_source_map(t):
    """Sources that were moved, also from or to a path with blanks."""
    here = f"{t.dir}/moved here"
    os.makedirs(here, exist_ok=True)
    shutil.copy(t.source("Hello"), here)
    source = f"{here}/Hello.cs"
    c = t.adapter()
    c.launch(t.program("Hello", config="Moved"),
             {source: [t.line("Hello", "last")]},
             sourceFileMap={"/with a blank": "/x", "/nowhere/src": here})
    c.stopped("breakpoint")
    t.check_equal(source, c.top()["source"]["path"])
    rules = c.evaluate("`show substitute-path", "repl")["result"]
    t.check_in("/with a blank -> /x\n", rules)
    c.go()
    c.end()
