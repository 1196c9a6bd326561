using Xunit;

public class SumTest
{
    [Fact]
    public void Adds()
    {
        int found = 20 + 22;
        Assert.Equal(42, found); // @found
    }
}
