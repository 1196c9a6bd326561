#! fixture=Breaks args="inits lambdas bodies" exit=0
## Lines that are compiled into several methods, or into methods of other
## names: field initialisers, lambdas, local functions, state machines.
+break @init-second
Breakpoint 1 at Breaks.Init.Init: Breaks.cs:{@init-second}. (2 locations)
+break @init-static
Breakpoint 2 at {...}: file Breaks.cs, line {@init-static}.
+break Cctor..cctor
Breakpoint 3 at Breaks.Cctor..cctor: file Breaks.cs, line {@cctor}.
+break @init-ctor2
Breakpoint 4 at {...}: file Breaks.cs, line {@init-ctor2}.
+run
Starting program: {out}/Breaks.dll inits lambdas bodies

Breakpoint 1, Breaks.Init.Init (this={Breaks.Init}) at Breaks.cs:{@init-second}
{@init-second}{...}// @init-second
+print Program.Notes
$1 = 1
+continue
Continuing.

Breakpoint 1, Breaks.Init.Init (this={Breaks.Init}, n=4) at Breaks.cs:{@init-second}
{@init-second}{...}// @init-second
+info breakpoints 1
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <MULTIPLE>         Breaks.cs:{@init-second}
	breakpoint already hit 2 times
1.1                         y   {addr} in Breaks.Init.Init() at Breaks.cs:{@init-second}
1.2                         y   {addr} in Breaks.Init.Init(int) at Breaks.cs:{@init-second}
+continue
Continuing.

## The third constructor calls the second, which runs the initialisers.
Breakpoint 4, Breaks.Init.Init (this={Breaks.Init}, s="xyz") at Breaks.cs:{@init-ctor2}
{@init-ctor2}{...}// @init-ctor2
+continue
Continuing.

Breakpoint 1, Breaks.Init.Init (this={Breaks.Init}, n=3) at Breaks.cs:{@init-second}
{@init-second}{...}// @init-second
+delete 1 4
+continue
Continuing.

Breakpoint 3, Breaks.Cctor..cctor () at Breaks.cs:{@cctor}
{@cctor}{...}// @cctor
+continue
Continuing.

## Without a static constructor of its own the class is made when it is used.
Breakpoint 2, Breaks.Init..cctor () at Breaks.cs:{@init-static}
{@init-static}{...}// @init-static
+delete 2 3
+break @lambda-two
Breakpoint 5 at Breaks.Lambdas.Run: file Breaks.cs, line {@lambda-two}.
The method is not compiled yet.
+break @lambda-inner
Breakpoint 6 at Breaks.Lambdas.Run.lambda: file Breaks.cs, line {@lambda-inner}.
The method is not compiled yet.
+break @local-static
Breakpoint 7 at Breaks.Lambdas.Run.Local: file Breaks.cs, line {@local-static}.
The method is not compiled yet.
+break @local-closed
Breakpoint 8 at Breaks.Lambdas.Run.Closed: file Breaks.cs, line {@local-closed}.
The method is not compiled yet.
+break @async-after
Breakpoint 9 at Breaks.Bodies.Async: file Breaks.cs, line {@async-after}.
The method is not compiled yet.
+break Bodies.Iterate
Breakpoint 10 at Breaks.Bodies.Iterate: file Breaks.cs, line {@iter-for}.
The method is not compiled yet.
+break @async-iterator
Breakpoint 11 at Breaks.Bodies.Stream: file Breaks.cs, line {@async-iterator}.
The method is not compiled yet.
+tbreak Bodies.Async
Temporary breakpoint 12 at Breaks.Bodies.Async: file Breaks.cs, line {@async-before}.
The method is not compiled yet.
+continue
Continuing.
inits {n}

## Once for its line; a lambda on it by its column.
Breakpoint 5, Breaks.Lambdas.Run () at Breaks.cs:{@lambda-two}
{@lambda-two}{...}// @lambda-two
+tbreak @lambda-inner:29
Temporary breakpoint 13 at Breaks.Lambdas.Run.lambda: file Breaks.cs, line {@lambda-inner}.
The method is not compiled yet.
+continue
Continuing.

Breakpoint 6, Breaks.Lambdas.Run.lambda (x=5) at Breaks.cs:{@lambda-inner}
{@lambda-inner}{...}// @lambda-inner
+continue
Continuing.

Temporary breakpoint 13, Breaks.Lambdas.Run.lambda (y=6) at Breaks.cs:{@lambda-inner}
{@lambda-inner}{...}// @lambda-inner
+print x + y + captured
$2 = 21
+continue
Continuing.

Breakpoint 7, Breaks.Lambdas.Run.Local (n=2) at Breaks.cs:{@local-static}
{@local-static}{...}// @local-static
+continue
Continuing.

Breakpoint 8, Breaks.Lambdas.Run.Closed (n=3) at Breaks.cs:{@local-closed}
{@local-closed}{...}// @local-closed
+continue
Continuing.
lambdas {n}

Temporary breakpoint 12, Breaks.Bodies.Async (n=3) at Breaks.cs:{@async-before}
{@async-before}{...}// @async-before
+continue
Continuing.
...

Breakpoint 9, Breaks.Bodies.Async (n=3) at Breaks.cs:{@async-after}
{@async-after}{...}// @async-after
+print before
$3 = 4
+continue
Continuing.
...

Breakpoint 10, Breaks.Bodies.Iterate (n=4) at Breaks.cs:{@iter-for}
{@iter-for}{...}// @iter-for
+break @iterator
Breakpoint 14 at {addr}: file Breaks.cs, line {@iterator}.
+continue
Continuing.
...

Breakpoint 14, Breaks.Bodies.Iterate (n=4) at Breaks.cs:{@iterator}
{@iterator}{...}// @iterator
+ignore 14 2
Will ignore next 2 crossings of breakpoint 14.
+continue
Continuing.
...

Breakpoint 14, Breaks.Bodies.Iterate (n=4) at Breaks.cs:{@iterator}
{@iterator}{...}// @iterator
+print i
$4 = 3
+continue
Continuing.
...

Breakpoint 11, Breaks.Bodies.Stream (n=3) at Breaks.cs:{@async-iterator}
{@async-iterator}{...}// @async-iterator
+delete
+continue
Continuing.
bodies {n}
ok
[Inferior 1 (process {n}) exited normally]
