#! fixture=AsyncMain config=RtRelease args=bare runtimes=11 exit=0
## Fully optimised code of runtime async may have nothing that resumes an await,
## or not tell of it. A step ends behind the await all the same, in the line that
## goes on there, and not in one of the code before it.
+set environment DOTNET_TieredCompilation=0
+tbreak @plain-first
...
+run
...
{@plain-first}	{...}
+next
...
AsyncMain.Program.Plain () at AsyncMain.cs:{@plain-second}
{@plain-second}	{...}
+tbreak @waits-after
...
+continue
...
{@waits-after}	{...}
+finish
...
AsyncMain.Program.Plain () at AsyncMain.cs:{@plain-print}
{@plain-print}	{...}
+next
plain
{@plain-third}	{...}
+finish
...
AsyncMain.Program.Bare () at AsyncMain.cs:{@bare-kept}
{@bare-kept}	{...}
+tbreak @kept-first
...
+continue
...
{@kept-first}	{...}
+next
...
{@kept-second-before}	{...}
+tbreak @waits-after
...
+continue
...
+finish
...
AsyncMain.Program.Kept (n=5) at AsyncMain.cs:{@kept-return}
{@kept-return}	{...}
+finish
...
AsyncMain.Program.Bare () at AsyncMain.cs:{@bare-kept}
{@bare-kept}	{...}
+finish
...
AsyncMain.Program.Section (name="bare", {...}) at AsyncMain.cs:{@section-print}
{@section-print}	{...}
+next
bare 5
...
AsyncMain.Program.Main ({...}) at AsyncMain.cs:{@main-ticks}
{@main-ticks}	{...}
+continue
Continuing.
ok
[Inferior 1 (process {n}) exited normally]
