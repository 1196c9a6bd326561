#! fixture=HitLoop args=5 exit=0
## Convenience variables and registers in all expressions; elements by @.
+set $early = 0x2a
+print $early
$early = 42
+tbreak @main
...
+print $bpnum
$bpnum = 1
+run
...
{@main}	{...}
+print $early + $bpnum
$1 = 43
+print/x $early
$2 = 0x2a
+set $x = 3
+print $x
$3 = 3
+print $x = $x * 2
$4 = 6
+set $x += 1
+print $x
$5 = 7
+print $text = args[0] + "!"
$6 = "5!"
+print $_thread
$7 = 1
+print $pc == $rip && $sp == $rsp && $fp == $rbp
$8 = true
+print $rip
$9 = 0x{...}
+x/1xg $sp
{addr}:	{addr}
+print (ulong)$_ == (ulong)$sp
$10 = true
+print $__ == *(long*)$sp
$11 = true
+print args[0]@1
{"5"}
+print args[0][0]@1
{'5'}
+print *$sp@2 
{{n}, {n}}
+print/x *$sp@$x - 5
{0x{...}, 0x{...}}
+set $keep = args
+print $keep
$12 = {"5"}
+tbreak @call if i == $x - 5 && $rip > 0x1000 && $_thread == 1
Temporary breakpoint 2 at {...}
+continue
Continuing.

Temporary breakpoint 2, HitLoop.Program.Main {...}
{@call}	{...}
+print i
$13 = 2
+print $x
$14 = 7
+print $text
$15 = "5!"
+continue
Continuing.
sum 10
ok
[Inferior 1 (process {n}) exited normally]
+print $_exitcode
$_exitcode = 0
+print $x
$x = 7
+print i
{...}Error in sourced command file: The program is not being run.
