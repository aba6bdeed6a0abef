// What changed between two JSON documents, as JSON Patch (RFC 6902) with the old value added.
const read = (value) => (typeof value === 'string' ? JSON.parse(value) : value);
const most = 5_000; // changes

const changes = [];
const escape = (key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1');
const kind = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
function note(change) {
  if (changes.length === most) throw new Error(`more than ${most} changes; compare smaller parts`);
  changes.push(change);
}

function compare(a, b, path) {
  if (a === b) return;
  if (kind(a) !== kind(b) || (kind(a) !== 'object' && kind(a) !== 'array')) {
    note({ op: 'replace', path, from: a, value: b });
  } else if (kind(a) === 'object') {
    for (const key of Object.keys(a)) {
      if (Object.hasOwn(b, key)) compare(a[key], b[key], `${path}/${escape(key)}`);
      else note({ op: 'remove', path: `${path}/${escape(key)}`, from: a[key] });
    }
    for (const key of Object.keys(b)) {
      if (!Object.hasOwn(a, key)) note({ op: 'add', path: `${path}/${escape(key)}`, value: b[key] });
    }
  } else {
    arrays(a, b, path);
  }
}

// Equal items at both ends are matched first, so that one insertion is one change.
function arrays(a, b, path) {
  const same = (x, y) => JSON.stringify(x) === JSON.stringify(y);
  let head = 0;
  while (head < a.length && head < b.length && same(a[head], b[head])) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && same(a.at(-1 - tail), b.at(-1 - tail))) tail++;
  const [oldEnd, newEnd] = [a.length - tail, b.length - tail];
  for (let i = head; i < Math.min(oldEnd, newEnd); i++) compare(a[i], b[i], `${path}/${i}`);
  // From the end, so that the places of a patch hold while it is applied.
  for (let i = oldEnd - 1; i >= newEnd; i--) note({ op: 'remove', path: `${path}/${i}`, from: a[i] });
  for (let i = oldEnd; i < newEnd; i++) note({ op: 'add', path: `${path}/${i}`, value: b[i] });
}

compare(read(before), read(after), '');
return { equal: changes.length === 0, changes };
