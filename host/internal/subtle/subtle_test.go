package subtle

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// unhex reads bytes that stand in a document with spaces and line breaks.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ask makes a host call as the guest does.
func ask(t testing.TB, h hostcall.Handler, r map[string]any, data []byte) ([]byte, []byte, error) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return h(t.Context(), budgettest.Ample(), text, data)
}

func askBytes(t testing.TB, h hostcall.Handler, r map[string]any, data []byte) []byte {
	t.Helper()
	_, out, err := ask(t, h, r, data)
	if err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	return out
}

func askKey(t testing.TB, h hostcall.Handler, r map[string]any, data []byte) Key {
	t.Helper()
	text, _, err := ask(t, h, r, data)
	if err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	var k Key
	if err := json.Unmarshal(text, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

func reason(err error) string {
	var e *hostcall.Error
	if errors.As(err, &e) && e.Helper == Helper {
		return e.Reason
	}
	return ""
}

type object = map[string]any

// FIPS 180-4's example.
func TestDigest(t *testing.T) {
	s := New(rand.Reader)
	for name, want := range map[string]string{
		"SHA-1":   "a9993e364706816aba3e25717850c26c9cd0d89d",
		"sha-256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"SHA-384": "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
		"SHA-512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
	} {
		if got := hex.EncodeToString(askBytes(t, s.Digest(), object{"algorithm": object{"name": name}}, []byte("abc"))); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := hex.EncodeToString(askBytes(t, s.Digest(), object{"algorithm": object{"name": "SHA-1"}}, nil)); got != "da39a3ee5e6b4b0d3255bfef95601890afd80709" {
		t.Errorf("nothing: %s", got)
	}
	for name, want := range map[string]string{"MD5": unsupportedAlgorithm, "SHA-224": unsupportedAlgorithm, "": missingArgs} {
		if _, _, err := ask(t, s.Digest(), object{"algorithm": object{"name": name}}, nil); reason(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// RFC 4231, test case 2.
func TestHMAC(t *testing.T) {
	s := New(rand.Reader)
	data := []byte("what do ya want for nothing?")
	for hash, want := range map[string]string{
		"SHA-256": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		"SHA-384": "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
		"SHA-512": "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
	} {
		k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "hmac", "hash": object{"name": hash}}, "usages": []string{"sign", "verify"}}, []byte("Jefe"))
		mac := askBytes(t, s.Sign(), object{"algorithm": object{"name": "HMAC"}, "key": k.Handle}, data)
		if hex.EncodeToString(mac) != want {
			t.Errorf("%s: %x", hash, mac)
		}
		for i, ok := range []string{"true", "false", "false"} {
			signature := slices.Clone(mac)
			if i == 1 {
				signature[0]++
			} else if i == 2 {
				signature = signature[:len(signature)-1]
			}
			text, _, err := ask(t, s.Verify(), object{"algorithm": object{"name": "HMAC"}, "key": k.Handle, "second": len(signature)}, append(slices.Clone(data), signature...))
			if err != nil || string(text) != ok {
				t.Errorf("%s verify %d: %s, %v", hash, i, text, err)
			}
		}
	}
}

// McGrew and Viega, GCM test case 4; NIST SP 800-38A F.2.1 and F.5.1.
func TestAES(t *testing.T) {
	s := New(rand.Reader)
	const blocks = `6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710`
	for _, c := range []struct {
		name, key, plain, cipher string
		algorithm                object
	}{
		{"AES-GCM", "feffe9928665731c6d6a8f9467308308",
			"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
			"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091 5bc94fbc3221a5db94fae95ae7121a47",
			object{"iv": unhex(t, "cafebabefacedbaddecaf888"), "additionalData": unhex(t, "feedfacedeadbeeffeedfacedeadbeefabaddad2")}},
		{"AES-CTR", "2b7e151628aed2a6abf7158809cf4f3c", blocks,
			"874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff 5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee",
			object{"counter": unhex(t, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), "length": 64}},
		{"AES-CBC", "2b7e151628aed2a6abf7158809cf4f3c", blocks,
			// the last block is PKCS #7's, which the publication does not add
			"7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2 73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7 8cb82807230e1321d3fae00d18cc2012",
			object{"iv": unhex(t, "000102030405060708090a0b0c0d0e0f")}},
	} {
		c.algorithm["name"] = c.name
		k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": c.name}}, unhex(t, c.key))
		request := object{"algorithm": c.algorithm, "key": k.Handle}
		sealed := askBytes(t, s.Encrypt(), request, unhex(t, c.plain))
		if !bytes.Equal(sealed, unhex(t, c.cipher)) {
			t.Errorf("%s: %x", c.name, sealed)
		}
		if plain := askBytes(t, s.Decrypt(), request, sealed); !bytes.Equal(plain, unhex(t, c.plain)) {
			t.Errorf("%s: back %x", c.name, plain)
		}
		if c.name == "AES-CTR" {
			continue // has nothing to notice with
		}
		sealed[len(sealed)-1]++
		if _, _, err := ask(t, s.Decrypt(), request, sealed); reason(err) != operationFailed {
			t.Errorf("%s: a changed ciphertext: %v", c.name, err)
		}
	}
}

// A counter that wraps goes on as a counter of its own length.
func TestCTRWraps(t *testing.T) {
	s := New(rand.Reader)
	k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "AES-CTR"}}, make([]byte, 16))
	stream := func(counter string, bits, n int) []byte {
		return askBytes(t, s.Encrypt(), object{"key": k.Handle, "algorithm": object{"name": "AES-CTR", "counter": unhex(t, counter), "length": bits}}, make([]byte, n))
	}
	for bits, counters := range map[int][2]string{
		8:   {"000000000000000000000000000001ff", "00000000000000000000000000000100"},
		64:  {"0000000000000001ffffffffffffffff", "00000000000000010000000000000000"},
		72:  {"00000000000001ffffffffffffffffff", "00000000000001000000000000000000"},
		128: {"ffffffffffffffffffffffffffffffff", "00000000000000000000000000000000"},
		3:   {"00000000000000000000000000000017", "00000000000000000000000000000010"},
	} {
		got := stream(counters[0], bits, 40)
		want := append(stream(counters[0], 128, 16), stream(counters[1], 128, 24)...)
		if !bytes.Equal(got, want) {
			t.Errorf("%d bits: %x, want %x", bits, got, want)
		}
	}
	if _, _, err := ask(t, s.Encrypt(), object{"key": k.Handle, "algorithm": object{"name": "AES-CTR", "counter": make([]byte, 16), "length": 1}}, make([]byte, 33)); reason(err) != invalidParameter {
		t.Errorf("a key stream that repeats: %v", err)
	}
}

