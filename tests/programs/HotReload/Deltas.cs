// Makes a program and the deltas by which hot reload changes it, as `dotnet
// watch` does: Deltas.dll OUTDIR SOURCE REFDIR. Of the source a line `//N code`
// is there from version N on, and a line that ends in `//until N` before it; one
// that ends in `//times N` is there so often.
// Written are Name.dll and Name.pdb, and for each version Name.N.cs, the text,
// Name.N.md, .il and .pd, the deltas of metadata, IL and PDB.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

static class Deltas
{
    static string Version(string[] lines, int n)
    {
        var text = new StringBuilder();
        foreach (string line in lines)
        {
            string bare = line.TrimStart();
            int until = line.IndexOf(" //until ");
            if (until >= 0 && int.Parse(line[(until + 9)..]) <= n)
                continue;
            if (bare.Length > 2 && bare.StartsWith("//") && char.IsDigit(bare[2]))
            {
                if (bare[2] - '0' > n)
                    continue;
                text.Append(line[..^bare.Length]).Append(bare[4..]).Append('\n');
                continue;
            }
            int times = line.IndexOf(" //times ");
            for (int i = times < 0 ? 1 : int.Parse(line[(times + 9)..]); i > 0; i--)
                text.Append(line).Append('\n');
        }
        return text.ToString();
    }

    static IEnumerable<ISymbol> Members(INamespaceOrTypeSymbol of)
    {
        foreach (ISymbol member in of.GetMembers())
        {
            if (member is INamespaceSymbol space)
                foreach (ISymbol inner in Members(space))
                    yield return inner;
            if (!member.Locations.Any(l => l.IsInSource))
                continue;
            yield return member;
            if (member is INamedTypeSymbol type)
                foreach (ISymbol inner in Members(type))
                    yield return inner;
        }
    }

    static string TextOf(ISymbol symbol)
    {
        var syntax = symbol.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax();
        return syntax == null ? "" : syntax.ToString();
    }

    // What is compiled of it: not its comments.
    static string CodeOf(ISymbol symbol)
    {
        var syntax = symbol.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax();
        return syntax == null ? "" : string.Join(
            " ", syntax.DescendantTokens().Select(token => token.Text));
    }

    static string Key(ISymbol symbol)
    {
        return DocumentationCommentId.CreateDeclarationId(symbol);
    }

    // Nodes of equal kind and text in the old text of the method; null: too many.
    static Func<SyntaxNode, SyntaxNode> Map(ISymbol was, ISymbol now)
    {
        if (TextOf(was).Length > 100000)
            return null;
        var old = was.DeclaringSyntaxReferences[0].GetSyntax();
        var used = new HashSet<SyntaxNode>();
        var map = new Dictionary<SyntaxNode, SyntaxNode>();
        var nodes = old.DescendantNodesAndSelf().ToList();
        foreach (var node in now.DeclaringSyntaxReferences[0].GetSyntax()
                                .DescendantNodesAndSelf())
        {
            var like = nodes.FirstOrDefault(o => !used.Contains(o) &&
                o.RawKind == node.RawKind && o.ToString() == node.ToString());
            like ??= nodes.FirstOrDefault(o => !used.Contains(o) &&
                o.RawKind == node.RawKind &&
                node is LambdaExpressionSyntax or BlockSyntax or
                    AwaitExpressionSyntax);
            if (like != null)
            {
                used.Add(like);
                map[node] = like;
            }
        }
        return node => map.GetValueOrDefault(node);
    }

    static List<SemanticEdit> Edits(Compilation was, Compilation now)
    {
        var edits = new List<SemanticEdit>();
        var old = Members(was.Assembly.GlobalNamespace)
                      .GroupBy(Key).ToDictionary(g => g.Key, g => g.First());
        var inserted = new HashSet<string>();
        var initialized = new HashSet<string>();
        foreach (ISymbol symbol in Members(now.Assembly.GlobalNamespace))
        {
            if (symbol.ContainingType != null &&
                inserted.Contains(Key(symbol.ContainingType)))
            {
                if (symbol is INamedTypeSymbol)
                    inserted.Add(Key(symbol));
                continue;
            }
            if (!old.TryGetValue(Key(symbol), out ISymbol before))
            {
                if (symbol is INamedTypeSymbol)
                    inserted.Add(Key(symbol));
                edits.Add(new SemanticEdit(SemanticEditKind.Insert, null, symbol));
                if (symbol is IFieldSymbol field && TextOf(field).Contains('='))
                {
                    var type = field.ContainingType;
                    foreach (var ctor in field.IsStatic ? type.StaticConstructors
                                                        : type.InstanceConstructors)
                    {
                        var oldType = (INamedTypeSymbol)old[Key(type)];
                        var oldCtor = (field.IsStatic ? oldType.StaticConstructors
                                       : oldType.InstanceConstructors)
                            .FirstOrDefault(c => Key(c) == Key(ctor));
                        if (!initialized.Add(Key(ctor)))
                            continue;
                        edits.Add(oldCtor == null
                            ? new SemanticEdit(SemanticEditKind.Insert, null, ctor)
                            : new SemanticEdit(SemanticEditKind.Update, oldCtor, ctor));
                    }
                }
            }
            else if (symbol is IMethodSymbol method &&
                     CodeOf(symbol) != CodeOf(before))
            {
                edits.Add(new SemanticEdit(SemanticEditKind.Update, before, symbol,
                                           Map(before, symbol)));
            }
        }
        return edits;
    }

