new Uint8Array([1, 2, 300]).join() + new Int8Array([200]).join() + new Uint8ClampedArray([300, -5, 1.5]).join()

new Float32Array([1.1, 2])[0].toFixed(7) + new Float64Array(2).length + new BigInt64Array([1n, -1n]).join()

(b => { new DataView(b).setInt16(0, -2, true); return new Uint8Array(b).join() })(new ArrayBuffer(4))

(v => (v.setFloat64(0, Math.PI), [v.getUint8(0), v.getInt32(4), v.getBigUint64(0), v.getFloat32(0)].join()))(new DataView(new ArrayBuffer(8)))

new Uint16Array(new Uint8Array([1, 2, 3, 4]).buffer).join() + new Uint8Array(new ArrayBuffer(8), 2, 3).byteOffset

(a => (a.set([9, 8], 1), a.subarray(1, 3).fill(7), a.join()))(new Uint8Array(5))

new Int32Array([3, 1, 2]).sort().join() + new Float64Array([3, NaN, -0, 0, -1]).sort().join()

(() => { const a = new Int32Array(400); for (let i = 0; i < 400; i++) a[i] = (i * 7919) % 991; return a.sort().slice(0, 9).join() })()

(() => { const a = new Float64Array(300); for (let i = 0; i < 300; i++) a[i] = Math.sin(i); return a.sort((x, y) => y - x)[0].toFixed(9) })()

new Uint8Array(1000).fill(3).reduce((a, b) => a + b) + new Uint8Array([1, 2, 3]).map(x => x * 100).join()

new Uint8Array([1, 2, 3, 4, 5, 6]).copyWithin(0, 3).join() + new Uint8Array([1, 2, 3]).reverse() + new Uint8Array([1, 2]).indexOf(2)

(() => { const b = new Uint8Array(100000); for (let i = 0; i < 20; i++) b.copyWithin(1, 0); b.fill(5); return b[99999] })()

new ArrayBuffer(10).slice(2, 5).byteLength + '' + new ArrayBuffer(4, { maxByteLength: 8 }).resizable

(b => (b.resize(8), b.byteLength))(new ArrayBuffer(4, { maxByteLength: 16 })) + new ArrayBuffer(8).transfer(4).byteLength

Uint8Array.from([1, 2, 3], x => x * 2).join() + Uint8Array.of(5, 6).at(-1) + Object.prototype.toString.call(new Uint8Array(1))

(() => { try { new Uint8Array(-1) } catch (e) { return e.name } })() + (() => { try { new Uint32Array(new ArrayBuffer(3)) } catch (e) { return e.name } })()

new Uint8Array([222, 173]).toHex?.() + new Uint8Array([1, 2, 3]).toBase64?.()

[...new Uint8Array([1, 2]).entries()].join(';') + new Uint8Array([5, 1]).toSorted().join()

(() => { let h = 2166136261; for (const c of new Uint8Array(2000).map((_, i) => i * 31)) h = Math.imul(h ^ c, 16777619); return h >>> 0 })()

(() => { const d = new DataView(new ArrayBuffer(64)); let s = 0; for (let i = 0; i < 60; i++) { d.setUint32(i, i * 12345, i & 1); s ^= d.getUint16(i) } return s })()

(() => { const t = new Uint32Array(256); for (let n = 0; n < 256; n++) { let c = n; for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1; t[n] = c } let c = -1; for (const ch of 'The quick brown fox') c = t[(c ^ ch.charCodeAt(0)) & 255] ^ (c >>> 8); return (c ^ -1) >>> 0 })()

new Float16Array?.([1.0009765625, 65504])?.join()

new SharedArrayBuffer(16).byteLength + '' + new Uint8Array(new SharedArrayBuffer(4)).length
