'use strict';
// The Testing view: the tests that the sources of test projects hold, run by
// the projects' runners or debugged; their results from the TRX files that
// these write, with what failed at its line.

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const vscode = require('vscode');
const project = require('./lib/project');
const runner = require('./lib/runner');
const tests = require('./lib/tests');
const trx = require('./lib/trx');
const { TYPE, dotnet } = require('./launch');

const SOURCE_MAX = 4 << 20;

/** The C# files of a project, those of projects below it left out. */
function sources(folder, top = true) {
	const entries = fs.readdirSync(folder, { withFileTypes: true });
	if (!top && entries.some(one => project.PROJECT.test(one.name)))
		return [];
	return entries.flatMap(one => {
		const file = path.join(folder, one.name);
		if (one.isDirectory())
			return project.PASSED_OVER.test(one.name) ? [] :
				sources(file, false);
		return one.isFile() && one.name.endsWith('.cs') ? [file] : [];
	});
}

function position(text, at) {
	const before = text.slice(0, at).split('\n');
	return new vscode.Position(before.length - 1,
		before[before.length - 1].length);
}

/** Does it ask for all tests? */
function all(request) {
	return !request.include || !request.include.length;
}

/** The tests of a request by their project: {file: [item]}. */
function wanted(controller, request) {
	const out = new Set(request.exclude || []);
	const found = new Map();
	const add = item => {
		if (out.has(item))
			return;
		if (item.children.size) {
			item.children.forEach(add);
			return;
		}
		const [file] = item.id.split('|');
		found.set(file, [...found.get(file) || [], item]);
	};
	if (all(request))
		controller.items.forEach(add);
	else
		request.include.forEach(add);
	return found;
}

/** The last part of an item's id: the name of its method. */
function nameOf(item) {
	return item.id.slice(item.id.indexOf('|') + 1);
}

class Testing {
	constructor() {
		this.debugged = new Map(); // key of a session: its end
		this.controller =
			vscode.tests.createTestController(TYPE, '.NET tests');
		this.controller.resolveHandler = item => item || this.discover();
		this.controller.refreshHandler = () => this.discover();
		const { Run, Debug } = vscode.TestRunProfileKind;
		this.controller.createRunProfile('Run', Run,
			(request, token) => this.run(request, token, false), true);
		this.controller.createRunProfile('Debug', Debug,
			(request, token) => this.run(request, token, true), true);
	}

	/** List the test projects of all folders, and their tests. */
	discover() {
		const items = [];
		for (const folder of vscode.workspace.workspaceFolders || []) {
			const root = folder.uri.fsPath;
			for (const file of project.sorted(project.find(root)).tests)
				items.push(this.projectItem(file));
		}
		this.controller.items.replace(items);
	}

	item(id, label, file, range) {
		const made = this.controller.createTestItem(id, label,
			vscode.Uri.file(file));
		made.range = range;
		return made;
	}

	projectItem(file) {
		const name = path.basename(file).replace(/\.\w+$/, '');
		const made = this.item(file, name, file);
		made.children.replace(sources(path.dirname(file)).flatMap(source =>
			fs.statSync(source).size > SOURCE_MAX ? [] :
				this.classItems(file, source)));
		return made;
	}

	classItems(file, source) {
		const text = fs.readFileSync(source, 'utf8');
		const { classes, tests: found } = tests.find(text);
		const range = at => new vscode.Range(position(text, at),
			position(text, at));
		return classes.map(one => {
			const made = this.item(`${file}|${one.name}`, one.name, source,
				range(one.at));
			made.children.replace(found
				.filter(test => test.name.startsWith(`${one.name}.`) &&
					!test.name.slice(one.name.length + 1).includes('.'))
				.map(test => this.item(`${file}|${test.name}`,
					test.name.slice(one.name.length + 1), source,
					range(test.at))));
			return made;
		});
	}

	/** A source was saved: list the tests of its project anew. */
	saved(document) {
		const file = document.uri.fsPath;
		const folder = vscode.workspace.getWorkspaceFolder(document.uri);
		const owner = folder && /\.(cs|\w+proj)$/.test(file) &&
			project.owner(file, folder.uri.fsPath);
		if (owner && project.sorted([owner]).tests.length)
			this.controller.items.add(this.projectItem(owner));
	}

	async run(request, token, debug) {
		// Nothing is listed before the view is first opened.
		if (all(request) && !this.controller.items.size)
			this.discover();
		const run = this.controller.createTestRun(request);
		try {
			await vscode.workspace.saveAll(false);
			for (const [file, items] of wanted(this.controller, request))
				if (!token.isCancellationRequested)
					await this.runProject(run, token, file, items, debug);
		} finally {
			run.end();
		}
	}

