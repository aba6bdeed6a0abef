//go:build wycheproof

package subtle

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The attack vectors of Project Wycheproof, 110 MB that the ordinary tests do
// without. go downloads and checks them: make eval-crypto.
const wycheproof = "github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a"

type hexBytes []byte

func (h *hexBytes) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	var err error
	*h, err = hex.DecodeString(s)
	return err
}

type group struct {
	TagSize, IVSize, KeySize int
	Sha, MgfSha, Curve       string
	SLen                     int
	PublicKeyDer             hexBytes
	PrivateKeyPkcs8          hexBytes
	PublicKeyJwk             json.RawMessage
	Tests                    []vector
}

type vector struct {
	TcID                                   int
	Comment, Result                        string
	Flags                                  []string
	Key, IV, AAD, Msg, Ct, Tag, Sig, Label hexBytes
	Ikm, Salt, Info, Okm, Password, Dk     hexBytes
	Size, IterationCount, DkLen            int
	Public, Private                        json.RawMessage
	Shared                                 hexBytes
}

// attempt runs a vector and says whether what came out is what the vector has.
type attempt func(t *testing.T, g group, v vector) bool

func TestWycheproof(t *testing.T) {
	out, err := exec.Command("go", "mod", "download", "-json", wycheproof).Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	suites := map[string]attempt{
		"aes_gcm": tryGCM, "aes_cbc_pkcs5": tryCBC,
		"hmac_sha1": tryHMAC("SHA-1"), "hmac_sha256": tryHMAC("SHA-256"), "hmac_sha384": tryHMAC("SHA-384"), "hmac_sha512": tryHMAC("SHA-512"),
		"hkdf_sha1": tryHKDF("SHA-1"), "hkdf_sha256": tryHKDF("SHA-256"), "hkdf_sha384": tryHKDF("SHA-384"), "hkdf_sha512": tryHKDF("SHA-512"),
		"pbkdf2_hmacsha1": tryPBKDF2("SHA-1"), "pbkdf2_hmacsha256": tryPBKDF2("SHA-256"), "pbkdf2_hmacsha384": tryPBKDF2("SHA-384"), "pbkdf2_hmacsha512": tryPBKDF2("SHA-512"),
		"ecdsa_secp256r1_sha256_p1363": tryVerify("ECDSA", "P-256"), "ecdsa_secp256r1_sha512_p1363": tryVerify("ECDSA", "P-256"),
		"ecdsa_secp384r1_sha384_p1363": tryVerify("ECDSA", "P-384"), "ecdsa_secp384r1_sha512_p1363": tryVerify("ECDSA", "P-384"), "ecdsa_secp521r1_sha512_p1363": tryVerify("ECDSA", "P-521"),
		"ed25519": tryVerify("Ed25519", ""), "x25519_jwk": tryAgree("X25519"),
		"ecdh_secp256r1_webcrypto": tryAgree("ECDH"), "ecdh_secp384r1_webcrypto": tryAgree("ECDH"), "ecdh_secp521r1_webcrypto": tryAgree("ECDH"),
		"rsa_oaep_2048_sha1_mgf1sha1": tryOAEP, "rsa_oaep_2048_sha256_mgf1sha256": tryOAEP, "rsa_oaep_3072_sha512_mgf1sha512": tryOAEP,
		"rsa_pss_2048_sha256_mgf1_32": tryVerify("RSA-PSS", ""), "rsa_pss_4096_sha512_mgf1_32": tryVerify("RSA-PSS", ""), "rsa_pss_2048_sha1_mgf1_20": tryVerify("RSA-PSS", ""),
		"rsa_signature_2048_sha256": tryVerify("RSASSA-PKCS1-v1_5", ""), "rsa_signature_3072_sha512": tryVerify("RSASSA-PKCS1-v1_5", ""), "rsa_signature_4096_sha256": tryVerify("RSASSA-PKCS1-v1_5", ""),
	}
	for name, try := range suites {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(module.Dir, "testvectors_v1", name+"_test.json"))
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				TestGroups []group
			}
			if err := json.Unmarshal(text, &file); err != nil {
				t.Fatal(err)
			}
			ran := 0
			for _, g := range file.TestGroups {
				for _, v := range g.Tests {
					ran++
					got := try(t, g, v)
					if v.IterationCount > maxIterations {
						continue // RFC 6070's 16,777,216 are more than one call may make
					}
					if v.Result != "acceptable" && got != (v.Result == "valid") {
						t.Errorf("%d %s %v: %v, want %s", v.TcID, v.Comment, v.Flags, got, v.Result)
					}
				}
			}
			if ran == 0 {
				t.Error("no vectors")
			}
			t.Logf("%d vectors", ran)
		})
	}
}

func try(t *testing.T, h func() ([]byte, []byte, error)) ([]byte, bool) {
	t.Helper()
	_, blob, err := h()
	if err != nil && reason(err) == "" {
		t.Errorf("%v is no refusal", err)
	}
	return blob, err == nil
}

