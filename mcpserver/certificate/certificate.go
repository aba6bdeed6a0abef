// Package certificate has the TLS certificates of the HTTP endpoint: of files, which may
// change while the server runs, or of a certificate authority that speaks ACME.
//
//	Config   where they come from; the zero value is none
//	Source   what the endpoint shows; Read and Use replace the files' certificate
package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Config says where certificates come from: either both files, or names.
type Config struct {
	// File and Key are PEM files: the certificate with those that lead to its root, and
	// its private key.
	File, Key string
	// Names are the host names that certificates are asked for, from the authority at
	// Directory; empty is Let's Encrypt. It connects to port 443 of the name to see that
	// we answer there (TLS-ALPN-01).
	Names     []string
	Directory string
	// Email is where the authority writes about certificates; may be empty.
	Email string
	// Roots is a PEM file of what the authority's own certificate must be signed by;
	// empty is the system's.
	Roots string
	// Folder keeps the account and certificates of the authority, mode 0700.
	Folder string
	Logger *slog.Logger
}

// authorityTime bounds one request to the authority.
const authorityTime = 30 * time.Second

// Source is what the endpoint shows to clients.
type Source struct {
	config Config
	pair   atomic.Pointer[tls.Certificate]
	ours   *autocert.Manager // nil with files
}

// Open reads the files, or prepares to ask the authority; nil if nothing is configured.
func Open(c Config) (*Source, error) {
	s := &Source{config: c}
	switch {
	case len(c.Names) > 0:
		client := &http.Client{Timeout: authorityTime}
		if c.Roots != "" {
			text, err := os.ReadFile(c.Roots)
			if err != nil {
				return nil, err
			}
			pool := x509.NewCertPool()
			if !pool.AppendCertsFromPEM(text) {
				return nil, fmt.Errorf("there is no certificate in %s", c.Roots)
			}
			transport := http.DefaultTransport.(*http.Transport).Clone()
			transport.TLSClientConfig = &tls.Config{RootCAs: pool}
			client.Transport = transport
		}
		if err := os.MkdirAll(c.Folder, 0o700); err != nil {
			return nil, err
		}
		s.ours = &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(c.Folder), HostPolicy: autocert.HostWhitelist(c.Names...), Email: c.Email,
			Client: &acme.Client{DirectoryURL: c.Directory, HTTPClient: client, UserAgent: "glovebox"},
		}
	case c.File != "":
		pair, err := s.Read()
		if err != nil {
			return nil, err
		}
		s.Use(pair)
	default:
		return nil, nil
	}
	return s, nil
}

// Read reads the certificate of the files as they are now; nil if an authority has it.
func (s *Source) Read() (*tls.Certificate, error) {
	if s.ours != nil {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(s.config.File, s.config.Key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", s.config.File, s.config.Key, err)
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("the certificate %s expired on %s", s.config.File, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	return &pair, nil
}

// Use shows a certificate from now on; nil changes nothing.
func (s *Source) Use(pair *tls.Certificate) {
	if pair != nil {
		s.pair.Store(pair)
	}
}

// TLS returns the configuration of a listener. It speaks HTTP/1.1 alone, whose
// connections and times are what the limits of the endpoint count.
func (s *Source) TLS() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.get, NextProtos: []string{"http/1.1"}}
	if s.ours != nil {
		c.NextProtos = append(c.NextProtos, acme.ALPNProto)
	}
	return c
}

func (s *Source) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if s.ours == nil {
		return s.pair.Load(), nil
	}
	pair, err := s.ours.GetCertificate(hello)
	// Names of others come from anybody and are not worth a line.
	if err != nil && slices.Contains(s.config.Names, hello.ServerName) && !errors.Is(err, context.Canceled) {
		s.config.Logger.Warn("certificate.not_made", "name", hello.ServerName, "cause", err)
	}
	return pair, err
}
