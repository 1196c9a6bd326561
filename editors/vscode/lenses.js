'use strict';
// "Debug test" above the tests of xunit, NUnit and MSTest.

const path = require('path');
const vscode = require('vscode');
const project = require('./lib/project');
const tests = require('./lib/tests');

const TYPE = 'dndbg';
const DEBUG = 'dndbg.debugTest';

class Lenses {
	constructor() {
		this.changed = new vscode.EventEmitter();
		this.onDidChangeCodeLenses = this.changed.event;
	}

	provideCodeLenses(document) {
		if (!vscode.workspace.getConfiguration(TYPE).get('testCodeLens'))
			return [];
		const { classes, tests: found } = tests.find(document.getText());
		const lens = title => ({ at, name, filter }) => {
			const place = document.positionAt(at);
			return new vscode.CodeLens(new vscode.Range(place, place), {
				title, command: DEBUG, arguments: [document.uri, name, filter],
			});
		};
		return [...classes.map(lens('Debug tests')),
			...found.map(lens('Debug test'))];
	}
}

/** Build the project of a file and run those of its tests that a filter takes. */
async function debugTest(builds, uri, name, filter) {
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
		preLaunchTask: builds.task(folder, file),
	}));
}

function register(builds) {
	const lenses = new Lenses();
	return [
		vscode.languages.registerCodeLensProvider({ language: 'csharp' },
			lenses),
		vscode.commands.registerCommand(DEBUG, (...of) =>
			debugTest(builds, ...of)),
		vscode.workspace.onDidChangeConfiguration(change => {
			if (change.affectsConfiguration(`${TYPE}.testCodeLens`))
				lenses.changed.fire();
		}),
	];
}

module.exports = { register };
