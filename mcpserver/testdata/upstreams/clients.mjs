// Calls the tools of every server behind the gateway, as clients of others do.
import assert from 'node:assert/strict';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const url = new URL(process.env.GLOVEBOX_URL);
const info = { name: 'clients.mjs', version: '1' };

// What each server is asked, and what has to be in the answer.
const calls = [
  ['everything__echo', { message: 'hello there' }, 'hello there'],
  ['everything__get-sum', { a: 19, b: 23 }, '42'],
  ['files__read_text_file', { path: `${process.cwd()}/shared/notes.txt` }, 'the meeting is on Monday'],
  ['files__write_file', { path: `${process.cwd()}/shared/new.txt`, content: 'written' }, 'Successfully'],
  ['memory__create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }] }, '['], // what is new; Ada is there from the first client on,
  ['memory__search_nodes', { query: 'Ada' }, 'likes engines'],
  ['thinking__sequentialthinking', { thought: 'first', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }, 'thoughtNumber'],
  ['stock__query', { sql: 'select pieces from stock where item = \'lamp\'' }, '12'],
  ['weather__mean_temperature', { readings: [19.5, 20.5, 23] }, '21.00 °C'],
  ['words__reverse_words', { text: 'a b c' }, 'c b a'],
];

const textOf = result => (result.content ?? []).map(block => block.text ?? '').join('\n');

async function sdk(name, client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  for (const server of ['everything', 'files', 'memory', 'thinking', 'stock', 'weather', 'words', 'playwright', 'devtools']) {
    assert(tools.some(tool => tool.name.startsWith(`${server}__`)), `${name}: no tool of ${server}`);
  }
  for (const [tool, args, expected] of calls) {
    const result = await client.callTool({ name: tool, arguments: args });
    assert(!result.isError, `${name}: ${tool}: ${textOf(result)}`);
    assert(textOf(result).includes(expected), `${name}: ${tool}: ${textOf(result)}`);
  }
  // Outside what it was granted there is nothing, whatever the server itself would allow.
  const outside = await client.callTool({ name: 'files__read_text_file', arguments: { path: '/etc/passwd' } });
  assert(outside.isError, `${name}: /etc/passwd was read`);
  await client.close();
  console.log(`${name}: ${tools.length} tools listed, ${calls.length} calls`);
}

await sdk('sdk 1', new Client1(info), new StreamableHTTPClientTransport1(url));
await sdk('sdk 2, sessions', new Client(info, { versionNegotiation: { mode: 'legacy' } }), new StreamableHTTPClientTransport(url));
await sdk('sdk 2, stateless', new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), new StreamableHTTPClientTransport(url));

// An agent framework: its model, which is a script, asks for a tool and gets the result.
const agent = await createMCPClient({ transport: { type: 'http', url: url.href } });
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
let seen;
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const said = prompt.filter(message => message.role === 'tool');
    if (said.length === 0) {
      return { content: [{ type: 'tool-call', toolCallId: '1', toolName: 'stock__query', input: JSON.stringify({ sql: 'select item from stock where pieces = 3' }) }], finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
    }
    seen = JSON.stringify(said);
    return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] };
  },
});
const { text } = await generateText({ model, tools: await agent.tools(), prompt: 'Which item has three pieces?', stopWhen: stepCountIs(3) });
assert.equal(text, 'done');
assert(seen?.includes('chair'), `the agent saw ${seen}`);
await agent.close();
console.log('agent framework: one call');
