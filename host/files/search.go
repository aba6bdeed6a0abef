package files

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strings"
	"syscall"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// FindArgs is a search for names.
type FindArgs struct {
	Dir      *string `json:"dir"`
	Glob     string  `json:"glob"`
	MaxDepth float64 `json:"maxDepth"`
	Type     *string `json:"type"`
}

// depthOr is how deep a walk goes: 1 is the directory's own entries, and what is
// not above zero means all the way.
func depthOr(depth float64) int {
	if !(depth >= 1) || depth > maxDepth {
		return math.MaxInt
	}
	return int(depth)
}

// Find returns what lies below a directory and has a name that fits a glob, in
// the order of a walk.
func (r *Reader) Find(ctx context.Context, account *budget.Account, a FindArgs) ([]string, error) {
	glob, err := compileGlob(a.Glob)
	if err != nil {
		return nil, refuse(hostcall.InvalidInput, "find-invalid-glob", "%v", err)
	}
	if a.Type != nil && *a.Type != "" && *a.Type != "file" && *a.Type != "dir" {
		return nil, refuse(hostcall.InvalidInput, "find-invalid-type", "the type is file, dir or left out")
	}
	dir, p, err := r.lookup(orHome(a.Dir))
	if err != nil {
		return nil, err
	}
	found := []string{}
	err = walk(ctx, account, dir, depthOr(a.MaxDepth), func(at spot, e fs.DirEntry) error {
		if !glob.MatchString(e.Name()) || !ofType(e, a.Type) {
			return nil
		}
		if len(found) == maxResults {
			return errTooMany
		}
		found = append(found, r.display(at))
		return nil
	})
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(hostcall.InvalidInput, "find-not-a-directory", "%q is not a directory", p)
	}
	if err != nil {
		return nil, failed(p, err)
	}
	return found, nil
}

func ofType(e fs.DirEntry, want *string) bool {
	switch {
	case want == nil || *want == "":
		return true
	case *want == "dir":
		return e.IsDir()
	}
	return e.Type().IsRegular()
}

// SearchArgs is a search in many files.
type SearchArgs struct {
	Dir             *string `json:"dir"`
	Glob            string  `json:"glob"`
	Pattern         *string `json:"pattern"`
	CaseInsensitive bool    `json:"caseInsensitive"`
	MaxDepth        float64 `json:"maxDepth"`
	Limit           float64 `json:"limit"`
}

// Hit is a line in which the pattern was found.
type Hit struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// defaultHits is how many hits a search returns unless it says otherwise.
const defaultHits = 1000

// Search returns the lines below a directory in which a pattern is found. Files
// that are not text are skipped.
func (r *Reader) Search(ctx context.Context, account *budget.Account, a SearchArgs) ([]Hit, error) {
	if a.Pattern == nil || *a.Pattern == "" {
		return nil, refuse(hostcall.InvalidInput, "search-pattern-required", "a pattern is needed")
	}
	pattern, err := compilePattern(account, *a.Pattern, a.CaseInsensitive)
	if err != nil {
		return nil, badPattern(account, "search-invalid-pattern", err)
	}
	glob, err := compileGlob(a.Glob)
	if err != nil {
		return nil, refuse(hostcall.InvalidInput, "search-invalid-glob", "%v", err)
	}
	dir, p, err := r.lookup(orHome(a.Dir))
	if err != nil {
		return nil, err
	}
	limit, hits, read, kept := limitOr(a.Limit, defaultHits), []Hit{}, 0, 0
	err = walk(ctx, account, dir, depthOr(a.MaxDepth), func(at spot, e fs.DirEntry) error {
		if !e.Type().IsRegular() || !glob.MatchString(e.Name()) {
			return nil
		}
		content, err := at.text(account)
		if errors.Is(err, errTooLarge) {
			return failed(r.display(at), err)
		}
		if account.Err() != nil {
			return err
		}
		if err != nil {
			return nil // not text, or not to be opened
		}
		if read += len(content); read > maxSearch {
			return errTooMany
		}
		lines, err := splitLines(account, stringOf(content))
		if err != nil {
			return err
		}
		defer account.Drop(cap(content) + lineSize*cap(lines)) // what is found is copied
		for i, line := range lines {
			found, err := pattern.in(account, line)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			if kept += len(line); kept > maxFile {
				return errTooMany
			}
			if err := account.Hold(len(line) + entrySize); err != nil {
				return err
			}
			hits = append(hits, Hit{r.display(at), i + 1, strings.Clone(line)})
			if len(hits) == limit {
				return fs.SkipAll
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist):
		return nil, refuse(hostcall.InvalidInput, "search-not-a-directory", "%q is not a directory", p)
	case err != nil && !errors.Is(err, fs.SkipAll):
		return nil, failed(p, err)
	}
	return hits, nil
}
