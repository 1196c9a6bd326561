'use strict';
// What a TRX file says of the tests that were run.

const ENTITIES = { amp: '&', apos: '\'', gt: '>', lt: '<', quot: '"' };

function decoded(text) {
	return text.replace(/&(#x?)?(\w+);/g, (all, numeric, name) => {
		if (!numeric)
			return name in ENTITIES ? ENTITIES[name] : all;
		const code = parseInt(name, numeric === '#x' ? 16 : 10);
		return code <= 0x10ffff ? String.fromCodePoint(code) : all;
	});
}

function attributes(tag) {
	return Object.fromEntries([...tag.matchAll(/([\w:]+)="([^"]*)"/g)]
		.map(([, name, value]) => [name, decoded(value)]));
}

/** [{tag, inner}] of the elements of a name, which does not nest. */
function elements(text, name) {
	const one = new RegExp(
		`<${name}\\b((?:[^>"]|"[^"]*")*?)(?:/>|>([^]*?)</${name}>)`, 'g');
	return [...text.matchAll(one)].map(([, tag, inner]) =>
		({ tag: attributes(tag), inner: inner || '' }));
}

function textOf(text, name) {
	const [found] = elements(text, name);
	return found && decoded(found.inner);
}

/** "00:00:01.5" in milliseconds. */
function milliseconds(text) {
	const [h, m, s] = (text || '').split(':').map(Number);
	return s === undefined || Number.isNaN(h + m + s) ? undefined :
		((h * 60 + m) * 60 + s) * 1000;
}

/** A name without the arguments of one case. */
function bare(name) {
	return name.replace(/\(.*$/s, '').replace(/<[^<>]*>$/, '');
}

/**
 * [{name, display, outcome, duration, message, stack, output}]: @name is that of
 * the method, as lib/tests.js has it; one result for each of its cases.
 */
function parse(text) {
	const methods = new Map(elements(text, 'UnitTest').map(({ tag, inner }) => {
		const [method] = elements(inner, 'TestMethod');
		const name = method &&
			`${method.tag.className.replace(/,.*$/s, '')}.` +
			bare(method.tag.name.replace(`${method.tag.className}.`, ''));
		return [tag.id, name];
	}));
	return elements(text, 'UnitTestResult').map(({ tag, inner }) => ({
		name: methods.get(tag.testId) || bare(tag.testName || ''),
		display: tag.testName,
		outcome: tag.outcome,
		duration: milliseconds(tag.duration),
		message: textOf(inner, 'Message'),
		stack: textOf(inner, 'StackTrace'),
		output: textOf(inner, 'StdOut'),
	}));
}

/** The places of a stack trace: [{file, line}], the newest first. */
function places(stack) {
	return [...(stack || '').matchAll(/ in (.+?):line (\d+)/g)]
		.map(([, file, line]) => ({ file, line: Number(line) }));
}

/** {expected, actual} that the message of an assertion tells, or nothing. */
function difference(message) {
	const found = /^\s*Expected:? *(.*)\r?\n\s*(?:But was|Actual): *(.*)$/m
		.exec(message || '');
	return found ? { expected: found[1], actual: found[2] } : undefined;
}

module.exports = { difference, parse, places };
