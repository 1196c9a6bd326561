"""Launch configurations as repositories have them for Microsoft's debugger: the
extension of VS Code makes them dndbg's, and they do here what they do there.
Nothing of the file is changed."""
import json
import os
import shutil
import signal
import subprocess

import container
import drive

FILE = r"""
{
    // Use IntelliSense to learn about possible attributes.
    "version": "0.2.0",
    "configurations": [
        {
            "name": "console",
            "type": "coreclr",
            "request": "launch",
            "preLaunchTask": "build",
            "program": "${workspaceFolder}/bin/Debug/net10.0/Signals.dll",
            "args": ["args", "one two", 3],
            "cwd": "${workspaceFolder}",
            "console": "internalConsole",
            "internalConsoleOptions": "openOnSessionStart",
            "stopAtEntry": false,
            "checkForDevCert": false,
            "launchSettingsProfile": "",
            "logging": { "moduleLoad": false, "engineLogging": true },
        },
        {
            "name": "web",
            "type": "coreclr",
            "request": "launch",
            "preLaunchTask": "build",
            "program": "${workspaceFolder}/bin/Debug/net10.0/Signals.dll",
            "args": ["env", "ASPNETCORE_ENVIRONMENT"],
            "cwd": "${workspaceFolder}",
            "serverReadyAction": {
                "action": "openExternally",
                "pattern": "\\bNow listening on:\\s+(https?://\\S+)"
            },
            "env": { "ASPNETCORE_ENVIRONMENT": "Development", "PORT": 5000 },
            "sourceFileMap": { "/Views": "${workspaceFolder}/Views" }
        },
        {
            "name": "attach",
            "type": "coreclr",
            "request": "attach",
            "processId": "${command:pickProcess}"
        },
        {
            "name": "attach to none yet",
            "type": "coreclr",
            "request": "attach",
            "processId": ""
        },
        {
            "name": "by name",
            "type": "coreclr",
            "request": "attach",
            "processName": "@NAME@"
        },
        {
            "name": "tests",
            "type": "coreclr",
            "request": "launch",
            "program": "dotnet",
            "args": ["${workspaceFolder}/sdk/10.0.100/Children.dll", "run",
                     "${workspaceFolder}/host"],
            "cwd": "${workspaceFolder}",
            "console": "internalConsole"
        },
        {
            "name": "profile",
            "type": "coreclr",
            "request": "launch",
            "program": "${workspaceFolder}/bin/Debug/net10.0/Signals.dll",
            "cwd": "${workspaceFolder}",
            "launchSettingsFilePath":
                "${workspaceFolder}/Properties/launchSettings.json",
            "launchSettingsProfile": "https"
        },
        {
            "name": "variables",
            "type": "coreclr",
            "request": "launch",
            "program": "${workspaceFolder}/bin/Debug/net10.0/Signals.dll",
            "args": ["env", "@VARIABLE@"],
            "cwd": "${workspaceFolder}",
            "launchSettingsProfile": null,
            "env": { "FROM_ENV": true },
            "envFile": "${workspaceFolder}/.env"
        },
        {
            "name": "sources",
            "type": "coreclr",
            "request": "launch",
            "program": "${workspaceFolder}/bin/Debug/net10.0/Hello.dll",
            "cwd": "${workspaceFolder}",
            "launchSettingsProfile": null,
            "sourceFileMap": { "@SOURCES@": "${workspaceFolder}/src" },
            "justMyCode": false,
            "requireExactSource": false
        },
        {
            "name": "symbols",
            "type": "coreclr",
            "request": "launch",
            "program": "${workspaceFolder}/bin/NoPdb/Hello.dll",
            "cwd": "${workspaceFolder}",
            "launchSettingsProfile": null,
            "symbolOptions": {
                "searchPaths": ["${workspaceFolder}/symbols",
                                "https://symbols.example.com"],
                "searchMicrosoftSymbolServer": false,
                "searchNuGetOrgSymbolServer": false,
                "cachePath": "",
                "moduleFilter": {
                    "mode": "loadOnlyIncluded", "includedModules": ["Hello.dll"]
                }
            },
            "suppressJITOptimizations": true
        },
        {
            "name": "container",
            "type": "coreclr",
            "request": "attach",
            "processId": "${command:pickRemoteProcess}",
            "pipeTransport": {
                "pipeProgram": "${workspaceFolder}/docker",
                "pipeArgs": ["exec", "-i", "web"],
                "debuggerPath": "/vsdbg/vsdbg",
                "pipeCwd": "${workspaceFolder}",
                "quoteArgs": false
            },
            "sourceFileMap": { "@SOURCES@": "/not/there/src" }
        },
        {
            "name": "container of the Docker extension",
            "type": "coreclr",
            "request": "attach",
            "processName": "dotnet",
            "justMyCode": false,
            "dockerOptions": { "removeContainerAfterDebug": false },
            "pipeTransport": {
                "pipeProgram": "${workspaceFolder}/docker",
                "pipeArgs": ["exec", "-i", "web", "${debuggerCommand}"],
                "pipeCwd": "${workspaceFolder}",
                "debuggerPath": "/remote_debugger/vsdbg",
                "quoteArgs": false
            }
        },
        {
            "name": "container by a shell",
            "type": "coreclr",
            "request": "attach",
            "processName": "dotnet",
            "pipeTransport": {
                "pipeProgram": "${workspaceFolder}/docker",
                "pipeArgs": "exec -i web sh -c ${debuggerCommand}",
                "debuggerPath": "~/vsdbg/vsdbg"
            }
        },
    ]
}
"""

