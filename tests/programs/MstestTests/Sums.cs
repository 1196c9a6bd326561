// Tests of MSTest: one that passes, with data, and one that fails.
using System;
using Microsoft.VisualStudio.TestTools.UnitTesting;

public class Thing
{
    public string Name;
    public long Id;
}

[TestClass]
public class Sums
{
    Thing last;

    [TestInitialize]
    public void SetUp()
    {
        See.Print = Console.WriteLine;
        last = new Thing { Name = "of a test", Id = 1L << 40 };
    }

    [TestMethod]
    [DataRow(42)]
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
        Assert.AreEqual(438, sum);
    }

    [TestMethod]
    public void Fails()
    {
        Assert.AreEqual("of a test", last.Name.ToUpper());
    }
}