func tryGCM(t *testing.T, g group, v vector) bool {
	s := New(rand.Reader)
	k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "AES-GCM"}}, v.Key)
	request := object{"key": k.Handle, "algorithm": object{"name": "AES-GCM", "iv": []byte(v.IV), "additionalData": []byte(v.AAD), "tagLength": g.TagSize}}
	plain, ok := try(t, func() ([]byte, []byte, error) {
		return ask(t, s.Decrypt(), request, append(append([]byte{}, v.Ct...), v.Tag...))
	})
	if !ok || string(plain) != string(v.Msg) {
		return false
	}
	sealed, ok := try(t, func() ([]byte, []byte, error) { return ask(t, s.Encrypt(), request, v.Msg) })
	return ok && string(sealed) == string(v.Ct)+string(v.Tag)
}

func tryCBC(t *testing.T, _ group, v vector) bool {
	s := New(rand.Reader)
	k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "AES-CBC"}}, v.Key)
	request := object{"key": k.Handle, "algorithm": object{"name": "AES-CBC", "iv": []byte(v.IV)}}
	plain, ok := try(t, func() ([]byte, []byte, error) { return ask(t, s.Decrypt(), request, v.Ct) })
	return ok && string(plain) == string(v.Msg)
}

// tryHMAC compares as many bytes as a vector has: Web Crypto does not cut.
func tryHMAC(hash string) attempt {
	return func(t *testing.T, g group, v vector) bool {
		s := New(rand.Reader)
		k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "HMAC", "hash": hash}}, v.Key)
		mac, ok := try(t, func() ([]byte, []byte, error) {
			return ask(t, s.Sign(), object{"key": k.Handle, "algorithm": object{"name": "HMAC"}}, v.Msg)
		})
		return ok && string(mac[:g.TagSize/8]) == string(v.Tag)
	}
}

func tryHKDF(hash string) attempt {
	return func(t *testing.T, _ group, v vector) bool {
		return derives(t, v.Ikm, object{"name": "HKDF", "hash": hash, "salt": []byte(v.Salt), "info": []byte(v.Info)}, v.Size, v.Okm)
	}
}

func tryPBKDF2(hash string) attempt {
	return func(t *testing.T, _ group, v vector) bool {
		return derives(t, v.Password, object{"name": "PBKDF2", "hash": hash, "salt": []byte(v.Salt), "iterations": v.IterationCount}, v.DkLen, v.Dk)
	}
}

func derives(t *testing.T, secret []byte, algorithm object, size int, want []byte) bool {
	t.Helper()
	s := New(rand.Reader)
	k := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": algorithm["name"]}}, secret)
	out, ok := try(t, func() ([]byte, []byte, error) {
		return ask(t, s.DeriveBits(), object{"key": k.Handle, "algorithm": algorithm, "length": 8 * size}, nil)
	})
	return ok && string(out) == string(want)
}

func tryVerify(name, curve string) attempt {
	return func(t *testing.T, g group, v vector) bool {
		s := New(rand.Reader)
		algorithm := object{"name": name, "namedCurve": curve, "hash": g.Sha, "saltLength": g.SLen}
		k := askKey(t, s.Import(), object{"format": "spki", "algorithm": algorithm}, g.PublicKeyDer)
		text, _, err := ask(t, s.Verify(), object{"key": k.Handle, "algorithm": algorithm, "second": len(v.Sig)}, append(append([]byte{}, v.Msg...), v.Sig...))
		return err == nil && string(text) == "true"
	}
}

func tryAgree(name string) attempt {
	return func(t *testing.T, g group, v vector) bool {
		s := New(rand.Reader)
		imported := func(jwk json.RawMessage, usages ...string) (int, bool) {
			text, _, err := ask(t, s.Import(), object{"format": "jwk", "algorithm": object{"name": name, "namedCurve": g.Curve}, "jwk": jwk, "usages": append([]string{}, usages...)}, nil)
			if err != nil {
				if reason(err) == "" {
					t.Errorf("%v is no refusal", err)
				}
				return 0, false
			}
			var k Key
			if err := json.Unmarshal(text, &k); err != nil {
				t.Fatal(err)
			}
			return k.Handle, true
		}
		public, ok1 := imported(v.Public)
		private, ok2 := imported(v.Private, "deriveBits")
		if !ok1 || !ok2 {
			return false
		}
		shared, ok := try(t, func() ([]byte, []byte, error) {
			return ask(t, s.DeriveBits(), object{"key": private, "algorithm": object{"name": name, "public": public}}, nil)
		})
		return ok && string(shared) == string(v.Shared)
	}
}

func tryOAEP(t *testing.T, g group, v vector) bool {
	s := New(rand.Reader)
	algorithm := object{"name": "RSA-OAEP", "hash": g.Sha, "label": []byte(v.Label)}
	k := askKey(t, s.Import(), object{"format": "pkcs8", "algorithm": algorithm}, g.PrivateKeyPkcs8)
	plain, ok := try(t, func() ([]byte, []byte, error) {
		return ask(t, s.Decrypt(), object{"key": k.Handle, "algorithm": algorithm}, v.Ct)
	})
	return ok && string(plain) == string(v.Msg)
}
