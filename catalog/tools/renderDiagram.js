// Flowcharts and state diagrams are laid out in layers, sequence diagrams in columns. Text is cut, never wrapped.
const limits = { nodes: 100, edges: 300, source: 20_000 }; // more than that is no picture that anybody reads
if (code.length > limits.source) throw new Error(`the source has ${code.length} characters; at most ${limits.source} are drawn`);
const escape = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const picture = (width, height, parts) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img"><rect width="${width}" height="${height}" fill="#fff"/>${parts.join('')}</svg>`;
  return { mimeType: 'image/svg+xml', svg, dataUrl: `data:image/svg+xml;base64,${new TextEncoder().encode(svg).toBase64()}` };
};

const statements = code.split('\n').map((line) => line.replace(/%%.*$/, '').replace(/\s+/g, ' ').trim()).filter((line) => line !== '');
if (statements.length === 0) throw new Error('code is empty');
const [, kind, direction] = /^(flowchart|graph|stateDiagram(?:-v2)?|sequenceDiagram)\b\s*(TB|TD|BT|LR|RL)?\s*;?$/.exec(statements[0]) ?? [];
if (!kind) throw new Error(`cannot draw ${JSON.stringify(statements[0].slice(0, 40))}; begin with flowchart LR, stateDiagram-v2 or sequenceDiagram`);
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const clean = (text) => text.trim().replace(/^"([^]*)"$/, '$1').replace(/<br\s*\/?>/gi, ' ').replace(/#quot;/g, '"');
const at = (n) => n.toFixed(1);
const arrow = '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0L10 5L0 10z" fill="#444"/></marker><marker id="back" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="8" markerHeight="8" orient="auto" markerUnits="userSpaceOnUse"><path d="M10 0L0 5L10 10z" fill="#444"/></marker></defs>';

const nodes = new Map(); // name -> { label, shape, … }
const edges = [];
function node(name, label, shape) {
  let found = nodes.get(name);
  if (!found) {
    if (nodes.size === limits.nodes) throw new Error(`more than ${limits.nodes} nodes`);
    nodes.set(name, found = { name, label: name, shape: 'box' });
  }
  if (label !== undefined) Object.assign(found, { label: clean(label), shape });
  return name;
}
function edge(from, to, label, style) {
  if (edges.length === limits.edges) throw new Error(`more than ${limits.edges} arrows`);
  edges.push({ from, to, label: label === undefined ? '' : clean(label), ...style });
}

const shapes = [['([', '])', 'round'], ['((', '))', 'circle'], ['[[', ']]', 'box'], ['[(', ')]', 'round'], ['{{', '}}', 'diamond'], ['[', ']', 'box'], ['(', ')', 'round'], ['{', '}', 'diamond'], ['>', ']', 'box']];
// A line of nodes with arrows between them: A[x] & B -->|label| C --> D.
function flow(line) {
  let rest = line.replace(/;$/, '');
  const fail = () => { throw new Error(`cannot read ${JSON.stringify(cut(line, 60))}`); };
  const one = () => {
    const [all, name] = /^\s*([A-Za-z0-9_\u0080-\uffff]+)/.exec(rest) ?? fail();
    rest = rest.slice(all.length);
    const shape = shapes.find(([open]) => rest.startsWith(open));
    if (!shape) {
      rest = rest.replace(/^:::[\w-]+/, '');
      return node(name);
    }
    const [open, close, kindOfShape] = shape;
    const quoted = rest.startsWith(`${open}"`) ? rest.indexOf(`"${close}`) : -1;
    const end = quoted >= 0 ? quoted + 1 : rest.indexOf(close, open.length);
    if (end < 0) fail();
    const label = rest.slice(open.length, end);
    rest = rest.slice(end + close.length).replace(/^:::[\w-]+/, '');
    return node(name, label, kindOfShape);
  };
  const group = () => {
    const names = [one()];
    for (let and; (and = /^\s*&/.exec(rest)); names.push(one())) rest = rest.slice(and[0].length);
    return names;
  };
  let from = group();
  while (rest.trim() !== '') {
    const link = /^ ?(<)?(--|==|-\.)(?: ([^|>]*?) (?:--+|==+|\.-+)([>ox])?|(?:-*|=*|\.*-*)([>ox])?) ?(?:\|([^|]*)\|)?/.exec(rest) ?? fail();
    rest = rest.slice(link[0].length);
    const to = group();
    for (const a of from) for (const b of to) edge(a, b, link[3] ?? link[6], { dashed: link[2] === '-.', thick: link[2] === '==', head: Boolean(link[4] ?? link[5]), tail: Boolean(link[1]) });
    from = to;
  }
}
function state(line) {
  const point = (name, side) => (name === '[*]' ? node(`[*]${side}`, '', side) : node(name));
  const move = /^(\[\*\]|[\w.-]+)\s*-->\s*(\[\*\]|[\w.-]+)\s*(?::\s*(.*))?$/.exec(line);
  if (move) return edge(point(move[1], 'start'), point(move[2], 'end'), move[3], { head: true });
  const named = /^state\s+"([^"]*)"\s+as\s+([\w.-]+)$/.exec(line) ?? /^()([\w.-]+)\s*(?::\s*(.*))?$/.exec(line);
  if (!named) throw new Error(`cannot read ${JSON.stringify(cut(line, 60))}`);
  return node(named[2], named[1] || named[3] || named[2], 'round');
}

