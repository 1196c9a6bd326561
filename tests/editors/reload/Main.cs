using System.Threading.Tasks;

static class Start
{
    static async Task Main()
    {
        for (int n = 1;; n++)
        {
            await Program.Work(n);
            await Task.Delay(50);
        }
    }
}
