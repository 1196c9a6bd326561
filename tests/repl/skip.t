#! fixture=HitLoop args=5 exit=1
## `step` passes what `skip` names, until that is disabled.
+tbreak @main
...
+info skip
Not skipping any files or functions.
+skip Program.Hit
Function Program.Hit will be skipped when stepping.
+run
...
{@main}	{...}
+next
{n}	{...}
+step
{@call}	{...}// @call
+step
{n}	            for (int i = 0; i < n; i++)
+step
{@call}	{...}// @call
+skip disable 1
+step
HitLoop.Program.Hit (i=1) at HitLoop.cs:{@hit}
{@hit}	{...}// @hit
+skip enable
+finish
...
+step
{n}	            for (int i = 0; i < n; i++)
+step
{@call}	{...}// @call
+skip delete
+skip file HitLoop.cs
File HitLoop.cs will be skipped when stepping.
+step
{n}	            for (int i = 0; i < n; i++)
+step
{@call}	{...}// @call
+skip delete
+skip -gfi Other*.cs
File(s) Other*.cs will be skipped when stepping.
+skip -gfi Hit*.cs -rfu "\.Miss$"
Function(s) \.Miss$ in file(s) Hit*.cs will be skipped when stepping.
+step
HitLoop.Program.Hit (i=3) at HitLoop.cs:{@hit}
{@hit}	{...}// @hit
+skip
Function HitLoop.Program.Hit will be skipped when stepping.
+tbreak @hit
Temporary breakpoint 2 at {...}
+info skip
Num   Enb Glob                 File RE Function
3     y      y            Other*.cs  n <none>
4     y      y              Hit*.cs  y \.Miss$
5     y      n               <none>  n HitLoop.Program.Hit
+continue
Continuing.

Temporary breakpoint 2, HitLoop.Program.Hit (i=4) at HitLoop.cs:{@hit}
{@hit}	{...}// @hit
+skip -rfu (
{...}Error in sourced command file: regular expression '(': {...}
