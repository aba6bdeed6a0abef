package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzHead: of a head that somebody has written to, only what the key's holder wrote is
// read.
func FuzzHead(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	key := make([]byte, keyLength)
	h := headFile{key: key}
	at := position{count: 3, last: hash{1}, size: 99}
	reach := position{count: 4, last: hash{2}, size: 120}
	good := append(append([]byte(headMagic), h.encode(nil, committed, at)...), h.encode(nil, intended, reach)...)
	if err := os.WriteFile(keyName(path), key, 0o600); err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(headMagic)+slotLength])
	f.Add(append(append([]byte(headMagic), good[len(headMagic)+slotLength:]...), good[len(headMagic):]...)) // the slots exchanged
	f.Add([]byte("gbhead\x00\x02"))
	f.Add(append(good[:len(headMagic)+slotLength:len(headMagic)+slotLength], make([]byte, slotLength)...))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(headName(path), content, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := openHead(path, os.O_RDWR)
		if err != nil {
			return
		}
		defer h.file.Close()
		if got, err := h.read(committed); err == nil && got != at {
			t.Errorf("%q: ends at %+v", content, got)
		}
		if got, err := h.read(intended); err == nil && got != reach && got != (position{}) {
			t.Errorf("%q: reaches %+v", content, got)
		}
	})
}
