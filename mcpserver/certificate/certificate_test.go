package certificate_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/certificate"
)

// written writes a certificate with a serial number and its key, and returns it as a pool.
func written(t *testing.T, dir string, serial int64, until time.Time) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{"tools.example"}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until, IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: raw}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return pool
}

func files(dir string) certificate.Config {
	return certificate.Config{File: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
}

// TestANewCertificateIsShownToTheNextConnection, by real handshakes; a file that cannot be
// used leaves the old one.
func TestANewCertificateIsShownToTheNextConnection(t *testing.T) {
	dir, later := t.TempDir(), time.Now().Add(24*time.Hour)
	pool := written(t, dir, 1, later)
	s, err := certificate.Open(files(dir))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", s.TLS())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = conn.(*tls.Conn).Handshake(); conn.Close() }()
		}
	}()
	shown := func(pool *x509.CertPool, most uint16) (int64, error) {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Minute}, "tcp", listener.Addr().String(), &tls.Config{RootCAs: pool, ServerName: "tools.example", MaxVersion: most})
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
	}
	if got, err := shown(pool, 0); got != 1 || err != nil {
		t.Errorf("at first %d, %v", got, err)
	}
	if _, err := shown(pool, tls.VersionTLS11); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	renewed := written(t, dir, 2, later)
	pair, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	s.Use(pair)
	if got, err := shown(renewed, 0); got != 2 || err != nil {
		t.Errorf("renewed %d, %v", got, err)
	}
	written(t, dir, 3, time.Now().Add(-time.Hour))
	if _, err := s.Read(); err == nil || !strings.Contains(err.Error(), "expired on") {
		t.Errorf("expired: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "key.pem")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(); err == nil || !strings.Contains(err.Error(), "key.pem") {
		t.Errorf("no key: %v", err)
	}
	if got, err := shown(renewed, 0); got != 2 || err != nil {
		t.Errorf("after that %d, %v", got, err)
	}
}

func TestWithoutASettingThereIsNone(t *testing.T) {
	if s, err := certificate.Open(certificate.Config{}); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
}
