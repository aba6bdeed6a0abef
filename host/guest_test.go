package host_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// machine is the runtime that the tests of this package share: opening one
// compiles the guest.
var machine = sync.OnceValues(func() (*runtime.Runtime, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return runtime.Open(context.Background(), runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(dir, "glovebox-test")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(),
	})
})

// loadTool makes a tool of a body, with optional parameters.
func loadTool(t testing.TB, overrides map[string]any, code string, parameters ...string) *runtime.Tool {
	t.Helper()
	rt, err := machine()
	if err != nil {
		t.Fatal(err)
	}
	var params []map[string]any
	for _, name := range parameters {
		params = append(params, map[string]any{"name": name, "type": "INTEGER", "required": false})
	}
	document, err := json.Marshal(map[string]any{"name": "probe", "code": code, "codeType": "Javascript", "params": params, "sandboxOverrides": overrides})
	if err != nil {
		t.Fatal(err)
	}
	tool, problems := rt.Load(document)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return tool
}

// run runs a tool body with the given overrides in the real guest.
func run(t testing.TB, w host.World, overrides map[string]any, code string) *runtime.Result {
	t.Helper()
	tool := loadTool(t, overrides, code)
	args := []byte("{}")
	decision := tool.Decide(risk.Allow, "a test", args)
	return tool.Call(t.Context(), runtime.Invocation{Arguments: args, World: w, Clearance: decision.Clear(time.Now().Add(time.Minute)), Decision: "allow"})
}

// value runs a tool body that must return.
func value(t testing.TB, w host.World, overrides map[string]any, code string) string {
	t.Helper()
	r := run(t, w, overrides, code)
	if r.Failure != nil {
		t.Fatalf("%s\n%v\n%s", code, r.Failure, r.Failure.Stack)
	}
	return string(r.Value)
}

// web is a network on which every address leads to one server on loopback: port
// 443 speaks TLS with a certificate for whatever name is asked for.
type web struct {
	plain, secure *httptest.Server
	resolve       func(name string) ([]netip.Addr, error)
	roots         *x509.CertPool
}

func newWeb(t testing.TB, h http.Handler) *web {
	t.Helper()
	w := &web{plain: httptest.NewServer(h), secure: httptest.NewUnstartedServer(h), roots: x509.NewCertPool()}
	w.resolve = func(string) ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil }
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	w.secure.TLS = &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		leaf := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: authority.NotAfter, DNSNames: []string{hello.ServerName}}
		der, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, key)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}}
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	w.roots.AddCert(cert)
	w.secure.StartTLS()
	t.Cleanup(w.plain.Close)
	t.Cleanup(w.secure.Close)
	return w
}

func (w *web) world() host.World {
	return host.World{
		AllowOpen: true, RootCAs: w.roots,
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) { return w.resolve(name) },
		Dial: func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
			server := w.plain
			if to.Port() == 443 {
				server = w.secure
			}
			var d net.Dialer
			return d.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
}

func workspace(t testing.TB, layout map[string]string) *files.Workspace {
	t.Helper()
	dir := t.TempDir()
	lay(t, dir, layout)
	space, err := files.OpenWorkspace(dir, files.Quota{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { space.Close() })
	return space
}

func lay(t testing.TB, dir string, layout map[string]string) {
	t.Helper()
	for name, text := range layout {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// The same randomness gives the same numbers, whoever runs.
func TestRandomnessIsTheWorlds(t *testing.T) {
	const code = "return [crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))], await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']).then((k) => crypto.subtle.exportKey('raw', k))];"
	world := func(seed byte) host.World { return host.World{Random: mathrand.NewChaCha8([32]byte{seed})} }
	first, second, other := value(t, world(1), nil, code), value(t, world(1), nil, code), value(t, world(2), nil, code)
	if first != second || first == other {
		t.Errorf("%s, then %s; another seed %s", first, second, other)
	}
}
