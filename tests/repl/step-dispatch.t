#! fixture=Steps args="dispatch dispatch" exit=0
## Into whatever a call can go through. Each is the first call: the method is
## compiled and the stub resolved on the way.
+break @dispatch
Breakpoint 1 at {...}: file Steps.cs, line {@dispatch}.
+run
Starting program: {out}/Steps.dll dispatch dispatch

Breakpoint 1, Steps.Program.Dispatch () at Steps.cs:{@dispatch}
{@dispatch}{...}// @dispatch
## A constructor without source.
+step
{@call-virtual}{...}// @call-virtual
+step
Steps.Spider.Legs (this={Steps.Spider}) at Steps.cs:{@spider-legs}
{@spider-legs}{...}// @spider-legs
+finish
Run till exit from #0  Steps.Spider.Legs (this={Steps.Spider}) at Steps.cs:{@spider-legs}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-virtual}
{@call-virtual}{...}// @call-virtual
Value returned is $1 = 8
+advance @call-interface
Steps.Program.Dispatch () at Steps.cs:{@call-interface}
{@call-interface}{...}// @call-interface
+step
Steps.Hammer.Use (this={Steps.Hammer}, n=1) at Steps.cs:{@hammer}
{@hammer}{...}// @hammer
+advance @call-interface-struct
{...}Steps.Program.Dispatch () at Steps.cs:{@call-interface}
{@call-interface}{...}// @call-interface
+advance @call-interface-struct
Steps.Program.Dispatch () at Steps.cs:{@call-interface-struct}
{@call-interface-struct}{...}// @call-interface-struct
+step
Steps.Saw.Use (this={...}, n=2) at Steps.cs:{@saw}
{@saw}{...}// @saw
+finish
Run till exit from #0  Steps.Saw.Use (this={...}, n=2) at Steps.cs:{@saw}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-interface-struct}
{@call-interface-struct}{...}// @call-interface-struct
Value returned is $2 = 4
+advance @call-delegate
Steps.Program.Dispatch () at Steps.cs:{@call-delegate}
{@call-delegate}{...}// @call-delegate
+step
Steps.Program.One (n=3) at Steps.cs:{@one}
{@one}{...}// @one
+finish
Run till exit from #0  Steps.Program.One (n=3) at Steps.cs:{@one}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-delegate}
{@call-delegate}{...}// @call-delegate
Value returned is $3 = 4
+advance @call-multicast
Steps.Program.Dispatch () at Steps.cs:{@call-multicast}
{@call-multicast}{...}// @call-multicast
+step
Steps.Program.One (n=4) at Steps.cs:{@one}
{@one}{...}// @one
## The second target of the delegate is called from the runtime's stub.
+tbreak @two
Temporary breakpoint 2 at Steps.Program.Two: file Steps.cs, line {@two}.
The method is not compiled yet.
+continue
Continuing.

Temporary breakpoint 2, Steps.Program.Two (n=4) at Steps.cs:{@two}
{@two}{...}// @two
+finish
Run till exit from #0  Steps.Program.Two (n=4) at Steps.cs:{@two}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-multicast}
{@call-multicast}{...}// @call-multicast
+advance @call-lambda
Steps.Program.Dispatch () at Steps.cs:{@call-lambda}
{@call-lambda}{...}// @call-lambda
+step
Steps.Program.Dispatch.lambda (x=5) at Steps.cs:{@dispatch-lambda}
{@dispatch-lambda}{...}// @dispatch-lambda
+finish
Run till exit from #0  Steps.Program.Dispatch.lambda (x=5) at Steps.cs:{@dispatch-lambda}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-lambda}
{@call-lambda}{...}// @call-lambda
Value returned is $4 = 10
+next
{@call-generic-int}{...}// @call-generic-int
+step
Steps.Program.Same<int> (value=6) at Steps.cs:{@same}
{@same}{...}// @same
+finish
Run till exit from #0  Steps.Program.Same<int> (value=6) at Steps.cs:{@same}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-generic-int}
{@call-generic-int}{...}// @call-generic-int
Value returned is $5 = 6
+next
{@call-generic-string}{...}// @call-generic-string
+step
Steps.Program.Same<{...}> (value="seven") at Steps.cs:{@same}
{@same}{...}// @same
+finish
Run till exit from #0  Steps.Program.Same<{...}> (value="seven") at Steps.cs:{@same}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-generic-string}
{@call-generic-string}{...}// @call-generic-string
Value returned is $6 = "seven"
+next
{@call-cctor}{...}// @call-cctor
## A static constructor is run by the runtime, not called by the line.
+next
{@call-linq}{...}// @call-linq
+next
{@call-base}{...}// @call-base
+step
Steps.Spider.Eyes (this={Steps.Spider}) at Steps.cs:{@spider-eyes}
{@spider-eyes}{...}// @spider-eyes
+step
Steps.Animal.Eyes (this={Steps.Spider}) at Steps.cs:{@animal-eyes}
{@animal-eyes}{...}// @animal-eyes
+finish
Run till exit from #0  Steps.Animal.Eyes (this={Steps.Spider}) at Steps.cs:{@animal-eyes}
{...}Steps.Spider.Eyes (this={Steps.Spider}) at Steps.cs:{@spider-eyes}
{@spider-eyes}{...}// @spider-eyes
Value returned is $7 = 2
+finish
Run till exit from #0  {...}Steps.Spider.Eyes (this={Steps.Spider}) at Steps.cs:{@spider-eyes}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-base}
{@call-base}{...}// @call-base
Value returned is $8 = 10
+next
{@dispatch-return}{...}// @dispatch-return
+print n
$9 = 98
+continue
Continuing.
dispatch 98
ok
[Inferior 1 (process {n}) exited normally]
