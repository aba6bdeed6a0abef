package publication_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

const document = `{"name": %q, "description": "Says a word.", "code": "return 'one';", "codeType": "Javascript", "draft": %v}`

// TestWhatOfAFolderIsPublished: specs that are no drafts and have a signed pass, and the
// file that says so.
func TestWhatOfAFolderIsPublished(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	key, err := passnote.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sign := func(until time.Time, names ...string) {
		t.Helper()
		s := library.Signing{Passed: map[catalog.ContentHash]passnote.Pass{}, Until: until}
		for _, name := range names {
			spec, problems := catalog.Parse(fmt.Appendf(nil, document, name, false))
			if problems.Err() != nil {
				t.Fatal(problems)
			}
			s.Passed[spec.Hash()] = passnote.Pass{Tool: name, At: now}
		}
		if err := library.SignPasses(dir, s, key, now.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(unfit bool, why string) {
		t.Helper()
		f, err := publication.Read(dir, key.Keys(), now)
		if err == nil || errors.Is(err, publication.ErrUnfit) != unfit || !strings.Contains(err.Error(), why) || f.Files != nil {
			t.Errorf("want %q, got %v with %d files", why, err, len(f.Files))
		}
	}
	refused(false, "has no specs")
	put("two.json", fmt.Sprintf(document, "two", true))
	refused(true, "every spec in")
	put("one.json", fmt.Sprintf(document, "one", false))
	refused(true, "has no signed pass")
	sign(now.Add(-time.Minute), "one")
	refused(true, "expired")
	sign(time.Time{}, "one")
	f, err := publication.Read(dir, key.Keys(), now)
	if err != nil || f.Specs != 1 || fmt.Sprint(f.Names(), f.Drafts) != "[one.json] [two.json]" || len(f.Files) != 2 || len(f.Files[passnote.Name]) == 0 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := publication.Read(dir, passnote.Keys{}, now); !errors.Is(err, publication.ErrUnfit) || !errors.Is(err, passnote.ErrUnknown) {
		t.Errorf("without the key: %v", err)
	}
	put("three.json", "{")
	refused(true, "three.json")
	dir = filepath.Join(dir, "missing")
	refused(false, "missing")
}
