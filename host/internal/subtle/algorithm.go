package subtle

import (
	"crypto"
	"crypto/ecdh"
	"crypto/elliptic"
	"encoding/json"
	"strings"

	_ "crypto/sha1" // registers the hashes that hashOf names
	_ "crypto/sha256"
	_ "crypto/sha512"
)

// Algorithm is what a request says about an algorithm, in Web Crypto's words.
// Byte strings are base64.
type Algorithm struct {
	Name           string          `json:"name"`
	Hash           json.RawMessage `json:"hash,omitempty"` // a name or {name}
	NamedCurve     string          `json:"namedCurve,omitempty"`
	Length         int             `json:"length,omitempty"` // bits
	IV             []byte          `json:"iv,omitempty"`
	Counter        []byte          `json:"counter,omitempty"`
	AdditionalData []byte          `json:"additionalData,omitempty"`
	TagLength      *int            `json:"tagLength,omitempty"` // bits
	Salt           []byte          `json:"salt,omitempty"`
	Info           []byte          `json:"info,omitempty"`
	Iterations     int             `json:"iterations,omitempty"`
	SaltLength     int             `json:"saltLength,omitempty"` // bytes
	Label          []byte          `json:"label,omitempty"`
	Public         *int            `json:"public,omitempty"` // the handle of a key
	ModulusLength  int             `json:"modulusLength,omitempty"`
	PublicExponent []byte          `json:"publicExponent,omitempty"`
}

// family says what keys of an algorithm are for.
type family struct {
	secret    []string // usages of a secret or private key
	public    []string // usages of a public key; nil when there is none
	symmetric bool     // one random key, made from its length
}

var families = map[string]family{
	"HMAC":              {secret: []string{"sign", "verify"}, symmetric: true},
	"AES-GCM":           {secret: []string{"encrypt", "decrypt", "wrapKey", "unwrapKey"}, symmetric: true},
	"AES-CBC":           {secret: []string{"encrypt", "decrypt", "wrapKey", "unwrapKey"}, symmetric: true},
	"AES-CTR":           {secret: []string{"encrypt", "decrypt", "wrapKey", "unwrapKey"}, symmetric: true},
	"PBKDF2":            {secret: []string{"deriveKey", "deriveBits"}},
	"HKDF":              {secret: []string{"deriveKey", "deriveBits"}},
	"ECDSA":             {secret: []string{"sign"}, public: []string{"verify"}},
	"ECDH":              {secret: []string{"deriveKey", "deriveBits"}, public: []string{}},
	"Ed25519":           {secret: []string{"sign"}, public: []string{"verify"}},
	"X25519":            {secret: []string{"deriveKey", "deriveBits"}, public: []string{}},
	"RSA-OAEP":          {secret: []string{"decrypt", "unwrapKey"}, public: []string{"encrypt", "wrapKey"}},
	"RSA-PSS":           {secret: []string{"sign"}, public: []string{"verify"}},
	"RSASSA-PKCS1-v1_5": {secret: []string{"sign"}, public: []string{"verify"}},
}

// familyOf finds an algorithm's canonical name and its family.
func familyOf(name string) (string, family, error) {
	for canonical, f := range families {
		if strings.EqualFold(canonical, name) {
			return canonical, f, nil
		}
	}
	if name == "" {
		return "", family{}, invalid(missingArgs, "no algorithm is named")
	}
	return "", family{}, invalid(unsupportedAlgorithm, "%.40q", name)
}

var hashes = map[string]crypto.Hash{"SHA-1": crypto.SHA1, "SHA-256": crypto.SHA256, "SHA-384": crypto.SHA384, "SHA-512": crypto.SHA512}

// hashNamed finds a hash; reason is what it is refused with.
func hashNamed(name, reason string) (string, crypto.Hash, error) {
	for canonical, h := range hashes {
		if strings.EqualFold(canonical, name) {
			return canonical, h, nil
		}
	}
	return "", 0, invalid(reason, "%.40q", name)
}

// hashOf reads the hash of an algorithm, which is SHA-256 when none is given.
func (a Algorithm) hashOf() (string, crypto.Hash, error) {
	if len(a.Hash) == 0 || string(a.Hash) == "null" {
		return "SHA-256", crypto.SHA256, nil
	}
	var name string
	if json.Unmarshal(a.Hash, &name) != nil {
		var object struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(a.Hash, &object) != nil {
			return "", 0, invalid(unsupportedHash, "a hash is a name or {name}")
		}
		name = object.Name
	}
	return hashNamed(name, unsupportedHash)
}

// curve is a named curve in the two shapes that Go has of it.
type curve struct {
	name  string
	ecdsa elliptic.Curve
	ecdh  ecdh.Curve
}

var curves = []curve{
	{"P-256", elliptic.P256(), ecdh.P256()},
	{"P-384", elliptic.P384(), ecdh.P384()},
	{"P-521", elliptic.P521(), ecdh.P521()},
}

func curveNamed(name string) (curve, error) {
	for _, c := range curves {
		if c.name == name {
			return c, nil
		}
	}
	return curve{}, invalid(unsupportedAlgorithm, "no curve %.20q", name)
}

// bytes is the length of a coordinate.
func (c curve) bytes() int { return (c.ecdsa.Params().BitSize + 7) / 8 }
