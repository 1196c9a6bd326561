'use strict';
// A stand-in for the parts of VS Code that the extension calls, and the extension
// in it: for tests, and for tests/dap/resolve.js.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

class Executable {
	constructor(command, args, options) {
		Object.assign(this, { command, args, options });
	}
}

class Held {
	constructor(...words) {
		this.words = words;
	}
}

/** What holds the items of tests, and of an item. */
class Items {
	constructor() {
		this.map = new Map();
	}

	get size() {
		return this.map.size;
	}

	add(item) {
		this.map.set(item.id, item);
	}

	replace(items) {
		this.map = new Map(items.map(item => [item.id, item]));
	}

	get(id) {
		return this.map.get(id);
	}

	forEach(run) {
		[...this.map.values()].forEach(one => run(one));
	}
}

/** A controller of tests that keeps what it is told of a run. */
function testController(seen) {
	return {
		items: new Items(),
		createTestItem: (id, label, uri) =>
			({ id, label, uri: { fsPath: uri }, children: new Items() }),
		createRunProfile: (name, kind, run) => { seen.profiles[name] = run; },
		createTestRun: () => {
			const told = kind => (item, ...more) =>
				seen.results.push([kind, item.label, ...more]);
			return { enqueued() {}, started() {}, passed: told('passed'),
				failed: told('failed'), skipped: told('skipped'),
				errored: told('errored'),
				appendOutput: text => seen.said.push(text),
				end: () => seen.results.push(['end']) };
		},
	};
}

function standIn() {
	const seen = { commands: {}, providers: {}, shown: [], started: [],
		settings: {}, set: {}, installed: {}, kept: {}, takers: {}, said: [],
		documents: [], profiles: {}, results: [], views: {} };
	const bar = { show() { seen.bar = bar; }, hide() { seen.bar = undefined; } };
	seen.vscode = {
		CodeLens: class {
			constructor(range, command) {
				Object.assign(this, { range, command });
			}
		},
		DebugAdapterExecutable: Executable,
		DebugConfigurationProviderTriggerKind: { Initial: 1, Dynamic: 2 },
		EventEmitter: class extends Held {
			fire() {
				seen.fired = (seen.fired || 0) + 1;
			}
		},
		ThemeIcon: Held,
		TreeItem: Held,
		TreeItemCollapsibleState: { None: 0, Expanded: 2 },
		Location: Held,
		Position: Held,
		TestMessage: class extends Held {
			static diff(...words) {
				return new this(...words);
			}
		},
		TestRunProfileKind: { Run: 1, Debug: 2 },
		tests: {
			createTestController: () => {
				seen.controller = testController(seen);
				return seen.controller;
			},
		},
		ProgressLocation: { Notification: 15 },
		ViewColumn: { Active: -1, Beside: -2 },
		ProcessExecution: class {
			constructor(command, args, options) {
				Object.assign(this, { command, args, options });
			}
		},
		Range: Held,
		Uri: { file: name => name },
		Task: class {
			constructor(definition, scope, name, source, execution, matcher) {
				Object.assign(this,
					{ definition, scope, name, source, execution, matcher });
			}
		},
		TaskGroup: { Build: 'build' },
		TaskRevealKind: { Silent: 2 },
		commands: {
			executeCommand: (...words) => { seen.executed = words; },
			registerCommand: (name, run) => { seen.commands[name] = run; },
		},
		debug: {
			registerDebugConfigurationProvider: (type, provider, kind) => {
				if (type !== 'dndbg') {
					seen.takers[type] = provider;
					return;
				}
				seen.type = type;
				seen.providers[kind || 'resolves'] = provider;
			},
			registerDebugAdapterDescriptorFactory: (type, factory) => {
				seen.factory = factory;
			},
			registerDebugAdapterTrackerFactory: (type, factory) => {
				seen.track = session => factory.createDebugAdapterTracker(session);
				seen.tracker = seen.tracker || factory.createDebugAdapterTracker(
					{ name: 'session' });
			},
			startDebugging: (...how) => {
				seen.started.push(how);
				return seen.debugs && seen.debugs(...how);
			},
			onDidTerminateDebugSession: run => { seen.terminated = run; },
		},
		ConfigurationTarget: { WorkspaceFolder: 3 },
		StatusBarAlignment: { Left: 1 },
		extensions: { getExtension: id => seen.installed[id] },
		languages: {
			registerCodeLensProvider: (selector, provider) => {
				seen.lenses = provider;
			},
		},
		tasks: {
			registerTaskProvider: (type, provider) => {
				seen.taskType = type;
				seen.tasks = provider;
			},
		},
		window: {
			showErrorMessage: (text, ...buttons) => {
				seen.shown.push(text);
				return seen.press && buttons.find(seen.press);
			},
			showWarningMessage: (text, options, ...buttons) => {
				seen.shown.push(text);
				return seen.press && buttons.find(seen.press);
			},
			showInformationMessage: text => { seen.shown.push(text); },
			showQuickPick: async items => seen.pick(items),
			showTextDocument: async (uri, options) => {
				seen.opened = uri;
				seen.line = options && options.selection &&
					options.selection.words[0].words[0];
			},
			withProgress: (options, run) =>
				run({ report() {} }, { onCancellationRequested() {} }),
			createWebviewPanel: (type, title) => {
				const webview = { onDidReceiveMessage: run => {
					seen.panel.tell = run;
				} };
				seen.panel = { title, webview };
				return seen.panel;
			},
			showOpenDialog: async () => seen.dialog,
			createOutputChannel: () => ({
				appendLine: line => seen.said.push(line),
				show: () => { seen.logged = true; },
			}),
			createStatusBarItem: () => bar,
			registerTreeDataProvider: (id, provider) => {
				seen.views[id] = provider;
			},
			onDidChangeActiveTextEditor: changed => { seen.front = changed; },
		},
		workspace: {
			getConfiguration: section => ({
				get: name => seen.settings[name],
				inspect: name => ({
					workspaceValue: seen.set[`${section}.${name}`],
				}),
				update: async (name, value) => {
					seen.set[`${section}.${name}`] = value;
				},
			}),
			openTextDocument: async given => {
				seen.documents.push(given);
				return given;
			},
			getWorkspaceFolder: () => seen.folder,
			onDidChangeConfiguration() {},
			onDidSaveTextDocument: run => { seen.onSaved = run; },
			saveAll: async () => { seen.saved = true; },
		},
	};
	return seen;
}

// Those that require 'vscode': each test has its own.
const MODULES = fs.readdirSync(path.join(__dirname, '..'))
	.filter(name => name.endsWith('.js') && name !== 'pack.js')
	.map(name => `../${name}`);

function activated(extensionPath = '/nowhere') {
	const seen = standIn();
	const load = Module._load;
	Module._load = (name, ...rest) =>
		name === 'vscode' ? seen.vscode : load(name, ...rest);
	try {
		for (const name of MODULES)
			delete require.cache[require.resolve(name)];
		const workspaceState = {
			get: key => seen.kept[key],
			update: async (key, value) => { seen.kept[key] = value; },
		};
		require('../extension').activate(
			{ extensionPath, subscriptions: [], workspaceState });
	} finally {
		Module._load = load;
	}
	seen.provider = seen.providers.resolves;
	return seen;
}

module.exports = { activated };
