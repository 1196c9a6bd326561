'use strict';
// What VS Code runs: it finds the debugger and the process to attach to.
// launch.js has the way from F5 to a program, lenses.js what stands above
// tests. All that can be decided without VS Code is in lib/.

const vscode = require('vscode');
const launch = require('./launch');
const lenses = require('./lenses');
const adapter = require('./lib/adapter');
const crashes = require('./lib/crashes');
const processes = require('./lib/processes');

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
		return new vscode.DebugAdapterExecutable(made.command, made.args,
			made.options);
	}
}

const OPEN = 'Open Report';

/** The adapter of a session has ended: say so if it crashed. */
async function ended(code, signal) {
	const said = crashes.describe(code, signal);
	if (!said)
		return;
	const picked = await vscode.window.showErrorMessage(said.text,
		...said.file ? [OPEN] : []);
	if (picked === OPEN)
		await vscode.window.showTextDocument(vscode.Uri.file(said.file));
}

async function pickProcess() {
	const items = processes.list().map(found => ({
		label: found.name,
		description: String(found.pid),
		detail: found.command,
	}));
	if (items.length === 0) {
		vscode.window.showInformationMessage(
			'No process with a .NET runtime that you may debug is running.');
		return undefined;
	}
	const picked = await vscode.window.showQuickPick(items, {
		placeHolder: 'The process to attach to',
		matchOnDescription: true,
		matchOnDetail: true,
	});
	return picked && picked.description;
}

function activate(context) {
	const { builds, disposables } = launch.register();
	context.subscriptions.push(...disposables, ...lenses.register(builds),
		vscode.commands.registerCommand('dndbg.pickProcess', pickProcess),
		vscode.debug.registerDebugAdapterDescriptorFactory(TYPE,
			new Adapters(context.extensionPath)),
		vscode.debug.registerDebugAdapterTrackerFactory(TYPE,
			{ createDebugAdapterTracker: () => ({ onExit: ended }) }));
}

module.exports = { activate };
