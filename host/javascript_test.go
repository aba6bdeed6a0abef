package host_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/host"
)

// assertions are what the JavaScript tests may use.
const assertions = `
const same = (got, want) => {
  const a = JSON.stringify(got), b = JSON.stringify(want);
  if (a !== b) throw new Error('got ' + a + ', want ' + b);
};
const throwing = (run, name) => {
  try { run(); } catch (e) {
    if (e.name !== name) throw new Error('threw ' + e.name + ': ' + e.message + ', want ' + name);
    return e;
  }
  throw new Error('did not throw');
};
`

// testServer is what the tests in fetch.js talk to.
func testServer(hang <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header()["X-List"] = []string{"1", "2"}
		io.WriteString(w, `{"n":1,"s":"ü"}`)
	})
	mux.HandleFunc("/emoji", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "😀!") })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(10 * time.Millisecond) // what a server takes, not what a test waits for
		io.WriteString(w, "slow "+r.URL.RawQuery)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.RawQuery)
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-hang:
		}
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "header": r.Header, "body": string(body)})
	})
	return mux
}

// The tests under testdata/guest are tools; each chunk after a //# line is one.
func TestInTheGuestsLanguage(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	web := newWeb(t, testServer(hang))
	web.resolve = func(name string) ([]netip.Addr, error) {
		if name == "gone.example" {
			return nil, errors.New("no such name")
		}
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	for file, overrides := range map[string]map[string]any{
		"fetch.js": {"networkMode": "strict"},
		"files.js": {"fileRead": true, "fileWrite": true, "destructive": true},

		"crypto.js": nil, "encoding.js": nil, "parser.js": nil, "tampering.js": nil, "web.js": nil,
	} {
		source, err := os.ReadFile(filepath.Join("testdata", "guest", file))
		if err != nil {
			t.Fatal(err)
		}
		chunks := strings.Split("\n"+string(source), "\n//# ")
		if len(chunks) < 3 {
			t.Fatalf("%s: no tests", file)
		}
		for _, chunk := range chunks[1:] {
			name, code, _ := strings.Cut(chunk, "\n")
			t.Run(file+"/"+name, func(t *testing.T) {
				w := web.world()
				w.Workspace = workspace(t, nil)
				if got := value(t, w, overrides, assertions+code+"\nreturn 'passed';"); got != `"passed"` {
					t.Errorf("returned %s", got)
				}
			})
		}
	}
}

// Either half of safety.fs is absent when only the other one was granted, and
// calling it is a TypeError.
func TestWhatIsNotGrantedIsAbsent(t *testing.T) {
	w := newWeb(t, http.NotFoundHandler()).world()
	w.Workspace = workspace(t, nil)
	const types = "return [typeof fetch, typeof safety, typeof safety.fs, typeof safety.fs?.workspace, typeof safety.fs?.readText, typeof safety.fs?.writeText, typeof safety.fs?.delete];"
	for _, tc := range []struct {
		overrides map[string]any
		want      string
	}{
		{nil, `["undefined","object","undefined","undefined","undefined","undefined","undefined"]`},
		{map[string]any{"networkMode": "blocked", "hostsAllow": []string{"a.example"}}, `["undefined","object","undefined","undefined","undefined","undefined","undefined"]`},
		{map[string]any{"networkMode": "allowlist", "hostsAllow": []string{"a.example"}}, `["function","object","undefined","undefined","undefined","undefined","undefined"]`},
		{map[string]any{"fileRead": true}, `["undefined","object","object","function","function","undefined","undefined"]`},
		{map[string]any{"fileRead": true, "destructive": true}, `["undefined","object","object","function","function","undefined","undefined"]`},
		{map[string]any{"fileWrite": true}, `["undefined","object","object","function","undefined","function","undefined"]`},
		{map[string]any{"fileWrite": true, "destructive": true}, `["undefined","object","object","function","undefined","function","function"]`},
	} {
		if got := value(t, w, tc.overrides, types); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.overrides, got, tc.want)
		}
	}
	for _, call := range []string{"safety.fs.readText('x')", "safety.fs.delete('x')"} {
		r := run(t, w, map[string]any{"fileWrite": true}, call)
		if r.Failure == nil || r.Failure.Name != "TypeError" {
			t.Errorf("%s: %v", call, r.Failure)
		}
	}
}

// The globals that a posture adds are exactly those that the granted prelude
// files say they install.
func TestGlobalsAreThoseThatThePreludeSays(t *testing.T) {
	w := newWeb(t, http.NotFoundHandler()).world()
	w.Workspace = workspace(t, nil)
	all, err := prelude.Files()
	if err != nil {
		t.Fatal(err)
	}
	names := func(overrides map[string]any) (names []string) {
		text := value(t, w, overrides, "return [...Object.getOwnPropertyNames(globalThis), ...Object.getOwnPropertyNames(globalThis.safety.fs ?? {}).map((n) => 'safety.fs.' + n)].sort();")
		if err := json.Unmarshal([]byte(text), &names); err != nil {
			t.Fatal(err)
		}
		return names
	}
	none := names(nil)
	zero, err := host.Operations(catalog.Posture{})
	if err != nil {
		t.Fatal(err)
	}
	free := map[string]bool{} // files that every posture has
	for _, f := range prelude.Granted(all, zero) {
		free[f.Name] = true
	}
	for _, overrides := range []map[string]any{
		{"networkMode": "allowlist", "hostsAllow": []string{"a.example"}}, {"networkMode": "strict"}, {"networkMode": "open"},
		{"fileRead": true}, {"fileWrite": true}, {"networkMode": "open", "fileRead": true, "fileWrite": true, "destructive": true},
	} {
		document, err := json.Marshal(map[string]any{"name": "probe", "code": "", "codeType": "Javascript", "sandboxOverrides": overrides})
		if err != nil {
			t.Fatal(err)
		}
		spec, _ := catalog.Parse(document)
		if spec == nil {
			t.Fatal("the spec does not parse")
		}
		posture, _, _ := spec.Resolve(catalog.DefaultBaseline(), catalog.NoCeiling(), catalog.SourceUser)
		operations, err := host.Operations(posture)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, f := range prelude.Granted(all, operations) {
			if !free[f.Name] {
				want = append(want, f.Installs...)
			}
		}
		slices.Sort(want)
		got := slices.DeleteFunc(names(overrides), func(name string) bool { return slices.Contains(none, name) })
		if !slices.Equal(got, want) {
			t.Errorf("%v adds %v, the prelude says %v", overrides, got, want)
		}
	}
}
