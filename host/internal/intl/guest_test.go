package intl_test

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/jsengine"
)

// uses touches every service and many methods, by names put together at run time
// so that nothing is loaded before the program has done its worst.
const uses = `
const I = globalThis['In' + 'tl'], L = 'toLocale' + 'String';
let text = '';
const say = (answer) => { text += answer + '|'; };
say(new I['DateTime' + 'Format']('de', { dateStyle: 'full', timeZone: 'Asia/Seoul' }).format(d));
say(I['DateTime' + 'Format']('en-CA', { hour: '2-digit', hour12: false, timeZone: 'UTC' }).formatToParts(d)[0].value);
say(new I['Number' + 'Format']('fr', { style: 'currency', currency: 'EUR' }).format(1234.5));
say(new I['Plural' + 'Rules']('en', { type: 'ordinal' }).select(2));
say(new I['Relative' + 'TimeFormat']('ko', { numeric: 'auto' }).format(-1, 'day'));
say(new I['Display' + 'Names']('ja', { type: 'region' }).of('KR'));
say(new I['Coll' + 'ator']('sv').compare('ä', 'z'));
say(new I['Segm' + 'enter']('en', { granularity: 'word' }).segment('one two').containing(5).segment);
say(new I['Loc' + 'ale']('zh-TW').maximize().toString());
say(d[L]('pt', { timeZone: 'UTC' }));
say((0.5)[L]('tr', { style: 'percent' }));
say(12n[L]('hi'));
say('ä'['locale' + 'Compare']('b'));
say('i'['toLocale' + 'UpperCase']('tr'));
try { new I['Number' + 'Format']('en_US'); } catch (e) { say(e.name + e.reason); }
return text;
`

// tampering is what a program can do to the built-ins that the prelude stands on.
const tampering = `
const Trouble = Error, evil = () => { throw new Trouble('reached by the prelude'); };
const stays = { __proto__: null, localeCompare: true, toLocaleUpperCase: true, constructor: true };
for (const o of [String.prototype, Map.prototype, WeakMap.prototype, RegExp.prototype]) for (const k of Reflect.ownKeys(o)) {
  const p = Object.getOwnPropertyDescriptor(o, k);
  if (!stays[k] && typeof p.value === 'function' && p.configurable) Object.defineProperty(o, k, { value: evil, configurable: true });
}
for (const name of ['toJSON', 'get', 'set', 'value', 'writable', 'length2']) Object.defineProperty(Array.prototype, name, { get: evil, set: evil, configurable: true });
Array.prototype[Symbol.iterator] = Array.prototype.join = Array.prototype.push = Array.prototype.slice = evil;
Object.getPrototypeOf([][Symbol.iterator] === evil ? new Set().values() : 0).next = evil;
Function.prototype.call = Function.prototype.apply = Function.prototype.bind = evil;
Date.prototype.getTime = Date.now = JSON.stringify = JSON.parse = Reflect.apply = Reflect.ownKeys = Object.keys = evil;
Number.isFinite = Math.abs = Math.trunc = Math.floor = Object.create = Object.setPrototypeOf = Object.getOwnPropertyDescriptor = Object.defineProperty = evil;
for (const name in { String, Number, Map, WeakMap, RangeError, TypeError, Date, RegExp }) globalThis[name] = evil;
`

// A program that replaces what the prelude stands on gets the same answers.
func TestTamperedBuiltIns(t *testing.T) {
	const date = "const d = new Date(1770134707089);\n"
	want := string(guest(t, date+uses))
	if strings.Count(want, "|") != 15 || strings.Contains(want, "undefined") {
		t.Fatalf("untouched: %s", want)
	}
	if got := string(guest(t, date+tampering+uses)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNothingIsLoadedThatIsNotUsed(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`return typeof Object.getOwnPropertyDescriptor(globalThis['In' + 'tl'], 'Number' + 'Format').get`, `"function"`},
		{`return [Intl.NumberFormat.name, typeof Object.getOwnPropertyDescriptor(Intl, 'Segm' + 'enter').get]`, `["NumberFormat","function"]`},
	} {
		if got := string(guest(t, c.body)); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

// Host calls have a limit. A sort takes one for each text that is not ASCII and
// one to begin with, however often it compares.
func TestHostCallsOfASort(t *testing.T) {
	for _, c := range []struct {
		first string
		calls int
	}{{"item ", 1}, {"가나다 ", 2001}} {
		image, grants := image(t, `const a = []; for (let n = 0; n < 2000; n++) a.push('`+c.first+`' + (n * 7919 % 2000)); a.sort((x, y) => x.localeCompare(y)); return a.length`)
		out := image.Call(t.Context(), jsengine.Call{Caller: grants.Table(), Limits: jsengine.Limits{Statements: 1 << 30}})
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		calls := 0
		for _, usage := range grants.Transcript().Operations {
			calls += usage.Calls
		}
		if calls != c.calls {
			t.Errorf("%q: %d host calls, want %d", c.first, calls, c.calls)
		}
	}
}

func BenchmarkIntl(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"nothing", `return 1`},
		{"date", `return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Seoul' }).format(0)`},
		{"parts", `return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Seoul', hour12: false, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' }).formatToParts(0).length`},
		{"number", `return (1234.5).toLocaleString('de', { style: 'currency', currency: 'EUR' })`},
		{"100 numbers", `const f = new Intl.NumberFormat('de'); let n = 0; for (let i = 0; i < 100; i++) n += f.format(i * 1234.5).length; return n`},
		{"sort of 100 texts", `const a = []; for (let i = 0; i < 100; i++) a.push('가' + (i * 79 % 100)); a.sort(new Intl.Collator('ko').compare); return a[0]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			image, grants := image(b, c.body)
			call := jsengine.Call{Caller: grants.Table()}
			for b.Loop() {
				if out := image.Call(b.Context(), call); out.Failure != nil {
					b.Fatal(out.Failure)
				}
			}
		})
	}
}
