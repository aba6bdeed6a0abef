package config

import (
	"fmt"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
)

// kind is the form a scalar was written in.
type kind string

const (
	aWord    kind = "text"
	aNumber  kind = "a number"
	aSwitch  kind = "true or false"
	untyped  kind = "" // from the environment or a flag, where everything is text
	longText      = 60 // characters of a value that a message quotes
)

// scalar is one value as written.
type scalar struct {
	text string
	kind kind
}

// place holds the base folders of relative paths.
type place struct {
	base string // the folder of the file; empty for the working directory
	home string // empty if there is none
}

// assign parses one scalar into a field. It returns a flaw or nil.
func (k Key) assign(field any, s scalar, in place) error {
	switch f := field.(type) {
	case *string:
		return k.assignText(f, s)
	case *Path:
		if err := need(s, aWord, "a path"); err != nil {
			return err
		}
		path, err := in.path(s.text)
		*f = path
		return err
	case *bool:
		if s.text != "true" && s.text != "false" || s.kind == aWord {
			return &flaw{WrongType, quoted(s) + " is not true or false", "write true or false"}
		}
		*f = s.text == "true"
	case *int:
		n, err := k.number(s, math.MaxInt32)
		*f = int(n)
		return err
	case *uint64:
		n, err := k.number(s, math.MaxInt64)
		*f = uint64(n)
		return err
	case *float64:
		n, err := strconv.ParseFloat(s.text, 64)
		if err != nil || s.kind == aWord || math.IsNaN(n) || math.IsInf(n, 0) {
			return &flaw{WrongType, quoted(s) + " is no number", "write a number such as 2.5"}
		}
		*f = n
	case *slog.Level:
		if !slices.Contains(k.Choices, s.text) {
			return k.noChoice(s)
		}
		return f.UnmarshalText([]byte(s.text))
	case *Size:
		if n, err := strconv.ParseUint(s.text, 10, 63); err == nil {
			*f = Size(n)
		} else if n, err := humanize.ParseBytes(s.text); err == nil && n < math.MaxInt64 && s.kind != aNumber {
			*f = Size(n)
		} else {
			return &flaw{BadValue, quoted(s) + " is no size", "write a size such as 64MiB"}
		}
		return k.within(int64(*f), func(n int64) string {
			if n >= 1<<20 {
				return fmt.Sprintf("%dMiB", n>>20)
			}
			return fmt.Sprintf("%d bytes", n)
		})
	case *time.Duration:
		d, err := time.ParseDuration(s.text)
		if err != nil || d < 0 || s.kind == aNumber {
			return &flaw{BadValue, quoted(s) + " is no duration", "write a duration such as 30s or 5m"}
		}
		*f = d
		return k.within(int64(d), func(n int64) string { return time.Duration(n).String() })
	case *risk.Level:
		level, err := risk.ParseLevel(s.text)
		if err != nil && s.text != noLevel && s.text != risk.Unrated.String() {
			return &flaw{BadValue, quoted(s) + " is no level", "write L0, L1, L2, L3, L4, L5 or " + noLevel}
		}
		*f = level
	case *catalog.NetworkMode:
		mode, ok := catalog.ParseNetworkMode(s.text)
		if !ok {
			return k.noChoice(s)
		}
		*f = mode
	default:
		return &flaw{WrongType, quoted(s) + " is one value", "write a list, or a group of names and values"}
	}
	return nil
}

// noLevel allows nothing: it is below L0.
const noLevel = "none"

func (k Key) assignText(f *string, s scalar) error {
	if err := need(s, aWord, "text"); err != nil {
		return err
	}
	if k.Choices != nil && !slices.Contains(k.Choices, s.text) {
		return k.noChoice(s)
	}
	if i := strings.IndexFunc(s.text, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		return &flaw{BadValue, quoted(s) + " holds a control character", "take it out"}
	}
	*f = s.text
	return nil
}

func (k Key) noChoice(s scalar) error {
	return &flaw{BadValue, quoted(s) + " is none of the values" + meant(s.text, k.Choices), "write " + strings.Join(k.Choices, ", ")}
}

func (k Key) number(s scalar, most int64) (int64, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(s.text, "_", ""), 10, 64)
	if err != nil || s.kind == aWord || n > most {
		return 0, &flaw{WrongType, quoted(s) + " is no whole number of at most " + strconv.FormatInt(most, 10), "write a number such as 8"}
	}
	return n, k.within(n, func(n int64) string { return strconv.FormatInt(n, 10) })
}

