// installs: safety.fs.workspace safety.fs.readRoots
// needs: fs.workspace fs.readRoots
// after: safety.js
//
// safety.fs, with what every tool that has files may know. The three groups of calls are files of their own, each
// evaluated only when it was granted; what they share is in host.fs.

const { parse, stringify, String, Number } = primordials;

host.fs = {
  __proto__: null,
  define: (name, value) => host.install(`safety.fs.${name}`, value),
  // call makes a host call with a JSON object and returns the JSON value that came back.
  call: (op, args) => parse(host.call(op, stringify(args))),
  // What is undefined is left out of the JSON: the host then says what is missing.
  text: (value) => (value === undefined || value === null ? undefined : String(value)),
  number(value) {
    if (value === undefined || value === null) return undefined;
    const n = Number(value);
    if (n === Infinity) return Number.MAX_VALUE; // JSON has no infinity
    return n === -Infinity ? -Number.MAX_VALUE : n === n ? n : undefined;
  },
  flag: (value) => value === true || (typeof value === 'string' ? value !== '' && value !== 'false' : !!value),
  options: (value) => (value === undefined || value === null ? { __proto__: null } : value),
};

const { call, define } = host.fs;
define('workspace', function workspace() { return call('fs.workspace', {}); });
define('readRoots', function readRoots() { return call('fs.readRoots', {}); });
