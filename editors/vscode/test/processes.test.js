'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const processes = require('../lib/processes');

const MAPS = '7f00-7f01 r-xp 00000000 fe:00 12   ';

function proc(t, found) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-proc-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	for (const [pid, files] of Object.entries(found)) {
		fs.mkdirSync(path.join(dir, pid));
		for (const [name, text] of Object.entries(files))
			fs.writeFileSync(path.join(dir, pid, name), text);
	}
	fs.writeFileSync(path.join(dir, 'uptime'), '1 2');
	return dir;
}

test('only what has a runtime, by its dll, the newest first', t => {
	const runtime = `${MAPS}/usr/share/dotnet/libcoreclr.so\n`;
	const dir = proc(t, {
		7: { maps: runtime, comm: 'dotnet\n', cmdline: 'dotnet\0exec\0/a/Web.dll\0--x\0',
			status: 'Name:\tdotnet\nTracerPid:\t0\n' },
		8: { maps: `${MAPS}/usr/lib/libc.so.6\n`, comm: 'sh\n', cmdline: 'sh\0' },
		12: { maps: runtime, comm: 'Worker\n', cmdline: '/a/Worker\0',
			status: 'Name:\tWorker\nTracerPid:\t9\n' },
		// a debugger, which maps the file to read it
		14: { maps: runtime.replace('r-xp', 'r--p'), comm: 'dndbg\n',
			cmdline: 'dndbg\0', status: 'TracerPid:\t0\n' },
		13: { comm: 'gone\n' },
	});
	fs.symlinkSync('/a', path.join(dir, '7/cwd'));
	const found = processes.list(dir);
	assert.ok(found.every(one => Math.abs(Date.now() - one.since) < 60e3));
	assert.deepStrictEqual(found.map(({ since: _, ...one }) => one), [
		{ pid: 12, name: 'Worker', command: '/a/Worker', cwd: undefined,
			debugged: true },
		{ pid: 7, name: 'Web.dll', command: 'dotnet exec /a/Web.dll --x',
			cwd: '/a', debugged: false },
	]);
	assert.deepStrictEqual(processes.item({ ...found[1], since: 0 }, 7200e3), {
		label: 'Web.dll', description: '7 for 2 h in /a',
		detail: 'dotnet exec /a/Web.dll --x', pid: 7 });
	assert.match(processes.item(found[0]).description, /^12 .*\(debugged\)$/);
});

test('the programs of the workspace come first', () => {
	const all = [{ pid: 3, command: 'x', cwd: '/work2' },
		{ pid: 2, command: 'dotnet /work/a.dll', cwd: '/' },
		{ pid: 1, command: 'y', cwd: '/work' }];
	assert.deepStrictEqual(processes.sorted(all, ['/work']).map(one => one.pid),
		[2, 1, 3]);
	assert.deepStrictEqual(processes.sorted(all, []), all);
	assert.deepStrictEqual(['0 s', '59 s', '1 min', '1 h', '2 d'],
		[-5, 59e3, 61e3, 3600e3, 49 * 3600e3].map(processes.age));
});

test('a file that is only called like the runtime is none', () => {
	assert.ok(!processes.hasRuntime(`${MAPS}/a/libcoreclr.so.txt\n`));
	assert.ok(processes.hasRuntime(`${MAPS}/a/libcoreclr.so`));
});

test('a dotnet without a dll keeps its own name', () => {
	assert.strictEqual(processes.title('dotnet', ['dotnet', 'build']), 'dotnet');
	assert.strictEqual(processes.title('x', []), 'x');
});

test('the real list: this process has no runtime', () => {
	assert.ok(processes.list().every(found => found.pid !== process.pid));
});
