// A JSON object that lies.
// ends: ok
// result: "real"
JSON.stringify = () => 'forged';
JSON.parse = () => 'forged';
globalThis.JSON = { stringify: () => 'forged' };
return 'real';
