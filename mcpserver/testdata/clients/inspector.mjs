// The Inspector's command line: lists, a call, a call that fails, a tool that
// nobody serves; over HTTP with the token, without it, and over stdio.
import assert from 'node:assert/strict';
import { apart, publish, run, start, stdio } from './server.mjs';

await publish('specs');
const server = await start('specs');

// inspect returns what the Inspector prints, or how it failed.
async function inspect(target, ...args) {
  try {
    const { stdout } = await run('node_modules/.bin/node', ['node_modules/.bin/mcp-inspector', '--cli', ...target, ...args]);
    return JSON.parse(stdout);
  } catch (failure) {
    if (failure.code === undefined) throw failure;
    return { exit: failure.code, text: failure.stdout + failure.stderr };
  }
}

const http = [server.url, '--transport', 'http', '--header', `Authorization: Bearer ${server.token}`];
const { command, args: flags, env } = stdio(await apart(), 'specs');
try {
  for (const [name, target] of Object.entries({ http, stdio: [command, ...flags, '-e', `XDG_STATE_HOME=${env.XDG_STATE_HOME}`] })) {
    const { tools } = await inspect(target, '--method', 'tools/list');
    assert.deepEqual(tools?.map(tool => tool.name), ['add', 'nap', 'wipe'], name);
    assert.deepEqual(tools[0].inputSchema.required, ['a', 'b'], name);

    const sum = await inspect(target, '--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', 'b=3');
    assert.deepEqual(sum.structuredContent, { sum: 5 }, name);
    assert.deepEqual(sum.content, [{ type: 'text', text: '{"sum":5}' }], name);

    const wrong = await inspect(target, '--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2');
    assert.match(JSON.stringify(wrong), /\/b: /, name);
    assert.match(JSON.stringify(wrong), /isError|exit/, name);

    const unknown = await inspect(target, '--method', 'tools/call', '--tool-name', 'nobody');
    assert.ok(unknown.exit > 0, name);
    console.log(`inspector  ${name}: lists, calls, fails`);
  }
  const stranger = await inspect([server.url, '--transport', 'http'], '--method', 'tools/list');
  assert.ok(stranger.exit > 0 && !/inputSchema/.test(stranger.text), 'let in without a token');
  console.log('inspector  http without a token: refused');
} finally {
  await server.stop();
}
