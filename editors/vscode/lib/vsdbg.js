'use strict';
// Configurations that were written for Microsoft's debuggers: the types
// `coreclr` (C# extension) and `dotnet` (C# Dev Kit) as those of dndbg.

const path = require('path');

const TYPES = ['coreclr', 'dotnet'];
/** Extensions that bring a debugger of these types. */
const OWNERS = ['ms-dotnettools.csharp', 'ms-dotnettools.csdevkit'];
/** A context key of VS Code: no other extension has these types. */
const HIDDEN = 'dndbg.hasAllTypes';
const PICKER = /^\$\{command:pick(Remote)?(Docker)?Process\}$/;

/** A pipe's words for Linux, with dndbg where vsdbg is named. */
function pipe(given) {
	const { windows: _, osx: __, linux, ...rest } = given;
	const made = { ...rest, ...linux };
	const named = made.debuggerPath || '';
	if (!named || /^vsdbg(-ui)?$/.test(path.basename(named)))
		made.debuggerPath = 'dndbg';
	return made;
}

/** "TargetFramework=net9.0;https" of C# Dev Kit: the profile in it. */
function profileOf(id) {
	return typeof id === 'string' ? id.split(';').filter(part =>
		part && !part.includes('='))[0] : undefined;
}

/** A configuration of one of TYPES as dndbg's; others are as they were. */
function ours(config) {
	if (!TYPES.includes(config.type))
		return config;
	const { projectPath, launchConfigurationId, pipeTransport, ...rest } = config;
	const made = { ...rest, type: 'dndbg' };
	if (projectPath && !made.program)
		made.project = projectPath;
	const profile = profileOf(launchConfigurationId);
	if (profile && !made.launchSettingsProfile)
		made.launchSettingsProfile = profile;
	if (pipeTransport)
		made.pipeTransport = pipe(pipeTransport);
	return made;
}

/** Is the process to be picked by the user? */
function picks(config) {
	return config.request === 'attach' && !config.processName &&
		!config.coreDumpPath &&
		(!config.processId || PICKER.test(config.processId));
}

const NOTHING = 'Taken, without effect here.';
const EITHER = {
	allowFastEvaluate: { type: 'boolean', description: NOTHING },
	sourceLinkOptions: { type: 'object', description: NOTHING },
};
/** Attributes of these types that dndbg's own does not have. */
const ATTRIBUTES = {
	launch: {
		...EITHER,
		checkForDevCert: { type: 'boolean', description: NOTHING },
		launchConfigurationId: {
			type: 'string',
			description: 'The launch profile, behind the last semicolon.',
		},
		projectPath: {
			type: 'string',
			description: 'The project that is built and launched.',
		},
		terminateChildProcesses: { type: 'boolean', description: NOTHING },
	},
	attach: EITHER,
};

/**
 * Contributions of these types, so that a launch.json of theirs has nothing
 * underlined: @attributes are those of dndbg's type. They have no languages, and
 * are in no list, or F5 would ask which of three debuggers is meant.
 */
function debuggers(attributes) {
	const with_ = request => ({
		properties: {
			...attributes[request].properties, ...ATTRIBUTES[request],
		},
	});
	return TYPES.map(type => ({
		type, hiddenWhen: HIDDEN,
		variables: {
			pickProcess: 'dndbg.pickProcess',
			pickRemoteProcess: 'dndbg.pickProcess',
		},
		configurationAttributes: {
			launch: with_('launch'), attach: with_('attach'),
		},
	}));
}

module.exports = { HIDDEN, OWNERS, TYPES, debuggers, ours, picks, pipe };
