#! fixture=Frames args=async config=Debug,Release,RtDebug
## Who awaits the method that was resumed: through tasks, a ValueTask, WhenAll,
## WhenAny and an async iterator. They are frames of their own, with variables.
+break @inner
...
+run
...
Breakpoint 1, Frames.Async.Inner (depth=7) at Frames.cs:{n}
...
+bt
#0  Frames.Async.Inner (depth=7) at Frames.cs:{n}
...
#{n}{...}[async] Frames.Async.Middle<string> ({...}) at Frames.cs:{@middle}
#{n}{...}[async] Frames.Async.Both () at Frames.cs:{@both}
#{n}{...}[async] Frames.Async.Outer (name="top") at Frames.cs:{@outer}
#{n}{...}[async] Frames.Async.Items (name="top") at Frames.cs:{@items}
#{n}{...}[async] Frames.Async.Top () at Frames.cs:{@await-foreach}
+up 100
#{n}{...}[async] Frames.Async.Top () at Frames.cs:{@await-foreach}
{@await-foreach}{...}// @await-foreach
+print all
$1 = ""
+down 2
#{n}{...}[async] Frames.Async.Outer (name="top") at Frames.cs:{@outer}
{@outer}{...}// @outer
+print name
$2 = "top"
+down 2
#{n}{...}[async] Frames.Async.Middle<string> ({...}) at Frames.cs:{@middle}
{@middle}{...}// @middle
+info locals
text = "m7"
+print value
$3 = "x"
+delete
+continue
Continuing.
async topx
ok
...
