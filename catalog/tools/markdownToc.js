// The headings of a Markdown text with the anchors that GitHub gives them. Code blocks are passed over.
const deepest = maxLevel === undefined ? 6 : maxLevel;
if (!Number.isInteger(deepest) || deepest < 1 || deepest > 6) throw new Error('maxLevel must be 1..6');

const headings = [];
const taken = new Map();
let fence = null;
const lines = markdown.split(/\r\n|\n|\r/);
lines.forEach((line, n) => {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== null) {
    if (mark && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = null;
    return;
  }
  if (mark) {
    fence = mark;
    return;
  }
  const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line);
  const under = n > 0 && lines[n - 1].trim() !== '' && !/^ {0,3}([#>]|[-*+][ \t]|\d+[.)][ \t])/.test(lines[n - 1]) ? /^ {0,3}(=+|-{2,})[ \t]*$/.exec(line) : null;
  if (!atx && !under) return;
  const level = atx ? atx[1].length : under[1][0] === '=' ? 1 : 2;
  const raw = atx ? atx[2] ?? '' : lines[n - 1].trim();
  const text = raw.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*_`~]+(\S(?:.*?\S)?)[*_`~]+/g, '$1');
  const base = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');
  const seen = taken.get(base) ?? 0;
  taken.set(base, seen + 1);
  headings.push({ level, text, anchor: seen === 0 ? base : `${base}-${seen}`, line: atx ? n + 1 : n });
});
const shown = headings.filter(({ level }) => level <= deepest);
const top = Math.min(...shown.map(({ level }) => level));
return {
  headings: shown,
  toc: shown.map(({ level, text, anchor }) => `${'  '.repeat(level - top)}- [${text}](#${anchor})`).join('\n'),
};
