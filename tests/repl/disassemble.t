#! fixture=Steps args=dispatch
## Machine code with IL offsets, each once, and source lines. "new" is one IL
## instruction that makes two calls.
+tbreak @dispatch
Temporary breakpoint 1 at {...}: file Steps.cs, line {@dispatch}.
+run
Starting program: {out}/Steps.dll dispatch

Temporary breakpoint 1, Steps.Program.Dispatch () at Steps.cs:{@dispatch}
{@dispatch}{...}// @dispatch
+disassemble
Dump of assembler code for function Steps.Program.Dispatch():
   {addr} <+0>:	push rbp
...
{@dispatch}{...}// @dispatch
=> {addr} <+{n}> IL_0001:	mov rdi, {addr}
   {addr} <+{n}>:	call {addr} <CORINFO_HELP_NEWSFAST>
   {addr} <+{n}>:	mov {...}, rax
   {addr} <+{n}>:	mov {...}
   {addr} <+{n}>:	call {...} <Steps.Spider.Spider()>
   {addr} <+{n}> IL_0006:	mov {...}
...
   {addr} <+{n}>:	ret
End of assembler dump.
+disassemble /il
Dump of IL code for method Steps.Program.Dispatch():
...
{@dispatch}{...}// @dispatch
=> IL_0001:	newobj void Steps.Spider..ctor()
   IL_0006:	stloc.0
...
End of IL dump.
