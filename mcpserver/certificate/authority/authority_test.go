// Package authority holds the test of the command against a certificate authority that
// somebody else wrote: pebble, which Let's Encrypt tests clients with. It is a module of its
// own, so that users do not get pebble.
package authority

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

const name = "tools.example.test"

// resolver answers that every name is this machine.
func resolver(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		a := new(dns.Msg)
		a.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			a.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(a)
	})}
	go server.ActivateAndServe()
	t.Cleanup(func() { _ = server.Shutdown() })
	return listener.Addr().String()
}

// pebble starts an authority that looks for the names at a port of this machine. It returns
// its directory, and what it and its certificates are signed by.
func pebble(t *testing.T, port int) (directory string, own, roots []byte) {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	quiet := log.New(io.Discard, "", 0)
	kept := db.NewMemoryStore()
	authority := ca.New(quiet, kept, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "default", ValidityPeriod: 90 * 24 * 3600}})
	front := wfe.New(quiet, kept, va.New(quiet, 1, port, true, resolver(t), kept), authority, nil, true, false, 1, 1)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)
	own = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return server.URL + wfe.DirectoryPath, own, authority.GetRootCert(0).PEM()
}

// serve starts the command and waits until it serves.
func serve(t *testing.T, binary, home string, port int, directory, own string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "serve", "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--tls-name", name)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "GLOVEBOX_TLS_DIRECTORY="+directory, "GLOVEBOX_TLS_CA="+own, "GLOVEBOX_TOKEN=t")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if regexp.MustCompile(fmt.Sprintf(`tools at https://%s:%d/mcp$`, regexp.QuoteMeta(name), port)).MatchString(lines.Text()) {
			go func() {
				for lines.Scan() {
					t.Log(lines.Text())
				}
			}()
			return
		}
	}
	t.Fatal("it does not serve")
}

// shown makes a real handshake and a request, and returns the serial number of the
// certificate.
func shown(t *testing.T, port int, roots []byte) string {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(roots)
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool},
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, fmt.Sprintf("127.0.0.1:%d", port))
		},
	}}
	response, err := client.Get(fmt.Sprintf("https://%s:%d/readyz", name, port))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); strings.TrimSpace(string(body)) != "ready" {
		t.Errorf("%s: %s", response.Status, body)
	}
	return response.TLS.PeerCertificates[0].SerialNumber.String()
}

func TestACertificateOfAnAuthority(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	binary := filepath.Join(dir, "glovebox")
	build := exec.Command("go", "build", "-o", binary, "./cmd/glovebox")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	directory, own, roots := pebble(t, port)
	ca := filepath.Join(dir, "authority.pem")
	if err := os.WriteFile(ca, own, 0o600); err != nil {
		t.Fatal(err)
	}
	var first string
	t.Run("made", func(t *testing.T) {
		serve(t, binary, home, port, directory, ca)
		first = shown(t, port, roots)
	})
	// The second start finds it in the state folder: no authority listens at this address.
	t.Run("kept", func(t *testing.T) {
		serve(t, binary, home, port, "https://127.0.0.1:1/directory", ca)
		if got := shown(t, port, roots); got != first {
			t.Errorf("certificate %s, then %s", first, got)
		}
	})
	kept, err := os.Stat(filepath.Join(home, "glovebox", "certificates"))
	if err != nil || kept.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", kept, err)
	}
}
