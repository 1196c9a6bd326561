'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const test = require('node:test');
const adapter = require('../lib/adapter');

test('here: the setting, or what PATH has', () => {
	assert.deepStrictEqual(adapter.describe({}, {}), {
		command: 'dndbg', args: ['--interpreter=vscode'], options: {},
	});
	const made = adapter.describe({}, { path: '/x/dndbg', args: ['--log=f'] });
	assert.strictEqual(made.command, '/x/dndbg');
	assert.deepStrictEqual(made.args, ['--interpreter=vscode', '--log=f']);
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
