'use strict';
// The extension itself, with a stand-in for the parts of VS Code it calls.
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const manifest = require('../package.json');
const { activated } = require('./standin');

/** A folder of the workspace with projects in it: {name: words}. */
function folderOf(t, seen, projects) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-folder-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	for (const [name, more] of Object.entries(projects)) {
		fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
		fs.writeFileSync(path.join(dir, name),
			`<Project Sdk="Microsoft.NET.Sdk${more.sdk || ''}"><PropertyGroup>` +
			'<OutputType>Exe</OutputType><TargetFramework>net10.0' +
			`</TargetFramework>${more.words || ''}</PropertyGroup></Project>`);
	}
	const folder = { uri: { fsPath: dir } };
	seen.vscode.workspace.workspaceFolders = [folder];
	return { dir, folder };
}

/** Both steps of a launch, with nothing between them. */
async function resolved(seen, folder, config) {
	const made = await seen.provider.resolveDebugConfiguration(folder, config);
	return made && seen.provider
		.resolveDebugConfigurationWithSubstitutedVariables(folder, made);
}

function put(file, text = '') {
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, text);
}

/**
 * A dotnet in the SDK's place, which takes a second for each answer: a project
 * builds the dll of its name in @out, below its folder.
 */
function withSdk(t, dir, out = '.') {
	put(path.join(dir, 'sdk/dotnet'), '#!/bin/sh\n' +
		'printf \'{"Properties":{"TargetPath":"%s"}}\' ' +
		`"$(dirname "$2")/${out}/$(basename "$2" .csproj).dll"\n`);
	fs.chmodSync(path.join(dir, 'sdk/dotnet'), 0o755);
	const { PATH } = process.env;
	process.env.PATH = `${dir}/sdk:${PATH}`;
	t.after(() => { process.env.PATH = PATH; });
}

test('what the manifest promises is registered', () => {
	const seen = activated();
	const [contributed] = manifest.contributes.debuggers;
	assert.strictEqual(seen.type, contributed.type);
	assert.strictEqual(seen.taskType,
		manifest.contributes.taskDefinitions[0].type);
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

test('the adapter that the extension brings, unless another is named', t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-brought-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	const file = path.join(dir, 'bin/dndbg');
	put(file);
	fs.chmodSync(file, 0o755);
	const seen = activated(dir);
	seen.settings = { path: '', args: [] };
	const make = () => seen.factory.createDebugAdapterDescriptor(
		{ configuration: {} }).command;
	assert.strictEqual(make(), file);
	seen.settings.path = '/bin/sh';
	assert.strictEqual(make(), '/bin/sh');
	fs.unlinkSync(file);
	seen.settings.path = '';
	const { PATH } = process.env;
	process.env.PATH = dir;
	t.after(() => { process.env.PATH = PATH; });
	assert.throws(make, /'dndbg' is not found/);
});

test('an adapter that crashed, and one that did not', async t => {
	const state = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-state-'));
	const { XDG_STATE_HOME } = process.env;
	process.env.XDG_STATE_HOME = state;
	t.after(() => {
		fs.rmSync(state, { recursive: true });
		if (XDG_STATE_HOME === undefined)
			delete process.env.XDG_STATE_HOME;
		else
			process.env.XDG_STATE_HOME = XDG_STATE_HOME;
	});
	const seen = activated();
	for (const [code, signal] of [[0], [1], [undefined, 'SIGTERM'],
		[undefined, 'SIGKILL'], [130]])
		await seen.tracker.onExit(code, signal);
	assert.deepStrictEqual(seen.shown, []);

	seen.tracker.onDidSendMessage({ type: 'response', success: false,
		command: 'evaluate', message: 'no such name' });
	assert.match(seen.said.pop(), /session: 'evaluate' refused: no such name/);
	await seen.tracker.onExit(undefined, 'SIGSEGV');
	assert.match(seen.shown[0], /crashed \(SIGSEGV\).*"Extension Host".*report/);

	const file = path.join(state, 'dndbg/crash-7.txt');
	put(path.join(state, 'dndbg/crash-6.txt'));
	fs.utimesSync(path.join(state, 'dndbg/crash-6.txt'), 1, 1);
	put(path.join(state, 'dndbg/history'));
	put(file, 'dndbg 0.1 was ended by SIGBUS (code 2)');
	seen.press = () => true;
	await seen.tracker.onExit(128 + 6);
	assert.match(seen.shown[1], /crashed \(SIGABRT\)/);
	assert.ok(seen.shown[1].includes(file));
	assert.strictEqual(seen.opened, file);

	// Of a signal VS Code tells nothing, and it ends adapters by one itself.
	await seen.tracker.onExit(undefined, undefined);
	assert.match(seen.shown[2], /crashed \(SIGBUS\)/);
	fs.rmSync(file);
	await seen.tracker.onExit(undefined, undefined);
	assert.match(seen.shown[3], /crashed \(by a signal\)/);
	assert.match(seen.said.pop(), /crashed/);
	assert.match(seen.said.pop(), /ended, by a signal/);
	seen.tracker.onWillStopSession();
	await seen.tracker.onExit(undefined, undefined);
	assert.strictEqual(seen.shown.length, 4);
	put(file, 'dndbg was ended by SIGSEGV');
	await seen.tracker.onExit(undefined, undefined);
	assert.match(seen.shown[4], /crashed \(SIGSEGV\)/);
});

test('F5 without launch.json; attach without a process', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, { 'App.csproj': {} });
	const file = path.join(dir, 'App.csproj');
	assert.deepStrictEqual(
		await seen.provider.resolveDebugConfiguration(folder, {}), {
			type: 'dndbg', request: 'launch', name: '.NET: launch',
			project: file, preLaunchTask: {
				type: 'dndbg', project: file, name: 'build App.csproj',
			},
		});
	const attach = { type: 'dndbg', request: 'attach', name: 'a' };
	for (const processId of [undefined, '${command:pickProcess}',
		'${command:pickRemoteProcess}'])
		assert.deepStrictEqual(await seen.provider.resolveDebugConfiguration(
			undefined, { ...attach, processId }), attach);
	const named = { ...attach, processName: 'app' };
	assert.strictEqual(await seen.provider.resolveDebugConfiguration(undefined,
		named), named);
	const core = { ...attach, coreDumpPath: 'core' };
	assert.strictEqual(await seen.provider.resolveDebugConfiguration(undefined,
		core), core);
});

