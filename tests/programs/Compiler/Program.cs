// The C# compiler as a library: Compiler SOURCE.cs NAME. What the compiler says
// is printed, and what it made is run.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

static class Program
{
    static int Main(string[] args)
    {
        string libraries = (string)AppContext.GetData(
            "TRUSTED_PLATFORM_ASSEMBLIES");
        var references = libraries.Split(':')
            .Where(path => Path.GetFileName(path).StartsWith("System."))
            .Select(path => MetadataReference.CreateFromFile(path)).ToList();
        SyntaxTree tree = CSharpSyntaxTree.ParseText(
            File.ReadAllText(args[0]), path: args[0]);
        var compilation = CSharpCompilation.Create(args[1], new[] { tree },
            references);
        var image = new MemoryStream(); // @emit
        var result = compilation.Emit(image);
        var first = result.Diagnostics[0]; // @result
        string id = first.Id; // @id
        int line = first.Location.GetLineSpan().StartLinePosition.Line + 1;
        string name = compilation.AssemblyName;
        Assembly made = Assembly.Load(image.ToArray());
        object answer = made.EntryPoint.Invoke(null, null);
        See.Value("result.Success", result.Success); // @see
        See.Value("id", id);
        See.Value("line", line);
        See.Value("name", name);
        See.Value("references.Count", references.Count);
        See.Value("answer", answer);
        foreach (var one in result.Diagnostics)
            Console.WriteLine(one);
        return (int)answer;
    }
}
