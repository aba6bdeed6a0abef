// Clients on the TypeScript SDKs: version 1, which most clients are built on, and
// version 2 in both protocol eras; over HTTP, over stdio, and over stdio relayed to
// the server that serves HTTP.
import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { apart, publish, recorded, shared, start, stdio } from './server.mjs';

const info = { name: 'sdk.mjs', version: '1' };
const capabilities = { elicitation: {} };

// Each kind makes a client: asked answers a question, changed hears that the list
// of tools did. The two SDKs differ in names alone.
const kinds = {
  'sdk 1': (asked, changed) => {
    const client = new Client1(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, asked);
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    return { client, Http: StreamableHTTPClientTransport1, Stdio: StdioClientTransport1, call: (params, options) => client.callTool(params, undefined, options) };
  },
  'sdk 2, sessions': (asked, changed) => second(asked, changed, 'legacy'),
  'sdk 2, stateless': (asked, changed) => second(asked, changed, { pin: '2026-07-28' }),
};

function second(asked, changed, mode) {
  const client = new Client(info, {
    capabilities, versionNegotiation: { mode },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
  });
  client.setRequestHandler('elicitation/create', asked);
  return { client, Http: StreamableHTTPClientTransport, Stdio: StdioClientTransport, call: (params, options) => client.callTool(params, options) };
}

// Enough tools for a second page: the server puts 1,000 on one.
const many = 1000;
await mkdir('specs/many');
const zeros = Array.from({ length: many }, (_, n) => `zero${String(n).padStart(4, '0')}`);
for (const name of zeros) {
  await writeFile(`specs/many/${name}.json`, JSON.stringify({ name, description: 'Zero.', code: 'return 0;', codeType: 'Javascript', draft: true }));
}
const late = { name: 'late', description: 'Comes and goes.', code: 'return 1;', codeType: 'Javascript', draft: true };
await writeFile('late.json', JSON.stringify(late));
await publish('specs', 'specs/many', 'late.json');

const server = await start('specs', 'specs/many');
const headers = { Authorization: `Bearer ${server.token}` };
const endpoint = new URL(server.url);

// until waits for something that comes by itself.
async function until(condition, what) {
  for (let tries = 0; !condition(); tries++) {
    if (tries === 100) throw new Error(`${what}: not within 10 s`);
    await new Promise(done => setTimeout(done, 100));
  }
}

