//# read and write, and what they return
const fs = safety.fs;
const home = fs.workspace();
same(fs.readRoots(), [home]);
same(fs.writeText('a/b.txt', 'one\ntwo\nthree'), home + '/a/b.txt');
same(fs.readText('a/b.txt'), 'one\ntwo\nthree');
same(fs.readText(home + '/a/b.txt'), 'one\ntwo\nthree');
same(fs.appendText('a/b.txt', '\nfour'), home + '/a/b.txt');
same([fs.lineCount('a/b.txt'), fs.slice('a/b.txt', -1), fs.slice('a/b.txt', undefined, 1), fs.slice('a/b.txt', null, null).length], [4, ['four'], ['one'], 4]);
same(fs.editText('a/b.txt', 'two', '2'), { path: home + '/a/b.txt', replacements: 1 });
same(fs.grep('^t', 'a/b.txt'), ['three']);
same(fs.grep('^T', 'a/b.txt', { caseInsensitive: true, numbered: true, limit: '5' }), ['3:three']);
same(fs.grep(/^t/.source, 'a/b.txt', null), ['three']);
same([fs.list(), fs.list('a'), fs.list('nope')], [['a'], ['a/b.txt'], []]);
same([fs.exists('a/b.txt'), fs.exists(''), fs.exists(), fs.exists('../x')], [true, false, false, false]);
const { size, mtime, directory } = fs.stat('a/b.txt');
same([size, directory, Number.isInteger(mtime), fs.stat('a').directory], [16, false, true, true]);
same(fs.sort('a/b.txt', { reverse: true }), ['three', 'one', 'four', '2']);
same(fs.cut('a/b.txt', { fields: [2], delimiter: 'o' }), ['ne', '', '', 'ur']);
same(fs.find('.', '*.txt'), ['a/b.txt']);
same(fs.find('.', null, { type: 'dir', maxDepth: 1 }), ['a']);
same(fs.searchInFiles('.', '*', 'four'), [{ file: 'a/b.txt', line: 4, text: 'four' }]);
same(fs.copy('a/b.txt', 'c.txt'), home + '/c.txt');
same(fs.move('c.txt', 'd/c.txt'), home + '/d/c.txt');
same([fs.delete('d/c.txt'), fs.delete('d/c.txt'), fs.deleteDir('d'), fs.deleteDir('d')], [true, false, 1, 0]);
fs.writeText('u', 'ü\u{1F600}\u0000\r\n');
same(fs.readText('u'), 'ü\u{1F600}\u0000\r\n');

//# refusals are errors with a kind, a helper and a reason
for (const [run, kind, reason] of [
  [() => safety.fs.readText('../../etc/passwd'), 'SECURITY', 'path-escapes-base'],
  [() => safety.fs.readText(), 'INVALID_INPUT', 'path-required'],
  [() => safety.fs.readText('a\0b'), 'INVALID_INPUT', 'invalid-path'],
  [() => safety.fs.readText('nope'), 'HELPER_RUNTIME', 'io'],
  [() => safety.fs.cut('nope', {}), 'INVALID_INPUT', 'cut-fields-required'],
  [() => safety.fs.cut('nope', { fields: 'x' }), 'INVALID_INPUT', 'cut-fields-required'],
  [() => safety.fs.grep(null, 'nope'), 'INVALID_INPUT', 'grep-pattern-required'],
  [() => safety.fs.writeText('/etc/x', ''), 'SECURITY', 'write-outside-workspace'],
  [() => safety.fs.deleteDir('.'), 'SECURITY', 'deletedir-workspace-root'],
]) {
  const e = throwing(run, 'Error');
  same([e instanceof Error, e.kind, e.helper, e.reason], [true, kind, 'safety.fs', reason]);
  same(e.message.startsWith(`[${kind}] safety.fs: ${reason}`), true);
}

//# no network is granted
same(typeof fetch, 'undefined');

//# what the code does not mention is there as well
const fs = globalThis['saf' + 'ety']['f' + 's'];
fs['write' + 'Text']('x', 'y');
same(fs['read' + 'Text']('x'), 'y');
same(fs['dele' + 'te']('x'), true);
