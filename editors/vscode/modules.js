'use strict';
// The view "Modules" beside the call stack: the assemblies that the program of
// each session has loaded, and whether there are symbols of them.

const vscode = require('vscode');

const TYPE = 'dndbg';
const VIEW = 'dndbg.modules';
const LOADED = 'Symbols loaded.';

/** Your own code first, then by name. */
function before(one, two) {
	return Number(Boolean(two.isUserCode)) - Number(Boolean(one.isUserCode)) ||
		one.name.localeCompare(two.name);
}

/** What is known of a module, a line each. */
function told(module) {
	return [module.path, module.version && `Version ${module.version}`,
		module.symbolFilePath || module.symbolStatus,
		module.isOptimized && 'Optimized',
		module.addressRange].filter(Boolean).join('\n');
}

class Modules {
	constructor() {
		this.sessions = new Map(); // session: Map of id: module
		this.changed = new vscode.EventEmitter();
		this.onDidChangeTreeData = this.changed.event;
	}

	/** What the debugger of a session says of its modules. */
	createDebugAdapterTracker(session) {
		return {
			onDidSendMessage: message => this.hear(session, message),
			onExit: () => this.forget(session),
		};
	}

	hear(session, { type, event, body }) {
		if (type !== 'event')
			return;
		if (event === 'process' || event === 'terminated')
			this.forget(session);
		if (event === 'module')
			this.take(session, body);
	}

	take(session, { reason, module }) {
		if (!this.sessions.has(session))
			this.sessions.set(session, new Map());
		const modules = this.sessions.get(session);
		if (reason === 'removed')
			modules.delete(module.id);
		else
			modules.set(module.id, module);
		this.changed.fire();
	}

	forget(session) {
		if (this.sessions.delete(session))
			this.changed.fire();
	}

	/** Of one session its modules, of several these. */
	getChildren(of) {
		const all = [...this.sessions.keys()];
		if (!of && all.length > 1)
			return all.map(session => ({ session }));
		const modules = this.sessions.get(of ? of.session : all[0]);
		return modules ? [...modules.values()].sort(before)
			.map(module => ({ module })) : [];
	}

	getTreeItem({ session, module }) {
		const { TreeItem, TreeItemCollapsibleState: state } = vscode;
		if (session)
			return new TreeItem(session.name, state.Expanded);
		const item = new TreeItem(module.name, state.None);
		const symbols = module.symbolStatus === LOADED;
		item.description = symbols ? module.version :
			(module.symbolStatus || '').replace(/ loaded\.$/, '');
		item.tooltip = told(module);
		item.iconPath = new vscode.ThemeIcon(symbols ? 'file-binary' :
			'circle-slash');
		return item;
	}
}

function register() {
	const modules = new Modules();
	return [vscode.window.registerTreeDataProvider(VIEW, modules),
		vscode.debug.registerDebugAdapterTrackerFactory(TYPE, modules)];
}

module.exports = { register };
