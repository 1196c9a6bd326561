'use strict';
// Which project F5 means where a configuration names none: the one that was
// selected in the status bar, or that of the file in front, or the one that was
// picked last.

const fs = require('fs');
const path = require('path');
const vscode = require('vscode');
const profiles = require('./lib/profiles');
const project = require('./lib/project');

const SELECT = 'dndbg.selectProject';
const SELECTED = 'selected';
const LAST = 'last';

function title(file) {
	return path.basename(file).replace(/\.\w+$/, '');
}

function folderOf(uri) {
	const folders = vscode.workspace.workspaceFolders || [];
	return uri && vscode.workspace.getWorkspaceFolder(uri) || folders[0];
}

/** The program whose source the editor in front shows, or nothing. */
function active(root) {
	const editor = vscode.window.activeTextEditor;
	const file = editor && editor.document.uri.fsPath;
	if (!file || path.relative(root, file).startsWith('..'))
		return undefined;
	const owner = project.owner(file, root);
	return owner && project.sorted([owner]).programs[0];
}

class Selection {
	constructor(memory) {
		this.memory = memory;
		this.item = vscode.window.createStatusBarItem('dndbg.project',
			vscode.StatusBarAlignment.Left, 10);
		this.item.name = '.NET project to debug';
		this.item.command = SELECT;
	}

	kept(key, root) {
		const found = this.memory.get(key);
		return found && fs.existsSync(found.project) &&
			!path.relative(root, found.project).startsWith('..') ?
			found : undefined;
	}

	/** {project, profile} that F5 means in @root; nothing: not certain. */
	current(root) {
		const selected = this.kept(SELECTED, root);
		if (selected)
			return selected;
		const file = active(root);
		if (file)
			return { project: file };
		const all = project.launchable(project.find(root));
		return all.length === 1 ? { project: all[0] } : this.kept(LAST, root);
	}

	/** The same, or what the user picks now; nothing: the user does not. */
	async choose(root) {
		const all = project.launchable(project.find(root));
		if (all.length === 0)
			throw new Error(`no project that makes a program in '${root}': ` +
				'say "program" in launch.json');
		const found = this.current(root);
		if (found)
			return found;
		const picked = await vscode.window.showQuickPick(all.map(file => ({
			label: path.basename(file),
			description: path.relative(root, path.dirname(file)),
			file,
		})), { placeHolder: 'The project to launch' });
		if (!picked)
			return undefined;
		await this.memory.update(LAST, { project: picked.file });
		this.show();
		return { project: picked.file };
	}

	/** Have the user select a project, with a profile, for all F5 to come. */
	async select() {
		const folder = folderOf();
		if (!folder)
			return;
		const root = folder.uri.fsPath;
		const each = project.launchable(project.find(root)).flatMap(file => {
			const names = Object.keys(profiles.read(profiles.fileOf(file)));
			const one = profile => ({
				label: title(file) + (profile ? ` (${profile})` : ''),
				description: path.relative(root, file),
				selected: { project: file, profile },
			});
			return names.length ? names.map(one) : [one()];
		});
		const picked = await vscode.window.showQuickPick([
			{ label: 'The project of the file in front', selected: undefined },
			...each,
		], { placeHolder: 'What F5 launches' });
		if (!picked)
			return;
		await this.memory.update(SELECTED, picked.selected);
		this.show();
	}

	show() {
		const editor = vscode.window.activeTextEditor;
		const folder = folderOf(editor && editor.document.uri);
		const found = folder && this.current(folder.uri.fsPath);
		if (!found) {
			this.item.hide();
			return;
		}
		this.item.text = '$(debug-alt) ' + title(found.project) +
			(found.profile ? ` (${found.profile})` : '');
		this.item.tooltip = `F5 launches ${found.project}`;
		this.item.show();
	}
}

function register(context) {
	const selection = new Selection(context.workspaceState);
	selection.show();
	return { selection, disposables: [
		selection.item,
		vscode.commands.registerCommand(SELECT, () => selection.select()),
		vscode.window.onDidChangeActiveTextEditor(() => selection.show()),
	] };
}

module.exports = { folderOf, register };
