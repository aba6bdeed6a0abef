// Functions of the prelude through the frames of an error.
// ends: ok
// result: false
const seen = [];
Error.prepareStackTrace = (error, sites) => { for (const site of sites) seen.push(typeof site.getFunction?.()); return ''; };
try {
  console.log({ toJSON() { throw new Error('x').stack; } });
  new Error('y').stack;
} catch {
  // what was seen counts
}
return seen.includes('function') && seen.length > 20;
