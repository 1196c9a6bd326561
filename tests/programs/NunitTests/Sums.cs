// Tests of NUnit: one that passes, with data, and one that fails.
using NUnit.Framework;

public class Thing
{
    public string Name;
    public long Id;
}

public class Sums
{
    Thing last;

    [SetUp]
    public void SetUp()
    {
        See.Print = TestContext.Out.WriteLine;
        last = new Thing { Name = "of a test", Id = 1L << 40 };
    }

    [TestCase(42)]
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
        Assert.That(sum, Is.EqualTo(438));
    }

    [Test]
    public void Fails()
    {
        Assert.That(last.Name.ToUpper(), Is.EqualTo("of a test"));
    }
}
