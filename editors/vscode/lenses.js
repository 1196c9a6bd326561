'use strict';
// "Run test" and "Debug test" above the tests of xunit, NUnit and MSTest.

const path = require('path');
const vscode = require('vscode');
const project = require('./lib/project');
const tests = require('./lib/tests');

const TYPE = 'dndbg';
const DEBUG = 'dndbg.debugTest';
const RUN = 'dndbg.runTest';

class Lenses {
	constructor() {
		this.changed = new vscode.EventEmitter();
		this.onDidChangeCodeLenses = this.changed.event;
	}

	provideCodeLenses(document) {
		if (!vscode.workspace.getConfiguration(TYPE).get('testCodeLens'))
			return [];
		const { classes, tests: found } = tests.find(document.getText());
		const lenses = what => ({ at, name, filter }) => {
			const place = document.positionAt(at);
			const range = new vscode.Range(place, place);
			const words = [document.uri, name, filter];
			return [['Run', RUN], ['Debug', DEBUG]].map(([verb, command]) =>
				new vscode.CodeLens(range, {
					title: `${verb} ${what}`, command, arguments: words,
				}));
		};
		return [...classes.flatMap(lenses('tests')),
			...found.flatMap(lenses('test'))];
	}
}

/**
 * Build the project of a file and run those of its tests that a filter takes:
 * debugged, or as @more says.
 */
async function debugTests(builds, uri, name, filter, more = {}) {
	const folder = vscode.workspace.getWorkspaceFolder(uri);
	const file = folder && project.owner(uri.fsPath, folder.uri.fsPath);
	if (!file) {
		vscode.window.showErrorMessage(
			`'${path.basename(uri.fsPath)}' belongs to no project of an ` +
			'open folder', { modal: true });
		return;
	}
	await vscode.workspace.saveAll(false);
	await vscode.debug.startDebugging(folder, project.testRun(file, {
		type: TYPE, request: 'launch', name, args: ['--filter', filter],
		preLaunchTask: builds.task(folder, file), ...more,
	}));
}

function register(builds) {
	const lenses = new Lenses();
	return [
		vscode.languages.registerCodeLensProvider({ language: 'csharp' },
			lenses),
		vscode.commands.registerCommand(DEBUG, (uri, name, filter) =>
			debugTests(builds, uri, name, filter)),
		vscode.commands.registerCommand(RUN, (uri, name, filter) =>
			debugTests(builds, uri, name, filter, { noDebug: true })),
		vscode.workspace.onDidChangeConfiguration(change => {
			if (change.affectsConfiguration(`${TYPE}.testCodeLens`))
				lenses.changed.fire();
		}),
	];
}

module.exports = { debugTests, register };
