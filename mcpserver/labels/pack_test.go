package labels

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/risk/live"
)

// What an earlier program kept is read; what a newer one kept is not.
func TestWhatIsKeptHasAVersion(t *testing.T) {
	want := Head{Principal: "p", Texts: 3, Head: live.Head{Label: live.Label{Untrusted: true, Origins: []string{"o"}}}}
	old, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	now, err := pack(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{old, now} {
		got, err := unpack[Head](text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{`{"version":2,"value":{}}`, `{"version":-1}`, `{"version":1}`} {
		if h, err := unpack[Head]([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, h)
		}
	}
	if _, err := unpack[Head]([]byte(`{"version":2}`)); !strings.Contains(err.Error(), "version 2") {
		t.Error(err)
	}
}

// FuzzUnpack: others may write to the store. What is read is kept again as it was.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte(`{"version":1,"value":{"label":{"untrusted":true},"principal":"p"}}`))
	f.Add([]byte(`{"principal":"p","began":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"version":2,"value":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := unpack[Head](text)
		if err != nil {
			return
		}
		again, err := pack(h)
		if err != nil {
			t.Fatal(err)
		}
		read, err := unpack[Head](again)
		second, _ := pack(read)
		if err != nil || string(again) != string(second) {
			t.Errorf("%q became %q: %v", again, second, err)
		}
	})
}