// Layers: each node stands one further than the furthest that leads to it; arrows that close a circle do not count.
function layered(horizontal, backwards) {
  const next = new Map([...nodes.keys()].map((name) => [name, []]));
  for (const { from, to } of edges) next.get(from).push(to);
  const order = [];
  const seen = new Map(); // 1: open, 2: done
  const closing = new Set();
  for (const root of nodes.keys()) {
    if (seen.has(root)) continue;
    seen.set(root, 1);
    for (const stack = [[root, 0]]; stack.length > 0;) {
      const top = stack.at(-1);
      const child = next.get(top[0])[top[1]++];
      if (child === undefined) {
        order.unshift(top[0]);
        seen.set(top[0], 2);
        stack.pop();
      } else if (!seen.has(child)) {
        seen.set(child, 1);
        stack.push([child, 0]);
      } else if (seen.get(child) === 1) closing.add(`${top[0]}\n${child}`);
    }
  }
  const layerOf = new Map(order.map((name) => [name, 0]));
  for (const name of order) {
    for (const to of next.get(name)) if (!closing.has(`${name}\n${to}`)) layerOf.set(to, Math.max(layerOf.get(to), layerOf.get(name) + 1));
  }
  const layers = [];
  for (const name of nodes.keys()) (layers[layerOf.get(name)] ??= []).push(nodes.get(name));
  if (backwards) layers.reverse();
  let along = 20;
  let widest = 0;
  for (const layer of layers) {
    let across = 0;
    for (const one of layer) {
      const small = one.shape === 'start' || one.shape === 'end';
      one.label = cut(one.label, 40);
      one.width = small ? 18 : Math.max(60, one.label.length * 7.5 + (one.shape === 'diamond' ? 56 : 24));
      one.height = small ? 18 : one.shape === 'diamond' ? 56 : 38;
      one.across = across;
      across += (horizontal ? one.height : one.width) + 28;
    }
    layer.extent = across - 28;
    widest = Math.max(widest, layer.extent);
  }
  for (const layer of layers) {
    const depth = layer.reduce((most, one) => Math.max(most, horizontal ? one.width : one.height), 0);
    for (const one of layer) {
      const off = 20 + (widest - layer.extent) / 2 + one.across;
      [one.x, one.y] = horizontal ? [along + depth / 2, off + one.height / 2] : [off + one.width / 2, along + depth / 2];
    }
    along += depth + (horizontal ? 90 : 60);
  }
  const [w, h] = [along - (horizontal ? 70 : 40), widest + 40];
  return horizontal ? [w, h] : [h, w];
}
// Where a line from the middle of a node towards another leaves it.
function border(from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  if (dx === 0 && dy === 0) return [from.x, from.y];
  const [rx, ry] = [from.width / 2, from.height / 2];
  const scale = from.shape === 'diamond' ? 1 / (Math.abs(dx) / rx + Math.abs(dy) / ry) : Math.min(dx === 0 ? Infinity : rx / Math.abs(dx), dy === 0 ? Infinity : ry / Math.abs(dy));
  return [from.x + dx * scale, from.y + dy * scale];
}
function draw(one) {
  const style = 'fill="#eef3f8" stroke="#3b6ea5"';
  const [left, top] = [one.x - one.width / 2, one.y - one.height / 2];
  if (one.shape === 'start') return `<circle cx="${at(one.x)}" cy="${at(one.y)}" r="8" fill="#444"/>`;
  if (one.shape === 'end') return `<circle cx="${at(one.x)}" cy="${at(one.y)}" r="8" fill="#fff" stroke="#444"/><circle cx="${at(one.x)}" cy="${at(one.y)}" r="5" fill="#444"/>`;
  const outline = one.shape === 'diamond'
    ? `<polygon points="${at(one.x)},${at(top)} ${at(left + one.width)},${at(one.y)} ${at(one.x)},${at(top + one.height)} ${at(left)},${at(one.y)}" ${style}/>`
    : `<rect x="${at(left)}" y="${at(top)}" width="${at(one.width)}" height="${at(one.height)}" rx="${one.shape === 'box' ? 3 : 19}" ${style}/>`;
  return `${outline}<text x="${at(one.x)}" y="${at(one.y + 4)}" text-anchor="middle">${escape(one.label)}</text>`;
}
const name = (x, y, text) => `<rect x="${at(x - text.length * 3.6)}" y="${at(y - 11)}" width="${at(text.length * 7.2)}" height="15" fill="#fff" opacity="0.9"/><text x="${at(x)}" y="${at(y)}" text-anchor="middle" fill="#444">${escape(text)}</text>`;
function drawEdge({ from, to, label, dashed, thick, head, tail }) {
  const [a, b] = [nodes.get(from), nodes.get(to)];
  const style = `fill="none" stroke="#444" stroke-width="${thick ? 2.5 : 1.2}"${dashed ? ' stroke-dasharray="5 4"' : ''}${head ? ' marker-end="url(#arrow)"' : ''}${tail ? ' marker-start="url(#back)"' : ''}`;
  if (a === b) return `<path d="M${at(a.x + a.width / 2 - 8)} ${at(a.y - a.height / 2)}c30 -34 40 10 8 22" ${style}/>${label && name(a.x + a.width / 2 + 24, a.y - a.height / 2 - 8, cut(label, 30))}`;
  const [[x1, y1], [x2, y2]] = [border(a, b), border(b, a)];
  // Of two arrows between the same nodes each bends to its own side.
  const bend = edges.some((other) => other.from === to && other.to === from) ? 36 : 0;
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [mx, my] = [(x1 + x2) / 2 - ((y2 - y1) / length) * bend, (y1 + y2) / 2 + ((x2 - x1) / length) * bend];
  return `<path d="M${at(x1)} ${at(y1)}Q${at(mx)} ${at(my)} ${at(x2)} ${at(y2)}" ${style}/>${label && name((x1 + x2 + 2 * mx) / 4, (y1 + y2 + 2 * my) / 4 + 4, cut(label, 30))}`;
}

