//# atob and btoa
same([atob('SGVsbG8='), atob(' SGVs bG8 '), btoa('Hello'), btoa(''), atob('')], ['Hello', 'Hello', 'SGVsbG8=', '', '']);
const every = String.fromCharCode(...Array(256).keys());
same(atob(btoa(every)), every);
same(btoa(5), 'NQ==');
for (const [run, reason, helper] of [[() => atob('a'), 'invalid-base64', 'atob'], [() => atob('%%%%'), 'invalid-base64', 'atob'], [() => btoa('가'), 'non-latin-1', 'btoa'], [() => btoa('\ud800'), 'non-latin-1', 'btoa']]) {
  const e = throwing(run, 'Error');
  same([e.kind, e.helper, e.reason], ['INVALID_INPUT', helper, reason]);
}

//# TextEncoder
const encoder = new TextEncoder();
same([encoder.encoding, [...encoder.encode('aé€😀')], encoder.encode().length, encoder.encode('').length, [...encoder.encode('\ud800x')]], ['utf-8', [97, 195, 169, 226, 130, 172, 240, 159, 152, 128], 0, 0, [239, 191, 189, 120]]);
same([encoder.encode('x') instanceof Uint8Array, [...encoder.encode('\u0000')]], [true, [0]]);
const room = new Uint8Array(5);
same([encoder.encodeInto('a😀b', room), [...room]], [{ read: 3, written: 5 }, [97, 240, 159, 152, 128]]);
same([encoder.encodeInto('\n12\n', room.subarray(1)), [...room]], [{ read: 4, written: 4 }, [97, 10, 49, 50, 10]]);
same([encoder.encodeInto('', room), encoder.encodeInto('x', new Uint8Array(0))], [{ read: 0, written: 0 }, { read: 0, written: 0 }]);
same(throwing(() => encoder.encodeInto('x', []), 'Error').reason, 'not-array');

//# TextDecoder
const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0xc3, 0xa9]);
same([new TextDecoder().decode(bytes), new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).length, new TextDecoder().decode(), new TextDecoder().decode(new Uint8Array(0))], ['é', 2, '', '']);
same([new TextDecoder().decode(bytes.buffer), new TextDecoder().decode(new DataView(bytes.buffer, 3)), new TextDecoder().decode(bytes.subarray(3)), new TextDecoder('utf-16le').decode(new Uint16Array([233, 0xd83d, 0xde00]))], ['é', 'é', 'é', 'é😀']);
same([new TextDecoder('latin1').encoding, new TextDecoder('KS_C_5601-1987').encoding, new TextDecoder('shift-jis').fatal], ['windows-1252', 'euc-kr', false]);
const pieces = new TextDecoder('euc-kr');
same([pieces.decode(new Uint8Array([0xb0]), { stream: true }), pieces.decode(new Uint8Array([0xa1]), { stream: true }), pieces.decode(), pieces.decode(new Uint8Array([0x41]))], ['', '가', '', 'A']);
same(throwing(() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])), 'Error').reason, 'invalid-data');
same(throwing(() => new TextDecoder('nope'), 'Error').reason, 'unknown-encoding');
same(throwing(() => new TextDecoder().decode('text'), 'Error').reason, 'not-array');

//# Blob
const blob = new Blob(['aé', new Uint8Array([65]).buffer, new Blob(['z']), 5], { type: 'Text/Plain' });
same([blob.size, blob.type, await blob.text(), [...await blob.bytes()].length, (await blob.arrayBuffer()).byteLength], [6, 'text/plain', 'aéAz5', 6, 6]);
same([await blob.slice(-2).text(), await blob.slice(3, 4, 'x/y').text(), blob.slice(9).size, blob.slice(3, 1).size, blob.slice(0, 1, 'x/y').type, new Blob().size, new Blob([], { type: 'é' }).type], ['z5', 'A', 0, 0, 'x/y', 0, '']);
same(await new Blob(['a\r\nb\rc'], { endings: 'native' }).text(), 'a\nb\nc');
throwing(() => new Blob('text'), 'TypeError');

//# structuredClone
const own = { d: new Date(5), m: new Map([[{ a: 1 }, new Set([2])]]), r: /x/gi, e: new RangeError('q', { cause: [1] }), u: new Uint16Array([1, 2]).subarray(1), b: new ArrayBuffer(3), n: [, 1], big: 10n, o: Object(true), v: new DataView(new ArrayBuffer(4), 1), undef: undefined, neg: -0 };
own.self = own;
const copy = structuredClone(own);
same([copy !== own, copy.self === copy, copy.d.getTime(), [...copy.m][0][0].a, [...[...copy.m][0][1]], String(copy.r), copy.e instanceof RangeError, copy.e.message, copy.e.cause], [true, true, 5, 1, [2], '/x/gi', true, 'q', [1]]);
same([[...copy.u], copy.u.byteOffset, copy.u.buffer !== own.u.buffer, copy.b.byteLength, copy.n.length, 0 in copy.n, String(copy.big), copy.o.valueOf(), copy.v.byteOffset, 'undef' in copy, Object.is(copy.neg, -0)], [[2], 2, true, 3, 2, false, '10', true, 1, true, true]);
class Point { constructor() { this.x = 1; } get y() { return 2; } }
same([structuredClone(new Point()), structuredClone(new Point()) instanceof Point, structuredClone(JSON.parse('{"__proto__":{"a":1}}')).a], [{ x: 1 }, false, undefined]);
for (const bad of [() => 1, Symbol('s'), { f() {} }, [Promise.resolve()], new WeakMap()]) same(throwing(() => structuredClone(bad), 'DataCloneError').code, 25);
let deep = [];
for (let n = 0; n < 100000; n++) deep = [deep];
let failed = '';
try { structuredClone(deep); } catch (e) { failed = typeof e.message; }
same(failed, 'string');
