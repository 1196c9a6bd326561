#! fixture=Steps args=properties exit=0
## Accessors are methods, automatic ones too, if the setting says so.
+show step-over-properties
step-over-properties: on
+set step-over-properties off
+break @call-set
Breakpoint 1 at {...}: file Steps.cs, line {@call-set}.
+run
Starting program: {out}/Steps.dll properties

Breakpoint 1, Steps.Program.Properties () at Steps.cs:{@call-set}
{@call-set}{...}// @call-set
+step
Steps.Item.Count.set (this={Steps.Item}, value=5) at Steps.cs:{@set-count}
{@set-count}{...}// @set-count
+finish
Run till exit from #0  Steps.Item.Count.set (this={Steps.Item}, value=5) at Steps.cs:{@set-count}
{...}Steps.Program.Properties () at Steps.cs:{@call-set}
{@call-set}{...}// @call-set
+next
{@call-get}{...}// @call-get
+step
Steps.Item.Count.get (this={Steps.Item}) at Steps.cs:{@get-count}
{@get-count}{...}// @get-count
+finish
Run till exit from #0  Steps.Item.Count.get (this={Steps.Item}) at Steps.cs:{@get-count}
{...}Steps.Program.Properties () at Steps.cs:{@call-get}
{@call-get}{...}// @call-get
Value returned is $1 = 5
+next
{@call-auto}{...}// @call-auto
+step
Steps.Item.Count.set (this={Steps.Item}, value=5) at Steps.cs:{@set-count}
{@set-count}{...}// @set-count
+finish
Run till exit from #0  Steps.Item.Count.set (this={Steps.Item}, value=5) at Steps.cs:{@set-count}
{...}Steps.Program.Properties () at Steps.cs:{@call-auto}
{@call-auto}{...}// @call-auto
+next
{@properties-return}{...}// @properties-return
+step
Steps.Item.Next.get (this={Steps.Item}) at Steps.cs:{@auto}
{@auto}{...}// @auto
+step
Steps.Program.Properties () at Steps.cs:{@properties-return}
{@properties-return}{...}// @properties-return
+step
Steps.Item.Count.get (this={Steps.Item}) at Steps.cs:{@get-count}
{@get-count}{...}// @get-count
+until
Steps.Program.Properties () at Steps.cs:{@properties-return}
{@properties-return}{...}// @properties-return
+continue
Continuing.
properties 10
ok
[Inferior 1 (process {n}) exited normally]
