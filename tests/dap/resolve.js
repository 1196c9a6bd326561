'use strict';
// resolve.js WORKSPACE NAME PICK DNDBG: what the extension makes of the
// configuration NAME of WORKSPACE/.vscode/launch.json, as JSON: {config, adapter:
// {command, args, options}, shown, asked}. VS Code's parts are a stand-in's; of a
// list of processes the first whose command line holds PICK is picked.
const fs = require('node:fs');
const { activated } = require('../../editors/vscode/test/standin');
const { relaxed } = require('../../editors/vscode/lib/profiles');

const [root, name, pick, dndbg] = process.argv.slice(2);

/** The variables that VS Code knows itself. */
function substituted(value) {
	const text = JSON.stringify(value)
		.replace(/\$\{workspace(Folder|Root)\}/g, root);
	return JSON.parse(text);
}

async function main() {
	const seen = activated();
	const folder = { uri: { fsPath: root } };
	seen.vscode.workspace.workspaceFolders = [folder];
	seen.settings = { path: dndbg, args: [], takeOver: 'ask' };
	let asked = false;
	seen.pick = items => {
		asked = true;
		return items.find(item => item.detail.includes(pick));
	};
	const { configurations } = relaxed(
		fs.readFileSync(`${root}/.vscode/launch.json`, 'utf8'));
	let config = configurations.find(one => one.name === name);
	for (const provider of [seen.takers[config.type], seen.provider])
		config = await provider.resolveDebugConfiguration(folder, config);
	config = await seen.provider.resolveDebugConfigurationWithSubstitutedVariables(
		folder, substituted(config));
	const adapter = config && seen.factory.createDebugAdapterDescriptor(
		{ name, configuration: config });
	process.stdout.write(JSON.stringify(
		{ config, adapter, shown: seen.shown, asked }));
}

main();
