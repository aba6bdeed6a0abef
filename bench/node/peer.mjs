// Answers the questions of the benchmark (child.go) for the engines that live in
// Node: one JSON object a line each way. A peer that is not installed answers
// with an error.
import { createInterface } from 'node:readline';
import vm from 'node:vm';

const peers = {
  'node:vm': async () => ({
    fresh(source) {
      return new vm.Script(source, { filename: 'bench.js' }).runInContext(vm.createContext({}));
    },
    program(source) {
      const context = vm.createContext({});
      const start = process.hrtime.bigint();
      const value = new vm.Script(source).runInContext(context);
      return [process.hrtime.bigint() - start, value];
    },
  }),
  'quickjs-emscripten': async () => {
    const { getQuickJS } = await import('quickjs-emscripten');
    const module = await getQuickJS();
    const run = (source) => {
      const context = module.newContext();
      try {
        const start = process.hrtime.bigint();
        const handle = context.unwrapResult(context.evalCode(source));
        const took = process.hrtime.bigint() - start;
        const value = context.dump(handle);
        handle.dispose();
        return [took, value];
      } finally {
        context.dispose();
      }
    };
    return { fresh: (source) => run(source)[1], program: run };
  },
  'isolated-vm': async () => {
    const { default: ivm } = await import('isolated-vm');
    const run = (source) => {
      const isolate = new ivm.Isolate({ memoryLimit: 64 });
      try {
        const context = isolate.createContextSync();
        const start = process.hrtime.bigint();
        const value = context.evalSync(source, { copy: true });
        return [process.hrtime.bigint() - start, value];
      } finally {
        isolate.dispose();
      }
    };
    return { fresh: (source) => run(source)[1], program: run };
  },
};

const ready = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { peer: name, kind, source, n } = JSON.parse(line);
  try {
    if (!ready.has(name)) ready.set(name, await peers[name]());
    const peer = ready.get(name);
    const ns = [];
    let value;
    for (let i = 0; i < n; i++) {
      if (kind === 'program') {
        const [took, result] = peer.program(source);
        ns.push(Number(took));
        value = result;
      } else {
        const start = process.hrtime.bigint();
        value = peer.fresh(source);
        ns.push(Number(process.hrtime.bigint() - start));
      }
    }
    console.log(JSON.stringify({ ns, value: String(value) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.message ?? error) }));
  }
}
