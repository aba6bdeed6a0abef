package intl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/host/internal/intl/dates"
	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// Session serves one call of a tool. The zero value works.
type Session struct {
	mu    sync.Mutex
	known map[string]known // by the text of a request
}

// known is a formatter and what its use costs.
type known struct {
	formatter
	price
}

// keptFormatters bounds what one session keeps; when there are more, it starts
// again from none. Tools use a handful.
const keptFormatters = 128

// formatter is one resolved object. Its methods are called one at a time.
type formatter interface {
	resolved() any
	// do carries out a verb; the answer is a string, written as it is, or a value,
	// written as JSON.
	do(verb string, args []string) (any, error)
}

// argumentSize is what an argument takes in memory besides its bytes, with what a
// growing list of them leaves behind.
const argumentSize = 48

// request is what every constructor of Intl sends.
type request struct {
	Service string
	Locales []string
	Options json.RawMessage
}

// constructors of the services. Each gets the locale chosen for what was asked.
var constructors = map[string]func(l cldr.Locale, asked cldr.Tag, options json.RawMessage) (formatter, error){
	"DateTimeFormat":     newDates,
	"NumberFormat":       newNumbers,
	"PluralRules":        newPlurals,
	"RelativeTimeFormat": newRelative,
	"ListFormat":         newList,
	"DisplayNames":       newNames,
	"Collator":           newCollator,
	"Segmenter":          newSegmenter,
}

const helper = "Intl"

// Reasons of refusals; the prelude makes a RangeError or a TypeError of them.
const (
	rangeReason = "range-error"
	typeReason  = "type-error"
)

func badRange(format string, args ...any) error {
	return hostcall.Errorf(hostcall.InvalidInput, helper, rangeReason, format, args...)
}

// refusal makes what a formatter complains of the guest's to catch.
func refusal(err error) error {
	var n *number.Error
	var d *dates.Error
	switch {
	case errors.As(err, &n) && n.Type:
		return hostcall.Errorf(hostcall.InvalidInput, helper, typeReason, "%s", n.Message)
	case errors.As(err, &n):
		return badRange("%s", n.Message)
	case errors.As(err, &d):
		return badRange("%s", d.Message)
	}
	return err
}

// Resolve serves intl.resolve.
func (s *Session) Resolve(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.formatter(account, text)
	if err != nil {
		return nil, nil, refusal(err)
	}
	return answer(f.resolved())
}

// Format serves intl.format: a request, a verb and a JSON list of texts, one a
// line. Behind a verb with "=" before it stands one text as it is.
func (s *Session) Format(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, rest, _ := bytes.Cut(text, []byte("\n"))
	verb, list, _ := bytes.Cut(rest, []byte("\n"))
	var args []string
	if single, ok := bytes.CutPrefix(verb, []byte("=")); ok {
		verb, args = single, []string{string(list)}
	} else if err := account.Hold(argumentSize * (1 + bytes.Count(list, []byte{','}))); err != nil {
		return nil, nil, err
	} else if err := json.Unmarshal(list, &args); err != nil {
		return nil, nil, badRange("%v", err)
	}
	f, err := s.formatter(account, key)
	if err != nil {
		return nil, nil, refusal(err)
	}
	if err := f.used(account, args); err != nil {
		return nil, nil, err
	}
	reply, err := f.do(string(verb), args)
	if err != nil {
		return nil, nil, refusal(err)
	}
	return answer(reply)
}

func answer(v any) ([]byte, []byte, error) {
	if text, ok := v.(string); ok {
		return []byte(text), nil, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), nil, err
}

// formatter finds or makes what a request asks for.
func (s *Session) formatter(account *budget.Account, text []byte) (known, error) {
	if f, ok := s.known[string(text)]; ok {
		return f, nil
	}
	var r request
	if err := json.Unmarshal(text, &r); err != nil {
		return known{}, badRange("%v", err)
	}
	construct, ok := constructors[r.Service]
	if !ok {
		return known{}, badRange("no service %q", r.Service)
	}
	tags, err := parseTags(r.Locales)
	if err != nil {
		return known{}, err
	}
	l, asked := cldr.Resolve(tags)
	cost := prices[r.Service]
	if err := cost.made(account); err != nil {
		return known{}, err
	}
	f, err := construct(l, asked, r.Options)
	if err != nil {
		return known{}, err
	}
	if s.known == nil || len(s.known) >= keptFormatters {
		for _, old := range s.known {
			account.Forget(old.kept)
		}
		s.known = map[string]known{}
	}
	made := known{f, cost}
	s.known[string(text)] = made
	return made, nil
}

// parseTags canonicalises a list of locales; a repeated one counts once.
func parseTags(names []string) ([]cldr.Tag, error) {
	var tags []cldr.Tag
	seen := map[string]bool{}
	for _, name := range names {
		t, ok := cldr.ParseTag(name)
		if !ok {
			return nil, badRange("Incorrect locale information provided: %q", name)
		}
		if text := t.String(); !seen[text] {
			seen[text] = true
			tags = append(tags, t)
		}
	}
	return tags, nil
}

// read decodes the options of a request, which the prelude has written.
func read(options json.RawMessage, into any) error {
	if len(options) == 0 {
		return nil
	}
	if err := json.Unmarshal(options, into); err != nil {
		return badRange("%v", err)
	}
	return nil
}

// keyword settles a setting that an option or the locale's -u- extension may
// name. The extension stays in the reported locale when it is what counts.
func keyword(tag *cldr.Tag, asked cldr.Tag, key string, option *string, supported func(string) bool) {
	named, ok := asked.Keyword(key)
	ok = ok && supported(named)
	if *option != "" {
		*option = strings.ToLower(*option)
		if !supported(*option) {
			*option = ""
		}
	}
	if ok && (*option == "" || *option == named) {
		*option = named
		*tag = tag.WithKeyword(key, named)
	}
}

func isNumbering(s string) bool { return number.Digits(s) != nil }
