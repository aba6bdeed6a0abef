package catalog

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func equalPosture(a, b Posture) bool { return reflect.DeepEqual(a, b) }

func overridesOf(t *testing.T, block string) Overrides {
	return mustParse(t, with(`"sandboxOverrides":`+block)).Overrides()
}

func TestResolveMergesWithTheBaseline(t *testing.T) {
	wide := Baseline{Network: NetworkAllowlist, Hosts: []string{"base.example"}, FileRead: true, FileWrite: true, Destructive: true, FSBase: "/base",
		AllowClasses: []string{"a.Base", "a.Gone"}, DenyClasses: []string{"d.Base", "d.Gone"}}
	for _, tc := range []struct {
		name, block string
		baseline    Baseline
		want        Posture
	}{
		{"nothing on nothing", `{}`, Baseline{}, Posture{}},
		{"nothing inherits", `{}`, wide, Posture{Network: NetworkAllowlist, Hosts: []string{"base.example"}, FileRead: true, FileWrite: true, Destructive: true, FSBase: "/base"}},
		{"explicit false clears", `{"fileRead":false,"fileWrite":false,"destructive":false,"networkMode":"blocked"}`, wide, Posture{FSBase: "/base"}},
		{"hosts join, without repeats or case", `{"hostsAllow":["A.example","base.EXAMPLE","a.example"]}`, wide, Posture{Network: NetworkAllowlist, Hosts: []string{"a.example", "base.example"}, FileRead: true, FileWrite: true, Destructive: true, FSBase: "/base"}},
		{"hosts only count under an allowlist", `{"networkMode":"strict","hostsAllow":["a.example"]}`, Baseline{}, Posture{Network: NetworkStrict}},
		{"an allowlist of nobody", `{"networkMode":"allowlist"}`, Baseline{}, Posture{Network: NetworkAllowlist}},
		{"base path", `{"fsBasePath":"/mine","fileRead":true}`, Baseline{FSBase: "/base"}, Posture{FSBase: "/mine", FileRead: true}},
		{"a blank base path inherits", `{"fsBasePath":" "}`, Baseline{FSBase: "/base"}, Posture{FSBase: "/base"}},
		{"classes", `{"addAllowClasses":["a.New","a.Base","a.New"],"removeAllowClasses":["a.Gone"],"addDenyClasses":["d.New"],"removeDenyClasses":["d.Gone","d.Never"]}`,
			Baseline{AllowClasses: wide.AllowClasses, DenyClasses: wide.DenyClasses}, Posture{AddedAllowClasses: []string{"a.New"}, RemovedDenyClasses: []string{"d.Gone"}}},
	} {
		got, err := Resolve(overridesOf(t, tc.block), tc.baseline, NoCeiling())
		if err != nil || !equalPosture(got, tc.want) {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", tc.name, got, err, tc.want)
		}
	}
}

func TestEmptyOverridesAreNoOverrides(t *testing.T) {
	all := `{"addAllowClasses":[],"removeAllowClasses":null,"addDenyClasses":[],"removeDenyClasses":[],"networkMode":null,"hostsAllow":[],"fileRead":null,"fileWrite":null,"destructive":null,"fsBasePath":null}`
	base := Baseline{Network: NetworkOpen, FileRead: true, FSBase: "/b"}
	a, _ := Resolve(mustParse(t, minimal).Overrides(), base, NoCeiling())
	b, _ := Resolve(overridesOf(t, all), base, NoCeiling())
	if !equalPosture(a, b) {
		t.Errorf("%+v, %+v", a, b)
	}
	if mustParse(t, minimal).Hash() != mustParse(t, with(`"sandboxOverrides":`+all)).Hash() {
		t.Error("the hashes differ")
	}
}

func TestClassOverlapIsRejected(t *testing.T) {
	for block, rejected := range map[string]bool{
		`{"addAllowClasses":["java.lang.System"]}`:                                           true,
		`{"addAllowClasses":["java.lang.System"],"removeDenyClasses":["java.lang.System"]}`:  false,
		`{"addAllowClasses":["java.lang.System"],"removeAllowClasses":["java.lang.System"]}`: false,
		`{"addDenyClasses":["java.util.*"]}`:                                                 true,
		`{"addDenyClasses":["java.util.List"]}`:                                              false,
	} {
		p, err := Resolve(overridesOf(t, block), DefaultBaseline(), NoCeiling())
		if (err != nil) != rejected || err != nil && !equalPosture(p, Posture{}) {
			t.Errorf("%s: %+v, %v", block, p, err)
		}
	}
	spec := mustParse(t, with(`"sandboxOverrides":{"addAllowClasses":["java.lang.System"],"fileWrite":true}`))
	p, safety, problems := spec.Resolve(DefaultBaseline(), NoCeiling(), SourceUser)
	if len(problems) != 1 || problems[0].Code != ResolverReject || problems[0].Column != 75 || !equalPosture(p, Posture{}) || safety.Capabilities.FileWrite {
		t.Errorf("%+v %+v %v", p, safety, problems)
	}
}

