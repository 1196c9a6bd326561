#! fixture=Steps args=leaves exit=0
## A frame that is left by an exception: the step ends where it is caught.
+break @try-call
Breakpoint 1 at {...}: file Steps.cs, line {@try-call}.
+run
Starting program: {out}/Steps.dll leaves

Breakpoint 1, Steps.Program.Leaves () at Steps.cs:{@try-call}
{@try-call}{...}// @try-call
+next
{@catch-head}{...}// @catch-head
+next
{@catch-open}{...}// @catch-open
+next
{@catch}{...}// @catch
+print e._message
$1 = "zero"
+next
{@catch-close}{...}// @catch-close
+next
...
{@finally-open}{...}// @finally-open
+next
{@finally}{...}// @finally
+next
{@finally-close}{...}// @finally-close
+next
...
{@leaves-return}{...}// @leaves-return
+print n
$2 = 14
+continue
Continuing.
leaves 14
ok
[Inferior 1 (process {n}) exited normally]
