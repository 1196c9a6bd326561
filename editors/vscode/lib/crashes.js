'use strict';
// What is said when the debug adapter died of a signal, and where it has
// written what it was doing (src/front/crashreport.h).

const fs = require('fs');
const os = require('os');
const path = require('path');

// Those of a crash. VS Code ends an adapter by SIGKILL or SIGTERM itself.
const CRASHES = ['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT'];
const KILLED = 'by a signal';
const FRESH_MS = 60000;
const TICK_MS = 20; // of the clock that dates files

/** Where reports are for the environment @env. */
function folder(env = process.env) {
	const state = env.XDG_STATE_HOME || '';
	return path.join(state.startsWith('/') ? state :
		path.join(env.HOME || os.homedir(), '.local/state'), 'dndbg');
}

/** The newest report that was written since @since, a time; or undefined. */
function report(since, env) {
	const dir = folder(env);
	let names = [];
	try {
		names = fs.readdirSync(dir);
	} catch {
		// nothing was ever written
	}
	const found = names.filter(name => /^crash-\d+\.txt$/.test(name))
		.map(name => path.join(dir, name))
		.map(file => ({ file, at: fs.statSync(file).mtimeMs }))
		.filter(({ at }) => at >= since)
		.sort((a, b) => b.at - a.at);
	return found.length ? found[0].file : undefined;
}

/** The signal that a report names. */
function signalIn(file) {
	const found = /was ended by (SIG\w+)/.exec(fs.readFileSync(file, 'utf8'));
	return found ? found[1] : undefined;
}

/**
 * {text, file} to be shown for an adapter that ended with @code, by @signal;
 * undefined: it was no crash. A shell or ssh between tells by 128 + number. VS
 * Code itself tells neither where it was a signal; @stopped is when it told the
 * adapter to end, from when on that signal may be its own.
 */
function describe(code, signal, { stopped, env, now = Date.now() } = {}) {
	const file = report((stopped || now - FRESH_MS) - TICK_MS, env);
	let name = signal || Object.keys(os.constants.signals).find(
		each => os.constants.signals[each] === code - 128);
	if (typeof code !== 'number' && !signal)
		name = file ? signalIn(file) : stopped ? undefined : KILLED;
	if (![...CRASHES, KILLED].includes(name))
		return undefined;
	const where = file ? ` What it was doing is in ${file}.` :
		' What it wrote last is in the log "Extension Host" of the Output view.';
	return {
		text: `The debugger dndbg crashed (${name}). A program that was ` +
			'attached goes on; one that was launched has ended.' + where +
			' Please report it.',
		file,
	};
}

module.exports = { describe, folder, report };
