// The names that Sums.cs has for what is xunit's, third version.
global using Case = Xunit.InlineDataAttribute;
global using Cases = Xunit.TheoryAttribute;
global using Test = Xunit.FactAttribute;
using Xunit;

public partial class Sums
{
    public Sums(ITestOutputHelper output)
    {
        See.Print = output.WriteLine;
    }
}