func TestCeilingTightens(t *testing.T) {
	hosts := func(list ...string) []string { return list }
	for _, tc := range []struct {
		name    string
		asked   Posture
		ceiling Ceiling
		want    Posture
	}{
		{"zero leaves nothing", Posture{Network: NetworkOpen, FileRead: true, FileWrite: true, Destructive: true}, Ceiling{}, Posture{}},
		{"flags", Posture{FileRead: true, FileWrite: true, Destructive: true}, Ceiling{FileRead: true}, Posture{FileRead: true}},
		{"open under strict", Posture{Network: NetworkOpen}, Ceiling{Network: NetworkStrict}, Posture{Network: NetworkStrict}},
		{"strict under an allowlist", Posture{Network: NetworkStrict}, Ceiling{Network: NetworkAllowlist, Hosts: hosts("A.example")}, Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}},
		{"an allowlist under strict", Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}, Ceiling{Network: NetworkStrict}, Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}},
		{"an allowlist under nothing", Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}, Ceiling{}, Posture{}},
		{"lists meet", Posture{Network: NetworkAllowlist, Hosts: hosts("a.example", "*.b.example", "x.c.example", "c.example", "d.example")},
			Ceiling{Network: NetworkAllowlist, Hosts: hosts("a.example", "y.b.example", "*.c.example", "e.example")},
			Posture{Network: NetworkAllowlist, Hosts: hosts("a.example", "x.c.example", "c.example", "y.b.example")}},
		{"a name that only looks alike", Posture{Network: NetworkAllowlist, Hosts: hosts("evilc.example")}, Ceiling{Network: NetworkAllowlist, Hosts: hosts("*.c.example")}, Posture{Network: NetworkAllowlist}},
		{"everything under a list", Posture{Network: NetworkAllowlist, Hosts: hosts("*")}, Ceiling{Network: NetworkAllowlist, Hosts: hosts("a.example")}, Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}},
		{"a list under everything", Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}, Ceiling{Network: NetworkAllowlist, Hosts: hosts("*")}, Posture{Network: NetworkAllowlist, Hosts: hosts("a.example")}},
	} {
		if got := tc.ceiling.tighten(tc.asked); !equalPosture(got, tc.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tc.name, got, tc.want)
		}
	}
}

// For any request and any ceiling, nothing is added, and a second pass changes
// nothing.
func TestCeilingNeverAdds(t *testing.T) {
	lists := [][]string{nil, {"*"}, {"a.example"}, {"*.example"}, {"b.a.example", "c.example"}}
	var asked []Posture
	var ceilings []Ceiling
	for bits := range 8 {
		r, w, d := bits&1 != 0, bits&2 != 0, bits&4 != 0
		for mode := NetworkBlocked; mode <= NetworkOpen; mode++ {
			for _, hosts := range lists {
				ceilings = append(ceilings, Ceiling{mode, hosts, r, w, d})
				p := Posture{Network: mode, FileRead: r, FileWrite: w, Destructive: d}
				if mode == NetworkAllowlist {
					p.Hosts = hosts
				}
				asked = append(asked, p)
			}
		}
	}
	for _, p := range asked {
		for _, c := range ceilings {
			got := c.tighten(p)
			if got.Network > p.Network || got.Network > c.Network || got.FileRead && !(p.FileRead && c.FileRead) ||
				got.FileWrite && !(p.FileWrite && c.FileWrite) || got.Destructive && !(p.Destructive && c.Destructive) {
				t.Fatalf("%+v under %+v became %+v", p, c, got)
			}
			for _, host := range got.Hosts {
				if p.Network == NetworkAllowlist && !coveredBy(host, p.Hosts) || c.Network == NetworkAllowlist && !coveredBy(host, c.Hosts) {
					t.Fatalf("%s: %+v under %+v became %+v", host, p, c, got)
				}
			}
			if again := c.tighten(got); !equalPosture(again, got) {
				t.Fatalf("%+v under %+v became %+v and then %+v", p, c, got, again)
			}
		}
	}
}

// coveredBy is written from the meaning of a pattern, not from the code.
func coveredBy(host string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		base, wild := strings.CutPrefix(p, "*.")
		return p == "*" || p == host || wild && (strings.TrimPrefix(host, "*.") == base || strings.HasSuffix(host, "."+base))
	})
}

