package jsengine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Values that are plain, and values that look it: whatever the path, the result
// is what JSON.stringify makes of them.
func TestResultsAreWhatStringifyMakesOfThem(t *testing.T) {
	e := testEngine(t)
	for _, expression := range []string{
		`0`, `-0`, `1.5`, `1e21`, `1e-7`, `123456789012345680000`, `5e-324`, `1.7976931348623157e308`, `NaN`, `-Infinity`, `2**31`, `-(2**31)`, `2**53`, `1e300`, `0.1+0.2`, `1e-6`, `-1.5e-10`,
		`'x'`, `''`, `'"\\\b\t\n\f\r\u0000\u001f\u007f\u0080\u00ff'`, `'\u2028\u2029\u4e16'`, `'\ud83d\ude00'`, `'\ud800'`, `'a\udc00\ud800b'`, `'\ud800\ud800\udc00'`, `'a'.repeat(3000)+'b'`, `'abcdefghijklmnop'.repeat(900).slice(3,8200)`,
		`true`, `false`, `null`, `[]`, `{}`, `[[],{}]`, `[undefined,()=>1,Symbol('s')]`, `{a:undefined,b:()=>1,c:Symbol('s'),d:1}`,
		`{b:1,a:2,'':3,'x y':4,'\u4e16':5,'\u00e9':6,'"':7}`, `{2:'two',1:'one',a:0}`, `{a:0,'4294967294':1,'4294967295':2,'01':3}`, `{[Symbol('k')]:1,a:2}`,
		`Object.create(null)`, `Object.assign(Object.create(null),{a:1})`, `Object.create({inherited:1})`, `Object.create({toJSON(){return 'j'}})`,
		`{get a(){return 1},b:2}`, `Object.defineProperty({a:1},'h',{value:2,enumerable:false})`, `(()=>{const o={a:1,b:2,c:3};delete o.b;o.d=4;return o})()`,
		`{toJSON(){return 'own'}}`, `{a:{toJSON:5}}`, `new Date(0)`, `[new Date(0)]`, `new Map([[1,2]])`, `new Set([1])`, `/x/g`, `new Error('e')`, `new (class A{constructor(){this.x=1}})`, `new (class B extends Array{})(1,2,3)`,
		`new Number(3)`, `new String('s')`, `new Boolean(false)`, `new Uint8Array([1,2])`, `new ArrayBuffer(2)`, `new Proxy({a:1},{})`, `new Proxy([1],{})`, `(function(){return arguments})(1,2)`, `globalThis.undefinedThing`,
		`[1,,3]`, `(()=>{const a=[1,2,3];a.length=5;return a})()`, `(()=>{const a=[1,2,3];a.length=1;return a})()`, `(()=>{const a=[1];a.extra=2;return a})()`, `(()=>{const a=[1];a.toJSON=()=>'arr';return a})()`, `(()=>{const a=[];a[1000]=1;return a.slice(0,3)})()`,
		`Object.freeze([1,{a:Object.freeze({b:1})}])`, `Array.from({length:300},(_, i)=>i)`, `JSON.parse('{"__proto__":{"a":1},"b":[1,{"c":null}]}')`, `Object.fromEntries(Array.from({length:100},(_, i)=>['k'+i,{i}]))`,
		`(()=>{let a=1;for(let n=0;n<100;n++)a=[a];return a})()`, `(()=>{const s={x:[1]};return [s,s,{s}]})()`, `(()=>{let s='';for(let n=0;n<2000;n++)s+='ab'+n;return {s}})()`, `{a:'x'+String(Math.PI)+'y'.repeat(500)}`,
		`Array.prototype`, `Object.prototype`, `Math`, `JSON`, `[1].concat([2],[[3]])`, `'a,b'.split(',')`, `[3,1,2].sort()`, `Object.entries({a:1})`,
	} {
		for _, before := range []string{"", `Array.prototype.toJSON = function () { return 'array' };`, `Object.prototype.toJSON = function () { return 'object' };`, `Object.setPrototypeOf(Array.prototype, { toJSON() { return 'inherited' } });`, `String.prototype.toJSON = () => 'string';`} {
			source := before + "const value = (" + expression + ");\n"
			plain := testImage(t, e, source+"return value").Call(t.Context(), Call{})
			text := testImage(t, e, source+"return JSON.stringify(value)").Call(t.Context(), Call{})
			if plain.Failure != nil || text.Failure != nil {
				t.Errorf("%s%s: %v, %v", before, expression, plain.Failure, text.Failure)
				continue
			}
			var want string
			if text.Result != nil {
				if err := json.Unmarshal(text.Result, &want); err != nil {
					t.Fatal(err)
				}
			}
			if got := string(plain.Result); got != want {
				t.Errorf("%s%s: %.200s\nwant %.200s", before, expression, got, want)
			}
		}
	}
}

