package personal

import (
	"slices"
	"strings"
	"testing"
)

func find(text string) (all []string) {
	Each([]byte(text), func(id string, start, end int) { all = append(all, id+" "+text[start:end]) })
	return all
}

func TestEach(t *testing.T) {
	for text, want := range map[string][]string{
		"write to ada@office.example, please": {"email ada@office.example"},
		"@home and user@host":                 nil,
		"call +49 30 1234567 now":             {"phone +49 30 1234567"},
		"order 301234567890":                  nil,
		"phone: 301234567890":                 {"phone 301234567890"},
		"ssn 219-09-9999":                     {"us-ssn 219-09-9999"},
		"part 219-09-9999":                    nil,
		"ssn 666-09-9999":                     nil,
		"2026-02-03T04:05:06Z":                nil,
		"trace 4111111111111111a":             nil,
	} {
		if got := find(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The numbers that the networks and the IBAN registry publish as examples. A check digit
// finds every change of a single digit.
func TestCheckDigits(t *testing.T) {
	for _, number := range []string{
		"card 4111 1111 1111 1111", "card 4012888888881881", "card 5555-5555-5555-4444", "card 378282246310005", "card 6011111111111117", "card 3530111333300000",
		"iban GB82 WEST 1234 5698 7654 32", "iban DE89 3704 0044 0532 0130 00", "iban FR14 2004 1010 0505 0001 3M02 606", "iban NO93 8601 1117 947", "iban CH9300762011623852957", "iban IT60X0542811101000000123456",
	} {
		id, value, _ := strings.Cut(number, " ")
		if got := find("x: " + value + ", y"); !slices.Contains(got, number) {
			t.Errorf("%q: %q", value, got)
		}
		for i, c := range []byte(value) {
			if c < '0' || '9' < c || id == "card" && i < 2 {
				continue
			}
			wrong := value[:i] + string('0'+(c-'0'+1)%10) + value[i+1:]
			if got := find("x: " + wrong + ", y"); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, id+" ") }) {
				t.Errorf("%q is taken for one: %q", wrong, got)
			}
		}
	}
}

func FuzzEach(f *testing.F) {
	f.Add("a@b.co +1 4111 1111 1111 1111 DE89 3704")
	f.Add("@@@... 1-1-1-1 - ")
	f.Fuzz(func(t *testing.T, text string) {
		Each([]byte(text), func(id string, start, end int) {
			if start < 0 || start >= end || end > len(text) {
				t.Errorf("%s %d to %d of %d", id, start, end, len(text))
			}
		})
	})
}
