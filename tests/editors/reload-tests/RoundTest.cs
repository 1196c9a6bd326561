// A test that goes on while it is edited (edits.json).
using System.Threading.Tasks;
using Xunit;

public class RoundTest
{
    // @members
    static int Twice(int n)
    {
        int twice = n + n;
        Program.Tell(twice, [n, twice]); // @twice
        return twice;
    }

    [Theory]
    [InlineData(3)]
    public async Task Rounds(int by)
    {
        for (int n = 1;; n++)
        {
            await Program.Work(n);
            int much = Twice(n);
            Program.Tell(much + by, [by, much, n]); // @fact
            Assert.Equal(n + n, much);
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }
}
