// What ClrMD finds in a core: every object with its references, roots,
// handles, finalizable objects and locks, a line each. Arguments: the core, the
// DAC; "time" measures instead.
using System;
using System.Diagnostics;
using System.Linq;
using Microsoft.Diagnostics.Runtime;

static class Agree
{
    static string Hex(ulong address) => "0x" + address.ToString("x");

    static void Print(ClrRuntime runtime)
    {
        ClrHeap heap = runtime.Heap;
        foreach (ClrObject o in heap.EnumerateObjects())
            Console.WriteLine($"object {Hex(o.Address)} {Hex(o.Type.MethodTable)} {o.Size} {o.IsFree} "
                + string.Join(" ", o.EnumerateReferences(false, false).Select(r => Hex(r.Address))));
        foreach (ClrHandle h in runtime.EnumerateHandles())
            Console.WriteLine($"handle {Hex(h.Address)} {h.HandleKind} {Hex(h.Object.Address)} {Hex(h.Dependent.Address)} {h.IsStrong}");
        foreach (ClrObject o in heap.EnumerateFinalizableObjects())
            Console.WriteLine($"final {Hex(o.Address)}");
        foreach (SyncBlock s in heap.EnumerateSyncBlocks())
            Console.WriteLine($"lock {s.Index} {Hex(s.Object)} {s.IsMonitorHeld} {s.RecursionCount} {s.WaitingThreadCount}");
        foreach (ClrRoot r in heap.EnumerateRoots().Where(r => r.RootKind == ClrRootKind.Stack))
            Console.WriteLine($"stack {Hex(r.Object.Address)} {r.IsInterior} {r.IsPinned}");
    }

    static void Time(ClrHeap heap)
    {
        var watch = Stopwatch.StartNew();
        long objects = 0, bytes = 0, references = 0;
        foreach (ClrObject o in heap.EnumerateObjects())
        {
            objects++;
            bytes += (long)o.Size;
        }
        Console.WriteLine($"statistics {watch.ElapsedMilliseconds} ms: {objects} objects, {bytes} bytes");
        watch.Restart();
        foreach (ClrObject o in heap.EnumerateObjects())
            references += o.EnumerateReferenceAddresses().Count();
        Console.WriteLine($"references {watch.ElapsedMilliseconds} ms: {references}");
    }

    static void Main(string[] args)
    {
        using DataTarget target = DataTarget.LoadDump(args[0]);
        using ClrRuntime runtime = target.ClrVersions[0].CreateRuntime(args[1], true);
        if (args.Length > 2)
            Time(runtime.Heap);
        else
            Print(runtime);
    }
}