test('a program that is named is launched as it is', async () => {
	const config = { request: 'launch', program: '/a.dll' };
	assert.strictEqual(await resolved(activated(), undefined, config), config);
});

test('the project of the folder: its dll, and nothing of ours left', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen,
		{ 'One.csproj': {}, 'Two.csproj': {} });
	withSdk(t, dir, 'bin/Debug/net10.0');
	const program = path.join(dir, 'bin/Debug/net10.0/Two.dll');
	put(program);
	seen.pick = items => items.find(item => item.label === 'Two.csproj');
	const given = { request: 'launch', build: false, args: ['x'] };
	assert.deepStrictEqual(await resolved(seen, folder, given),
		{ cwd: dir, request: 'launch', args: ['x'], program });
	assert.deepStrictEqual(await resolved(seen, folder,
		{ ...given, project: '${workspaceFolder}/Two.csproj' }),
	{ cwd: dir, request: 'launch', args: ['x'], program });
	seen.pick = () => undefined;
	seen.kept = {};
	assert.strictEqual(await resolved(seen, folder, given), undefined);
	assert.deepStrictEqual(seen.shown, []);
});

// An Error would have VS Code write a launch.json, whatever the user answers.
test('what cannot be launched is said, and no configuration', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, { 'App.csproj': {} });
	const fails = async (in_, config, sentence) => {
		assert.strictEqual(await resolved(seen, in_, config), undefined);
		assert.match(seen.shown.pop() || '', sentence);
	};
	const launch = { type: 'dndbg', request: 'launch', name: 'l' };
	await fails(folder, { ...launch, project: 'No.csproj' },
		/no such project: '.*No.csproj'/);
	await fails(folder, launch, /'App.csproj' is not built: there is no/);
	put(path.join(dir, 'App.csproj'), '<Project><PropertyGroup>');
	await fails(folder, { ...launch, project: 'App.csproj' }, /App\.csproj/);
	fs.unlinkSync(path.join(dir, 'App.csproj'));
	await fails(folder, launch, /no project that makes a program/);
	seen.vscode.workspace.workspaceFolders = undefined;
	await fails(undefined, launch, /no folder is open/);
});

