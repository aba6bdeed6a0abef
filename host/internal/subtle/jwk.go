package subtle

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"slices"

	"github.com/glovebox-run/glovebox/budget"
)

// jwk is a JSON Web Key (RFC 7517, 7518, 8037). Numbers are base64url, big-endian.
type jwk struct {
	Kty    string   `json:"kty"`
	Alg    string   `json:"alg,omitempty"`
	Crv    string   `json:"crv,omitempty"`
	X      b64      `json:"x,omitempty"`
	Y      b64      `json:"y,omitempty"`
	D      b64      `json:"d,omitempty"`
	K      b64      `json:"k,omitempty"`
	N      b64      `json:"n,omitempty"`
	E      b64      `json:"e,omitempty"`
	P      b64      `json:"p,omitempty"`
	Q      b64      `json:"q,omitempty"`
	DP     b64      `json:"dp,omitempty"`
	DQ     b64      `json:"dq,omitempty"`
	QI     b64      `json:"qi,omitempty"`
	KeyOps []string `json:"key_ops,omitempty"`
	Ext    *bool    `json:"ext,omitempty"`
}

// b64 is bytes in base64url without padding.
type b64 []byte

func (b b64) MarshalJSON() ([]byte, error) {
	return json.Marshal(base64.RawURLEncoding.EncodeToString(b))
}

func (b *b64) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	*b = raw
	return err
}

func (b b64) number() *big.Int { return new(big.Int).SetBytes(b) }

func (s *Store) importJWK(account *budget.Account, name string, f family, a Algorithm, text json.RawMessage, extractable bool, usages []string) (Key, error) {
	var j jwk
	if err := json.Unmarshal(text, &j); err != nil {
		return Key{}, invalid(invalidKey, "no JWK: %v", err)
	}
	if j.Ext != nil && !*j.Ext && extractable {
		return Key{}, invalid(invalidKey, "the JWK says that it is not extractable")
	}
	for _, u := range usages {
		if j.KeyOps != nil && !slices.Contains(j.KeyOps, u) {
			return Key{}, invalid(invalidKey, "the JWK is not for %.20q", u)
		}
	}
	if f.public == nil {
		if j.Kty != "oct" || j.K == nil {
			return Key{}, invalid(invalidKey, "a %s key is a JWK of kty oct with k", name)
		}
		return s.importSecret(account, a, j.K, extractable, usages)
	}
	if err := account.Charge(importWork); err != nil {
		return Key{}, err
	}
	material, err := j.material()
	if err != nil {
		return Key{}, err
	}
	return s.keep(account, name, a, material, extractable, usages)
}

// material builds the key that the JWK describes, with Go's checks of it.
func (j jwk) material() (any, error) {
	wrap := func(material any, err error) (any, error) {
		if err != nil {
			return nil, invalid(invalidKey, "%v", err)
		}
		return material, nil
	}
	switch j.Kty {
	case "EC":
		c, err := curveNamed(j.Crv)
		if err != nil {
			return nil, err
		}
		if len(j.X) != c.bytes() || len(j.Y) != c.bytes() {
			return nil, invalid(invalidKey, "coordinates of %s have %d bytes", c.name, c.bytes())
		}
		point := append(append([]byte{4}, j.X...), j.Y...)
		public, err := ecdsa.ParseUncompressedPublicKey(c.ecdsa, point)
		if err != nil || j.D == nil {
			return wrap(public, err)
		}
		private, err := ecdsa.ParseRawPrivateKey(c.ecdsa, j.D)
		if err == nil && !private.PublicKey.Equal(public) {
			return nil, invalid(invalidKey, "the halves of the key do not belong together")
		}
		return wrap(private, err)
	case "OKP":
		return j.okp(wrap)
	case "RSA":
		return j.rsa(wrap)
	}
	return nil, invalid(invalidKey, "kty %.20q", j.Kty)
}

