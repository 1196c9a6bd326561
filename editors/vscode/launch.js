'use strict';
// From F5 to what dndbg is to launch: the configurations that are offered, the
// task that builds the project, and the program that the project makes.
//
// VS Code asks in two steps: resolveDebugConfiguration() names the task that
// builds the project, VS Code runs it and asks what to do about errors, then
// resolveDebugConfigurationWithSubstitutedVariables() names the program. An
// Error thrown in either would have VS Code write a launch.json: what goes
// wrong is shown here, and the answer is "no configuration".

const { execFile } = require('child_process');
const fs = require('fs');
const path = require('path');
const vscode = require('vscode');
const attach = require('./attach');
const defaults = require('./lib/defaults');
const profiles = require('./lib/profiles');
const project = require('./lib/project');
const remote = require('./remote');
const { picks } = require('./lib/vsdbg');
const { folderOf } = require('./selection');

const TYPE = 'dndbg';

/** Run dotnet; what it printed, or an Error that holds it. */
function dotnet(args, cwd) {
	return new Promise((resolve, reject) => {
		const options = { cwd, maxBuffer: 64 << 20 };
		execFile('dotnet', args, options, (error, stdout, stderr) => {
			if (!error)
				return resolve(stdout);
			if (error.code === 'ENOENT')
				error.message = "the .NET SDK is not found: no 'dotnet' in PATH";
			else
				error.message = stdout + stderr || error.message;
			reject(error);
		});
	});
}

/** Do something for the user; what goes wrong is shown, and is undefined. */
async function told(work) {
	try {
		return await work();
	} catch (error) {
		vscode.window.showErrorMessage(error.message, { modal: true });
		return undefined;
	}
}

function label(file) {
	return `build ${path.basename(file)}`;
}

/** How preLaunchTask names the task that builds a project. */
function taskName(file) {
	return { type: TYPE, project: file, name: label(file) };
}

/** The tasks that build: of each project, and of those that were named. */
class Builds {
	constructor() {
		this.named = new Map(); // project file: workspace folder
	}

	/** The preLaunchTask that builds a project of the folder. */
	task(folder, file) {
		this.named.set(file, folder);
		return taskName(file);
	}

	make(folder, file, definition) {
		const { args, env } = project.build(file);
		const run = new vscode.ProcessExecution('dotnet', args,
			{ cwd: path.dirname(file), env });
		const task = new vscode.Task(definition, folder, label(file), TYPE,
			run, '$msCompile');
		task.group = vscode.TaskGroup.Build;
		task.presentationOptions = {
			reveal: vscode.TaskRevealKind.Silent, clear: true,
			showReuseMessage: false,
		};
		return task;
	}

	provideTasks() {
		const found = new Map(this.named);
		for (const folder of vscode.workspace.workspaceFolders || []) {
			const { programs, tests } =
				project.sorted(project.find(folder.uri.fsPath));
			for (const file of [...programs, ...tests])
				found.set(file, folder);
		}
		return [...found].map(([file, folder]) =>
			this.make(folder, file, { type: TYPE, project: file }));
	}

	// One of tasks.json, which may name the project as launch.json does.
	resolveTask(task) {
		const folder = task.scope;
		if (!folder || !folder.uri || !task.definition.project)
			return undefined;
		const file = project.resolve(task.definition.project,
			folder.uri.fsPath);
		return this.make(folder, file, task.definition);
	}
}

/** {project, profile} to launch: named, selected or picked; or nothing. */
async function choose(folder, config, selection) {
	const root = folder.uri.fsPath;
	if (!config.project)
		return selection.choose(root);
	const named = project.resolve(config.project, root);
	if (!fs.existsSync(named))
		throw new Error(`no such project: '${named}'`);
	return { project: named };
}

/** What dndbg is to launch for the project @file, which is built. */
async function launched(file, config) {
	const { project: _, build: __, ...rest } = config;
	const text = fs.readFileSync(file, 'utf8');
	if (project.isTest(text))
		return project.testRun(file, rest);
	const folder = path.dirname(file);
	const program = project.target(file, await dotnet(project.query(file),
		folder));
	if (!fs.existsSync(program))
		throw new Error(`'${path.basename(file)}' is not built: ` +
			`there is no '${program}'`);
	return browses({ cwd: folder, ...rest, program }, project.isWeb(text));
}

/**
 * A launch that opens a browser if launchBrowser, or of a web project its
 * profile, wants it to.
 */
