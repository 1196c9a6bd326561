#! fixture=Breaks config=Release args=osr
## The code that a loop was moved to while it ran has the method's line,
## arguments and locals.
+break @osr-late
...
+run
...
Breakpoint 1, Breaks.Hot.Osr (n=20000) at Breaks.cs:{@osr-late}
{@osr-late}{...}// @osr-late
+info locals
i = 19995
sum = 59982
+info frame
Stack level 0, frame at {addr}:
 pc = {addr} in Breaks.Hot.Osr(int) (Breaks.cs:{@osr-late})
...
 code: {addr} to {addr}, tier 1, entered in a loop (OSR)
...
+up
#1  {addr} in Breaks.Program.Main.lambda () at Breaks.cs:{n}
...
+delete
+continue
Continuing.
...
ok
...
