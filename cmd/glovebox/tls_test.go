package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/certtest"
)

// TestACertificateIsRenewedWhileServing: the process goes on, and the next connection sees
// the new one. What cannot be read changes nothing and is said.
func TestACertificateIsRenewedWhileServing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	file := filepath.Join(t.TempDir(), "both.pem")
	pool := certtest.Write(t, file, "127.0.0.1", 1)
	s := m.serve(t, "--tls-cert", file)
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("the address is %s", s.url)
	}
	serial := func(pool *x509.CertPool) string {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
		r, err := client.Get(s.url + "/readyz")
		if err != nil {
			return err.Error()
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		return r.TLS.PeerCertificates[0].SerialNumber.String() + " " + strings.TrimSpace(string(body))
	}
	if got := serial(pool); got != "1 ready" {
		t.Error(got)
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.says(t, "the configuration was not changed.*\n.*both.pem")
	if got := serial(pool); got != "1 ready" {
		t.Errorf("after a file that is none: %s", got)
	}
	renewed := certtest.Write(t, file, "127.0.0.1", 2)
	s.says(t, "the content of .*both.pem")
	if got := serial(renewed); got != "2 ready" {
		t.Error(got)
	}
}

// TestAWrongTokenIsToldApartFromNone: to the client by the code of RFC 6750, to the operator
// by where the right one is.
func TestAWrongTokenIsToldApartFromNone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s := m.serve(t)
	if r := s.post("another", "add", "{}"); r.StatusCode != 401 || !strings.Contains(r.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		t.Errorf("%s %s", r.Status, r.Header)
	} else if text, _ := io.ReadAll(r.Body); strings.Contains(string(text), "GLOVEBOX_TOKEN") || strings.Contains(string(text), "/") {
		t.Errorf("the network is told %s", text)
	}
	if r := s.post("", "add", "{}"); r.StatusCode != 401 || strings.Contains(r.Header.Get("WWW-Authenticate"), "error=") {
		t.Errorf("%s %s", r.Status, r.Header)
	}
	s.says(t, `request.wrong_token right_one="in the variable GLOVEBOX_TOKEN"`)
}
