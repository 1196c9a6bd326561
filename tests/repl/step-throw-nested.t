#! fixture=Steps args=nested exit=0
## Filter, finally, handler: in the order in which they run.
+break @nested-throw
Breakpoint 1 at {...}: file Steps.cs, line {@nested-throw}.
+run
Starting program: {out}/Steps.dll nested

Breakpoint 1, Steps.Program.Nested () at Steps.cs:{@nested-throw}
{@nested-throw}{...}// @nested-throw
+next
{@nested-filter}{...}// @nested-filter
+next
...
{@nested-open}{...}// @nested-open
+next
{@nested-finally}{...}// @nested-finally
+next
{@nested-close}{...}// @nested-close
+next
...
{@nested-catch-open}{...}// @nested-catch-open
+next
{@nested-catch}{...}// @nested-catch
+next
{@nested-catch-close}{...}// @nested-catch-close
+next
...
{@nested-return}{...}// @nested-return
+print n
$1 = 3
+continue
Continuing.
nested 3
ok
[Inferior 1 (process {n}) exited normally]
