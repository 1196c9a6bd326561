#! fixture=FsTasks exit=0
## The end of a task's body is left to the nearest code of the user's, not to
## that of FSharp.Core, which has source too.
+tbreak @before
Temporary breakpoint 1 at {...}: file FsTasks.fs, line {@before}.
+tbreak @return
Temporary breakpoint 2 at {...}: file FsTasks.fs, line {@return}.
+run
Starting program: {out}/FsTasks.dll

Temporary breakpoint 1, {...} at FsTasks.fs:{@before}
{@before}{...}// @before
+next
{@gate}{...}// @gate
## The task has to wait: its first part returns to who began it.
+next
{...} at FsTasks.fs:{@call}
{@call}{...}// @call
+continue
Continuing.
[Switching to thread {n} ({...})]

Temporary breakpoint 2, {...} at FsTasks.fs:{@return}
{@return}{...}// @return
## Resumed by the pool, whose threads have no code of the user's further out:
## FSharp.Core goes on with who awaits the task.
+next
{...} at FsTasks.fs:{@caller-return}
{@caller-return}{...}// @caller-return
## No task awaits that, only main's Result.
+next
sum 9
ok
[Inferior 1 (process {n}) exited normally]
