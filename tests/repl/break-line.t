#! fixture=Hello exit=7 args="you 7"
## A file by its bare name, a part of its path, its whole path; lines without
## code, and why a breakpoint has no place.
+break @first
Breakpoint 1 at {...}: file Hello.cs, line {@first}.
+break {src}/@add
Breakpoint 2 at Hello.Program.Add: file Hello.cs, line {@add}.
+run
Starting program: {out}/Hello.dll you 7

Breakpoint 1, Hello.Program.Main (args={string[2]}) at Hello.cs:{@first}
{@first}{...}// @first
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   {addr} in Hello.Program.Main(string[]) at Hello.cs:{@first}
	breakpoint already hit 1 time
2       breakpoint     keep y   <not compiled>     in Hello.Program.Add(int, int) at Hello.cs:{@add}
	the method is not compiled yet
+break fixtures/@print
Breakpoint 3 at {addr}: file Hello.cs, line {@print}.
+break res/@print
Breakpoint 4 (res/Hello.cs:{@print}) pending: no loaded module has symbols for 'res/Hello.cs'.
+tbreak Hello.cs:1
Temporary breakpoint 5 at {addr}: file Hello.cs, line {@main-open}.
Line 1 has no code; moved to line {@main-open}.
+break Hello.cs:9999
Breakpoint 6 (Hello.cs:9999) pending: no code at or after line 9999 of 'Hello.cs'.
+continue
Continuing.

Breakpoint 2, Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
{@add}{...}// @add
## A bare number is a line of the present file.
+break 9999
Breakpoint 7 (Hello.cs:9999) pending: no code at or after line 9999 of '{src}/Hello.cs'.
+continue
Continuing.

Breakpoint 3, Hello.Program.Main (args={string[2]}) at Hello.cs:{@print}
{@print}{...}// @print
+continue
Continuing.
hello you 5
ok
[Inferior 1 (process {n}) exited with code 07]
