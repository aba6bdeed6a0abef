// A unified diff with three lines of context. Lines that both texts begin or end with are set aside first.
const limit = 4_000_000; // cells of the table: two texts of 2,000 changed lines each
const context = 3;

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
if (old.length * now.length > limit) throw new Error(`too many changed lines: ${old.length} and ${now.length}`);

// common[i * width + j] is the length of the longest common subsequence of old[i..] and now[j..].
const width = now.length + 1;
const common = new Uint32Array((old.length + 1) * width);
for (let i = old.length - 1; i >= 0; i--) {
  for (let j = now.length - 1; j >= 0; j--) {
    common[i * width + j] = old[i] === now[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  }
}
const edits = before.slice(0, head).map((line) => ({ op: ' ', line }));
for (let i = 0, j = 0; i < old.length || j < now.length;) {
  if (i < old.length && j < now.length && old[i] === now[j]) {
    edits.push({ op: ' ', line: old[i] });
    i++;
    j++;
  } else if (i < old.length && (j === now.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
    edits.push({ op: '-', line: old[i++] });
  } else {
    edits.push({ op: '+', line: now[j++] });
  }
}
for (const line of before.slice(before.length - tail)) edits.push({ op: ' ', line });

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
