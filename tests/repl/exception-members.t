#! fixture=Throws args="plain" exit=0
## What a caught exception tells of its throw, and which method a delegate
## calls: nothing is called for it, and the program has not asked yet.
+set evaluation interpret
+break @plain-catch
Breakpoint 1 at {...}: file Throws.cs, line {@plain-catch}.
+run
Starting program: {out}/Throws.dll plain

Breakpoint 1, Throws.Program.Plain () at Throws.cs:{@plain-catch}
{@plain-catch}{...}// @plain-catch
+print e.Source
$1 = "Throws"
+print e.TargetSite.ToString()
$2 = "Int32 Level(Int32)"
+print e.StackTrace.Split('\n')[0]
$3 = "   at Throws.Program.Level(Int32 n) in {...}/Throws.cs:line {@level-throw}"
+print e.StackTrace.Split('\n')[4]
$4 = "   at Throws.Program.Plain() in {...}/Throws.cs:line {@plain-call}"
+print e.ToString().Split('\n').Length
$5 = 6
+up
#1  {addr} in Throws.Program.Section (name="plain", args={string[1]}, run={Throws.Program.Plain}) at Throws.cs:{@section}
{@section}{...}// @section
+print run.Method.Name
$6 = "Plain"
+print run.Method.ToString()
$7 = "Int32 Plain()"
+continue
Continuing.
plain 10
ok
[Inferior 1 (process {n}) exited normally]
