#! fixture=StepAsync config=Debug,RtDebug args=gates exit=0
## A call that ends; its thread goes on with another call of the method, whose
## lines are not those of the step: it ends where both were awaited.
+tbreak @gated-return
Temporary breakpoint 1 at {...}: file StepAsync.cs, line {@gated-return}.
+run
Starting program: {out}/StepAsync.dll gates

Temporary breakpoint 1, StepAsync.Program.Gated (n=1, gate=Id = {n}, Status = RanToCompletion, {...}) at StepAsync.cs:{@gated-return}
{@gated-return}{...}// @gated-return
+next
{@gated-close}{...}// @gated-close
+next
StepAsync.Program.AllGated (gates={System.Threading.Tasks.TaskCompletionSource[2]}) at StepAsync.cs:{@gated-await}
{@gated-await}{...}// @gated-await
+next
{@all-gated}{...}// @all-gated
+print all
$1 = {1, 2}
+continue
Continuing.
gates 3
{...}ok
[Inferior 1 (process {n}) exited normally]