	async runProject(run, token, file, items, debug) {
		items.forEach(item => run.enqueued(item));
		const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dndbg-tests-'));
		try {
			const folder = path.dirname(file);
			const { args, env } = project.build(file);
			if (await this.print(run, token, 'dotnet', args, folder, env))
				throw new Error(`'${path.basename(file)}' does not build`);
			items.forEach(item => run.started(item));
			const whole = this.controller.items.get(file);
			const names = whole && this.leaves(whole) === items.length ? [] :
				items.map(nameOf);
			const dll = runner.kind(file) === 'vstest' ? undefined :
				project.target(file, await dotnet(project.query(file), folder));
			const how = runner.run(file, { names, classes: [] }, dir, dll);
			if (debug)
				await this.debug(run, token, file, how);
			else
				await this.print(run, token, how.program, how.args, how.cwd);
			this.tell(run, items, path.join(dir, runner.RESULTS));
		} catch (error) {
			const message = new vscode.TestMessage(error.message);
			items.forEach(item => run.errored(item, message));
		} finally {
			fs.rmSync(dir, { recursive: true, force: true });
		}
	}

	leaves(item) {
		let n = 0;
		item.children.forEach(child => {
			n += child.children.size ? this.leaves(child) : 1;
		});
		return n;
	}

	/** Run a command, its output in that of the run; its exit code. */
	print(run, token, command, args, cwd, env) {
		return new Promise((resolve, reject) => {
			const child = spawn(command, args,
				{ cwd, env: { ...process.env, ...env } });
			const stop = token.onCancellationRequested(() => child.kill());
			const show = data =>
				run.appendOutput(String(data).replace(/\r?\n/g, '\r\n'));
			child.stdout.on('data', show);
			child.stderr.on('data', show);
			child.on('error', reject);
			child.on('close', code => {
				stop.dispose();
				resolve(code);
			});
		});
	}

	/** Debug a command to its end. */
	async debug(run, token, file, how) {
		const key = String(Math.random());
		const ended = new Promise(resolve => this.debugged.set(key, resolve));
		const folder = vscode.workspace.getWorkspaceFolder(
			vscode.Uri.file(file));
		const stop = token.onCancellationRequested(() =>
			vscode.debug.stopDebugging());
		const begun = await vscode.debug.startDebugging(folder, {
			type: TYPE, request: 'launch', name: path.basename(file),
			...how, __tests: key,
		}, { testRun: run });
		if (begun)
			await ended;
		this.debugged.delete(key);
		stop.dispose();
		if (!begun)
			throw new Error('the debugger was not started');
	}

	sessionEnded(session) {
		const resolve = this.debugged.get(session.configuration.__tests);
		if (resolve)
			resolve();
	}

	/** Tell what the file of results says of each test. */
	tell(run, items, file) {
		if (!fs.existsSync(file))
			throw new Error('the tests left no results: see the output of ' +
				'the run');
		const byName = new Map();
		for (const one of trx.parse(fs.readFileSync(file, 'utf8')))
			byName.set(one.name, [...byName.get(one.name) || [], one]);
		for (const item of items) {
			const all = byName.get(nameOf(item)) || [];
			const time = all.reduce((sum, one) => sum + (one.duration || 0), 0);
			const failed = all.filter(one => one.outcome === 'Failed');
			if (failed.length)
				run.failed(item, failed.map(one => this.message(item, one)),
					time);
			else if (all.some(one => one.outcome === 'Passed'))
				run.passed(item, time);
			else
				run.skipped(item);
			for (const one of all.filter(each => each.output))
				run.appendOutput(one.output.replace(/\r?\n/g, '\r\n') + '\r\n',
					undefined, item);
		}
	}

	message(item, result) {
		const said = [result.message, result.stack].filter(Boolean).join('\n');
		const parts = trx.difference(result.message);
		const made = parts ? vscode.TestMessage.diff(said, parts.expected,
			parts.actual) : new vscode.TestMessage(said);
		const at = trx.places(result.stack)
			.filter(place => fs.existsSync(place.file));
		const own = at.find(place => place.file === item.uri.fsPath) || at[0];
		if (own)
			made.location = new vscode.Location(vscode.Uri.file(own.file),
				new vscode.Position(own.line - 1, 0));
		return made;
	}
}

function register() {
	if (vscode.workspace.getConfiguration(TYPE).get('testing') === false)
		return [];
	const testing = new Testing();
	return [testing.controller,
		vscode.workspace.onDidSaveTextDocument(one => testing.saved(one)),
		vscode.debug.onDidTerminateDebugSession(one =>
			testing.sessionEnded(one))];
}

module.exports = { register };
