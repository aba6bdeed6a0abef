package text

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

func reason(err error) string {
	var e *hostcall.Error
	if errors.As(err, &e) && e.Kind == hostcall.InvalidInput {
		return e.Reason
	}
	return ""
}

func TestBase64(t *testing.T) {
	for binary, want := range map[string]string{"": "", "a": "YQ==", "Hello": "SGVsbG8=", "\u00e9\u00ff\u0000": "6f8A"} {
		got, _, err := Btoa(t.Context(), budgettest.Ample(), []byte(binary), nil)
		if err != nil || string(got) != want {
			t.Errorf("btoa %q: %s, %v", binary, got, err)
		}
		back, _, err := Atob(t.Context(), budgettest.Ample(), got, nil)
		if err != nil || string(back) != binary {
			t.Errorf("atob %s: %q, %v", got, back, err)
		}
	}
	// After the WHATWG's forgiving-base64 decode.
	for text, want := range map[string]string{
		" SGVs bG8\n=\t\f\r ": "Hello", "SGVsbG8": "Hello", "YQ": "a", "YR==": "a", "": "", " ": "",
		"a": "!", "=": "!", "====": "!", "YQ=": "!", "YQ===": "!", "Y=Q=": "!", "SGVs-G8=": "!", "SGVs_G8=": "!", "é": "!", "YQ==YQ==": "!", "abcde": "!", "ab\u00a0cd": "!", "ab==\v": "!",
	} {
		got, _, err := Atob(t.Context(), budgettest.Ample(), []byte(text), nil)
		if want == "!" {
			if reason(err) != "invalid-base64" {
				t.Errorf("atob %q: %q, %v", text, got, err)
			}
		} else if err != nil || string(got) != want {
			t.Errorf("atob %q: %q, %v", text, got, err)
		}
	}
	if got, _, err := Btoa(t.Context(), budgettest.Ample(), []byte("a가"), nil); reason(err) != "non-latin-1" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestEncodeInto(t *testing.T) {
	for text, want := range map[string]string{"3\nabcd": "3 abc", "3\né€": "1 é", "4\n😀x": "2 😀", "3\n😀x": "0 ", "0\na": "0 ", "9\n": "0 ", "9\na\nb": "3 a\nb"} {
		read, written, err := EncodeInto(t.Context(), budgettest.Ample(), []byte(text), nil)
		if got := string(read) + " " + string(written); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "abc", "-1\nx", "x\ny"} {
		if _, _, err := EncodeInto(t.Context(), budgettest.Ample(), []byte(text), nil); reason(err) != "invalid-argument" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func decode(t testing.TB, d *Decoders, r decodeRequest, data string) (string, error) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := d.Decode(t.Context(), budgettest.Ample(), text, []byte(data))
	return string(out), err
}

// What a mistake becomes is that of the Encoding Standard.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ label, bytes, want string }{
		{"utf-8", "a\xc3\xa9\xf0\x9f\x98\x80", "aé😀"},
		{"utf-8", "\xef\xbb\xbfa\ufeff", "a\ufeff"},
		{"utf-8", "\xf0\x9f\x98a\xc0\x80\xed\xa0\x80\xff", "!\ufffda\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"},
		{"utf-8", "a\xe2\x82", "!a\ufffd"},
		{"utf-8", "\xef\xbf\xbd", "\ufffd"},
		{"utf-16le", "\xff\xfea\x00=\xd8\x00\xde", "a😀"},
		{"utf-16", "a\x00", "a"},
		{"utf-16be", "\xfe\xff\x00a\xd8=\xde\x00", "a😀"},
		{"utf-16le", "\x00\xdc\x00\xdca\x00", "!\ufffd\ufffda"},
		{"utf-16le", "\x00\xd8a\x00\x00\xd8", "!\ufffda\ufffd"},
		{"utf-16le", "a\x00b", "!a\ufffd"},
		{"latin1", "\x80\xe9", "€é"},
		{"iso-8859-2", "\xb1", "ą"},
		{"windows-1251", "\xcf\xf0", "Пр"},
		{"euc-kr", "\xb0\xa1\xc7\xd1", "가한"},
		{"shift_jis", "\x93\xfa\x96\x7b", "日本"},
		{"euc-jp", "\xc6\xfc", "日"},
		{"iso-2022-jp", "\x1b$BF|K\\\x1b(B!", "日本!"},
		{"gbk", "\xc4\xe3", "你"},
		{"gb18030", "\x81\x30\x81\x30", "\u0080"},
		{"big5", "\xa7\x41", "你"},
		{"koi8-r", "\xf2", "Р"},
		{"macintosh", "\x80", "Ä"},
		{"x-user-defined", "\x80\xff", "\uf780\uf7ff"},
		{"euc-kr", "\xff", "!\ufffd"},
	} {
		want, bad := strings.CutPrefix(c.want, "!")
		got, err := decode(t, NewDecoders(), decodeRequest{Label: c.label}, c.bytes)
		if err != nil || got != want {
			t.Errorf("%s %q: %q, %v, want %q", c.label, c.bytes, got, err, want)
		}
		got, err = decode(t, NewDecoders(), decodeRequest{Label: c.label, Fatal: true}, c.bytes)
		if bad && reason(err) != "invalid-data" || !bad && got != want {
			t.Errorf("fatal %s %q: %q, %v", c.label, c.bytes, got, err)
		}
		// In pieces of one byte it must come out the same.
		d := NewDecoders()
		whole := ""
		for i := range len(c.bytes) {
			piece, err := decode(t, d, decodeRequest{Label: c.label, Stream: true, ID: 7}, c.bytes[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			whole += piece
		}
		last, err := decode(t, d, decodeRequest{Label: c.label, ID: 7}, "")
		if whole += last; err != nil || whole != want || len(d.streams) != 0 {
			t.Errorf("%s %q in pieces: %q, %v, %d streams, want %q", c.label, c.bytes, whole, err, len(d.streams), want)
		}
	}
	if got, err := decode(t, NewDecoders(), decodeRequest{Label: "utf-8", IgnoreBOM: true}, "\xef\xbb\xbfa"); err != nil || got != "\ufeffa" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLabels(t *testing.T) {
	for label, want := range map[string]string{"UTF8": "utf-8", " latin1\n": "windows-1252", "ascii": "windows-1252", "sjis": "shift_jis", "ks_c_5601-1987": "euc-kr", "utf-16": "utf-16le", "cp866": "ibm866", "big5-hkscs": "big5"} {
		if got, _, err := Label(t.Context(), budgettest.Ample(), []byte(label), nil); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", label, got, err)
		}
	}
	for _, label := range []string{"", "utf-7", "replacement", "iso-2022-kr", "nope", strings.Repeat("x", 1<<20)} {
		if got, _, err := Label(t.Context(), budgettest.Ample(), []byte(label), nil); reason(err) != "unknown-encoding" || len(err.Error()) > 300 {
			t.Errorf("%.20q: %q, %v", label, got, err)
		}
	}
}

func TestStreamsAreCounted(t *testing.T) {
	d := NewDecoders()
	for id := range maxStreams {
		if _, err := decode(t, d, decodeRequest{Label: "utf-8", Stream: true, ID: id}, "a"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := decode(t, d, decodeRequest{Label: "utf-8", Stream: true, ID: maxStreams}, "a"); reason(err) != "too-many-streams" {
		t.Error(err)
	}
	if got, err := decode(t, d, decodeRequest{Label: "utf-8", ID: maxStreams}, "a"); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
}

// The standard library reads what we write, and the other way round.
func FuzzBase64(f *testing.F) {
	f.Add([]byte("Hello"), "SGVsbG8=")
	f.Add([]byte{0, 255}, "YR==")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		binary := make([]rune, len(raw))
		for i, b := range raw {
			binary[i] = rune(b)
		}
		encoded, _, err := Btoa(t.Context(), budgettest.Ample(), []byte(string(binary)), nil)
		if err != nil || string(encoded) != base64.StdEncoding.EncodeToString(raw) {
			t.Errorf("btoa: %s, %v", encoded, err)
		}
		back, _, err := Atob(t.Context(), budgettest.Ample(), encoded, nil)
		if err != nil || string(back) != string(binary) {
			t.Errorf("atob: %q, %v", back, err)
		}
		theirs, wrong := base64.StdEncoding.Strict().DecodeString(text)
		ours, _, err := Atob(t.Context(), budgettest.Ample(), []byte(text), nil)
		if wrong == nil && !strings.ContainsAny(text, "\r\n") && (err != nil || utf8.RuneCount(ours) != len(theirs)) {
			t.Errorf("%q: %q, %v", text, ours, err)
		}
	})
}

// Every decoder writes UTF-8 whatever it is given, and the same in two pieces.
func FuzzDecode(f *testing.F) {
	for _, label := range []string{"utf-8", "utf-16le", "utf-16be", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "windows-1252", "x-user-defined"} {
		f.Add(label, []byte("a\xc3\xa9\xff\xfe\x1b$B\x81\x30\x81\x30"), 3)
	}
	f.Fuzz(func(t *testing.T, label string, data []byte, at int) {
		if _, err := htmlindex.Get(label); err != nil || at < 0 || at > len(data) {
			return
		}
		whole, err := decode(t, NewDecoders(), decodeRequest{Label: label}, string(data))
		if err != nil {
			return // the replacement encoding
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%q is no UTF-8", whole)
		}
		d := NewDecoders()
		first, err1 := decode(t, d, decodeRequest{Label: label, Stream: true}, string(data[:at]))
		second, err2 := decode(t, d, decodeRequest{Label: label}, string(data[at:]))
		if err := errors.Join(err1, err2); err != nil || first+second != whole {
			t.Errorf("%s %q at %d: %q + %q, %v; whole %q", label, data, at, first, second, err, whole)
		}
		if label == "utf-8" {
			strict, err := decode(t, NewDecoders(), decodeRequest{Label: label, Fatal: true, IgnoreBOM: true}, string(data))
			if (err == nil) != utf8.Valid(data) || err == nil && !slices.Equal([]byte(strict), data) {
				t.Errorf("fatal %q: %q, %v", data, strict, err)
			}
			if !bytes.Contains(data, []byte{0x80}) && utf8.Valid(data) && strings.TrimPrefix(string(data), "\ufeff") != whole {
				t.Errorf("%q became %q", data, whole)
			}
		}
	})
}