// The same over random data, of which each result holds what it should be.
func TestRandomResultsAreWhatStringifyMakesOfThem(t *testing.T) {
	image := testImage(t, testEngine(t), `
		const pick = (...list) => list[Math.floor(Math.random() * list.length)];
		const text = () => Array.from({ length: Math.floor(Math.random() * 12) }, () => String.fromCharCode(pick(34, 92, 10, 97, 122, 233, 255, 0x4e16, 0xd83d, 0xde00, 0x2028, Math.floor(Math.random() * 128)))).join('');
		const key = () => Math.random() < 0.05 ? pick(String(Math.floor(Math.random() * 20)), 'toJSON', '__proto__') : pick(text(), 'k' + Math.floor(Math.random() * 50));
		const value = (depth) => pick(
			() => Math.floor((Math.random() - 0.5) * 2 ** pick(3, 30, 33, 60)), () => (Math.random() - 0.5) * 10 ** Math.floor(Math.random() * 60 - 30), text, () => pick(true, false, null, undefined),
			() => depth > 4 ? 0 : Array.from({ length: Math.floor(Math.random() * 6) }, () => value(depth + 1)),
			() => depth > 4 ? 0 : Object.fromEntries(Array.from({ length: Math.floor(Math.random() * 6) }, () => [key(), value(depth + 1)])),
			() => { const o = { a: value(depth + 1), b: 1 }; if (Math.random() < 0.5) delete o.a; o.c = 2; return o; },
		)();
		return Array.from({ length: 2 }, () => { const v = value(0); return { v, text: JSON.stringify(v) ?? null } })`)
	for seed := uint64(1); seed <= 1500; seed++ {
		out := image.Call(t.Context(), Call{Seed: seed})
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		var rows []struct {
			V    json.RawMessage
			Text *string
		}
		if err := json.Unmarshal(out.Result, &rows); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Text == nil {
				if row.V != nil {
					t.Errorf("seed %d: %s where there is nothing", seed, row.V)
				}
			} else if string(row.V) != *row.Text {
				t.Errorf("seed %d: %s\nwant %s", seed, row.V, *row.Text)
			}
		}
	}
}

// Data too large or too deep for reading directly still comes out whole.
func TestLargeResults(t *testing.T) {
	e := testEngine(t)
	for body, want := range map[string]int{
		`return Array.from({ length: 100000 }, (_, n) => n % 10)`:              200001,
		`let a = []; for (let n = 0; n < 500; n++) a = [a]; return a`:          1002,
		`return Array.from({ length: 2000 }, () => ({ k: 'x'.repeat(1000) }))`: 2000*1009 + 1,
	} {
		out := testImage(t, e, body).Call(t.Context(), Call{})
		if out.Failure != nil || len(out.Result) != want || !json.Valid(out.Result) {
			t.Errorf("%s: %d bytes, want %d, %v", body, len(out.Result), want, out.Failure)
		}
	}
	wide := testImage(t, e, fmt.Sprintf(`let s = 'x'; let a = s; for (let n = 0; n < %d; n++) a = [a, a]; return a`, 40))
	if out := wide.Call(t.Context(), Call{Limits: Limits{Output: 1 << 20, Fuel: 1 << 30}}); out.Failure == nil || !strings.Contains("output_too_large fuel_limit memory_limit", string(out.Failure.Kind)) {
		t.Errorf("2^40 elements: %v", out.Failure)
	}
}
