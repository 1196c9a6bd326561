// What ClrMD finds in a core: every object with its references, roots,
// handles, finalizable objects, locks, exceptions, texts that several strings
// have, segments, what is alive and how far from a root, paths from roots, and
// what the types of Heap.cs retain, a line each. Arguments: the core, the DAC, roots that it does not know; "time" and an
// object for how long it takes instead.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text;
using Microsoft.Diagnostics.Runtime;

static class Agree
{
    static string Hex(ulong address) => "0x" + address.ToString("x");

    static ulong[] unknown;

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
        foreach (ClrRoot r in heap.EnumerateRoots())
            Console.WriteLine($"root {r.RootKind} {Hex(r.Object.Address)} {r.IsInterior} {r.IsPinned}");
        foreach (ClrObject o in heap.EnumerateObjects().Where(o => o.IsException))
        {
            ClrException e = o.AsException();
            Console.WriteLine($"exception {Hex(o.Address)} {Hex((uint)e.HResult)} {o.Type.Name} {e.StackTrace.Length} "
                + $"{Hex(e.Inner?.Address ?? 0)} {Convert.ToHexString(Encoding.UTF8.GetBytes(e.Message ?? ""))}");
        }
        foreach (var texts in heap.EnumerateObjects().Where(o => o.Type.IsString)
            .GroupBy(o => o.AsString(int.MaxValue)).Where(g => g.Count() > 1))
            Console.WriteLine($"text {texts.Count()} {texts.Key.Length} {Hex(texts.First().Address)}");
        foreach (ClrSegment s in heap.Segments)
            Console.WriteLine($"segment {s.Kind} {Hex(s.ObjectRange.Start)} {Hex(s.ObjectRange.End)} {s.SubHeap.Index}");
        Retain(runtime);
    }

    // What roots lead to, but through objects of a type, and by how many objects
    // at least; 0: only by way of a dependent handle.
    static Dictionary<ulong, int> Reach(ClrRuntime runtime, List<(ulong From, ulong To)> pairs, string without)
    {
        ClrHeap heap = runtime.Heap;
        var depths = new Dictionary<ulong, int>();
        var queue = new Queue<ulong>();
        bool Add(ulong address, int depth)
        {
            if (address == 0 || heap.GetObject(address).Type is not ClrType type || type.Name == without
                || !depths.TryAdd(address, depth))
                return false;
            queue.Enqueue(address);
            return true;
        }
        foreach (ClrRoot r in heap.EnumerateRoots())
            Add(r.Object.Address, 1);
        foreach (ulong address in unknown)
            Add(address, 1);
        do
        {
            while (queue.TryDequeue(out ulong at))
                foreach (ClrObject to in heap.GetObject(at).EnumerateReferences(false, false))
                    Add(to.Address, depths[at] == 0 ? 0 : depths[at] + 1);
        } while (pairs.Count(p => depths.ContainsKey(p.From) && Add(p.To, 0)) > 0);
        return depths;
    }

    static void Retain(ClrRuntime runtime)
    {
        var pairs = runtime.EnumerateHandles().Where(h => h.HandleKind == ClrHandleKind.Dependent)
            .Select(h => (h.Object.Address, h.Dependent.Address)).ToList();
        Dictionary<ulong, int> all = Reach(runtime, pairs, null);
        foreach (var (address, depth) in all)
            Console.WriteLine($"alive {Hex(address)} {depth}");
        foreach (string type in new[] { "Node", "Leaf", "Holder", "Key", "InStatic", "Finalized", "Big" })
        {
            var without = Reach(runtime, pairs, "HeapShape." + type);
            var kept = all.Keys.Where(a => !without.ContainsKey(a)).ToList();
            Console.WriteLine($"retained {type} {kept.Count} {kept.Sum(a => (long)(runtime.Heap.GetObject(a).Size + 7 & ~7UL))}");
        }
        foreach (ClrObject o in runtime.Heap.EnumerateObjects().Where(o => o.Type.Name is "HeapShape.Target"
            or "HeapShape.Attached" or "HeapShape.Holder" or "HeapShape.Leaf[]" or "HeapShape.Dead"))
            foreach (var (_, path) in new GCRoot(runtime.Heap, new[] { o.Address }).EnumerateRootPaths())
            {
                string steps = "";
                for (GCRoot.ChainLink at = path; at != null; at = at.Next)
                    steps += " " + Hex(at.Object);
                Console.WriteLine($"path {Hex(o.Address)}{steps}");
            }
    }

    static void Time(ClrHeap heap, ulong address)
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
        watch.Restart();
        int paths = new GCRoot(heap, new[] { address }).EnumerateRootPaths().Count();
        Console.WriteLine($"roots {watch.ElapsedMilliseconds} ms: {paths} paths");
    }

    static void Main(string[] args)
    {
        using DataTarget target = DataTarget.LoadDump(args[0]);
        using ClrRuntime runtime = target.ClrVersions[0].CreateRuntime(args[1], true);
        if (args.Length > 2 && args[2] == "time")
            Time(runtime.Heap, Convert.ToUInt64(args[3], 16));
        else
        {
            unknown = args.Skip(2).Select(a => Convert.ToUInt64(a, 16)).ToArray();
            Print(runtime);
        }
    }
}
