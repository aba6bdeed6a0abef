package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// keysFresh is how long a key set is used before it is fetched again.
	keysFresh = 10 * time.Minute
	// keysStale is how long it is used while the issuer is unreachable. A withdrawn
	// key is accepted no longer than that.
	keysStale = time.Hour
	// maxKeys bounds the keys of a set; issuers publish a handful.
	maxKeys = 100
	// maxTries bounds the keys tried for a token that names none.
	maxTries = 4
)

// keysFor returns the keys that may have made a signature: those with the right id
// and algorithm. An unknown id causes the set to be fetched again.
func (i *issuer) keysFor(ctx context.Context, kid string, alg jose.SignatureAlgorithm) ([]jose.JSONWebKey, error) {
	set, err := i.keys.get(ctx, false)
	if err != nil {
		return nil, err
	}
	found := named(set, kid, alg)
	if len(found) == 0 {
		if set, err = i.keys.get(ctx, true); err != nil {
			return nil, err
		}
		found = named(set, kid, alg)
	}
	return found, nil
}

func named(set []jose.JSONWebKey, kid string, alg jose.SignatureAlgorithm) (found []jose.JSONWebKey) {
	for _, key := range set {
		if (kid == "" || key.KeyID == kid) && fits(key, alg) && len(found) < maxTries {
			found = append(found, key)
		}
	}
	return found
}

// fetchKeys fetches the key set.
func (i *issuer) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	m, err := i.known.get(ctx, false)
	if err != nil {
		return nil, err
	}
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := i.get(ctx, m.JWKSURI, &document); err != nil {
		return nil, err
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("%s has %d keys, more than %d", m.JWKSURI, len(document.Keys), maxKeys)
	}
	var set []jose.JSONWebKey
	for _, raw := range document.Keys {
		var key jose.JSONWebKey
		// A key of an unknown kind does not invalidate the others.
		if key.UnmarshalJSON(raw) == nil && (key.Use == "" || key.Use == "sig") && key.IsPublic() {
			set = append(set, key)
		}
	}
	if len(set) == 0 {
		return nil, fmt.Errorf("%s has no key that can check a signature", m.JWKSURI)
	}
	return set, nil
}

// fits reports whether a key can have made a signature. The kind of key decides,
// not the token: an RSA key verifies only RSA signatures.
func fits(key jose.JSONWebKey, alg jose.SignatureAlgorithm) bool {
	if key.Algorithm != "" && key.Algorithm != string(alg) {
		return false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		// Keys below 2048 bits can be broken; above 8192 they only cost time.
		bits := public.N.BitLen()
		return bits >= 2048 && bits <= 8192 && (alg[:2] == "RS" || alg[:2] == "PS")
	case *ecdsa.PublicKey:
		return map[jose.SignatureAlgorithm]elliptic.Curve{
			jose.ES256: elliptic.P256(), jose.ES384: elliptic.P384(), jose.ES512: elliptic.P521(),
		}[alg] == public.Curve
	case ed25519.PublicKey:
		return alg == jose.EdDSA
	}
	return false
}
