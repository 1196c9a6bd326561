'use strict';
// The processes that run .NET, read from /proc or from what `dndbg ps` says.

const fs = require('fs');
const path = require('path');

/** The words of a /proc/PID/cmdline. */
function words(text) {
	const list = text.split('\0');
	if (list[list.length - 1] === '')
		list.pop();
	return list;
}

/**
 * Does a /proc/PID/maps show a .NET runtime that is executed? A debugger maps
 * the file, too, to read it.
 */
function hasRuntime(maps) {
	return /^\S+ ..x. .*\/libcoreclr\.so$/m.test(maps);
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

function folder(proc, pid) {
	try {
		return fs.readlinkSync(path.join(proc, pid, 'cwd'));
	} catch {
		return undefined;
	}
}

/**
 * Processes with a runtime, the newest first: [{pid, name, command, cwd, since,
 * debugged}], where @since is in milliseconds since 1970. Those that may not be
 * looked at are left out: they could not be debugged either.
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
				cwd: folder(proc, pid),
				since: fs.statSync(path.join(proc, pid)).ctimeMs,
				debugged: /^TracerPid:\s+[1-9]/m
					.test(read(proc, pid, 'status')),
			});
		} catch {
			continue; // it ended, or is not ours
		}
	}
	return found.sort((a, b) => b.pid - a.pid);
}

/** The same of what `dndbg ps --json` printed. */
function parse(text) {
	return JSON.parse(text).map(one => ({
		pid: one.pid, name: one.name, command: one.command,
	})).sort((a, b) => b.pid - a.pid);
}

/** Those first that were started in or from one of the folders. */
function sorted(found, folders) {
	const own = one => folders.some(root =>
		one.command.includes(root + path.sep) ||
		`${one.cwd || ''}/`.startsWith(root + path.sep));
	return [...found.filter(own), ...found.filter(one => !own(one))];
}

/** How long ago, in the largest unit that fits. */
function age(ms) {
	for (const [unit, size] of [['d', 86400e3], ['h', 3600e3], ['min', 60e3]])
		if (ms >= size)
			return `${Math.floor(ms / size)} ${unit}`;
	return `${Math.max(0, Math.floor(ms / 1e3))} s`;
}

/** What a list shows of a process. */
function item(one, now = Date.now()) {
	const told = [String(one.pid),
		one.since !== undefined && `for ${age(now - one.since)}`,
		one.cwd && `in ${one.cwd}`,
		one.debugged && '(debugged)'];
	return {
		label: one.name, description: told.filter(Boolean).join(' '),
		detail: one.command, pid: one.pid,
	};
}

module.exports = { age, hasRuntime, item, list, parse, sorted, title, words };
