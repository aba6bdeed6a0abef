package subtle

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/subtle"
	"encoding/binary"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Encrypt serves crypto.encrypt.
func (s *Store) Encrypt() hostcall.Handler {
	return operation(func(r *Request, data []byte) (reply, error) {
		k, err := s.use(r.account, r.Key, r.Algorithm.Name, "encrypt")
		if err != nil {
			return reply{}, err
		}
		out, err := s.encrypted(r.account, k, r.Algorithm, data)
		return reply{blob: notNil(out)}, err
	})
}

// Decrypt serves crypto.decrypt.
func (s *Store) Decrypt() hostcall.Handler {
	return operation(func(r *Request, data []byte) (reply, error) {
		k, err := s.use(r.account, r.Key, r.Algorithm.Name, "decrypt")
		if err != nil {
			return reply{}, err
		}
		out, err := decrypted(r.account, k, r.Algorithm, data)
		return reply{blob: notNil(out)}, err
	})
}

// notNil keeps an empty answer an answer in bytes.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (s *Store) encrypted(account *budget.Account, k *key, a Algorithm, data []byte) ([]byte, error) {
	switch m := k.material.(type) {
	case []byte:
		switch k.algorithm.Name {
		case "AES-GCM":
			gcm, err := gcmOf(m, a)
			if err == nil {
				err = whole(account, data)
			}
			if err != nil {
				return nil, err
			}
			sealed := gcm.Seal(nil, a.IV, data, a.AdditionalData)
			return sealed[:len(sealed)-aes.BlockSize+tagBytes(a)], nil
		case "AES-CBC":
			block, err := cbcOf(m, a)
			if err != nil {
				return nil, err
			}
			pad := aes.BlockSize - len(data)%aes.BlockSize
			out, err := copied(account, data, bytes.Repeat([]byte{byte(pad)}, pad))
			if err != nil {
				return nil, err
			}
			return out, inPieces(account, out, cipher.NewCBCEncrypter(block, a.IV).CryptBlocks)
		case "AES-CTR":
			return ctr(account, m, a, data)
		}
	case *rsa.PublicKey:
		out, err := rsa.EncryptOAEP(hashes[k.algorithm.Hash.Name].New(), s.random, m, data, a.Label)
		if err != nil {
			return nil, failed("%v", err)
		}
		return out, nil
	}
	return nil, invalid(invalidAccess, "the key does not encrypt")
}

// decrypted says no more than that it did not work: what exactly is wrong with a
// ciphertext helps only whoever forged it.
func decrypted(account *budget.Account, k *key, a Algorithm, data []byte) ([]byte, error) {
	switch m := k.material.(type) {
	case []byte:
		switch k.algorithm.Name {
		case "AES-GCM":
			return gcmOpen(account, m, a, data)
		case "AES-CBC":
			block, err := cbcOf(m, a)
			if err != nil {
				return nil, err
			}
			if len(data) == 0 || len(data)%aes.BlockSize != 0 {
				return nil, failed("it does not decrypt")
			}
			out, err := copied(account, data, nil)
			if err == nil {
				err = inPieces(account, out, cipher.NewCBCDecrypter(block, a.IV).CryptBlocks)
			}
			if err != nil {
				return nil, err
			}
			pad := int(out[len(out)-1])
			if pad < 1 || pad > aes.BlockSize || !bytes.Equal(out[len(out)-pad:], bytes.Repeat([]byte{byte(pad)}, pad)) {
				return nil, failed("it does not decrypt")
			}
			return out[:len(out)-pad], nil
		case "AES-CTR":
			return ctr(account, m, a, data)
		}
	case *rsa.PrivateKey:
		out, err := rsa.DecryptOAEP(hashes[k.algorithm.Hash.Name].New(), nil, m, data, a.Label)
		if err != nil {
			return nil, failed("it does not decrypt")
		}
		return out, nil
	}
	return nil, invalid(invalidAccess, "the key does not decrypt")
}

func tagBytes(a Algorithm) int {
	if a.TagLength == nil {
		return aes.BlockSize
	}
	return *a.TagLength / 8
}

