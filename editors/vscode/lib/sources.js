'use strict';
// Where a method's source is, by what `dndbg` prints of the module's symbols.

const fs = require('fs');
const path = require('path');

/** The files of a process's modules by their names, as it has mapped them. */
function modules(pid, proc = '/proc') {
	const found = new Map();
	let maps;
	try {
		maps = fs.readFileSync(path.join(proc, String(pid), 'maps'), 'utf8');
	} catch {
		return found; // it has ended
	}
	for (const [, file] of maps.matchAll(/ (\/.*\.(?:dll|exe))$/gm))
		found.set(path.basename(file), file);
	return found;
}

/** A method's name without its parameters: that of a command, on one line. */
function plain(method) {
	return method.replace(/\(.*$/s, '').replace(/[\r\n]/g, '');
}

/**
 * {file, line} of the method, of what "info line" printed; of several with its
 * name the one with its parameters. Nothing, if there is none.
 */
function place(printed, method) {
	const all = [...printed.matchAll(/^Line (\d+) of "(\/[^"]*)".*?<(.*)>\.$/gm)];
	const found = all.find(([, , , name]) => name === method) || all[0];
	return found && { line: Number(found[1]), file: found[2] };
}

module.exports = { modules, place, plain };
