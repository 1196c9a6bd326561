'use strict';
// Configurations of the types `coreclr` and `dotnet`, which many repositories
// have: dndbg takes them where no other extension owns these types, or where
// the user wants it to.

const vscode = require('vscode');
const { OWNERS, TYPES, ours } = require('./lib/vsdbg');

const KEPT = 'takeOver';

/** Whether these configurations are dndbg's, asked once for each folder. */
async function takes(memory) {
	const wanted = vscode.workspace.getConfiguration('dndbg').get('takeOver');
	const owner = OWNERS.map(id => vscode.extensions.getExtension(id))
		.find(Boolean);
	if (!owner)
		return wanted !== 'never';
	if (wanted !== 'ask')
		return wanted === 'always';
	const kept = memory.get(KEPT);
	if (kept !== undefined)
		return kept;
	const name = owner.packageJSON && owner.packageJSON.displayName || owner.id;
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
	const provider = new Takeover(context.workspaceState);
	return TYPES.map(type =>
		vscode.debug.registerDebugConfigurationProvider(type, provider));
}

module.exports = { register };
