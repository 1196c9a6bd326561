// vscode.mjs SCENARIO URL FOLDER SHOTS: VS Code's own workbench with the
// extension installed, driven as a person does. Prints a line for each thing
// that was seen; the exit status says whether all was.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Workbench, mark } from './workbench.mjs';

const [scenario, url, folder, shots] = process.argv.slice(2);
const source = path.join(folder, 'Program.cs');
const at = name => mark(source, name);
let failed = 0;

async function see(w, what, act) {
	try {
		await act();
		console.log(`ok    ${what}`);
	} catch (error) {
		failed++;
		console.log(`FAIL  ${what}: ${error.message.split('\n')[0]}`);
		await w.shot('fail-' + what.replace(/\W+/g, '-'));
		await w.keys('Escape', 'Escape');
	}
}

async function expanded(w, scope) {
	const row = w.variable(scope);
	if (await row.getAttribute('aria-expanded') === 'false')
		await row.click();
}

async function launch(w) {
	await see(w, 'the file', () => w.openFile('Program.cs'));
	await see(w, 'a breakpoint in the gutter', () => w.breakpoint(at('call')));
	await see(w, 'F5 builds, launches and stops there', async () => {
		await w.keys('F5');
		await w.paused(at('call'), 90000);
		await w.shot('paused');
	});
	await see(w, 'a variable is expanded', async () => {
		await expanded(w, 'Locals');
		await w.variable('account').click();
		await w.reads('.debug-variables .monaco-list-row', 'Ada');
		await w.reads('.debug-variables .monaco-list-row', '100.5');
	});
	await see(w, 'a value is changed', async () => {
		await w.variable('n:').or(w.variable('n =')).first().click();
		await w.keys('F2');
		await w.see('.debug-variables input');
		await w.keys('Control+A');
		await w.type('100');
		await w.keys('Enter');
		await w.reads('.debug-variables .monaco-list-row', '100');
		await w.shot('changed');
	});
	await see(w, 'hover shows a value', async () => {
		await w.line(at('call'));
		await w.page.locator('.view-line span:text-is("account")').first().hover();
		await w.see('.debug-hover-widget');
		await w.shot('hover');
	});
	await see(w, 'the debug console evaluates', async () => {
		await w.console('n + 1');
		await w.consoleReads('101');
	});
	await see(w, 'step in, and out', async () => {
		await w.command('View: Focus First Editor Group');
		await w.keys('F11');
		await w.paused(at('double'));
		await w.keys('Shift+F11');
		await w.paused(at('call'));
	});
	await see(w, 'step over, with the changed value in the output', async () => {
		await w.keys('F10');
		await w.paused(at('doubled'));
		await w.keys('F10');
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

const scenarios = { launch, attach };
const w = await Workbench.open(url, shots);
await scenarios[scenario](w);
await w.shot('end');
await w.close();
process.exit(failed ? 1 : 0);
