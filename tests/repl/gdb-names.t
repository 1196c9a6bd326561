#! fixture=Hello exit=0 runtimes=10
## Commands and variables of gdb's that people type without thinking.
+show convenience
$_inferior = 1
+set $start = 0x10
+break @add
...
+run
...
{@add}{...}// @add
+select-frame function Main
+frame
#1  {addr} in Hello.Program.Main {...}
{@call}{...}// @call
+select-frame 0
+print $_inferior
$1 = 1
+info frame 1
Stack level 1, frame at {addr}:
 pc = {addr} in Hello.Program.Main(string[]) (Hello.cs:{@call})
...
+print/f 1078530011
$2 = 3.1415927
+print/f 2.5
$3 = 2.5
+set $text = "abc"
+show convenience
$_inferior = 1
$start = 16
$bpnum = 1
$text = "abc"
+show values
$1 = 1
$2 = 1078530011
$3 = 2.5
+show values 9
+show values 2
$1 = 1
$2 = 1078530011
$3 = 2.5
+thread name first
+thread find ^fir
Thread 1 has name 'first'
+thread find no such thread
No threads match 'no such thread'
+info proc
process {n}
cmdline = '{...}{out}/Hello.dll'
cwd = '{...}'
exe = '{...}/dotnet'
+info proc status
process {n}
...
+info files
From {...}
...
+delete
+continue
...
[Inferior 1 (process {n}) exited normally]
+show convenience
$_inferior = 1
$start = 16
$bpnum = 1
$text = <error: The program is not being run.>
$_exitcode = 0