async function drive(kind, over) {
  let questions = [], answer = { action: 'accept', content: {} }, changes = 0;
  const asked = ({ params }) => { questions.push(params.message); return answer; };
  const { client, Http, Stdio, call } = kinds[kind](asked, () => { changes++; });
  const state = over === 'stdio' ? await apart() : shared;
  const transport = over === 'http' ? new Http(endpoint, { requestInit: { headers } }) : new Stdio(stdio(state, 'specs', 'specs/many'));
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, 'glovebox');
  assert.equal(client.getServerCapabilities().tools.listChanged, true);

  // Both pages, each tool once, in the order of the names.
  const names = [];
  let page;
  do {
    page = await client.listTools(page && { cursor: page.nextCursor });
    names.push(...page.tools.map(tool => tool.name));
  } while (page.nextCursor);
  assert.deepEqual(names, ['add', 'nap', 'wipe', ...zeros]);

  const sum = await call({ name: 'add', arguments: { a: 2, b: 3 } });
  assert.deepEqual([sum.isError ?? false, sum.structuredContent, sum.content], [false, { sum: 5 }, [{ type: 'text', text: '{"sum":5}' }]]);
  const misfit = await call({ name: 'add', arguments: { a: 'two', b: 3 } });
  assert.ok(misfit.isError && /- \/a: /.test(misfit.content[0].text));
  await assert.rejects(call({ name: 'nobody', arguments: {} }), { code: -32602 });

  // A person is asked, in the words of the spec behind the level. Clients with one
  // token are one principal, whose same question is open once.
  const disk = `${kind}, ${over}`;
  for (const [action, text] of [['accept', /"wiped":/], ['decline', /not run: a person declined. Do not retry/], ['cancel', /not run: .*did not decide. Do not retry/]]) {
    answer = { action, ...(action === 'accept' && { content: {} }) };
    const result = await call({ name: 'wipe', arguments: { disk } });
    assert.equal(result.isError ?? false, action !== 'accept', result.content[0].text);
    assert.match(result.content[0].text, text);
  }
  assert.equal(questions.length, 3);
  for (const question of questions) {
    assert.ok(question.includes(`> wipe wants {"disk":"${disk}"}\nTool: wipe\n`), question);
    assert.ok(question.endsWith(`\nArguments:\n  disk: "${disk}"`), question);
  }

  // A call that is cancelled ends in the sandbox too.
  const ms = 20_000 + Math.floor(Math.random() * 9_000); // tells this call from others
  const given = new AbortController();
  const cancelled = assert.rejects(call({ name: 'nap', arguments: { ms } }, { signal: given.signal }));
  setTimeout(() => given.abort(), 300);
  await cancelled;
  await recorded(state, 'nap', r => r.parameters.ms === ms && r.cause?.kind === 'cancelled');

  // A long call reports that it still runs, five seconds after it began.
  const reports = [];
  const slept = await call({ name: 'nap', arguments: { ms: 5_500 } }, { onprogress: report => reports.push(report.progress) });
  assert.deepEqual(slept.structuredContent, { slept: 5_500 });
  assert.ok(reports.length === 1 && reports[0] >= 5 && reports[0] < 6, `progress ${reports}`);

  return { client, transport, call, heard: () => changes };
}

// A session goes on over another connection that names it, until it is ended.
async function resume(kind, { client, transport }) {
  const { sessionId } = transport;
  if (kind === 'sdk 2, stateless') {
    assert.equal(sessionId, undefined);
    return;
  }
  const again = kinds[kind](() => {}, () => {});
  const over = new again.Http(endpoint, { sessionId, requestInit: { headers: { ...headers, 'Mcp-Protocol-Version': '2025-11-25' } } });
  await again.client.connect(over);
  assert.deepEqual((await again.call({ name: 'add', arguments: { a: 1, b: 1 } })).structuredContent, { sum: 2 });
  await transport.terminateSession();
  await assert.rejects(again.call({ name: 'add', arguments: { a: 1, b: 1 } }), /session/i);
  await again.client.close();
}

const driven = {};
try {
  await Promise.all(Object.keys(kinds).flatMap(kind => ['http', 'stdio', 'relayed'].map(async over => {
    try {
      driven[`${kind}, ${over}`] = { kind, over, ...await drive(kind, over) };
    } catch (failure) {
      failure.message = `${kind}, ${over}: ${failure.message}`;
      throw failure;
    }
  })));

  // All of them hear of a tool that comes, and of its going.
  const before = Object.values(driven).map(d => d.heard());
  for (const move of [() => rename('late.json', 'specs/late.json'), () => rm('specs/late.json')]) {
    const counts = Object.values(driven).map(d => d.heard());
    await move();
    for (const [n, [name, d]] of Object.entries(driven).entries()) {
      await until(() => d.heard() > counts[n], `${name}: a change of the list`);
    }
  }
  assert.deepEqual(before, before.map(() => 0), 'heard of changes before there were any');

  for (const [name, d] of Object.entries(driven)) {
    if (d.over === 'http') await resume(d.kind, d);
    await d.client.close();
    console.log(`${name}: lists, calls, asks, cancels, reports, hears of changes${d.over === 'http' && d.kind !== 'sdk 2, stateless' ? ', resumes, ends' : ''}`);
  }
} finally {
  for (const d of Object.values(driven)) await d.client.close().catch(() => {});
  await server.stop();
}
