#! fixture=Many exit=0 time=60
## 1,500 methods at once, none compiled yet: each is stopped at.
+rbreak ^Many\.M\d{4}$
Breakpoint 1 at Many.M0000: ^Many\.M\d{4}$. (1500 locations)
+ignore 1 1499
Will ignore next 1499 crossings of breakpoint 1.
+break @m0700
Breakpoint 2 at {...}: file Many.cs, line {@m0700}.
+run
Starting program: {out}/Many.dll

Breakpoint 2, Many.M0700 (n=700) at Many.cs:{@m0700}
{@m0700}{...}// @m0700
+continue
Continuing.

Breakpoint 1, Many.M1499 (n=1499) at Many.cs:{@m1499}
{@m1499}{...}// @m1499
+delete 1
+continue
Continuing.
sum 1500
ok
[Inferior 1 (process {n}) exited normally]
