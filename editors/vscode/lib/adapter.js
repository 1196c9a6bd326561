'use strict';
// The command that starts the debug adapter, here or at the end of a pipe.

const INTERPRETER = '--interpreter=vscode';

/** One word for a POSIX shell. */
function quote(word) {
	return /^[\w@%+=:,./-]+$/.test(word) ? word :
		`'${word.replace(/'/g, `'\\''`)}'`;
}

/** The words of a command line, with '...' and "..." around blanks. */
function split(line) {
	const found = line.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) || [];
	return found.map(word => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/**
 * {command, args, options} of the adapter for a resolved configuration;
 * settings are {path, args}. Throws an Error with a sentence for the user.
 */
function describe(config, settings) {
	const pipe = config.pipeTransport;
	if (!pipe)
		return {
			command: settings.path || 'dndbg',
			args: [INTERPRETER, ...settings.args || []],
			options: {},
		};
	if (!pipe.pipeProgram || !pipe.debuggerPath)
		throw new Error('pipeTransport needs pipeProgram and debuggerPath');
	const line = [pipe.debuggerPath, INTERPRETER];
	const word = (pipe.quoteArgs === false ? line : line.map(quote)).join(' ');
	const given = typeof pipe.pipeArgs === 'string' ? split(pipe.pipeArgs) :
		pipe.pipeArgs || [];
	const mark = '${debuggerCommand}';
	const marked = given.some(arg => arg.includes(mark));
	return {
		command: pipe.pipeProgram,
		args: marked ? given.map(arg => arg.split(mark).join(word)) :
			[...given, word],
		options: { cwd: pipe.pipeCwd, env: pipe.pipeEnv },
	};
}

module.exports = { describe, quote, split };
