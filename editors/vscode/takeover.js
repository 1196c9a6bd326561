'use strict';
// Configurations of the types `coreclr` and `dotnet`, which many repositories
// have: dndbg takes them where no other extension owns these types, or where
// the user wants it to.

const vscode = require('vscode');
const { HIDDEN, OWNERS, TYPES, ours } = require('./lib/vsdbg');

const KEPT = 'takeOver';

function owner() {
	return OWNERS.map(id => vscode.extensions.getExtension(id)).find(Boolean);
}

/** Whether these configurations are dndbg's, asked once for each folder. */
async function takes(memory) {
	const wanted = vscode.workspace.getConfiguration('dndbg').get('takeOver');
	const other = owner();
	if (!other)
		return wanted !== 'never';
	if (wanted !== 'ask')
		return wanted === 'always';
	const kept = memory.get(KEPT);
	if (kept !== undefined)
		return kept;
	const name = other.packageJSON && other.packageJSON.displayName || other.id;
	const picked = await vscode.window.showQuickPick([
		{ label: name, description: 'as before', takes: false },
		{ label: 'dndbg', description: 'for this workspace; the setting ' +
			'dndbg.takeOver says it for all', takes: true },
	], { placeHolder: 'Which debugger is to run "coreclr" and "dotnet" ' +
		'configurations?' });
	if (picked)
		await memory.update(KEPT, picked.takes);
	return Boolean(picked && picked.takes);
}

class Takeover {
	constructor(memory) {
		this.memory = memory;
	}

	// VS Code asks the provider of the new type next.
	async resolveDebugConfiguration(folder, config) {
		return await takes(this.memory) ? ours(config) : config;
	}
}

function register(context) {
	vscode.commands.executeCommand('setContext', HIDDEN, !owner());
	const provider = new Takeover(context.workspaceState);
	return TYPES.map(type =>
		vscode.debug.registerDebugConfigurationProvider(type, provider));
}

module.exports = { register };
