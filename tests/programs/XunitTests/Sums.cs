// Tests of xunit: one that passes, with data, and one that fails.
using Xunit;
using Xunit.Abstractions;

public class Thing
{
    public string Name;
    public long Id;
}

public class Sums
{
    Thing last = new Thing { Name = "of a test", Id = 1L << 40 };

    public Sums(ITestOutputHelper output)
    {
        See.Print = output.WriteLine;
    }

    [Theory]
    [InlineData(42)]
    public void Adds(int start)
    {
        string word = "abc" + start;
        int sum = start; // @loop
        for (int i = 0; i < word.Length; i++)
            sum += word[i];
        See.Value("start", start); // @see
        See.Value("word", word);
        See.Value("word.Length", word.Length);
        See.Value("sum", sum);
        See.Value("last.Name", last.Name);
        See.Value("last.Id", last.Id);
        Assert.Equal(438, sum);
    }

    [Fact]
    public void Fails()
    {
        Assert.Equal("of a test", last.Name.ToUpper());
    }
}
