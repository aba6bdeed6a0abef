// statements: 19223
function tokens(text) {
  const out = [];
  let i = 0;
  while (i < text.length) {
    const c = text[i];
    if (c === ' ') {
      i++;
      continue;
    }
    if (/[0-9.]/.test(c)) {
      let number = '';
      while (i < text.length && /[0-9.]/.test(text[i])) {
        number += text[i];
        i++;
      }
      out.push({ type: 'number', value: Number(number) });
      continue;
    }
    out.push({ type: c });
    i++;
  }
  return out;
}
function parse(list) {
  let at = 0;
  function primary() {
    const token = list[at++];
    if (token.type === '(') {
      const value = sum();
      at++;
      return value;
    }
    if (token.type === '-') {
      return -primary();
    }
    return token.value;
  }
  function product() {
    let value = primary();
    while (at < list.length && (list[at].type === '*' || list[at].type === '/')) {
      const operator = list[at++].type;
      const right = primary();
      value = operator === '*' ? value * right : value / right;
    }
    return value;
  }
  function sum() {
    let value = product();
    while (at < list.length && (list[at].type === '+' || list[at].type === '-')) {
      const operator = list[at++].type;
      const right = product();
      value = operator === '+' ? value + right : value - right;
    }
    return value;
  }
  return sum();
}
let total = 0;
for (let n = 0; n < 60; n++) {
  total += parse(tokens('(' + n + ' + 3.5) * 2 - 7 / (1 + ' + n + ') * -(4 - 2)'));
}
return total;
