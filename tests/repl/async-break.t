#! fixture=AsyncMain config=Debug,Release,NetDebug,RtDebug,RtRelease args="ordinary lambdas results" runtimes=8,10,11
## Breakpoints in async methods however they are entered: Main, by ordinary
## code, by each other, as lambdas of Task.Run, generic ones. Behind an await
## each hit is one. Optimised code of the runtime's own async has a place right
## behind an await, and none for each line.
+break @main
Breakpoint {n} at {...}
+break @leaf-after
Breakpoint {n} at {...}
+break @lambda-after
Breakpoint {n} at {...}
+break @twice-return
Breakpoint {n} at {...}
+break @local-return
Breakpoint {n} at {...}
+break @generic-return
Breakpoint {n} at {...}
+run
...
{@main}	{...}
+continue
...
{Debug,Release,NetDebug,RtDebug}{@leaf-after}	{...}
{RtRelease}{@leaf-await}	{...}
+continue
...
{@lambda-after}	{...}
+continue
...
{Debug,Release,NetDebug,RtDebug}{@leaf-after}	{...}
{RtRelease}{@leaf-await}	{...}
+continue
...
{Debug,NetDebug,RtDebug,RtRelease}{@twice-return}	{...}
{Release}{@twice-await}	{...}
+continue
...
{Debug,Release,NetDebug,RtDebug}{@local-return}	{...}
{RtRelease}{@local-await}	{...}
+continue
...
{Debug,Release,NetDebug,RtDebug}{@generic-return}	{...}
{RtRelease}{@generic-await}	{...}
+continue
...
{Debug,Release,NetDebug,RtDebug}{@generic-return}	{...}
{RtRelease}{@generic-await}	{...}
+continue
...
ok
[Inferior 1 (process {n}) exited normally]
