// vscode.mjs SCENARIO URL FOLDER SHOTS: VS Code's own workbench with the
// extension installed, driven as a person does. Prints a line for each thing
// that was seen; the exit status says whether all was.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as habits from './habits.mjs';
import * as shapes from './shapes.mjs';
import { LONG, Workbench, expanded, faults, mark, see } from './workbench.mjs';

const [scenario, url, folder, shots] = process.argv.slice(2);
const at = (name, below = '') => mark(path.join(folder, below), name);
const LAUNCH_JSON = path.join(folder, '.vscode/launch.json');

async function noLaunchJson() {
	assert.ok(!fs.existsSync(LAUNCH_JSON), 'a launch.json was written');
}

// A new user: nothing is set up.
async function launch(w) {
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a breakpoint in the gutter', () => w.breakpoint(at('call')));
	await see(w, 'F5 builds, launches and stops there', async () => {
		await w.keys('F5');
		await w.paused(at('call'), 3 * LONG);
		await w.shot('paused');
	});
	await see(w, 'a variable is expanded', async () => {
		await expanded(w, 'Locals');
		await w.variable('account').click();
		await w.variableReads('Owner', '"Ada"');
		await w.variableReads('Balance', '100\\.5');
	});
	await see(w, 'a value is changed', async () => {
		await w.variable('n').locator('.value').dblclick();
		const input = w.page.locator('.debug-variables input');
		assert.strictEqual(await input.inputValue(), '21');
		await input.fill('100');
		await w.keys('Enter');
		await w.variableReads('n', '100');
		await w.shot('changed');
	});
	await see(w, 'hover shows a value', async () => {
		await w.line(at('call'));
		await w.page.locator('.view-line span:text-is("account")').last().hover();
		await w.see('.debug-hover-widget');
		await w.shot('hover');
	});
	await see(w, 'the debug console evaluates', async () => {
		await w.console('n + 1');
		await w.consoleReads('101');
	});
	await see(w, 'its commands are completed', async () => {
		await w.consoleTypes('-exec info loc');
		// in the middle of a word; unasked it suggests at the beginning
		await w.keys('Control+Space');
		await w.reads('.repl .suggest-widget .monaco-list-row', 'locals');
		await w.shot('completed');
		await w.keys('Tab', 'Escape', 'Enter');
		await w.consoleReads('account = ');
	});
	await see(w, 'modules are listed, its own first', async () => {
		await w.command('Run and Debug: Focus on Modules View');
		await w.reads('[id="workbench.parts.sidebar"] ' +
			'.customview-tree .monaco-list-row', 'Console.dll');
		await w.shot('modules');
	});
	await see(w, 'step in, and out', async () => {
		await w.command('View: Focus First Editor Group');
		await w.keys('F11');
		await w.paused(at('body'));
		await w.keys('Shift+F11');
		await w.paused(at('call'));
	});
	await see(w, 'step over, with the changed value in the output', async () => {
		await w.keys('F10');
		await w.paused(at('doubled'));
		await w.keys('F10');
		await w.paused(at('input'));
		await w.consoleReads('doubled 200');
	});
	await see(w, 'exceptions are asked for', async () => {
		await w.command('Run and Debug: Focus on Breakpoints View');
		await w.page.locator('.debug-breakpoints .monaco-list-row',
			{ hasText: 'All Exceptions' }).locator('input').check();
	});
	await see(w, 'typed input reaches the program', async () => {
		await w.command('View: Focus First Editor Group');
		await w.keys('F5');
		await w.console('some words');
		await w.consoleReads('read some words');
	});
	await see(w, 'an exception is shown', async () => {
		await w.paused(at('null'));
		await w.reads('.exception-widget', 'NullReferenceException');
		await w.shot('exception');
	});
	await see(w, 'it goes on to its end', async () => {
		await w.command('View: Focus First Editor Group');
		await w.keys('F5');
		await w.ended();
		await w.consoleReads('caught');
	});
	await see(w, 'no launch.json was needed', noLaunchJson);
}

