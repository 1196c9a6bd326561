#! fixture=Frames args=generic config=Debug,Release
## Code that instances over reference types share: each frame knows which one
## it runs, by its hidden argument or the class of `this`.
+break @generic-bottom
...
+run
...
Breakpoint 1, Frames.Calls.Bottom<string> (n=1) at Frames.cs:{@generic-bottom}
...
+bt
#0  Frames.Calls.Bottom<string> (n=1) at Frames.cs:{@generic-bottom}
#1  {addr} in Frames.Calls.Make<string> (value="s", more=Count = 1) at Frames.cs:{@generic-method}
#2  {addr} in Frames.Shared<string>.Static (value="s") at Frames.cs:{@generic-static}
#3  {addr} in Frames.Holder<string>.Instance (this={Frames.Holder<string>}, value="s") at Frames.cs:{@generic-instance}
#4  {addr} in Frames.Program.Main (args={string[1]}) at Frames.cs:{@main-generic}
+kill
...
## The same where all is optimised: there the newest frame may not have its
## argument any more.
+set env DOTNET_TieredCompilation=0
+run
...
+up
#1  {addr} in Frames.Calls.Make<string> {...}
...
+up
#2  {addr} in Frames.Shared<string>.Static {...}
...
+up
#3  {addr} in Frames.Holder<string>.Instance {...}
...
+delete
+continue
Continuing.
12
ok
...
