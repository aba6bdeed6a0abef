// statements: 6858
const left = [], right = [];
for (let i = 0; i < 60; i++) {
  left.push('line ' + i);
  if (i % 9 !== 0) right.push('line ' + (i % 11 === 0 ? -i : i));
}
const table = [];
for (let i = 0; i <= left.length; i++) {
  table.push(new Array(right.length + 1).fill(0));
}
for (let i = left.length - 1; i >= 0; i--) {
  for (let j = right.length - 1; j >= 0; j--) {
    if (left[i] === right[j]) {
      table[i][j] = table[i + 1][j + 1] + 1;
    } else {
      table[i][j] = Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
}
const out = [];
let i = 0, j = 0;
while (i < left.length && j < right.length) {
  if (left[i] === right[j]) {
    i++;
    j++;
  } else if (table[i + 1][j] >= table[i][j + 1]) {
    out.push('-' + left[i++]);
  } else {
    out.push('+' + right[j++]);
  }
}
return out.length;
