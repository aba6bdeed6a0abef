package files

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// lineSize is what a line takes in memory besides its bytes, lineWork the fuel of
// finding one.
const (
	lineSize = 16
	lineWork = 80
)

// splitLines cuts a text at LF, CRLF and CR. A final line break adds no line. It
// holds lineSize bytes for each line that there is room for.
func splitLines(account *budget.Account, text string) ([]string, error) {
	count := 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
	if err := account.ChargeEach(count, lineWork); err != nil {
		return nil, err
	}
	if err := account.Hold(count * lineSize); err != nil {
		return nil, err
	}
	lines := make([]string, 0, count)
	for text != "" {
		end := strings.IndexAny(text, "\r\n")
		if end < 0 {
			return append(lines, text), nil
		}
		lines = append(lines, text[:end])
		if strings.HasPrefix(text[end:], "\r\n") {
			end++
		}
		text = text[end+1:]
	}
	return lines, nil
}

// stringOf is a text that nobody writes to any more, without a copy.
func stringOf(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

func (r *Reader) lines(account *budget.Account, path *string) ([]string, error) {
	content, err := r.text(account, path)
	if err != nil {
		return nil, err
	}
	return splitLines(account, stringOf(content))
}

// GrepArgs is a search in one file.
type GrepArgs struct {
	Pattern         *string `json:"pattern"`
	Path            *string `json:"path"`
	CaseInsensitive bool    `json:"caseInsensitive"`
	Numbered        bool    `json:"numbered"`
	Limit           float64 `json:"limit"`
}

// limitOr is the number of results asked for: what is not above zero means the
// default, and nothing means more than maxResults.
func limitOr(limit float64, def int) int {
	if !(limit >= 1) {
		return def
	}
	return int(min(limit, maxResults))
}

// Grep returns the lines in which a pattern is found.
func (r *Reader) Grep(_ context.Context, account *budget.Account, a GrepArgs) ([]string, error) {
	if a.Pattern == nil || *a.Pattern == "" {
		return nil, refuse(hostcall.InvalidInput, "grep-pattern-required", "a pattern is needed")
	}
	pattern, err := compilePattern(account, *a.Pattern, a.CaseInsensitive)
	if err != nil {
		return nil, badPattern(account, "grep-invalid-pattern", err)
	}
	lines, err := r.lines(account, a.Path)
	if err != nil {
		return nil, err
	}
	limit, hits := limitOr(a.Limit, maxResults), []string{}
	for i, line := range lines {
		found, err := pattern.in(account, line)
		if err != nil {
			return nil, failed(*a.Path, err)
		}
		if !found {
			continue
		}
		if err := account.Hold(len(line) + lineSize); err != nil {
			return nil, err
		}
		if a.Numbered {
			line = strconv.Itoa(i+1) + ":" + line
		}
		if hits = append(hits, line); len(hits) == limit {
			break
		}
	}
	return hits, nil
}

// LineCount counts lines.
func (r *Reader) LineCount(_ context.Context, account *budget.Account, a PathArgs) (int, error) {
	lines, err := r.lines(account, a.Path)
	return len(lines), err
}

// SliceArgs is a range of lines.
type SliceArgs struct {
	Path  *string  `json:"path"`
	Start *float64 `json:"start"`
	End   *float64 `json:"end"`
}

// Slice returns the lines from start up to end, as Python slices do.
func (r *Reader) Slice(_ context.Context, account *budget.Account, a SliceArgs) ([]string, error) {
	lines, err := r.lines(account, a.Path)
	if err != nil {
		return nil, err
	}
	start, end := sliceBound(a.Start, 0, len(lines)), sliceBound(a.End, len(lines), len(lines))
	if start >= end {
		return []string{}, nil
	}
	return lines[start:end], nil
}

// sliceBound reads one bound: absent is open, negative counts from the end, and
// what lies outside is clipped.
func sliceBound(at *float64, open, n int) int {
	if at == nil {
		return open
	}
	i := math.Trunc(*at)
	if i < 0 {
		i += float64(n)
	}
	return int(max(0, min(i, float64(n))))
}

// CutArgs says which fields of each line.
type CutArgs struct {
	Path      *string   `json:"path"`
	Fields    []float64 `json:"fields"`
	Delimiter *string   `json:"delimiter"`
	Regex     bool      `json:"regex"`
}

// Cut returns the given fields of each line, joined by the delimiter, or by a
// tab when the delimiter is a pattern. Fields count from 1; a missing one is empty.
func (r *Reader) Cut(_ context.Context, account *budget.Account, a CutArgs) ([]string, error) {
	if len(a.Fields) == 0 {
		return nil, refuse(hostcall.InvalidInput, "cut-fields-required", "the numbers of the fields are needed")
	}
	delimiter := "\t"
	if a.Delimiter != nil {
		delimiter = *a.Delimiter
	}
	if delimiter == "" {
		return nil, refuse(hostcall.InvalidInput, "cut-invalid-delimiter", "the delimiter is empty")
	}
	split, join := func(line string) ([]string, error) { return splitAt(account, line, delimiter) }, delimiter
	if a.Regex {
		pattern, err := compilePattern(account, delimiter, false)
		if err != nil {
			return nil, badPattern(account, "cut-invalid-delimiter", err)
		}
		split, join = func(line string) ([]string, error) { return pattern.split(account, line) }, "\t"
	}
	lines, err := r.lines(account, a.Path)
	if err != nil {
		return nil, err
	}
	if err := account.Hold(lineSize * len(a.Fields)); err != nil {
		return nil, err
	}
	left := maxFile // of the answer; the same field may be asked for many times
	picked := make([]string, len(a.Fields))
	for i, line := range lines {
		parts, err := split(line)
		if err != nil {
			return nil, failed(*a.Path, err)
		}
		if err := account.ChargeEach(len(a.Fields), lineWork); err != nil {
			return nil, err
		}
		size := len(join) * (len(a.Fields) - 1)
		for k, n := range a.Fields {
			picked[k] = ""
			if n >= 1 && n <= float64(len(parts)) {
				picked[k] = parts[int(n)-1]
			}
			size += len(picked[k])
		}
		account.Drop(lineSize * cap(parts))
		if left -= size; left < 0 {
			return nil, failed(*a.Path, errTooMany)
		}
		if err := account.Hold(size); err != nil { // before the line is made
			return nil, err
		}
		lines[i] = strings.Join(picked, join)
	}
	if lines == nil {
		lines = []string{}
	}
	return lines, nil
}

// splitAt is strings.Split; it holds lineSize bytes for each part.
func splitAt(account *budget.Account, line, delimiter string) ([]string, error) {
	count := 1 + strings.Count(line, delimiter)
	if err := account.ChargeEach(count, lineWork); err != nil {
		return nil, err
	}
	if err := account.ChargeEach(len(line), 2*budget.Byte); err != nil {
		return nil, err
	}
	if err := account.Hold(count * lineSize); err != nil {
		return nil, err
	}
	return strings.Split(line, delimiter), nil
}

// SortArgs is an order.
type SortArgs struct {
	Path            *string `json:"path"`
	Reverse         bool    `json:"reverse"`
	Numeric         bool    `json:"numeric"`
	CaseInsensitive bool    `json:"caseInsensitive"`
	Unique          bool    `json:"unique"`
}

// sortedSize is what Sort holds for a line, in bytes; comparison is the fuel of
// comparing two that differ early.
const (
	sortedSize = 96
	comparison = 160
)

// Sort returns the lines in order. Lines that compare equal keep their order,
// also in reverse.
func (r *Reader) Sort(_ context.Context, account *budget.Account, a SortArgs) ([]string, error) {
	lines, err := r.lines(account, a.Path)
	if err != nil {
		return nil, err
	}
	// What lines are compared by is made once for each and not once for each
	// comparison.
	type keyed struct {
		line, text string
		number     float64
	}
	if err := account.Hold(len(lines) * sortedSize); err != nil {
		return nil, err
	}
	bytes := 0
	for _, line := range lines {
		bytes += len(line)
	}
	if a.CaseInsensitive {
		if err := account.Hold(bytes + bytes/2); err != nil {
			return nil, err
		}
	}
	// Every round of merging compares each line with another at most once.
	rounds := uint64(bits.Len(uint(len(lines))))
	if err := account.ChargeEach(bytes, rounds*budget.Byte+budget.Scan); err != nil {
		return nil, err
	}
	all := make([]keyed, len(lines))
	for i, line := range lines {
		all[i] = keyed{line: line, text: line}
		switch {
		case a.Numeric:
			all[i].number, all[i].text = number(line), ""
		case a.CaseInsensitive:
			all[i].text = foldCase(line)
		}
	}
	slices.SortStableFunc(all, func(x, y keyed) int {
		if account.Charge(comparison) != nil {
			return 0 // the call has ended, and the rest of the sorting with it
		}
		if a.Reverse {
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(x.number, y.number), compareUTF16(x.text, y.text))
	})
	if err := account.Err(); err != nil {
		return nil, err
	}
	for i := range all {
		lines[i] = all[i].line
	}
	if a.Unique {
		if err := account.Hold(len(lines) * sortedSize); err != nil {
			return nil, err
		}
		if err := account.ChargeEach(len(lines), budget.Element); err != nil {
			return nil, err
		}
		seen := make(map[string]bool, len(lines))
		lines = slices.DeleteFunc(lines, func(line string) bool {
			again := seen[line]
			seen[line] = true
			return again
		})
	}
	return lines, nil
}

// number is a line's value in numeric order. A line that is no number comes
// after all that are.
func number(line string) float64 {
	line = strings.TrimSpace(line)
	n, err := strconv.ParseFloat(line, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.Contains(line, "_") {
		return math.MaxFloat64
	}
	return n
}

// compareUTF16 orders strings by UTF-16 code unit, as JavaScript's sort does:
// U+FF5E comes after U+1F600, whose first unit is a surrogate.
func compareUTF16(x, y string) int {
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	for n > 0 && (n < len(x) && !utf8.RuneStart(x[n]) || n < len(y) && !utf8.RuneStart(y[n])) {
		n-- // back to where the runes that differ begin
	}
	if n == len(x) || n == len(y) {
		return cmp.Compare(len(x), len(y))
	}
	a, _ := utf8.DecodeRuneInString(x[n:])
	b, _ := utf8.DecodeRuneInString(y[n:])
	return cmp.Compare(unit(a), unit(b))
}

// unit ranks a rune by its first UTF-16 code unit, then by itself.
func unit(r rune) int64 {
	first := r
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		first = high
	}
	return int64(first)<<32 | int64(r)
}

// foldCase removes the difference of upper and lower case, rune by rune.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}
