package subtle

import (
	"crypto/rsa"
	"io"
	"math/big"

	"github.com/glovebox-run/glovebox/budget"
)

// generateRSA makes a key as FIPS 186-5, A.1.3 does: two random primes. rsa.GenerateKey
// takes 0.8 s for 4,096 bits on the average, several times that now and then, and
// cannot be interrupted; here every candidate is charged before it is tried.
func generateRSA(account *budget.Account, random io.Reader, bits int) (*rsa.PrivateKey, error) {
	one, e, small := big.NewInt(1), big.NewInt(rsaExponent), primorial(751)
	prime := func(bits int) (*big.Int, error) { return prime(account, random, bits, e, small) }
	for {
		p, err := prime((bits + 1) / 2)
		if err != nil {
			return nil, err
		}
		q, err := prime(bits / 2)
		if err != nil {
			return nil, err
		}
		if distance := new(big.Int).Sub(p, q); distance.Abs(distance).BitLen() <= bits/2-100 {
			continue
		}
		pMinus, qMinus := new(big.Int).Sub(p, one), new(big.Int).Sub(q, one)
		common := new(big.Int).GCD(nil, nil, pMinus, qMinus)
		lcm := new(big.Int).Div(new(big.Int).Mul(pMinus, qMinus), common)
		d := new(big.Int).ModInverse(e, lcm)
		n := new(big.Int).Mul(p, q)
		if d == nil || d.BitLen() <= bits/2 || n.BitLen() != bits {
			continue
		}
		key := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: n, E: rsaExponent}, D: d, Primes: []*big.Int{p, q}}
		if err := account.Charge(importWork); err != nil {
			return nil, err
		}
		key.Precompute()
		return key, key.Validate()
	}
}

const rsaExponent = 65537

// millerRabin is how many rounds a prime has to pass besides the Baillie-PSW test.
// For random candidates of 512 bits and more FIPS 186-5 asks for at most 5.
const millerRabin = 5

// prime returns a random prime with its two highest bits set, so that the product
// of two has all its bits, and of which e and the prime less one have no common
// divisor. Candidates that share one with small need no test.
func prime(account *budget.Account, random io.Reader, bits int, e, small *big.Int) (*big.Int, error) {
	// A round of the test takes 6 ms for 2,048 bits and grows with the cube.
	round := 48_000_000 * uint64(bits) / 2048 * uint64(bits) / 2048 * uint64(bits) / 2048
	data := make([]byte, (bits+7)/8)
	p, one := new(big.Int), big.NewInt(1)
	for {
		if _, err := io.ReadFull(random, data); err != nil {
			return nil, err
		}
		p.SetBytes(data)
		p.Rsh(p, uint(8*len(data)-bits))
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		if err := account.Charge(budget.Allocation * 10); err != nil {
			return nil, err
		}
		if !coprime(p, small) || !coprime(new(big.Int).Sub(p, one), e) {
			continue
		}
		if err := account.Charge(round); err != nil {
			return nil, err
		}
		if !p.ProbablyPrime(0) {
			continue
		}
		if err := account.Charge(millerRabin * round); err != nil {
			return nil, err
		}
		if p.ProbablyPrime(millerRabin) {
			return p, nil
		}
	}
}

// primorial is the product of the odd primes up to most. Up to 751, five of six odd
// numbers share a divisor with it.
func primorial(most int64) *big.Int {
	product := big.NewInt(1)
	for n := int64(3); n <= most; n += 2 {
		if candidate := big.NewInt(n); candidate.ProbablyPrime(0) {
			product.Mul(product, candidate)
		}
	}
	return product
}

func coprime(a, b *big.Int) bool {
	return new(big.Int).GCD(nil, nil, a, b).Cmp(big.NewInt(1)) == 0
}
