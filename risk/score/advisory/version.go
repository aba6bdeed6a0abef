package advisory

import (
	"cmp"
	"strconv"
	"strings"
)

// version is numbers and a pre-release, as in Semantic Versioning 2.0.0; calendar
// versions of PyPI have the same form.
type version struct {
	numbers []uint64
	pre     []string // nil for a release
}

// maxParts bounds the numbers of a version: four are the most in use.
const maxParts = 8

func parseVersion(s string) (version, bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(s), "v"), "+")
	core, pre, isPre := strings.Cut(s, "-")
	parts := strings.Split(core, ".")
	if len(parts) > maxParts {
		return version{}, false
	}
	var v version
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return version{}, false
		}
		v.numbers = append(v.numbers, n)
	}
	if isPre {
		v.pre = strings.Split(pre, ".")
	}
	return v, true
}

// compare orders by number, then releases after pre-releases. Missing numbers are 0.
func (v version) compare(o version) int {
	for i := range max(len(v.numbers), len(o.numbers)) {
		if c := cmp.Compare(at(v.numbers, i), at(o.numbers, i)); c != 0 {
			return c
		}
	}
	switch {
	case v.pre == nil && o.pre == nil:
		return 0
	case v.pre == nil:
		return 1
	case o.pre == nil:
		return -1
	}
	for i := range min(len(v.pre), len(o.pre)) {
		if c := comparePre(v.pre[i], o.pre[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.pre), len(o.pre))
}

func at(numbers []uint64, i int) uint64 {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}

// comparePre orders numbers before words, and each among themselves.
func comparePre(a, b string) int {
	n, errA := strconv.ParseUint(a, 10, 64)
	m, errB := strconv.ParseUint(b, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Compare(n, m)
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
