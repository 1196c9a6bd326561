'use strict';
const assert = require('node:assert');
const test = require('node:test');
const tests = require('../lib/tests');

function names(text) {
	return tests.find(text).tests.map(found => found.name);
}

test('xunit, NUnit and MSTest, each way to mark a test', () => {
	assert.deepStrictEqual(names(`class C {
		[Fact] public void A() {}
		[Theory, InlineData(1)] public void B(int i) {}
		[Xunit.FactAttribute(Skip = "no")] void C1() {}
		[Test] public void D() {}
		[TestCase(1)] [TestCase(2)] public void E(int i) {}
		[TestCaseSource(nameof(All))] public void F(int i) {}
		[TestMethod] public void G() {}
		[DataTestMethod, DataRow(")")] public async Task H(string s) => await X();
		[SkippableFact]
		[Trait("a", "b")]
		internal static async ValueTask<List<int>> I() { return null; }
		[Fact] public (int, int) J<T>() => default;
	}`), ['C.A', 'C.B', 'C.C1', 'C.D', 'C.E', 'C.F', 'C.G', 'C.H', 'C.I', 'C.J']);
});

test('what is not a test', () => {
	assert.deepStrictEqual(names(`class C {
		// [Fact] void A() {}
		/* [Fact] void B() {} */
		string s = "[Fact] void C() {}", v = @"\\"; char c = '{', d = '\\'';
		string r = """ [Fact] void D() { } "quoted" """;
		[Obsolete] void E() {}
		[Fact] int field; void F() {}
		void G() { [Fact] void Local() {} }
		[TestInitialize] void H() {} [OneTimeSetUp] void I() {}
		[Factory] void J() {}
	}
	class Fact { Fact() {} }`), []);
});

test('names as the runners have them: namespaces and types around', () => {
	assert.deepStrictEqual(names(`namespace A.B;
		public class Outer<T> : Base where T : class
		{
			public record Inner(int X) { [Fact] void One() {} }
			int P { get; set; } = F(() => { return 1; });
			#region odd } brace
			[Fact] void Two() { if (s == $"{{{x}") { } }
			#endregion
		}
		static class Last { [Test] static void @try() {} }`),
	['A.B.Outer+Inner.One', 'A.B.Outer.Two', 'A.B.Last.try']);
	assert.deepStrictEqual(names(
		'namespace A { namespace B { class C { [Fact] void D() {} } } ' +
		'class E { [Fact] void Ünder_1() {} } }'),
	['A.B.C.D', 'A.E.Ünder_1']);
});

test('lenses: one above each class with tests and each test', () => {
	const text = 'using X;\npublic class C\n{\n  [Fact]\n  [Trait]\n  void A() {}\n}\n';
	const { classes, tests: found } = tests.find(text);
	assert.deepStrictEqual(classes, [{ at: text.indexOf('class'), name: 'C',
		filter: 'FullyQualifiedName~C.' }]);
	assert.strictEqual(found[0].at, text.indexOf('[Fact]'));
});

test('broken text ends', () => {
	for (const text of ['class', '[', 'class C { [Fact', 'class C { [Fact] void A(',
		'}}}} class C { [Fact] void A() {} }', '"', "'", '/*', '"""',
		'[[[[(((('.repeat(2000)])
		assert.ok(Array.isArray(names(text)), text);
});