// An error in the program: Problems has it once, nothing is written anywhere.
async function broken(w) {
	const file = path.join(folder, 'Program.cs');
	const good = fs.readFileSync(file, 'utf8');
	fs.writeFileSync(file, good.replace('int n = 21;', 'int n = "x";'));
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'F5 tells of the error and asks', async () => {
		await w.keys('F5');
		await w.reads('.monaco-dialog-box', /preLaunchTask 'build Console.csproj'/,
			3 * LONG);
		await w.shot('asked');
	});
	await see(w, '"Show Errors" shows it, once', async () => {
		await w.button('Show Errors');
		await w.reads('.markers-panel .monaco-list-row', 'CS0029');
		await w.shot('problems');
		const rows = w.page.locator('.markers-panel .monaco-list-row',
			{ hasText: 'CS0029' });
		assert.strictEqual(await rows.count(), 1);
	});
	await see(w, 'no launch.json is written then', noLaunchJson);
	await see(w, 'Abort, and none is written', async () => {
		await w.keys('F5');
		await w.see('.monaco-dialog-box', 3 * LONG);
		await w.button('Abort');
		await w.ended();
		await noLaunchJson();
	});
	await see(w, '"Debug Anyway" without a program says what is missing', async () => {
		await w.keys('F5');
		await w.see('.monaco-dialog-box', 3 * LONG);
		await w.button('Debug Anyway');
		await w.reads('.monaco-dialog-box', "'Console.csproj' is not built");
		await w.shot('anyway');
		await w.button('OK');
		await noLaunchJson();
	});
	await see(w, 'what is mended is launched', async () => {
		fs.writeFileSync(file, good);
		await w.line(at('call'));
		await w.reads('.view-line', 'int n = 21;');
		await w.keys('F9');
		await w.keys('F5');
		await w.paused(at('call'), 3 * LONG);
		await w.keys('Shift+F5');
		await w.ended();
		await noLaunchJson();
	});
}

// Two projects in one folder: that of the file in front, listed, and written.
async function several(w) {
	await see(w, 'the file', () => w.openFile('Shop/Program.cs'));
	await see(w, 'a breakpoint', () => w.breakpoint(at('shop', 'Shop')));
	await see(w, 'F5 means the project of the file in front', async () => {
		await w.reads('.statusbar', 'Shop');
		await w.keys('F5');
		await w.paused(at('shop', 'Shop'), 3 * LONG);
		await w.keys('F5');
		await w.ended();
		await w.consoleReads('shop 12');
	});
	await see(w, 'the F5 list has each', async () => {
		await w.command('Debug: Select and Start Debugging');
		await w.pick('.NET (dndbg)...');
		await w.see('.quick-input-list .monaco-list-row:has-text(".NET: Shop")');
		await w.shot('list');
		assert.deepStrictEqual(await w.listed(),
			['.NET: Depot', '.NET: Shop', '.NET: attach']);
		await w.pick('.NET: Depot');
		await w.consoleReads('depot 0', 3 * LONG);
		await w.ended();
	});
	await see(w, 'one that was selected in the status bar holds', async () => {
		await w.page.locator('.statusbar-item[id*="dndbg.project"]').click();
		await w.pick('Depot');
		await w.reads('.statusbar', 'Depot');
		await w.openFile('Shop/Program.cs');
		await w.keys('F5');
		await w.consoleReads('depot 0', 3 * LONG);
		await w.ended();
		await w.page.locator('.statusbar-item[id*="dndbg.project"]').click();
		await w.pick('The project of the file in front');
		await w.reads('.statusbar', 'Shop');
	});
	await see(w, 'the launch.json that is written has each, once', async () => {
		await noLaunchJson();
		await w.command('View: Focus First Editor Group');
		await w.command('Debug: Add Configuration...');
		await w.reads('.view-line', 'Depot.csproj');
		await w.shot('written');
		const text = fs.readFileSync(LAUNCH_JSON, 'utf8')
			.replace(/^\s*\/\/.*$/gm, '');
		assert.deepStrictEqual(JSON.parse(text).configurations.map(c => c.name),
			['.NET: Depot', '.NET: Shop', '.NET: attach']);
	});
}

