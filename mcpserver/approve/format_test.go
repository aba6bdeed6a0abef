package approve

import (
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// What a newer program has written is refused, and not touched.
func TestNewerApprovalsAreRefused(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 { // made, and found
		if _, err := OpenDesk(t.Context(), s, Settings{}, time.Now); err != nil {
			t.Fatal(err)
		}
	}
	b, err := s.Bucket(t.Context(), store.BucketConfig{Name: secretName, MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Get(t.Context(), formatKey)
	if err != nil || string(e.Value) != "1" {
		t.Fatalf("%+v, %v", e, err)
	}
	if _, err := b.Update(t.Context(), formatKey, []byte("2"), e.Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDesk(t.Context(), s, Settings{}, time.Now); err == nil || !strings.Contains(err.Error(), `format "2"`) {
		t.Errorf("opened: %v", err)
	}
}

func TestPlacesHaveAVersion(t *testing.T) {
	for place, want := range map[string]string{string(placeOf("tray.ab")): "tray.ab", "tray.ab": "tray.ab"} {
		if got, err := trayAt([]byte(place)); got != want || err != nil {
			t.Errorf("%s: %s, %v", place, got, err)
		}
	}
	if got, err := trayAt([]byte("2 tray.ab")); err == nil {
		t.Errorf("a newer one: %s", got)
	}
}
