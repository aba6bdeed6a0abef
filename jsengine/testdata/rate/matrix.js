// statements: 16829
const n = 24;
const a = [], b = [], c = [];
for (let i = 0; i < n; i++) {
  a.push([]);
  b.push([]);
  c.push([]);
  for (let j = 0; j < n; j++) {
    a[i].push(i + j);
    b[i].push(i - j);
  }
}
for (let i = 0; i < n; i++) {
  for (let j = 0; j < n; j++) {
    let sum = 0;
    for (let k = 0; k < n; k++) {
      sum += a[i][k] * b[k][j];
    }
    c[i].push(sum);
  }
}
return c[n - 1][n - 1];
