'use strict';
// The manifest, the README and the adapter's own table say the same.
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const manifest = require('../package.json');
const defaults = require('../lib/defaults');
const { pack } = require('../pack');

const HERE = path.join(__dirname, '..');
const [debug] = manifest.contributes.debuggers;
const README = fs.readFileSync(path.join(HERE, 'README.md'), 'utf8');

/** The attributes in the adapter's table, with what they hold for. */
function served() {
	const table = fs.readFileSync(
		path.join(HERE, '../../src/dap/launch/setup.c'), 'utf8');
	const row = /\{"([a-z]\w*)", FOR_(LAUNCH|ATTACH|BOTH)[^,]*, (?!NULL)\w+\}/g;
	return [...table.matchAll(row)].filter(([, name]) =>
		!['name', 'noDebug'].includes(name));
}

test('every attribute that the adapter takes is documented', () => {
	const rows = served();
	assert.ok(rows.length > 15);
	for (const [, name, where] of rows)
		for (const request of ['launch', 'attach']) {
			if (where !== request.toUpperCase() && where !== 'BOTH')
				continue;
			if (name === 'program' && request === 'attach')
				continue; // only a name for the session
			const { properties } = debug.configurationAttributes[request];
			assert.ok(name in properties, `${request}: ${name}`);
			assert.ok(README.includes(`\`${name}\``), `README: ${name}`);
		}
});

function undocumented(properties, at) {
	return Object.entries(properties).flatMap(([name, of]) => [
		...of.description || of.markdownDescription ? [] : [`${at}.${name}`],
		...undocumented(of.properties || {}, `${at}.${name}`),
	]);
}

test('every attribute and setting has its description', () => {
	for (const [request, of] of Object.entries(debug.configurationAttributes)) {
		assert.deepStrictEqual(undocumented(of.properties, request), []);
		for (const name of Object.keys(of.properties))
			assert.ok(README.includes(`\`${name}\``), `README: ${name}`);
	}
	const settings = manifest.contributes.configuration.properties;
	assert.deepStrictEqual(undocumented(settings, 'settings'), []);
	for (const name of Object.keys(settings).filter(name =>
		!name.startsWith('dndbg.debug.')))
		assert.ok(README.includes(`\`${name}\``), name);
});

/** Values of enums that the description, which an editor shows whole, omits. */
function unnamed(properties, at) {
	return Object.entries(properties).flatMap(([name, of]) => [
		...(of.enumDescriptions ? of.enum : []).filter(value =>
			!(of.markdownDescription || '').includes(`\`${value}\``))
			.map(value => `${at}.${name}: ${value}`),
		...unnamed(of.properties || {}, `${at}.${name}`),
	]);
}

test('the hover of an attribute names all of its values', () => {
	for (const [request, of] of Object.entries(debug.configurationAttributes))
		assert.deepStrictEqual(unnamed(of.properties, request), []);
});

test('each default of sessions is an attribute, and a setting', () => {
	const settings = manifest.contributes.configuration.properties;
	const all = [...defaults.NAMES, ...defaults.MEMBERS];
	assert.deepStrictEqual(Object.keys(settings)
		.filter(name => name.startsWith('dndbg.debug.')).sort(),
	all.map(name => `dndbg.debug.${name}`).sort());
	for (const name of all) {
		let of = debug.configurationAttributes.launch;
		for (const word of name.split('.'))
			of = of.properties[word];
		assert.deepStrictEqual(settings[`dndbg.debug.${name}`].type, of.type);
	}
});

test('what a page of extensions shows is there', () => {
	const png = fs.readFileSync(path.join(HERE, manifest.icon));
	assert.strictEqual(png.toString('latin1', 1, 4), 'PNG');
	assert.ok(png.readUInt32BE(16) >= 128);
	assert.ok(manifest.categories.includes('Debuggers'));
	const log = fs.readFileSync(path.join(HERE, 'CHANGELOG.md'), 'utf8');
	assert.ok(log.includes(`## ${manifest.version}\n`));
	const shown = [...README.matchAll(/!\[[^\]]+\]\((images\/[\w-]+\.png)\)/g)];
	assert.ok(shown.length >= 2);
});

test('in the package the pictures are in the README', t => {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-pack-'));
	t.after(() => fs.rmSync(dir, { recursive: true }));
	for (const name of ['README.md', 'package.json', 'images', 'lib'])
		fs.cpSync(path.join(HERE, name), path.join(dir, name),
			{ recursive: true });
	pack(dir, 'git@host:dndbg.git');
	const read = name => fs.readFileSync(path.join(dir, name), 'utf8');
	assert.doesNotMatch(read('README.md'), /\]\(images/);
	assert.match(read('README.md'), /\]\(data:image\/png;base64,iVBOR/);
	assert.strictEqual(JSON.parse(read('package.json')).repository, undefined);
	assert.deepStrictEqual(JSON.parse(read('package.json')).contributes
		.debuggers.map(one => one.type), ['dndbg', 'coreclr', 'dotnet']);
	pack(dir, 'https://host/dndbg.git');
	assert.deepStrictEqual(JSON.parse(read('package.json')).repository,
		{ type: 'git', url: 'https://host/dndbg.git' });
});

test('the snippets name frameworks of SDKs that are supported', () => {
	const text = JSON.stringify(debug.configurationSnippets);
	assert.match(text, /\|net10\.0,net9\.0,net8\.0\|/);
	assert.doesNotMatch(text, /net[1-7]\.0/);
});

test('breakpoints are set in sources of every language that is debugged', () => {
	assert.deepStrictEqual(
		manifest.contributes.breakpoints.map(({ language }) => language),
		debug.languages);
	// VS Code's name of .cshtml, and that of Microsoft's extension
	for (const language of ['razor', 'aspnetcorerazor'])
		assert.ok(debug.languages.includes(language), language);
});
