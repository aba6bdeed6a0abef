// Records what Node answers to the cases: node node.mjs DIRECTORY writes DIRECTORY/dates.txt.gz and so on. The first
// line is the hash of the cases' names, the others are the answers in their order.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv, versions } from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
for (const name of ['dates', 'numbers', 'text']) {
  const labels = createHash('sha256');
  const answers = [];
  const add = (kind, locale, what, run) => {
    let answer;
    try { answer = String(run()); } catch (e) { answer = '! ' + e.name; }
    labels.update(JSON.stringify([kind, locale, what]) + '\n');
    answers.push(JSON.stringify(answer));
  };
  new Function('add', readFileSync(join(here, name + '.js'), 'utf8'))(add);
  const text = [labels.digest('hex'), ...answers].join('\n') + '\n';
  writeFileSync(join(argv[2] ?? here, name + '.txt.gz'), gzipSync(text, { level: 9 }));
  console.error(`${name}: ${answers.length} cases, Node ${versions.node}, ICU ${versions.icu}`);
}
