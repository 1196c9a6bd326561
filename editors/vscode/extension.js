'use strict';
// What VS Code runs: it finds the debugger and puts the parts together.
// launch.js has the way from F5 to a program, takeover.js configurations that
// were made for other debuggers, testing.js and lenses.js tests, commands.js
// the palette. All that can be decided without VS Code is in lib/.

const vscode = require('vscode');
const attach = require('./attach');
const commands = require('./commands');
const launch = require('./launch');
const lenses = require('./lenses');
const log = require('./log');
const modules = require('./modules');
const selection = require('./selection');
const takeover = require('./takeover');
const testing = require('./testing');
const adapter = require('./lib/adapter');

const TYPE = 'dndbg';

class Adapters {
	constructor(folder) {
		this.folder = folder;
	}

	createDebugAdapterDescriptor(session) {
		const settings = vscode.workspace.getConfiguration(TYPE);
		const made = adapter.describe(session.configuration, {
			path: settings.get('path'),
			args: settings.get('args'),
		}, adapter.bundled(this.folder));
		log.say(`${session.name}: ${[made.command, ...made.args].join(' ')}`);
		return new vscode.DebugAdapterExecutable(made.command, made.args,
			made.options);
	}
}

function activate(context) {
	const selected = selection.register(context);
	const { builds, disposables } = launch.register(selected.selection,
		() => adapter.bundled(context.extensionPath));
	context.subscriptions.push(...log.register(), ...modules.register(),
		...selected.disposables,
		...disposables, ...takeover.register(context),
		...lenses.register(builds), ...testing.register(), ...commands.register(context, builds),
		vscode.commands.registerCommand('dndbg.pickProcess',
			() => attach.pickProcess()),
		vscode.debug.registerDebugAdapterDescriptorFactory(TYPE,
			new Adapters(context.extensionPath)));
}

module.exports = { activate };
