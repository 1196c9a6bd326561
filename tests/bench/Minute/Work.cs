// Many small tests that do what programs do: a minute of them, for the cost of
// `dndbg run` around `dotnet test`.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Channels;

public static class Many
{
    public static IEnumerable<object[]> Of(int n)
    {
        return Enumerable.Range(0, n).Select(i => new object[] { i });
    }
}

public class Computes
{
    public static IEnumerable<object[]> N() => Many.Of(400);

    [Theory, MemberData(nameof(N))]
    public void Sorts(int seed)
    {
        var random = new Random(seed);
        for (int i = 0; i < 6; i++)
        {
            int[] a = Enumerable.Range(0, 40000)
                          .Select(_ => random.Next()).ToArray();
            int[] b = a.OrderBy(x => x).ToArray();
            Array.Sort(a);
            Assert.Equal(a, b);
        }
    }

    [Theory, MemberData(nameof(N))]
    public void Hashes(int seed)
    {
        byte[] data = Encoding.UTF8.GetBytes(new string('x', 5000 + seed));
        for (int i = 0; i < 2500; i++)
            data[i] = SHA256.HashData(data)[0];
        Assert.NotEmpty(data);
    }

    [Theory, MemberData(nameof(N))]
    public void Matches(int seed)
    {
        string text = string.Join(
            " ", Enumerable.Range(seed, 20000)
                     .Select(n => $"w{n}@example{n % 7}.org"));
        Assert.Equal(20000, Regex.Count(text, @"w\d+@example\d\.org"));
    }
}

public class Allocates
{
    public static IEnumerable<object[]> N() => Many.Of(400);

    public record Order(int Id, string Name, List<string> Lines,
                        Dictionary<string, double> Prices);

    static Order Make(int n)
    {
        return new Order(
            n, "order " + n,
            Enumerable.Range(0, 8).Select(i => "line " + i).ToList(),
            Enumerable.Range(0, 5).ToDictionary(i => "p" + i, i => i * 1.5));
    }

    [Theory, MemberData(nameof(N))]
    public void Serializes(int seed)
    {
        for (int i = 0; i < 12; i++)
        {
            var orders = Enumerable.Range(seed, 500).Select(Make).ToList();
            string text = JsonSerializer.Serialize(orders);
            Assert.Equal(500,
                         JsonSerializer.Deserialize<List<Order>>(text).Count);
        }
    }

    [Theory, MemberData(nameof(N))]
    public void Drops(int seed)
    {
        var kept = new List<byte[]>();
        for (int i = 0; i < 60000; i++)
        {
            var bytes = new byte[100 + i % 900];
            if (i % 50 == seed % 50)
                kept.Add(bytes);
        }
        GC.Collect(0);
        Assert.NotEmpty(kept);
    }
}

public class Threads
{
    public static IEnumerable<object[]> N() => Many.Of(350);

    [Theory, MemberData(nameof(N))]
    public void Start(int seed)
    {
        int sum = seed;
        for (int i = 0; i < 5; i++)
        {
            var all = Enumerable.Range(0, 10).Select(_ => new Thread(() => {
                for (int k = 0; k < 20000; k++)
                    Interlocked.Add(ref sum, k & 1);
            })).ToList();
            all.ForEach(thread => thread.Start());
            all.ForEach(thread => thread.Join());
        }
        Assert.Equal(seed + 50 * 10000, sum);
    }

    [Theory, MemberData(nameof(N))]
    public void Contend(int seed)
    {
        var counts = new ConcurrentDictionary<int, int>();
        Parallel.For(seed, seed + 60000,
                     i => counts.AddOrUpdate(i % 1000, 1, (_, n) => n + 1));
        Assert.Equal(60000, counts.Values.Sum());
    }

    [Theory, MemberData(nameof(N))]
    public void Throw(int seed)
    {
        for (int i = 0; i < 100; i++)
            Assert.Throws<InvalidOperationException>((Action)(
                () => throw new InvalidOperationException("no " + seed)));
    }

    [Theory, MemberData(nameof(N))]
    public void Dereference(int seed)
    {
        string text = seed < 0 ? "" : null;
        for (int i = 0; i < 50; i++)
            Assert.Throws<NullReferenceException>(() => text.Length.ToString());
    }
}

public class Awaits
{
    public static IEnumerable<object[]> N() => Many.Of(350);

    [Theory, MemberData(nameof(N))]
    public async Task Channels(int seed)
    {
        var channel = Channel.CreateBounded<int>(50);
        Task writer = Task.Run(async () => {
            for (int i = 0; i < 20000; i++)
                await channel.Writer.WriteAsync(i);
            channel.Writer.Complete();
        });
        long sum = seed;
        await foreach (int i in channel.Reader.ReadAllAsync())
            sum += i;
        await writer;
        Assert.Equal(seed + 20000L * 19999 / 2, sum);
    }

    [Theory, MemberData(nameof(N))]
    public async Task Files(int seed)
    {
        string path = Path.GetTempFileName();
        for (int i = 0; i < 30; i++)
        {
            await File.WriteAllTextAsync(path, new string('a', 10000 + seed));
            Assert.Equal(10000 + seed,
                         (await File.ReadAllTextAsync(path)).Length);
        }
        File.Delete(path);
    }

    [Theory, MemberData(nameof(N))]
    public async Task Yields(int seed)
    {
        var all = Enumerable.Range(0, 50).Select(async n => {
            for (int i = 0; i < 200; i++)
                await Task.Yield();
            return n + seed;
        });
        Assert.Equal(1225 + 50 * seed, (await Task.WhenAll(all)).Sum());
    }
}

public class Children
{
    public static IEnumerable<object[]> N() => Many.Of(60);

    static string Output(string program, string words, int code)
    {
        var start = new ProcessStartInfo(program, words) {
            RedirectStandardOutput = true
        };
        using Process process = Process.Start(start);
        string text = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(code, process.ExitCode);
        return text;
    }

    [Theory, MemberData(nameof(N))]
    public void Shell(int seed)
    {
        Assert.Equal($"{seed}\n",
                     Output("/bin/sh", $"-c \"echo {seed}; exit 3\"", 3));
    }

    [Theory, MemberData(nameof(N))]
    public void Dotnet(int seed)
    {
        if (seed % 5 == 0)
            Assert.Contains("NETCore", Output("dotnet", "--list-runtimes", 0));
    }
}
