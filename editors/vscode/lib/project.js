'use strict';
// The projects of a folder: which they are, what they build, how they are
// built and launched.

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

/** The project that a source file belongs to, not above @root; or nothing. */
function owner(file, root) {
	for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
		const [found] = find(folder, 0);
		if (found)
			return found;
		if (folder === root || folder === path.dirname(folder))
			return undefined;
	}
}

/** Is it a project of ASP.NET Core, whose pages a browser shows? */
function isWeb(text) {
	return /Sdk="Microsoft\.NET\.Sdk\.Web"/i.test(text);
}

/** Does the text of a project say that it makes a program? */
function isProgram(text) {
	return /<OutputType>\s*(Exe|WinExe)\s*</i.test(text) || isWeb(text) ||
		/Sdk="Microsoft\.NET\.Sdk\.(Worker|BlazorWebAssembly)"/i.test(text);
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

/** The projects among @files that can be launched: {programs, tests}. */
function sorted(files) {
	const texts = files.map(file => [file, fs.readFileSync(file, 'utf8')]);
	const tests = texts.filter(([, text]) => isTest(text));
	const programs = texts.filter(([, text]) =>
		isProgram(text) && !isTest(text));
	return {
		programs: programs.map(([file]) => file),
		tests: tests.map(([file]) => file),
	};
}

/** Those that "launch" can mean: tests only if there is nothing else. */
function launchable(files) {
	const { programs, tests } = sorted(files);
	return programs.length ? programs : tests;
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

/**
 * The arguments and the environment of a dotnet that builds a project and
 * prints each error once, as a problem matcher reads it: `dotnet build` would
 * repeat them at its end, whatever it is told.
 */
function build(file) {
	return {
		args: ['msbuild', file, '-restore', '-nologo', '-v:q',
			'-p:Configuration=Debug', '-p:GenerateFullPaths=true',
			'-consoleLoggerParameters:NoSummary'],
		env: { MSBUILDTERMINALLOGGER: 'off' },
	};
}

/** A path of launch.json before VS Code has put in the variables. */
function resolve(name, folder) {
	const known = {
		workspaceFolder: folder, workspaceRoot: folder,
		workspaceFolderBasename: path.basename(folder),
		userHome: process.env.HOME || '', pathSeparator: '/', '/': '/',
	};
	const put = name.replace(/\$\{(env:)?([^}]*)\}/g, (all, env, word) =>
		env ? process.env[word] || '' : word in known ? known[word] : all);
	return path.resolve(folder, put);
}

module.exports = {
	PASSED_OVER, PROJECT, build, find, isProgram, isTest, isWeb, launchable, owner, query, resolve,
	sorted, target, testRun,
};