// gcmOf returns GCM with its full tag. Go offers short tags from 12 bytes on and
// Web Crypto from 4, so shorter ones are cut from, and checked against, the full
// one here.
func gcmOf(secret []byte, a Algorithm) (cipher.AEAD, error) {
	if len(a.IV) == 0 {
		return nil, invalid(invalidParameter, "iv is missing")
	}
	if a.TagLength != nil {
		switch *a.TagLength {
		case 32, 64, 96, 104, 112, 120, 128:
		default:
			return nil, invalid(invalidParameter, "tagLength %d", *a.TagLength)
		}
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, invalid(invalidKey, "%v", err)
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, len(a.IV))
	if err != nil {
		return nil, invalid(invalidParameter, "%v", err)
	}
	return gcm, nil
}

func gcmOpen(account *budget.Account, secret []byte, a Algorithm, data []byte) ([]byte, error) {
	gcm, err := gcmOf(secret, a)
	if err == nil {
		err = whole(account, data)
	}
	if err != nil {
		return nil, err
	}
	n := tagBytes(a)
	if len(data) < n {
		return nil, failed("it does not decrypt")
	}
	if n == aes.BlockSize {
		out, err := gcm.Open(nil, a.IV, data, a.AdditionalData)
		if err != nil {
			return nil, failed("it does not decrypt")
		}
		return out, nil
	}
	// GCM is a stream cipher: sealing the ciphertext gives the plain text, and
	// sealing that gives the full tag.
	body, tag := data[:len(data)-n], data[len(data)-n:]
	plain := gcm.Seal(nil, a.IV, body, a.AdditionalData)[:len(body)]
	again := gcm.Seal(nil, a.IV, plain, a.AdditionalData)
	if subtle.ConstantTimeCompare(again[len(body):len(body)+n], tag) != 1 {
		return nil, failed("it does not decrypt")
	}
	return plain, nil
}

func cbcOf(secret []byte, a Algorithm) (cipher.Block, error) {
	if len(a.IV) != aes.BlockSize {
		return nil, invalid(invalidParameter, "an iv of %d bytes; AES-CBC takes %d", len(a.IV), aes.BlockSize)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, invalid(invalidKey, "%v", err)
	}
	return block, nil
}

// ctr counts in the last a.Length bits of the counter block; the others stay.
func ctr(account *budget.Account, secret []byte, a Algorithm, data []byte) ([]byte, error) {
	if len(a.Counter) != aes.BlockSize || a.Length < 1 || a.Length > 128 {
		return nil, invalid(invalidParameter, "a counter of %d bytes and %d bits; AES-CTR takes %d bytes and 1 to 128 bits", len(a.Counter), a.Length, aes.BlockSize)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, invalid(invalidKey, "%v", err)
	}
	blocks := (uint64(len(data)) + aes.BlockSize - 1) / aes.BlockSize
	if a.Length < 64 && blocks > 1<<a.Length {
		return nil, invalid(invalidParameter, "a counter of %d bits repeats within %d bytes", a.Length, len(data))
	}
	out, err := copied(account, data, nil)
	if err != nil {
		return nil, err
	}
	if a.Length == 128 {
		return out, inPieces(account, out, cipher.NewCTR(block, a.Counter).XORKeyStream)
	}
	// Go counts in all 128 bits: where the shorter counter wraps, start anew.
	at := len(data)
	if first := untilWrap(a.Counter, a.Length); first < blocks {
		at = int(first) * aes.BlockSize
	}
	if err := inPieces(account, out[:at], cipher.NewCTR(block, a.Counter).XORKeyStream); err != nil || at == len(data) {
		return out, err
	}
	return out, inPieces(account, out[at:], cipher.NewCTR(block, wrapped(a.Counter, a.Length)).XORKeyStream)
}

// untilWrap is how many blocks come before the counter's bits are all zero
// again; more than any text holds when the counter is long.
func untilWrap(counter []byte, bits int) uint64 {
	low := binary.BigEndian.Uint64(counter[8:])
	if bits < 64 {
		return 1<<bits - low&(1<<bits-1)
	}
	high := binary.BigEndian.Uint64(counter[:8])
	if mask := uint64(1)<<(bits-64) - 1; high&mask != mask {
		return 1 << 62
	}
	if low == 0 {
		return 1 << 62
	}
	return -low
}

// wrapped is the counter block with its counting bits at zero.
func wrapped(counter []byte, bits int) []byte {
	out := bytes.Clone(counter)
	for i := range bits {
		out[len(out)-1-i/8] &^= 1 << (i % 8)
	}
	return out
}
