// The way out of every JavaScript-in-JavaScript sandbox.
// ends: ok
// result: []
const global = [].constructor.constructor('return this')();
return ['process', 'require', 'Deno', 'std', 'os', 'bjson', 'print', 'scriptArgs', 'raw', 'host'].filter((name) => name in global);
