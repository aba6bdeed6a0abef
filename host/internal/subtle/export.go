package subtle

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Export serves crypto.exportKey: bytes, or JSON for a JWK.
func (s *Store) Export() hostcall.Handler {
	return operation(func(r *Request, _ []byte) (reply, error) {
		k, err := s.find(r.Key)
		if err != nil {
			return reply{}, err
		}
		if r.Format == "jwk" {
			j, err := jwkOf(k)
			return reply{value: j}, err
		}
		out, err := exported(k, r.Format)
		return reply{blob: notNil(out)}, err
	})
}

func exported(k *key, format string) ([]byte, error) {
	if !k.extractable {
		return nil, invalid(invalidAccess, "the key is not extractable")
	}
	unsupported := invalid(unsupportedFormat, "%.20q for a %s key of %s", format, k.kind, k.algorithm.Name)
	var out []byte
	var err error
	switch {
	case format == "raw" && k.kind == "secret":
		return k.material.([]byte), nil
	case format == "raw" && k.kind == "public":
		switch m := k.material.(type) {
		case ed25519.PublicKey:
			return m, nil
		case *ecdh.PublicKey:
			return m.Bytes(), nil
		case *ecdsa.PublicKey:
			out, err = m.Bytes()
		default:
			return nil, unsupported
		}
	case format == "spki" && k.kind == "public":
		out, err = x509.MarshalPKIXPublicKey(k.material)
	case format == "pkcs8" && k.kind == "private":
		out, err = x509.MarshalPKCS8PrivateKey(k.material)
	default:
		return nil, unsupported
	}
	if err != nil {
		return nil, failed("%v", err)
	}
	return out, nil
}

// Wrap serves crypto.wrapKey: exports one key and encrypts it with another.
func (s *Store) Wrap() hostcall.Handler {
	return operation(func(r *Request, _ []byte) (reply, error) {
		wrapping, err := s.use(r.account, r.Wrapping, r.Algorithm.Name, "wrapKey")
		if err != nil {
			return reply{}, err
		}
		k, err := s.find(r.Key)
		if err != nil {
			return reply{}, err
		}
		var plain []byte
		if r.Format == "jwk" {
			var j jwk
			if j, err = jwkOf(k); err == nil {
				plain, err = json.Marshal(j)
			}
		} else {
			plain, err = exported(k, r.Format)
		}
		if err != nil {
			return reply{}, err
		}
		out, err := s.encrypted(r.account, wrapping, r.Algorithm, plain)
		return reply{blob: notNil(out)}, err
	})
}

// Unwrap serves crypto.unwrapKey: decrypts a key and imports it.
func (s *Store) Unwrap() hostcall.Handler {
	return operation(func(r *Request, data []byte) (reply, error) {
		wrapping, err := s.use(r.account, r.Wrapping, r.Algorithm.Name, "unwrapKey")
		if err != nil {
			return reply{}, err
		}
		plain, err := decrypted(r.account, wrapping, r.Algorithm, data)
		if err != nil {
			return reply{}, err
		}
		made, err := s.imported(r.account, r.Format, r.Derived, plain, plain, r.Extractable, r.Usages)
		return reply{value: made}, err
	})
}
