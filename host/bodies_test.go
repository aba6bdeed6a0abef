package host_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// bodyServer is an API as tools meet them.
func bodyServer() http.Handler {
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/repo", answer(200, "application/json", `{"stargazers_count":42,"topics":["a","b"],"name":"glovebox"}`))
	mux.HandleFunc("/list", answer(200, "application/json", `[{"id":1},{"id":2}]`))
	mux.HandleFunc("/number", answer(200, "application/json", `7`))
	mux.HandleFunc("/null", answer(200, "application/json", `null`))
	mux.HandleFunc("/broken", answer(200, "application/json", `{"stargazers_count":`))
	mux.HandleFunc("/missing", answer(404, "application/json", `{"message":"Not Found"}`))
	mux.HandleFunc("/plain", answer(200, "text/plain", "one\ntwo"))
	return mux
}

// callDocument runs a document of the reference's kind: with its block of
// toolSafety, or with none at all.
func callDocument(t *testing.T, w *web, code string, ofReference bool) *runtime.Result {
	t.Helper()
	rt, err := machine()
	if err != nil {
		t.Fatal(err)
	}
	spec := map[string]any{"name": "probe", "code": code, "codeType": "Javascript", "params": []any{}, "sandboxOverrides": map[string]any{"networkMode": "allowlist", "hostsAllow": []string{"api.example"}}}
	if ofReference {
		spec["toolSafety"] = map[string]any{"version": "1.0", "runtime": map[string]any{"id": "spring-ai-playground/js", "minVersion": "0.2.0", "helpers": []string{"safety.http/v1"}}}
	}
	document, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	tool, problems := rt.Load(document)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	decision := tool.Decide(risk.Allow, "a test", []byte("{}"))
	return tool.Call(t.Context(), runtime.Invocation{Arguments: []byte("{}"), World: w.world(), Clearance: decision.Clear(time.Now().Add(time.Minute))})
}

// Every way of reading a body gives the same, whoever the program was written for.
func TestEveryFormOfReadingABody(t *testing.T) {
	w := newWeb(t, bodyServer())
	kinds := []struct{ path, method, use, want string }{
		{"/repo", "json", "({ stars: v.stargazers_count, topics: v.topics })", `{"stars":42,"topics":["a","b"]}`},
		{"/list", "json", "v.map((x) => x.id)", `[1,2]`},
		{"/number", "json", "v + 1", `8`},
		{"/repo", "text", "JSON.parse(v).name", `"glovebox"`},
		{"/plain", "text", "v.split('\\n')", `["one","two"]`},
		{"/plain", "arrayBuffer", "[...new Uint8Array(v)].length", `7`},
		{"/plain", "bytes", "v.length", `7`},
		{"/plain", "blob", "[v.size, v.type]", `[7,"text/plain"]`},
		{"/missing", "json", "v.message", `"Not Found"`},
		{"/missing", "text", "JSON.parse(v).message", `"Not Found"`},
	}
	forms := []struct{ name, code string }{
		{"awaited", "const v = await r.READ(); return USE;"},
		{"used at once", "const v = r.READ(); return USE;"},
		{"used in place", "const f = (v) => USE; return f(r.READ());"},
		{"returned", "const get = async () => { return r.READ(); }; const v = await get(); return USE;"},
		{"returned by an arrow", "const get = (x) => x.READ(); const v = get(r); return USE;"},
		{"chained", "return r.READ().then((v) => USE);"},
		{"chained over lines", "return r\n  .READ()\n  // comment\n  .then((v) => USE)\n  .catch((e) => 'failed ' + e);"},
		{"chained in parentheses", "return (r.READ()).then((v) => USE);"},
		{"chained on the request", "return fetch('URL').then((x) => x.READ()).then((v) => USE);"},
		{"chained in a block", "return fetch('URL').then(async (x) => { const v = await x.READ(); return USE; });"},
		{"stored and chained", "const p = r.READ(); return p.then((v) => USE);"},
		{"stored and awaited", "const p = r.READ(); await null; const v = await p; return USE;"},
		{"in a list", "const [v] = await Promise.all([r.READ()]); return USE;"},
		{"mapped", "const [v] = await Promise.all([r].map((x) => x.READ())); return USE;"},
		{"settled", "const [s] = await Promise.allSettled([r].map((x) => x.READ())); const v = s.value; return USE;"},
		{"with a fallback", "const v = await r.READ().catch(() => null); return USE;"},
		{"and finally", "let n = 0; const v = await r.READ().finally(() => { n = 1; }); if (n !== 1) throw new Error('not finished'); return USE;"},
		{"as a promise", "if (!(r.READ() instanceof Promise)) throw new Error('no promise'); const v = await r.READ(); return USE;"},
		{"resolved", "const v = await new Promise((resolve) => resolve(r.READ())); return USE;"},
		{"in a template", "const v = r.READ(); `${v}`; return USE;"},
		{"both", "const v = r.READ(); const w = await r.READ().then((v) => USE); if (JSON.stringify(w) !== JSON.stringify(USE)) throw new Error('differs'); return USE;"},
	}
	asked := 0
	for _, kind := range kinds {
		for _, form := range forms {
			request := "const r = await fetch('URL');\n"
			if asked++; asked%2 == 0 {
				request = "const r = fetch('URL');\n"
			}
			code := strings.NewReplacer("READ", kind.method, "USE", kind.use).Replace(request + form.code)
			code = strings.ReplaceAll(code, "URL", "http://api.example"+kind.path)
			got := callDocument(t, w, code, asked%4 < 2)
			if got.Failure != nil || string(got.Value) != kind.want {
				t.Errorf("%s %s, %s: got %s, %v, want %s\n%s", kind.method, kind.path, form.name, got.Value, got.Failure, kind.want, code)
			}
		}
	}
	// A helper that is chained on somewhere else: nothing at the call shows it.
	for _, kind := range kinds {
		if kind.path == "/number" {
			continue // the one kind of value that cannot carry a then
		}
		code := fmt.Sprintf("const get = (x) => x.%s();\nreturn get(await fetch('http://api.example%s')).then((v) => %s);", kind.method, kind.path, kind.use)
		if got := callDocument(t, w, code, false); got.Failure != nil || string(got.Value) != kind.want {
			t.Errorf("%s %s through a helper: %s, %v", kind.method, kind.path, got.Value, got.Failure)
		}
	}
}

