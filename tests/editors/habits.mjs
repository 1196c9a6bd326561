// What somebody does in the first hour who knows Microsoft's debugger, in a
// repository that was set up for it. Scenarios of vscode.mjs.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { LONG, expanded, mark, see } from './workbench.mjs';

const LAUNCH = '.NET Core Launch (console)';
const at = (folder, name) => mark(path.join(folder, 'App'), name);

/** The processes below this one whose program's name is @name. */
function processes(name) {
	return fs.readdirSync('/proc').filter(n => /^\d+$/.test(n)).filter(pid => {
		try {
			return fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name &&
				fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
					.includes('--interpreter=vscode') &&
				fs.readlinkSync(`/proc/${pid}/exe`)
					.startsWith(process.env.EDITORS);
		} catch {
			return false;
		}
	}).map(Number);
}

// Breakpoints with conditions and messages, with calls in between.
export async function conditions(w, folder) {
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a condition is met', async () => {
		await w.breakpointBy('Debug: Add Conditional Breakpoint...',
			at(folder, 'turn'), 'i >= 3');
		await w.start(LAUNCH);
		await w.paused(at(folder, 'turn'), 3 * LONG);
		await expanded(w, 'Locals');
		await w.variableReads('i', '3');
		assert.match(await w.stopReason(), /^paused on \w+$/i);
	});
	await see(w, 'a call runs in the program, and it goes on', async () => {
		await w.console('Console.WriteLine("said " + i)');
		await w.consoleReads('said 3');
		await w.goOn();
		await w.variableReads('i', '4');
		await w.console('Console.Out.Flush()');
		await w.goOn();
		await w.variableReads('i', '5');
	});
	await see(w, 'a message with formats', async () => {
		await w.clear();
		await w.breakpointBy('Debug: Add Logpoint...', at(folder, 'turn'),
			'turn {i:D4}, {account.Balance / 3.0:F1}|{i,6}|');
		await w.goOn();
		await w.consoleReads(/turn 00\d\d, 16[.,]7\| +\d+\|/);
		await w.shot('messages');
	});
	await see(w, 'a call beside it, and it goes on', async () => {
		await w.breakpoint(at(folder, 'last'));
		await w.paused();
		await w.console('Console.WriteLine("beside " + i)');
		await w.consoleReads(/beside \d/);
		await w.clear();
		await w.goOn();
		await w.running();
	});
	await see(w, 'what is wrong with one is in the console', async () => {
		await w.breakpointBy('Debug: Add Logpoint...', at(folder, 'turn'),
			'turn {1 +}');
		await w.consoleReads(/the expression ends too early/);
		await w.shot('wrong');
	});
	await see(w, 'Stop', async () => {
		await w.clear();
		await w.stop();
	});
}

