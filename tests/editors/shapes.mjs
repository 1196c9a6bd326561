// A launch.json of ten shapes that repositories have for Microsoft's debugger,
// unchanged. check-editors lays the workspace out: App, Web and Tests are built,
// App lies in moved (compiled elsewhere) and stripped (its symbols apart), too.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { LONG, expanded, mark, see } from './workbench.mjs';

/** Stop where Take is called, in what a configuration starts or attaches to. */
async function stopsIn(w, name, line, more = async () => {}) {
	await w.start(name);
	await more();
	await w.paused(line, 3 * LONG);
	await w.shot(name.replace(/\W+/g, '-'));
}

/** A program that a configuration attaches to, until @act is over. */
async function beside(words, options, act) {
	const child = spawn(words[0], words.slice(1),
		{ stdio: ['ignore', 'pipe', 'inherit'], ...options });
	try {
		await new Promise((resolve, reject) => {
			child.stdout.once('data', resolve);
			child.once('error', reject);
			child.once('exit', () => reject(new Error('it ended at once')));
		});
		await act(child);
		assert.strictEqual(child.exitCode, null, 'the program is gone');
	} finally {
		child.kill('SIGKILL');
	}
}

function terminal(w, text) {
	return w.reads('.terminal-wrapper .xterm-accessibility, ' +
		'.terminal-wrapper .xterm-rows', text);
}

export async function shapes(w, folder) {
	const at = name => mark(path.join(folder, 'App'), name);
	const turn = at('turn'), take = at('take');
	const launch = fs.readFileSync(path.join(folder, '.vscode/launch.json'));
	const breaks = async (file, line) => {
		if (await w.page.locator('.debug-toolbar').isVisible())
			await w.stop();
		await w.clear();
		await w.openFile(file);
		await w.breakpoint(line);
	};

	await see(w, 'nothing of it is underlined', async () => {
		await w.openFile('launch.json');
		await w.command('View: Focus Problems');
		await w.reads('.markers-panel', 'No problems have been detected');
	});
	await see(w, '1 console: built, in the terminal, its words whole', async () => {
		await breaks('App/Program.cs', take);
		await stopsIn(w, '1 console', take);
		await w.command('Terminal: Focus Terminal');
		await terminal(w, /given \[one two\].*given \[--port\].*given \[8080\]/s);
		await expanded(w, 'Locals');
		await w.variableReads('amount', '30');
		await w.stop();
	});
	await see(w, '2 web: the browser opens, a request stops', async () => {
		await breaks('Web/Program.cs', mark(path.join(folder, 'Web'), 'greeting'));
		let page = w.context.waitForEvent('page', { timeout: 3 * LONG });
		await w.start('2 web');
		page = await page;
		await page.waitForFunction(() => document.body &&
			document.body.innerText === 'welcome', null, { timeout: 3 * LONG });
		page.goto(new URL('hello/Ada', page.url()).href).catch(() => {});
		await w.page.bringToFront();
		await w.paused(mark(path.join(folder, 'Web'), 'greeting'));
		await w.shot('2-web');
		await w.stop();
		await page.close();
	});
	const app = path.join(folder, 'App/bin/Debug/net10.0/App');
	await see(w, '3 attach: by the picker', () => beside([app, 'ready'], {},
		async child => {
			await breaks('App/Program.cs', turn);
			await stopsIn(w, '3 attach', turn, async () => {
				await w.see('.quick-input-list .monaco-list-row:has-text("App")');
				await w.type(String(child.pid));
				await w.keys('Enter');
			});
			await w.stop();
		}));
	await see(w, '4 processName', () => beside(
		[path.join(folder, 'served/Served'), 'ready'], {}, async () => {
			await breaks('App/Program.cs', turn);
			await stopsIn(w, '4 by name', turn);
			await w.stop();
		}));
	await see(w, '5 tests: what runs them is followed', async () => {
		const line = mark(path.join(folder, 'Tests'), 'passes');
		await breaks('FailTest.cs', line);
		await stopsIn(w, '5 tests', line);
		await w.goOn();
		await w.ended();
	});
	await see(w, '6 profile of launchSettings.json', async () => {
		await breaks('App/Program.cs', take);
		await stopsIn(w, '6 profile', take);
		await w.consoleReads(
			'given [https://localhost:7001;http://localhost:5001]');
		await w.consoleReads('given [of the profile]');
		await w.stop();
	});
	await see(w, '7 env and envFile', async () => {
		await breaks('App/Program.cs', take);
		await stopsIn(w, '7 variables', take);
		for (const text of ['1 2', 'a # b', 'of env'])
			await w.consoleReads(`given [${text}]`);
		await w.stop();
	});
	await see(w, '8 sourceFileMap: compiled elsewhere', async () => {
		await breaks('App/Program.cs', take);
		await stopsIn(w, '8 sources', take);
		await w.stop();
	});
	await see(w, '9 symbolOptions: symbols apart', async () => {
		await breaks('App/Program.cs', take);
		await stopsIn(w, '9 symbols', take);
		await w.stop();
	});
	if (process.getuid() === 0)
		await see(w, '10 container: by docker exec', () => beside(
			[path.join(folder, 'container.sh')], {}, async child => {
				// its first process, of which unshare is the parent
				fs.writeFileSync(path.join(folder, 'container'), fs.readFileSync(
					`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
				await breaks('App/Program.cs', turn);
				await stopsIn(w, '10 container', turn, async () => {
					await w.see('.quick-input-list ' +
						'.monaco-list-row:has-text("App.dll")', 2 * LONG);
					await w.keys('Enter');
				});
				await w.stop();
			}));
	await see(w, 'launch.json is as it was', async () =>
		assert.ok(launch.equals(fs.readFileSync(
			path.join(folder, '.vscode/launch.json')))));
}