PROFILES = """{ // of `dotnet new`
  "profiles": {
    "http": { "commandName": "Project", "commandLineArgs": "env NONE" },
    "https": {
      "commandName": "Project",
      "commandLineArgs": "env ASPNETCORE_URLS",
      "launchBrowser": true,
      "applicationUrl": "https://localhost:7001;http://localhost:5001",
    }
  }
}"""

VARIABLES = """\ufeff# of the server
export EXPORTED=yes
  export\tTABBED = "a\\nb" # a comment
PLAIN=1 2
QUOTED='x # y'
EMPTY=
exported=small
export
not a variable
FROM_ENV=file
"""

# What stands for docker: it has no shell at the other end.
DOCKER = """#!/bin/sh
[ "$1 $2 $3" = "exec -i web" ] || { echo "docker: $*" >&2; exit 64; }
shift 3
PATH='%s':$PATH exec nsenter --target %d --mount --pid --root --wd "$@"
"""


class Workspace:
    """A folder with such a launch.json, and what it names."""

    def __init__(self, t):
        self.t = t
        self.root = f"{os.path.realpath(t.dir)}/ws"
        self.variable = ""
        self.name = f"Served{t.tag}"
        built = f"{self.root}/bin/Debug/net10.0"
        for folder in (built, f"{self.root}/bin/NoPdb", f"{self.root}/symbols",
                       f"{self.root}/src", f"{self.root}/Properties",
                       f"{self.root}/.vscode"):
            os.makedirs(folder)
        for fixture in "Signals", "Hello":
            shutil.copy(t.source(fixture), f"{self.root}/src")
            for end in ".dll", ".pdb", ".runtimeconfig.json":
                path = t.program(fixture)[0][:-4] + end
                shutil.copy(path, built)
                shutil.copy(path, f"{self.root}/" + (
                    "symbols" if end == ".pdb" else "bin/NoPdb"))
                if fixture == "Signals":
                    shutil.copy(path, f"{self.root}/{self.name}{end}")
        child = t.program("Children")[0]
        shutil.copytree(os.path.dirname(child), f"{self.root}/sdk/10.0.100")
        t.executable("ws/host", f"#!/bin/sh\nexec dotnet {child} child 4\n")
        self.put("Properties/launchSettings.json", PROFILES)
        self.put(".env", VARIABLES)

    def put(self, name, text):
        with open(f"{self.root}/{name}", "w") as file:
            file.write(text)

    def resolve(self, name, pick="-"):
        """What VS Code would do with a configuration."""
        t = self.t
        text = FILE.replace("@NAME@", self.name).replace(
            "@SOURCES@", os.path.dirname(t.source("Hello"))).replace(
            "@VARIABLE@", self.variable)
        self.put(".vscode/launch.json", text)
        done = subprocess.run(
            ["node", os.path.join(os.path.dirname(__file__), "resolve.js"),
             self.root, name, pick, t.dndbg], check=True,
            stdout=subprocess.PIPE, env={**os.environ, **t.env})
        found = json.loads(done.stdout)
        t.check_equal([], found["shown"])
        t.check_equal("dndbg", found["config"]["type"])
        return found

    def begin(self, name, breaks=None, pick="-"):
        """A session of a configuration; the client."""
        found = self.resolve(name, pick)
        adapter = found["adapter"]
        c = self.t.adapter(command=[adapter["command"], *adapter["args"]])
        c.launch([], breaks, **found["config"])
        return c, found

    def says(self, name, wanted):
        """A program that runs to its end, and what it prints."""
        c, found = self.begin(name)
        c.end(code=None)
        self.t.check_in(wanted, c.output())
        return c, found

    def serve(self, words=None):
        """A program that is attached to."""
        t = self.t
        words = words or ["dotnet", f"{self.root}/{self.name}.dll", "sleep"]
        process = subprocess.Popen(words, env=t.env, cwd=t.dir,
                                   stdout=subprocess.PIPE,
                                   start_new_session=True)
        t.check_in("ready", process.stdout.readline().decode())
        return process


