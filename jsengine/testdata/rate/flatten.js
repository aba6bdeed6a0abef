// statements: 3316
function build(depth) {
  if (depth === 0) return { value: depth, name: 'leaf' };
  return { name: 'n' + depth, left: build(depth - 1), right: build(depth - 1) };
}
const out = {};
function walk(node, path) {
  for (const key of Object.keys(node)) {
    const value = node[key];
    const name = path ? path + '.' + key : key;
    if (value !== null && typeof value === 'object') {
      walk(value, name);
    } else {
      out[name] = value;
    }
  }
}
walk(build(7), '');
return Object.keys(out).length;
