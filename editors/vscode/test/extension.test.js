'use strict';
// The extension itself, with a stand-in for the parts of VS Code it calls.
const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const manifest = require('../package.json');

class Executable {
	constructor(command, args, options) {
		Object.assign(this, { command, args, options });
	}
}

function standIn() {
	const seen = { commands: {}, providers: [], shown: [] };
	seen.vscode = {
		DebugAdapterExecutable: Executable,
		DebugConfigurationProviderTriggerKind: { Initial: 1, Dynamic: 2 },
		ProgressLocation: { Notification: 15 },
		commands: {
			registerCommand: (name, run) => { seen.commands[name] = run; },
		},
		debug: {
			registerDebugConfigurationProvider: (type, provider) => {
				seen.type = type;
				seen.providers.push(provider);
			},
			registerDebugAdapterDescriptorFactory: (type, factory) => {
				seen.factory = factory;
			},
		},
		window: {
			createOutputChannel: () => ({ appendLine() {}, show() {} }),
			showInformationMessage: text => { seen.shown.push(text); },
			showQuickPick: async items => seen.pick(items),
			withProgress: (options, run) => run(),
		},
		workspace: {
			getConfiguration: () => ({ get: name => seen.settings[name] }),
		},
	};
	return seen;
}

function activated() {
	const seen = standIn();
	const load = Module._load;
	Module._load = (name, ...rest) =>
		name === 'vscode' ? seen.vscode : load(name, ...rest);
	try {
		delete require.cache[require.resolve('../extension')];
		require('../extension').activate({ subscriptions: [] });
	} finally {
		Module._load = load;
	}
	return seen;
}

test('what the manifest promises is registered', () => {
	const seen = activated();
	const [contributed] = manifest.contributes.debuggers;
	assert.strictEqual(seen.type, contributed.type);
	for (const { command } of manifest.contributes.commands)
		assert.ok(seen.commands[command], command);
	for (const command of Object.values(contributed.variables))
		assert.ok(seen.commands[command], command);
	for (const snippet of contributed.configurationSnippets) {
		const known = contributed.configurationAttributes[snippet.body.request];
		for (const name of Object.keys(snippet.body))
			assert.ok(name in known.properties ||
				['type', 'request', 'name'].includes(name), name);
	}
});

test('the adapter that the settings name', () => {
	const seen = activated();
	seen.settings = { path: '/bin/sh', args: [] };
	const made = seen.factory.createDebugAdapterDescriptor(
		{ configuration: {} });
	assert.strictEqual(made.command, '/bin/sh');
	assert.deepStrictEqual(made.args, ['--interpreter=vscode']);
});

test('F5 without launch.json; attach without a process', () => {
	const [provider] = activated().providers;
	assert.strictEqual(provider.resolveDebugConfiguration(undefined, {})
		.request, 'launch');
	const attach = { type: 'dndbg', request: 'attach', name: 'a' };
	assert.strictEqual(provider.resolveDebugConfiguration(undefined, attach)
		.processId, '${command:pickProcess}');
	const named = { ...attach, processName: 'app' };
	assert.strictEqual(
		provider.resolveDebugConfiguration(undefined, named), named);
});

test('a program that is named is launched as it is', async () => {
	const [provider] = activated().providers;
	const config = { request: 'launch', program: '/a.dll' };
	assert.strictEqual(
		await provider.resolveDebugConfigurationWithSubstitutedVariables(
			undefined, config), config);
});

test('the project of the folder: its dll, and nothing of ours left', async t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-folder-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	for (const name of ['One', 'Two'])
		fs.writeFileSync(path.join(dir, name + '.csproj'),
			'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe' +
			'</OutputType><TargetFramework>net10.0</TargetFramework>' +
			'</PropertyGroup></Project>');
	const seen = activated();
	seen.pick = items => items.find(item => item.label === 'Two.csproj');
	const config =
		await seen.providers[0].resolveDebugConfigurationWithSubstitutedVariables(
			{ uri: { fsPath: dir } },
			{ request: 'launch', build: false, args: ['x'] });
	assert.deepStrictEqual(config, {
		cwd: dir, request: 'launch', args: ['x'],
		program: path.join(dir, 'bin/Debug/net10.0/Two.dll'),
	});
	seen.pick = () => undefined;
	assert.strictEqual(
		await seen.providers[0].resolveDebugConfigurationWithSubstitutedVariables(
			{ uri: { fsPath: dir } }, { request: 'launch', build: false }),
		undefined);
});

test('a project that does not build stops the launch in words', async t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-folder-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	fs.writeFileSync(path.join(dir, 'Bad.csproj'),
		'<Project><PropertyGroup><OutputType>Exe</OutputType>');
	const seen = activated();
	await assert.rejects(
		seen.providers[0].resolveDebugConfigurationWithSubstitutedVariables(
			{ uri: { fsPath: dir } }, { request: 'launch' }),
		/'Bad.csproj' does not build/);
});

test('the process that is picked', async () => {
	const seen = activated();
	seen.pick = items => items[0];
	const picked = await seen.commands['dndbg.pickProcess']();
	assert.ok(picked === undefined ? seen.shown.length : /^\d+$/.test(picked));
});
