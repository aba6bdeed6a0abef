// installs: safety.fs.writeText safety.fs.appendText safety.fs.editText safety.fs.copy
// needs: fs.writeText fs.appendText fs.editText fs.copy
// after: fs.js
//
// The write group of safety.fs.

const { call, define, text, flag } = host.fs;

define('writeText', function writeText(path, content) {
  return call('fs.writeText', { __proto__: null, path: text(path), text: text(content) });
});
define('appendText', function appendText(path, content) {
  return call('fs.appendText', { __proto__: null, path: text(path), text: text(content) });
});
define('editText', function editText(path, old, replacement, replaceAll) {
  return call('fs.editText', { __proto__: null, path: text(path), old: text(old), new: text(replacement), replaceAll: flag(replaceAll) });
});
define('copy', function copy(from, to) { return call('fs.copy', { __proto__: null, from: text(from), to: text(to) }); });
