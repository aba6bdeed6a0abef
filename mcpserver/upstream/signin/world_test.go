package signin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// world is a server behind an authorization server, and a gateway's state.
type world struct {
	issuer *issuertest.Authorization
	server *resource
	vault  *signin.Vault
	store  *store.Store
	clock  *clock
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{issuer: issuertest.StartAuthorization(t), clock: &clock{}}
	w.server = startResource(t, w.issuer)
	w.vault, w.store = newVault(t, t.TempDir())
	return w
}

func newVault(t testing.TB, dir string) (*signin.Vault, *store.Store) {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(dir, "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	bucket, err := s.Bucket(t.Context(), store.BucketConfig{Name: "signins", MaxValue: signin.MaxKept})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := signin.OpenKeys(filepath.Join(dir, "signin.key"))
	if err != nil {
		t.Fatal(err)
	}
	return signin.NewVault(bucket, keys), s
}

// clock is the machine's, ahead by some time.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time           { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) forward(by time.Duration) { c.ahead.Add(int64(by)) }

func (w *world) options(change func(*signin.Options)) signin.Options {
	o := signin.Options{
		Name: "weather", URL: w.server.URL + "/mcp", Vault: w.vault, Config: signin.Config{Grant: signin.Code},
		Resolve: netguard.SystemResolve, Dial: netguard.SystemDial, AllowPrivate: true, Now: w.clock.now,
	}
	if change != nil {
		change(&o)
	}
	return o
}

func (w *world) client(t testing.TB, change func(*signin.Options)) *signin.Client {
	t.Helper()
	c, err := signin.New(w.options(change))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// signedIn is a client that a person has signed in with.
func (w *world) signedIn(t testing.TB, change func(*signin.Options)) *signin.Client {
	t.Helper()
	c := w.client(t, change)
	if _, err := login(t, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// login is a person with a browser. It returns what the last page says.
func login(t testing.TB, c *signin.Client) (page string, err error) {
	t.Helper()
	l, err := c.Login(t.Context())
	if err != nil {
		return "", err
	}
	waited := make(chan error, 1)
	go func() { waited <- l.Wait(t.Context()) }()
	page = browse(t, l.URL)
	return page, <-waited
}

func browse(t testing.TB, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

// call sends one request with a client's token.
func (w *world) call(ctx context.Context, c *signin.Client) (string, error) {
	return send(ctx, c, w.server.URL+"/mcp", "hello")
}

func send(ctx context.Context, c *signin.Client, url, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: c.Transport(http.DefaultTransport)}).Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return fmt.Sprint(answer.StatusCode, " ", string(text)), err
}

// resource is a server that wants a token of an issuer for itself.
type resource struct {
	*httptest.Server
	issuer *issuertest.Authorization

	mu       sync.Mutex
	needs    []string // scopes
	metadata func(map[string]any)
	before   func(w http.ResponseWriter, r *http.Request) bool
	tokens   []string // that arrived, also wrong ones
}

func startResource(t testing.TB, issuer *issuertest.Authorization) *resource {
	s := &resource{issuer: issuer}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *resource) set(change func(*resource)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *resource) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens)
}

func (s *resource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before, metadata, needs := s.before, s.metadata, s.needs
	if token := r.Header.Get("Authorization"); token != "" {
		s.tokens = append(s.tokens, strings.TrimPrefix(token, "Bearer "))
	}
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	at := "/.well-known/oauth-protected-resource/mcp"
	switch r.URL.Path {
	case at:
		m := map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.issuer.URL}, "scopes_supported": []string{"read"}}
		if metadata != nil {
			metadata(m)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(m)
	case "/mcp":
		scopes, ok := s.issuer.Grants(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), s.URL+"/mcp")
		if !ok {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", s.URL+at))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		for _, need := range needs {
			if !slices.Contains(scopes, need) {
				w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, strings.Join(needs, " ")))
				w.WriteHeader(http.StatusForbidden)
				return
			}
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "echo %s", body)
	default:
		http.NotFound(w, r)
	}
}
