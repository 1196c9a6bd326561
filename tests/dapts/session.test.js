// What the test client of the protocol's authors makes of dndbg. Run by
// scripts/check-dapts, which sets DNDBG, PROGRAMS, SOURCES.
'use strict';
const assert = require('assert');
const fs = require('fs');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const program = (name) => `${process.env.PROGRAMS}/${name}/${name}.dll`;
const source = (name) => `${process.env.SOURCES}/${name}.cs`;
const line = (name, mark) => 1 + fs.readFileSync(source(name), 'utf8')
	.split('\n').findIndex((l) => l.endsWith(`// @${mark}`));

describe('dndbg', () => {
	let dc;

	beforeEach(() => {
		dc = new DebugClient(process.env.DNDBG, '--interpreter=vscode',
			'coreclr', undefined, true);
		return dc.start();
	});
	afterEach(() => dc.stop());

	it('runs a program to its end', () => Promise.all([
		dc.configurationSequence(),
		dc.launch({ program: program('Hello'), args: ['you'] }),
		dc.assertOutput('stdout', 'hello you 5\nok\n'),
		dc.waitForEvent('terminated'),
	]));

	it('stops at entry', () => Promise.all([
		dc.configurationSequence(),
		dc.launch({ program: program('Hello'), stopAtEntry: true }),
		dc.assertStoppedLocation('entry', {}),
	]));

	it('stops at a breakpoint', () => dc.hitBreakpoint(
		{ program: program('Hello') },
		{ path: source('Hello'), line: line('Hello', 'call'),
			verified: false }));

	it('stops at a breakpoint with a condition, and steps', async () => {
		await dc.hitBreakpoint({ program: program('HitLoop') },
			{ path: source('HitLoop'), line: line('HitLoop', 'hit'),
				verified: false });
		await dc.setBreakpointsRequest({
			source: { path: source('HitLoop') },
			breakpoints: [{ line: line('HitLoop', 'hit'),
				condition: 'i == 500' }] });
		await Promise.all([
			dc.continueRequest({ threadId: 1 }),
			dc.assertStoppedLocation('breakpoint',
				{ line: line('HitLoop', 'hit') }),
		]);
		await Promise.all([
			dc.nextRequest({ threadId: 1 }),
			dc.assertStoppedLocation('step',
				{ line: line('HitLoop', 'hit') + 1 }),
		]);
	});

	it('stops at exceptions', () => Promise.all([
		dc.waitForEvent('initialized').then(() =>
			dc.setExceptionBreakpointsRequest({ filters: ['all'] }))
			.then(() => dc.configurationDoneRequest()),
		dc.launch({ program: program('Throws'), args: ['plain'] }),
		dc.assertStoppedLocation('exception',
			{ line: line('Throws', 'level-throw') }),
	]));

	it('shows and sets variables', async () => {
		await dc.hitBreakpoint({ program: program('HitLoop') },
			{ path: source('HitLoop'), line: line('HitLoop', 'hit'),
				verified: false });
		const stack = await dc.stackTraceRequest({ threadId: 1 });
		const frameId = stack.body.stackFrames[0].id;
		const scopes = await dc.scopesRequest({ frameId });
		const args = scopes.body.scopes.find((s) => s.name === 'Arguments');
		const { variablesReference } = args;
		const list = await dc.variablesRequest({ variablesReference });
		assert.strictEqual(list.body.variables[0].value, '0');
		await dc.setVariableRequest(
			{ variablesReference, name: 'i', value: '42' });
		const value = await dc.evaluateRequest({ expression: 'i', frameId });
		assert.strictEqual(value.body.result, '42');
	});

	it('refuses what it does not know', () =>
		dc.initializeRequest().then(() => dc.customRequest('frobnicate'))
			.then(() => assert.fail('not refused'), (e) =>
				assert.match(e.message, /not known/)));
});
