'use strict';
// pack.js FOLDER [URL]: what is different in the package. The pictures of the
// README are in it, since VS Code shows none that lie beside it; the types of
// debuggers that are taken over have the attributes of ours; the place of the
// source is that of the clone that it is made from.

const fs = require('fs');
const path = require('path');
const { debuggers } = require('./lib/vsdbg');

function pack(folder, url) {
	const readme = path.join(folder, 'README.md');
	const text = fs.readFileSync(readme, 'utf8');
	const shown = text.replace(/\]\((images\/[\w-]+\.png)\)/g, (_, name) => {
		const file = path.join(folder, name);
		const data = fs.readFileSync(file).toString('base64');
		fs.unlinkSync(file);
		return `](data:image/png;base64,${data})`;
	});
	fs.writeFileSync(readme, shown);
	const file = path.join(folder, 'package.json');
	const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
	const all = manifest.contributes.debuggers;
	all.push(...debuggers(all[0].configurationAttributes));
	if (/^https:\/\/[^@]+$/.test(url || ''))
		manifest.repository = { type: 'git', url };
	fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
}

module.exports = { pack };
if (require.main === module)
	pack(process.argv[2], process.argv[3]);