test('a build is a task, whose errors VS Code asks about', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, {
		'src/App.csproj': {}, 'a/b/c/d/e/Deep.csproj': {},
	});
	const config = await seen.provider.resolveDebugConfiguration(folder, {
		type: 'dndbg', request: 'launch', name: 'l',
		project: 'a/b/c/d/e/Deep.csproj',
	});
	const tasks = seen.tasks.provideTasks();
	assert.deepStrictEqual(tasks.map(task => task.definition.project).sort(),
		[config.project, path.join(dir, 'src/App.csproj')]);
	for (const task of tasks) {
		assert.strictEqual(task.matcher, '$msCompile');
		assert.strictEqual(task.scope, folder);
		assert.strictEqual(task.execution.command, 'dotnet');
	}
	const own = { type: 'dndbg', request: 'launch', name: 'l',
		preLaunchTask: 'mine' };
	assert.strictEqual((await seen.provider.resolveDebugConfiguration(folder,
		own)).preLaunchTask, 'mine');
	assert.strictEqual((await seen.provider.resolveDebugConfiguration(folder,
		{ ...own, preLaunchTask: undefined, build: false })).preLaunchTask,
	undefined);
	const resolvedTask = seen.tasks.resolveTask({ scope: folder, definition:
		{ type: 'dndbg', project: '${workspaceFolder}/src/App.csproj' } });
	assert.ok(resolvedTask.execution.args.includes(
		path.join(dir, 'src/App.csproj')));
	assert.strictEqual(resolvedTask.definition.project,
		'${workspaceFolder}/src/App.csproj');
});

test('the F5 list: each project and each profile, no two the same', t => {
	const seen = activated();
	const tests = '<IsTestProject>true</IsTestProject>';
	const { dir, folder } = folderOf(t, seen, {
		'a/App.csproj': {}, 'b/App.csproj': {}, 'web/Web.csproj': { sdk: '.Web' },
		't/Tests.csproj': { words: tests },
	});
	put(path.join(dir, 'web/Properties/launchSettings.json'), JSON.stringify({
		profiles: { http: { commandName: 'Project' },
			https: { commandName: 'Project' },
			IIS: { commandName: 'IISExpress' } },
	}));
	for (const kind of [1, 2]) {
		const list = seen.providers[kind].provideDebugConfigurations(folder);
		assert.deepStrictEqual(list.map(config => config.name), [
			'.NET: a/App.csproj', '.NET: b/App.csproj', '.NET: Web (http)',
			'.NET: Web (https)', '.NET: Tests', '.NET: attach',
		]);
		assert.strictEqual(list[3].launchSettingsProfile, 'https');
		assert.strictEqual(list[0].project,
			'${workspaceFolder}/a/App.csproj');
	}
	assert.strictEqual(
		manifest.contributes.debuggers[0].initialConfigurations, undefined);
	const none = seen.providers[1].provideDebugConfigurations(undefined);
	assert.deepStrictEqual(none.map(config => config.request),
		['launch', 'attach']);
	// Else they would be listed twice: for the folder and for the user.
	assert.deepStrictEqual(
		seen.providers[2].provideDebugConfigurations(undefined), []);
});

test('a web project opens a browser, when it is told to', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, {
		'web/Web.csproj': { sdk: '.Web' }, 'app/App.csproj': {},
	});
	withSdk(t, dir);
	put(path.join(dir, 'web/Web.dll'));
	put(path.join(dir, 'app/App.dll'));
	const action = async (more, file = 'web/Web.csproj') => {
		const made = await resolved(seen, folder, { type: 'dndbg',
			request: 'launch', name: 'l', project: file, ...more });
		assert.ok(!('launchBrowser' in made));
		return made.serverReadyAction;
	};
	assert.strictEqual((await action()).action, 'openExternally');
	assert.strictEqual(await action({ launchBrowser: false }), undefined);
	assert.strictEqual(await action({ serverReadyAction: 'own' }), 'own');
	assert.strictEqual(await action({}, 'app/App.csproj'), undefined);
	put(path.join(dir, 'web/Properties/launchSettings.json'), `{ // by hand
		"profiles": { "quiet": { "commandName": "Project" },
		"loud": { "commandName": "Project", "launchBrowser": true,
			"launchUrl": "hello", }, } }`);
	assert.strictEqual(await action(), undefined);
	assert.strictEqual((await action({ launchSettingsProfile: 'loud' }))
		.uriFormat, '%s/hello');
	assert.strictEqual((await action({ launchBrowser: { enabled: true } }))
		.uriFormat, '%s');
	assert.strictEqual((await action({ launchBrowser: { enabled: true,
		args: '--new-window ${auto-detect-url}/docs' } })).uriFormat, '%s/docs');
	assert.strictEqual((await action({ launchBrowser: { enabled: true, args: 'x',
		linux: { command: 'xdg-open', args: 'http://a:1/%20' } } })).uriFormat,
	'http://a:1/%%20');
	for (const none of [null, ''])
		assert.strictEqual(await action({ launchSettingsProfile: none }),
			undefined);
	// of a program: as an old template of Microsoft's debugger says
	const program = path.join(dir, 'web/Web.dll');
	const old = await resolved(seen, folder, { type: 'dndbg', request: 'launch',
		name: 'l', program, launchBrowser: { enabled: false,
			linux: { enabled: true } } });
	assert.strictEqual(old.serverReadyAction.uriFormat, '%s');
	assert.ok(!('launchBrowser' in old));
});

