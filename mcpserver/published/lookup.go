package published

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/mod/module"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/risk/score"
)

// Bounds of a look-up.
const (
	Timeout    = 2 * time.Second // of all of it; a scan does not wait longer
	Fresh      = time.Hour       // how long an answer counts
	retry      = 5 * time.Minute // how long a failure counts
	maxAnswer  = 2 << 20         // bytes; npm's document of one version has up to 200 KB
	maxVersion = 100             // bytes of a version
)

// bases are the public registries.
var bases = map[Registry]string{NPM: "https://registry.npmjs.org", PyPI: "https://pypi.org", Go: "https://proxy.golang.org"}

// Options say how to ask. The zero value asks nobody: it has no way to dial.
type Options struct {
	Packages map[string]Package
	// Bases replace the public registries, such as by the mirror of a company. They may
	// be at private addresses.
	Bases   map[Registry]string
	Folder  string // where answers are remembered; empty: only in this process
	Agent   string // the User-Agent
	Resolve netguard.Resolve
	Dial    netguard.Dial
	Roots   *x509.CertPool // nil for the system's
	Now     func() time.Time
	Timeout time.Duration // of one look-up; zero is [Timeout]
}

// Lookup asks registries. It is safe for concurrent use.
type Lookup struct {
	o Options

	mu      sync.Mutex
	asked   map[string]*answer // by file name
	clients map[Registry]*http.Client
}

// answer is one question of this process; done is closed when it is answered.
type answer struct {
	done chan struct{}
	score.Published
}

// New returns a look-up. It fails for a base that is no URL.
func New(o Options) (*Lookup, error) {
	if o.Timeout == 0 {
		o.Timeout = Timeout
	}
	l := &Lookup{o: o, asked: map[string]*answer{}, clients: map[Registry]*http.Client{}}
	for registry := range o.Bases {
		if bases[registry] == "" {
			return nil, fmt.Errorf("there is no registry %q: want npm, pypi or go", registry)
		}
	}
	for registry := range bases {
		own := o.Bases[registry] != ""
		u, err := url.Parse(l.base(registry))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return nil, fmt.Errorf("the registry %s is no http or https URL without a password", registry)
		}
		hosts, err := netguard.ParseHostSet([]string{u.Hostname()})
		if err != nil {
			return nil, err
		}
		guard := &netguard.Guard{Resolve: o.Resolve, Dial: o.Dial, Hosts: hosts, Private: own, ConnectTimeout: o.Timeout}
		l.clients[registry] = &http.Client{
			Transport: guard.Transport(o.Roots),
			// A registry answers; what leads elsewhere is none.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return l, nil
}

func (l *Lookup) base(r Registry) string {
	if own := l.o.Bases[r]; own != "" {
		return strings.TrimSuffix(own, "/")
	}
	return bases[r]
}

// Of returns what is published of the server that states this name, or nil for one that
// is not listed. It takes at most [Timeout]; a registry that does not answer is a Problem.
func (l *Lookup) Of(ctx context.Context, server string) *score.Published {
	p, listed := l.o.Packages[server]
	if !listed {
		return nil
	}
	file := string(p.Registry) + "-" + url.PathEscape(p.Name) + ".json"
	l.mu.Lock()
	a := l.asked[file]
	if a == nil || a.over(l.o.Now()) {
		a = &answer{done: make(chan struct{})}
		l.asked[file] = a
		l.mu.Unlock()
		l.answer(ctx, p, filepath.Join(l.o.Folder, file), a)
		close(a.done)
	} else {
		l.mu.Unlock()
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil
	}
	found := a.Published
	return &found
}

// over reports whether an answer is too old to count.
func (a *answer) over(now time.Time) bool {
	select {
	case <-a.done:
		return stale(a.Published, now)
	default:
		return false
	}
}

func stale(p score.Published, now time.Time) bool {
	age, counts := now.Sub(p.Asked), Fresh
	if p.Problem != "" {
		counts = retry
	}
	return age < 0 || age >= counts
}

// answer reads what an earlier scan was told, or asks.
func (l *Lookup) answer(ctx context.Context, p Package, file string, a *answer) {
	a.Published = score.Published{Registry: string(p.Registry), Package: p.Name}
	if l.o.Folder != "" {
		if raw, err := os.ReadFile(file); err == nil {
			var kept kept
			if json.Unmarshal(raw, &kept) == nil && kept.Base == l.base(p.Registry) && kept.Package == p.Name && !stale(kept.Published, l.o.Now()) {
				a.Published = kept.Published
				return
			}
		}
	}
	a.Asked = l.o.Now().UTC()
	ctx, cancel := context.WithTimeout(ctx, l.o.Timeout)
	defer cancel()
	version, err := l.ask(ctx, p)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.Problem = fmt.Sprintf("%s did not answer within %s", p.Registry, l.o.Timeout)
	case err != nil:
		a.Problem = fmt.Sprintf("%s did not say it: %v", p.Registry, err)
	default:
		a.Version = version
	}
	if l.o.Folder != "" {
		// What cannot be kept is asked again.
		_ = keep(file, kept{l.base(p.Registry), a.Published})
	}
}

// kept is an answer on disk.
type kept struct {
	Base string `json:"base"`
	score.Published
}

func keep(file string, k kept) error {
	raw, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	// Who reads meanwhile sees the old answer or the new one.
	temporary, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone already if all went well
	_, err = temporary.Write(raw)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}

// ask sends one request.
func (l *Lookup) ask(ctx context.Context, p Package) (string, error) {
	path, member, err := question(p)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base(p.Registry)+path, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", l.o.Agent)
	resp, err := l.clients[p.Registry].Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the answer has status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return "", err
	case len(body) > maxAnswer:
		return "", fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	case !gjson.ValidBytes(body):
		return "", errors.New("the answer is no JSON")
	}
	version := gjson.GetBytes(body, member)
	if version.Type != gjson.String || version.Str == "" || len(version.Str) > maxVersion {
		return "", fmt.Errorf("the answer has no version in %s", member)
	}
	return version.Str, nil
}

// question returns the path of a package's latest version and the member that holds it.
func question(p Package) (path, member string, err error) {
	switch p.Registry {
	case NPM: // a scope and its name are one segment
		return "/" + strings.Replace(p.Name, "/", "%2F", 1) + "/latest", "version", nil
	case PyPI:
		return "/pypi/" + url.PathEscape(p.Name) + "/json", "info.version", nil
	case Go:
		escaped, err := module.EscapePath(p.Name)
		return "/" + escaped + "/@latest", "Version", err
	}
	return "", "", fmt.Errorf("there is no registry %q", p.Registry)
}
