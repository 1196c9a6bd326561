'use strict';
// What the command palette and the explorer offer.

const { execFile } = require('child_process');
const path = require('path');
const vscode = require('vscode');
const adapter = require('./lib/adapter');
const tests = require('./lib/tests');
const { ATTACH, TYPE, initial, told } = require('./launch');
const { debugTests } = require('./lenses');
const { profile } = require('./profile');
const { folderOf } = require('./selection');

const TIME_MS = 60000;

function attach() {
	return vscode.debug.startDebugging(folderOf(), ATTACH);
}

/** Look at a core dump: the file @uri of the explorer, or one that is picked. */
async function openCore(uri) {
	const picked = uri ? [uri] : await vscode.window.showOpenDialog({
		title: 'The core dump to look at', openLabel: 'Open Core Dump',
		defaultUri: (folderOf() || {}).uri,
	});
	if (!picked || picked.length === 0)
		return;
	const file = picked[0].fsPath;
	await vscode.debug.startDebugging(folderOf(picked[0]), {
		type: TYPE, request: 'attach', name: `core (${path.basename(file)})`,
		coreDumpPath: file,
	});
}

/** Add the configurations of the folder's projects to its launch.json. */
async function addLaunch() {
	const folder = folderOf();
	if (!folder)
		throw new Error('no folder is open: open that of the project');
	const launch = vscode.workspace.getConfiguration('launch', folder.uri);
	const { workspaceFolderValue, workspaceValue } =
		launch.inspect('configurations') || {};
	const old = workspaceFolderValue || workspaceValue || [];
	const more = initial.provideDebugConfigurations(folder)
		.filter(one => !old.some(other => other.name === one.name));
	await launch.update('configurations', [...old, ...more],
		vscode.ConfigurationTarget.WorkspaceFolder);
	await vscode.window.showTextDocument(vscode.Uri.file(
		path.join(folder.uri.fsPath, '.vscode/launch.json')));
}

async function debugFileTests(builds) {
	const editor = vscode.window.activeTextEditor;
	const { classes } = tests.find(editor ? editor.document.getText() : '');
	if (classes.length === 0)
		throw new Error('no file with tests is in front');
	await debugTests(builds, editor.document.uri,
		path.basename(editor.document.uri.fsPath),
		classes.map(one => one.filter).join('|'));
}

async function show(content, language = 'plaintext') {
	await vscode.window.showTextDocument(
		await vscode.workspace.openTextDocument({ content, language }));
}

/** What dndbg says of itself and of this machine, to be sent with a report. */
async function report(folder) {
	const settings = vscode.workspace.getConfiguration(TYPE);
	const file = adapter.chosen(settings.get('path'), folder);
	const said = await new Promise(resolve => execFile(file,
		['--batch', '-ex', 'doctor'], { timeout: TIME_MS },
		(error, stdout, stderr) => resolve(stdout + stderr ||
			error && error.message)));
	await show(`What happened, and what should have:\n\n\n${file}\n${said}`);
}

/** What a command of the prompt prints, of the session that stands. */
async function showCommand(command, what) {
	const session = vscode.debug.activeDebugSession;
	if (!session || session.type !== TYPE)
		throw new Error(`${what} of a program that dndbg debugs: ` +
			'start one, or open a core dump, and pause it');
	const { result } = await session.customRequest('evaluate',
		{ expression: `-exec ${command}`, context: 'repl' });
	await show(result);
}

/** The objects of the heap by type. */
function heap() {
	return showCommand('heap stat', 'the heap is');
}

/** What is wrong with the program. */
function doctor() {
	return showCommand('doctor', 'the findings are');
}

function register(context, builds) {
	const all = {
		'dndbg.attach': attach,
		'dndbg.openCore': openCore,
		'dndbg.addLaunch': addLaunch,
		'dndbg.debugFileTests': () => debugFileTests(builds),
		'dndbg.report': () => report(context.extensionPath),
		'dndbg.heap': heap,
		'dndbg.doctor': doctor,
		'dndbg.profile': () => profile(context.extensionPath, told),
	};
	return Object.entries(all).map(([name, run]) =>
		vscode.commands.registerCommand(name, (...words) =>
			told(async () => run(...words))));
}

module.exports = { register };
