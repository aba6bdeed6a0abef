const total = items.reduce((sum, item) => sum + item.price * item.count, 0);
return { count: items.length, total, currency, names: items.map((item) => item.name).sort() };
