'use strict';
// The process to attach to: picked from those of this machine, or, through a
// pipe, of where the debugger is to run.

const { execFile } = require('child_process');
const vscode = require('vscode');
const adapter = require('./lib/adapter');
const processes = require('./lib/processes');

const TIME_MS = 20000;

/** The .NET processes at the other end of a pipe. */
function remote(pipe) {
	const made = adapter.piped(pipe, ['ps', '--json']);
	return new Promise((resolve, reject) => {
		execFile(made.command, made.args,
			{ ...made.options, timeout: TIME_MS, maxBuffer: 16 << 20 },
			(error, stdout, stderr) => {
				if (error)
					return reject(new Error(
						`cannot list the processes by '${made.command}': ` +
						(stderr.trim() || error.message)));
				try {
					resolve(processes.parse(stdout));
				} catch {
					reject(new Error(`'${pipe.debuggerPath} ps --json' said ` +
						`nothing useful: ${stdout.slice(0, 200)}`));
				}
			});
	});
}

function local() {
	const folders = vscode.workspace.workspaceFolders || [];
	return processes.sorted(processes.list(),
		folders.map(folder => folder.uri.fsPath));
}

/** The number of the process that the user picks, as text; or nothing. */
async function pickProcess(pipe) {
	const found = pipe ? await remote(pipe) : local();
	if (found.length === 0) {
		vscode.window.showInformationMessage(
			'No process with a .NET runtime that you may debug is running' +
			(pipe ? ' there.' : '.'));
		return undefined;
	}
	const picked = await vscode.window.showQuickPick(
		found.map(one => processes.item(one)), {
			placeHolder: 'The process to attach to',
			matchOnDescription: true,
			matchOnDetail: true,
		});
	return picked && String(picked.pid);
}

module.exports = { pickProcess };
