package subtle

import (
	"crypto/ecdh"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// maxIterations bounds PBKDF2: about a second for SHA-512, ten times what
	// password storage asks for. The iterations are charged while they are made.
	maxIterations = 2_000_000
	// maxDerived is the longest derivation in bits.
	maxDerived = 1 << 20
)

// DeriveBits serves crypto.deriveBits.
func (s *Store) DeriveBits() hostcall.Handler {
	return operation(func(r *Request, _ []byte) (reply, error) {
		k, err := s.use(r.account, r.Key, r.Algorithm.Name, "deriveBits")
		if err != nil {
			return reply{}, err
		}
		out, err := s.derived(r.account, k, r.Algorithm, r.Length)
		return reply{blob: notNil(out)}, err
	})
}

// DeriveKey serves crypto.deriveKey.
func (s *Store) DeriveKey() hostcall.Handler {
	return operation(func(r *Request, _ []byte) (reply, error) {
		k, err := s.use(r.account, r.Key, r.Algorithm.Name, "deriveKey")
		if err != nil {
			return reply{}, err
		}
		length, err := keyLength(r.Derived)
		if err != nil {
			return reply{}, err
		}
		bits, err := s.derived(r.account, k, r.Algorithm, length)
		if err != nil {
			return reply{}, err
		}
		made, err := s.importSecret(r.account, r.Derived, bits, r.Extractable, r.Usages)
		return reply{value: made}, err
	})
}

// keyLength is how many bits a derived key takes; nil for as many as there are.
func keyLength(a Algorithm) (*int, error) {
	name, _, err := familyOf(a.Name)
	if err != nil {
		return nil, err
	}
	bits := a.Length
	switch name {
	case "AES-GCM", "AES-CBC", "AES-CTR":
		if bits != 128 && bits != 192 && bits != 256 {
			return nil, invalid(invalidParameter, "an AES key of %d bits", bits)
		}
	case "HMAC":
		if bits == 0 {
			_, h, err := a.hashOf()
			if err != nil {
				return nil, err
			}
			bits = 8 * h.New().BlockSize()
		}
	case "HKDF", "PBKDF2":
		return nil, nil
	default:
		return nil, invalid(unsupportedAlgorithm, "%s keys are not derived", name)
	}
	return &bits, nil
}

func (s *Store) derived(account *budget.Account, k *key, a Algorithm, bits *int) ([]byte, error) {
	if bits != nil && (*bits < 0 || *bits%8 != 0 || *bits > maxDerived) {
		return nil, invalid(invalidParameter, "%d bits; a multiple of 8 up to %d", *bits, maxDerived)
	}
	if private, ok := k.material.(*ecdh.PrivateKey); ok {
		return s.agreed(private, k, a, bits)
	}
	secret, ok := k.material.([]byte)
	if !ok {
		return nil, invalid(invalidAccess, "the key does not derive")
	}
	if bits == nil {
		return nil, invalid(invalidParameter, "%s needs a length", k.algorithm.Name)
	}
	_, h, err := a.hashOf()
	if err != nil {
		return nil, err
	}
	if k.algorithm.Name == "HKDF" {
		return deriveHKDF(account, h, secret, a.Salt, string(a.Info), *bits/8)
	}
	if a.Iterations < 1 || a.Iterations > maxIterations {
		return nil, invalid(invalidParameter, "%d iterations; from 1 to %d", a.Iterations, maxIterations)
	}
	if blocks := *bits / 8 / h.Size(); blocks > 1 && blocks*a.Iterations > maxIterations {
		return nil, invalid(invalidParameter, "%d bits with %d iterations are too much work", *bits, a.Iterations)
	}
	if err := account.Hold(*bits / 8); err != nil {
		return nil, err
	}
	return derivePBKDF2(account, h, secret, a.Salt, a.Iterations, *bits/8)
}

// agreed is the shared secret of a private key and another's public one.
func (s *Store) agreed(private *ecdh.PrivateKey, k *key, a Algorithm, bits *int) ([]byte, error) {
	if a.Public == nil {
		return nil, invalid(missingArgs, "the other side's public key is missing")
	}
	other, err := s.find(*a.Public)
	if err != nil {
		return nil, err
	}
	public, ok := other.material.(*ecdh.PublicKey)
	if !ok || other.algorithm.Name != k.algorithm.Name || public.Curve() != private.Curve() {
		return nil, invalid(invalidAccess, "the public key is not one of %s on the same curve", k.algorithm.Name)
	}
	secret, err := private.ECDH(public)
	if err != nil {
		return nil, failed("%v", err)
	}
	if bits == nil {
		return secret, nil
	}
	if *bits/8 > len(secret) {
		return nil, failed("%d bits from a secret of %d", *bits, 8*len(secret))
	}
	return secret[:*bits/8], nil
}
