// installs: safety.fs.move safety.fs.delete safety.fs.deleteDir
// needs: fs.move fs.delete fs.deleteDir
// after: fs-write.js
//
// The part of safety.fs that takes files away.

const { call, define, text } = host.fs;

define('move', function move(from, to) { return call('fs.move', { __proto__: null, from: text(from), to: text(to) }); });
define('delete', function (path) { return call('fs.delete', { __proto__: null, path: text(path) }); });
define('deleteDir', function deleteDir(path) { return call('fs.deleteDir', { __proto__: null, path: text(path) }); });
