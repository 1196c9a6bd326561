'use strict';
// The log of the extension, an output channel: sessions, how their debugger was
// started and how it ended, and the requests that it refused.

const vscode = require('vscode');
const crashes = require('./lib/crashes');

const SHOW = 'dndbg.showLog';
const OPEN = 'Open Report';
const LOG = 'Show Log';

let channel;

function say(text) {
	if (channel)
		channel.appendLine(`${new Date().toISOString()} ${text}`);
}

/** The adapter of a session has ended: say so if it crashed. */
async function ended(name, code, signal, stopped) {
	say(`${name}: the debugger ended, ` + (typeof code === 'number' ?
		`exit code ${code}` : `by ${signal || 'a signal'}`));
	const said = crashes.describe(code, signal, { stopped });
	if (!said)
		return;
	say(said.text);
	const picked = await vscode.window.showErrorMessage(said.text,
		...said.file ? [OPEN] : [], LOG);
	if (picked === OPEN)
		await vscode.window.showTextDocument(vscode.Uri.file(said.file));
	if (picked === LOG)
		channel.show();
}

/** What VS Code and the debugger of a session say to each other. */
function tracker(session) {
	const { name } = session;
	let stopped;
	return {
		onWillStopSession() {
			stopped = Date.now();
		},
		onDidSendMessage(message) {
			if (message.type === 'response' && message.success === false)
				say(`${name}: '${message.command}' refused: ` +
					`${message.message}`);
		},
		onError: error => say(`${name}: ${error.message}`),
		onExit: (code, signal) => ended(name, code, signal, stopped),
	};
}

function register() {
	channel = vscode.window.createOutputChannel('dndbg');
	return [channel,
		vscode.commands.registerCommand(SHOW, () => channel.show()),
		vscode.debug.registerDebugAdapterTrackerFactory('dndbg',
			{ createDebugAdapterTracker: tracker })];
}

module.exports = { register, say };
