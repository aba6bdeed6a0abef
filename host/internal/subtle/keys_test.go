package subtle

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// algorithms are all that keys can be made of, with what is needed to use them.
var algorithms = []struct {
	generate object
	use      object // of sign, encrypt or derive; nil when the name is enough
	formats  map[string]string
}{
	{object{"name": "HMAC", "hash": "SHA-512"}, nil, map[string]string{"secret": "raw jwk"}},
	{object{"name": "AES-GCM", "length": 256}, object{"iv": make([]byte, 12), "tagLength": 96}, map[string]string{"secret": "raw jwk"}},
	{object{"name": "AES-CBC", "length": 128}, object{"iv": make([]byte, 16)}, map[string]string{"secret": "raw jwk"}},
	{object{"name": "AES-CTR", "length": 192}, object{"counter": make([]byte, 16), "length": 32}, map[string]string{"secret": "raw jwk"}},
	{object{"name": "ECDSA", "namedCurve": "P-256"}, object{"hash": "SHA-256"}, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{object{"name": "ECDSA", "namedCurve": "P-384"}, object{"hash": "SHA-384"}, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{object{"name": "ECDSA", "namedCurve": "P-521"}, object{"hash": "SHA-512"}, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{object{"name": "ECDH", "namedCurve": "P-256"}, nil, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{object{"name": "ECDH", "namedCurve": "P-384"}, nil, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{object{"name": "Ed25519"}, nil, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{object{"name": "X25519"}, nil, map[string]string{"public": "raw spki jwk", "private": "pkcs8 jwk"}},
	{rsaKey("RSA-OAEP"), object{"label": []byte("l")}, map[string]string{"public": "spki jwk", "private": "pkcs8 jwk"}},
	{rsaKey("RSA-PSS"), object{"saltLength": 32}, map[string]string{"public": "spki jwk", "private": "pkcs8 jwk"}},
	{rsaKey("RSASSA-PKCS1-v1_5"), nil, map[string]string{"public": "spki jwk", "private": "pkcs8 jwk"}},
}

func rsaKey(name string) object {
	return object{"name": name, "hash": "SHA-256", "modulusLength": 1024, "publicExponent": []byte{1, 0, 1}}
}

// Every kind of key is made, exported and imported in every format it has, and
// what one copy of it does the other undoes.
func TestEveryKeyInEveryFormat(t *testing.T) {
	for _, a := range algorithms {
		s := New(rand.Reader)
		name := a.generate["name"].(string)
		text, _, err := ask(t, s.Generate(), object{"algorithm": a.generate, "extractable": true}, nil)
		if err != nil {
			t.Errorf("%v: %v", a.generate, err)
			continue
		}
		var made pair
		if err := json.Unmarshal(text, &made); err != nil {
			t.Fatal(err)
		}
		keys := map[string]Key{"public": made.Public, "private": made.Private}
		if made.Private.Type == "" {
			var secret Key
			if err := json.Unmarshal(text, &secret); err != nil {
				t.Fatal(err)
			}
			keys = map[string]Key{"secret": secret}
		}
		use := object{"name": name}
		for k, v := range a.use {
			use[k] = v
		}
		for kind, formats := range a.formats {
			k := keys[kind]
			if k.Type != kind || !k.Extractable || k.Algorithm.Name != name {
				t.Errorf("%s: made %+v", name, k)
			}
			for _, format := range []string{"raw", "spki", "pkcs8", "jwk", "pem"} {
				text, blob, err := ask(t, s.Export(), object{"format": format, "key": k.Handle}, nil)
				if !slices.Contains(strings.Fields(formats), format) {
					if reason(err) != unsupportedFormat {
						t.Errorf("%s %s as %s: %s %x, %v", name, kind, format, text, blob, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s %s as %s: %v", name, kind, format, err)
					continue
				}
				again := object{"format": format, "algorithm": a.generate, "extractable": true, "usages": k.Usages}
				if format == "jwk" {
					again["jwk"] = json.RawMessage(text)
				}
				copied := askKey(t, s.Import(), again, blob)
				if copied.Type != kind || !slices.Equal(copied.Usages, k.Usages) || copied.Algorithm.Length != k.Algorithm.Length {
					t.Errorf("%s as %s: %+v, was %+v", name, format, copied, k)
				}
				undo(t, s, use, keys, copied)
			}
		}
	}
}

// undo uses a copy of one key with the others.
func undo(t *testing.T, s *Store, use object, keys map[string]Key, copied Key) {
	t.Helper()
	data := []byte("the quick brown fox")
	of := func(kind string) int {
		if copied.Type == kind || copied.Type == "secret" {
			return copied.Handle
		}
		return keys[kind].Handle
	}
	switch name := use["name"].(string); {
	case slices.Contains(families[name].secret, "sign"):
		signature := askBytes(t, s.Sign(), object{"algorithm": use, "key": of("private")}, data)
		text, _, err := ask(t, s.Verify(), object{"algorithm": use, "key": of("public"), "second": len(signature)}, append(slices.Clone(data), signature...))
		if err != nil || string(text) != "true" {
			t.Errorf("%v: %s, %v", use, text, err)
		}
		signature[len(signature)/2] ^= 1
		text, _, err = ask(t, s.Verify(), object{"algorithm": use, "key": of("public"), "second": len(signature)}, append(slices.Clone(data), signature...))
		if err != nil || string(text) != "false" {
			t.Errorf("%v: a changed signature: %s, %v", use, text, err)
		}
	case slices.Contains(families[name].secret, "decrypt"):
		sealed := askBytes(t, s.Encrypt(), object{"algorithm": use, "key": of("public")}, data)
		if plain := askBytes(t, s.Decrypt(), object{"algorithm": use, "key": of("private")}, sealed); !bytes.Equal(plain, data) {
			t.Errorf("%v: %q", use, plain)
		}
	default:
		text, _, err := ask(t, s.Generate(), object{"algorithm": object{"name": name, "namedCurve": copied.Algorithm.NamedCurve}}, nil)
		var other pair
		if err != nil || json.Unmarshal(text, &other) != nil {
			t.Fatal(err)
		}
		agree := func(private, public int) []byte {
			return askBytes(t, s.DeriveBits(), object{"algorithm": object{"name": name, "public": public}, "key": private}, nil)
		}
		if a, b := agree(of("private"), other.Public.Handle), agree(other.Private.Handle, of("public")); !bytes.Equal(a, b) || len(a) < 32 {
			t.Errorf("%v: %x and %x", use, a, b)
		}
	}
}

func TestWrapping(t *testing.T) {
	s := New(rand.Reader)
	inner := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "HMAC"}, "extractable": true}, []byte("secret"))
	outer := askKey(t, s.Generate(), object{"algorithm": object{"name": "AES-GCM", "length": 128}}, nil)
	use := object{"name": "AES-GCM", "iv": make([]byte, 12)}
	for _, format := range []string{"raw", "jwk"} {
		wrapped := askBytes(t, s.Wrap(), object{"format": format, "key": inner.Handle, "wrapping": outer.Handle, "algorithm": use}, nil)
		again := askKey(t, s.Unwrap(), object{"format": format, "wrapping": outer.Handle, "algorithm": use, "derived": object{"name": "HMAC"}, "extractable": true}, wrapped)
		if raw := askBytes(t, s.Export(), object{"format": "raw", "key": again.Handle}, nil); string(raw) != "secret" {
			t.Errorf("%s: %q", format, raw)
		}
	}
	if _, _, err := ask(t, s.Export(), object{"format": "raw", "key": outer.Handle}, nil); reason(err) != invalidAccess {
		t.Errorf("a key that is not extractable: %v", err)
	}
	if _, _, err := ask(t, s.Wrap(), object{"format": "raw", "key": outer.Handle, "wrapping": outer.Handle, "algorithm": use}, nil); reason(err) != invalidAccess {
		t.Errorf("a key that is not extractable, wrapped: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	s := New(rand.Reader)
	hmac := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "HMAC"}, "usages": []string{"verify"}}, []byte("k")).Handle
	gcm := askKey(t, s.Generate(), object{"algorithm": object{"name": "AES-GCM", "length": 128}}, nil).Handle
	password := askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": "PBKDF2"}}, []byte("p")).Handle
	handlers := map[string]func() ([]byte, []byte, error){}
	add := func(want string, run func() ([]byte, []byte, error)) {
		handlers[want+strings.Repeat(" ", len(handlers))] = run
	}
	imports := func(r object, data []byte) func() ([]byte, []byte, error) {
		return func() ([]byte, []byte, error) { return ask(t, s.Import(), r, data) }
	}
	add(unsupportedAlgorithm, imports(object{"format": "raw", "algorithm": object{"name": "DES"}}, []byte("x")))
	add(invalidKey, imports(object{"format": "pkcs8", "algorithm": rsaKey("RSA-PSS")}, make([]byte, maxDER+1)))
	add(unsupportedFormat, imports(object{"format": "spki", "algorithm": object{"name": "HMAC"}}, []byte("x")))
	add(unsupportedFormat, imports(object{"format": "raw", "algorithm": object{"name": "RSA-PSS"}}, []byte("x")))
	add(unsupportedHash, imports(object{"format": "raw", "algorithm": object{"name": "HMAC", "hash": "MD5"}}, []byte("x")))
	add(invalidKey, imports(object{"format": "raw", "algorithm": object{"name": "HMAC"}}, nil))
	add(invalidKey, imports(object{"format": "raw", "algorithm": object{"name": "AES-GCM"}}, []byte("x")))
	add(invalidKey, imports(object{"format": "raw", "algorithm": object{"name": "Ed25519"}}, []byte("x")))
	add(invalidKey, imports(object{"format": "raw", "algorithm": object{"name": "ECDH", "namedCurve": "P-256"}}, bytes.Repeat([]byte{4}, 65)))
	add(unsupportedAlgorithm, imports(object{"format": "raw", "algorithm": object{"name": "ECDH", "namedCurve": "P-1"}}, []byte("x")))
	add(invalidAccess, imports(object{"format": "raw", "algorithm": object{"name": "HMAC"}, "usages": []string{"encrypt"}}, []byte("x")))
	add(invalidAccess, imports(object{"format": "raw", "algorithm": object{"name": "HMAC"}, "usages": []string{}}, []byte("x")))
	add(invalidKey, imports(object{"format": "jwk", "algorithm": object{"name": "HMAC"}, "jwk": object{"kty": "oct", "k": "a+b"}}, nil))
	add(invalidKey, imports(object{"format": "jwk", "algorithm": object{"name": "HMAC"}, "jwk": object{"kty": "oct", "k": "YQ", "ext": false}, "extractable": true}, nil))
	add(invalidKey, imports(object{"format": "jwk", "algorithm": rsaKey("RSA-PSS"), "jwk": object{"kty": "RSA", "n": strings.Repeat("A", 100_000), "e": "AQAB"}}, nil))
	add(invalidKey, imports(object{"format": "jwk", "algorithm": rsaKey("RSA-PSS"), "jwk": object{"kty": "RSA", "n": "AQAB", "e": "AQAB"}}, nil))
	add(invalidAccess, func() ([]byte, []byte, error) {
		return ask(t, s.Sign(), object{"algorithm": object{"name": "HMAC"}, "key": hmac}, nil)
	})
	add(invalidAccess, func() ([]byte, []byte, error) {
		return ask(t, s.Encrypt(), object{"algorithm": object{"name": "AES-CBC"}, "key": gcm}, nil)
	})
	add(invalidKey, func() ([]byte, []byte, error) {
		return ask(t, s.Encrypt(), object{"algorithm": object{"name": "AES-GCM"}, "key": 99}, nil)
	})
	add(invalidKey, func() ([]byte, []byte, error) {
		return ask(t, s.Encrypt(), object{"algorithm": object{"name": "AES-GCM"}, "key": -1}, nil)
	})
	for _, bad := range []object{{}, {"iv": make([]byte, 12), "tagLength": 100}, {"iv": make([]byte, 12), "tagLength": -8}} {
		bad["name"] = "AES-GCM"
		add(invalidParameter, func() ([]byte, []byte, error) { return ask(t, s.Encrypt(), object{"algorithm": bad, "key": gcm}, nil) })
	}
	for _, bad := range []object{{"iterations": 0}, {"iterations": maxIterations + 1}, {"iterations": maxIterations, "bits": maxDerived}, {"iterations": 1, "bits": 7}, {"iterations": 1, "bits": -8}, {"iterations": 1, "bits": 1 << 40}} {
		bits := 256
		if b, ok := bad["bits"].(int); ok {
			bits = b
		}
		add(invalidParameter, func() ([]byte, []byte, error) {
			return ask(t, s.DeriveBits(), object{"algorithm": object{"name": "PBKDF2", "iterations": bad["iterations"]}, "key": password, "length": bits}, nil)
		})
	}
	for _, bad := range []object{{"modulusLength": 512}, {"modulusLength": 1 << 20}, {"modulusLength": 1025}, {"modulusLength": 1024, "publicExponent": []byte{3}}} {
		bad["name"] = "RSA-OAEP"
		add(invalidParameter, func() ([]byte, []byte, error) { return ask(t, s.Generate(), object{"algorithm": bad}, nil) })
	}
	add(missingArgs, func() ([]byte, []byte, error) {
		return ask(t, s.Verify(), object{"algorithm": object{"name": "HMAC"}, "key": hmac, "second": 9}, []byte("x"))
	})
	add(missingArgs, func() ([]byte, []byte, error) { return s.Sign()(t.Context(), budgettest.Ample(), []byte("{"), nil) })
	for want, run := range handlers {
		if text, blob, err := run(); reason(err) != strings.TrimSpace(want) {
			t.Errorf("want %s: %s %x, %v", strings.TrimSpace(want), text, blob, err)
		}
	}
}

func TestKeysAreCounted(t *testing.T) {
	s := New(rand.Reader)
	r := object{"format": "raw", "algorithm": object{"name": "HMAC"}}
	for range maxKeys {
		askKey(t, s.Import(), r, []byte("k"))
	}
	if _, _, err := ask(t, s.Import(), r, []byte("k")); reason(err) != tooManyKeys {
		t.Error(err)
	}
}

// Whatever a guest sends, the answer is bytes, JSON or a refusal.
func FuzzOperations(f *testing.F) {
	for i, a := range algorithms {
		if name := a.generate["name"].(string); strings.HasPrefix(name, "RSA") {
			continue // making one takes a fuzzer's whole time
		}
		text, err := json.Marshal(object{"algorithm": a.generate, "usages": []string{"sign"}, "format": "raw"})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, string(text), []byte("0123456789abcdef"))
	}
	f.Add(3, `{"algorithm":{"name":"AES-CTR","counter":"AAAAAAAAAAAAAAAAAAAAAA==","length":1},"key":1}`, make([]byte, 33))
	f.Add(9, `{"format":"jwk","algorithm":{"name":"ECDSA","namedCurve":"P-256"},"jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}`, []byte{})
	f.Add(9, `{"format":"pkcs8","algorithm":{"name":"RSA-PSS"}}`, []byte{0x30, 0x82})
	f.Fuzz(func(t *testing.T, op int, text string, data []byte) {
		if strings.Contains(text, "modulusLength") || strings.Contains(text, "iterations") {
			return // bounded, but slow
		}
		s := New(rand.Reader)
		for _, name := range []string{"HMAC", "AES-CTR", "AES-GCM", "AES-CBC"} {
			askKey(t, s.Import(), object{"format": "raw", "algorithm": object{"name": name}, "extractable": true}, make([]byte, 16))
		}
		all := []hostcall.Handler{
			s.Digest(), s.Sign(), s.Verify(), s.Encrypt(), s.Decrypt(), s.DeriveBits(), s.DeriveKey(), s.Generate(), s.Export(), s.Import(), s.Wrap(), s.Unwrap(),
		}
		reply, blob, err := all[uint(op)%uint(len(all))](t.Context(), budgettest.Ample(), []byte(text), data)
		if err != nil && reason(err) == "" {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && blob == nil && !json.Valid(reply) {
			t.Errorf("%q is no JSON", reply)
		}
	})
}