test('"Debug test" runs that test, as its file is saved', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, { 't/Tests.csproj': {} });
	seen.folder = folder;
	const uri = { fsPath: path.join(dir, 't/deep/SumTest.cs') };
	put(uri.fsPath);
	const text = 'class SumTest\n{\n    [Fact]\n    void Adds() {}\n}\n';
	const document = { uri, getText: () => text, positionAt: at => at };
	assert.deepStrictEqual(seen.lenses.provideCodeLenses(document), []);
	seen.settings.testCodeLens = true;
	const lenses = seen.lenses.provideCodeLenses(document);
	assert.deepStrictEqual(lenses.map(lens => lens.command.title),
		['Run tests', 'Debug tests', 'Run test', 'Debug test']);
	const { command, arguments: words } = lenses[3].command;
	await seen.commands[command](...words);
	const [[in_, config]] = seen.started;
	assert.ok(seen.saved);
	assert.strictEqual(in_, folder);
	const project = path.join(dir, 't/Tests.csproj');
	assert.deepStrictEqual(config, {
		type: 'dndbg', request: 'launch', name: 'SumTest.Adds',
		program: 'dotnet', cwd: path.join(dir, 't'),
		args: ['test', '--no-build', '--filter',
			'FullyQualifiedName=SumTest.Adds'],
		preLaunchTask: { type: 'dndbg', project, name: 'build Tests.csproj' },
	});
	await seen.commands[lenses[2].command.command](...words);
	assert.strictEqual(seen.started[1][1].noDebug, true);
	seen.folder = { uri: { fsPath: path.join(dir, 'elsewhere') } };
	await seen.commands[command]({ fsPath: '/no/where.cs' }, 'x', 'y');
	assert.match(seen.shown[0], /'where.cs' belongs to no project/);
});

test('the process that is picked: of this machine, or through a pipe', async t => {
	const seen = activated();
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-pipe-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	put(path.join(dir, 'pipe'), '#!/bin/sh\n' +
		'echo \'[{"pid": 7, "name": "Web.dll", "command": "dotnet Web.dll"}]\'\n');
	fs.chmodSync(path.join(dir, 'pipe'), 0o755);
	const config = { type: 'dndbg', request: 'attach', name: 'a', pipeTransport: {
		pipeProgram: path.join(dir, 'pipe'), pipeArgs: ['exec'],
		debuggerPath: 'dndbg' } };
	seen.pick = items => items[0];
	const resolves = seen.provider.resolveDebugConfigurationWithSubstitutedVariables
		.bind(seen.provider);
	assert.deepStrictEqual(await resolves(undefined, config),
		{ ...config, processId: '7' });
	seen.pick = () => undefined;
	assert.strictEqual(await resolves(undefined, config), undefined);
	put(path.join(dir, 'pipe'), '#!/bin/sh\ncase "$*" in *ps*) ;; *) exit 0;; ' +
		'esac\necho no such container >&2\nexit 1\n');
	assert.strictEqual(await resolves(undefined, config), undefined);
	assert.match(seen.shown.pop(), /cannot list the processes.*no such container/);
	put(path.join(dir, 'pipe'), '#!/bin/sh\necho no such container >&2\nexit 1\n');
	assert.strictEqual(await resolves(undefined, config), undefined);
	assert.match(seen.shown.pop(), /cannot be run at the other end.*no such container/);
	seen.pick = items => items[0];
	const picked = await seen.commands['dndbg.pickProcess']();
	assert.ok(picked === undefined ? seen.shown.length : /^\d+$/.test(picked));
});

