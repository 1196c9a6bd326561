'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const project = require('../lib/project');

const PROGRAM = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>' +
	'<OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>' +
	'</PropertyGroup></Project>';
const WEB = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>';
const LIBRARY = '<Project Sdk="Microsoft.NET.Sdk"></Project>';
const TESTS = PROGRAM.replace('</Project>', '<ItemGroup><PackageReference ' +
	'Include="Microsoft.NET.Test.Sdk" /></ItemGroup></Project>');

function tree(t, files) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-project-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	for (const [name, text] of Object.entries(files)) {
		fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
		fs.writeFileSync(path.join(dir, name), text);
	}
	return dir;
}

function launchable(dir) {
	return project.launchable(project.find(dir))
		.map(file => path.relative(dir, file));
}

test('programs, not libraries or tests or what was built', t => {
	const dir = tree(t, {
		'app/App.csproj': PROGRAM,
		'web/Web.csproj': WEB,
		'lib/Lib.csproj': LIBRARY,
		'tests/Tests.csproj': TESTS,
		'app/obj/Copy.csproj': PROGRAM,
		'.git/Odd.csproj': PROGRAM,
		'a/b/c/d/e/TooDeep.csproj': PROGRAM,
	});
	assert.deepStrictEqual(launchable(dir),
		['app/App.csproj', 'web/Web.csproj']);
});

test('tests, when there is nothing else', t => {
	const dir = tree(t, { 'T.csproj': TESTS, 'lib/L.fsproj': LIBRARY });
	assert.deepStrictEqual(launchable(dir), ['T.csproj']);
});

test('tests are run by dotnet, and what runs them is debugged', () => {
	assert.deepStrictEqual(project.testRun('/t/T.csproj', { name: 'n' }), {
		name: 'n', cwd: '/t', program: 'dotnet',
		args: ['test', '--no-build'],
	});
	const made = project.testRun('/t/T.csproj', {
		cwd: '/else', followChildren: 'testhost*',
		args: `--filter 'Name = Adds'`,
	});
	assert.deepStrictEqual(made.args, ['test', '/t/T.csproj', '--no-build',
		'--filter', 'Name = Adds']);
	assert.strictEqual(made.followChildren, 'testhost*');
	assert.strictEqual(made.cwd, '/else');
});

test('what tells a project of tests', () => {
	for (const words of ['<PackageReference Include="xunit.v3" />',
		'<PackageReference Include="MSTest" />',
		'<Project Sdk="MSTest.Sdk/3.8.0">', '<IsTestProject>true'])
		assert.ok(project.isTest(words), words);
	assert.ok(!project.isTest('<PackageReference Include="MSTest.Helpers" />'));
	assert.ok(!project.isTest('<IsTestProject>false'));
});

test('no folder, no project', () => {
	assert.deepStrictEqual(project.find('/nowhere/at/all'), []);
});

test('what cannot be launched is said in words', () => {
	const say = printed => {
		try {
			return project.target('x.csproj', printed);
		} catch (error) {
			return error.message;
		}
	};
	const made = properties => JSON.stringify({ Properties: properties });
	assert.match(say('MSB1009: no such file'), /MSB1009/);
	assert.match(say(made({ TargetFrameworks: 'net8.0;net9.0' })),
		/several frameworks \(net8.0;net9.0\)/);
	assert.match(say(made({ TargetFramework: 'net8.0', TargetPath: '' })),
		/nothing/);
	assert.strictEqual(say(made({
		TargetFramework: 'net8.0', TargetFrameworks: 'net8.0',
		TargetPath: '/x.dll',
	})), '/x.dll');
});

test('the SDK says where a real project builds to, and builds it there', t => {
	const dir = tree(t, {
		'App.csproj': PROGRAM,
		'Program.cs': 'System.Console.WriteLine("hello");',
	});
	const file = path.join(dir, 'App.csproj');
	const env = { ...process.env, DOTNET_CLI_USE_MSBUILD_SERVER: '0',
		DOTNET_CLI_TELEMETRY_OPTOUT: '1', MSBUILDDISABLENODEREUSE: '1',
		DOTNET_NOLOGO: '1' };
	const dotnet = (args, more) => execFileSync('dotnet', args,
		{ cwd: dir, encoding: 'utf8', env: { ...env, ...more } });
	const build = project.build(file);
	const args = [...build.args, '-p:UseSharedCompilation=false'];
	dotnet(args, build.env);
	const dll = project.target(file, dotnet(project.query(file)));
	assert.strictEqual(dll, path.join(dir, 'bin/Debug/net10.0/App.dll'));
	assert.strictEqual(dotnet(['exec', dll]), 'hello\n');

	// An error is printed once, in the words that $msCompile reads.
	fs.writeFileSync(path.join(dir, 'Program.cs'), 'int n = "x";\n');
	assert.throws(() => dotnet(args, build.env), ({ stdout }) => {
		const said = stdout.split('\n').filter(line => /CS0029/.test(line));
		assert.strictEqual(said.length, 1, stdout);
		assert.ok(said[0].startsWith(
			`${path.join(dir, 'Program.cs')}(1,9): error CS0029: `), said[0]);
		return true;
	});
});

test('a path of launch.json, before VS Code puts in variables', () => {
	const at = (name, folder = '/w/app') => project.resolve(name, folder);
	assert.strictEqual(at('${workspaceFolder}/a.csproj'), '/w/app/a.csproj');
	assert.strictEqual(at('src/a.csproj'), '/w/app/src/a.csproj');
	assert.strictEqual(at('/b.csproj'), '/b.csproj');
	assert.strictEqual(at('${unknown}/a'), '/w/app/${unknown}/a');
	process.env.DNDBG_PROJECT = 'named';
	assert.strictEqual(at('${env:DNDBG_PROJECT}/a'), '/w/app/named/a');
	delete process.env.DNDBG_PROJECT;
});

test('the project of a source file is the nearest above it', t => {
	const dir = tree(t, { 'A.csproj': PROGRAM, 'sub/B.csproj': PROGRAM,
		'sub/deep/x.cs': '', 'y.cs': '' });
	const of = file => project.owner(path.join(dir, file), dir);
	assert.strictEqual(of('sub/deep/x.cs'), path.join(dir, 'sub/B.csproj'));
	assert.strictEqual(of('y.cs'), path.join(dir, 'A.csproj'));
	assert.strictEqual(
		project.owner(path.join(dir, 'sub/deep/x.cs'), path.join(dir, 'sub/deep')),
		undefined);
});
