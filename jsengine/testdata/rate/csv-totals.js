// statements: 3316
const rows = [];
let text = 'name,region,amount\n';
for (let i = 0; i < 300; i++) text += 'item' + i + ',' + (i % 7) + ',' + i * 3 + '\n';
const lines = text.trim().split('\n');
const head = lines[0].split(',');
for (let i = 1; i < lines.length; i++) {
  const cells = lines[i].split(',');
  const row = {};
  for (let k = 0; k < head.length; k++) {
    row[head[k]] = cells[k];
  }
  rows.push(row);
}
const totals = {};
for (const row of rows) {
  const region = row.region;
  if (!(region in totals)) {
    totals[region] = 0;
  }
  totals[region] += Number(row.amount);
}
return totals;
