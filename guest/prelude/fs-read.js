// installs: safety.fs.readText safety.fs.list safety.fs.exists safety.fs.stat safety.fs.lineCount safety.fs.grep safety.fs.slice safety.fs.cut safety.fs.sort safety.fs.find safety.fs.searchInFiles
// needs: fs.readText fs.list fs.exists fs.stat fs.grep fs.lineCount fs.slice fs.cut fs.sort fs.find fs.searchInFiles
// after: fs.js
//
// The read group of safety.fs. Everything is synchronous: tools call it without await.

const { isArray, push } = primordials;
const { call, define, text, number, flag, options } = host.fs;

define('readText', function readText(path) { return host.call('fs.readText', typeof path === 'string' ? path : text(path) ?? ''); });
define('list', function list(dir) { return call('fs.list', { __proto__: null, path: text(dir) }); });
define('exists', function exists(path) { return call('fs.exists', { __proto__: null, path: text(path) }); });
define('stat', function stat(path) { return call('fs.stat', { __proto__: null, path: text(path) }); });
define('lineCount', function lineCount(path) { return call('fs.lineCount', { __proto__: null, path: text(path) }); });

define('grep', function grep(pattern, path, opts) {
  const { caseInsensitive, limit, numbered } = options(opts);
  return call('fs.grep', {
    __proto__: null, pattern: text(pattern), path: text(path),
    caseInsensitive: flag(caseInsensitive), limit: number(limit), numbered: flag(numbered),
  });
});

define('slice', function slice(path, start, end) {
  return call('fs.slice', { __proto__: null, path: text(path), start: number(start), end: number(end) });
});

define('cut', function cut(path, opts) {
  const { fields, delimiter, regex } = options(opts);
  let numbers;
  if (isArray(fields)) {
    numbers = [];
    for (let i = 0; i < fields.length; i++) push(numbers, number(fields[i]) ?? 0);
  }
  return call('fs.cut', { __proto__: null, path: text(path), fields: numbers, delimiter: text(delimiter), regex: flag(regex) });
});

define('sort', function sort(path, opts) {
  const { reverse, numeric, caseInsensitive, unique } = options(opts);
  return call('fs.sort', {
    __proto__: null, path: text(path),
    reverse: flag(reverse), numeric: flag(numeric), caseInsensitive: flag(caseInsensitive), unique: flag(unique),
  });
});

define('find', function find(dir, glob, opts) {
  const { maxDepth, type } = options(opts);
  return call('fs.find', { __proto__: null, dir: text(dir), glob: text(glob), maxDepth: number(maxDepth), type: text(type) });
});

define('searchInFiles', function searchInFiles(dir, glob, pattern, opts) {
  const { caseInsensitive, maxDepth, limit } = options(opts);
  return call('fs.searchInFiles', {
    __proto__: null, dir: text(dir), glob: text(glob), pattern: text(pattern),
    caseInsensitive: flag(caseInsensitive), maxDepth: number(maxDepth), limit: number(limit),
  });
});
