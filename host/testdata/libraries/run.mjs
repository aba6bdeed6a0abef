// Bundles every library of cases.mjs with esbuild, runs its code here, and writes what a tool has to answer: one JSON
// object a line, {name, body, answer}. The bundle is the beginning of the body, so both run the same text.
import { createWriteStream } from 'node:fs';
import { build } from 'esbuild';
import { cases } from './cases.mjs';

process.env.TZ = 'UTC';
// Node's own modules, which some libraries ask for and do without.
const nothing = {
  name: 'nothing',
  setup(b) {
    b.onResolve({ filter: /^(crypto|stream|util)$/ }, ({ path }) => ({ path, namespace: 'nothing' }));
    b.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {}' }));
  },
};
const AsyncFunction = (async () => {}).constructor;
const out = createWriteStream(process.argv[2]);
for (const [name, entry, code] of cases) {
  const made = await build({
    stdin: { contents: entry, resolveDir: import.meta.dirname ?? process.cwd() }, bundle: true, write: false, format: 'iife', globalName: 'lib', platform: 'browser',
    mainFields: ['browser', 'module', 'main'], conditions: ['import', 'module'], target: 'es2022', logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' }, plugins: [nothing],
  });
  const body = `${made.outputFiles[0].text}\n${code}`;
  const answer = JSON.stringify(await new AsyncFunction(body)());
  out.write(`${JSON.stringify({ name, body, answer })}\n`);
}
out.end();
