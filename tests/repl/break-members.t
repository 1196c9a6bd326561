#! fixture=Breaks config=Debug,Release args=members exit=0
## Constructors, accessors, operators, explicit implementations, nested types.
+break Pair..ctor
Breakpoint 1 at Breaks.Pair.Pair: file Breaks.cs, line {@pair-ctor}.
+break Props.set_Full
Breakpoint 2 at Breaks.Props.Full.set: file Breaks.cs, line {@prop-set}.
+break Props.Arrow
Breakpoint 3 at Breaks.Props.Arrow.get: file Breaks.cs, line {@prop-arrow}.
+break Props.get_Item
Breakpoint 4 at Breaks.Props.Item.get: file Breaks.cs, line {@prop-index}.
+break Props.add_Event
Breakpoint 5 at Breaks.Props.Event.add: file Breaks.cs, line {@event-add}.
+break Num.op_Addition
Breakpoint 6 at Breaks.Num.operator +: file Breaks.cs, line {@op-add}.
+break @op-explicit
Breakpoint 7 at {...}: file Breaks.cs, line {@op-explicit}.
+break IShape.Twice
Breakpoint 8 at Breaks.IShape.Twice: file Breaks.cs, line {@default-method}.
+break @explicit-impl
Breakpoint 9 at {...}: file Breaks.cs, line {@explicit-impl}.
+break Extensions.Half
Breakpoint 10 at Breaks.Extensions.Half: file Breaks.cs, line {@extension}.
+break Outer.Inner.Get
Breakpoint 11 at Breaks.Outer.Inner.Get: file Breaks.cs, line {@inner}.
+break Innermost.Get
Breakpoint 12 at Breaks.Outer.Inner.Innermost.Get: file Breaks.cs, line {@innermost}.
+run
Starting program: {out}/Breaks.dll members

Breakpoint 2, Breaks.Props.Full.set (this={Breaks.Props}, value=3) at Breaks.cs:{@prop-set}
{@prop-set}{...}// @prop-set
+continue
Continuing.

Breakpoint 5, Breaks.Props.Event.add (this={Breaks.Props}, value={...}) at Breaks.cs:{@event-add}
{@event-add}{...}// @event-add
+continue
Continuing.

Breakpoint 6, Breaks.Num.operator + (a={...}, b={...}) at Breaks.cs:{@op-add}
{@op-add}{...}// @op-add
+continue
Continuing.

Breakpoint 7, Breaks.Num.explicit operator int (n={...}) at Breaks.cs:{@op-explicit}
{@op-explicit}{...}// @op-explicit
+continue
Continuing.

Breakpoint 3, Breaks.Props.Arrow.get (this={Breaks.Props}) at Breaks.cs:{@prop-arrow}
{@prop-arrow}{...}// @prop-arrow
+continue
Continuing.

Breakpoint 4, Breaks.Props.Item.get (this={Breaks.Props}, i=4) at Breaks.cs:{@prop-index}
{@prop-index}{...}// @prop-index
+continue
Continuing.

Breakpoint 8, Breaks.IShape.Twice (this={Breaks.Square}) at Breaks.cs:{@default-method}
{@default-method}{...}// @default-method
+continue
Continuing.

Breakpoint 9, Breaks.Square.{...}Area (this={Breaks.Square}) at Breaks.cs:{@explicit-impl}
{@explicit-impl}{...}// @explicit-impl
+continue
Continuing.

Breakpoint 10, Breaks.Extensions.Half (n=10) at Breaks.cs:{@extension}
{@extension}{...}// @extension
+continue
Continuing.

Breakpoint 11, Breaks.Outer.Inner.Get (this={Breaks.Outer.Inner}) at Breaks.cs:{@inner}
{@inner}{...}// @inner
+continue
Continuing.

Breakpoint 12, Breaks.Outer.Inner.Innermost.Get () at Breaks.cs:{@innermost}
{@innermost}{...}// @innermost
+info breakpoints 1
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <not compiled>     in Breaks.Pair.Pair(int, int) at Breaks.cs:{@pair-ctor}
	the method is not compiled yet
+continue
Continuing.
members {n}
ok
[Inferior 1 (process {n}) exited normally]
