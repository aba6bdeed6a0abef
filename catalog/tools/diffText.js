// A line diff. Lines that both texts end with are set aside first, which changes nothing.
const mostCells = 200_000; // of the table for few lines: 450 lines of each text
const mostEdits = 500; // for more lines; both bounds take half of the statements that a call has

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
      script.push({ op: '=', line: from[--i] });
      j--;
    } else if (i > 0 && (j === 0 || common[(i - 1) * width + j] >= common[i * width + j - 1])) {
      script.push({ op: '-', line: from[--i] }); // read forwards, an insertion stands before the deletion it replaces
    } else {
      script.push({ op: '+', line: to[--j] });
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
    for (; x > start && y > start - before; y--) script.push({ op: '=', line: from[--x] });
    script.push(x === start ? { op: '+', line: to[--y] } : { op: '-', line: from[--x] });
  }
  while (x > 0) script.push({ op: '=', line: from[--x] });
  return script.reverse();
}

const before = a.split('\n');
const after = b.split('\n');
// What a long text begins with is set aside too.
const whole = before.length * after.length <= 100_000;
let head = 0;
while (!whole && head < before.length && head < after.length && before[head] === after[head]) head++;
let tail = 0;
while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
const left = before.slice(head, before.length - tail);
const right = after.slice(head, after.length - tail);
const changed = left.length * right.length <= mostCells ? latest(left, right) : shortest(left, right);
const same = (line) => ({ op: '=', line });
return [...before.slice(0, head).map(same), ...changed, ...before.slice(before.length - tail).map(same)];
