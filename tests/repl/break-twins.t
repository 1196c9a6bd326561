#! fixture=Breaks args="twins twins" exit=0
## A name that several files have: all that match best are meant, those of
## modules that come later, too.
+tbreak @twins
Temporary breakpoint 1 at {...}: file Breaks.cs, line {@twins}.
+break late/Twin.cs:5
Breakpoint 2 (late/Twin.cs:{n}) pending: no file of the program has symbols for 'late/Twin.cs'.
+run
Starting program: {out}/Breaks.dll twins twins

Temporary breakpoint 1, Breaks.Program.Twins () at Breaks.cs:{@twins}
{@twins}{...}// @twins
+break Twin.cs:5
Breakpoint 3 at Breaks.Program.Longer: Twin.cs:5. (2 locations)
The method is not compiled yet.
+break lib/Twin.cs:5
Breakpoint 4 at Breaks.Program.Longer: file Twin.cs, line 5.
The method is not compiled yet.
## Where `..` leads from is not known.
+break ../../lib/Twin.cs:5
Breakpoint 5 at Breaks.Program.Longer: file Twin.cs, line 5.
The method is not compiled yet.
+break ./../app/Twin.cs:5
Breakpoint 6 at Breaks.Program.Shorter: file Twin.cs, line 5.
The method is not compiled yet.
+break /app/Twin.cs:5
Breakpoint 7 (/app/Twin.cs:5) pending: '/app/Twin.cs' is in no loaded module, but Breaks.dll has '/twins/app/lib/Twin.cs', of another text; if it is meant: sourceFileMap { "/twins/app/lib/": "/app/" } or 'set substitute-path /twins/app/lib/ /app/'.
+delete 4 5 6 7
+tbreak @twins-end
Temporary breakpoint 8 at {addr}: file Breaks.cs, line {@twins-end}.
+continue
Continuing.

Breakpoint 3, Breaks.Program.Longer () at Twin.cs:5
{...}
+continue
Continuing.

Breakpoint 3, Breaks.Program.Shorter () at Twin.cs:5
{...}
+continue
Continuing.

Temporary breakpoint 8, Breaks.Program.Twins () at Breaks.cs:{@twins-end}
{@twins-end}{...}// @twins-end
## The module that came late has one too.
+info breakpoints
...
+continue
Continuing.
twins 84
ok
[Inferior 1 (process {n}) exited normally]