def ended(process):
    process.kill()
    process.wait()
    process.stdout.close()


def test_launched(t):
    """Console, web, tests, profiles, variables, sources, symbols."""
    w = Workspace(t)
    c, found = w.says("console", "[one two]\n[3]\n")
    t.check_equal("build", found["config"]["preLaunchTask"])
    t.check_not_in("attribute", c.output("console"))
    c, found = w.says("web", "[Development]\n")
    t.check_equal("openExternally",
                  found["config"]["serverReadyAction"]["action"])
    t.check_not_in("attribute", c.output("console"))
    w.says("profile", "[https://localhost:7001;http://localhost:5001]\n")
    for name, wanted in (("EXPORTED", "yes"), ("TABBED", "a\nb"),
                         ("PLAIN", "1 2"), ("QUOTED", "x # y"), ("EMPTY", ""),
                         ("exported", "small"), ("FROM_ENV", "true")):
        w.variable = name
        c, _ = w.says("variables", f"[{wanted}]\n")
    t.check_in(f"Line 8 of '{w.root}/.env' is no NAME=VALUE, nor are others; "
               "it is passed over.", c.output("console"))

    line = t.line("Hello", "add")
    for name, source in (("sources", f"{w.root}/src/Hello.cs"),
                         ("symbols", t.source("Hello"))):
        c, _ = w.begin(name, {source: [line]})
        c.stopped("breakpoint")
        t.check_equal((source, line), (c.top()["source"]["path"],
                                       c.top()["line"]))
        c.go()
        c.end()
    t.check_in("'https://symbols.example.com' has no effect",
               c.output("console"))

    parent, _ = w.begin("tests")
    asked = parent.request("startDebugging")["arguments"]["configuration"]
    child = t.adapter()
    child.launch([], {t.source("Children"): [t.line("Children", "child")]},
                 **{k: v for k, v in asked.items() if k != "type"})
    child.stopped("breakpoint")
    child.go()
    child.end(code=None)
    parent.end(code=None)


test_launched.runtimes = ("10",)


def test_attached(t):
    """By the picker, by name."""
    w = Workspace(t)
    process = w.serve()
    try:
        for name, asked in (("attach", True), ("attach to none yet", True),
                            ("by name", False)):
            c, found = w.begin(name, pick=f"{w.name}.dll")
            t.check_equal(asked, found["asked"])
            t.check_equal(process.pid,
                          c.event("process")["systemProcessId"])
            c.ask("disconnect")
            c.wait()
    finally:
        ended(process)


test_attached.runtimes = ("10",)


def test_container(t):
    """A program in a container, by what `docker exec` and `kubectl exec` need:
    the debugger's words as they are, without a shell; and with one."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    w = Workspace(t)
    inside = None
    process = w.serve(container.words(t, "Signals", "sleep"))
    try:
        inside, = [pid for pid in t.processes("dotnet")
                   if pid != process.pid]
        t.executable("ws/docker", DOCKER % (os.path.dirname(t.dndbg), inside))
        source = "/not/there/src/Signals.cs"
        c, found = w.begin("container", pick="Signals.dll")
        t.check(found["asked"], "no process was picked")
        t.check_equal("1", found["config"]["processId"])
        c.ask("pause", threadId=1)
        c.stopped("pause")
        main = c.frames()[-1]
        t.check_equal({"name": "Signals.cs", "path": source}, main["source"])
        bound, = c.set_breaks(source, [main["line"]])
        t.check(bound["verified"], f"not bound: {bound}")
        c.ask("disconnect")
        c.wait()
        for name in ("container of the Docker extension",
                     "container by a shell"):
            c, _ = w.begin(name)
            t.check_equal(1, c.event("process")["systemProcessId"])
            c.ask("disconnect")
            c.wait()
            t.check_not_in("attribute", c.output("console"))
        t.check(process.poll() is None, "the program is gone")
    finally:
        if inside:
            os.kill(inside, signal.SIGKILL)
        ended(process)


test_container.glibc = "its container on musl has no dndbg in it"


test_container.runtimes = ("10",)


def test_far(t):
    """What is compiled where the client is, and has no file where the debugger
    is: over a pipe the client has it, else it is nowhere."""
    path = "/nowhere/src/Hello.cs"
    for more, far in (({}, False),
                      ({"pipeTransport": {"pipeProgram": "kubectl"}}, True)):
        c = t.adapter()
        c.launch(t.program("Hello", config="Moved"),
                 {path: [t.line("Hello", "add")]}, **more)
        c.stopped("breakpoint")
        source = c.top()["source"]
        t.check_equal(path, source["path"])
        t.check_equal(far, "sourceReference" not in source)
        c.go()
        c.end()


test_far.runtimes = ("10",)
