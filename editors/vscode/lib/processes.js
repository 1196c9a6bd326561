'use strict';
// The processes that run .NET, read from /proc.

const fs = require('fs');
const path = require('path');

/** The words of a /proc/PID/cmdline. */
function words(text) {
	const list = text.split('\0');
	if (list[list.length - 1] === '')
		list.pop();
	return list;
}

/** Does a /proc/PID/maps show a .NET runtime? */
function hasRuntime(maps) {
	return /\/libcoreclr\.so$/m.test(maps);
}

/** What a person calls the process: the dll that dotnet runs, or itself. */
function title(comm, command) {
	if (path.basename(command[0] || '') !== 'dotnet')
		return comm;
	const dll = command.slice(1).find(word => /\.dll$/.test(word));
	return dll ? path.basename(dll) : comm;
}

function read(proc, pid, name) {
	return fs.readFileSync(path.join(proc, pid, name), 'utf8');
}

/**
 * Processes with a runtime, the newest first: [{pid, name, command}]. Those
 * that may not be looked at are left out: they could not be debugged either.
 */
function list(proc = '/proc') {
	const found = [];
	for (const pid of fs.readdirSync(proc).filter(n => /^\d+$/.test(n))) {
		try {
			if (!hasRuntime(read(proc, pid, 'maps')))
				continue;
			const command = words(read(proc, pid, 'cmdline'));
			const comm = read(proc, pid, 'comm').trim();
			found.push({
				pid: Number(pid),
				name: title(comm, command),
				command: command.join(' '),
			});
		} catch {
			continue; // it ended, or is not ours
		}
	}
	return found.sort((a, b) => b.pid - a.pid);
}

module.exports = { hasRuntime, list, title, words };
