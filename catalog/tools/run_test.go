package tools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

func openRuntime(t testing.TB) *runtime.Runtime {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	rt, err := runtime.Open(t.Context(), runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(dir, "glovebox-test")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(), Lookup: lookup,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.Close)
	return rt
}

func hostsOf(specs []*catalog.Spec) []string {
	hosts := []string{"example.com"}
	for _, s := range specs {
		hosts = append(hosts, s.Overrides().HostsAllow...)
	}
	return hosts
}

// workspace is a folder with what the test values of the file tools name.
func workspace(t testing.TB) *files.Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"notes.txt": "alpha\nbeta\nBeta two\n", "table.tsv": "a\tb\tc\n1\t2\t3\n", "old/x.txt": "x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := files.OpenWorkspace(dir, files.Quota{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func prepare(t testing.TB, rt *runtime.Runtime, spec *catalog.Spec) *runtime.Tool {
	t.Helper()
	tool, problems := rt.Prepare(spec, catalog.SourceBuiltin)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return tool
}

func call(t testing.TB, tool *runtime.Tool, world host.World, arguments string) *runtime.Result {
	t.Helper()
	d := tool.Decide(risk.Allow, "a test", []byte(arguments))
	return tool.Call(t.Context(), runtime.Invocation{Arguments: []byte(arguments), World: world, Clearance: d.Clear(time.Now().Add(time.Minute))})
}

func failureOf(f *runtime.Failure) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%v %s cause: %v", f, f.Stack, f.Cause)
}

func TestEveryToolEarnsItsLocalPass(t *testing.T) {
	rt := openRuntime(t)
	specs := onDisk(t)
	world := newStandin(t, hostsOf(specs), nil).world()
	for _, spec := range specs {
		t.Run(spec.Name(), func(t *testing.T) {
			world.Workspace = workspace(t)
			report := prepare(t, rt, spec).LocalPass(t.Context(), runtime.Invocation{World: world})
			if report.Failure != nil {
				t.Fatal(failureOf(report.Failure))
			}
			// A test value may hold no secret, so there is none to find.
			if spec.Name() == "secretPatternDetect" {
				return
			}
			if v := string(report.First.Value); v == "" || v == "null" || v == "[]" || v == "{}" {
				t.Errorf("the test values show nothing: %q", v)
			}
		})
	}
}

// Taking any one permission away makes the tool fail: it asks for nothing that it
// does not use.
func TestEveryPermissionIsNeeded(t *testing.T) {
	rt := openRuntime(t)
	specs := onDisk(t)
	world := newStandin(t, hostsOf(specs), nil).world()
	for _, spec := range specs {
		for _, without := range withoutEach(t, spec) {
			t.Run(spec.Name()+"/"+without.what, func(t *testing.T) {
				world.Workspace = workspace(t)
				tool, problems := rt.Prepare(without.spec, catalog.SourceBuiltin)
				if problems.Err() != nil {
					return
				}
				arguments, _ := spec.TestArguments()
				if without.arguments != "" {
					arguments = []byte(without.arguments)
				}
				if got := call(t, tool, world, string(arguments)); got.Failure == nil {
					t.Errorf("it works without %s", without.what)
				}
			})
		}
	}
}

type reduced struct {
	what      string
	spec      *catalog.Spec
	arguments string
}

// withoutEach returns a spec once for each permission, without it.
func withoutEach(t *testing.T, spec *catalog.Spec) []reduced {
	t.Helper()
	var fields map[string]json.RawMessage
	var document struct {
		SandboxOverrides map[string]json.RawMessage `json:"sandboxOverrides"`
	}
	if err := json.Unmarshal(spec.Raw(), &document); err != nil {
		t.Fatal(err)
	}
	fields = document.SandboxOverrides
	var all []reduced
	add := func(what, arguments string, overrides map[string]any) {
		less, problems := spec.With("sandboxOverrides", overrides)
		if problems.Err() != nil {
			t.Fatal(problems.Err())
		}
		all = append(all, reduced{what, less, arguments})
	}
	for field := range fields {
		rest := map[string]any{}
		for other, value := range fields {
			if other != field {
				rest[other] = value
			}
		}
		add(field, "", rest)
	}
	hosts := spec.Overrides().HostsAllow
	for i, h := range hosts {
		if len(hosts) == 1 {
			break // the same as without hostsAllow
		}
		// A tool with several hosts is one that chooses by an argument.
		language, _, _ := strings.Cut(h, ".")
		add(h, fmt.Sprintf(`{"title":"x","lang":%q}`, language), map[string]any{"networkMode": "allowlist", "hostsAllow": slices.Delete(slices.Clone(hosts), i, i+1)})
	}
	return all
}

