'use strict';
// What is said when the debug adapter died of a signal, and where it has
// written what it was doing (src/front/crashreport.h).

const fs = require('fs');
const os = require('os');
const path = require('path');

// Those of a crash. VS Code ends an adapter by SIGKILL or SIGTERM itself.
const CRASHES = ['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT'];
const FRESH_MS = 60000;

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

/**
 * {text, file} to be shown for an adapter that ended with @code, by @signal;
 * undefined: it was no crash. A shell or ssh between tells by 128 + number.
 */
function describe(code, signal, env, now = Date.now()) {
	const name = signal || Object.keys(os.constants.signals).find(
		each => os.constants.signals[each] === code - 128);
	if (!CRASHES.includes(name))
		return undefined;
	const file = report(now - FRESH_MS, env);
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
