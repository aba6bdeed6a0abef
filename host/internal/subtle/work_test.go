package subtle

import (
	"bytes"
	"context"
	"crypto"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"
	"math/big"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

func TestPBKDF2IsThatOfTheLibrary(t *testing.T) {
	hashes := map[crypto.Hash]func() hash.Hash{crypto.SHA256: sha256.New, crypto.SHA512: sha512.New}
	for h, of := range hashes {
		for _, iterations := range []int{1, 2, 199, 200, 201, 402, 1000} {
			for _, size := range []int{0, 1, 32, 33, 200} {
				secret, salt := []byte("password"), bytes.Repeat([]byte("salt"), size%7)
				got, err := derivePBKDF2(budgettest.Ample(), h, secret, salt, iterations, size)
				if err != nil {
					t.Fatal(err)
				}
				want, err := pbkdf2.Key(of, string(secret), salt, iterations, max(size, 1))
				if err != nil || !bytes.Equal(got, want[:size]) {
					t.Errorf("%v, %d iterations, %d bytes: %x, want %x, %v", h, iterations, size, got, want, err)
				}
			}
		}
	}
}

func TestGeneratedKeysAreWhatTheLibraryTakes(t *testing.T) {
	for _, bits := range []int{1024, 1032, 2048} {
		key, err := generateRSA(budgettest.Ample(), rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		if key.N.BitLen() != bits || key.E != 65537 || key.Validate() != nil {
			t.Errorf("%d bits: a modulus of %d, exponent %d, %v", bits, key.N.BitLen(), key.E, key.Validate())
		}
		if new(big.Int).Mul(key.Primes[0], key.Primes[1]).Cmp(key.N) != 0 || !key.Primes[0].ProbablyPrime(20) || !key.Primes[1].ProbablyPrime(20) {
			t.Errorf("%d bits: the primes are none", bits)
		}
		sum := sha256.Sum256([]byte("text"))
		signature, err := rsa.SignPSS(rand.Reader, key, crypto.SHA256, sum[:], nil)
		if err != nil || rsa.VerifyPSS(&key.PublicKey, crypto.SHA256, sum[:], signature, nil) != nil {
			t.Errorf("%d bits: it does not sign: %v", bits, err)
		}
	}
}

// What takes long ends where its fuel or its call does, and not when it is done.
func TestLongWorkEnds(t *testing.T) {
	const little = 50_000_000 // 6 ms
	text := make([]byte, 4<<20)
	for name, work := range map[string]func(*budget.Account) error{
		"PBKDF2": func(a *budget.Account) error {
			_, err := derivePBKDF2(a, crypto.SHA512, nil, nil, 2_000_000, 64)
			return err
		},
		"RSA key": func(a *budget.Account) error { _, err := generateRSA(a, rand.Reader, 4096); return err },
		"SHA-256": func(a *budget.Account) error { _, err := digest(a, crypto.SHA256, text); return err },
		"AES":     func(a *budget.Account) error { return inPieces(a, text, func(_, _ []byte) {}) },
		"copy":    func(a *budget.Account) error { _, err := copied(a, text, nil); return err },
		"AES-GCM": func(a *budget.Account) error { return whole(a, text) },
		"RSA sign": func(a *budget.Account) error {
			return a.Charge(work(&rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 4095)}}))
		},
	} {
		holds := name == "copy" || name == "AES-GCM"
		a := budget.NewAccount(t.Context(), little, 1<<20)
		if err := work(a); holds != errors.Is(err, budget.ErrMemory) || holds == errors.Is(err, budget.ErrFuel) || a.Spent() > little {
			t.Errorf("%s with little: %v, %d spent", name, err, a.Spent())
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		a = budget.NewAccount(ended, 1<<50, 1<<30)
		if err := work(a); name != "copy" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s without a caller: %v", name, err)
		}
	}
	if err := whole(budgettest.Ample(), make([]byte, maxWhole+1)); err == nil {
		t.Error("a text that takes long without a pause is admitted")
	}
}
