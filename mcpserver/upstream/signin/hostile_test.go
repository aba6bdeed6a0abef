package signin_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// A token is for one server, at one address, from one issuer, for one client.
func TestATokenIsUsedForNothingElse(t *testing.T) {
	w := newWorld(t)
	w.signedIn(t, nil)
	another := startResource(t, w.issuer)
	for name, change := range map[string]func(*signin.Options){
		"another address": func(o *signin.Options) { o.URL = another.URL + "/mcp" },
		"another path":    func(o *signin.Options) { o.URL = w.server.URL + "/other" },
		"another issuer":  func(o *signin.Options) { o.Config.Issuer = "https://issuer.example" },
		"another client":  func(o *signin.Options) { o.Config.ClientID = "another" },
		"nobody":          func(o *signin.Options) { o.Name = "another" },
	} {
		o := w.options(change)
		c, err := signin.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var required *signin.LoginRequired
		if _, err := send(t.Context(), c, o.URL, ""); !errors.As(err, &required) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if seen := append(w.server.seen(), another.seen()...); len(seen) > 0 {
		t.Errorf("sent: %d tokens", len(seen))
	}
}

func TestMetadataForAnotherResourceIsRefused(t *testing.T) {
	w := newWorld(t)
	w.server.set(func(s *resource) { s.metadata = func(m map[string]any) { m["resource"] = "https://bank.example/mcp" } })
	_, err := w.client(t, nil).Login(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bank.example") {
		t.Error(err)
	}
}

// Redirects take no token along, whichever way they go.
func TestRedirects(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	thief := startResource(t, w.issuer)
	for _, status := range []int{301, 302, 307, 308} {
		w.server.set(func(s *resource) {
			s.before = func(rw http.ResponseWriter, r *http.Request) bool {
				http.Redirect(rw, r, thief.URL+"/mcp", status)
				return true
			}
		})
		if got, err := w.call(t.Context(), c); !strings.HasPrefix(got, "401") {
			t.Errorf("%d: %q %v", status, got, err)
		}
	}
	if seen := thief.seen(); len(seen) > 0 {
		t.Errorf("the token went along %d times", len(seen))
	}
	// Nor can whoever follows a redirect by himself copy it from the request.
	r, err := http.NewRequest(http.MethodGet, w.server.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Transport(http.DefaultTransport).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if r.Header.Get("Authorization") != "" {
		t.Error("the token is left in the request")
	}
	for _, url := range []string{
		strings.Replace(w.server.URL, "127.0.0.1", "localhost", 1) + "/mcp",
		strings.Replace(w.server.URL, "http://", "http://user@", 1) + "/mcp",
	} {
		send(t.Context(), c, url, "")
	}
	seen := w.server.seen()
	token := seen[0]
	if seen = slices.DeleteFunc(seen, func(s string) bool { return s != token }); len(seen) != 5 { // one for each redirect
		t.Errorf("%d requests had the token", len(seen))
	}
}

func TestRedirectsOfAnIssuerAreRefused(t *testing.T) {
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/register", "/token"} {
		w := newWorld(t)
		thief := issuertest.StartAuthorization(t)
		w.issuer.Set(func(k *issuertest.Knobs) {
			k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != path {
					return false
				}
				http.Redirect(rw, r, thief.URL+path, http.StatusTemporaryRedirect)
				return true
			}
		})
		if _, err := login(t, w.client(t, nil)); err == nil || !strings.Contains(err.Error(), "redirects elsewhere") {
			t.Errorf("%s: %v", path, err)
		}
		if asked := thief.Asked(); len(asked) > 0 {
			t.Errorf("%s: went along: %v", path, asked)
		}
	}
}

