// A person at VS Code's workbench, in a headless browser: what is pressed and
// what is looked at. Each scenario of vscode.mjs says what it wants in these
// words.
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';

const tools = process.env.EDITORS;
const { chromium } = createRequire(path.join(tools, 'browser/'))('playwright-core');
const OFFLINE = ['--no-sandbox', '--disable-gpu', '--no-first-run',
	'--disable-background-networking', '--disable-component-update',
	'--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'];
const PAUSED = '.debug-toolbar .codicon-debug-step-over';
const PROMPT = '.quick-input-widget:not([style*="display: none"]) input';
/** What may take as long as a loaded machine wants. */
export const LONG = 60000;
/** A key that nobody heard within this time is pressed again. */
const UNHEARD = 5000;

/** Line number of a mark `// @name` in the C# file of a folder. */
export function mark(folder, name) {
	const [file] = fs.readdirSync(folder).filter(f => f.endsWith('.cs'));
	const lines = fs.readFileSync(path.join(folder, file), 'utf8').split('\n');
	const at = lines.findIndex(line => line.includes(`// @${name}`));
	assert.ok(at >= 0, `no mark ${name}`);
	return at + 1;
}

let failed = 0;

/** One thing that is to be seen, by what a person does for it. */
export async function see(w, what, act) {
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

/** How many of them were not. */
export function faults() {
	return failed;
}

/** A scope's variables are shown. */
export async function expanded(w, scope) {
	const row = w.variable(scope);
	if (await row.getAttribute('aria-expanded') === 'false')
		await row.click();
}

export class Workbench {
	constructor(context, page, shots) {
		Object.assign(this, { context, page, shots, n: 0 });
	}

	static async open(url, shots) {
		fs.mkdirSync(shots, { recursive: true });
		const home = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-browser-'));
		const context = await chromium.launchPersistentContext(home, {
			executablePath: '/usr/bin/chromium', headless: true, args: OFFLINE,
			viewport: { width: 1400, height: 1000 },
		});
		const page = context.pages()[0] || await context.newPage();
		page.setDefaultTimeout(LONG);
		const w = new Workbench(context, page, shots);
		w.home = home;
		await page.goto(url);
		await w.see('.monaco-workbench', LONG);
		return w;
	}

	async close() {
		await this.context.close();
		fs.rmSync(this.home, { recursive: true, force: true });
	}

	see(selector, timeout = LONG) {
		return this.page.waitForSelector(selector, { timeout });
	}

	/** Wait until what is shown at a selector has a text, or fits a pattern. */
	async reads(selector, text, timeout = LONG) {
		const pattern = text instanceof RegExp ? text.source :
			text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
		await this.page.waitForFunction(([s, wanted]) =>
			[...document.querySelectorAll(s)].some(e =>
				new RegExp(wanted).test(e.textContent.replace(/\u00a0/g, ' '))),
		[selector, pattern], { timeout });
	}

	async keys(...names) {
		for (const name of names)
			await this.page.keyboard.press(name);
	}

	type(text) {
		return this.page.keyboard.type(text, { delay: 10 });
	}

	async shot(name) {
		await this.page.screenshot({
			path: path.join(this.shots, `${++this.n}-${name}.png`),
		});
	}

	/** Wait until what is typed goes to what a selector finds. */
	focused(selector, timeout = LONG) {
		return this.page.waitForFunction(s =>
			document.activeElement && document.activeElement.closest(s),
		selector, { timeout });
	}

	/**
	 * The input that a key opens, with this in it. While the workbench is busy
	 * a key may be lost, or something else takes the focus, which closes the
	 * input again: what is typed then would go to the editor.
	 */
	async prompt(key, text) {
		const end = Date.now() + LONG;
		const input = this.page.locator(PROMPT).first();
		for (;;) {
			await this.keys(key);
			try {
				await this.focused(PROMPT, UNHEARD);
				await input.fill(text, { timeout: UNHEARD });
				return;
			} catch (error) {
				if (Date.now() > end)
					throw error;
			}
		}
	}

	/** The input with this in it is gone, or is another's. */
	answered(text) {
		return this.page.waitForFunction(([selector, was]) => {
			const input = document.querySelector(selector);
			return !input || input.value !== was;
		}, [PROMPT, text]);
	}

	/** A command of the palette. */
	async command(title) {
		await this.prompt('F1', `>${title}`);
		await this.pick(title.split(': ').pop());
		await this.answered(`>${title}`);
	}

	/** An entry of the list that is shown. */
	async pick(text) {
		const row = this.page.locator('.quick-input-list .monaco-list-row',
			{ hasText: text }).first();
		await row.click({ timeout: 3 * LONG });
	}

	/** The entries of the list that is shown. */
	listed() {
		return this.page.locator('.quick-input-list .monaco-list-row ' +
			'.quick-input-list-label .label-name').allInnerTexts();
	}

	/** A button of the dialog that is shown. */
	async button(text) {
		await this.page.locator('.monaco-dialog-box .monaco-button',
			{ hasText: text }).first().click();
	}

	async openFile(name) {
		await this.prompt('Control+P', name);
		await this.pick(path.basename(name));
		await this.answered(name);
		await this.see('.monaco-editor .view-lines');
	}

	async line(number) {
		await this.command('View: Focus First Editor Group');
		await this.prompt('Control+G', `:${number}`);
		await this.keys('Enter');
		await this.answered(`:${number}`);
		await this.reads('.line-numbers.active-line-number', String(number));
		// keys of the editor are heard there alone
		await this.focused('.editor-group-container .monaco-editor');
	}

	/** A breakpoint in the gutter. */
	async breakpoint(number) {
		await this.line(number);
		await this.keys('F9');
		await this.see('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified');
	}

	/** The debugger stands at a line. */
	async paused(number, timeout = LONG) {
		await this.see(PAUSED, timeout);
		await this.see('.debug-top-stack-frame-column, .debug-top-stack-frame, ' +
			'.codicon-debug-stackframe', timeout);
		if (number)
			await this.reads('.line-numbers.active-line-number',
				new RegExp(`^${number}$`));
	}

	/** No session any more. */
	async ended() {
		await this.page.waitForSelector('.debug-toolbar', {
			state: 'hidden', timeout: LONG,
		});
	}

	/** A configuration of launch.json, by its name. */
	async start(name) {
		await this.command('Debug: Select and Start Debugging');
		await this.see('.quick-input-list .monaco-list-row');
		await this.type(name);
		await this.pick(name);
	}

	/** Go on from a stop. */
	async goOn() {
		await this.command('View: Focus First Editor Group');
		await this.keys('F5');
	}

	/** It runs: the toolbar offers to pause it. */
	running(timeout = LONG) {
		return this.see('.debug-toolbar .codicon-debug-pause', timeout);
	}

	/** Stop the session; what a failure before left running, too. */
	async stop() {
		const toolbar = this.page.locator('.debug-toolbar');
		await this.page.bringToFront();
		do {
			await this.keys('Shift+F5');
			await toolbar.waitFor({ state: 'hidden', timeout: LONG / 4 })
				.catch(() => {});
		} while (await toolbar.isVisible());
	}

	/** No breakpoint is left. */
	async clear() {
		await this.command('Debug: Remove All Breakpoints');
	}

	/** What the widget of a line's breakpoint is told, by its command. */
	async breakpointBy(title, number, text) {
		await this.line(number);
		await this.command(title);
		await this.focused('.breakpoint-widget');
		await this.type(text);
		await this.keys('Enter');
		await this.page.waitForSelector('.breakpoint-widget',
			{ state: 'detached' });
	}

	/** An entry of the menu of what a right click hits. */
	async menu(locator, text) {
		await locator.click({ button: 'right' });
		const item = this.page.locator('.monaco-menu .action-label', { hasText: text });
		// one that is not under the mouse yet does nothing
		await item.first().hover();
		await item.first().click();
	}

	/** Why it stands, as the call stack says it. */
	stopReason() {
		return this.page.locator('.call-stack-state-message .label, ' +
			'.debug-call-stack .thread .state.label').first().innerText();
	}

	/** The row of a variable or a scope. */
	variable(name) {
		return this.page.locator('.debug-variables .monaco-list-row', {
			hasText: new RegExp(`^\\s*${name}\\s*([=:]|$)`),
		}).first();
	}

	/** What a variable's row shows, when it shows it. */
	async variableReads(name, value) {
		await this.reads('.debug-variables .monaco-list-row',
			new RegExp(`^\\s*${name}\\s*[=:]\\s*${value}$`));
	}

	/** Type a line at the debug console, in place of what is there. */
	async consoleTypes(text) {
		await this.command('Debug Console: Focus on Debug Console View');
		await this.focused('.repl');
		await this.keys('Control+A');
		await this.type(text);
	}

	async console(text) {
		await this.consoleTypes(text);
		await this.keys('Escape', 'Enter');
	}

	consoleReads(text, timeout = LONG) {
		return this.reads('.repl .monaco-list-row', text, timeout);
	}
}
