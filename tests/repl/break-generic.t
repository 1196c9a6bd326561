#! fixture=Breaks args=generics exit=0
## One line, every instantiation, known before and after the breakpoint.
+break @box-get
Breakpoint 1 at {...}: file Breaks.cs, line {@box-get}.
+break Generic.Show
Breakpoint 2 at Breaks.Generic.Show<T>: file Breaks.cs, line {@generic-show}.
+run
Starting program: {out}/Breaks.dll generics

Breakpoint 1, Breaks.Box<int>.Get (this={Breaks.Box<int>}) at Breaks.cs:{@box-get}
{@box-get}{...}// @box-get
## Code shared by all reference types is named by its parameters.
+print item
$1 = 1
+continue
Continuing.

Breakpoint 1, Breaks.Box<string>.Get (this={Breaks.Box<string>}) at Breaks.cs:{@box-get}
{@box-get}{...}// @box-get
+print item
$2 = "s"
## Made anew it finds the instantiations that are there.
+delete 1
+break @box-get
Breakpoint 3 at {addr}: Breaks.cs:{@box-get}. (2 locations)
+break Box.Map
Breakpoint 4 at Breaks.Box<T>.Map<U>: file Breaks.cs, line {@box-map}.
The method is not compiled yet.
+break Breaks.Box<T>.Nest<V>.Both
Breakpoint 5 at Breaks.Box<T>.Nest<V>.Both: file Breaks.cs, line {@box-nest}.
The method is not compiled yet.
+continue
Continuing.

Breakpoint 3, Breaks.Box<Breaks.Pair>.Get (this={Breaks.Box<Breaks.Pair>}) at Breaks.cs:{@box-get}
{@box-get}{...}// @box-get
+continue
Continuing.

## Box<object> shares the code of Box<string>.
Breakpoint 3, Breaks.Box<object>.Get (this={Breaks.Box<object>}) at Breaks.cs:{@box-get}
{@box-get}{...}// @box-get
+continue
Continuing.

Breakpoint 4, Breaks.Box<int>.Map<string> (this={Breaks.Box<int>}, other="m") at Breaks.cs:{@box-map}
{@box-map}{...}// @box-map
+continue
Continuing.

Breakpoint 4, Breaks.Box<string>.Map<int> (this={Breaks.Box<string>}, other=6) at Breaks.cs:{@box-map}
{@box-map}{...}// @box-map
+continue
Continuing.

Breakpoint 5, Breaks.Box<int>.Nest<string>.Both (this={Breaks.Box<int>.Nest<string>}, t=7, v="n") at Breaks.cs:{@box-nest}
{@box-nest}{...}// @box-nest
+continue
Continuing.

Breakpoint 2, Breaks.Generic.Show<int> (value=8) at Breaks.cs:{@generic-show}
{@generic-show}{...}// @generic-show
+continue
Continuing.

Breakpoint 2, Breaks.Generic.Show<string> (value="u") at Breaks.cs:{@generic-show}
{@generic-show}{...}// @generic-show
+continue
Continuing.

Breakpoint 2, Breaks.Generic.Show<Breaks.Pair> (value={...}) at Breaks.cs:{@generic-show}
{@generic-show}{...}// @generic-show
+continue
Continuing.

Breakpoint 2, Breaks.Generic.Show<object> (value=null) at Breaks.cs:{@generic-show}
{@generic-show}{...}// @generic-show
+info breakpoints
Num     Type           Disp Enb Address            What
2       breakpoint     keep y   <MULTIPLE>         Generic.Show
	breakpoint already hit 4 times
2.1                         y   {addr} in {...} at Breaks.cs:{@generic-show}
2.2                         y   {addr} in {...} at Breaks.cs:{@generic-show}
2.3                         y   {addr} in {...} at Breaks.cs:{@generic-show}
...
+continue
Continuing.
generics {n}
ok
[Inferior 1 (process {n}) exited normally]
