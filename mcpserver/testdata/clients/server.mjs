// Starts the real command and looks things up in its record.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const glovebox = './glovebox';
const serve = folders => ['serve', ...folders.flatMap(folder => ['--folder', folder])];

export const run = promisify(execFile);

// stdio is how a client starts a server of its own on a state folder: beside another
// server on that folder, it lets its client share that one.
export const stdio = (state, ...folders) => ({ command: glovebox, args: [...serve(folders), '--stdio'], env: { ...process.env, XDG_STATE_HOME: state } });

// shared is the state folder of the server over HTTP.
export const shared = process.env.XDG_STATE_HOME;

// apart makes a state folder where the same specs have passed.
export async function apart() {
  const state = await mkdtemp(`${shared}-`);
  await cp(`${shared}/glovebox/passes.json`, `${state}/glovebox/passes.json`);
  return state;
}

// publish gives specs, or all in a folder, their Local Pass.
export async function publish(...names) {
  const files = await Promise.all(names.map(async name =>
    name.endsWith('.json') ? [name] : (await readdir(name)).filter(file => file.endsWith('.json')).map(file => `${name}/${file}`)));
  await run(glovebox, ['test', '--write', ...files.flat()]);
}

// start serves over HTTP on a port that is free, with a token that the first
// start makes.
export async function start(...folders) {
  const child = spawn(glovebox, [...serve(folders), '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let url, token;
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    url ??= line.match(/tools? at (http\S+\/mcp)$/)?.[1];
    token ??= line.match(/^token \(shown this once\): (\S+)$/)?.[1];
    if (url && token) break;
  }
  child.stderr.resume();
  if (!url || !token) throw new Error('the server did not say where it listens');
  return {
    url, token,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    },
  };
}

// recorded waits for records of a tool in a state folder that fulfil a condition.
export async function recorded(state, tool, condition) {
  for (let tries = 0; tries < 50; tries++) {
    const { stdout } = await run(glovebox, ['audit', 'query', '--tool', tool, '--json'], { env: { ...process.env, XDG_STATE_HOME: state } });
    const records = stdout.split('\n').filter(Boolean).map(line => JSON.parse(line));
    const found = records.filter(condition);
    if (found.length) return found;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`no such record of ${tool}`);
}
