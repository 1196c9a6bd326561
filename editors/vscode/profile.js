'use strict';
// "Profile a Process": a flame graph of a running process in a tab, whose frames
// lead to the source. `dndbg sample` makes it; the process is not stopped.

const { execFile, spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const vscode = require('vscode');
const adapter = require('./lib/adapter');
const sources = require('./lib/sources');
const { pickProcess } = require('./attach');
const { TYPE } = require('./launch');

const SECONDS = 10;
const TIME_MS = 10000;

/** Run dndbg; @cancel ends it early, with what there is. */
function sample(file, pid, page, cancel) {
	return new Promise((done, failed) => {
		const child = spawn(file, ['sample', '--seconds', String(SECONDS),
			'--flame', page, String(pid)], { stdio: ['ignore', 'pipe', 'pipe'] });
		let said = '', wrong = '';
		child.stdout.on('data', data => { said += data; });
		child.stderr.on('data', data => { wrong += data; });
		child.on('error', failed);
		child.on('close', code => code === 0 ? done(said) :
			failed(new Error(wrong.trim().replace(/^dndbg: /, '') ||
				`'${file} sample' ended with ${code}`)));
		cancel(() => child.kill('SIGINT'));
	});
}

/** Open the source of a frame, which the page tells as it was told. */
async function openSource(file, modules, { method, module }) {
	const found = modules.get(String(module));
	if (!found)
		throw new Error(`the file of '${module}' is not known: the source of ` +
			`${method} cannot be found`);
	const printed = await new Promise(done => execFile(file,
		['-n', '--batch', '-ex', 'set filename-display absolute',
			'-ex', `info line ${sources.plain(String(method))}`, found],
		{ timeout: TIME_MS }, (error, stdout, stderr) => done(stdout + stderr)));
	const at = sources.place(printed, String(method));
	if (!at || !fs.existsSync(at.file))
		throw new Error(at ? `the source of ${method}, ${at.file}, is not here` :
			`the symbols do not tell where ${method} is`);
	const line = new vscode.Position(at.line - 1, 0);
	await vscode.window.showTextDocument(vscode.Uri.file(at.file), {
		viewColumn: vscode.ViewColumn.Beside,
		selection: new vscode.Range(line, line),
	});
}

async function profile(folder, told) {
	const pid = await pickProcess(undefined, 'The process to profile');
	if (!pid)
		return;
	const file = adapter.chosen(
		vscode.workspace.getConfiguration(TYPE).get('path'), folder);
	const modules = sources.modules(pid);
	const page = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-')),
		'profile.html');
	try {
		const said = await vscode.window.withProgress({
			location: vscode.ProgressLocation.Notification, cancellable: true,
			title: `Profiling process ${pid} for ${SECONDS} s; Cancel ends it early`,
		}, (progress, token) => sample(file, pid, page,
			end => token.onCancellationRequested(end)));
		const panel = vscode.window.createWebviewPanel('dndbg.profile',
			said.match(/^Process .*?(?=:)/)?.[0] || `Process ${pid}`,
			vscode.ViewColumn.Active,
			{ enableScripts: true, retainContextWhenHidden: true,
				localResourceRoots: [] });
		panel.webview.onDidReceiveMessage(message =>
			told(() => openSource(file, modules, message)));
		panel.webview.html = fs.readFileSync(page, 'utf8');
	} finally {
		fs.rmSync(path.dirname(page), { recursive: true, force: true });
	}
}

module.exports = { profile };