// RFC 6070 case 2, RFC 7914 section 11, RFC 5869 cases 1 and 3.
func TestDerivation(t *testing.T) {
	s := New(rand.Reader)
	for _, c := range []struct {
		secret    []byte
		algorithm object
		want      string
	}{
		{[]byte("password"), object{"name": "PBKDF2", "hash": "SHA-1", "salt": []byte("salt"), "iterations": 2}, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"},
		{[]byte("passwd"), object{"name": "PBKDF2", "hash": "SHA-256", "salt": []byte("salt"), "iterations": 1},
			"55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"},
		{bytes.Repeat([]byte{0x0b}, 22), object{"name": "HKDF", "hash": "SHA-256", "salt": unhex(t, "000102030405060708090a0b0c"), "info": unhex(t, "f0f1f2f3f4f5f6f7f8f9")},
			"3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
		{bytes.Repeat([]byte{0x0b}, 22), object{"name": "HKDF", "hash": "SHA-256", "salt": []byte{}, "info": []byte{}},
			"8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"},
	} {
		k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": c.algorithm["name"]}, "usages": []string{"deriveBits"}}, c.secret)
		got := askBytes(t, s.DeriveBits(), object{"algorithm": c.algorithm, "key": k.Handle, "length": 4 * len(c.want)}, nil)
		if hex.EncodeToString(got) != c.want {
			t.Errorf("%v: %x", c.algorithm, got)
		}
		if k.Extractable {
			t.Error("a password can be exported")
		}
	}
}

// RFC 8032 test 2 and RFC 7748 section 6.1.
func TestEdwardsAndMontgomery(t *testing.T) {
	s := New(rand.Reader)
	public := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "Ed25519"}}, unhex(t, "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
	signature := unhex(t, "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
	text, _, err := ask(t, s.Verify(), object{"algorithm": object{"name": "Ed25519"}, "key": public.Handle, "second": 64}, append([]byte{0x72}, signature...))
	if err != nil || string(text) != "true" {
		t.Errorf("%s, %v", text, err)
	}
	private := askKey(t, s.Import(), object{"format": "jwk", "algorithm": object{"name": "Ed25519"}, "jwk": object{
		"kty": "OKP", "crv": "Ed25519", "d": b64(unhex(t, "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")), "x": b64(unhex(t, "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))}}, nil)
	if got := askBytes(t, s.Sign(), object{"algorithm": object{"name": "Ed25519"}, "key": private.Handle}, []byte{0x72}); !bytes.Equal(got, signature) {
		t.Errorf("%x", got)
	}

	bob := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "X25519"}, "usages": []string{}}, unhex(t, "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
	alice := askKey(t, s.Import(), object{"format": "jwk", "algorithm": object{"name": "X25519"}, "jwk": object{
		"kty": "OKP", "crv": "X25519", "d": b64(unhex(t, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")), "x": b64(unhex(t, "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))}}, nil)
	shared := askBytes(t, s.DeriveBits(), object{"algorithm": object{"name": "X25519", "public": bob.Handle}, "key": alice.Handle}, nil)
	if hex.EncodeToString(shared) != "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742" {
		t.Errorf("%x", shared)
	}
}
