// A web page as Markdown: headings, paragraphs, lists, links, emphasis, quotes, code, tables and images.
const limit = 50_000; // characters of Markdown

let response;
try {
  response = await fetch(pageUrl, { headers: { accept: 'text/html', 'user-agent': 'glovebox-tools' }, timeout: 20_000 });
} catch (error) {
  throw new Error(`the page could not be fetched (${error.reason ?? error.message})`);
}
if (!response.ok) throw new Error(`the page answered ${response.status}`);
if (!/html/i.test(response.contentType ?? 'text/html')) throw new Error(`the page is ${response.contentType}, not HTML`);
const source = await response.text();
if (source.trim() === '') return { url: response.url, title: '', markdown: '', truncated: false };
const page = safety.parser.html(source);
page.select('script, style, noscript, template, svg, nav, header, footer, aside, form, iframe').remove();
const main = page.select('main, article').first() ?? page.body();

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&nbsp;': ' ' };
const decode = (text) => text.replace(/&(?:amp|lt|gt|quot|nbsp);/g, (entity) => entities[entity]);
const absolute = (address) => {
  try {
    return new URL(address, response.url).href;
  } catch {
    return address;
  }
};

// What the parser writes is well-formed: lower-case tags, attributes in double quotes. So tags and text can be read
// one after the other. Every open element collects the Markdown of what is inside it.
const open = [{ tag: 'body', text: '', attributes: {} }];
const top = () => open.at(-1);
const inside = (tag) => open.some((element) => element.tag === tag);
// One space at the start of a line comes from the page's own line breaks; two and more are ours.
const tidy = (text) => text.replace(/[ \t]+\n/g, '\n').replace(/\n (?=\S)/g, '\n').replace(/\n{3,}/g, '\n\n').trim();
const line = (text) => text.replace(/\s+/g, ' ').trim();
const block = (text) => (text === '' ? '' : `\n\n${text}\n\n`);
const indent = (text, mark) => text.split('\n').map((l, i) => (i === 0 ? mark : l === '' ? '' : ' '.repeat(mark.length)) + l).join('\n');

const code = [];
const finish = {
  p: ({ text }) => block(tidy(text)),
  br: () => '\n',
  hr: () => block('---'),
  strong: ({ text }) => (line(text) === '' ? text : `**${line(text)}**`),
  em: ({ text }) => (line(text) === '' ? text : `*${line(text)}*`),
  code: ({ text }) => (inside('pre') ? text : `\`${text}\``),
  // Code waits aside until the end: no rule may touch its spaces.
  pre: ({ text }) => block(`\u0000${code.push(`\`\`\`\n${text.replace(/^\n|\n$/g, '')}\n\`\`\``) - 1}\u0000`),
  a: ({ text, attributes }) => (attributes.href && line(text) !== '' ? `[${line(text)}](${absolute(attributes.href)})` : text),
  img: ({ attributes }) => (attributes.src && !attributes.src.startsWith('data:') ? `![${attributes.alt ?? ''}](${absolute(attributes.src)})` : ''),
  blockquote: ({ text }) => block(tidy(text).split('\n').map((l) => `> ${l}`.trimEnd()).join('\n')),
  li: ({ text }) => {
    const list = open.findLast(({ tag }) => tag === 'ol' || tag === 'ul');
    const mark = list?.tag === 'ol' ? `${(list.count = (list.count ?? 0) + 1)}. ` : '- ';
    return `\n${indent(tidy(text), mark)}`;
  },
  ul: ({ text }) => (inside('li') ? `\n${text.trim()}\n` : block(text.trim())),
  td: ({ text }) => `| ${line(text).replaceAll('|', '\\|')} `,
  tr: (row) => {
    const table = open.findLast(({ tag }) => tag === 'table');
    const cells = `${row.text.replace(/\n/g, '').trim()} |`;
    if (!table || table.headed) return `\n${cells}`;
    table.headed = true;
    return `\n${cells}\n|${' --- |'.repeat((row.text.match(/(?<!\\)\| /g) ?? []).length)}`;
  },
  table: ({ text }) => block(text.trim()),
};
Object.assign(finish, { b: finish.strong, i: finish.em, ol: finish.ul, th: finish.td, div: finish.p, section: finish.p, figure: finish.p, dt: finish.p, dd: finish.p });
for (let n = 1; n <= 6; n++) finish[`h${n}`] = ({ text }) => block(line(text) === '' ? '' : `${'#'.repeat(n)} ${line(text)}`);
const empty = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr']);

function close() {
  const element = open.pop();
  top().text += finish[element.tag]?.(element) ?? element.text;
}
const token = /<!--[^]*?-->|<(\/?)([a-z][a-z0-9-]*)((?:\s[^\s=>]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/g;
for (const [, end, tag, attributes, text] of main.html().matchAll(token)) {
  if (text !== undefined) {
    const read = decode(text).replaceAll('\u0000', '');
    top().text += inside('pre') ? read : read.replace(/\s+/g, ' ');
  } else if (tag === undefined) {
    continue; // a comment
  } else if (end === '') {
    open.push({ tag, text: '', attributes: Object.fromEntries(Array.from(attributes.matchAll(/\s([^\s=>]+)(?:="([^"]*)")?/g), ([, name, value]) => [name, decode(value ?? '')])) });
    if (empty.has(tag)) close();
  } else if (open.some((element) => element.tag === tag) && open.length > 1) {
    while (top().tag !== tag) close();
    close();
  }
}
while (open.length > 1) close();
const markdown = tidy(open[0].text).replace(/\u0000(\d+)\u0000/g, (_, n) => code[n]);
return { url: response.url, title: page.title(), markdown: markdown.slice(0, limit), truncated: markdown.length > limit };
