#! fixture=Throws args="plain rethrow framework async filtered native within" exit=0
## Where exceptions are caught, the handler not run; by type, message, module.
+catch catch InvalidOperationException
Catchpoint 1 (catch InvalidOperationException)
+tcatch catch -message "^The given key" -module Throws
Temporary catchpoint 2 (catch -module Throws -message "^The given key")
+catch catch NoSuchException
Catchpoint 3 (catch NoSuchException)
+run
Starting program: {out}/Throws.dll plain rethrow framework async filtered native within

Exception caught: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.Plain () at Throws.cs:{@plain-head}
{@plain-head}{...}// @plain-head
+print e
$1 = null
+print $exception.Message
$2 = "level zero"
+next
{@plain-open}{...}// @plain-open
+next
{@plain-catch}{...}// @plain-catch
+print e.Message
$3 = "level zero"
+continue
Continuing.
plain 10

## The same exception is thrown again where it was caught.
Exception caught: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.Rethrow () at Throws.cs:{@rethrow-head}
{@rethrow-head}{...}// @rethrow-head
+next 3

Exception caught: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.Rethrow () at Throws.cs:{@rethrow-outer}
{@rethrow-outer}{...}// @rethrow-outer
+info program
Program: {out}/Throws.dll
Process {n}, stopped in thread 1.
It stopped where an exception is caught.
It stopped at breakpoint 1.
+disable 1
+continue
Continuing.
rethrow 10

Exception caught: System.Collections.Generic.KeyNotFoundException: "The given key 'absent' was not present in the dictionary."
{addr} in Throws.Program.Framework () at Throws.cs:{@absent-head}
{@absent-head}{...}// @absent-head
## An async method's own handler, which puts it into the task, catches, too.
+enable 3
+tcatch catch TimeoutException
Temporary catchpoint 4 (catch TimeoutException)
+continue
Continuing.
framework 7
[Switching to thread {...}]

Exception caught: System.TimeoutException: "late"
{addr} in Throws.Program.Fails (n=1) at Throws.cs:{n}
{n}{...}
+enable 1
+condition 1 $exception.Message == "no"
+condition 1 $exception.Message == "level zero"
+continue
Continuing.
async 4
[Switching to thread {...}]

Exception caught: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.Filtered () at Throws.cs:{@filter}
{@filter}{...}// @filter
+continue
Continuing.
filtered 2

Exception caught: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.OrNot ({...}) at Throws.cs:{@native-catch}
{@native-catch}{...}// @native-catch
+tcatch catch TimeoutException
Temporary catchpoint 5 (catch TimeoutException)
+continue
Continuing.
native 2

## The one within, then the first.
Exception caught: System.TimeoutException: "within"
{addr} in Throws.Program.Within () at Throws.cs:{@within-inner}
{@within-inner}{...}// @within-inner
+continue
Continuing.

Exception caught: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.Within () at Throws.cs:{@within-outer}
{@within-outer}{...}// @within-outer
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception catch InvalidOperationException
	stop only if $exception.Message == "level zero"
	breakpoint already hit 6 times
3       catchpoint     keep y                      exception catch NoSuchException
+delete
+continue
Continuing.
within 10
ok
[Inferior 1 (process {n}) exited normally]
