// Every request and event of the Debug Adapter Protocol that dndbg serves, by
// the test client of the protocol's authors. Run by scripts/check-dapts, which
// sets DNDBG, PROGRAMS, SOURCES, EXCHANGES; it demands afterwards that none
// was left out.
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const { spawn } = require('child_process');
const { CheckedClient } = require('./checked.js');

const program = (name) => `${process.env.PROGRAMS}/${name}/${name}.dll`;
const source = (name) => `${process.env.SOURCES}/${name}.cs`;
const line = (name, mark) => {
	const found = fs.readFileSync(source(name), 'utf8').split('\n')
		.findIndex((l) => l.endsWith(`// @${mark}`));
	assert.notStrictEqual(found, -1, mark);
	return found + 1;
};
const refused = (promise, words) => promise.then(
	() => assert.fail('not refused'), (e) => assert.match(e.message, words));

describe('dndbg', () => {
	let dc;

	beforeEach(() => {
		dc = new CheckedClient();
		return dc.start();
	});
	afterEach(() => dc.stop());

	const set = (name, ...marks) => dc.ask('setBreakpoints', {
		source: { path: source(name) },
		breakpoints: marks.map((mark) => ({ line: line(name, mark) })) });
	// Run to a mark.
	const reach = async (name, mark, args = []) => {
		await dc.begin({ program: program(name), args },
			() => set(name, mark));
		return dc.stopped('breakpoint');
	};

	it('runs a program to its end', async () => {
		await Promise.all([
			dc.configurationSequence(),
			dc.launch({ program: program('Hello'), args: ['you'] }),
			dc.assertOutput('stdout', 'hello you 5\nok\n'),
			dc.waitForEvent('terminated'),
		]);
		assert.strictEqual(dc.events('exited')[0].exitCode, 0);
		assert.strictEqual(dc.events('process')[0].startMethod, 'launch');
		assert(dc.events('thread').some((e) => e.reason === 'started'));
		assert(dc.events('module').some((e) => e.module.name === 'Hello.dll'));
		assert(dc.events('loadedSource').some(
			(e) => e.source.path === source('Hello')));
	});

	it('stops at entry', () => Promise.all([
		dc.configurationSequence(),
		dc.launch({ program: program('Hello'), stopAtEntry: true }),
		dc.assertStoppedLocation('entry', {}),
	]));

	it('stops at a breakpoint', () => dc.hitBreakpoint(
		{ program: program('Hello') },
		{ path: source('Hello'), line: line('Hello', 'call'),
			verified: false }));

	it('stops by condition, number of hits, column, and says messages',
		async () => {
			await reach('HitLoop', 'hit');
			const changed = dc.events('breakpoint').pop();
			assert.strictEqual(changed.breakpoint.verified, true);
			const at = line('HitLoop', 'hit');
			const { breakpoints } = await dc.ask('breakpointLocations', {
				source: { path: source('HitLoop') }, line: at });
			assert.strictEqual(breakpoints[0].line, at);
			await dc.ask('setBreakpoints', {
				source: { path: source('HitLoop') },
				breakpoints: [
					{ line: at, column: breakpoints[0].column,
						condition: 'i >= 500', hitCondition: '3' },
					{ line: line('HitLoop', 'call'),
						condition: 'i == 7',
						logMessage: 'turn {i}' }] });
			await dc.go();
			await dc.stopped('breakpoint');
			const [args] = await dc.scope('Locals');
			assert.strictEqual(args.i.value, '502');
			assert(dc.events('output').some((e) => e.output === 'turn 7\n' &&
				e.source.path === source('HitLoop')));
		});

	it('stops in functions and at instructions', async () => {
		await dc.begin({ program: program('HitLoop'), args: ['9'] },
			() => dc.ask('setFunctionBreakpoints', { breakpoints: [
				{ name: 'HitLoop.Program.Hit', condition: 'i == 3' }] }));
		await dc.stopped('breakpoint');
		await dc.ask('setFunctionBreakpoints', { breakpoints: [] });
		const reference = (await dc.top()).instructionPointerReference;
		const { instructions } = await dc.ask('disassemble', {
			memoryReference: reference, instructionOffset: -1,
			instructionCount: 4 });
		assert.strictEqual(instructions[1].address, reference);
		await dc.ask('setInstructionBreakpoints', { breakpoints: [
			{ instructionReference: reference }] });
		await dc.go();
		await dc.stopped('instruction breakpoint');
	});

	it('stops where data changes', async () => {
		await reach('HitLoop', 'call', ['3']);
		const info = await dc.ask('dataBreakpointInfo',
			{ name: 'sum', frameId: (await dc.top()).id });
		await set('HitLoop');
		await dc.ask('setDataBreakpoints', { breakpoints: [
			{ dataId: info.dataId, accessType: 'write' }] });
		await dc.go();
		assert.match((await dc.stopped('data breakpoint')).text, /sum: 1/);
	});

	it('stops at exceptions and explains them', async () => {
		await dc.begin({ program: program('Throws'), args: ['inner'] },
			() => dc.ask('setExceptionBreakpoints', { filters: [],
				filterOptions: [{ filterId: 'all',
					condition: 'InvalidOperationException' }] }));
		const stop = await dc.stopped('exception');
		assert.match(stop.text, /InvalidOperationException: outermost/);
		const info = await dc.ask('exceptionInfo', { threadId: dc.thread });
		assert.strictEqual(info.exceptionId,
			'CLR/System.InvalidOperationException');
		assert.strictEqual(info.details.innerException[0].fullTypeName,
			'System.ArgumentException');
		await dc.ask('setExceptionBreakpoints', { filters: [],
			exceptionOptions: [{ breakMode: 'never' }] });
		await dc.go();
		await dc.nextEvent('terminated');
	});

	it('steps: over, into one of several calls, out, one thread alone',
		async () => {
			await reach('Steps', 'calls-nested');
			const { targets } = await dc.ask('stepInTargets',
				{ frameId: (await dc.top()).id });
			const two = targets.filter((t) => t.label.includes('Two(')).pop();
			await dc.ask('stepIn', { threadId: dc.thread, targetId: two.id });
			await dc.stopped('step');
			assert.match((await dc.top()).name, /Two\(/);
			await dc.ask('stepOut',
				{ threadId: dc.thread, singleThread: true });
			await dc.stopped('step');
			const before = (await dc.top()).instructionPointerReference;
			await dc.ask('next',
				{ threadId: dc.thread, granularity: 'instruction' });
			await dc.stopped('step');
			const after = (await dc.top()).instructionPointerReference;
			assert.notStrictEqual(before, after);
			await dc.ask('next',
				{ threadId: dc.thread, granularity: 'statement' });
			await dc.stopped('step');
			const answer = await dc.ask('continue',
				{ threadId: dc.thread, singleThread: true });
			assert.strictEqual(answer.allThreadsContinued, false);
		});

	it('goes elsewhere', async () => {
		await reach('Hello', 'last');
		const { targets } = await dc.ask('gotoTargets', {
			source: { path: source('Hello') }, line: line('Hello', 'print') });
		await dc.ask('goto',
			{ threadId: dc.thread, targetId: targets[0].id });
		await dc.stopped('goto');
		assert.strictEqual((await dc.top()).line, line('Hello', 'print'));
	});

	it('pauses a program, takes its input, runs commands', async () => {
		await dc.begin({ program: program('Signals'), args: ['stdin'] });
		await dc.ask('evaluate', { expression: 'typed', context: 'repl' });
		await dc.nextEvent('output', (e) => e.output.includes('TYPED'));
		await dc.ask('pause', { threadId: 1 });
		await dc.stopped('pause');
		const printed = await dc.ask('evaluate',
			{ expression: '-exec bt', context: 'repl' });
		assert.match(printed.result, /Main/);
		await dc.ask('evaluate', { expression: '`continue', context: 'repl' });
		const body = await dc.nextEvent('continued');
		assert.strictEqual(body.allThreadsContinued, true);
	});

	it('shows and sets variables', async () => {
		await reach('HitLoop', 'hit');
		const frameId = (await dc.top()).id;
		const [args, { variablesReference }] = await dc.scope('Locals');
		assert.strictEqual(args.i.value, '0');
		const set42 = await dc.ask('setVariable', { variablesReference,
			name: 'i', value: '42', format: { hex: true } });
		assert.strictEqual(set42.value, '0x2a');
		assert.deepStrictEqual((await dc.nextEvent('invalidated')).areas,
			['variables']);
		const told = await dc.nextEvent('memory');
		const { memoryReference } = await dc.ask('evaluate',
			{ frameId, expression: '&i' });
		assert.deepStrictEqual(told,
			{ memoryReference, offset: 0, count: 4 });
		for (const context of ['watch', 'hover', 'variables', 'clipboard'])
			assert.strictEqual((await dc.ask('evaluate', { frameId, context,
				expression: 'i' })).result, '42');
		await refused(dc.ask('evaluate',
			{ expression: 'i = 3', context: 'hover', frameId }), /./);
		await dc.ask('setExpression',
			{ expression: 'i', value: 'i + 1', frameId });
		const { targets } = await dc.ask('completions',
			{ text: 'i', column: 2, frameId });
		assert(targets.some((t) => t.label === 'i'));
	});

	it('reads and writes memory', async () => {
		await reach('HitLoop', 'hit');
		const frameId = (await dc.top()).id;
		const i = await dc.ask('evaluate', { frameId, expression: '&i' });
		await dc.ask('writeMemory', { memoryReference: i.memoryReference,
			data: Buffer.from([7, 0, 0, 0]).toString('base64') });
		const { data } = await dc.ask('readMemory',
			{ memoryReference: i.memoryReference, count: 4 });
		assert.strictEqual(Buffer.from(data, 'base64').readInt32LE(), 7);
		const [{ i: now }] = await dc.scope('Locals');
		assert.strictEqual(now.value, '7');
	});

	it('knows threads, modules, sources, and where delegates lead',
		async () => {
			await reach('Values', 'delegates', ['delegates']);
			const { threads } = await dc.ask('threads');
			assert(threads.some((t) => t.id === dc.thread));
			const { modules } = await dc.ask('modules',
				{ startModule: 0, moduleCount: 1000 });
			const own = modules.find((m) => m.name === 'Values.dll');
			assert.strictEqual(own.symbolStatus, 'Symbols loaded.');
			const { sources } = await dc.ask('loadedSources');
			assert(sources.some((s) => s.path === source('Values')));
			const [locals] = await dc.scope('Locals');
			const place = await dc.ask('locations', { locationReference:
				locals.square.valueLocationReference });
			assert.strictEqual(place.source.path, source('Values'));
		});

	it('updates code', async () => {
		const built = `${process.env.PROGRAMS}/../HotReload/HotReload`;
		await dc.begin({ program: `${built}.dll`, stopAtEntry: true,
			args: [os.tmpdir()], hotReload: true });
		await dc.stopped('entry');
		await dc.ask('applyDeltas', { dllFileName: `${built}.dll`,
			deltaMD: `${built}.1.md`, deltaIL: `${built}.1.il`,
			deltaPDB: `${built}.1.pd` });
		assert(dc.events('output').some((e) => e.category === 'console' &&
			e.output === 'Hot reload: HotReload.dll: 4 methods replaced\n'));
	});

	it('gives sources that only the symbols have', async () => {
		await dc.begin({ program:
			`${process.env.PROGRAMS}/../Symbols/EmbedSource/Hello.dll` },
		() => dc.ask('setFunctionBreakpoints',
			{ breakpoints: [{ name: 'Add' }] }));
		await dc.stopped('breakpoint');
		const { source: embedded } = await dc.top();
		const { content } = await dc.ask('source', { source: embedded,
			sourceReference: embedded.sourceReference });
		assert.strictEqual(content,
			fs.readFileSync(source('Hello'), 'utf8'));
	});

	it('tells of long work, and is cancelled', async () => {
		await reach('Deep', 'bottom', ['30000']);
		const { stackFrames } = await dc.ask('stackTrace',
			{ threadId: dc.thread });
		assert(stackFrames.length > 30000);
		const start = await dc.nextEvent('progressStart');
		for (const name of ['progressUpdate', 'progressEnd'])
			assert.strictEqual((await dc.nextEvent(name)).progressId,
				start.progressId);
		// both at once: none is late
		dc.outputStream.cork();
		const both = [
			refused(dc.ask('stackTrace', { threadId: dc.thread }),
				/cancelled/),
			dc.ask('cancel', { requestId: start.requestId + 1 }),
		];
		dc.outputStream.uncork();
		await Promise.all(both);
	});

	it('restarts', async () => {
		await reach('Hello', 'call');
		await dc.ask('restart');
		await dc.stopped('breakpoint');
		const [first, second] = dc.events('process');
		assert.notStrictEqual(first.systemProcessId, second.systemProcessId);
	});

	it('asks a program to end', async () => {
		await dc.begin({ program: program('Signals'), args: ['term'] });
		await dc.nextEvent('output', (e) => e.output.includes('ready'));
		await dc.ask('terminate');
		assert.strictEqual((await dc.nextEvent('exited')).exitCode, 15);
		await dc.nextEvent('terminated');
	});

	it('attaches, and leaves', async () => {
		const process = spawn('dotnet', [program('Busy'), '2', '2'],
			{ stdio: ['pipe', 'pipe', 'inherit'] });
		let printed = '';
		process.stdout.on('data', (data) => { printed += data; });
		while (!printed.includes('ready'))
			await new Promise((done) => process.stdout.once('data', done));
		await dc.begin({ processId: process.pid },
			() => set('Busy', 'turn'), 'attach');
		const { capabilities } = await dc.nextEvent('capabilities');
		assert.strictEqual(capabilities.supportsRestartRequest, false);
		await dc.stopped('breakpoint');
		await dc.ask('disconnect', { terminateDebuggee: false,
			suspendDebuggee: true });
		dc.left = true;
		process.kill('SIGCONT');
		process.stdin.end();
		const code = await new Promise((done) => process.on('close', done));
		assert.strictEqual(code, 0);
		assert.match(printed, /right/);
	});

	it('runs a program in the terminal of the client', async () => {
		dc.onRequest('runInTerminal', ({ args }) => {
			const terminal = spawn('python3', ['-c',
				'import pty, sys; pty.spawn(sys.argv[1:])', ...args],
			{ stdio: ['pipe', 'ignore', 'ignore'] });
			return { processId: terminal.pid };
		});
		await dc.begin({ program: program('Hello'),
			console: 'integratedTerminal', cwd: '/tmp' });
		await dc.nextEvent('terminated');
		assert(!dc.events('output').some((e) => e.category === 'stdout'));
	});

	it('starts sessions for children', async () => {
		const child = new CheckedClient();
		await child.start();
		const session = new Promise((done) => {
			dc.onRequest('startDebugging', ({ configuration }) => {
				done(configuration);
			});
		});
		await dc.begin({ program: program('Children'), args: ['start', '1'],
			followChildren: true });
		const { type, request, ...args } = await session;
		assert.deepStrictEqual([type, request], ['coreclr', 'attach']);
		await child.begin(args, () => child.ask('setBreakpoints', {
			source: { path: source('Children') },
			breakpoints: [{ line: line('Children', 'child') }] }), 'attach');
		await child.stopped('breakpoint');
		await child.go();
		await child.nextEvent('terminated');
		await child.stop();
		await dc.nextEvent('terminated');
	});

	it('refuses what it does not know, and what makes no sense now',
		async () => {
			await dc.initializeRequest();
			await refused(dc.ask('restartFrame', { frameId: 1 }), /not known/);
			await refused(dc.ask('next', { threadId: 1 }), /no program/);
			await refused(dc.ask('launch', { program: 7 }), /'program'/);
		});
});