async function attach(w) {
	const dll = fs.readdirSync(path.join(folder, 'bin/Debug'))
		.map(name => path.join(folder, 'bin/Debug', name, 'Console.dll'))
		.find(fs.existsSync);
	const program = spawn('dotnet', [dll, 'wait'], { stdio: 'ignore' });
	let code = null;
	program.on('exit', (...how) => { code = how; });
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a breakpoint', () => w.breakpoint(at('turn')));
	await see(w, 'attach through the picker', async () => {
		await w.command('Debug: Select and Start Debugging');
		await w.type('attach');
		await w.see('.quick-input-list .monaco-list-row:has-text("attach")');
		await w.keys('Enter');
		await w.see('.quick-input-list .monaco-list-row:has-text("Console.dll")');
		await w.shot('picker');
		await w.type(String(program.pid));
		await w.keys('Enter');
		await w.paused(at('turn'));
		await w.shot('attached');
	});
	await see(w, 'detach: the program lives', async () => {
		await w.keys('Shift+F5');
		await w.ended();
		assert.strictEqual(code, null);
		assert.match(fs.readFileSync(`/proc/${program.pid}/status`, 'utf8'),
			/TracerPid:\t0/);
	});
	program.kill('SIGKILL');
}

// A flame graph of a program that runs, whose frames lead to the source.
async function profile(w) {
	const dll = fs.readdirSync(path.join(folder, 'bin/Debug'))
		.map(name => path.join(folder, 'bin/Debug', name, 'Console.dll'))
		.find(fs.existsSync);
	const program = spawn('dotnet', [dll, 'wait'], { stdio: 'ignore' });
	let page;
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a profile of the picked process', async () => {
		await w.command('dndbg: Profile a Process');
		await w.see('.quick-input-list .monaco-list-row:has-text("Console.dll")');
		await w.type(String(program.pid));
		await w.keys('Enter');
		await w.reads('.notification-toast', `Profiling process ${program.pid}`);
		await w.shot('profiling');
		await w.see(`.tab:has-text("Process ${program.pid}, .NET 10")`, 3 * LONG);
	});
	await see(w, 'its flame graph', async () => {
		for (const end = Date.now() + LONG; !page && Date.now() < end;) {
			for (const frame of w.page.frames())
				if (await frame.$('canvas').catch(() => null))
					page = frame;
		}
		const shown = await page.evaluate(`
			[...document.querySelectorAll('button')].find(
				b => b.textContent === 'Blocked').click();
			boxes.map(b => name(b.i))`);
		assert.ok(shown.some(name => /^Program\.Wait\(/.test(name)), shown);
		await w.shot('flames');
	});
	await see(w, 'Ctrl+click leads to the source', async () => {
		await page.evaluate(`{
			const box = boxes.find(b => /^Program\\.Wait\\(/.test(name(b.i)));
			const place = canvas.getBoundingClientRect();
			canvas.dispatchEvent(new MouseEvent('click', { bubbles: true,
				clientX: place.left + box.x + 1, clientY: place.top + box.y + 1,
				ctrlKey: true }));
		}`);
		await w.see('.tab:has-text("Program.cs")');
		await w.reads('.view-lines', 'Thread.Sleep(20)');
		await w.shot('source');
	});
	assert.match(fs.readFileSync(`/proc/${program.pid}/status`, 'utf8'),
		/TracerPid:\t0/);
	program.kill('SIGKILL');
}

