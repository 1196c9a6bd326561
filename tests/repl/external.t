#! fixture=Views args=external
## Frames of code that is not the user's: all of them, as one by a setting, and
## all again without Just My Code.
+break @compare
Breakpoint 1 at {...}: file Views.cs, line {@compare}.
+run
Starting program: {out}/Views.dll external

Breakpoint 1, Views.Program.Compare (a={n}, b={n}) at Views.cs:{@compare}
{@compare}{...}// @compare
+bt 1
#0  Views.Program.Compare (a={n}, b={n}) at Views.cs:{@compare}
(More stack frames follow...)
+info threads
  Id   Target Id{...}Frame
* 1    Thread {n} "Main Thread"    {...}Views.Program.Compare (a={n}, b={n}) at Views.cs:{@compare}
...
{8,9,10}  {n}{...}Thread {n} ".NET SynchManager" (runtime){...}
...
  {n}{...}Thread {n} ".NET Finalizer" (runtime){...}
...
+set backtrace external off
+bt
#0  Views.Program.Compare (a={n}, b={n}) at Views.cs:{@compare}
#1  [External Code]
#2  {addr} in Views.Program.External.lambda () at Views.cs:{@sort}
#3  [External Code]
#4  {addr} in Views.Program.External () at Views.cs:{@sort}
#5  {addr} in Views.Program.Main (args={string[1]}) at Views.cs:{n}
#6  [External Code]
+frame 1
#1  [External Code]
+info frame
Stack level 1, frame at {addr}:
 pc = {addr} in [External Code]
 kind: code that is not yours
...
+set runtime-threads off
+info threads
  Id   Target Id{...}Frame
* 1    Thread {n} "Main Thread"    {...}Views.Program.Compare (a={n}, b={n}) at Views.cs:{@compare}
+set just-my-code off
+bt 3
#0  Views.Program.Compare (a={n}, b={n}) at Views.cs:{@compare}
#1  {...}
#2  {...}
(More stack frames follow...)
