package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/service/doctor"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// TestExamine: on a machine where nothing was ever started all is well, and the
// checks leave nothing behind. Each fault is found by its own check, and the others
// go on.
func TestExamine(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	l, err := config.Load(config.Sources{Flags: map[string][]string{"listen": {"127.0.0.1:0"}}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string, mode os.FileMode) func(string) {
		return func(state string) {
			path := filepath.Join(state, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		name  string
		spoil func(state string)
		why   error
		want  string // code of the check that finds it
	}{
		{name: "nothing yet"},
		{name: "token", spoil: write("token", "t", 0o644), want: "GBD06"},
		{name: "audit", spoil: write("audit/audit.jsonl", "{}\n", 0o600), want: "GBD02"},
		{name: "record gone", spoil: func(state string) {
			place := service.Place{State: state}
			write(filepath.Join("anchors", filepath.Base(place.Anchor(l))), "note", 0o600)(state)
		}, want: "GBD02"},
		{name: "anchor", spoil: func(state string) {
			place := service.Place{State: state}
			log, err := audit.Open(place.Audit(l), audit.Options{Anchor: place.Anchor(l)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := log.Append(audit.Record{Outcome: audit.OK}); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(log.Close(), os.RemoveAll(filepath.Join(state, "audit"))); err != nil {
				t.Fatal(err)
			}
			if log, err = audit.Open(place.Audit(l), audit.Options{}); err != nil { // a new chain in its place
				t.Fatal(err)
			}
			log.Close()
		}, want: "GBD02"},
		{name: "stale note", spoil: func(state string) {
			write("run/owner.lock", `{"pid":1,"socket":"`+filepath.Join(state, "run", "gone.sock")+`"}`, 0o600)(state)
			write("store/jetstream/$G/streams/KV_glovebox-approvals/meta.inf", "no stream", 0o600)(state)
		}, want: "GBD13"},
		{name: "newer passes", spoil: write("passes.json", `{"version":2}`, 0o600), want: "GBD05"},
		{name: "signed passes", spoil: write("library/passes.note", "x", 0o600), want: "GBD05"},
		{name: "key of passes", spoil: write("pass.key", "x", 0o644), want: "GBD05"},
		{name: "passes", spoil: write("passes.json", "[", 0o600), want: "GBD05"},
		{name: "configuration", why: errors.New("one\ntwo"), want: "GBD11"},
	} {
		place := service.Place{State: filepath.Join(t.TempDir(), "state"), Cache: filepath.Join(cache, "glovebox-test")}
		if row.spoil != nil {
			row.spoil(place.State)
		}
		seen := map[string]bool{}
		var wrong []string
		for f := range doctor.Examine(t.Context(), doctor.Patient{Place: place, Configuration: l, Unusable: row.why}) {
			if seen[f.Code] || f.What == "" || strings.Contains(f.Found, "\n") {
				t.Errorf("%s: %+v", row.name, f)
			}
			seen[f.Code] = true
			// Without a configuration the check uses the default address, which a
			// server on this machine may occupy.
			if !f.OK && (row.why == nil || f.Code != "GBD07") {
				wrong = append(wrong, f.Code)
			}
		}
		if got := strings.Join(wrong, " "); got != row.want || len(seen) != 19 {
			t.Errorf("%s: %d checks found %q, want %q", row.name, len(seen), got, row.want)
		}
		if _, err := os.Stat(place.State); row.spoil == nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the state folder was made: %v", row.name, err)
		}
	}
}

// TestUpstreams: a server that is reached in the clear is found, one over TLS is not.
func TestUpstreams(t *testing.T) {
	for address, ok := range map[string]bool{"http://mcp.example.com/mcp": false, "https://mcp.example.com/mcp": true} {
		l, err := config.Sources{}.Parse([]byte("upstreams: {far: {url: \"" + address + "\"}}"))
		if err != nil {
			t.Fatal(err)
		}
		for f := range doctor.Examine(t.Context(), doctor.Patient{Place: service.Place{State: filepath.Join(t.TempDir(), "state")}, Configuration: l}) {
			if f.Code == "GBD18" && (f.OK != ok || !ok && !strings.Contains(f.Found, "use https")) {
				t.Errorf("%s: %+v", address, f)
			}
		}
	}
}

// TestPeopleAtAnIssuer: it is said why nobody can sign in to the console there.
func TestPeopleAtAnIssuer(t *testing.T) {
	issuer := issuertest.StartOpenID(t, "glovebox", "")
	gone := issuertest.Start(t)
	gone.Close()
	for name, row := range map[string]struct{ settings, found string }{
		"none":         {"", ""},
		"whole":        {"console: {sign_in: {issuer: \"" + issuer.URL + "\", look: [staff]}}", ""},
		"nobody":       {"console: {sign_in: {issuer: \"" + issuer.URL + "\"}}", "no value of the claim groups gives a role"},
		"away":         {"console: {sign_in: {issuer: \"" + gone.URL + "\", manage: [ops]}}", "nobody can sign in at " + gone.URL},
		"no secret":    {"console: {sign_in: {issuer: \"" + issuer.URL + "\", manage: [ops], secret_file: /nowhere}}", "secret"},
		"not reached":  {"listen: 0.0.0.0:0\ntls: {plain: true}\nconsole: {sign_in: {issuer: \"" + issuer.URL + "\", manage: [ops]}}", "set console.mode to on"},
		"not its name": {"console: {sign_in: {issuer: \"" + issuer.URL + "/\", manage: [ops]}}", "speaks for the issuer"},
	} {
		l, err := config.Sources{}.Parse([]byte(row.settings))
		if err != nil {
			t.Fatal(name, err)
		}
		for f := range doctor.Examine(t.Context(), doctor.Patient{Place: service.Place{State: filepath.Join(t.TempDir(), "state")}, Configuration: l}) {
			if f.Code == "GBD20" && (f.OK != (row.found == "") || !strings.Contains(f.Found, row.found)) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}