// What is typed and pressed while it stands.
export async function standing(w, folder) {
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a stop, its reason in a word or two', async () => {
		await w.breakpoint(at(folder, 'take'));
		await w.start(LAUNCH);
		await w.paused(at(folder, 'take'), 3 * LONG);
		assert.match(await w.stopReason(), /^paused on breakpoint$/i);
	});
	await see(w, 'lines of a source, pasted', async () => {
		for (const [line, answer] of [['account.Balance;', '100'],
			['?account.Balance', '100'], ['amount += 5;', '35'],
			['amount -= 5;', '30'], ['int q = 5;', '5'], ['var z = q + 1;', '6'],
			['q * z', '30']]) {
			await w.console(line);
			await w.page.waitForFunction(([asked, wanted]) => {
				const rows = [...document.querySelectorAll(
					'.repl .monaco-list-row')].map(e => e.textContent
					.replace(/\u00a0/g, ' ').trim());
				const last = rows.lastIndexOf(asked);
				return last >= 0 && rows[last + 1] === wanted;
			}, [line, answer]);
		}
		await w.console('System.Text.Json.JsonSerializer.Serialize(account)');
		await w.consoleReads(/no loaded assembly has it/);
		await w.shot('console');
	});
	await see(w, 'completions have kinds and types', async () => {
		await w.consoleTypes('account.');
		await w.keys('Control+Space');
		const row = (kind, text) => w.see('.repl .suggest-widget ' +
			`.monaco-list-row:has(.codicon-symbol-${kind}):has-text("${text}")`);
		await row('method', 'After');
		await row('property', 'Owner');
		await row('field', 'Balance');
		await w.reads('.repl .suggest-widget .monaco-list-row', 'int');
		await w.shot('completions');
		await w.keys('Escape');
		await w.keys('Control+A', 'Delete');
	});
	await see(w, 'a value of an object is watched', async () => {
		await expanded(w, 'Locals');
		await w.variable('account').click();
		await w.variableReads('Balance', '100');
		await w.menu(w.variable('Balance'), 'Break on Value Change');
		await w.reads('.debug-breakpoints .monaco-list-row', /Balance/);
		await w.line(at(folder, 'take'));
		await w.keys('F9');
		await w.goOn();
		await w.variableReads('Balance', '70');
		await w.shot('watched');
		assert.match(await w.stopReason(), /^paused on change$/i);
	});
	await see(w, 'it holds where its expression does not, and ends silently',
		async () => {
			await w.goOn();
			await w.variableReads('Balance', '50');
			await w.goOn();
			await w.running();
			await w.clear();
		});
	await see(w, 'pause, its reason in a word or two', async () => {
		await w.keys('F6');
		await w.paused();
		assert.match(await w.stopReason(), /^paused( on pause)?$/i);
		await w.shot('pause');
	});
	await see(w, 'restart while it stands: it runs, and says so', async () => {
		await w.keys('Control+Shift+F5');
		await w.running(3 * LONG);
		await w.page.waitForSelector('.debug-top-stack-frame-column', {
			state: 'detached' });
		await w.shot('restarted');
	});
	await see(w, 'the list to attach to: ours first, no debugger', async () => {
		await w.start('.NET Core Attach');
		await w.see('.quick-input-list .monaco-list-row');
		await w.reads('.quick-input-list .monaco-list-row', /App\.dll/);
		await w.shot('processes');
		const names = await w.listed();
		assert.match(names[0], /^App/);
		assert.ok(!names.includes('dndbg'), `dndbg is listed: ${names}`);
		await w.reads('.quick-input-list .monaco-list-row', /for \d+ \w+ in \//);
		await w.reads('.quick-input-list .monaco-list-row', /\(debugged\)/);
		await w.keys('Escape');
	});
	await see(w, 'a debugger that dies says so', async () => {
		const found = processes('dndbg');
		assert.strictEqual(found.length, 1, `${found.length} debuggers`);
		process.kill(found[0], 'SIGSEGV');
		await w.reads('.notification-toast', 'crashed \\(SIGSEGV\\)'
			.replace(/\\/g, ''));
		await w.see('.notification-toast .monaco-button:has-text("Show Log")');
		await w.shot('crashed');
		await w.ended();
	});
}

// What the palette and the explorer lead to.
export async function palette(w, folder) {
	await see(w, 'the commands', async () => {
		await w.openFile('Program.cs');
		const want = ['.NET: Attach to Process', '.NET: Open Core Dump',
			'.NET: Add launch.json', '.NET: Debug Tests of this File',
			'.NET: Select Project and Launch Profile', 'dndbg: Show Log',
			'dndbg: Report Issue'];
		for (const one of want) {
			await w.prompt('F1', `>${one}`);
			await w.see('.quick-input-list .monaco-list-row:has-text(' +
				`"${one}")`);
			await w.keys('Escape');
		}
		await w.prompt('F1', '>.NET:');
		await w.see('.quick-input-list .monaco-list-row:has-text("Attach")');
		await w.shot('palette');
		await w.keys('Escape');
	});
	await see(w, 'a core dump in the explorer opens', async () => {
		await w.command('View: Show Explorer');
		const file = w.page.locator('.explorer-folders-view .monaco-list-row',
			{ hasText: 'crash.dmp' });
		await w.menu(file, 'Open Core Dump');
		await w.paused(undefined, 3 * LONG);
		await w.reads('.exception-widget', 'Ada lacks 19.5');
		await w.shot('core');
	});
	await see(w, 'its heap by type', async () => {
		await w.command('.NET: Show Heap by Type');
		await w.reads('.view-lines', /MethodTable +Count +Bytes +Type/);
		await w.shot('heap');
		await w.stop();
	});
	await see(w, 'a report', async () => {
		await w.command('dndbg: Report Issue');
		await w.reads('.view-lines', 'What happened, and what should have');
		await w.shot('report');
	});
	await see(w, 'a launch.json', async () => {
		await w.command('.NET: Add launch.json');
		await w.reads('.view-line', 'Console.csproj');
		const file = path.join(folder, '.vscode/launch.json');
		assert.match(fs.readFileSync(file, 'utf8'), /Console\.csproj/);
	});
	await see(w, 'settings hold for what has no launch.json of its own',
		async () => {
			fs.rmSync(path.join(folder, '.vscode'), { recursive: true });
			fs.mkdirSync(path.join(folder, '.vscode'));
			fs.writeFileSync(path.join(folder, '.vscode/settings.json'),
				'{ "csharp.debug.stopAtEntry": true }');
			await w.openFile('Program.cs');
			await w.clear();
			await w.keys('F5');
			await w.paused(undefined, 3 * LONG);
			assert.match(await w.stopReason(), /^paused on entry$/i);
			await w.shot('entry');
			await w.stop();
		});
}