func (j jwk) okp(wrap func(any, error) (any, error)) (any, error) {
	switch {
	case j.Crv == "Ed25519" && j.D == nil && len(j.X) == ed25519.PublicKeySize:
		return ed25519.PublicKey(j.X), nil
	case j.Crv == "Ed25519" && len(j.D) == ed25519.SeedSize:
		private := ed25519.NewKeyFromSeed(j.D)
		if !slices.Equal(private[ed25519.SeedSize:], []byte(j.X)) {
			return nil, invalid(invalidKey, "the halves of the key do not belong together")
		}
		return private, nil
	case j.Crv == "X25519" && j.D == nil:
		return wrap(ecdh.X25519().NewPublicKey(j.X))
	case j.Crv == "X25519":
		private, err := ecdh.X25519().NewPrivateKey(j.D)
		if err == nil && !slices.Equal(private.PublicKey().Bytes(), []byte(j.X)) {
			return nil, invalid(invalidKey, "the halves of the key do not belong together")
		}
		return wrap(private, err)
	}
	return nil, invalid(invalidKey, "crv %.20q, or a key of the wrong length", j.Crv)
}

func (j jwk) rsa(wrap func(any, error) (any, error)) (any, error) {
	if len(j.N) > maxModulus/8 || len(j.E) > 4 || !j.E.number().IsInt64() {
		return nil, invalid(invalidKey, "the numbers of the key are too large")
	}
	public := rsa.PublicKey{N: j.N.number(), E: int(j.E.number().Int64())}
	if j.D == nil {
		return &public, nil
	}
	if j.P == nil || j.Q == nil || len(j.P) > len(j.N) || len(j.Q) > len(j.N) || len(j.D) > len(j.N) {
		return nil, invalid(invalidKey, "a private RSA key has d, p and q")
	}
	private := &rsa.PrivateKey{PublicKey: public, D: j.D.number(), Primes: []*big.Int{j.P.number(), j.Q.number()}}
	if err := private.Validate(); err != nil {
		return wrap(nil, err)
	}
	private.Precompute()
	return private, nil
}

// jwkOf writes a key that may be exported.
func jwkOf(k *key) (jwk, error) {
	if !k.extractable {
		return jwk{}, invalid(invalidAccess, "the key is not extractable")
	}
	yes := true
	j := jwk{KeyOps: append([]string{}, k.usages...), Ext: &yes, Crv: k.algorithm.NamedCurve}
	switch m := k.material.(type) {
	case []byte:
		j.Kty, j.K = "oct", m
	case ed25519.PublicKey:
		j.Kty, j.Crv, j.X = "OKP", "Ed25519", b64(m)
	case ed25519.PrivateKey:
		j.Kty, j.Crv, j.X, j.D = "OKP", "Ed25519", b64(m[ed25519.SeedSize:]), m.Seed()
	case *rsa.PublicKey:
		j.Kty, j.N, j.E = "RSA", m.N.Bytes(), big.NewInt(int64(m.E)).Bytes()
	case *rsa.PrivateKey:
		j.Kty, j.N, j.E, j.D = "RSA", m.N.Bytes(), big.NewInt(int64(m.E)).Bytes(), m.D.Bytes()
		j.P, j.Q = m.Primes[0].Bytes(), m.Primes[1].Bytes()
		j.DP, j.DQ, j.QI = m.Precomputed.Dp.Bytes(), m.Precomputed.Dq.Bytes(), m.Precomputed.Qinv.Bytes()
	case *ecdsa.PublicKey:
		point, err := m.Bytes()
		return j.point(point), err
	case *ecdsa.PrivateKey:
		point, err := m.PublicKey.Bytes()
		if err != nil {
			return j, err
		}
		j.D, err = m.Bytes()
		return j.point(point), err
	case *ecdh.PublicKey:
		return j.point(m.Bytes()), nil
	case *ecdh.PrivateKey:
		j.D = m.Bytes()
		return j.point(m.PublicKey().Bytes()), nil
	}
	return j, nil
}

// point fills in a public point: both coordinates of a curve's, or X25519's one.
func (j jwk) point(b []byte) jwk {
	if j.Crv == "" {
		j.Kty, j.Crv, j.X = "OKP", "X25519", b
		return j
	}
	n := (len(b) - 1) / 2
	j.Kty, j.X, j.Y = "EC", b[1:1+n], b[1+n:]
	return j
}