function sequence() {
  const people = new Map();
  const person = (id, label) => {
    if (!people.has(id)) {
      if (people.size === 20) throw new Error('more than 20 participants');
      people.set(id, { x: 90 + people.size * 170, label: cut(clean(label ?? id), 20) });
    }
    return people.get(id);
  };
  const rows = [];
  for (const line of statements.slice(1)) {
    const who = /^(?:participant|actor)\s+(\S+)(?:\s+as\s+(.+))?$/.exec(line);
    const message = /^([^\s:+-]+)\s*(--?>>?|--?x|--?\))\s*[+-]?([^\s:+-]+)\s*:\s*(.*)$/.exec(line);
    const note = /^[Nn]ote\s+(?:over|left of|right of)\s+([^:]+):\s*(.*)$/.exec(line);
    const frame = /^(loop|alt|else|opt|par|and|critical|break|rect)\b\s*(.*)$/.exec(line);
    if (who) person(who[1], who[2]);
    else if (message) rows.push({ from: person(message[1]), to: person(message[3]), dashed: message[2].startsWith('--'), text: clean(message[4]) });
    else if (note) rows.push({ over: note[1].split(',').map((id) => person(id.trim())), text: clean(note[2]) });
    else if (frame) rows.push({ text: `${frame[1]} ${frame[2]}`.trim(), frame: true });
    else if (!/^(?:end|autonumber|activate\s|deactivate\s)/.test(line)) throw new Error(`cannot read ${JSON.stringify(cut(line, 60))}`);
    if (rows.length > limits.edges) throw new Error(`more than ${limits.edges} messages`);
  }
  if (people.size === 0) throw new Error('the diagram has no participants');
  const size = [people.size * 170 + 10, 90 + rows.length * 44];
  const parts = [...people.values()].map(({ x, label }) => `<line x1="${x}" x2="${x}" y1="50" y2="${size[1] - 15}" stroke="#bbb"/><rect x="${x - 75}" y="15" width="150" height="34" rx="3" fill="#eef3f8" stroke="#3b6ea5"/><text x="${x}" y="36" text-anchor="middle">${escape(label)}</text>`);
  rows.forEach(({ from, to, over, dashed, text, frame }, n) => {
    const y = 90 + n * 44;
    const style = `fill="none" stroke="#444" marker-end="url(#arrow)"${dashed ? ' stroke-dasharray="5 4"' : ''}`;
    if (frame) parts.push(`<line x1="10" x2="${size[0] - 10}" y1="${y}" y2="${y}" stroke="#bbb" stroke-dasharray="2 3"/><text x="14" y="${y - 5}" font-style="italic" fill="#555">${escape(cut(text, 60))}</text>`);
    else if (over) {
      const [left, right] = [Math.min(...over.map(({ x }) => x)) - 70, Math.max(...over.map(({ x }) => x)) + 70];
      parts.push(`<rect x="${left}" y="${y - 20}" width="${right - left}" height="26" fill="#fff8dc" stroke="#d6c98a"/><text x="${(left + right) / 2}" y="${y - 3}" text-anchor="middle">${escape(cut(text, (right - left) / 7))}</text>`);
    } else if (from === to) parts.push(`<path d="M${from.x} ${y - 10}h34v16h-30" ${style}/>${name(from.x + 70, y - 14, cut(text, 24))}`);
    else parts.push(`<path d="M${from.x} ${y}H${to.x}" ${style}/>${name((from.x + to.x) / 2, y - 6, cut(text, 40))}`);
  });
  return [size, parts];
}

