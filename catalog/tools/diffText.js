// A line diff by the longest common subsequence. Of several diffs of one length it is the one whose matches stand
// last. Lines that both texts end with are set aside first, which changes nothing.
const limit = 4_000_000; // cells of the table: two texts of 2,000 changed lines each

const before = a.split('\n');
const after = b.split('\n');
// A long text is compared without the lines that both begin with too: that keeps the table small for the usual edit.
const whole = before.length * after.length <= 100_000;
let head = 0;
while (!whole && head < before.length && head < after.length && before[head] === after[head]) head++;
let tail = 0;
while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
const left = before.slice(head, before.length - tail);
const right = after.slice(head, after.length - tail);
if (left.length * right.length > limit) throw new Error(`too many changed lines: ${left.length} and ${right.length}`);

// common[i * width + j] is the length of the longest common subsequence of the first i lines of left and j of right.
const width = right.length + 1;
const common = new Uint32Array((left.length + 1) * width);
for (let i = 1; i <= left.length; i++) {
  for (let j = 1; j <= right.length; j++) {
    common[i * width + j] = left[i - 1] === right[j - 1]
      ? common[(i - 1) * width + j - 1] + 1
      : Math.max(common[(i - 1) * width + j], common[i * width + j - 1]);
  }
}

const changed = []; // from the end to the beginning
let i = left.length;
let j = right.length;
while (i > 0 || j > 0) {
  if (i > 0 && j > 0 && left[i - 1] === right[j - 1]) {
    changed.push({ op: '=', line: left[--i] });
    j--;
  } else if (i > 0 && (j === 0 || common[(i - 1) * width + j] >= common[i * width + j - 1])) {
    changed.push({ op: '-', line: left[--i] }); // read forwards, an insertion stands before the deletion it replaces
  } else {
    changed.push({ op: '+', line: right[--j] });
  }
}
const same = (line) => ({ op: '=', line });
return [...before.slice(0, head).map(same), ...changed.reverse(), ...before.slice(before.length - tail).map(same)];