// A server at a public address must not make us look at private ones, by name, number or redirect.
func TestMetadataCannotPointInside(t *testing.T) {
	var names string // what the metadata says
	tls := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"resource":"https://example.com/mcp","authorization_servers":[%q]}`, names)
	}))
	defer tls.Close()
	public := netip.MustParseAddr("93.184.216.34")
	var mu sync.Mutex
	var dialled []string
	roots := x509.NewCertPool()
	roots.AddCert(tls.Certificate())
	vault, _ := newVault(t, t.TempDir())
	for _, names = range []string{
		"https://inside.example.com", "https://127.0.0.1:9", "https://10.0.0.1", "https://169.254.169.254", "https://[::1]", "https://0x7f.1",
		"http://localhost:9", "http://127.0.0.1:9", "https://user:pass@example.com", "file:///etc/passwd", "javascript:alert(1)",
	} {
		dialled = nil
		c, err := signin.New(signin.Options{
			Name: "weather", URL: "https://example.com/mcp", Vault: vault, Config: signin.Config{Grant: signin.Code}, Roots: roots,
			Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
				if name == "example.com" {
					return []netip.Addr{public}, nil
				}
				return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
			},
			Dial: func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
				mu.Lock()
				defer mu.Unlock()
				dialled = append(dialled, to.String())
				return (&net.Dialer{}).DialContext(ctx, network, tls.Listener.Addr().String())
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Login(t.Context()); err == nil {
			t.Errorf("%s: no error", names)
		}
		for _, d := range dialled {
			if d != public.String()+":443" {
				t.Errorf("%s: dialled %s", names, d)
			}
		}
		if len(dialled) == 0 {
			t.Errorf("%s: the server was not asked either", names)
		}
	}
}

// Endless, slow and broken metadata ends in an error, soon.
func TestHostileMetadata(t *testing.T) {
	endless := func(w io.Writer) {
		io.WriteString(w, `{"issuer":"`)
		for chunk := strings.Repeat("x", 1<<16); ; {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}
	for name, body := range map[string]func(http.ResponseWriter, *http.Request){
		"endless": func(w http.ResponseWriter, _ *http.Request) { endless(w) },
		"slow": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "{")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"deep":    func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("[", 1<<19)) },
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "\x00\xff") },
		"many lists": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"scopes_supported":[`+strings.Repeat(`"x",`, 1<<17)+`"x"]}`)
		},
	} {
		for _, where := range []string{"/.well-known/oauth-authorization-server", "/register", "/token"} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.issuer.Set(func(k *issuertest.Knobs) {
					k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
						if r.URL.Path != where {
							return false
						}
						rw.Header().Set("Content-Type", "application/json")
						body(rw, r)
						return true
					}
				})
				c := w.client(t, nil)
				c.SetTimeout(500 * time.Millisecond)
				_, err := login(t, c)
				if err == nil || len(err.Error()) > 1<<10 {
					t.Errorf("%.2000v", err)
				}
			})
		}
	}
}

// What an issuer gives as a token must not become anything else in a header.
func TestHostileTokens(t *testing.T) {
	for _, answer := range []string{
		`{"access_token":"a\r\nX-Evil: 1","token_type":"Bearer"}`,
		`{"access_token":"a b","token_type":"Bearer"}`,
		`{"access_token":"` + strings.Repeat("x", 17<<10) + `","token_type":"Bearer"}`,
		`{"access_token":"","token_type":"Bearer"}`,
		`{"access_token":"a","token_type":"DPoP"}`,
		`{"access_token":"a","token_type":"Bearer","refresh_token":"\u0000"}`,
		`{"error":"<script>"}`,
		`[]`,
	} {
		w := newWorld(t)
		w.issuer.Set(func(k *issuertest.Knobs) {
			k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/token" {
					return false
				}
				rw.Header().Set("Content-Type", "application/json")
				io.WriteString(rw, answer)
				return true
			}
		})
		c := w.client(t, nil)
		if _, err := login(t, c); err == nil || strings.Contains(err.Error(), "script") {
			t.Errorf("%.100s: %.300v", answer, err)
		}
		var required *signin.LoginRequired
		if _, err := w.call(t.Context(), c); !errors.As(err, &required) {
			t.Errorf("%.100s: %v", answer, err)
		}
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	w := newWorld(t)
	for want, change := range map[string]func(*signin.Options){
		"neither":                     func(o *signin.Options) { o.Config.Grant = "" },
		"client_id and client_secret": func(o *signin.Options) { o.Config.Grant = signin.ClientCredentials },
		"who gets the secret":         func(o *signin.Options) { o.Config.ClientID, o.Config.ClientSecret = "a", "b" },
		"it needs the client_id":      func(o *signin.Options) { o.Config.ClientSecret, o.Config.Issuer = "b", "https://issuer.example" },
		"is no https address":         func(o *signin.Options) { o.Config.Issuer = "http://issuer.example" },
		"with a path":                 func(o *signin.Options) { o.Config.ClientMetadata = "https://client.example" },
		"scopes:":                     func(o *signin.Options) { o.Config.Scopes = []string{`a"b`} },
		"is no port":                  func(o *signin.Options) { o.Config.RedirectPort = 70000 },
		"with https only":             func(o *signin.Options) { o.URL, o.AllowPrivate = "http://example.com/mcp", false },
		"nowhere to keep":             func(o *signin.Options) { o.Vault = nil },
	} {
		if _, err := signin.New(w.options(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
