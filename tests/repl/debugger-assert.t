#! fixture=Asking config=Debug,Release args=assert
## A failed assertion says so and stops where it was made; the program goes on.
+run
Starting program: {out}/Asking.dll assert
---- DEBUG ASSERTION FAILED ----
---- Assert Short Message ----
not so
...

Program called Debugger.Break.
{addr} in Asking.Program.Assert () at Asking.cs:{@assert}
{@assert}{...}// @assert
+continue
Continuing.
---- DEBUG ASSERTION FAILED ----
---- Assert Short Message ----
failed
...

Program called Debugger.Break.
{addr} in Asking.Program.Assert () at Asking.cs:{@fail}
{@fail}{...}// @fail
{Debug}+next
{Debug}{@survived}{...}// @survived
+continue
Continuing.
survived
[Inferior 1 (process {n}) exited normally]