let [size, parts] = [[0, 0], []];
if (kind === 'sequenceDiagram') [size, parts] = sequence();
else {
  let sideways = direction ?? 'TD';
  for (const line of statements.slice(1)) {
    const turned = /^direction\s+(TB|TD|BT|LR|RL)$/.exec(line);
    if (turned) sideways = turned[1];
    else if (/^(?:subgraph\b|end$|style\s|classDef\s|class\s|linkStyle\s|click\s|accTitle|accDescr|\}$)/.test(line)) continue;
    else if (kind.startsWith('state')) state(line.replace(/\s*\{$/, ''));
    else for (const part of line.split(/;(?=\s*\S)/)) flow(part);
  }
  if (nodes.size === 0) throw new Error('the diagram has no nodes');
  size = layered(sideways === 'LR' || sideways === 'RL', sideways === 'BT' || sideways === 'RL');
  parts = [...edges.map(drawEdge), ...[...nodes.values()].map(draw)];
}
const top = title === undefined ? 0 : 36;
const heading = title === undefined ? '' : `<text x="20" y="26" font-size="16" font-weight="bold">${escape(cut(title, 80))}</text>`;
const fence = '`'.repeat([...code.matchAll(/`{3,}/g)].reduce((longest, [run]) => Math.max(longest, run.length), 2) + 1);
const text = `${title === undefined ? '' : `**${title.replace(/\s+/g, ' ')}**\n\n`}${fence}mermaid\n${code.trim()}\n${fence}\n`;
return { text, ...picture(Math.ceil(size[0]), Math.ceil(size[1]) + top, [arrow, heading, `<g transform="translate(0 ${top})">`, ...parts, '</g>']) };
