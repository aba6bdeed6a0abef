package subtle

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/subtle"
	"math/big"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Sign serves crypto.sign.
func (s *Store) Sign() hostcall.Handler {
	return operation(func(r *Request, data []byte) (reply, error) {
		k, err := s.use(r.account, r.Key, r.Algorithm.Name, "sign")
		if err != nil {
			return reply{}, err
		}
		signature, err := s.signature(r.account, k, r.Algorithm, data)
		return reply{blob: signature}, err
	})
}

// Verify serves crypto.verify; the signature is the second piece of data.
func (s *Store) Verify() hostcall.Handler {
	return operation(func(r *Request, blob []byte) (reply, error) {
		k, err := s.use(r.account, r.Key, r.Algorithm.Name, "verify")
		if err != nil {
			return reply{}, err
		}
		data, signature := blob[:len(blob)-r.Second], blob[len(blob)-r.Second:]
		ok, err := s.verified(r.account, k, r.Algorithm, data, signature)
		return reply{value: ok}, err
	})
}

// hashFor is the hash that a signature is made over: the key's, or for ECDSA the
// one that the request names. Ed25519 brings its own.
func hashFor(k *key, a Algorithm) (crypto.Hash, error) {
	switch {
	case k.algorithm.Hash != nil:
		return hashes[k.algorithm.Hash.Name], nil
	case k.algorithm.Name == "Ed25519":
		return 0, nil
	}
	_, h, err := a.hashOf()
	return h, err
}

func (s *Store) signature(account *budget.Account, k *key, a Algorithm, data []byte) ([]byte, error) {
	h, err := hashFor(k, a)
	if err != nil {
		return nil, err
	}
	switch m := k.material.(type) {
	case []byte:
		return sumOf(account, hmac.New(h.New, m), data)
	case ed25519.PrivateKey:
		return ed25519.Sign(m, data), nil
	case *ecdsa.PrivateKey:
		sum, err := digest(account, h, data)
		if err != nil {
			return nil, err
		}
		return ecdsaSign(s, m, sum)
	case *rsa.PrivateKey:
		return s.rsaSign(account, k, m, a, h, data)
	}
	return nil, invalid(invalidAccess, "the key does not sign")
}

func (s *Store) rsaSign(account *budget.Account, k *key, private *rsa.PrivateKey, a Algorithm, h crypto.Hash, data []byte) (signature []byte, err error) {
	sum, err := digest(account, h, data)
	if err != nil {
		return nil, err
	}
	if k.algorithm.Name == "RSA-PSS" {
		var options *rsa.PSSOptions
		if options, err = pss(a, h); err != nil {
			return nil, err
		}
		signature, err = rsa.SignPSS(s.random, private, h, sum, options)
	} else {
		signature, err = rsa.SignPKCS1v15(nil, private, h, sum)
	}
	if err != nil {
		return nil, failed("%v", err)
	}
	return signature, nil
}

// pss are the options of an RSA-PSS signature. Go reads a salt of 0 bytes as
// "choose one", so there is no signature without a salt here.
func pss(a Algorithm, h crypto.Hash) (*rsa.PSSOptions, error) {
	if a.SaltLength < 1 {
		return nil, invalid(invalidParameter, "saltLength %d; at least 1 byte", a.SaltLength)
	}
	return &rsa.PSSOptions{SaltLength: a.SaltLength, Hash: h}, nil
}

// ecdsaSign returns the two halves of a signature in fixed length, as Web Crypto
// has them.
func ecdsaSign(s *Store, private *ecdsa.PrivateKey, sum []byte) ([]byte, error) {
	x, y, err := ecdsa.Sign(s.random, private, sum)
	if err != nil {
		return nil, failed("%v", err)
	}
	n := (private.Params().BitSize + 7) / 8
	out := make([]byte, 2*n)
	x.FillBytes(out[:n])
	y.FillBytes(out[n:])
	return out, nil
}

func (s *Store) verified(account *budget.Account, k *key, a Algorithm, data, signature []byte) (bool, error) {
	h, err := hashFor(k, a)
	if err != nil {
		return false, err
	}
	var sum []byte
	switch k.material.(type) {
	case *ecdsa.PublicKey, *rsa.PublicKey:
		if sum, err = digest(account, h, data); err != nil {
			return false, err
		}
	}
	switch m := k.material.(type) {
	case []byte:
		mac, err := sumOf(account, hmac.New(h.New, m), data)
		return err == nil && subtle.ConstantTimeCompare(mac, signature) == 1, err
	case ed25519.PublicKey:
		return ed25519.Verify(m, data, signature), nil
	case *ecdsa.PublicKey:
		n := (m.Params().BitSize + 7) / 8
		if len(signature) != 2*n {
			return false, nil
		}
		x, y := new(big.Int).SetBytes(signature[:n]), new(big.Int).SetBytes(signature[n:])
		return ecdsa.Verify(m, sum, x, y), nil
	case *rsa.PublicKey:
		if k.algorithm.Name == "RSA-PSS" {
			options, err := pss(a, h)
			return err == nil && rsa.VerifyPSS(m, h, sum, signature, options) == nil, err
		}
		return rsa.VerifyPKCS1v15(m, h, sum, signature) == nil, nil
	}
	return false, invalid(invalidAccess, "the key does not verify")
}
