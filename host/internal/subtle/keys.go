package subtle

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"math/big"
	"slices"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// RSA keys below this many bits are no protection, and Go refuses them.
	minModulus = 1024
	// RSA keys above this many bits take seconds to make and 10 ms to use.
	maxModulus = 4096
	// maxDER is the longest encoded key in bytes: a private RSA key of 4,096 bits
	// has 2,400. Checking the numbers of a longer one takes long.
	maxDER = 4 << 10
	// maxHMACKey is the longest key in bytes that is made here.
	maxHMACKey = 1 << 10
)

// pair is the answer of generateKey for algorithms with two keys.
type pair struct {
	Public  Key `json:"publicKey"`
	Private Key `json:"privateKey"`
}

// Generate serves crypto.generateKey.
func (s *Store) Generate() hostcall.Handler {
	return operation(func(r *Request, _ []byte) (reply, error) {
		name, f, err := familyOf(r.Algorithm.Name)
		if err != nil {
			return reply{}, err
		}
		if f.symmetric {
			return s.generateSecret(r)
		}
		if f.public == nil {
			return reply{}, invalid(unsupportedAlgorithm, "%s keys are imported, not made", name)
		}
		private, shown, err := s.generatePair(r.account, name, r.Algorithm)
		if err != nil {
			return reply{}, err
		}
		public, err := publicOf(private)
		if err != nil {
			return reply{}, err
		}
		var p pair
		var forPublic, forPrivate []string // nil for all that either can do
		if r.Usages != nil {
			forPublic, forPrivate = []string{}, []string{}
		}
		for _, u := range r.Usages {
			if slices.Contains(f.public, u) {
				forPublic = append(forPublic, u)
			} else {
				forPrivate = append(forPrivate, u)
			}
		}
		if p.Private, err = s.add(r.account, &key{kind: "private", algorithm: shown, extractable: r.Extractable, material: private}, forPrivate); err == nil {
			p.Public, err = s.add(r.account, &key{kind: "public", algorithm: shown, extractable: true, material: public}, forPublic)
		}
		return reply{value: p}, err
	})
}

func (s *Store) generateSecret(r *Request) (reply, error) {
	bits, err := keyLength(r.Algorithm)
	if err != nil {
		return reply{}, err
	}
	if *bits%8 != 0 || *bits < 8 || *bits > 8*maxHMACKey {
		return reply{}, invalid(invalidParameter, "a key of %d bits", *bits)
	}
	secret := make([]byte, *bits/8)
	if _, err := s.random.Read(secret); err != nil {
		return reply{}, err
	}
	made, err := s.importSecret(r.account, r.Algorithm, secret, r.Extractable, r.Usages)
	return reply{value: made}, err
}

// generatePair makes a private key and what is shown of both.
func (s *Store) generatePair(account *budget.Account, name string, a Algorithm) (private any, shown keyAlgorithm, err error) {
	shown.Name = name
	if err := account.Charge(curveWork(a.NamedCurve)); err != nil {
		return nil, shown, err
	}
	switch name {
	case "ECDSA", "ECDH":
		c, err := curveNamed(a.NamedCurve)
		if err != nil {
			return nil, shown, err
		}
		shown.NamedCurve = c.name
		if name == "ECDSA" {
			private, err = ecdsa.GenerateKey(c.ecdsa, s.random)
		} else {
			private, err = c.ecdh.GenerateKey(s.random)
		}
		return private, shown, err
	case "Ed25519":
		_, private, err := ed25519.GenerateKey(s.random)
		return private, shown, err
	case "X25519":
		private, err = ecdh.X25519().GenerateKey(s.random)
		return private, shown, err
	}
	if a.ModulusLength < minModulus || a.ModulusLength > maxModulus || a.ModulusLength%8 != 0 {
		return nil, shown, invalid(invalidParameter, "a modulus of %d bits; a multiple of 8 from %d to %d", a.ModulusLength, minModulus, maxModulus)
	}
	if e := new(big.Int).SetBytes(a.PublicExponent); e.Cmp(big.NewInt(65537)) != 0 {
		return nil, shown, invalid(invalidParameter, "a public exponent other than 65537")
	}
	hash, _, err := a.hashOf()
	if err != nil {
		return nil, shown, err
	}
	shown.Hash, shown.ModulusLength, shown.PublicExponent = &hashName{hash}, a.ModulusLength, []byte{1, 0, 1}
	private, err = generateRSA(account, s.random, a.ModulusLength)
	return private, shown, err
}

