// A line diff by the longest common subsequence. Lines that both texts begin or end with are set aside first, which
// keeps the table small for the usual edit of a long text.
const limit = 4_000_000; // cells of the table: two texts of 2,000 changed lines each

const before = a.split('\n');
const after = b.split('\n');
let head = 0;
while (head < before.length && head < after.length && before[head] === after[head]) head++;
let tail = 0;
while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
const left = before.slice(head, before.length - tail);
const right = after.slice(head, after.length - tail);
if (left.length * right.length > limit) throw new Error(`too many changed lines: ${left.length} and ${right.length}`);

// common[i * width + j] is the length of the longest common subsequence of left[i..] and right[j..].
const width = right.length + 1;
const common = new Uint32Array((left.length + 1) * width);
for (let i = left.length - 1; i >= 0; i--) {
  for (let j = right.length - 1; j >= 0; j--) {
    common[i * width + j] = left[i] === right[j]
      ? common[(i + 1) * width + j + 1] + 1
      : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  }
}

const diff = before.slice(0, head).map((line) => ({ op: '=', line }));
let i = 0;
let j = 0;
while (i < left.length || j < right.length) {
  if (i < left.length && j < right.length && left[i] === right[j]) {
    diff.push({ op: '=', line: left[i] });
    i++;
    j++;
  } else if (j < right.length && (i === left.length || common[i * width + j + 1] >= common[(i + 1) * width + j])) {
    diff.push({ op: '+', line: right[j++] }); // an insertion stands before the deletion it replaces
  } else {
    diff.push({ op: '-', line: left[i++] });
  }
}
for (const line of before.slice(before.length - tail)) diff.push({ op: '=', line });
return diff;
