// A small expression language: numbers, strings, true, false, null, variables, ( ), unary - + !, ** right to left,
// * / %, + -, comparisons, == !=, && ||, ?:, and a few functions and constants. Nothing is evaluated as JavaScript.
const constants = { pi: Math.PI, e: Math.E, PI: Math.PI, E: Math.E, true: true, false: false, null: null };
const functions = {
  abs: Math.abs, ceil: Math.ceil, floor: Math.floor, round: Math.round, trunc: Math.trunc, sign: Math.sign,
  sqrt: Math.sqrt, cbrt: Math.cbrt, exp: Math.exp, log: Math.log, ln: Math.log, log2: Math.log2, log10: Math.log10,
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2,
  pow: Math.pow, min: Math.min, max: Math.max, hypot: Math.hypot,
};
const deepest = 200; // nested parentheses and unary signs; the guest's stack holds far more

const bound = typeof variables === 'string' ? JSON.parse(variables) : variables ?? {};

const token = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_$][\w$]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\*\*|&&|\|\||[=!]==?|[<>]=?|[-+*/%!()?:,]))/y;
const tokens = [];
while (token.lastIndex < expression.trimEnd().length) {
  const at = token.lastIndex;
  const match = token.exec(expression);
  if (!match) throw new Error(`unexpected character: ${expression.slice(at).trimStart()[0]}`);
  const [, number, name, string, operator] = match;
  if (number !== undefined) tokens.push({ kind: 'value', value: Number(number) });
  else if (name !== undefined) tokens.push({ kind: 'name', value: name });
  else if (string !== undefined) tokens.push({ kind: 'value', value: string.slice(1, -1).replace(/\\(.)/g, '$1') });
  else tokens.push({ kind: operator });
}

let position = 0;
let depth = 0;
const peek = () => tokens[position]?.kind;
const accept = (...kinds) => (kinds.includes(peek()) ? tokens[position++].kind : undefined);
function expect(kind) {
  if (!accept(kind)) throw new Error(position < tokens.length ? `expected ${kind}` : `unexpected end: expected ${kind}`);
}

// Both sides are always parsed; `live` says whether a side is evaluated, so that `x != 0 && 1 / x` is safe and
// `true || missing` is no error.
function conditional(live) {
  const test = or(live);
  if (!accept('?')) return test;
  const yes = conditional(live && Boolean(test));
  expect(':');
  const no = conditional(live && !test);
  return test ? yes : no;
}
function or(live) {
  let value = and(live);
  while (accept('||')) {
    const right = and(live && !value);
    value = value || right;
  }
  return value;
}
function and(live) {
  let value = equality(live);
  while (accept('&&')) {
    const right = equality(live && Boolean(value));
    value = value && right;
  }
  return value;
}
function equality(live) {
  let value = comparison(live);
  for (let op; (op = accept('==', '===', '!=', '!=='));) {
    const right = comparison(live);
    value = (op[0] === '=') === (value == right); // loosely, so that "5" equals 5
  }
  return value;
}
function comparison(live) {
  let value = sum(live);
  for (let op; (op = accept('<', '<=', '>', '>='));) {
    const right = sum(live);
    value = op === '<' ? value < right : op === '<=' ? value <= right : op === '>' ? value > right : value >= right;
  }
  return value;
}
function sum(live) {
  let value = product(live);
  for (let op; (op = accept('+', '-'));) {
    const right = product(live);
    value = op === '+' ? value + right : value - right;
  }
  return value;
}
function product(live) {
  let value = power(live);
  for (let op; (op = accept('*', '/', '%'));) {
    const right = power(live);
    if (live && op !== '*' && right === 0) throw new Error('division by zero');
    value = op === '*' ? value * right : op === '/' ? value / right : value % right;
  }
  return value;
}
// A sign binds tighter than **, as in a spreadsheet: -2 ** 2 is 4.
function power(live) {
  const base = unary(live);
  if (!accept('**')) return base;
  return base ** power(live);
}
function unary(live) {
  if (++depth > deepest) throw new Error('nested too deeply');
  try {
    const op = accept('-', '+', '!');
    if (!op) return primary(live);
    const value = unary(live);
    return op === '-' ? -value : op === '+' ? +value : !value;
  } finally {
    depth--;
  }
}
function primary(live) {
  const next = tokens[position];
  if (!next) throw new Error('unexpected end of expression');
  if (next.kind === 'value') {
    position++;
    return next.value;
  }
  if (accept('(')) {
    const value = conditional(live);
    expect(')');
    return value;
  }
  if (next.kind !== 'name') throw new Error(`unexpected token: ${next.kind}`);
  position++;
  return peek() === '(' ? call(next.value, live) : variable(next.value, live);
}
function call(name, live) {
  expect('(');
  const values = [];
  if (!accept(')')) {
    do values.push(conditional(live)); while (accept(','));
    expect(')');
  }
  if (!Object.hasOwn(functions, name)) throw new Error(`unknown function: ${name}`);
  return functions[name](...values);
}
function variable(name, live) {
  if (Object.hasOwn(bound, name)) return bound[name];
  if (Object.hasOwn(constants, name)) return constants[name];
  if (live) throw new Error(`undefined variable: ${name}`);
  return undefined;
}

const value = conditional(true);
if (position < tokens.length) throw new Error(`unexpected trailing input: ${tokens[position].value ?? tokens[position].kind}`);
return value;
