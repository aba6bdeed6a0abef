package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
)

// Every reading call reserves what it builds and charges what it looks at: a
// hostile file ends it at its limits, and an honest one stays far below them.
func TestReadingEndsAtTheAccount(t *testing.T) {
	s := newStage(t, nil)
	a := s.open(t, Want{Read: true, Write: true})
	write := func(name, text string) *string {
		if err := os.WriteFile(filepath.Join(s.work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return &name
	}
	empty, wide := write("empty", strings.Repeat("\n", 1<<20)), write("wide", strings.Repeat(strings.Repeat(",", 999)+"x\n", 1000))
	long := write("long", strings.Repeat("ab", 1<<20))
	many := make([]float64, 20_000)
	for i := range many {
		many[i] = 1000
	}
	pattern, comma, old := "(a|b)*c", ",", "a"
	for name, call := range map[string]func(*budget.Account) error{
		"readText": func(c *budget.Account) error {
			_, _, err := a.Read.ReadText(t.Context(), c, []byte(*long), nil)
			return err
		},
		"lineCount": func(c *budget.Account) error { _, err := a.Read.LineCount(t.Context(), c, PathArgs{empty}); return err },
		"sort": func(c *budget.Account) error {
			_, err := a.Read.Sort(t.Context(), c, SortArgs{Path: empty})
			return err
		},
		"unique": func(c *budget.Account) error {
			_, err := a.Read.Sort(t.Context(), c, SortArgs{Path: wide, Unique: true, CaseInsensitive: true})
			return err
		},
		"cut": func(c *budget.Account) error {
			_, err := a.Read.Cut(t.Context(), c, CutArgs{Path: wide, Fields: many, Delimiter: &comma})
			return err
		},
		"cut by a pattern": func(c *budget.Account) error {
			_, err := a.Read.Cut(t.Context(), c, CutArgs{Path: wide, Fields: many, Delimiter: &comma, Regex: true})
			return err
		},
		"grep": func(c *budget.Account) error {
			_, err := a.Read.Grep(t.Context(), c, GrepArgs{Path: long, Pattern: &pattern})
			return err
		},
		"search": func(c *budget.Account) error {
			_, err := a.Read.Search(t.Context(), c, SearchArgs{Pattern: &pattern})
			return err
		},
		"append": func(c *budget.Account) error {
			_, err := a.Write.AppendText(t.Context(), c, WriteArgs{long, "x"})
			return err
		},
		"edit": func(c *budget.Account) error {
			_, err := a.Write.EditText(t.Context(), c, EditArgs{Path: long, Old: &old, New: "aaaa", ReplaceAll: true})
			return err
		},
	} {
		c := budget.NewAccount(t.Context(), 1<<50, 1<<20)
		if call(c); !errors.Is(c.Err(), budget.ErrMemory) {
			t.Errorf("%s in 1 MiB: %v", name, c.Err())
		}
		c = budget.NewAccount(t.Context(), 2_000_000, 1<<40)
		if call(c); !errors.Is(c.Err(), budget.ErrFuel) || c.Spent() > 2_000_000 {
			t.Errorf("%s with little fuel: %v, %d spent", name, c.Err(), c.Spent())
		}
	}
}

// What is found in a file does not keep the file.
func TestSearchHoldsWhatItFinds(t *testing.T) {
	s := newStage(t, nil)
	a := s.open(t, Want{Read: true})
	for n := range 20 {
		if err := os.WriteFile(filepath.Join(s.work, fmt.Sprint("big", n)), []byte(strings.Repeat("x\n", 100_000)+"needle\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pattern := "needle"
	c := budget.NewAccount(t.Context(), 1<<50, 4<<20) // one file with its lines takes 1.8 MB
	hits, err := a.Read.Search(t.Context(), c, SearchArgs{Pattern: &pattern})
	if err != nil || len(hits) != 20 || hits[19].Text != "needle" {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	if free := c.Free(); free < 3<<20 {
		t.Errorf("%d bytes are left of 4 MiB", free)
	}
}
