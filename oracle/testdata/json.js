JSON.stringify({ a: 1, b: [true, null, 'x\n"\u2028'], c: undefined, d: () => 1, e: NaN, f: new Date(0) })

JSON.stringify([1, [2, { a: 3 }]], null, 2) + JSON.stringify({ a: [] }, null, '--')

JSON.stringify({ a: 1, b: 2, c: { a: 3 } }, ['a', 'c']) + JSON.stringify({ a: 5, b: 'x' }, (k, v) => typeof v === 'number' ? v * 2 : v)

JSON.parse('{"a":[1,2,{"b":null}],"c":"\\u00e9\\n"}').c.length

JSON.parse('[1,2,3]', (k, v) => Array.isArray(v) ? v : k === '1' ? undefined : v).length

JSON.parse('{"__proto__": 1}').__proto__ + Object.keys(JSON.parse('{"b":1,"a":2,"b":3}')).join()

(() => { try { JSON.parse('{"a":}') } catch (e) { return e.name + e.message } })()

['', '{', '[1,]', '01', "'a'", '"\t"', 'nul', '1e', '"\\x"', '[1 2]'].map(s => { try { JSON.parse(s); return 1 } catch { return 0 } }).join('')

(() => { const a = []; a.push(a); try { JSON.stringify(a) } catch (e) { return e.name } })()

JSON.stringify({ toJSON(k) { return 'key:' + k } }) + JSON.stringify({ x: { toJSON: k => k } })

JSON.stringify('\ud800') + JSON.stringify('😀\u007f\u0000') + JSON.stringify(Object('s'))

(() => { try { return JSON.stringify(1n) } catch (e) { return e.message } })()

JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ id: i, name: 'item' + i, tags: ['a', 'b'] }))).length

JSON.parse(JSON.stringify(Array.from({ length: 150 }, (_, i) => [i, i / 3, String(i), { v: i }]))).length

JSON.parse('['.repeat(200) + ']'.repeat(200)).length

(() => { try { JSON.parse('['.repeat(100000)) } catch (e) { return e.name } })()

(() => { let o = null; for (let i = 0; i < 300; i++) o = { o }; return JSON.stringify(o).length })()

(() => { let o = []; for (let i = 0; i < 3000; i++) o = [o]; try { return JSON.stringify(o).length } catch (e) { return e.name } })()

JSON.stringify(new Map([[1, 2]])) + JSON.stringify(new Set([1])) + JSON.stringify([undefined, Symbol()]) + JSON.stringify(undefined)

JSON.parse('  \n\t{ "a" : -1.5e+3 , "b":[ ] } ').a

JSON.parse('1' + '0'.repeat(400)) + JSON.parse('-0') + JSON.parse('1e-400')

JSON.parse('"' + 'x'.repeat(5000) + '"').length + JSON.stringify('y'.repeat(5000)).length

JSON.parse('"' + '\\u0041\\n'.repeat(500) + '"').length

JSON.stringify({ [Symbol('s')]: 1, 1: 'a', z: Infinity, y: -0 }) + JSON.rawJSON?.('1')?.rawJSON

JSON[Symbol.toStringTag] + JSON.stringify(Object.create({ a: 1 }, { b: { value: 2, enumerable: true } }))
