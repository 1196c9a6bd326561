// The test client of the protocol's authors, which also answers the adapter's
// requests and writes down every message of both sides, one a line: for
// tests/protocol.py, which checks their types.
'use strict';
const fs = require('fs');
const path = require('path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

let exchanges = 0;

class CheckedClient extends DebugClient {
	constructor() {
		super(process.env.DNDBG, '--interpreter=vscode', 'coreclr',
			undefined, true);
		this.answers = {};
		this.seen = [];
		this.file = fs.openSync(path.join(process.env.EXCHANGES,
			`${++exchanges}.jsonl`), 'w');
	}

	record(message) {
		this.seen.push(message);
		fs.writeSync(this.file, JSON.stringify(message) + '\n');
	}

	// All that a client can.
	initializeRequest(args = {}) {
		return super.initializeRequest({
			adapterID: 'coreclr', linesStartAt1: true,
			columnsStartAt1: true, pathFormat: 'path',
			supportsVariableType: true, supportsVariablePaging: true,
			supportsRunInTerminalRequest: true,
			supportsMemoryReferences: true,
			supportsInvalidatedEvent: true, supportsMemoryEvent: true,
			supportsProgressReporting: true,
			supportsStartDebuggingRequest: true, ...args });
	}

	doSend(command, args, done) {
		const message = { type: 'request', seq: this.sequence, command };
		if (args && Object.keys(args).length > 0)
			message.arguments = args;
		this.record(message);
		super.doSend(command, args, done);
	}

	// What is to be done at a request of the adapter's: a function of its
	// arguments that gives the body of the answer.
	onRequest(command, answer) {
		this.answers[command] = answer;
	}

	dispatch(body) {
		const message = JSON.parse(body);
		this.record(message);
		if (message.type !== 'request')
			return super.dispatch(body);
		const answer = {
			type: 'response', seq: this.sequence++, success: true,
			request_seq: message.seq, command: message.command };
		const content = this.answers[message.command](message.arguments);
		if (content)
			answer.body = content;
		this.record(answer);
		const json = JSON.stringify(answer);
		this.outputStream.write(
			`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
	}

	// There is nobody to say goodbye to if that was said before.
	stop() {
		return this.left ? Promise.resolve() : super.stop();
	}

	// Events of a kind that have come.
	events(name) {
		return this.seen.filter((m) => m.event === name).map((m) => m.body);
	}

	// One that comes, or that has come and no other wait has taken.
	async nextEvent(name, fits = () => true) {
		this.taken = this.taken || new Set();
		for (;;) {
			const found = this.seen.find((m) => m.event === name &&
				!this.taken.has(m) && fits(m.body || {}));
			if (found) {
				this.taken.add(found);
				return found.body;
			}
			await this.waitForEvent(name, 30000);
		}
	}

	async stopped(reason) {
		const body = await this.nextEvent('stopped');
		if (body.reason !== reason)
			throw new Error(`stopped by ${JSON.stringify(body)}`);
		this.thread = body.threadId;
		return body;
	}

	// Launch (or attach), configure, and run.
	async begin(args, configure = async () => {}, kind = 'launch') {
		await this.initializeRequest();
		const begun = this.customRequest(kind, args);
		await configure();
		await this.configurationDoneRequest();
		return begun;
	}

	async ask(command, args) {
		return (await this.customRequest(command, args)).body;
	}

	async top() {
		return (await this.ask('stackTrace', { threadId: this.thread,
			startFrame: 0, levels: 1 })).stackFrames[0];
	}

	// The variables of a scope, by name, and the scope.
	async scope(name) {
		const { scopes } = await this.ask('scopes',
			{ frameId: (await this.top()).id });
		const scope = scopes.find((s) => s.name === name);
		const { variables } = await this.ask('variables',
			{ variablesReference: scope.variablesReference });
		return [Object.fromEntries(variables.map((v) => [v.name, v])), scope];
	}

	async go() {
		return this.ask('continue', { threadId: this.thread });
	}
}

module.exports = { CheckedClient };