test('the modules of each session, with their symbols', () => {
	const seen = activated();
	const [{ id }] = manifest.contributes.views.debug;
	const view = seen.views[id];
	const shown = of => view.getChildren(of).map(one => {
		const { words: [label], description } = view.getTreeItem(one);
		return [label, description];
	});
	assert.deepStrictEqual(shown(), []);
	const app = { name: 'app' };
	const tracker = seen.track(app);
	const tells = (event, body) =>
		tracker.onDidSendMessage({ type: 'event', event, body });
	const module = (name, more) => tells('module',
		{ reason: 'new', module: { id: name, name, ...more } });
	module('B.dll', { symbolStatus: 'No symbols loaded.' });
	module('App.dll', { symbolStatus: 'Symbols loaded.', isUserCode: true,
		version: '1.0.0.0', path: '/app/App.dll' });
	module('A.dll', { symbolStatus: 'No symbols loaded.' });
	assert.strictEqual(seen.fired, 3);
	assert.deepStrictEqual(shown(), [['App.dll', '1.0.0.0'],
		['A.dll', 'No symbols'], ['B.dll', 'No symbols']]);
	assert.strictEqual(view.getTreeItem(view.getChildren()[0]).tooltip,
		'/app/App.dll\nVersion 1.0.0.0\nSymbols loaded.');
	tells('module', { reason: 'removed', module: { id: 'A.dll' } });
	const child = seen.track({ name: 'child' });
	child.onDidSendMessage({ type: 'event', event: 'module', body: {
		reason: 'new', module: { id: 'C.dll', name: 'C.dll' } } });
	assert.deepStrictEqual(shown().map(([label]) => label), ['app', 'child']);
	assert.deepStrictEqual(shown({ session: app }).map(([label]) => label),
		['App.dll', 'B.dll']);
	child.onExit();
	// another process of the session: a restart
	tells('process', {});
	assert.deepStrictEqual(shown(), []);
});

test('coreclr and dotnet are taken where nobody else owns them', async () => {
	const seen = activated();
	const given = { type: 'coreclr', request: 'launch', name: 'l',
		program: '/a.dll' };
	const taken = config => seen.takers[config.type]
		.resolveDebugConfiguration(undefined, config);
	assert.deepStrictEqual(seen.executed,
		['setContext', 'dndbg.hasAllTypes', true]);
	seen.settings.takeOver = 'ask';
	assert.deepStrictEqual(await taken(given), { ...given, type: 'dndbg' });
	assert.strictEqual((await taken({ type: 'dotnet', request: 'launch',
		name: 'd', projectPath: 'App.csproj' })).project, 'App.csproj');
	seen.settings.takeOver = 'never';
	assert.strictEqual(await taken(given), given);

	// With an owner it is asked once, and the answer is kept.
	seen.installed['ms-dotnettools.csharp'] = { id: 'ms-dotnettools.csharp' };
	let asked = 0;
	seen.pick = items => { asked++; return items[1]; };
	seen.settings.takeOver = 'ask';
	assert.strictEqual((await taken(given)).type, 'dndbg');
	assert.strictEqual((await taken(given)).type, 'dndbg');
	assert.strictEqual(asked, 1);
	seen.kept = {};
	seen.pick = () => undefined;
	assert.strictEqual(await taken(given), given);
	seen.settings.takeOver = 'always';
	assert.strictEqual((await taken(given)).type, 'dndbg');
});

test('settings of sessions: ours, else those of the C# extension', async () => {
	const seen = activated();
	seen.set = { 'dndbg.debug.justMyCode': false,
		'csharp.debug.justMyCode': true, 'csharp.debug.stopAtEntry': true,
		'csharp.debug.logging.moduleLoad': true };
	const launch = { type: 'dndbg', request: 'launch', program: '/a.dll' };
	const resolve = config =>
		seen.provider.resolveDebugConfiguration(undefined, config);
	assert.deepStrictEqual(await resolve(launch), { ...launch,
		justMyCode: false, stopAtEntry: true, logging: { moduleLoad: true } });
	const own = { ...launch, justMyCode: true, stopAtEntry: false,
		logging: { moduleLoad: false, threadExit: true } };
	assert.deepStrictEqual(await resolve(own), own);
	assert.strictEqual('stopAtEntry' in await resolve({ type: 'dndbg',
		request: 'attach', processId: 7 }), false);
});

