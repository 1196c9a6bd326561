'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const adapter = require('../lib/adapter');

test('here: what the setting names', () => {
	assert.deepStrictEqual(
		adapter.describe({}, { path: '/bin/sh', args: ['--log=f'] }), {
			command: '/bin/sh', args: ['--interpreter=vscode', '--log=f'],
			options: {},
		});
});

test('a debugger that is not there is a sentence, not silence', t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-path-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	const file = path.join(dir, 'dndbg');
	const missing = /'dndbg' is not found.*dndbg\.path/;
	assert.throws(() => adapter.locate('dndbg', dir), missing);
	fs.mkdirSync(path.join(dir, 'a folder', 'dndbg'), { recursive: true });
	const search = `/nowhere:${dir}/a folder:${dir}`;
	fs.writeFileSync(file, '', { mode: 0o644 });
	assert.throws(() => adapter.locate('dndbg', search), missing);
	fs.chmodSync(file, 0o755);
	assert.strictEqual(adapter.locate('dndbg', search), file);
	assert.strictEqual(adapter.locate(file, ''), file);
	assert.throws(() => adapter.locate('~/no such file'), /'~\/no such file'/);
});

test('over a pipe: the command line comes last, as one word', () => {
	const made = adapter.describe({
		pipeTransport: {
			pipeProgram: 'ssh', pipeArgs: ['-T', 'host'],
			debuggerPath: '/opt/my tools/dndbg', pipeCwd: '/w',
		},
	}, { path: 'not this' });
	assert.strictEqual(made.command, 'ssh');
	assert.deepStrictEqual(made.args, ['-T', 'host',
		`'/opt/my tools/dndbg' --interpreter=vscode`]);
	assert.strictEqual(made.options.cwd, '/w');
});

test('over a pipe: or where its place is marked', () => {
	const made = adapter.describe({
		pipeTransport: {
			pipeProgram: 'docker', debuggerPath: 'dndbg',
			pipeArgs: 'exec -i "my box" sh -c ${debuggerCommand}',
		},
	}, {});
	assert.deepStrictEqual(made.args,
		['exec', '-i', 'my box', 'sh', '-c', 'dndbg --interpreter=vscode']);
});

test('over a pipe without a shell: the words as they are', () => {
	const mark = '${debuggerCommand}';
	const exec = ['exec', '-i', 'web'];
	const line = ['dndbg', '--interpreter=vscode'];
	for (const [pipeArgs, wanted] of [
		[exec, [...exec, ...line]],
		[['exec -i web'], [...exec, ...line]],
		['exec -i web', [...exec, ...line]],
		[[...exec, mark], [...exec, ...line]],
		[[...exec, '--', mark], [...exec, '--', ...line]],
		[`exec -i web sh -c "${mark}"`, [...exec, 'sh', '-c', line.join(' ')]],
	])
		assert.deepStrictEqual(adapter.describe({ pipeTransport: {
			pipeProgram: 'docker', debuggerPath: 'dndbg', quoteArgs: false,
			pipeArgs } }, {}).args, wanted);
	// what is to be run there keeps its words
	assert.deepStrictEqual(adapter.piped({ pipeProgram: 'docker', pipeArgs: exec,
		debuggerPath: 'sh', quoteArgs: false }, ['-c', `it's  "so"`]).args,
	[...exec, 'sh', '-c', `it's  "so"`]);
});

test('over a pipe: a home at the other end is that one\'s', () => {
	const made = adapter.piped({ pipeProgram: 'ssh', pipeArgs: ['host'],
		debuggerPath: '~/my tools/dndbg' }, ['ps']);
	assert.deepStrictEqual(made.args, ['host', `~/'my tools/dndbg' ps`]);
});

test('a pipe that lacks a word is refused in words', () => {
	assert.throws(() => adapter.describe(
		{ pipeTransport: { pipeProgram: 'ssh' } }, {}), /debuggerPath/);
});

test('quoted words are what a shell makes of them again', () => {
	const words = ['plain', 'two words', `it's`, '$HOME', '"x"', '', 'a\nb'];
	const line = words.map(adapter.quote).join(' ');
	const seen = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], {
		encoding: 'utf8',
	}).split('\0').slice(0, -1);
	assert.deepStrictEqual(seen, words);
});
