#! fixture=BlocksTop exit=0
## Locals of top-level statements: innermost block first, as gdb lists them, and
## none of a block that is not entered or was left.
+tbreak @blocks-in
Temporary breakpoint{...}
+tbreak @blocks-second
Temporary breakpoint{...}
+tbreak @blocks-lambda
Temporary breakpoint{...}
+tbreak @blocks-loop
Temporary breakpoint{...}
+tbreak @blocks-between
Temporary breakpoint{...}
+tbreak @blocks-catch
Temporary breakpoint{...}
+tbreak @blocks-end
Temporary breakpoint{...}
+run
...
{@blocks-in}{...}// @blocks-in
+info locals
block = 2
same = "one"
first = 1
last = 0
+continue
...
{@blocks-second}{...}// @blocks-second
+info locals
same = 2.5
first = 1
last = 0
+continue
...
{@blocks-lambda}{...}// @blocks-lambda
+info locals
captured = 10
get = null
i = 0
first = 1
last = 0
+continue
...
{@blocks-loop}{...}// @blocks-loop
+info locals
captured = 10
get = {Program.Main.lambda}
i = 0
first = 1
last = 0
+continue
...
{@blocks-between}{...}// @blocks-between
+info locals
first = 1
last = 0
+bt full
#0 {...}Main {...}
        first = 1
        last = 0
...
+continue
...
{@blocks-catch}{...}// @blocks-catch
+info locals
message = "no"
e = {System.InvalidOperationException: "no"}
first = 1
last = 0
+continue
...
{@blocks-end}{...}// @blocks-end
+info locals
first = 1
last = 9
+continue
...