// The core dump of a program that died of an exception.
async function core(w) {
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'F5 opens the dump where the exception was thrown', async () => {
		await w.keys('F5');
		await w.paused(at('pay'));
		await w.reads('.exception-widget', 'Ada lacks 19.5');
		await w.shot('core');
	});
	await see(w, 'its variables', async () => {
		await expanded(w, 'Locals');
		await w.variableReads('amount', '120');
		await w.variableReads('left', '-19\\.5');
		await w.variable('account').click();
		await w.variableReads('Owner', '"Ada"');
		await w.variable('Entries').click();
		await w.variableReads('\\[2\\]', '5');
	});
	await see(w, 'hover shows a value', async () => {
		await w.line(at('pay'));
		await w.page.locator('.view-line', { hasText: '@pay' })
			.locator('span:text-is("account")').first().hover();
		await w.see('.debug-hover-widget');
	});
	await see(w, 'the debug console evaluates', async () => {
		await w.console('account.Entries.Sum() + amount');
		await w.consoleReads('132');
		await w.console('-exec heap stat --top 1');
		await w.consoleReads('Total');
	});
	await see(w, 'the disassembly', async () => {
		await w.command('Debug: Open Disassembly View');
		await w.reads('.disassembly-view', 'call');
		await w.shot('disassembly');
	});
	await see(w, 'what needs a process is told', async () => {
		await w.keys('F10');
		await w.reads('.notification-toast, .monaco-dialog-box',
			'cannot run: look at');
		await w.shot('step');
	});
	await see(w, 'Stop ends the session', async () => {
		await w.keys('Shift+F5');
		await w.ended();
	});
}

// A project of tests: F5 runs them, what runs them is a session of its own.
async function tests(w) {
	await see(w, 'the file', () => w.openFile('SumTest.cs'));
	await see(w, 'a breakpoint', () => w.breakpoint(at('found')));
	await see(w, '"Debug test" above a test stops in it', async () => {
		await w.page.locator('.codelens-decoration a',
			{ hasText: /^Debug test$/ }).first().click();
		await w.paused(at('found'), 3 * LONG);
		await w.shot('lens');
		await w.keys('F5');
		await w.ended();
		await w.command('Debug Console: Focus on Debug Console View');
		await w.consoleReads(/Passed!.*Total:\s+1,/);
	});
	await see(w, 'F5 runs the tests and stops in one', async () => {
		await w.keys('F5');
		await w.paused(at('found'), 3 * LONG);
		await w.shot('test');
	});
	await see(w, 'two sessions', () => w.reads(
		'.debug-call-stack .monaco-list-row .session', /testhost/));
	await see(w, 'its variables', async () => {
		await expanded(w, 'Locals');
		await w.variableReads('found', '42');
	});
	await see(w, 'both end, and the test has passed', async () => {
		await w.command('View: Focus First Editor Group');
		await w.keys('F5');
		await w.ended();
		await w.command('Debug Console: Focus on Debug Console View');
		await w.consoleReads('Passed!');
	});
}

async function web(w) {
	let page;
	const shows = text => page.waitForFunction(wanted =>
		document.body && document.body.innerText === wanted, text,
	{ timeout: 3 * LONG });
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a breakpoint in a handler', () =>
		w.breakpoint(at('greeting')));
	await see(w, 'F5 starts the server, and a browser', async () => {
		page = w.context.waitForEvent('page', { timeout: 3 * LONG });
		await w.keys('F5');
		await w.consoleReads('Now listening on: http', 3 * LONG);
		page = await page;
		await shows('welcome');
		page.goto(page.url() + 'hello/Ada').catch(() => {});
	});
	await see(w, 'what both of its loggers write is there once', async () => {
		const lines = await w.page.locator('.repl .monaco-list-row',
			{ hasText: 'Now listening on: http' }).count();
		assert.strictEqual(lines, 1);
	});
	await see(w, 'a request stops there', async () => {
		await w.paused(at('greeting'));
		await expanded(w, 'Locals');
		await w.variableReads('greeting', '"hello Ada"');
		await w.shot('request');
	});
	await see(w, 'it is answered', async () => {
		await w.command('View: Focus First Editor Group');
		await w.keys('F5');
		await shows('hello Ada');
	});
	await see(w, 'Stop ends the server in good order', async () => {
		await w.keys('Shift+F5');
		await w.ended();
		await w.consoleReads('Application is shutting down');
	});
}

