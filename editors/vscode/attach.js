'use strict';
// The process to attach to: picked from those of this machine, or, through a
// pipe, of where the debugger is to run.

const vscode = require('vscode');
const processes = require('./lib/processes');
const { over } = require('./remote');

/** The .NET processes at the other end of a pipe. */
async function remote(pipe) {
	let printed;
	try {
		printed = await over(pipe, ['ps', '--json']);
	} catch (error) {
		throw new Error('cannot list the processes by ' +
			`'${pipe.pipeProgram}': ${error.message}`);
	}
	try {
		return processes.parse(printed);
	} catch {
		throw new Error(`'${pipe.debuggerPath} ps --json' said nothing ` +
			`useful: ${printed.slice(0, 200)}`);
	}
}

function local() {
	const folders = vscode.workspace.workspaceFolders || [];
	return processes.sorted(processes.list(),
		folders.map(folder => folder.uri.fsPath));
}

/** The number of the process that the user picks, as text; or nothing. */
async function pickProcess(pipe, placeHolder = 'The process to attach to') {
	const found = pipe ? await remote(pipe) : local();
	if (found.length === 0) {
		vscode.window.showInformationMessage(
			'No process with a .NET runtime that you may debug is running' +
			(pipe ? ' there.' : '.'));
		return undefined;
	}
	const picked = await vscode.window.showQuickPick(
		found.map(one => processes.item(one)), {
			placeHolder,
			matchOnDescription: true,
			matchOnDetail: true,
		});
	return picked && String(picked.pid);
}

module.exports = { pickProcess };