func publicOf(private any) (any, error) {
	switch p := private.(type) {
	case *ecdsa.PrivateKey:
		return &p.PublicKey, nil
	case *ecdh.PrivateKey:
		return p.PublicKey(), nil
	case ed25519.PrivateKey:
		return p.Public().(ed25519.PublicKey), nil
	case *rsa.PrivateKey:
		return &p.PublicKey, nil
	}
	return nil, invalid(invalidKey, "the key has no public half")
}

// Import serves crypto.importKey. A JWK is in the request, any other format in
// the data.
func (s *Store) Import() hostcall.Handler {
	return operation(func(r *Request, data []byte) (reply, error) {
		made, err := s.imported(r.account, r.Format, r.Algorithm, data, r.JWK, r.Extractable, r.Usages)
		return reply{value: made}, err
	})
}

func (s *Store) imported(account *budget.Account, format string, a Algorithm, data []byte, jwk json.RawMessage, extractable bool, usages []string) (Key, error) {
	name, f, err := familyOf(a.Name)
	if err != nil {
		return Key{}, err
	}
	if format == "jwk" {
		return s.importJWK(account, name, f, a, jwk, extractable, usages)
	}
	if f.public == nil {
		if format != "raw" {
			return Key{}, invalid(unsupportedFormat, "%s keys are imported as raw or jwk", name)
		}
		return s.importSecret(account, a, data, extractable, usages)
	}
	if len(data) > maxDER {
		return Key{}, invalid(invalidKey, "%d bytes; a key has at most %d", len(data), maxDER)
	}
	if err := account.Charge(importWork); err != nil {
		return Key{}, err
	}
	var material any
	switch format {
	case "raw":
		material, err = rawPublic(name, a, data)
	case "spki":
		material, err = x509.ParsePKIXPublicKey(data)
	case "pkcs8":
		material, err = x509.ParsePKCS8PrivateKey(data)
	default:
		return Key{}, invalid(unsupportedFormat, "%.20q", format)
	}
	if err != nil {
		var ours *hostcall.Error
		if errors.As(err, &ours) {
			return Key{}, err
		}
		return Key{}, invalid(invalidKey, "%v", err)
	}
	return s.keep(account, name, a, material, extractable, usages)
}

// importSecret keeps bytes as a key.
func (s *Store) importSecret(account *budget.Account, a Algorithm, secret []byte, extractable bool, usages []string) (Key, error) {
	name, _, err := familyOf(a.Name)
	if err != nil {
		return Key{}, err
	}
	k := &key{kind: "secret", algorithm: keyAlgorithm{Name: name}, extractable: extractable, material: append([]byte{}, secret...)}
	switch name {
	case "AES-GCM", "AES-CBC", "AES-CTR":
		if n := len(secret); n != 16 && n != 24 && n != 32 {
			return Key{}, invalid(invalidKey, "an AES key of %d bytes", n)
		}
		k.algorithm.Length = 8 * len(secret)
	case "HMAC":
		hash, _, err := a.hashOf()
		if err != nil {
			return Key{}, err
		}
		if len(secret) == 0 {
			return Key{}, invalid(invalidKey, "an empty key")
		}
		k.algorithm.Hash, k.algorithm.Length = &hashName{hash}, 8*len(secret)
	default: // HKDF and PBKDF2: passwords, which are never given back
		k.extractable = false
	}
	return s.add(account, k, usages)
}

