#! fixture=TopLevel exit=0
## Top-level statements: the start, steps into local functions and over an
## await of the compiler's Main, what it captures, and its end.
+start
...
{@top-first}{...}// @top-first
+next
{@top}{...}// @top
+bt
#0  Program.Main (args={string[0]}) at TopLevel.cs:{@top}
...
+step
{...}Twice{...} (i=1) at TopLevel.cs:{n}
...
+finish
...
{@top}{...}// @top
Value returned is $1 = 2
+next
{@top-await}{...}// @top-await
+next
...
{@top-foreach}{...}// @top-foreach
+print total
$2 = 2
+advance @top-body
...
{@top-body}{...}// @top-body
+step
{...}Plus{...} (i=1) at TopLevel.cs:{@plus}
{@plus}{...}// @plus
+print total + i
$3 = 3
## An async lambda, its own variables and captured ones.
+tbreak @lambda-await
...
+continue
...
{@lambda-await}{...}// @lambda-await
+next
...
{@lambda-return}{...}// @lambda-return
+info args
more = 5
+print sum + n + total
$4 = 30
+finish
...
{@top-lambda}{...}// @top-lambda
+next
{@top-print}{...}// @top-print
+print total
$5 = 18
+next
total 18
{@top-return}{...}// @top-return
## The thread that is stepped dies with the program: nothing is said of it.
+step
[Inferior 1 (process {n}) exited normally]
