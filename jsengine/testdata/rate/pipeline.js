// statements: 1846
const orders = Array.from({ length: 400 }, (_, i) => ({ id: i, customer: 'c' + (i % 13), lines: [{ sku: 'a', n: i % 5, price: 2.5 }, { sku: 'b', n: i % 3, price: 4 }] }));
const byCustomer = orders
  .filter((order) => order.id % 2 === 0)
  .map((order) => ({ customer: order.customer, total: order.lines.reduce((sum, line) => sum + line.n * line.price, 0) }))
  .reduce((all, order) => {
    all[order.customer] = (all[order.customer] || 0) + order.total;
    return all;
  }, {});
return Object.entries(byCustomer).sort((a, b) => b[1] - a[1]).map(([name, total]) => `${name}: ${total.toFixed(2)}`);
