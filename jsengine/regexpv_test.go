package jsengine

import (
	"fmt"
	"strings"
	"testing"
)

// What Node 20 answers.
func TestTheFlagVReadsWholeCharacters(t *testing.T) {
	e := testEngine(t)
	for _, c := range []struct{ code, want string }{
		{`/^.$/v.test('😀')`, `true`},
		{`new RegExp('^.$', 'v').test('😀')`, `true`},
		{`eval("/^.$/v.test('😀')")`, `true`},
		{`/^\p{L}+$/v.test('äб漢')`, `true`},
		{`/\u{1F600}/v.test('😀')`, `true`},
		{`/[^\d]/v.exec('😀')[0].length`, `2`},
		{`/[😀-😅]/v.exec('x😃')[0]`, `"😃"`},
		{`[/./v.flags, /./v.unicodeSets, /./v.unicode, String(/./gv)]`, `["v",true,false,"/./gv"]`},
		{`'😀'.replace(/(?:)/gv, '-')`, `"-😀-"`},
		{`'a😀'.replace(/./gv, (c) => '<' + c + '>')`, `"<a><😀>"`},
		{`'😀b'.match(/(?:)/gv)`, `["","",""]`},
		{`[...'a😀b'.matchAll(/./gv)].map((m) => m[0])`, `["a","😀","b"]`},
		{`[...'😀'.matchAll(/(?:)/gv)].map((m) => m.index)`, `[0,2]`},
		{`'😀b'.split(/(?:)/v)`, `["😀","b"]`},
		{`'😀b'.search(/b/v)`, `2`},
		{`/ſ/iv.test('S')`, `true`},
		{`/[a-z]+/v.exec('12abc')[0]`, `"abc"`},
		{`/[\w\-_]+/v.exec('a-_b')[0]`, `"a-_b"`},
		{`/\[\[--&&\]/v.test('[[--&&]')`, `true`},
		{`/[\[\]]+/v.exec('a[]')[0]`, `"[]"`},
		{`/[^\^]/v.exec('^a')[0]`, `"a"`},
		{`/[aabb11""''__]+/v.exec('xab1')[0]`, `"ab1"`},
		{`/\P{Lu}/v.test('a')`, `true`},
	} {
		out := testImage(t, e, "return "+c.code).Call(t.Context(), Call{})
		if out.Failure != nil || string(out.Result) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.code, out.Result, out.Failure, c.want)
		}
	}
	for _, pattern := range []string{
		`[[a-z]--[aeiou]]`, `[\w--\d]`, `[\w&&\d]`, `[\q{abc|d}]`, `[a[b]]`, `[!!]`, `x[^^^]`, `[a~~b]`, `(`, `[(]`, `\-`, `\p{RGI_Emoji}`, `a{`, `[z-a]`, `[`, `[a-z&&]`, `[[:alpha:]]`, `[^[a]]`, `[a::]`,
	} {
		code := fmt.Sprintf(`let made; try { made = new RegExp(%[1]q, 'v') } catch (e) { return e.name } return String(made)`, pattern)
		if out := testImage(t, e, code).Call(t.Context(), Call{}); string(out.Result) != `"SyntaxError"` {
			t.Errorf("%s: %s, %v; want a SyntaxError", pattern, out.Result, out.Failure)
		}
	}
	out := testImage(t, e, `try { new RegExp('[[a]--[b]]', 'v') } catch (e) { return e.message }`).Call(t.Context(), Call{})
	if !strings.Contains(string(out.Result), "set notation") {
		t.Errorf("set notation is refused with %s", out.Result)
	}
	out = testImage(t, e, `try { new RegExp('\\P{Lu}', 'iv') } catch (e) { return e.name } return 'made'`).Call(t.Context(), Call{})
	if string(out.Result) != `"SyntaxError"` {
		t.Errorf(`\P where case is ignored: %s`, out.Result)
	}
}

// Where there is no set notation, v matches as u does.
func TestTheFlagVMatchesAsUDoes(t *testing.T) {
	out := testImage(t, testEngine(t), `
		const pick = (...list) => list[Math.floor(Math.random() * list.length)];
		const atom = () => pick('a', 'B', '.', '\\d', '\\w', '\\s', '\\S', '[a-c]', '[^a]', '😀', '\\u{1F601}', 'é', '\\p{L}', '\\p{Script=Greek}', '[😀-😂é]', '\\b', '(?:)', '^', '$', '(b|😀)', '(?=a)', '(?<!a)', '\\.', '[\\]\\[]', '[^\\p{L}]', 'ſ');
		const text = () => Array.from({ length: Math.floor(Math.random() * 8) }, () => pick('a', 'b', 'B', '😀', '😁', 'é', '1', ' ', 'α', '.', '\ud83d', '\n', ']', 's', 'S')).join('');
		let matched = 0;
		for (let n = 0; n < 3000; n++) {
			const pattern = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => atom() + pick('', '', '', '?', '{1,2}')).join('').replace(/(\\b|\^|\$|\(\?[^)]*\))(\?|\{1,2\})/g, '$1');
			const flags = pick('', 'g', 'i', 's', 'm', 'y', 'gi');
			const t = text();
			const run = (flag) => { try { const r = new RegExp(pattern, flags + flag); return JSON.stringify([t.match(r), t.replace(r, '<$&>'), t.split(r), t.search(r), r.test(t), r.lastIndex]); } catch (e) { return e.message; } };
			const u = run('u'), v = run('v');
			if (u !== v) return [pattern, flags, t, u, v];
			if (u.includes('<')) matched++;
		}
		return matched > 500 ? 'same' : matched;`).Call(t.Context(), Call{Limits: Limits{Statements: 1 << 40, Fuel: 1 << 50}})
	if string(out.Result) != `"same"` {
		t.Errorf("%s, %v", out.Result, out.Failure)
	}
}