// within checks the bounds; its message spells them like the value.
func (k Key) within(n int64, spell func(int64) string) error {
	switch {
	case n < k.Min:
		return &flaw{BadValue, "is less than " + spell(k.Min), "give at least " + spell(k.Min)}
	case k.Max > 0 && n > k.Max:
		return &flaw{BadValue, "is more than " + spell(k.Max), "give at most " + spell(k.Max)}
	}
	return nil
}

func need(s scalar, want kind, what string) error {
	if s.kind != want && s.kind != untyped {
		return &flaw{WrongType, fmt.Sprintf("%s is %s, not %s", quoted(s), s.kind, what), "put it in quotation marks if it is meant as text"}
	}
	return nil
}

func quoted(s scalar) string {
	text := s.text
	if r := []rune(text); len(r) > longText {
		text = string(r[:longText]) + "…"
	}
	return strconv.Quote(text)
}

func (in place) path(text string) (Path, error) {
	if strings.ContainsRune(text, 0) {
		return "", &flaw{BadValue, "a path has no NUL in it", "take it out"}
	}
	if text == "" {
		return "", nil
	}
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		if in.home == "" {
			return "", &flaw{BadValue, quoted(scalar{text: text}) + " is in the home folder, and HOME is not set", "write the whole path"}
		}
		return Path(filepath.Join(in.home, rest)), nil
	}
	if in.base != "" && !filepath.IsAbs(text) {
		return Path(filepath.Join(in.base, text)), nil
	}
	return Path(text), nil
}

// Show formats the value of a key as in the file, on one line.
func (k Key) Show(c *Config) string { return show(k.field(c)) }

// show formats the value of a field.
func show(field any) string {
	switch f := field.(type) {
	case *string:
		return word(*f)
	case *Path:
		return word(string(*f))
	case *bool:
		return strconv.FormatBool(*f)
	case *int:
		return strconv.Itoa(*f)
	case *uint64:
		return strconv.FormatUint(*f, 10)
	case *float64:
		return strconv.FormatFloat(*f, 'f', -1, 64)
	case *slog.Level:
		return strings.ToLower(f.String())
	case *Size:
		short := strings.NewReplacer(" ", "", ".0", "").Replace(humanize.IBytes(uint64(*f)))
		if back, err := humanize.ParseBytes(short); err == nil && back == uint64(*f) {
			return short
		}
		return strconv.FormatUint(uint64(*f), 10)
	case *time.Duration:
		return shortDuration(*f)
	case *risk.Level:
		if *f == risk.Unrated {
			return noLevel
		}
		return f.String()
	case *catalog.NetworkMode:
		return f.String()
	case *[]string:
		return words(*f)
	case *[]Path:
		return words(*f)
	case *map[string]risk.Treatment:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(*f)) {
			pairs = append(pairs, word(name)+": "+(*f)[name].String())
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	case *map[string]string:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(*f)) {
			pairs = append(pairs, word(name)+": "+word((*f)[name]))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	default:
		panic(fmt.Sprintf("config: no text for %T", f)) // a test shows every key
	}
}

// shortDuration omits the zeros that time.Duration writes: 10m, not 10m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func words[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = word(string(w))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// word quotes a text that YAML would read as another type.
func word(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("./_-:@+", r)
	}
	first := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '/' || r == '.' }
	reserved := []string{"true", "false", "null", ".inf", ".nan", ".", "..", "---", "..."}
	ip := strings.Count(s, ".") >= 3 && strings.Contains(s, ":")
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && (first(rune(s[0])) || ip) &&
		!slices.Contains(reserved, strings.ToLower(s)) && !strings.HasSuffix(s, ":") {
		return s
	}
	return strconv.Quote(s)
}

// takesOne reports whether a field holds a single value.
func takesOne(field any) bool {
	switch field.(type) {
	case *[]string, *[]Path, *map[string]risk.Treatment, *map[string]string:
		return false
	}
	return true
}

// IsSwitch reports whether the key is true or false.
func (k Key) IsSwitch() bool {
	_, is := k.field(&Config{}).(*bool)
	return is
}

// IsPath reports whether the key names files or folders.
func (k Key) IsPath() bool {
	switch k.field(&Config{}).(type) {
	case *Path, *[]Path:
		return true
	}
	return false
}

// Values returns all possible values of the key; nil if there are too many to list.
func (k Key) Values() []string {
	if _, is := k.field(&Config{}).(*risk.Level); is {
		return []string{"L0", "L1", "L2", "L3", "L4", "L5", noLevel}
	}
	return k.Choices
}

// TypeName is the word for the key's type in help texts.
func (k Key) TypeName() string {
	switch k.field(&Config{}).(type) {
	case *bool:
		return "bool"
	case *int, *uint64, *float64:
		return "number"
	case *Size:
		return "size"
	case *time.Duration:
		return "duration"
	}
	return "string"
}