// What an API may do wrong, and what the tool must make of it: an error that
// says what to do, never a crash of the tool's own code.
func TestNetworkToolsSurviveOddAnswers(t *testing.T) {
	rt := openRuntime(t)
	specs := slices.DeleteFunc(onDisk(t), func(s *catalog.Spec) bool { return s.Overrides().NetworkMode == nil })
	hosts := hostsOf(specs)
	prepared := map[string]*runtime.Tool{}
	for _, s := range specs {
		prepared[s.Name()] = prepare(t, rt, s)
	}
	ownFault := regexp.MustCompile(`TypeError|ReferenceError|RangeError|SyntaxError|is not a function|of undefined|of null`)
	for name, answer := range map[string]http.HandlerFunc{
		"empty": func(http.ResponseWriter, *http.Request) {},
		"not found": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
		},
		"server error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>oops</h1>", http.StatusInternalServerError)
		},
		"rate limit": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			http.Error(w, `{"message":"slow down"}`, http.StatusTooManyRequests)
		},
		"forbidden": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusForbidden)
		},
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>maintenance") },
		"cut off":  func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"items":[{"title":"x"`) },
		"empty object": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{}`)
		},
		"empty array": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `[]`)
		},
		"closed": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		},
	} {
		world := newStandin(t, hosts, answer).world()
		for _, spec := range specs {
			t.Run(name+"/"+spec.Name(), func(t *testing.T) {
				arguments, _ := spec.TestArguments()
				got := call(t, prepared[spec.Name()], world, string(arguments))
				switch {
				case got.Failure == nil:
				case got.Failure.Name != "Error" || ownFault.MatchString(got.Failure.Message):
					t.Error(failureOf(got.Failure))
				case name == "rate limit" && !strings.Contains(got.Failure.Message, "30") && !strings.Contains(got.Failure.Message, "429") && !strings.Contains(got.Failure.Message, "no more"):
					t.Errorf("it does not say when to try again: %s", got.Failure.Message)
				}
				if got.Failure == nil && slices.Contains([]string{"not found", "server error", "rate limit", "forbidden", "closed"}, name) {
					t.Errorf("a failure was taken for an answer: %s", got.Value)
				}
			})
		}
	}
}

func TestVectorsCatalogTool(t *testing.T) {
	rt := openRuntime(t)
	type input struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	type expect struct {
		Result       json.RawMessage `json:"result"`
		ResultRegex  string          `json:"result_regex"`
		ResultLength *int            `json:"result_length"`
		Error        bool            `json:"error"`
		Message      string          `json:"message"`
	}
	vectors.Run(t, "catalog_tool", func(t *testing.T, in input, want expect) {
		spec := tools.Find(in.Tool)
		if spec == nil {
			t.Fatalf("no tool %s", in.Tool)
		}
		got := call(t, prepare(t, rt, spec), host.World{}, string(in.Args))
		if want.Error {
			if got.Failure == nil || want.Message != "" && got.Failure.Message != want.Message {
				t.Errorf("%s, failure %s; want the error %q", got.Value, failureOf(got.Failure), want.Message)
			}
			return
		}
		if got.Failure != nil {
			t.Fatal(failureOf(got.Failure))
		}
		var value any
		if err := json.Unmarshal(got.Value, &value); err != nil {
			t.Fatal(err)
		}
		if want.Result != nil {
			var wanted any
			if err := json.Unmarshal(want.Result, &wanted); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(wanted, value); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		}
		text, _ := value.(string)
		if want.ResultRegex != "" && !regexp.MustCompile(want.ResultRegex).MatchString(text) {
			t.Errorf("%q does not match %s", text, want.ResultRegex)
		}
		if want.ResultLength != nil && len([]rune(text)) != *want.ResultLength {
			t.Errorf("%q has not the length %d", text, *want.ResultLength)
		}
	})
}
