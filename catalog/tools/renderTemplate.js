// Mustache without partials: {{name}} escaped for HTML, {{{name}}} as it is, {{#list}}…{{/list}}, {{^none}}…{{/none}},
// {{! comment }}. Nothing in a template is evaluated, and a value is never read as a template.
const values = typeof data === 'string' ? JSON.parse(data) : data ?? {};
const plain = (format ?? 'html') === 'text';
if (!['html', 'text'].includes(format ?? 'html')) throw new Error(`unsupported format: ${format}; html or text`);
const deepest = 50;

const tag = /\{\{\{\s*([^{}]+?)\s*\}\}\}|\{\{\s*([#^/!&]?)\s*([^{}]*?)\s*\}\}/g;

// parse returns nested parts: text, {name, raw} and {name, inverted, parts}.
function parse(text) {
  const root = { parts: [] };
  const open = [root];
  let last = 0;
  for (const match of text.matchAll(tag)) {
    const [whole, raw, kind, name] = match;
    const inside = open.at(-1);
    inside.parts.push(text.slice(last, match.index));
    last = match.index + whole.length;
    if (raw !== undefined) inside.parts.push({ name: raw, raw: true });
    else if (kind === '!') continue;
    else if (kind === '&' || kind === '') inside.parts.push({ name, raw: kind === '&' });
    else if (kind === '/') {
      if (open.length === 1 || inside.name !== name) throw new Error(`{{/${name}}} closes nothing`);
      open.pop();
    } else {
      const section = { name, inverted: kind === '^', parts: [] };
      inside.parts.push(section);
      open.push(section);
      if (open.length > deepest) throw new Error(`sections are nested more than ${deepest} deep`);
    }
  }
  if (open.length > 1) throw new Error(`{{#${open.at(-1).name}}} is not closed`);
  root.parts.push(text.slice(last));
  return root.parts;
}

function find(name, scopes) {
  if (name === '.') return scopes.at(-1);
  const [first, ...rest] = name.split('.');
  const scope = scopes.findLast((s) => typeof s === 'object' && s !== null && Object.hasOwn(s, first));
  return [first, ...rest].reduce((v, step) => (typeof v === 'object' && v !== null && Object.hasOwn(v, step) ? v[step] : undefined), scope);
}
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const show = (value, raw) => {
  const text = value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return raw || plain ? text : text.replace(/[&<>"']/g, (c) => entities[c]);
};
const isEmpty = (value) => value === undefined || value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);

function render(parts, scopes) {
  return parts.map((part) => {
    if (typeof part === 'string') return part;
    const value = find(part.name, scopes);
    if (part.parts === undefined) return show(value, part.raw);
    if (part.inverted) return isEmpty(value) ? render(part.parts, scopes) : '';
    if (isEmpty(value)) return '';
    return (Array.isArray(value) ? value : [value]).map((item) => render(part.parts, [...scopes, item])).join('');
  }).join('');
}
return render(parse(template), [values]);
