package media_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/media"
)

func noise(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return base64.StdEncoding.EncodeToString(data)
}

func text(of string, n int) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(of, n/len(of)+1)))
}

// TestOnlyBinaryContentIsCut: in every place of the protocol that holds it, and
// nowhere else. A text in base64 stays, with a stray byte in it as well.
func TestOnlyBinaryContentIsCut(t *testing.T) {
	picture := noise(1, 3000)
	for _, tc := range []struct {
		name, object string
		cut          bool
	}{
		{"a picture", `{"content":[{"type":"text","text":"x"},{"type":"image","data":"` + picture + `"}]}`, true},
		{"an embedded resource", `{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"` + picture + `"}}]}`, true},
		{"a resource", `{"contents":[{"uri":"a:b","blob":"` + picture + `"}]}`, true},
		{"a prompt", `{"messages":[{"role":"user","content":{"type":"audio","data":"` + picture + `"}}]}`, true},
		{"a message with a list", `{"messages":[{"role":"user","content":[{"type":"image","data":"` + picture + `"}]}]}`, true},
		{"a short one", `{"content":[{"type":"image","data":"` + picture[:400] + `"}]}`, false},
		{"structured content", `{"structuredContent":{"data":"` + picture + `"}}`, false},
		{"no base64", `{"content":[{"type":"image","data":"` + picture + `!"}]}`, false},
		{"a text", `{"content":[{"type":"image","data":"` + text("password = hunter2\n", 3000) + `"}]}`, false},
		{"a text with stray bytes", `{"content":[{"type":"image","data":"` + text("password = hunter2, or another\xff", 3000) + `"}]}`, false},
		{"no string", `{"content":[{"type":"image","data":[1]}],"blob":1}`, false},
	} {
		c := media.From([]byte(tc.object))
		if got := slices.Collect(c.Pieces()); tc.cut != (len(got) == 1 && got[0] == `"`+picture+`"`) || !tc.cut && string(c.Text) != tc.object {
			t.Errorf("%s: cut %.60q", tc.name, got)
		}
		if back, same := c.Restore(c.Text); !same || string(back) != tc.object {
			t.Errorf("%s: came back as %.80s", tc.name, back)
		}
	}
}

// TestATextThatLostAPlaceIsNotRestored: a picture must not land anywhere else.
func TestATextThatLostAPlaceIsNotRestored(t *testing.T) {
	c := media.From([]byte(`{"content":[{"data":"` + noise(1, 3000) + `"}]}`))
	for _, other := range []string{`{}`, `{"content":[]}`, `{"content":[{"data":"x"}]}`} {
		if got, same := c.Restore([]byte(other)); same {
			t.Errorf("%s became %.60s", other, got)
		}
	}
}

// TestOffsetsAreThoseOfTheObject: a place behind a picture is found in what came.
func TestOffsetsAreThoseOfTheObject(t *testing.T) {
	object := []byte(`{"content":[{"data":"` + noise(1, 2000) + `"},{"text":"first"},{"data":"` + noise(2, 5000) + `"},{"text":"second"}]}`)
	c := media.From(object)
	for _, word := range []string{"content", "first", "second"} {
		if at := c.Offset(bytes.Index(c.Text, []byte(word))); at != bytes.Index(object, []byte(word)) {
			t.Errorf("%s: %d", word, at)
		}
	}
}

func FuzzCutAndRestore(f *testing.F) {
	f.Add([]byte(`{"content":[{"data":"` + noise(3, 1200) + `"}],"content":[{"data":""}]}`))
	f.Add([]byte(`{"messages":[{"content":[{"resource":{"blob":"` + noise(4, 1200) + `","blob":""}}]}]}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		if !json.Valid(object) {
			return
		}
		c := media.From(object)
		if !json.Valid(c.Text) {
			t.Fatalf("%q became %q", object, c.Text)
		}
		if back, same := c.Restore(c.Text); !same || !bytes.Equal(back, object) {
			t.Fatalf("%q came back as %q", object, back)
		}
	})
}
