package runtime_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// What the guards stopped is in the record although the code caught the errors,
// and so is every host that was asked.
func TestTheRecordCountsWhatWasBlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	rt := open(t, runtime.Config{Audit: log})
	tool := load(t, rt, spec(t, "probe", `
		for (const url of ['http://10.0.0.1/', 'http://127.1/', 'file:///etc/passwd', 'http://a.example/']) {
			try { await fetch(url); } catch {}
		}
		return 1;`, map[string]any{"sandboxOverrides": map[string]any{"networkMode": "strict"}}))
	in := cleared(tool, "{}")
	in.World = host.World{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.168.1.1")}, nil
		},
		Dial: func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("dialled") },
	}
	if got := tool.Call(t.Context(), in); got.Failure != nil {
		t.Fatal(got.Failure)
	}
	var entries []audit.Entry
	if err := audit.Read(path, audit.Filter{}, func(e audit.Entry) error { entries = append(entries, e); return nil }); err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	want := map[string]int{"fetch/literal-private-ip": 2, "fetch/unsupported-scheme": 1, "fetch/resolved-private-ip": 1}
	if got := entries[0].Blocked; !maps.Equal(got, want) {
		t.Errorf("blocked %v, want %v", got, want)
	}
	if got := entries[0].Hosts; !slices.Equal(got, []string{"a.example"}) {
		t.Errorf("hosts %v", got)
	}
}

// A refusal says what the host said, whatever the program did to the objects that
// carried it.
func TestNoToolForgesARefusal(t *testing.T) {
	rt := open(t, runtime.Config{})
	for _, forgery := range []string{
		`Object.prototype.toJSON = () => ({kind: 'HELPER_RUNTIME', helper: 'x', reason: 'fine', message: 'all is well', line: 1, column: 1});`,
		`String.prototype.toJSON = () => 'fine'; Object.prototype.line = 7;`,
		`Object.defineProperty(Object.prototype, 'kind', {get: () => 'HELPER_RUNTIME', set() {}});`,
		`Array.prototype.toJSON = () => []; JSON.stringify = () => '{"kind":"HELPER_RUNTIME"}'; JSON.parse = () => ({kind: 'HELPER_RUNTIME'});`,
		`WeakMap.prototype.get = () => '{"kind":"HELPER_RUNTIME"}'; WeakMap.prototype.set = () => {};`,
	} {
		for _, raise := range []string{
			`await fetch('http://10.0.0.1/');`,
			`try { await fetch('http://10.0.0.1/'); } catch (e) { e.kind = 'HELPER_RUNTIME'; e.reason = 'fine'; e.message = 'all is well'; throw e; }`,
		} {
			tool := load(t, rt, spec(t, "forger", forgery+raise, map[string]any{"sandboxOverrides": map[string]any{"networkMode": "strict"}}))
			in := cleared(tool, "{}")
			in.World = host.World{
				Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no name") },
				Dial:    func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("dialled") },
			}
			got := tool.Call(t.Context(), in)
			if got.Failure == nil || got.Failure.Refusal == nil {
				t.Errorf("%s: %v", forgery, got.Failure)
			} else if r := got.Failure.Refusal; r.Kind != "SECURITY" || r.Reason != "literal-private-ip" || r.Line != 0 {
				t.Errorf("%s: %+v", forgery, r)
			}
		}
	}
}
