package egress

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
)

var placeholders = regexp.MustCompile(`\[REDACTED(?::[a-z0-9-]+(?:#[0-9]+)?)?\]`)

// judge says whether the secret of a row is gone, and whether every byte outside
// the secret is still there.
func judge(row samples.Row, out string) (gone, kept bool) {
	gone = true
	var outside strings.Builder
	end := 0
	for _, h := range row.Hidden {
		outside.WriteString(row.Text[end:h[0]])
		end = h[1]
		part := row.Text[h[0]:h[1]]
		if half := len(part) / 2; half >= 5 {
			gone = gone && !strings.Contains(out, part[:half]) && !strings.Contains(out, part[half:])
		} else if len(row.Hidden) == 1 {
			gone = gone && !strings.Contains(out, part)
		}
	}
	outside.WriteString(row.Text[end:])
	rest := placeholders.ReplaceAllString(out, "")
	kept = rest == outside.String()
	if !kept {
		// What is left of the secret is no damage: only what is missing is.
		kept = strings.Contains(rest, row.Text) || subsequence(outside.String(), rest)
	}
	return gone, kept
}

// subsequence reports whether all bytes of s occur in text in order.
func subsequence(s, text string) bool {
	for i := range len(s) {
		j := strings.IndexByte(text, s[i])
		if j < 0 {
			return false
		}
		text = text[j+1:]
	}
	return true
}

type tally struct{ rows, gone, kept int }

func (t tally) String() string {
	return fmt.Sprintf("%5d texts  %5.1f %% gone  %5.1f %% undamaged", t.rows, 100*float64(t.gone)/float64(t.rows), 100*float64(t.kept)/float64(t.rows))
}

// score cleans rows and counts by context and by language.
func score(t *testing.T, s *Sanitiser, rows []samples.Row) (all tally, contexts map[string]*tally) {
	t.Helper()
	verbose := os.Getenv("EVAL_SHOW")
	contexts = map[string]*tally{}
	for _, row := range rows {
		out, _ := s.Text(session(), Place{}, row.Text)
		gone, kept := judge(row, out)
		for _, key := range []string{row.Context, "language " + row.Language} {
			c := contexts[key]
			if c == nil {
				c = &tally{}
				contexts[key] = c
			}
			c.rows++
			c.gone += count(gone)
			c.kept += count(kept)
		}
		all.rows++
		all.gone += count(gone)
		all.kept += count(kept)
		if verbose != "" && (!gone || !kept) && (verbose == "all" || strings.Contains(row.Context, verbose)) {
			t.Logf("%s/%s/%s gone %v kept %v\n%q\n%q", row.Context, row.Format, row.Language, gone, kept, row.Text, out)
		}
	}
	return all, contexts
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The bars of unpublished material, which this stands in for.
const (
	leastGone       = 0.97
	leastPerContext = 0.85
)

func TestContexts(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(20, 27))
	for _, set := range []struct {
		name string
		rows []samples.Row
	}{
		{"contexts", samples.Rows(random, 12)},
		{"held out", samples.HeldOut(random, 12)},
	} {
		all, contexts := score(t, s, set.rows)
		worst := slices.SortedFunc(maps.Keys(contexts), func(a, b string) int {
			x, y := contexts[a], contexts[b]
			return cmp.Or(cmp.Compare(float64(x.gone)/float64(x.rows), float64(y.gone)/float64(y.rows)), cmp.Compare(a, b))
		})
		t.Logf("%s: %v", set.name, all)
		for _, name := range worst {
			c := contexts[name]
			if c.gone < c.rows || c.kept < c.rows {
				t.Logf("  %-32s %v", name, *c)
			}
			if c.rows >= 24 && float64(c.gone) < leastPerContext*float64(c.rows) {
				t.Errorf("%s: %v, want at least %.0f %% gone", name, *c, 100*leastPerContext)
			}
		}
		if float64(all.gone) < leastGone*float64(all.rows) || all.kept < all.rows {
			t.Errorf("%s: %v, want at least %.0f %% gone and all undamaged", set.name, all, 100*leastGone)
		}
	}
}
