// A program that is given updates, as `dotnet watch` gives them. Its first
// argument is the directory of its source file, which it edits (see Deltas.cs).
using System;
using System.IO;
using System.Reflection.Metadata;

class Shape
{
    public int first = 1;
//3     public int second = 90;
//3     public string name = "added";

    public string Show() { return "shape " + first; } //until 1
//1     public string Show() { return "edited " + (first + Program.Changed(first)); }
//3     public string More() { return name + second; }
}

class Box<T>
{
    public T value;

    public string Text()
    {
        string text = "box " + value; //until 1
//1         int length = 7;
//1         string text = "new box " + value + length;
        return text; // @text
    }
}

static class Program
{
    static Shape shape = new Shape();
//2     static int total = 5;

    static int Above(int n)
    {
        return n + 1; // @above
    }

//1     // a comment
//1     // and one more
    public static int Changed(int n)
    {
        int x = n * 2; // @old //until 1
//1         string text = "got " + n;
//1         int y = n * 10; // @new
//1         int x = y + text.Length;
//2         x += Added(x);
        return x; // @changed
    }

//2     static int Added(int n)
//2     {
//2         Func<int, int> triple = v => v * 3; // @lambda
//2         total += n;
//2         return triple(n) + total; // @added
//2     }

    static int Below(int n)
    {
        int twice = n * 2;
        return twice; // @below
    }

    // It is on the stack while it is replaced.
    static int Old(int n)
    {
        int kept = n + 40; // @kept
        Update(1); //until 1
//1         string other = "not here";
//1         kept += other.Length;
        return kept; // @old end
    }

    static string directory;

    static void Update(int n)
    {
        string file = Path.Combine(AppContext.BaseDirectory, "HotReload." + n);
        File.Copy(file + ".cs", Path.Combine(directory, "HotReload.cs"), true);
        MetadataUpdater.ApplyUpdate(typeof(Program).Assembly,
            File.ReadAllBytes(file + ".md"), File.ReadAllBytes(file + ".il"),
            File.ReadAllBytes(file + ".pd"));
    }

    static void Round(int n)
    {
        int sum = Above(n) + Changed(n) + Below(n);
        Console.WriteLine(sum + ", " + shape.Show() + ", " +
                          new Box<int> { value = n }.Text() + ", " +
                          new Box<string> { value = "s" }.Text());
    }

    static int Main(string[] args)
    {
        directory = args[0];
        Round(10); // @round 0
        Console.WriteLine(Old(2));
        Round(10); // @round 1
        Update(2);
        Round(10); // @round 2
        Update(3);
        Round(10); // @round 3
        return 0; // @end
    }
}