// A body that is not JSON fails where the program looks for it: thrown at once, or
// as a rejected promise.
func TestABrokenBodyFailsInItsForm(t *testing.T) {
	w := newWeb(t, bodyServer())
	for _, code := range []string{
		"try { const v = r.json(); return v; } catch (e) { return e.reason; }",
		"try { const v = await r.json(); return v; } catch (e) { return e.reason; }",
		"return r.json().catch((e) => e.reason);",
		"return r.json().then((v) => v, (e) => e.reason);",
		"const v = await r.json().catch(() => null); return v === null ? 'invalid-json' : 'no';",
		"const p = r.json(); return p.catch((e) => e.reason);",
		"const [s] = await Promise.allSettled([r.json()]); return s.reason.reason;",
		"const [s] = await Promise.allSettled([r].map((x) => x.json())); return s.reason.reason;",
		"return Promise.all([r].map((x) => x.json())).catch((e) => e.reason);",
		"return fetch('http://api.example/broken').then((x) => x.json()).catch((e) => e.reason);",
		"const get = async (x) => x.json(); return get(r).catch((e) => e.reason);",
	} {
		for _, request := range []string{"const r = await fetch('http://api.example/broken');\n", "const r = fetch('http://api.example/broken');\n"} {
			if got := callDocument(t, w, request+code, false); got.Failure != nil || string(got.Value) != `"invalid-json"` {
				t.Errorf("%s\n%s, %v", code, got.Value, got.Failure)
			}
		}
	}
	if got := callDocument(t, w, "const r = await fetch('http://api.example/null');\nreturn r.json().then((v) => [v, r.json() ?? 'none']);", false); string(got.Value) != `[null,"none"]` {
		t.Errorf("null: %s, %v", got.Value, got.Failure)
	}
}

// Documents as the reference's authors write them.
func TestDocumentsForASynchronousFetch(t *testing.T) {
	w := newWeb(t, bodyServer())
	const repo = `const resp = await fetch(%q, { headers: { Accept: 'application/json' } });
if (!resp.ok) return { success: false, status: resp.status, message: resp.text() };
const data = resp.json();
return { stars: data.stargazers_count, topics: data.topics || [], raw: resp.text().length, name: ` + "`${resp.json().name}`" + ` };`
	for _, c := range []struct{ code, want string }{
		{fmt.Sprintf(repo, "http://api.example/repo"), `{"stars":42,"topics":["a","b"],"raw":60,"name":"glovebox"}`},
		{fmt.Sprintf(repo, "http://api.example/missing"), `{"success":false,"status":404,"message":"{\"message\":\"Not Found\"}"}`},
		{"const resp = await fetch('http://api.example/plain'); const lines = []; for (const l of resp.text().split('\\n')) lines.push({ l }); return { lines };", `{"lines":[{"l":"one"},{"l":"two"}]}`},
		{"const resp = await fetch('http://api.example/list'); return resp.json();", `[{"id":1},{"id":2}]`},
		{"const resp = await fetch('http://api.example/list'); return { items: resp.json(), count: resp.json().length };", `{"items":[{"id":1},{"id":2}],"count":2}`},
		{"function get(u) { const r = fetch(u); return r.json(); } return get('http://api.example/repo').name;", `"glovebox"`},
		{"const resp = await fetch('http://api.example/missing'); let d; try { d = resp.json(); } catch (e) { d = {}; } return (d && d.message) || 'none';", `"Not Found"`},
		{"const b = (await fetch('http://api.example/plain')).arrayBuffer(); return new Uint8Array(b)[0] + Array.from(new Uint8Array(b)).length;", `118`},
	} {
		for _, ofReference := range []bool{true, false} {
			if got := callDocument(t, w, c.code, ofReference); got.Failure != nil || string(got.Value) != c.want {
				t.Errorf("%s\ngot  %s, %v\nwant %s", c.code, got.Value, got.Failure, c.want)
			}
		}
	}
}

// What would arrive as {} is a failure that says so.
func TestNothingThatIsNoDataIsReturned(t *testing.T) {
	w := newWeb(t, bodyServer())
	for code, message := range map[string]string{
		"return { repo: fetch('http://api.example/repo') };":                                      `at "repo"`,
		"return [await fetch('http://api.example/repo').then((r) => [r.json().then((v) => v)])];": `at "[0][0]"`,
		"return fetch('http://api.example/repo');":                                                "a Response is not data",
		"return { a: await fetch('http://api.example/repo') };":                                   "a Response is not data",
	} {
		if got := callDocument(t, w, code, false); got.Failure == nil || !strings.Contains(got.Failure.Message, message) {
			t.Errorf("%s: %s, %v; want %s", code, got.Value, got.Failure, message)
		}
	}
}
