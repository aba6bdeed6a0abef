package kept

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

type kept struct {
	Name  string            `json:"name"`
	Known map[string]uint64 `json:"known"`
}

// FuzzOpen: what somebody else has written into the store is refused unless it is whole,
// and of a version that is known; what is read is written as it was.
func FuzzOpen(f *testing.F) {
	b := Of[kept](nil, "a thing", 2)
	good, err := b.seal(kept{"a", map[string]uint64{"x": 1 << 63}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":3,"sha256":"","value":{}}`))
	f.Add([]byte(`{"version":1,"sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","value":{}}`))
	f.Add([]byte(`{"version":1,"sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","value":{ }}`))
	f.Add([]byte(`{"version":1,"version":0}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := b.open(text)
		if err != nil {
			return
		}
		again, err := b.seal(v)
		if err != nil {
			t.Fatal(err)
		}
		read, err := b.open(again)
		if diff := cmp.Diff(v, read); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	})
}
