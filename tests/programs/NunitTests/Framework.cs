// The names that Sums.cs has for what is NUnit's.
global using Case = NUnit.Framework.TestCaseAttribute;
global using Cases = NUnit.Framework.TestAttribute;
global using Test = NUnit.Framework.TestAttribute;
using NUnit.Framework;

public partial class Sums
{
    [SetUp]
    public void SetUp()
    {
        See.Print = TestContext.Out.WriteLine;
    }
}