func TestToolSafety(t *testing.T) {
	spec := mustParse(t, with(`"category":"WEB","sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["api.example"],"fileRead":true},
		"toolSafety":{"version":"1.9","runtime":{"id":"someone/else","javaInterop":true},"capabilities":{"network":{"mode":"open","hosts":["*"]},"fileWrite":true}}`))
	_, safety, problems := spec.Resolve(DefaultBaseline(), NoCeiling(), SourceBuiltin)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	const want = `{"version":"1.0","runtime":{"id":"glovebox/quickjs-wasm","minVersion":"0.1.0","ecmaVersion":"2024","javaInterop":false,` +
		`"helpers":["safety.fs/v1","safety.http/v1","safety.parser/v1","tool-safety-helpers/v1#parser","tool-safety-helpers/v1#crypto","tool-safety-helpers/v1#encoding"],"console":true},` +
		`"category":{"source":"builtin","id":"WEB"},"capabilities":{"network":{"mode":"allowlist","hosts":["api.example"]},"fileRead":true,"fileWrite":false}}`
	if got, _ := json.Marshal(safety); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The block that is written is one that is read.
	block, _ := json.Marshal(SafetyOf(Posture{Network: NetworkOpen, FileWrite: true, Destructive: true}, SourceUser, ""))
	if _, _, problems := mustParse(t, with(`"toolSafety":`+string(block))).Resolve(Baseline{}, Ceiling{}, SourceUser); len(problems) > 0 {
		t.Errorf("%s: %v", block, problems)
	}
}

func TestHelpersFollowThePosture(t *testing.T) {
	always := []string{HelperParser, BundleParser, BundleCrypto, BundleEncoding}
	for _, tc := range []struct {
		posture Posture
		first   []string
	}{
		{Posture{}, nil},
		{Posture{FileRead: true}, []string{HelperFS}},
		{Posture{FileWrite: true}, []string{HelperFS}},
		{Posture{Destructive: true}, nil},
		{Posture{Network: NetworkAllowlist}, []string{HelperHTTP}},
		{Posture{Network: NetworkOpen, FileRead: true}, []string{HelperFS, HelperHTTP}},
	} {
		if got := Helpers(tc.posture); !slices.Equal(got, append(tc.first, always...)) {
			t.Errorf("%+v: %q", tc.posture, got)
		}
	}
}

func TestForeignVersionsAndHelpers(t *testing.T) {
	for block, pointer := range map[string]string{
		`{}`:                   "",
		`{"version":"1.0"}`:    "",
		`{"version":"1.99"}`:   "",
		`{"version":"1"}`:      "",
		`{"version":"2.0"}`:    "/toolSafety/version",
		`{"version":"0.9"}`:    "/toolSafety/version",
		`{"version":"latest"}`: "/toolSafety/version",
		`{"runtime":{"helpers":["safety.http/v1","tool-safety-helpers/v1#crypto"]}}`: "",
		`{"runtime":{"helpers":["safety.http/v1","safety.fs/v2"]}}`:                  "/toolSafety/runtime/helpers/1",
		`{"runtime":{"helpers":["acme.mail/v1"]}}`:                                   "/toolSafety/runtime/helpers/0",
		`{"runtime":{"helpers":["tool-safety-helpers/v1"]}}`:                         "/toolSafety/runtime/helpers/0",
	} {
		_, _, problems := mustParse(t, with(`"toolSafety":`+block)).Resolve(DefaultBaseline(), NoCeiling(), SourceUser)
		var got string
		for _, p := range problems {
			got += p.Pointer
			if p.Code != ResolverReject || p.Line != 1 {
				t.Errorf("%s: %v", block, p)
			}
		}
		if got != pointer {
			t.Errorf("%s: got %q, want %q", block, got, pointer)
		}
	}
}

// A caller may change a resolved posture; the spec and the operator's policy must
// not change with it.
func TestAPostureIsACopy(t *testing.T) {
	spec := mustParse(t, with(`"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["a.example"],"addAllowClasses":["a.New"],"removeDenyClasses":["d.Base"]}`))
	baseline, ceiling := Baseline{DenyClasses: []string{"d.Base"}}, Ceiling{Network: NetworkAllowlist, Hosts: []string{"a.example"}}
	first, _, _ := spec.Resolve(baseline, ceiling, SourceUser)
	for _, list := range [][]string{first.Hosts, first.AddedAllowClasses, first.RemovedDenyClasses} {
		list[0] = "changed"
	}
	second, _, _ := spec.Resolve(baseline, ceiling, SourceUser)
	if second.Hosts[0] != "a.example" || second.AddedAllowClasses[0] != "a.New" || second.RemovedDenyClasses[0] != "d.Base" {
		t.Errorf("%+v", second)
	}
}

func TestRejectionsAreBounded(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`"a/v1",`, 20_000), ",")
	_, _, problems := mustParse(t, with(`"toolSafety":{"runtime":{"helpers":[`+many+`]}}`)).Resolve(Baseline{}, Ceiling{}, SourceUser)
	if len(problems) != maxProblems {
		t.Errorf("%d problems", len(problems))
	}
}
