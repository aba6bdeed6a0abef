package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certified writes a certificate for 127.0.0.1 with its key into one file.
func certified(t *testing.T, file string, serial int64) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// TestACertificateIsRenewedWhileServing: the process goes on, and the next connection sees
// the new one. What cannot be read changes nothing and is said.
func TestACertificateIsRenewedWhileServing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	file := filepath.Join(t.TempDir(), "both.pem")
	pool := certified(t, file, 1)
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
	renewed := certified(t, file, 2)
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
