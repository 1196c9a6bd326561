// The names that Sums.cs has for what is MSTest's.
global using Case = Microsoft.VisualStudio.TestTools.UnitTesting.DataRowAttribute;
global using Cases = Microsoft.VisualStudio.TestTools.UnitTesting.TestMethodAttribute;
global using Test = Microsoft.VisualStudio.TestTools.UnitTesting.TestMethodAttribute;
using System;
using Microsoft.VisualStudio.TestTools.UnitTesting;

[TestClass]
public partial class Sums
{
    [TestInitialize]
    public void SetUp()
    {
        See.Print = Console.WriteLine;
    }
}
