'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const profiles = require('../lib/profiles');

test('JSON as people write it', () => {
	assert.deepStrictEqual(profiles.relaxed(`\uFEFF{ // a "comment"
		"a": "x // y, ]", /* "b": 1, */ "c": [1, 2,], "d": "\\"/*",
	}`), { a: 'x // y, ]', c: [1, 2], d: '"/*' });
});

test('what is no file of profiles has none', t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-profiles-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	const file = path.join(dir, 'launchSettings.json');
	assert.deepStrictEqual(profiles.read(file), {});
	execFileSync('mkfifo', [file]); // reading it would wait for ever
	assert.deepStrictEqual(profiles.read(file), {});
	fs.unlinkSync(file);
	for (const text of ['', '{', '[]', '{ "profiles": null }',
		'{ "profiles": { "a": null } }']) {
		fs.writeFileSync(file, text);
		assert.deepStrictEqual(profiles.read(file), {}, text);
	}
});

test('the page of a profile', () => {
	const action = profile => profiles.serverReady({}, profile);
	assert.strictEqual(action({ launchUrl: 'x' }), undefined);
	assert.strictEqual(action(undefined).uriFormat, '%s');
	assert.strictEqual(
		action({ launchBrowser: true, launchUrl: '/swagger' }).uriFormat,
		'%s/swagger');
	// A page elsewhere: nothing of what the server prints is put into it.
	const other = action(
		{ launchBrowser: true, launchUrl: 'http://localhost:1/a%20b' });
	assert.strictEqual(new RegExp(other.pattern).exec(
		'Now listening on: http://x').length, 1);
	const [, url] = new RegExp(action(undefined).pattern)
		.exec('      Now listening on: http://127.0.0.1:5000\n');
	assert.strictEqual(url, 'http://127.0.0.1:5000');
});
