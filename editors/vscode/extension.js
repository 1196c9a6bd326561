'use strict';
// What VS Code runs: it finds the debugger, the project and the process. All
// that can be decided without VS Code is in lib/.

const { execFile } = require('child_process');
const fs = require('fs');
const path = require('path');
const vscode = require('vscode');
const adapter = require('./lib/adapter');
const processes = require('./lib/processes');
const project = require('./lib/project');

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

/** The project to launch: the one that is named, or picked; or nothing. */
async function choose(folder, config) {
	if (config.project)
		return config.project;
	const found = project.launchable(project.find(folder));
	if (found.length === 0)
		throw new Error(`no project that makes a program in '${folder}': ` +
			'say "program" in launch.json');
	if (found.length === 1)
		return found[0];
	const picked = await vscode.window.showQuickPick(
		found.map(file => ({
			label: path.basename(file),
			description: path.relative(folder, path.dirname(file)),
			file,
		})), { placeHolder: 'The project to launch' });
	return picked && picked.file;
}

async function buildProject(file, channel) {
	const cwd = path.dirname(file);
	await vscode.window.withProgress({
		location: vscode.ProgressLocation.Notification,
		title: `Building ${path.basename(file)}`,
	}, async () => {
		try {
			channel.appendLine(await dotnet(project.build(file), cwd));
		} catch (error) {
			channel.appendLine(error.message);
			channel.show(true);
			throw new Error(`'${path.basename(file)}' does not build: ` +
				'see the output of dndbg');
		}
	});
}

class Configurations {
	constructor(channel) {
		this.channel = channel;
	}

	provideDebugConfigurations() {
		return [{ type: TYPE, request: 'launch', name: '.NET: launch' }];
	}

	// F5 without a launch.json comes here with an empty configuration.
	resolveDebugConfiguration(folder, config) {
		if (!config.type && !config.request && !config.name)
			return { type: TYPE, request: 'launch', name: '.NET: launch' };
		if (config.request === 'attach' && config.processId === undefined &&
			!config.processName)
			return { ...config, processId: '${command:pickProcess}' };
		return config;
	}

	async resolveDebugConfigurationWithSubstitutedVariables(folder, config) {
		if (config.request !== 'launch' || config.program)
			return config;
		const root = folder ? folder.uri.fsPath : config.cwd;
		if (!root)
			throw new Error('no folder is open: say "program" in launch.json');
		const file = await choose(root, config);
		if (!file)
			return undefined;
		if (config.build !== false)
			await buildProject(file, this.channel);
		const { project: _, build: __, ...rest } = config;
		if (project.isTest(fs.readFileSync(file, 'utf8')))
			return project.testRun(file, rest);
		const cwd = path.dirname(file);
		const printed = await dotnet(project.query(file), cwd);
		return { cwd, ...rest, program: project.target(file, printed) };
	}
}

class Adapters {
	createDebugAdapterDescriptor(session) {
		const settings = vscode.workspace.getConfiguration(TYPE);
		const made = adapter.describe(session.configuration, {
			path: settings.get('path'),
			args: settings.get('args'),
		});
		return new vscode.DebugAdapterExecutable(made.command, made.args,
			made.options);
	}
}

async function pickProcess() {
	const items = processes.list().map(found => ({
		label: found.name,
		description: String(found.pid),
		detail: found.command,
	}));
	if (items.length === 0) {
		vscode.window.showInformationMessage(
			'No process with a .NET runtime that you may debug is running.');
		return undefined;
	}
	const picked = await vscode.window.showQuickPick(items, {
		placeHolder: 'The process to attach to',
		matchOnDescription: true,
		matchOnDetail: true,
	});
	return picked && picked.description;
}

function activate(context) {
	const channel = vscode.window.createOutputChannel('dndbg');
	const provider = new Configurations(channel);
	const kinds = vscode.DebugConfigurationProviderTriggerKind;
	context.subscriptions.push(channel,
		vscode.commands.registerCommand('dndbg.pickProcess', pickProcess),
		vscode.debug.registerDebugConfigurationProvider(TYPE, provider),
		vscode.debug.registerDebugConfigurationProvider(TYPE, provider,
			kinds.Dynamic),
		vscode.debug.registerDebugAdapterDescriptorFactory(TYPE,
			new Adapters()));
}

module.exports = { activate };
