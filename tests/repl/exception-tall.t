#! fixture=Throws args="tall" exit=0
## An exception that has passed more frames than are read: the program tells of
## all of them.
+break @tall-catch
Breakpoint 1 at {...}: file Throws.cs, line {@tall-catch}.
+run
Starting program: {out}/Throws.dll tall

Breakpoint 1, Throws.Program.Tall () at Throws.cs:{@tall-catch}
{@tall-catch}{...}// @tall-catch
+print e.StackTrace.Split('\n').Length
$1 = 602
+print e.ToString().Split('\n').Length
$2 = 603
+continue
Continuing.
tall 602
ok
[Inferior 1 (process {n}) exited normally]
