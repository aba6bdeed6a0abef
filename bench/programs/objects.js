(function () {
  class Point { constructor(x, y) { this.x = x; this.y = y; } plus(p) { return new Point(this.x + p.x, this.y + p.y); } }
  let p = new Point(0, 0);
  const byKey = new Map();
  for (let i = 0; i < 200000; i++) {
    p = p.plus({ x: i % 3, y: 1 });
    if (i % 10 === 0) byKey.set('k' + i % 1000, { ...p, list: [i, i + 1] });
  }
  let sum = p.x + p.y;
  for (const [, v] of byKey) sum += v.list[1] + v.x;
  return sum;
})();
