using Xunit;

public class FailTest
{
    [Fact]
    public void Fails()
    {
        int one = 1;
        Assert.Equal(2, one); // @assert
    }

    [Fact]
    public void Passes()
    {
        Assert.True(true); // @passes
    }
}
