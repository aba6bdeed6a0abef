// installs: setTimeout clearTimeout setInterval clearInterval
// needs:
//
// Timers live on the call's own clock and end with the call. The engine keeps one alarm, for the earliest of them;
// the list stays in guest memory, so a flood of timers meets the guest's memory limit and not the host's.

const { apply, defineProperty, floor, max, now, pop, push, TypeError, Number, mapGet, mapSet, mapDelete } = primordials;

// Longest delay, in milliseconds: what browsers and Node use, the largest 32-bit integer.
const LONGEST = 2147483647;

const byId = new Map();
const queue = []; // a binary heap of timers, earliest due first, then in order of creation
let lastId = 0;
let order = 0;

const before = (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order);

function enqueue(timer) {
  timer.order = ++order;
  let at = queue.length;
  push(queue, timer);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(timer, queue[parent])) break;
    queue[at] = queue[parent];
    at = parent;
  }
  queue[at] = timer;
}

function dequeue() {
  const first = queue[0];
  const timer = pop(queue);
  const length = queue.length;
  if (length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= length) break;
    if (child + 1 < length && before(queue[child + 1], queue[child])) child++;
    if (!before(queue[child], timer)) break;
    queue[at] = queue[child];
    at = child;
  }
  queue[at] = timer;
  return first;
}

// A cleared timer stays in the heap without its function until it comes to the front.
function arm() {
  while (queue.length > 0 && queue[0].run === undefined) dequeue();
  host.arm(queue.length === 0 ? -1 : max(0, queue[0].due - now()));
}

function milliseconds(delay) {
  const ms = floor(Number(delay));
  return ms >= 0 && ms <= LONGEST ? ms : 0; // NaN, negative and too long: at once, as elsewhere
}

function add(run, delay, rest, repeats) {
  if (typeof run !== 'function') throw new TypeError('a timer needs a function');
  const every = milliseconds(delay);
  const timer = { __proto__: null, id: ++lastId, run, rest, every: repeats ? max(1, every) : -1, due: now() + every, order: 0 };
  mapSet(byId, timer.id, timer);
  enqueue(timer);
  if (queue[0] === timer) arm();
  return timer.id;
}

function clear(id) {
  const timer = mapGet(byId, id);
  if (timer === undefined) return;
  mapDelete(byId, id);
  timer.run = undefined;
  if (queue[0] === timer) arm();
}

const globals = {
  setTimeout: (run, delay, ...rest) => add(run, delay, rest, false),
  setInterval: (run, delay, ...rest) => add(run, delay, rest, true),
  clearTimeout: clear,
  clearInterval: clear,
};
for (const name of ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval']) {
  defineProperty(globalThis, name, { value: globals[name], writable: true, enumerable: false, configurable: true });
}

host.timers = { __proto__: null, setTimeout: globals.setTimeout };

// One timer a tick, so that promise jobs run between two timers that are due together.
host.onTick(() => {
  if (queue.length === 0 || queue[0].due > now()) return arm();
  const timer = dequeue();
  const { run, rest, every } = timer;
  if (run !== undefined) {
    if (every < 0) mapDelete(byId, timer.id);
    else {
      timer.due = max(timer.due + every, now());
      enqueue(timer);
    }
  }
  arm();
  if (run !== undefined) apply(run, undefined, rest);
});
