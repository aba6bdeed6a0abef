package prelude

import (
	"fmt"
	"strings"
	"testing"
)

func TestUseOf(t *testing.T) {
	const fetched = "const r = await fetch(u);\n"
	for _, c := range []struct {
		code     string
		promised string // columns in line 2
		unserved string
		chains   bool
	}{
		{"return r.json();", "", "", false},
		{"return await r.json();", "", "", false},
		{"return r.json().then(f);", "10", "", true},
		{"return r . json ( ) . catch(f);", "12", "", true},
		{"return r?.json?.()?.finally(f);", "11", "", true},
		{"return r.json() /* .x */ /* ) */ .then(f);", "10", "", true},
		{"return '.json().then(' + r.text();", "", "", false},
		{"return `${r.text().then(f)}`;", "13", "", true},
		{"return `${ { a: r.text() }.a }` + /[/`]/.test(`r.text().then`);", "", "", false},
		{"return /r.json().then/.test(x) || r.text();", "", "", false},
		{"return a / b / r.json().then(f);", "18", "", true},
		{"const ü = 1; return r.json().then(f);", "23", "", true},
		{"const p = r.json(); return p.then(f);", "13", "", true},
		{"const p = r.json(); return p.name;", "", "", false},
		{"const p = r.json(); p.then(f); return p.name;", "", "13", true},
		{"const p = await r.json(); return p.then;", "", "", true},
		{"const p = (await fetch(u)).json(); return p.catch(f);", "28", "", true},
		{"p = r.json(), q; return p.finally(f);", "7", "", true},
		{"const f = (r) => r.json(); return f(r).then(g);", "", "", true},
		{"if (p == r.json()) return p.then(f);", "", "", true},
		{"return Promise.all([r.json(), r.text()]);", "23 33", "", false},
		{"return Promise.all(list.map((r) => r.json()));", "38", "", false},
		{"return Promise.all(list.map((r) => r.json().id));", "", "", false},
		{"return Promise.allSettled(list.map(async (r) => { return r.json(); }));", "", "", false},
		{"return Promise.all([use(r.json())]);", "", "", false},
		{"return (r.json()).then(f);", "11", "", true},
		{"return use(r.json()).then(f);", "", "", true},
		{"return r.json() instanceof Promise;", "10", "", false},
		{"return r.json()['then'](f);", "", "", true},
		{"return r['json']().then(f);", "", "", true},
	} {
		use := UseOf(fetched + c.code)
		if got := columns(use.Promised); got != c.promised {
			t.Errorf("%s: promised %q, want %q", c.code, got, c.promised)
		}
		if got := columns(use.Unserved); got != c.unserved {
			t.Errorf("%s: unserved %q, want %q", c.code, got, c.unserved)
		}
		if use.Chains != c.chains {
			t.Errorf("%s: chains %v", c.code, use.Chains)
		}
	}
	if use := UseOf("return r.json().then(f)"); use.Promised != nil || use.Chains {
		t.Error("a program without a response was read")
	}
}

// No program takes more than its bounds: what would be looked at once for each
// pair of its parts is given up.
func TestUseOfHostilePrograms(t *testing.T) {
	for _, piece := range []string{
		"p=r.json(),", "const a%d=r.json();", "((((", "r.json(", "r.json()\n\n\n\n\n\n", "`${", "/*", "a/", "[r.json()", "(r.json())", "[[[[r.json(),", "= ", "'\\", "x=>", "}{",
	} {
		var b strings.Builder
		b.WriteString("fetch Promise ")
		for n := 0; b.Len() < 1<<20; n++ {
			b.WriteString(strings.ReplaceAll(piece, "%d", fmt.Sprint(n)))
		}
		if use := UseOf(b.String()); len(use.Promised)+len(use.Unserved) > maxCalls {
			t.Errorf("%q: %d calls", piece, len(use.Promised))
		}
	}
}

func columns(places []Place) string {
	var all []string
	for _, p := range places {
		if p.Line != 2 {
			return fmt.Sprint(places)
		}
		all = append(all, fmt.Sprint(p.Column))
	}
	return strings.Join(all, " ")
}

func FuzzUseOf(f *testing.F) {
	f.Add("const r = await fetch(u); return r.json().then((v) => `${v}` / /x[/]/.exec('a'));")
	f.Add("fetch`${`${r.text()}`}` }}} r.json(")
	f.Fuzz(func(t *testing.T, code string) {
		masked := mask(code)
		if len(masked) != len(code) || strings.Count(masked, "\n") != strings.Count(code, "\n") {
			t.Fatalf("%q became %q", code, masked)
		}
		use := UseOf(code)
		lines := strings.Split(code, "\n")
		for _, p := range append(use.Promised, use.Unserved...) {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1])+1 {
				t.Fatalf("%v is not in %q", p, code)
			}
		}
	})
}