test('F5 means the project of the file in front, or what was selected', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen,
		{ 'api/Api.csproj': {}, 'tool/Tool.csproj': {} });
	seen.folder = folder;
	put(path.join(dir, 'api/deep/Services.cs'));
	put(path.join(dir, 'api/Properties/launchSettings.json'), JSON.stringify({
		profiles: { http: { commandName: 'Project' },
			https: { commandName: 'Project' } } }));
	const front = name => {
		seen.vscode.window.activeTextEditor = name &&
			{ document: { uri: { fsPath: path.join(dir, name) } } };
		seen.front();
	};
	const launched = async () => {
		const made = await seen.provider.resolveDebugConfiguration(folder, {});
		return made && [path.basename(made.project), made.launchSettingsProfile];
	};
	seen.pick = () => assert.fail('asked');
	front('api/deep/Services.cs');
	assert.deepStrictEqual(await launched(), ['Api.csproj', undefined]);
	assert.strictEqual(seen.bar.text, '$(debug-alt) Api');
	front('tool/Main.cs');
	assert.deepStrictEqual(await launched(), ['Tool.csproj', undefined]);
	// of no project: it is asked once
	front(undefined);
	assert.strictEqual(seen.bar, undefined);
	seen.pick = items => items.find(item => item.label === 'Tool.csproj');
	assert.deepStrictEqual(await launched(), ['Tool.csproj', undefined]);
	seen.pick = () => assert.fail('asked again');
	assert.deepStrictEqual(await launched(), ['Tool.csproj', undefined]);
	// what is selected wins
	seen.pick = items => items.find(item => item.label === 'Api (https)');
	await seen.commands['dndbg.selectProject']();
	front('tool/Main.cs');
	assert.deepStrictEqual(await launched(), ['Api.csproj', 'https']);
	assert.strictEqual(seen.bar.text, '$(debug-alt) Api (https)');
	seen.pick = items => items[0];
	await seen.commands['dndbg.selectProject']();
	assert.deepStrictEqual(await launched(), ['Tool.csproj', undefined]);
});

test('the palette: core dumps, launch.json, tests, the log, a report', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, { 'App.csproj': {} });
	await seen.commands['dndbg.attach']();
	assert.strictEqual(seen.started.pop()[1].request, 'attach');
	seen.dialog = [{ fsPath: '/tmp/core.7' }];
	await seen.commands['dndbg.openCore']();
	await seen.commands['dndbg.openCore']({ fsPath: '/x/crash.dmp' });
	assert.deepStrictEqual(seen.started.map(([, one]) =>
		[one.name, one.coreDumpPath]), [['core (core.7)', '/tmp/core.7'],
		['core (crash.dmp)', '/x/crash.dmp']]);
	seen.set['launch.configurations'] = [{ name: '.NET: App', own: true }];
	await seen.commands['dndbg.addLaunch']();
	assert.deepStrictEqual(seen.set['launch.configurations'].map(one =>
		[one.name, one.own]), [['.NET: App', true], ['.NET: attach', undefined]]);
	assert.strictEqual(seen.opened, path.join(dir, '.vscode/launch.json'));

	seen.started = [];
	seen.folder = folder;
	await seen.commands['dndbg.debugFileTests']();
	assert.match(seen.shown.pop(), /no file with tests/);
	seen.vscode.window.activeTextEditor = { document: {
		uri: { fsPath: path.join(dir, 'T.cs') },
		getText: () => 'class A { [Fact] void X() {} } ' +
			'class B { [Test] void Y() {} }' } };
	await seen.commands['dndbg.debugFileTests']();
	assert.ok(seen.started[0][1].args.includes(
		'FullyQualifiedName~A.|FullyQualifiedName~B.'));

	await seen.commands['dndbg.showLog']();
	assert.ok(seen.logged);
	seen.settings = { path: '/bin/echo' };
	await seen.commands['dndbg.report']();
	assert.match(seen.documents[0].content, /\/bin\/echo\n--batch -ex doctor/);
	await seen.commands['dndbg.heap']();
	assert.match(seen.shown.pop(), /the heap is of a program/);
	seen.vscode.debug.activeDebugSession = { type: 'dndbg',
		customRequest: async (name, args) => ({ result: args.expression }) };
	await seen.commands['dndbg.heap']();
	await seen.commands['dndbg.doctor']();
	assert.deepStrictEqual(seen.documents.slice(1).map(one => one.content),
		['-exec heap stat', '-exec doctor']);
});

test('a profile: the picked process, a tab, frames that lead to the source',
	async t => {
		const seen = activated();
		const { dir } = folderOf(t, seen, { 'App.cs': 'class A {}\n' });
		// says what it was called with, and draws a page
		const dndbg = path.join(dir, 'dndbg');
		fs.writeFileSync(dndbg, `#!/bin/sh
case $1 in
sample) echo "$*" >"$5"; echo 'Process 7, .NET 10: 1.22 s running' ;;
*) echo 'Line 3 of "${dir}/App.cs" is not compiled yet <N.A.F(int)>.'
   echo 'Line 1 of "${dir}/App.cs" is not compiled yet <N.A.F()>.' ;;
esac
`, { mode: 0o755 });
		const processes = require('../lib/processes');
		const sources = require('../lib/sources');
		t.mock.method(processes, 'list', () => [{ pid: 7, name: 'App',
			command: 'dotnet App.dll', since: 0 }]);
		t.mock.method(sources, 'modules', () => new Map([['A.dll', '/a/A.dll']]));
		seen.settings = { path: dndbg };
		seen.pick = items => ({ ...items[0], pid: 7 });
		await seen.commands['dndbg.profile']();
		assert.deepStrictEqual(seen.shown, []);
		const { panel } = seen;
		assert.strictEqual(panel.title, 'Process 7, .NET 10');
		assert.match(panel.webview.html, /^sample --seconds 10 --flame \S+ 7$/m);
		assert.ok(!fs.existsSync(panel.webview.html.split(' ')[4]));
		await panel.tell({ method: 'N.A.F()', module: 'A.dll' });
		assert.deepStrictEqual([seen.opened, seen.line],
			[path.join(dir, 'App.cs'), 0]);
		await panel.tell({ method: 'N.A.F()', module: 'B.dll' });
		assert.match(seen.shown.pop(), /the file of 'B.dll' is not known/);
		// what goes wrong is said as it is
		fs.writeFileSync(dndbg, '#!/bin/sh\necho "dndbg: no right" >&2\nexit 1\n');
		await seen.commands['dndbg.profile']();
		assert.strictEqual(seen.shown.pop(), 'no right');
	});

