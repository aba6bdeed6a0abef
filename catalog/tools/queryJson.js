// A path language over JSON: .name, ["any name"], [0], [-1], [1:3], [*], ..name, and [?(name op value)] to filter.
//   $.orders[?(total > 100)].customer    $..price    $.items[*].tags[0]
const root = typeof json === 'string' ? JSON.parse(json) : json;
const most = 10_000; // results

const token = /\.\.([\p{L}_$][\p{L}\p{N}_$-]*|\*)|\.([\p{L}_$][\p{L}\p{N}_$-]*|\*)|\[\s*(\*|-?\d*:-?\d*|-?\d+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]|\[\?\(\s*(.*?)\s*\)\]/uy;

function steps(text) {
  const list = [];
  token.lastIndex = text.startsWith('$') ? 1 : 0;
  if (token.lastIndex === 0 && text !== '' && !'.['.includes(text[0])) text = `.${text}`; // a bare name
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new Error(`cannot read the path at: ${text.slice(at, at + 20)}`);
    const [, deep, member, bracket, filter] = match;
    if (deep !== undefined) list.push((value) => descendants(value).flatMap((v) => members(v, deep)));
    else if (member !== undefined) list.push((value) => members(value, member));
    else if (bracket !== undefined) list.push((value) => bracketed(value, bracket));
    else list.push(predicate(filter));
  }
  return list;
}

const isObject = (value) => typeof value === 'object' && value !== null;
function members(value, name) {
  if (!isObject(value)) return [];
  if (name === '*') return Object.values(value);
  return Object.hasOwn(value, name) ? [value[name]] : [];
}
function descendants(value) {
  const found = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    found.push(next);
    if (isObject(next)) open.push(...Object.values(next).reverse());
  }
  return found;
}
function bracketed(value, text) {
  if (text === '*') return members(value, '*');
  if (text[0] === '"') return members(value, JSON.parse(text));
  if (text[0] === "'") return members(value, text.slice(1, -1).replace(/\\(.)/g, '$1'));
  if (!Array.isArray(value)) return [];
  if (text.includes(':')) {
    const [from, to] = text.split(':');
    return value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to));
  }
  const item = value.at(Number(text));
  return item === undefined ? [] : [item];
}
function predicate(text) {
  const match = /^(?:@\.?)?([\p{L}\p{N}_.$-]+)(?:\s*(==|!=|<=|>=|<|>|contains)\s*(.+))?$/u.exec(text);
  if (!match) throw new Error(`cannot read the filter: ${text}`);
  const [, place, operator, literal] = match;
  const path = place.split('.');
  let wanted;
  if (literal !== undefined) {
    try {
      wanted = JSON.parse(literal.replace(/^'(.*)'$/, (_, inner) => JSON.stringify(inner)));
    } catch {
      throw new Error(`cannot read the value in the filter: ${literal}`);
    }
  }
  const holds = (item) => {
    const value = path.reduce((v, name) => (isObject(v) && Object.hasOwn(v, name) ? v[name] : undefined), item);
    switch (operator) {
      case undefined: return value !== undefined && value !== null && value !== false;
      case '==': return JSON.stringify(value) === JSON.stringify(wanted);
      case '!=': return JSON.stringify(value) !== JSON.stringify(wanted);
      case 'contains': return (typeof value === 'string' || Array.isArray(value)) && value.includes(wanted);
    }
    if (typeof value !== typeof wanted) return false; // 10 < "9" has no answer
    return operator === '<' ? value < wanted : operator === '<=' ? value <= wanted : operator === '>' ? value > wanted : value >= wanted;
  };
  return (value) => (isObject(value) ? Object.values(value).filter(holds) : []);
}

let values = [root];
for (const step of steps(path.trim())) {
  values = values.flatMap(step);
  if (values.length > most) throw new Error(`more than ${most} results; narrow the path`);
}
return { count: values.length, values };