    static CSharpCompilation Compile(string path, string text, string refs,
                                     string name)
    {
        var source = SourceText.From(text, new UTF8Encoding(false),
                                     SourceHashAlgorithm.Sha256);
        var tree = CSharpSyntaxTree.ParseText(source, CSharpParseOptions.Default
            .WithLanguageVersion(LanguageVersion.Latest), path);
        return CSharpCompilation.Create(name, new[] { tree },
            Directory.GetFiles(refs, "*.dll")
                .Select(r => MetadataReference.CreateFromFile(r)),
            new CSharpCompilationOptions(OutputKind.ConsoleApplication,
                optimizationLevel: OptimizationLevel.Debug, deterministic: true));
    }

    static void Check(IEnumerable<Diagnostic> list)
    {
        foreach (var d in list.Where(d => d.Severity == DiagnosticSeverity.Error))
        {
            Console.Error.WriteLine(d);
            Environment.Exit(1);
        }
    }

    static int Main(string[] args)
    {
        string dir = args[0], path = args[1], refs = args[2];
        string name = Path.GetFileNameWithoutExtension(path);
        string to = Path.Combine(dir, name);
        string[] lines = File.ReadAllLines(path);
        string document = to + ".cs";
        string text = Version(lines, 0), next;
        var compilation = Compile(document, text, refs, name);
        using var dll = new MemoryStream();
        using var pdb = new MemoryStream();
        var result = compilation.Emit(dll, pdb, options: new EmitOptions(
            debugInformationFormat: DebugInformationFormat.PortablePdb,
            pdbFilePath: to + ".pdb"));
        Check(result.Diagnostics);
        File.WriteAllBytes(to + ".dll", dll.ToArray());
        File.WriteAllBytes(to + ".pdb", pdb.ToArray());
        File.WriteAllText(document, text);
        dll.Position = pdb.Position = 0;
        var symbols = MetadataReaderProvider.FromPortablePdbStream(pdb)
                          .GetMetadataReader();
        var module = ModuleMetadata.CreateFromStream(dll);
        var reader = module.GetMetadataReader();
        var pe = new System.Reflection.PortableExecutable.PEReader(
            new MemoryStream(dll.ToArray()));
        var guids = new[] {
            new Guid("755F52A8-91C5-45BE-B4B8-209571E552BD"),
            new Guid("A643004C-0240-496F-A783-30D64F4979DE"),
            new Guid("8B78CD68-2EDE-420B-980B-E15884B8AAA3") };
        EditAndContinueMethodDebugInformation Info(MethodDefinitionHandle h)
        {
            var blobs = guids.Select(kind =>
            {
                foreach (var c in symbols.GetCustomDebugInformation(h))
                {
                    var info = symbols.GetCustomDebugInformation(c);
                    if (symbols.GetGuid(info.Kind) == kind)
                        return symbols.GetBlobContent(info.Value);
                }
                return default(ImmutableArray<byte>);
            }).ToArray();
            return EditAndContinueMethodDebugInformation.Create(
                blobs[0], blobs[1], blobs[2]);
        }
        StandaloneSignatureHandle Locals(MethodDefinitionHandle h)
        {
            int rva = reader.GetMethodDefinition(h).RelativeVirtualAddress;
            return rva == 0 ? default : pe.GetMethodBody(rva).LocalSignature;
        }
        var baseline = EmitBaseline.CreateInitialBaseline(compilation, module,
            Info, Locals, hasPortableDebugInformation: true);
        for (int n = 1; (next = Version(lines, n)) != text; n++)
        {
            text = next;
            File.WriteAllText($"{to}.{n}.cs", text);
            var edited = Compile(document, text, refs, name);
            Check(edited.GetDiagnostics());
            using var md = new MemoryStream();
            using var il = new MemoryStream();
            using var pd = new MemoryStream();
            var edits = Edits(compilation, edited);
            var difference = edited.EmitDifference(baseline, edits,
                s => edits.Any(e => e.Kind == SemanticEditKind.Insert &&
                               e.NewSymbol.Equals(s, SymbolEqualityComparer.Default)),
                md, il, pd);
            Check(difference.Diagnostics);
            File.WriteAllBytes($"{to}.{n}.md", md.ToArray());
            File.WriteAllBytes($"{to}.{n}.il", il.ToArray());
            File.WriteAllBytes($"{to}.{n}.pd", pd.ToArray());
            baseline = difference.Baseline;
            compilation = edited;
        }
        return 0;
    }
}