// keep keeps a public or private key that was parsed, if it is one of the
// algorithm.
func (s *Store) keep(account *budget.Account, name string, a Algorithm, material any, extractable bool, usages []string) (Key, error) {
	k := &key{algorithm: keyAlgorithm{Name: name}, extractable: extractable}
	var c curve
	if name == "ECDSA" || name == "ECDH" {
		var err error
		if c, err = curveNamed(a.NamedCurve); err != nil {
			return Key{}, err
		}
		k.algorithm.NamedCurve = c.name
	}
	if k.material, k.kind = fit(name, c, material); k.material == nil {
		return Key{}, invalid(invalidKey, "it is no key of %s", name)
	}
	if public := rsaPublic(k.material); public != nil {
		hash, _, err := a.hashOf()
		if err != nil {
			return Key{}, err
		}
		if bits := public.N.BitLen(); bits < minModulus || bits > maxModulus {
			return Key{}, invalid(invalidKey, "a modulus of %d bits; from %d to %d", bits, minModulus, maxModulus)
		}
		k.algorithm.Hash, k.algorithm.ModulusLength, k.algorithm.PublicExponent = &hashName{hash}, public.N.BitLen(), big.NewInt(int64(public.E)).Bytes()
	}
	return s.add(account, k, usages)
}

// fit returns a key in the shape that the algorithm uses and its kind, or nil
// for a key of another algorithm or curve.
func fit(name string, c curve, material any) (any, string) {
	isRSA := rsaPublic(material) != nil && name[:3] == "RSA"
	switch m := material.(type) {
	case *ecdsa.PublicKey:
		if name == "ECDSA" && m.Curve == c.ecdsa {
			return m, "public"
		}
		if p, err := m.ECDH(); err == nil && name == "ECDH" && m.Curve == c.ecdsa {
			return p, "public"
		}
	case *ecdsa.PrivateKey:
		if name == "ECDSA" && m.Curve == c.ecdsa {
			return m, "private"
		}
		if p, err := m.ECDH(); err == nil && name == "ECDH" && m.Curve == c.ecdsa {
			return p, "private"
		}
	case *ecdh.PublicKey:
		if m.Curve() == ecdhCurve(name, c) {
			return m, "public"
		}
	case *ecdh.PrivateKey:
		if m.Curve() == ecdhCurve(name, c) {
			return m, "private"
		}
	case ed25519.PublicKey:
		if name == "Ed25519" {
			return m, "public"
		}
	case ed25519.PrivateKey:
		if name == "Ed25519" {
			return m, "private"
		}
	case *rsa.PublicKey:
		if isRSA {
			return m, "public"
		}
	case *rsa.PrivateKey:
		if isRSA {
			return m, "private"
		}
	}
	return nil, ""
}

func ecdhCurve(name string, c curve) ecdh.Curve {
	switch name {
	case "X25519":
		return ecdh.X25519()
	case "ECDH":
		return c.ecdh
	}
	return nil
}

func rsaPublic(material any) *rsa.PublicKey {
	switch m := material.(type) {
	case *rsa.PublicKey:
		return m
	case *rsa.PrivateKey:
		return &m.PublicKey
	}
	return nil
}

// rawPublic reads a public key as its bare bytes.
func rawPublic(name string, a Algorithm, data []byte) (any, error) {
	switch name {
	case "Ed25519":
		if len(data) != ed25519.PublicKeySize {
			return nil, invalid(invalidKey, "%d bytes; an Ed25519 key has %d", len(data), ed25519.PublicKeySize)
		}
		return ed25519.PublicKey(append([]byte{}, data...)), nil
	case "X25519":
		return ecdh.X25519().NewPublicKey(data)
	case "ECDSA", "ECDH":
		c, err := curveNamed(a.NamedCurve)
		if err != nil {
			return nil, err
		}
		if name == "ECDH" {
			return c.ecdh.NewPublicKey(data)
		}
		return ecdsa.ParseUncompressedPublicKey(c.ecdsa, data)
	}
	return nil, invalid(unsupportedFormat, "%s keys have no raw form", name)
}