test('the source of a frame', () => {
	const sources = require('../lib/sources');
	const printed = 'Line 3 of "/a/App.cs" starts at address 0x7f <N.A.F(int)>.\n' +
		'Line 9 of "/a/App.cs" is not compiled yet <N.A.F()>.\n';
	assert.deepStrictEqual(sources.place(printed, 'N.A.F()'),
		{ line: 9, file: '/a/App.cs' });
	assert.deepStrictEqual(sources.place(printed, 'N.A.F(string)'),
		{ line: 3, file: '/a/App.cs' });
	assert.strictEqual(sources.place("No method 'N.A.F'.\n", 'N.A.F()'), undefined);
	assert.strictEqual(sources.plain('N.A.F(int,\n string)'), 'N.A.F');
	assert.strictEqual(sources.plain('N.A\nquit'), 'N.Aquit');
	const proc = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-test-'));
	fs.mkdirSync(path.join(proc, '5'));
	fs.writeFileSync(path.join(proc, '5/maps'),
		'7f00-7f01 r--p 00000000 08:01 5   /my app/A.dll\n' +
		'7f01-7f02 r-xp 00000000 08:01 6   /lib/libc.so.6\n');
	assert.deepStrictEqual([...sources.modules(5, proc)], [['A.dll', '/my app/A.dll']]);
	assert.deepStrictEqual([...sources.modules(6, proc)], []);
	fs.rmSync(proc, { recursive: true });
});

const TRX = `<?xml version="1.0"?><TestRun><Results>
<UnitTestResult testId="1" testName="N.SumTest.Adds" duration="00:00:01.5"
 outcome="Passed"><Output><StdOut>hello</StdOut></Output></UnitTestResult>
<UnitTestResult testId="2" testName="N.SumTest.Many(a: 1, b: &quot;x&quot;)"
 outcome="Failed"><Output><ErrorInfo><Message>Assert.Equal() Failure
Expected: 2
Actual:   1</Message><StackTrace>   at Xunit.Assert.Equal() in /_/a.cs:line 3
   at N.SumTest.Many() in SOURCE:line 4</StackTrace></ErrorInfo></Output>
</UnitTestResult></Results><TestDefinitions>
<UnitTest name="Adds" id="1"><Execution id="9"/><TestMethod className="N.SumTest"
 name="Adds" /></UnitTest>
<UnitTest name="Many" id="2"><TestMethod className="N.SumTest" name="Many(a: 1)" />
</UnitTest></TestDefinitions></TestRun>`;

