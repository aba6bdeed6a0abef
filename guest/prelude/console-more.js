// installs: console.table console.assert console.count console.countReset console.time console.timeLog console.timeEnd console.group console.groupCollapsed console.groupEnd console.dir console.trace
// needs:
//
// The rest of console: what tools use less often than a plain line.

const { floor, join, keys, mapDelete, mapGet, mapHas, mapSet, max, min, now, push, split, substring, indexOf, isArray, mapForEach, setForEach, Error, Map, Set, String } = primordials;
const { text, write, indent } = host.console;

const label = (value) => (value === undefined ? 'default' : String(value));

const counts = new Map();
const timers = new Map();

// Most rows and columns of a table, and most characters of a cell: a console is read by people.
const ROWS = 1000, COLUMNS = 50, CELL = 200;

// Lines of a table, drawn with box characters as browsers' developers know it from Node.
function draw(rows) {
  const widths = [];
  for (let r = 0; r < rows.length; r++) {
    for (let c = 0; c < rows[r].length; c++) widths[c] = max(widths[c] ?? 0, rows[r][c].length);
  }
  const line = (left, middle, right) => {
    const bars = [];
    for (let c = 0; c < widths.length; c++) push(bars, repeat('─', widths[c] + 2));
    return left + join(bars, middle) + right;
  };
  const lines = [line('┌', '┬', '┐')];
  for (let r = 0; r < rows.length; r++) {
    const cells = [];
    for (let c = 0; c < widths.length; c++) {
      const cell = rows[r][c] ?? '';
      push(cells, ` ${cell}${repeat(' ', widths[c] - cell.length)} `);
    }
    push(lines, `│${join(cells, '│')}│`);
    if (r === 0) push(lines, line('├', '┼', '┤'));
  }
  push(lines, line('└', '┴', '┘'));
  return join(lines, '\n');
}

function repeat(piece, times) {
  let out = '';
  for (let n = 0; n < times; n++) out += piece;
  return out;
}

const cell = (value) => substring(typeof value === 'string' ? `'${value}'` : text(value), 0, CELL);

// entriesOf lists [index, value] of what a table shows, a row each.
function entriesOf(data) {
  const list = [];
  if (data instanceof Map) mapForEach(data, (value, key) => push(list, [cell(key), value]));
  else if (data instanceof Set) setForEach(data, (value) => push(list, [String(list.length), value]));
  else {
    const names = keys(data);
    for (let n = 0; n < names.length; n++) push(list, [names[n], data[names[n]]]);
  }
  return list;
}

function table(data, columns) {
  if (typeof data !== 'object' || data === null) return write('log', [data]);
  const list = entriesOf(data);
  const head = [];
  let values = false;
  const shown = min(list.length, ROWS);
  const isRow = (value) => typeof value === 'object' && value !== null;
  if (isArray(columns)) for (let n = 0; n < min(columns.length, COLUMNS); n++) push(head, String(columns[n]));
  const known = new Map();
  for (let r = 0; r < shown; r++) {
    if (!isRow(list[r][1])) values = true;
    else if (!isArray(columns)) {
      const names = keys(list[r][1]);
      for (let n = 0; n < names.length && head.length < COLUMNS; n++) {
        if (!mapHas(known, names[n])) mapSet(known, names[n], true), push(head, names[n]);
      }
    }
  }
  const rows = [['(index)']];
  for (let c = 0; c < head.length; c++) push(rows[0], head[c]);
  if (values) push(rows[0], 'Values');
  for (let r = 0; r < shown; r++) {
    const [index, value] = list[r];
    const row = [index];
    for (let c = 0; c < head.length; c++) push(row, isRow(value) && head[c] in value ? cell(value[head[c]]) : '');
    if (values) push(row, isRow(value) ? '' : cell(value));
    push(rows, row);
  }
  if (shown < list.length) push(rows, [`${list.length - shown} more`]);
  write('log', [draw(rows)]);
}

const all = {
  table,
  assert(condition, ...rest) {
    if (condition) return;
    if (typeof rest[0] === 'string') rest[0] = `Assertion failed: ${rest[0]}`;
    else rest = rest.length === 0 ? ['Assertion failed'] : ['Assertion failed:', ...rest];
    write('error', rest);
  },
  count(name) {
    name = label(name);
    const n = (mapGet(counts, name) ?? 0) + 1;
    mapSet(counts, name, n);
    write('log', [`${name}: ${n}`]);
  },
  countReset(name) {
    if (!mapDelete(counts, label(name))) write('warn', [`Count for '${label(name)}' does not exist`]);
  },
  time(name) {
    name = label(name);
    if (mapHas(timers, name)) write('warn', [`Label '${name}' already exists for console.time()`]);
    else mapSet(timers, name, now());
  },
  timeLog(name, ...rest) { elapsed('timeLog', label(name), rest); },
  timeEnd(name) {
    name = label(name);
    if (elapsed('timeEnd', name, [])) mapDelete(timers, name);
  },
  group(...rest) {
    if (rest.length > 0) write('log', rest);
    indent(1);
  },
  groupCollapsed(...rest) {
    if (rest.length > 0) write('log', rest);
    indent(1);
  },
  groupEnd() { indent(-1); },
  dir(value) { write('log', [value]); },
  trace(...rest) {
    const frames = split(new Error().stack, '\n');
    const kept = [];
    for (let n = 0; n < frames.length; n++) if (frames[n] !== '' && indexOf(frames[n], '(prelude/') < 0) push(kept, frames[n]);
    write('debug', [rest.length === 0 ? 'Trace' : 'Trace:', ...rest, `\n${join(kept, '\n')}`]);
  },
};

function elapsed(method, name, rest) {
  const began = mapGet(timers, name);
  if (began === undefined) {
    write('warn', [`No such label '${name}' for console.${method}()`]);
    return false;
  }
  write('log', [`${name}: ${floor((now() - began) * 1000) / 1000}ms`, ...rest]);
  return true;
}

const names = keys(all);
for (let n = 0; n < names.length; n++) host.install(`console.${names[n]}`, all[names[n]]);
