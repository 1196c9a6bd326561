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
		7: { maps: runtime, comm: 'dotnet\n', cmdline: 'dotnet\0exec\0/a/Web.dll\0--x\0' },
		8: { maps: `${MAPS}/usr/lib/libc.so.6\n`, comm: 'sh\n', cmdline: 'sh\0' },
		12: { maps: runtime, comm: 'Worker\n', cmdline: '/a/Worker\0' },
		13: { comm: 'gone\n' },
	});
	assert.deepStrictEqual(processes.list(dir), [
		{ pid: 12, name: 'Worker', command: '/a/Worker' },
		{ pid: 7, name: 'Web.dll', command: 'dotnet exec /a/Web.dll --x' },
	]);
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