// A repository that was set up for Microsoft's debugger.
async function repository(w) {
	const app = name => at(name, 'App');
	await see(w, 'nothing of its launch.json is underlined', async () => {
		await w.openFile('launch.json');
		await w.command('View: Focus Problems');
		await w.reads('.markers-panel', 'No problems have been detected', LONG);
		await w.shot('launch-json');
	});
	await see(w, 'F5 takes its "coreclr" configuration', async () => {
		await w.openFile('Program.cs');
		await w.breakpoint(app('take'));
		await w.keys('F5');
		await w.paused(app('take'), 3 * LONG);
		await w.shot('taken');
	});
	await see(w, 'restart while it is paused: the next stop', async () => {
		await w.keys('F9');
		await w.keys('Control+Shift+F5');
		await w.see('.debug-toolbar .codicon-debug-pause', 3 * LONG);
		await w.shot('restarted');
		await w.keys('Shift+F5');
		await w.ended();
	});
	await see(w, 'an assertion that fails stops at its line', async () => {
		await w.openFile('FailTest.cs');
		await w.page.locator('.codelens-decoration a',
			{ hasText: /^Debug test$/ }).first().click();
		await w.paused(at('assert', 'Tests'), 3 * LONG);
		await w.reads('.exception-widget', 'Assert.Equal', LONG);
		await w.shot('assertion');
		await w.keys('F5');
		await w.ended();
	});
	await see(w, 'the Testing view runs the tests', async () => {
		await w.command('Test: Run All Tests');
		await w.see('.codicon-testing-failed-icon', 3 * LONG);
		await w.command('Testing: Focus on Test Explorer View');
		await w.page.locator('.test-explorer .monaco-list-row',
			{ hasText: 'Tests' }).first().click();
		await w.keys('ArrowRight');
		await w.reads('.test-explorer', 'FailTest', LONG);
		await w.shot('testing');
	});
	await see(w, 'the project of the file in front', async () => {
		await w.openFile('Program.cs');
		await w.reads('.statusbar-item', 'App', LONG);
	});
	await see(w, 'the log', async () => {
		await w.command('dndbg: Show Log');
		await w.reads('.output-view .view-lines', 'exit code', LONG);
		await w.shot('log');
	});
}

async function missing(w) {
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a debugger that is not there is said', async () => {
		await w.keys('F5');
		await w.reads('.monaco-dialog-box', "'/no/dndbg' is not found", 3 * LONG);
		await w.shot('missing');
	});
}

// `dotnet watch` applies edits to the program that is debugged (edits.json).
class Watch {
	constructor(name) {
		this.name = name;
		this.files = fs.readdirSync(folder, { recursive: true })
			.filter(file => /^(Pages\/)?\w+\.cs(html)?$/.test(file))
			.map(file => path.join(folder, file));
		this.log = path.join(shots, 'watch.log');
		this.asked = 0;
		const out = fs.openSync(this.log, 'w');
		this.process = spawn('dotnet', ['watch', '--non-interactive'], {
			cwd: folder, stdio: ['ignore', out, out], detached: true,
			env: {
				...process.env, DOTNET_WATCH_SUPPRESS_EMOJIS: '1',
				DOTNET_USE_POLLING_FILE_WATCHER: '1',
			},
		});
	}

	said() {
		return fs.readFileSync(this.log, 'utf8');
	}

	told() {
		return [...this.said().matchAll(/^told (.*)\n/gm)].map(m => m[1].split(' | '));
	}

	applied() {
		return this.said().split('changes applied').length;
	}

	async until(what, test) {
		for (const end = Date.now() + 4 * LONG; !test();) {
			assert.ok(Date.now() < end, `waited for ${what}: ${this.said().slice(-500)}`);
			await new Promise(go => setTimeout(go, 100));
		}
	}

	pid() {
		return Number(fs.readdirSync('/proc').find(pid => {
			try {
				return /^\d+$/.test(pid) &&
					fs.readFileSync(`/proc/${pid}/comm`, 'utf8') === `${this.name}\n` &&
					fs.readlinkSync(`/proc/${pid}/exe`).startsWith(folder);
			} catch {
				return false;
			}
		}));
	}

	async edit(changes) {
		const before = this.applied(), texts = new Map(this.files.map(file =>
			[file, fs.readFileSync(file, 'utf8')]));
		const edited = new Set();
		for (const [was, now] of changes) {
			const [file] = this.files.filter(one => texts.get(one).includes(was));
			assert.strictEqual(texts.get(file)?.split(was).length, 2, was);
			texts.set(file, texts.get(file).replace(was, () => now));
			edited.add(file);
		}
		for (const file of edited)
			fs.writeFileSync(file, texts.get(file));
		await this.until('the update', () => this.applied() > before);
	}

