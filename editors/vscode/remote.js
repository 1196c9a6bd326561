'use strict';
// dndbg at the other end of a pipe (a container, another machine): found there,
// or copied there from this extension when the user wants that.

const { spawn } = require('child_process');
const path = require('path');
const vscode = require('vscode');
const adapter = require('./lib/adapter');
const manifest = require('./package.json');

const TIME_MS = 60000;
const FOLDER = `/tmp/dndbg-${manifest.version}`;
const COPY = 'Copy It There';

/** Run @words at the other end, with a stream as input; what it printed. */
function over(pipe, words, input) {
	const made = adapter.piped(pipe, words);
	return new Promise((resolve, reject) => {
		const child = spawn(made.command, made.args,
			{ ...made.options, env: { ...process.env, ...made.options.env },
				timeout: TIME_MS });
		const printed = { stdout: '', stderr: '' };
		for (const name of Object.keys(printed))
			child[name].on('data', data => { printed[name] += data; });
		child.on('error', reject);
		child.stdin.on('error', () => {});
		child.on('close', code => code === 0 ? resolve(printed.stdout) :
			reject(new Error(printed.stderr.trim() || `exit code ${code}`)));
		if (input)
			input.pipe(child.stdin);
		else
			child.stdin.end();
	});
}

async function runs(pipe) {
	try {
		await over(pipe, ['--version']);
		return undefined;
	} catch (error) {
		return error;
	}
}

/** The same for a script of sh. */
function script(pipe, text, input) {
	return over({ ...pipe, debuggerPath: 'sh' }, ['-c', text], input);
}

/** Is FOLDER over there, and nobody's but ours? */
function isOwn(pipe) {
	return script(pipe, `test -O ${FOLDER} && ! test -h ${FOLDER}`)
		.then(() => true, () => false);
}

/** Copy the files beside @own into FOLDER at the other end. */
async function copy(pipe, own) {
	const tar = spawn('tar', ['cz', '-C', path.dirname(own), '.'],
		{ stdio: ['ignore', 'pipe', 'ignore'] });
	const failed = new Promise((_, reject) => tar.on('error', reject));
	await Promise.race([failed, script(pipe,
		`{ mkdir -m 700 ${FOLDER} 2>/dev/null || test -O ${FOLDER}; } && ` +
		`! test -h ${FOLDER} && tar xz -C ${FOLDER}`, tar.stdout)]);
}

/**
 * The pipe with a dndbg that is there; @own is the one of the extension, if any.
 * Nothing: the user gave it up. Throws a sentence.
 */
async function ready(pipe, own) {
	const why = await runs(pipe);
	if (!why)
		return pipe;
	const copied = { ...pipe, debuggerPath: `${FOLDER}/dndbg` };
	if (await isOwn(pipe) && !await runs(copied))
		return copied;
	const said = `'${pipe.debuggerPath}' cannot be run at the other end of ` +
		`'${pipe.pipeProgram}': ${why.message}`;
	if (!own)
		throw new Error(said);
	const picked = await vscode.window.showWarningMessage(
		`${said}. The dndbg of this extension can be copied to ${FOLDER} there.`,
		{ modal: true }, COPY);
	if (picked !== COPY)
		return undefined;
	await copy(pipe, own);
	const still = await runs(copied);
	if (still)
		throw new Error(`the dndbg that was copied to ${FOLDER} does not run ` +
			`there: ${still.message}`);
	return copied;
}

module.exports = { over, ready };
