// A unified diff with three lines of context. Lines that both texts begin or end with are set aside first.
const mostCells = 200_000; // of the table for few lines: 450 lines of each text
const mostEdits = 500; // for more lines; both bounds take half of the statements that a call has
const context = 3;

// Few lines: the longest common subsequence, of several of one length the one whose matches stand last.
// common[i * width + j] is its length for the first i lines of from and j of to.
function latest(from, to) {
  const width = to.length + 1;
  const common = new Uint32Array((from.length + 1) * width);
  for (let i = 1; i <= from.length; i++) {
    for (let j = 1; j <= to.length; j++) {
      common[i * width + j] = from[i - 1] === to[j - 1]
        ? common[(i - 1) * width + j - 1] + 1
        : Math.max(common[(i - 1) * width + j], common[i * width + j - 1]);
    }
  }
  const script = []; // from the end to the beginning
  let i = from.length;
  let j = to.length;
  while (i > 0 || j > 0) {
    if (i > 0 && j > 0 && from[i - 1] === to[j - 1]) {
      script.push({ op: ' ', line: from[--i] });
      j--;
    } else if (j > 0 && (i === 0 || common[i * width + j - 1] >= common[(i - 1) * width + j])) {
      script.push({ op: '+', line: to[--j] }); // read forwards, a deletion stands before what replaces it
    } else {
      script.push({ op: '-', line: from[--i] });
    }
  }
  return script.reverse();
}

// Many lines with few changes: the shortest edit script by Myers' greedy walk, whose cost grows with the square of the
// edits and not with the lines. reach[k] is how far into before the furthest path on diagonal k has come.
function shortest(from, to) {
  const middle = mostEdits + 1;
  const reach = new Int32Array(2 * middle + 1);
  const history = [];
  for (let d = 0; d <= mostEdits; d++) {
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && reach[middle + k - 1] < reach[middle + k + 1]) ? reach[middle + k + 1] : reach[middle + k - 1] + 1;
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      reach[middle + k] = x;
      if (x >= from.length && x - k >= to.length) return walk(history, d, from, to);
    }
    history.push(reach.slice(middle - d, middle + d + 1));
  }
  throw new Error(`more than ${mostEdits} changes in texts of ${from.length} and ${to.length} lines`);
}
function walk(history, edits, from, to) {
  const script = []; // from the end to the beginning
  let [x, y] = [from.length, to.length];
  for (let d = edits; d > 0; d--) {
    const at = (k) => history[d - 1][k + d - 1];
    const k = x - y;
    const before = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const start = at(before);
    for (; x > start && y > start - before; y--) script.push({ op: ' ', line: from[--x] });
    script.push(x === start ? { op: '+', line: to[--y] } : { op: '-', line: from[--x] });
  }
  while (x > 0) script.push({ op: ' ', line: from[--x] });
  return script.reverse();
}

// A text without a line break at its end is marked, as diff and patch do.
const split = (text) => {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines[lines.length - 1] += '\n\\ No newline at end of file';
  return lines;
};
const before = split(left);
const after = split(right);
let head = 0;
while (head < before.length && head < after.length && before[head] === after[head]) head++;
let tail = 0;
while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
const old = before.slice(head, before.length - tail);
const now = after.slice(head, after.length - tail);
const same = (line) => ({ op: ' ', line });
const changed = old.length * now.length <= mostCells ? latest(old, now) : shortest(old, now);
const edits = [...before.slice(0, head).map(same), ...changed, ...before.slice(before.length - tail).map(same)];

// Changes with at most twice the context between them share a hunk.
const hunks = [];
edits.forEach(({ op }, n) => {
  if (op === ' ') return;
  const last = hunks.at(-1);
  if (last && n - context <= last.end) last.end = Math.min(edits.length, n + context + 1);
  else hunks.push({ start: Math.max(0, n - context), end: Math.min(edits.length, n + context + 1) });
});
const lines = [];
let [oldLine, newLine, at] = [1, 1, 0];
for (const { start, end } of hunks) {
  for (; at < start; at++) [oldLine, newLine] = [oldLine + 1, newLine + 1]; // only equal lines lie between hunks
  const part = edits.slice(start, end);
  const removed = part.filter(({ op }) => op !== '+').length;
  const added = part.filter(({ op }) => op !== '-').length;
  // A side without lines names the line before it.
  lines.push(`@@ -${removed ? oldLine : oldLine - 1},${removed} +${added ? newLine : newLine - 1},${added} @@`);
  for (const { op, line } of part) lines.push(op + line);
  [oldLine, newLine, at] = [oldLine + removed, newLine + added, end];
}
const count = (wanted) => edits.filter(({ op }) => op === wanted).length;
const plain = (value) => value.replace(/\s+/g, ' ').trim();
if (lines.length > 0) lines.unshift(`--- ${plain(leftLabel ?? 'left')}`, `+++ ${plain(rightLabel ?? 'right')}`);
const diff = lines.length > 0 ? `${lines.join('\n')}\n` : '';
// The fence is longer than any that the texts hold.
const fence = '`'.repeat([...diff.matchAll(/`{3,}/g)].reduce((longest, [run]) => Math.max(longest, run.length), 2) + 1);
const heading = title === undefined ? '' : `**${plain(title)}**\n\n`;
return { text: diff === '' ? `${heading}The texts are equal.\n` : `${heading}${fence}diff\n${diff}${fence}\n`, added: count('+'), removed: count('-'), equal: diff === '' };