	/** The line of a mark, the next one, and what is told there: a value and variables. */
	find(name) {
		const [file] = this.files.filter(one =>
			fs.readFileSync(one, 'utf8').includes(`// @${name}\n`));
		assert.ok(file, `no mark ${name}`);
		const lines = fs.readFileSync(file, 'utf8').split('\n');
		const line = lines.findIndex(text => text.endsWith(`// @${name}`)) + 1;
		const behind = lines.findIndex((text, i) =>
			i >= line && /^\s*[^\s/]/.test(text));
		const [, expression, names] = lines[line - 1].match(/Tell\((.*), \[(.*)\]\);/);
		return { file, line, behind: behind + 1, expression, names: names.split(', ') };
	}

	end() {
		process.kill(-this.process.pid, 'SIGKILL');
	}
}

/** Stop at a mark in today's text; ask, step, and compare with what is told. */
async function reloaded(w, watch, name) {
	const { file, line, behind, expression, names } = watch.find(name);
	await w.openFile(path.basename(file));
	await w.breakpoint(line);
	await w.paused(line, 2 * LONG);
	await w.variableReads(names[0], '.+');
	// told apart from all other answers
	const tag = `answer ${++watch.asked}: `;
	await w.console(`"${tag}" + (${expression})`);
	await w.reads('.repl .evaluation-result', new RegExp(`^"${tag}`));
	const shown = (await w.page.locator('.repl .evaluation-result',
		{ hasText: new RegExp(`^"${tag}`) }).last().innerText())
		.trim().slice(tag.length + 1, -1);
	const before = watch.told().length;
	await w.command('View: Focus First Editor Group');
	await w.keys('F10');
	await watch.until('what it tells', () => watch.told().length > before);
	await w.paused(behind);
	const [told, ...variables] = watch.told()[before];
	assert.strictEqual(shown, told, `${expression} is ${shown}, told ${told}`);
	for (const [i, value] of variables.entries())
		await w.variableReads(names[i], `"?${value.replace(/[(){}+.*?]/g, '\\$&')}"?`);
}

/** It runs on, without breakpoints. */
async function runsOn(w) {
	await w.command('Debug: Remove All Breakpoints');
	await w.command('View: Focus First Editor Group');
	if (await w.page.locator('.debug-toolbar .codicon-debug-continue').count())
		await w.keys('F5');
	await w.see('.debug-toolbar .codicon-debug-pause');
}

async function reload(w, _, name = 'Reload') {
	const watch = new Watch(name);
	const edits = JSON.parse(fs.readFileSync(path.join(folder, 'edits.json')));
	await see(w, 'dotnet watch runs the program', async () => {
		await watch.until('the program', () => watch.told().length &&
			watch.said().includes('Waiting for changes'));
		fs.mkdirSync(path.dirname(LAUNCH_JSON));
		fs.writeFileSync(LAUNCH_JSON, JSON.stringify({
			version: '0.2.0', configurations: [{
				type: 'dndbg', request: 'attach', name: 'watched',
				processId: watch.pid(),
			}],
		}));
	});
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'attach by launch.json', async () => {
		await w.keys('F5');
		await w.see('.debug-toolbar', 2 * LONG);
	});
	for (const [name, marks, ...changes] of edits) {
		await see(w, name, async () => {
			await watch.edit(changes);
			for (const at of marks) {
				try {
					await reloaded(w, watch, at);
				} finally {
					await runsOn(w);
				}
			}
		});
	}
	await w.shot('edited');
	watch.end();
}

const scenarios = {
	launch, broken, several, attach, profile, core, tests, web, repository, missing,
	reload,
	reload_web: w => reload(w, folder, 'ReloadWeb'),
	reload_tests: w => reload(w, folder, 'ReloadTests'),
	...habits, ...shapes,
};
const w = await Workbench.open(url, shots);
await scenarios[scenario](w, folder);
await w.shot('end');
await w.close();
process.exit(faults() ? 1 : 0);
