#! fixture=BlocksTop exit=0
## A display belongs to the block of its innermost variable.
+break @blocks-in
...
+break @blocks-second
...
+break @blocks-between
...
+run
...
{@blocks-in}	{...}// @blocks-in
+display same
1: same = "one"
+display first + 1
2: first + 1 = 2
+continue
...
{@blocks-second}	{...}// @blocks-second
2: first + 1 = 2
+info display
Auto-display expressions now in effect:
Num Enb Expression
1:   y  same
(cannot be evaluated in the current context)
2:   y  first + 1
+display same
3: same = 2.5
+display
2: first + 1 = 2
3: same = 2.5
+continue
...
{@blocks-between}	{...}// @blocks-between
2: first + 1 = 2
+delete
+continue
...
[Inferior 1 (process {n}) exited normally]
