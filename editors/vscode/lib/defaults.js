'use strict';
// Settings that hold for sessions whose configuration says nothing else:
// dndbg.debug.NAME, or else csharp.debug.NAME of the C# extension.

/** Attributes of a configuration that a setting may give. */
const NAMES = [
	'console', 'enableStepFiltering', 'evaluation', 'justMyCode',
	'requireExactSource', 'showRuntimeThreads', 'sourceFileMap', 'stopAtEntry',
	'suppressJITOptimizations',
];
/** Members of attributes that are objects, each a setting of its own. */
const MEMBERS = [
	'expressionEvaluationOptions.allowImplicitFuncEval',
	'expressionEvaluationOptions.showRawValues',
	'logging.debugOutput', 'logging.moduleLoad', 'logging.processExit',
	'logging.programOutput', 'logging.threadExit',
	'symbolOptions.moduleFilter.excludedModules',
	'symbolOptions.moduleFilter.includedModules',
	'symbolOptions.moduleFilter.includeSymbolsNextToModules',
	'symbolOptions.moduleFilter.mode', 'symbolOptions.searchPaths',
];
const LAUNCH_ONLY = ['console', 'stopAtEntry'];
const SECTIONS = ['dndbg.debug', 'csharp.debug'];

function put(config, words, value) {
	const [first, ...rest] = words;
	if (rest.length === 0)
		return first in config ? config : { ...config, [first]: value };
	const inner = config[first];
	if (inner !== undefined && (inner === null || typeof inner !== 'object'))
		return config;
	return { ...config, [first]: put(inner || {}, rest, value) };
}

/**
 * The configuration with what the settings add. @set(section, name) is what
 * somebody has set, undefined: nobody has.
 */
function apply(config, set) {
	let made = config;
	for (const name of [...NAMES, ...MEMBERS]) {
		if (config.request === 'attach' && LAUNCH_ONLY.includes(name))
			continue;
		const value = SECTIONS.map(section => set(section, name))
			.find(found => found !== undefined);
		if (value !== undefined)
			made = put(made, name.split('.'), value);
	}
	return made;
}

module.exports = { MEMBERS, NAMES, apply };
