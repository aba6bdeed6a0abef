// Starts every server of servers.json over stdio, asks for its tools and prints
// one JSON line for each: {"server", "package", "version", "tools"}. No tool is
// called. A server that does not answer is reported on stderr and left out.
import { readFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const here = dirname(fileURLToPath(import.meta.url));
const startTimeoutMs = 30_000; // the slowest server here needs about 5 s when idle
const scratch = mkdtempSync(join(tmpdir(), 'level-eval-'));

function program(name) {
  const root = join(here, 'node_modules', name);
  const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const script = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return { script: resolve(root, script), version };
}

async function list({ package: name, args = [], env = {} }) {
  const { script, version } = program(name);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, ...args.map((a) => a.replace('$SCRATCH', scratch))],
    env: { PATH: process.env.PATH, HOME: scratch, ...env },
    cwd: scratch,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'level-evaluation', version: '1' });
  const timer = setTimeout(() => transport.close(), startTimeoutMs);
  try {
    await client.connect(transport);
    const tools = [];
    let cursor;
    do {
      const page = await client.listTools({ cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor);
    console.log(JSON.stringify({ server: name, version, tools }));
  } finally {
    clearTimeout(timer);
    await client.close();
  }
}

for (const server of JSON.parse(readFileSync(join(here, 'servers.json'), 'utf8'))) {
  try {
    await list(server);
  } catch (err) {
    console.error(`${server.package}: ${err.message}`);
  }
}
process.exit(0);