function browses(config, isWeb) {
	const { launchBrowser, ...made } = config;
	if (!isWeb && launchBrowser === undefined)
		return config;
	const action = (isWeb || launchBrowser) && !made.serverReadyAction &&
		profiles.serverReady(config, profiles.chosen(config));
	return action ? { ...made, serverReadyAction: action } : made;
}

/** What somebody has set, of the workspace or for all; undefined: nobody. */
function setting(section, name) {
	const found = vscode.workspace.getConfiguration(section).inspect(name);
	return found && [found.workspaceFolderValue, found.workspaceValue,
		found.globalValue].find(value => value !== undefined);
}

class Configurations {
	constructor(builds, selection, own) {
		this.builds = builds;
		this.selection = selection;
		this.own = own; // the debugger of the extension
	}

	async resolveDebugConfiguration(folder, config) {
		// F5 without a launch.json comes here with an empty one.
		const given = defaults.apply(config.type || config.request ||
			config.name ? config : LAUNCH, setting);
		if (picks(given)) {
			// asked when the pipe's variables are known
			const { processId: _, ...rest } = given;
			return rest;
		}
		if (given.request !== 'launch' || given.program)
			return given;
		return told(async () => {
			const editor = vscode.window.activeTextEditor;
			const in_ = folder || folderOf(editor && editor.document.uri);
			if (!in_)
				throw new Error('no folder is open: open that of the ' +
					'project, or say "program" in launch.json');
			const found = await choose(in_, given, this.selection);
			if (!found)
				return undefined;
			const made = { ...given, project: found.project };
			if (found.profile && made.launchSettingsProfile === undefined)
				made.launchSettingsProfile = found.profile;
			if (given.build !== false && !given.preLaunchTask)
				made.preLaunchTask = this.builds.task(in_, found.project);
			return made;
		});
	}

	resolveDebugConfigurationWithSubstitutedVariables(folder, given) {
		return told(async () => {
			const pipeTransport = given.pipeTransport &&
				await remote.ready(given.pipeTransport, this.own());
			if (given.pipeTransport && !pipeTransport)
				return undefined;
			const config = pipeTransport ? { ...given, pipeTransport } : given;
			if (picks(config)) {
				const processId =
					await attach.pickProcess(config.pipeTransport);
				return processId && { ...config, processId };
			}
			if (config.request !== 'launch')
				return config;
			return config.program ? browses(config, false) :
				launched(config.project, config);
		});
	}
}

/** The configurations of the projects in a folder: the F5 list. */
function offered(folder) {
	const root = folder.uri.fsPath;
	const { programs, tests } = project.sorted(project.find(root));
	const all = [...programs, ...tests];
	const base = file => path.basename(file).replace(/\.\w+$/, '');
	const title = file => all.filter(f => base(f) === base(file)).length > 1 ?
		path.relative(root, file) : base(file);
	const one = (file, more) => ({
		type: TYPE, request: 'launch', name: `.NET: ${title(file)}`,
		project: '${workspaceFolder}/' + path.relative(root, file), ...more,
	});
	return [...programs.flatMap(file => {
		const names = Object.keys(profiles.read(profiles.fileOf(file)));
		return names.length < 2 ? [one(file)] : names.map(name => one(file, {
			name: `.NET: ${title(file)} (${name})`,
			launchSettingsProfile: name,
		}));
	}), ...tests.map(file => one(file))];
}

const LAUNCH = { type: TYPE, request: 'launch', name: '.NET: launch' };
const ATTACH = {
	type: TYPE, request: 'attach', name: '.NET: attach',
	processId: '${command:pickProcess}',
};

/** What "create a launch.json" writes. */
const initial = {
	provideDebugConfigurations(folder) {
		const found = folder ? offered(folder) : [];
		return [...found.length ? found : [LAUNCH], ATTACH];
	},
};

/** What is listed at F5 for each folder; VS Code asks without one, too. */
const listed = {
	provideDebugConfigurations: folder =>
		folder ? [...offered(folder), ATTACH] : [],
};

function register(selection, own) {
	const builds = new Builds();
	const kinds = vscode.DebugConfigurationProviderTriggerKind;
	const { registerDebugConfigurationProvider: provide } = vscode.debug;
	return { builds, disposables: [
		vscode.tasks.registerTaskProvider(TYPE, builds),
		provide(TYPE, new Configurations(builds, selection, own)),
		provide(TYPE, initial, kinds.Initial),
		provide(TYPE, listed, kinds.Dynamic),
	] };
}

module.exports = { ATTACH, TYPE, dotnet, initial, register, told };
