'use strict';
// The command that starts the debug adapter, here or at the end of a pipe.

const fs = require('fs');
const os = require('os');
const path = require('path');

const INTERPRETER = '--interpreter=vscode';
/** Stands for the debugger's command line in a pipe's arguments. */
const MARK = '${debuggerCommand}';

/** One word for a POSIX shell; "~/" in front is for it to resolve. */
function quote(word) {
	if (word.startsWith('~/'))
		return '~/' + quote(word.slice(2));
	return /^[\w@%+=:,./-]+$/.test(word) ? word :
		`'${word.replace(/'/g, `'\\''`)}'`;
}

/** The words of a command line, quoted as for a POSIX shell. */
function split(line) {
	const found = line.match(
		/(?:\\[^]|[^\s'"\\]|'[^']*'|"(?:\\[^]|[^"\\])*")+/g) || [];
	return found.map(word => word.replace(
		/\\([^])|'([^']*)'|"((?:\\[^]|[^"\\])*)"/g,
		(_, escaped, single, double) => escaped || single ||
			(double || '').replace(/\\(["\\$`])/g, '$1')));
}

function executable(file) {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}

/**
 * The debugger's file, for a path or a name that is looked for in @search.
 * An editor says nothing of a command that does not exist: throws an Error
 * with a sentence for the user.
 */
function locate(name, search = process.env.PATH || '') {
	const given = name.replace(/^~(?=\/)/, os.homedir());
	const places = given.includes('/') ? [given] : search.split(':')
		.map(folder => path.join(folder, given));
	const found = places.find(executable);
	if (!found)
		throw new Error(`the debugger '${name}' is not found: install dndbg, ` +
			'or name it in the setting dndbg.path (of the machine where the ' +
			'programs run, if that is another)');
	return found;
}

/** The debugger that comes with the extension in @folder, if it does. */
function bundled(folder) {
	const file = path.join(folder, 'bin/dndbg');
	return executable(file) ? file : undefined;
}

/**
 * The debugger's file: what the setting dndbg.path names, else that of the
 * extension in @folder, else the one in PATH. Throws as locate().
 */
function chosen(setting, folder) {
	return locate(setting || bundled(folder) || 'dndbg');
}

/**
 * {command, args, options} of dndbg with @words at the other end of a pipe, as
 * pipeTransport names it. Its command line is one word, for a shell over there
 * (ssh, sh -c); with quoteArgs off it is what it reads as, for what has no shell
 * (docker exec, kubectl exec). Throws a sentence.
 */
function piped(pipe, words) {
	if (!pipe.pipeProgram || !pipe.debuggerPath)
		throw new Error('pipeTransport needs pipeProgram and debuggerPath');
	const line = [pipe.debuggerPath, ...words].map(quote).join(' ');
	const options = { cwd: pipe.pipeCwd, env: pipe.pipeEnv };
	const put = text => text.split(MARK).join(line);
	const given = pipe.pipeArgs || [];
	if (pipe.quoteArgs === false) {
		const text = [].concat(given).join(' ');
		return { command: pipe.pipeProgram, options,
			args: split(put(text.includes(MARK) ? text : `${text} ${MARK}`)) };
	}
	const args = typeof given === 'string' ? split(given) : given;
	const marked = args.some(arg => arg.includes(MARK));
	return { command: pipe.pipeProgram, options,
		args: (marked ? args : [...args, MARK]).map(put) };
}

/**
 * {command, args, options} of the adapter for a resolved configuration;
 * settings are {path, args}, @own is the debugger that the extension brings,
 * if any. Throws an Error with a sentence for the user.
 */
function describe(config, settings, own) {
	const pipe = config.pipeTransport;
	if (!pipe)
		return {
			command: locate(settings.path || own || 'dndbg'),
			args: [INTERPRETER, ...settings.args || []],
			options: {},
		};
	return piped(pipe, [INTERPRETER]);
}

module.exports = { bundled, chosen, describe, locate, piped, quote, split };
