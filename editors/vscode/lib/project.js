'use strict';
// The project of a folder: which it is, what it builds, how it is built.

const fs = require('fs');
const path = require('path');
const { split } = require('./adapter');

const PROJECT = /\.(cs|fs|vb)proj$/;
const PASSED_OVER = /^(\.|bin$|obj$|node_modules$|packages$)/;
const DEPTH = 4;

/** Project files in and below a folder, the nearest first. */
function find(folder, depth = DEPTH) {
	let entries;
	try {
		entries = fs.readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
	entries.sort((a, b) => a.name < b.name ? -1 : 1);
	const here = entries.filter(e => e.isFile() && PROJECT.test(e.name))
		.map(e => path.join(folder, e.name));
	if (depth <= 0)
		return here;
	const below = entries
		.filter(e => e.isDirectory() && !PASSED_OVER.test(e.name))
		.flatMap(e => find(path.join(folder, e.name), depth - 1));
	return [...here, ...below];
}

/** Does the text of a project say that it makes a program? */
function isProgram(text) {
	return /<OutputType>\s*(Exe|WinExe)\s*</i.test(text) ||
		/Sdk="Microsoft\.NET\.Sdk\.(Web|Worker|BlazorWebAssembly)"/i.test(text);
}

/** Does it hold tests? They are programs that nobody means by "launch". */
function isTest(text) {
	return /Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true/i.test(text) ||
		/Sdk="MSTest\.Sdk|Include="(MSTest|xunit\.v3|TUnit)"/i.test(text);
}

/**
 * What launches the tests of the project @file, which is built: dotnet starts
 * processes that run them. @given are the words of launch.json; a `cwd` among
 * them is where they want to run.
 */
function testRun(file, given) {
	const args = typeof given.args === 'string' ? split(given.args) :
		given.args || [];
	// In its own folder it needs no name, which the runners of tests take
	// in different ways.
	const named = given.cwd ? [file] : [];
	return {
		cwd: path.dirname(file), ...given,
		program: 'dotnet', args: ['test', ...named, '--no-build', ...args],
	};
}

/**
 * The projects among @files that can be launched; those of tests only if
 * there is nothing else.
 */
function launchable(files) {
	const texts = files.map(file => [file, fs.readFileSync(file, 'utf8')]);
	const tests = texts.filter(([, text]) => isTest(text));
	const programs = texts.filter(([, text]) =>
		isProgram(text) && !isTest(text));
	return (programs.length ? programs : tests).map(([file]) => file);
}

/** Arguments for dotnet that print what a project builds. */
function query(file) {
	return ['msbuild', file, '-nologo', '-getProperty:TargetPath',
		'-getProperty:TargetFramework', '-getProperty:TargetFrameworks',
		'-getProperty:OutputType'];
}

/** The dll in what dotnet printed for query(). Throws a sentence. */
function target(file, printed) {
	let properties;
	try {
		properties = JSON.parse(printed).Properties;
	} catch {
		throw new Error(`dotnet said nothing useful of '${file}': ${printed}`);
	}
	if (!properties.TargetFramework && properties.TargetFrameworks)
		throw new Error(`'${file}' is built for several frameworks ` +
			`(${properties.TargetFrameworks}): say which with "program"`);
	if (!properties.TargetPath)
		throw new Error(`'${file}' builds nothing that can be launched`);
	return properties.TargetPath;
}

/** Arguments for dotnet that build a project. */
function build(file) {
	return ['build', file, '-nologo', '-v:q', '-c', 'Debug',
		'-consoleLoggerParameters:NoSummary'];
}

module.exports = {
	build, find, isProgram, isTest, launchable, query, target, testRun,
};
