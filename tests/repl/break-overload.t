#! fixture=Breaks args=overloads exit=0
## A method by its name: every overload. By its parameters: that one.
+break Over.Do
Breakpoint 1 at Breaks.Over.Do: Over.Do. (10 locations)
+run
Starting program: {out}/Breaks.dll overloads

Breakpoint 1, Breaks.Over.Do (this={Breaks.Over}) at Breaks.cs:{@do-none}
{@do-none}{...}// @do-none
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <MULTIPLE>         Over.Do
	breakpoint already hit 1 time
1.1                         y   {addr} in Breaks.Over.Do() at Breaks.cs:{@do-none}
1.2                         y   <not compiled>     in Breaks.Over.Do(int) at Breaks.cs:{@do-int}
1.3                         y   <not compiled>     in Breaks.Over.Do(string) at Breaks.cs:{@do-string}
1.4                         y   <not compiled>     in Breaks.Over.Do(int, string) at Breaks.cs:{@do-int-string}
1.5                         y   <not compiled>     in Breaks.Over.Do(int[]) at Breaks.cs:{@do-array}
1.6                         y   <not compiled>     in Breaks.Over.Do(System.Collections.Generic.List<int>) at Breaks.cs:{@do-list}
1.7                         y   <not compiled>     in Breaks.Over.Do(ref int) at Breaks.cs:{@do-ref}
1.8                         y   <not compiled>     in Breaks.Over.Do(int?) at Breaks.cs:{@do-nullable}
1.9                         y   <not compiled>     in Breaks.Over.Do<T>(T, T[]) at Breaks.cs:{@do-generic}
1.10                        y   <not compiled>     in Breaks.Over.Do(Breaks.Outer.Inner) at Breaks.cs:{@do-nested}
+disable 1
+break Over.Do(int)
Breakpoint 2 at Breaks.Over.Do: file Breaks.cs, line {@do-int}.
The method is not compiled yet.
+break Breaks.Over.Do(int, string)
Breakpoint 3 at Breaks.Over.Do: file Breaks.cs, line {@do-int-string}.
The method is not compiled yet.
+break Over.Do(ref int)
Breakpoint 4 at Breaks.Over.Do: file Breaks.cs, line {@do-ref}.
The method is not compiled yet.
+break Breaks!Over.Do(int?)
Breakpoint 5 at Breaks.Over.Do: file Breaks.cs, line {@do-nullable}.
The method is not compiled yet.
+break Over.Do(List<int>)
Breakpoint 6 at Breaks.Over.Do: file Breaks.cs, line {@do-list}.
The method is not compiled yet.
+break Over.Do(int[])
Breakpoint 7 at Breaks.Over.Do: file Breaks.cs, line {@do-array}.
The method is not compiled yet.
+break Over.Do(Outer.Inner)
Breakpoint 8 at Breaks.Over.Do: file Breaks.cs, line {@do-nested}.
The method is not compiled yet.
+break Breaks.dll!Over.Opt(int,int,int[])
Breakpoint 9 at Breaks.Over.Opt: file Breaks.cs, line {@opt}.
The method is not compiled yet.
+break Over.Do(T, T[])
Breakpoint 10 at Breaks.Over.Do<T>: file Breaks.cs, line {@do-generic}.
The method is not compiled yet.
+break Over.Do(byte)
Breakpoint 11 (Over.Do(byte)) pending: no method 'Over.Do(byte)' in the loaded modules.
+break Nowhere!Over.Do
Breakpoint 12 (Nowhere!Over.Do) pending: module 'Nowhere' is not loaded.
+continue
Continuing.

Breakpoint 2, Breaks.Over.Do (this={Breaks.Over}, n=2) at Breaks.cs:{@do-int}
{@do-int}{...}// @do-int
+continue
Continuing.

Breakpoint 3, Breaks.Over.Do (this={Breaks.Over}, n=4, s="x") at Breaks.cs:{@do-int-string}
{@do-int-string}{...}// @do-int-string
+continue
Continuing.

Breakpoint 7, Breaks.Over.Do (this={Breaks.Over}, a={int[2]}) at Breaks.cs:{@do-array}
{@do-array}{...}// @do-array
+continue
Continuing.

Breakpoint 6, Breaks.Over.Do (this={Breaks.Over}, {...}) at Breaks.cs:{@do-list}
{@do-list}{...}// @do-list
+continue
Continuing.

Breakpoint 4, Breaks.Over.Do (this={Breaks.Over}, n=4) at Breaks.cs:{@do-ref}
{@do-ref}{...}// @do-ref
+continue
Continuing.

Breakpoint 5, Breaks.Over.Do (this={Breaks.Over}, n=null) at Breaks.cs:{@do-nullable}
{@do-nullable}{...}// @do-nullable
+continue
Continuing.

## The generic one, for double and then for string.
Breakpoint 10, Breaks.Over.Do<double> (this={Breaks.Over}, value=1.5, more={double[1]}) at Breaks.cs:{@do-generic}
{@do-generic}{...}// @do-generic
+continue
Continuing.

Breakpoint 10, Breaks.Over.Do<{...}> (this={Breaks.Over}, value="a", more={string[2]}) at Breaks.cs:{@do-generic}
{@do-generic}{...}// @do-generic
+continue
Continuing.

Breakpoint 8, Breaks.Over.Do (this={Breaks.Over}, {...}) at Breaks.cs:{@do-nested}
{@do-nested}{...}// @do-nested
+continue
Continuing.

Breakpoint 9, Breaks.Over.Opt (this={Breaks.Over}, a=1, b=5, rest={int[0]}) at Breaks.cs:{@opt}
{@opt}{...}// @opt
+continue
Continuing.

Breakpoint 9, Breaks.Over.Opt (this={Breaks.Over}, a=1, b=2, rest={int[2]}) at Breaks.cs:{@opt}
{@opt}{...}// @opt
+continue
Continuing.
overloads {n}
ok
[Inferior 1 (process {n}) exited normally]
