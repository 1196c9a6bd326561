'use strict';
// The tests in a C# file: methods that xunit, NUnit or MSTest would run.

const TEST = new RegExp('^(\\w*Fact|\\w*Theory|Test|TestCase|TestCaseSource|' +
	'TestMethod|DataTestMethod|STATestMethod)$');
const MODIFIER = new RegExp('^(public|private|protected|internal|static|async|' +
	'override|virtual|sealed|new|unsafe|partial)$');
const WORD = '[\\p{L}\\p{N}_]+';
const PIECE = new RegExp([
	`namespace\\s+(?<namespace>[\\p{L}\\p{N}_.@]+)\\s*(?<opened>[;{])`,
	`\\b(?:class|struct|interface|record(?:\\s+(?:class|struct))?)\\s+` +
		`(?<type>@?${WORD})`,
	`(?<method>@?${WORD})\\s*(?:<[^<>()]*>\\s*)?\\(`,
	`(?<mark>[\\[{};])`,
].join('|'), 'gu');
const SKIPPED = new RegExp([
	'//[^\\n]*', '/\\*[^]*?\\*/', '("{3,})[^]*?\\1',
	'(?:@\\$?|\\$@)"(?:[^"]|"")*"', '"(?:[^"\\\\\\n]|\\\\.)*"',
	"'(?:[^'\\\\\\n]|\\\\.)+'", '^[ \\t]*#[^\\n]*',
].join('|'), 'gm');

/** The text with blanks for comments, strings and directives. */
function code(text) {
	return text.replace(SKIPPED, found => found.replace(/[^\n]/g, ' '));
}

/** Where the bracket that is opened at @at is closed. */
function closing(text, at) {
	let depth = 0;
	for (let i = at; i < text.length; i++) {
		if ('[('.includes(text[i]))
			depth++;
		else if ('])'.includes(text[i]) && --depth === 0)
			return i;
	}
	return text.length;
}

/** The names of the attributes between [ and ], without their arguments. */
function attributes(text) {
	let flat = text;
	for (let before; before !== flat;) {
		before = flat;
		flat = flat.replace(/\([^()]*\)|<[^<>]*>/g, '');
	}
	return flat.replace(/^\s*\w+\s*:(?!:)/, '').split(',')
		.map(name => name.trim().replace(/^.*[.:]/, '')
			.replace(/Attribute$/, ''));
}

/** A reader of one file: what is open around a place, and what was found. */
class Reader {
	constructor(text) {
		this.text = code(text);
		this.open = []; // {name, depth, kind}: namespaces and types
		this.depth = 0;
		this.found = [];
	}

	get member() {
		const last = this.open[this.open.length - 1];
		return last && last.kind === 'type' && last.depth === this.depth;
	}

	className() {
		const names = kind => this.open.filter(o => o.kind === kind)
			.map(o => o.name.replace(/@/g, ''));
		return [...names('namespace'), names('type').join('+')].join('.');
	}

	enter(found) {
		this.depth++;
		if (found)
			this.open.push({ ...found, depth: this.depth });
	}

	leave() {
		const last = this.open[this.open.length - 1];
		if (last && last.depth === this.depth && last.depth > 0)
			this.open.pop();
		this.depth--;
	}

	read() {
		let declared; // a type whose body has not begun
		let marked; // where the attributes of a test begin
		PIECE.lastIndex = 0;
		for (let piece; (piece = PIECE.exec(this.text));) {
			const { namespace, opened, type, method, mark } = piece.groups;
			if (namespace) {
				const found = { name: namespace, kind: 'namespace' };
				if (opened === '{')
					this.enter(found);
				else
					this.open.push({ ...found, depth: 0 });
			} else if (type) {
				// not a constraint: where T : class
				if (!/[:,]\s*$/.test(this.text.slice(0, piece.index)))
					declared = { name: type, kind: 'type', at: piece.index };
			} else if (method) {
				PIECE.lastIndex = closing(this.text,
					piece.index + piece[0].length - 1) + 1;
				if (MODIFIER.test(method))
					continue; // what it returns is a tuple
				if (marked !== undefined && this.member)
					this.found.push({ class: this.className(),
						method: method.replace('@', ''), at: marked,
						classAt: this.open[this.open.length - 1].at });
				if (!declared)
					marked = undefined;
			} else if (mark === '[') {
				const end = closing(this.text, piece.index);
				const names = attributes(
					this.text.slice(piece.index + 1, end));
				PIECE.lastIndex = end + 1;
				if (this.member && names.some(name => TEST.test(name)))
					marked = marked === undefined ? piece.index : marked;
			} else if (mark === '{') {
				this.enter(declared);
				declared = marked = undefined;
			} else if (mark === '}') {
				this.leave();
				declared = marked = undefined;
			} else {
				declared = marked = undefined;
			}
		}
		return this.found;
	}
}

/**
 * What there is to debug in a C# file, {classes, tests}: [{at, name, filter}],
 * where @at is the offset to show it above, and @filter is for dotnet test. The
 * name of a test with parameters means all its cases, also to NUnit, which
 * does not take the names of the cases here.
 */
function find(text) {
	const classes = new Map();
	const tests = new Map();
	for (const test of new Reader(text).read()) {
		const name = `${test.class}.${test.method}`;
		if (!tests.has(name))
			tests.set(name, { at: test.at, name,
				filter: `FullyQualifiedName=${name}` });
		if (!classes.has(test.class))
			classes.set(test.class, { at: test.classAt, name: test.class,
				filter: `FullyQualifiedName~${test.class}.` });
	}
	return { classes: [...classes.values()], tests: [...tests.values()] };
}

module.exports = { find };
