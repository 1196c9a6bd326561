'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const runner = require('../lib/runner');
const trx = require('../lib/trx');

const SDK = '<PackageReference Include="Microsoft.NET.Test.Sdk" />';

function projectOf(t, text, more = {}) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-runner-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	for (const [name, content] of Object.entries({ ...more, 'T.csproj': text }))
		fs.writeFileSync(path.join(dir, name), content);
	return path.join(dir, 'T.csproj');
}

test('who runs the tests of a project', t => {
	const chosen = { 'global.json': '{ "test": ' +
		'{ "runner": "Microsoft.Testing.Platform" } }' };
	for (const [wanted, text, more] of [
		['vstest', SDK], ['filter', SDK, chosen],
		['filter', '<Project Sdk="MSTest.Sdk/3.8.0">'],
		['filter', `${SDK}<EnableNUnitRunner>true</EnableNUnitRunner>`],
		['xunit', '<PackageReference Include="xunit.v3" />'],
		['vstest', `${SDK}<PackageReference Include="xunit.v3" />`],
		['xunit-platform', '<PackageReference Include="xunit.v3" />' +
			'<UseMicrosoftTestingPlatformRunner>true<'],
		['tunit', '<PackageReference Include="TUnit" />']])
		assert.strictEqual(runner.kind(projectOf(t, text, more)), wanted, text);
});

test('the options of each', t => {
	const what = { names: ['N.C.M'], classes: [] };
	const args = (text, of = what) =>
		runner.run(projectOf(t, text), of, '/d', '/b/T.dll').args.join(' ');
	assert.match(args(SDK), /^test --no-build --filter FullyQualifiedName=N\.C\.M --logger trx;LogFileName=results\.trx --results-directory \/d$/);
	assert.ok(!args(SDK, { names: [], classes: [] }).includes('--filter'));
	assert.match(args('<EnableMSTestRunner>true<'),
		/^\/b\/T\.dll --filter FullyQualifiedName=N\.C\.M --report-trx/);
	assert.match(args('Include="xunit.v3"'),
		/^\/b\/T\.dll -method N\.C\.M -trx \/d\/results\.trx$/);
	assert.match(args('Include="TUnit"'), /--treenode-filter \/\*\/N\/C\/M /);
	assert.match(args('Include="TUnit"', { names: [], classes: ['N.C'] }),
		/--treenode-filter \/\*\/N\/C\/\* /);
});

test('broken results are none, and what an assertion tells', () => {
	for (const text of ['', '<', '<UnitTestResult', '<UnitTestResult>',
		'&#x110000000;', '<UnitTestResult a="'.repeat(1000)])
		assert.ok(Array.isArray(trx.parse(text)), text);
	assert.deepStrictEqual(trx.difference('  Expected: 2\n  But was:  1\n'),
		{ expected: '2', actual: '1' });
	assert.strictEqual(trx.difference('no'), undefined);
	assert.deepStrictEqual(trx.places(' at A() in /x y/a.cs:line 12\n at B()'),
		[{ file: '/x y/a.cs', line: 12 }]);
});
