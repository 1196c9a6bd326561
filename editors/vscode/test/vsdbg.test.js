'use strict';
const assert = require('node:assert');
const test = require('node:test');
const vsdbg = require('../lib/vsdbg');
const manifest = require('../package.json');

test('what C# Dev Kit writes: the project and its profile', () => {
	assert.deepStrictEqual(vsdbg.ours({ type: 'dotnet', request: 'launch',
		name: 'd', projectPath: 'a.csproj',
		launchConfigurationId: 'TargetFramework=;https' }), {
		type: 'dndbg', request: 'launch', name: 'd', project: 'a.csproj',
		launchSettingsProfile: 'https' });
	const other = { type: 'node', request: 'launch' };
	assert.strictEqual(vsdbg.ours(other), other);
});

test('pipes: the words for Linux, and dndbg in the place of vsdbg', () => {
	const made = vsdbg.ours({ type: 'coreclr', request: 'attach', name: 'd',
		processId: '${command:pickRemoteProcess}', pipeTransport: {
			pipeProgram: 'docker', pipeArgs: ['exec', '-i', 'web'],
			debuggerPath: '/vsdbg/vsdbg', quoteArgs: false,
			windows: { pipeProgram: 'docker.exe' },
			linux: { pipeArgs: ['exec', '-i', 'other'] } } });
	assert.deepStrictEqual(made.pipeTransport, { pipeProgram: 'docker',
		pipeArgs: ['exec', '-i', 'other'], debuggerPath: 'dndbg',
		quoteArgs: false });
	assert.ok(vsdbg.picks(made));
	assert.strictEqual(vsdbg.pipe({ debuggerPath: '/opt/dndbg' }).debuggerPath,
		'/opt/dndbg');
});

test('whose process is to be picked', () => {
	const attach = { request: 'attach' };
	for (const more of [{}, { processId: '' }, { processId: 0 },
		{ processId: null }, { processId: '${command:pickProcess}' },
		{ processId: '${command:pickRemoteProcess}' }])
		assert.ok(vsdbg.picks({ ...attach, ...more }), JSON.stringify(more));
	for (const more of [{ processId: 7 }, { processId: '7' },
		{ processName: 'a' }, { coreDumpPath: 'c' }, { request: 'launch' },
		{ processId: '${command:my.own}' }])
		assert.ok(!vsdbg.picks({ ...attach, ...more }), JSON.stringify(more));
});

// Names as the documentation of Microsoft's debugger has them.
const LAUNCH = ['program', 'cwd', 'args', 'stopAtEntry', 'launchBrowser', 'env',
	'envFile', 'console', 'externalConsole', 'launchSettingsFilePath',
	'launchSettingsProfile', 'checkForDevCert', 'terminateChildProcesses'];
const BOTH = ['sourceFileMap', 'justMyCode', 'requireExactSource',
	'enableStepFiltering', 'logging', 'pipeTransport',
	'suppressJITOptimizations', 'symbolOptions', 'sourceLinkOptions',
	'expressionEvaluationOptions', 'targetArchitecture', 'allowFastEvaluate'];

test('nothing of such a launch.json is underlined', () => {
	const [own] = manifest.contributes.debuggers;
	const all = vsdbg.debuggers(own.configurationAttributes);
	assert.deepStrictEqual(all.map(one => one.type), ['coreclr', 'dotnet']);
	for (const { configurationAttributes: of, label, program,
		languages } of all) {
		// else F5 in a C# file would ask which is meant
		assert.strictEqual(languages, undefined);
		for (const name of [...LAUNCH, ...BOTH, 'targetOutputLogPath'])
			assert.ok(name in of.launch.properties, name);
		for (const name of [...BOTH, 'processId', 'processName'])
			assert.ok(name in of.attach.properties, name);
		// else an extension that owns the type would lose it
		assert.strictEqual(label || program, undefined);
	}
});
