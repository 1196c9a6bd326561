// A plug-in host: each request loads the plug-in into a context of its own,
// calls it and unloads it. PluginHost PLUGIN.dll; a line of input is a request.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference Serve(string path, string name, int times)
    {
        var context = new AssemblyLoadContext("plug-in " + name, true);
        Assembly assembly = context.LoadFromAssemblyPath(path); // @load
        object greeter = assembly.CreateInstance("Greeter"); // @create
        object text = assembly.GetType("Greeter").GetMethod("Greet")
            .Invoke(greeter, new object[] { name, times });
        Console.WriteLine("served " + text); // @served
        context.Unload();
        return new WeakReference(context);
    }

    static void Main(string[] args)
    {
        int requests = 0;
        Console.WriteLine("ready");
        for (string name; (name = Console.ReadLine()) != null;) {
            requests++;
            WeakReference gone = Serve(args[0], name, requests);
            for (int i = 0; gone.IsAlive && i < 50; i++) {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            bool alive = gone.IsAlive;
            See.Value("alive", alive); // @see-gone
            See.Value("requests", requests);
            Console.WriteLine("request done");
        }
        Console.WriteLine("done");
    }
}
