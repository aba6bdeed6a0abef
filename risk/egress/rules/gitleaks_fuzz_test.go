package rules_test

import (
	"testing"

	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// FuzzImportGitleaks: whatever an operator was given as rules, importing ends, and what
// was imported can be compiled and used.
func FuzzImportGitleaks(f *testing.F) {
	f.Add([]byte("[[rules]]\nid = \"a\"\nregex = '''tok_[a-z]{8}'''\nkeywords = [\"tok_\"]\n"), "here is tok_abcdefgh")
	f.Add([]byte("[allowlist]\nregexes = ['''x''']\n[[rules]]\nid = \"b\"\nregex = '''(?i)key=([0-9a-f]{4})'''\nsecretGroup = 1\nentropy = 1.5\n"), "KEY=00ff")
	f.Add([]byte("[[rules]]\nid = \"c\"\nregex = '''(a+)+$'''\n"), "aaaaaaaaaaaaaaaaaaaa!")
	f.Fuzz(func(t *testing.T, text []byte, sample string) {
		if len(text) > 4<<10 || len(sample) > 4<<10 {
			return
		}
		list, skipped, err := rules.ImportGitleaks(text)
		if err != nil {
			return
		}
		for _, s := range skipped {
			if s.Reason == "" {
				t.Errorf("%q is skipped without a reason", s.ID)
			}
		}
		engine, err := egress.NewEngine(list)
		if err != nil {
			t.Fatalf("imported, and not usable: %v", err)
		}
		egress.New(engine, egress.DefaultPolicy()).Text(egress.NewSession(nil, nil), egress.Place{}, sample)
	})
}
