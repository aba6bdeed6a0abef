package subtle

import (
	"crypto"
	"crypto/aes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rsa"
	"encoding/binary"
	"hash"

	"github.com/glovebox-run/glovebox/budget"
)

// Prices of one operation with a key, in fuel; measured at 8 units a nanosecond.
const (
	// importWork is reading a key and checking its numbers: 0.6 ms for a private RSA
	// key of 4,096 bits.
	importWork = 5_000_000
	// privateRSA and publicRSA are for 1,024 bits and grow with the square: 7.5 ms
	// and, with the largest exponent, 1 ms for 4,096 bits.
	privateRSA = 4_000_000
	publicRSA  = 500_000
	edwards    = 800_000 // Ed25519 and X25519: up to 0.1 ms
)

// curveWork is one multiplication on a NIST curve: 70 us, 0.7 ms and 2.3 ms.
func curveWork(name string) uint64 {
	switch name {
	case "P-256":
		return 560_000
	case "P-384":
		return 5_600_000
	case "P-521":
		return 18_400_000
	}
	return edwards
}

// work is the price of using a key once, without the bytes that it is used on.
func work(material any) uint64 {
	square := func(bits int) uint64 { return uint64(bits) * uint64(bits) / (1024 * 1024) }
	switch m := material.(type) {
	case *rsa.PrivateKey:
		return privateRSA * square(m.N.BitLen())
	case *rsa.PublicKey:
		return publicRSA * square(m.N.BitLen())
	case *ecdsa.PrivateKey:
		return curveWork(m.Params().Name)
	case *ecdsa.PublicKey:
		return curveWork(m.Params().Name)
	case *ecdh.PrivateKey:
		return ecdhWork(m.Curve())
	case *ecdh.PublicKey:
		return ecdhWork(m.Curve())
	case ed25519.PrivateKey, ed25519.PublicKey:
		return edwards
	}
	return 0
}

func ecdhWork(c ecdh.Curve) uint64 {
	for _, known := range curves {
		if known.ecdh == c {
			return curveWork(known.name)
		}
	}
	return edwards
}

// keySize is what a key takes in memory besides its secret, in bytes: a private RSA
// key of 4,096 bits with what Go computes in advance.
const keySize = 8 << 10

func secretSize(k *key) int {
	secret, _ := k.material.([]byte)
	return len(secret)
}

// piece is how many bytes are hashed or encrypted between two looks at the
// account: 0.1 ms. Each is one run of machine code that nothing can interrupt.
const piece = 64 << 10

// maxWhole is the largest text in bytes that AES-GCM takes. Go has no way to give
// it a text in pieces, and 8 MiB take 6 ms.
const maxWhole = 8 << 20

// whole admits a text to an operation that cannot be divided.
func whole(account *budget.Account, text []byte) error {
	if len(text) > maxWhole {
		return invalid(invalidParameter, "%d bytes; AES-GCM takes at most %d here", len(text), maxWhole)
	}
	if err := account.Hold(2 * (len(text) + aes.BlockSize)); err != nil {
		return err
	}
	return account.Check()
}

// copied is a copy of a text with an end behind it.
func copied(account *budget.Account, text, end []byte) ([]byte, error) {
	if err := account.Hold(len(text) + len(end)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(text)+len(end))
	for len(text) > piece {
		out, text = append(out, text[:piece]...), text[piece:]
	}
	return append(append(out, text...), end...), nil
}

// inPieces transforms a text in place.
func inPieces(account *budget.Account, text []byte, transform func(to, from []byte)) error {
	for len(text) > 0 {
		part := text[:min(len(text), piece)]
		if err := account.ChargeEach(len(part), budget.Scan); err != nil {
			return err
		}
		transform(part, part)
		text = text[len(part):]
	}
	return nil
}

func digest(account *budget.Account, h crypto.Hash, data []byte) ([]byte, error) {
	return sumOf(account, h.New(), data)
}

// sumOf hashes a text.
func sumOf(account *budget.Account, sum hash.Hash, data []byte) ([]byte, error) {
	for len(data) > 0 {
		part := data[:min(len(data), piece)]
		if err := account.ChargeEach(len(part), budget.Scan); err != nil {
			return nil, err
		}
		sum.Write(part)
		data = data[len(part):]
	}
	return sum.Sum(nil), nil
}

// hashedByte is hashing one byte where instructions for it are missing: 3 ns.
const hashedByte = 24

// deriveHKDF is crypto/hkdf, charged before: it hashes the information anew for
// each block, and cannot be interrupted.
func deriveHKDF(account *budget.Account, h crypto.Hash, secret, salt []byte, info string, size int) ([]byte, error) {
	blocks := size/h.Size() + 1
	if blocks*len(info) > maxInfoWork {
		return nil, invalid(invalidParameter, "%d bytes of information for %d bytes of key are too much work", len(info), size)
	}
	if err := account.ChargeEach(blocks, 2*iterationWork(h)+uint64(len(info))*hashedByte); err != nil {
		return nil, err
	}
	if err := account.ChargeEach(len(salt)+len(secret), hashedByte); err != nil {
		return nil, err
	}
	if err := account.Hold(size + len(info)); err != nil {
		return nil, err
	}
	out, err := hkdf.Key(h.New, secret, salt, info, size)
	if err != nil {
		return nil, failed("%v", err)
	}
	return out, nil
}

// maxInfoWork is how many bytes of HKDF's information are hashed in one go, over
// all blocks: 0.1 s.
const maxInfoWork = 32 << 20

// iterationWork is one iteration of PBKDF2: 190 ns with SHA-256, 590 ns with
// SHA-512.
func iterationWork(h crypto.Hash) uint64 {
	switch h {
	case crypto.SHA384, crypto.SHA512:
		return 4_800
	}
	return 2_200
}

// derivePBKDF2 is crypto/pbkdf2, which cannot be interrupted, with charges in its loop.
func derivePBKDF2(account *budget.Account, h crypto.Hash, secret, salt []byte, iterations, size int) ([]byte, error) {
	const between = 200 // iterations for each charge
	mac := hmac.New(h.New, secret)
	var out, u []byte
	for block := uint32(1); len(out) < size; block++ {
		// The salt is hashed anew for each block.
		if err := account.Charge(iterationWork(h) + uint64(len(salt))*hashedByte); err != nil {
			return nil, err
		}
		mac.Reset()
		mac.Write(salt)
		mac.Write(binary.BigEndian.AppendUint32(nil, block))
		u = mac.Sum(u[:0])
		t := append([]byte(nil), u...)
		for n := 1; n < iterations; n++ {
			if n%between == 1 {
				if err := account.ChargeEach(min(between, iterations-n), iterationWork(h)); err != nil {
					return nil, err
				}
			}
			mac.Reset()
			mac.Write(u)
			u = mac.Sum(u[:0])
			for i, b := range u {
				t[i] ^= b
			}
		}
		out = append(out, t...)
	}
	return out[:size], nil
}
