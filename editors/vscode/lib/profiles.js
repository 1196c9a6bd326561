'use strict';
// Properties/launchSettings.json: its profiles, and the page that one opens.

const fs = require('fs');
const path = require('path');

const SIZE_MAX = 1 << 20;
const DETECTED = '${auto-detect-url}';
const PAGE = /^(\$\{auto-detect-url\}|https?:)/;
const LISTENING = '\\bNow listening on:\\s+';

/** JSON as it is written by hand: with comments and a comma too many. */
function relaxed(text) {
	const words = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
	const bare = text.replace(/^\uFEFF/, '')
		.replace(words, word => word[0] === '"' ? word : ' ');
	return JSON.parse(bare.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g,
		word => word === ',' ? '' : word));
}

/** {name: profile} of those that run the project; none if it cannot be read. */
function read(file) {
	try {
		const found = fs.statSync(file);
		if (!found.isFile() || found.size > SIZE_MAX)
			return {};
		const { profiles } = relaxed(fs.readFileSync(file, 'utf8'));
		return Object.fromEntries(Object.entries(profiles)
			.filter(([, profile]) => profile.commandName === 'Project'));
	} catch {
		return {};
	}
}

/** The file of a project. */
function fileOf(project) {
	return path.join(path.dirname(project), 'Properties/launchSettings.json');
}

/**
 * The profile that a configuration is launched with, as dndbg chooses it; one
 * that names an empty profile wants nothing of the file.
 */
function chosen(config) {
	if (config.launchSettingsProfile === null ||
		config.launchSettingsProfile === '')
		return {};
	const file = config.launchSettingsFilePath ||
		path.join(config.cwd || '', 'Properties/launchSettings.json');
	const found = read(path.resolve(config.cwd || '', file));
	return config.launchSettingsProfile ?
		found[config.launchSettingsProfile] : Object.values(found)[0];
}

/** The page in launchBrowser.args of Microsoft's debugger, as a launchUrl. */
function pageOf(args) {
	const found = typeof args === 'string' &&
		args.split(/\s+/).find(word => PAGE.test(word));
	return found ? found.replace(DETECTED, '') : undefined;
}

/**
 * What has VS Code open a browser when the server is ready, or nothing:
 * `launchBrowser` of launch.json decides, or else that of the profile. A web
 * project without profiles shows its first page.
 */
function serverReady(config, profile) {
	const given = config.launchBrowser;
	const said = given && given.linux ? { ...given, ...given.linux } : given;
	const wanted = said === undefined || said === null ?
		!profile || profile.launchBrowser === true :
		said === true || said.enabled === true;
	if (!wanted)
		return undefined;
	const named = pageOf(said && said.args);
	const url = named !== undefined ? named : profile && profile.launchUrl || '';
	if (/^https?:/.test(url))
		return { action: 'openExternally', pattern: LISTENING,
			uriFormat: url.replace(/%/g, '%%') };
	return {
		action: 'openExternally', pattern: LISTENING + '(https?://\\S+)',
		uriFormat: url ? '%s/' + url.replace(/^\//, '') : '%s',
	};
}

module.exports = { chosen, fileOf, read, relaxed, serverReady };
