'use strict';
// How the tests of a project are run: by `dotnet test` and VSTest, or as the
// program that they are (Microsoft.Testing.Platform, xunit v3), whose options
// are each framework's own.

const fs = require('fs');
const path = require('path');
const { relaxed } = require('./profiles');
const project = require('./project');

const RESULTS = 'results.trx';

/** Has a global.json at or above @folder chosen the platform for dotnet test? */
function isChosen(folder) {
	for (let at = folder; ; at = path.dirname(at)) {
		try {
			const { test } = relaxed(fs.readFileSync(
				path.join(at, 'global.json'), 'utf8'));
			return Boolean(test) &&
				test.runner === 'Microsoft.Testing.Platform';
		} catch {
			// none there
		}
		if (at === path.dirname(at))
			return false;
	}
}

/** 'vstest', or whose options the program of the tests takes. */
function kind(file, text = fs.readFileSync(file, 'utf8')) {
	const on = name => new RegExp(`<${name}>\\s*true`, 'i').test(text);
	const platform = on('EnableMSTestRunner') || on('EnableNUnitRunner') ||
		on('UseMicrosoftTestingPlatformRunner') ||
		on('TestingPlatformDotnetTestSupport') ||
		/Sdk="MSTest\.Sdk/i.test(text) || isChosen(path.dirname(file));
	if (/Include="TUnit"/i.test(text))
		return 'tunit';
	if (!platform && /Microsoft\.NET\.Test\.Sdk/i.test(text))
		return 'vstest';
	if (/Include="xunit\.v3/i.test(text))
		return on('UseMicrosoftTestingPlatformRunner') ? 'xunit-platform' :
			'xunit';
	return platform ? 'filter' : 'vstest';
}

/** One filter of VSTest for methods and classes; none: all tests. */
function filter(names, classes) {
	return [...names.map(name => `FullyQualifiedName=${name}`),
		...classes.map(name => `FullyQualifiedName~${name}.`)].join('|');
}

function tree(name, method) {
	const at = name.lastIndexOf('.');
	const [before, last] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
	if (!method)
		return `/*/${before || '*'}/${last}/*`;
	const outer = before.lastIndexOf('.');
	return `/*/${before.slice(0, Math.max(outer, 0)) || '*'}/` +
		`${before.slice(outer + 1)}/${last}`;
}

const OPTIONS = {
	filter: ({ names, classes }, dir) => [
		...names.length + classes.length ?
			['--filter', filter(names, classes)] : [],
		'--report-trx', '--report-trx-filename', RESULTS,
		'--results-directory', dir],
	xunit: ({ names, classes }, dir) => [
		...names.flatMap(name => ['-method', name]),
		...classes.flatMap(name => ['-class', name]),
		'-trx', path.join(dir, RESULTS)],
	'xunit-platform': ({ names, classes }, dir) => [
		...names.flatMap(name => ['--filter-method', name]),
		...classes.flatMap(name => ['--filter-class', name]),
		'--report-xunit-trx', '--report-xunit-trx-filename', RESULTS,
		'--results-directory', dir],
	// one filter is all that it takes: the nearest that holds what is wanted
	tunit: ({ names, classes }, dir) => [
		...names.length + classes.length === 1 ? ['--treenode-filter',
			names.length ? tree(names[0], true) : tree(classes[0], false)] : [],
		'--report-trx', '--report-trx-filename', RESULTS,
		'--results-directory', dir],
};

/**
 * {program, args, cwd} that runs the tests @what ({names, classes}, both empty:
 * all) of the project @file and writes results.trx in @dir; @dll is what the
 * project builds.
 */
function run(file, what, dir, dll) {
	const found = kind(file);
	if (found !== 'vstest')
		return { program: 'dotnet', cwd: path.dirname(file),
			args: [dll, ...OPTIONS[found](what, dir)] };
	const some = filter(what.names, what.classes);
	return project.testRun(file, { args: [...some ? ['--filter', some] : [],
		'--logger', `trx;LogFileName=${RESULTS}`, '--results-directory', dir] });
}

module.exports = { RESULTS, filter, kind, run };