test('the Testing view: tests are listed, run, debugged, and told', async t => {
	const seen = activated();
	const { dir, folder } = folderOf(t, seen, {
		't/Tests.csproj': { words: '<IsTestProject>true</IsTestProject>' } });
	seen.folder = folder;
	const source = path.join(dir, 't/deep/SumTest.cs');
	put(source, 'namespace N;\nclass SumTest {\n [Fact] void Adds() {}\n ' +
		'[Theory] void Many(int a) {}\n [Fact] void Other() {}\n}\n');
	put(path.join(dir, 't/obj/Made.cs'), 'class No { [Fact] void X() {} }');
	put(path.join(dir, 'results'), TRX.replace('SOURCE', source));
	const sdk = last => {
		put(path.join(dir, 'sdk/dotnet'), '#!/bin/sh\nif [ $1 = test ]; then\n' +
			`for i; do d=$i; done; cp ${dir}/results "$d/results.trx"; fi\n${last}`);
		fs.chmodSync(path.join(dir, 'sdk/dotnet'), 0o755);
	};
	withSdk(t, dir);
	sdk('echo "$@"\n');
	const never = { onCancellationRequested: () => ({ dispose() {} }) };

	// before anything is listed
	await seen.profiles.Run({ include: [] }, never);
	assert.deepStrictEqual(seen.results.splice(0).map(([kind]) => kind),
		['passed', 'failed', 'skipped', 'end']);
	seen.controller.resolveHandler();
	const project = seen.controller.items.get(path.join(dir, 't/Tests.csproj'));
	assert.strictEqual(project.children.size, 1);
	const [[, type]] = project.children.map;
	assert.deepStrictEqual([...type.children.map.values()].map(one => one.label),
		['Adds', 'Many', 'Other']);

	await seen.profiles.Run({}, never);
	const [passed, failed, skipped, end] = seen.results.splice(0);
	assert.deepStrictEqual(passed, ['passed', 'Adds', 1500]);
	assert.deepStrictEqual(failed.slice(0, 2), ['failed', 'Many']);
	const [message] = failed[2];
	assert.match(message.words[0], /^Assert.Equal\(\) Failure/);
	assert.deepStrictEqual(message.words.slice(1), ['2', '1']);
	assert.deepStrictEqual(message.location.words[1].words, [3, 0]);
	assert.deepStrictEqual([skipped, end], [['skipped', 'Other'], ['end']]);
	assert.ok(!seen.said.join('').includes('--filter'));

	seen.debugs = async (in_, config) => {
		fs.copyFileSync(path.join(dir, 'results'),
			path.join(config.args[config.args.length - 1], 'results.trx'));
		setImmediate(() => seen.terminated({ configuration: config }));
		return true;
	};
	await seen.profiles.Debug({ include: [type.children.get(
		`${project.id}|N.SumTest.Adds`)] }, never);
	assert.deepStrictEqual(seen.results.splice(0).map(([kind]) => kind),
		['passed', 'end']);
	assert.ok(seen.started[0][1].args.includes(
		'FullyQualifiedName=N.SumTest.Adds'));

	sdk('echo no; exit 1\n');
	await seen.profiles.Run({ include: [type] }, never);
	assert.match(seen.results[0][2].words[0], /'Tests.csproj' does not build/);
	put(source, 'class A { [Fact] void B() {} }');
	seen.onSaved({ uri: { fsPath: source } });
	assert.ok(seen.controller.items.get(project.id).children
		.get(`${project.id}|A`));
});

test('dndbg is copied to the other end of a pipe, when that is wanted', async t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-own-'));
	const there = `/tmp/dndbg-${manifest.version}`;
	t.after(() => {
		fs.rmSync(dir, { recursive: true });
		fs.rmSync(there, { recursive: true, force: true });
	});
	fs.rmSync(there, { recursive: true, force: true });
	put(path.join(dir, 'bin/dndbg'), '#!/bin/sh\necho dndbg 1\n');
	put(path.join(dir, 'bin/libx.so'), 'x');
	put(path.join(dir, 'pipe'), '#!/bin/sh\nexec sh -c "$1"\n');
	for (const name of ['bin/dndbg', 'pipe'])
		fs.chmodSync(path.join(dir, name), 0o755);
	const seen = activated(dir);
	const config = { type: 'dndbg', request: 'attach', name: 'a', processId: 7,
		pipeTransport: { pipeProgram: path.join(dir, 'pipe'), pipeArgs: [],
			debuggerPath: '/no/dndbg' } };
	const resolve = () => seen.provider
		.resolveDebugConfigurationWithSubstitutedVariables(undefined, config);
	assert.strictEqual(await resolve(), undefined);
	assert.match(seen.shown.pop(), /'\/no\/dndbg' cannot be run at the other end/);
	seen.press = text => text === 'Copy It There';
	const made = await resolve();
	assert.strictEqual(made.pipeTransport.debuggerPath, `${there}/dndbg`);
	assert.ok(fs.existsSync(`${there}/libx.so`));
	// it is found there the next time
	seen.press = () => assert.fail('asked');
	assert.deepStrictEqual(await resolve(), made);
	// where the pipe has no shell, as docker exec
	put(path.join(dir, 'pipe'), '#!/bin/sh\nexec "$@"\n');
	config.pipeTransport.quoteArgs = false;
	assert.deepStrictEqual(await resolve(), { ...made, pipeTransport:
		{ ...made.pipeTransport, quoteArgs: false } });
	fs.rmSync(there, { recursive: true });
	seen.press = text => text === 'Copy It There';
	await resolve();
	assert.ok(fs.existsSync(`${there}/libx.so`));
});
