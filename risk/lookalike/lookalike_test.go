package lookalike

import (
	"testing"
	"unicode"
)

func TestSkeleton(t *testing.T) {
	for _, group := range [][]string{
		{"github", "GitHub", "git_hub", "git-hub", "gіthub", "ｇｉｔｈｕｂ", "gi\u200bthub", "g\u00edthub", "𝗀𝗂𝗍𝗁𝗎𝖻", "g1thub", "glthub"},
		{"modern", "rnodern"},
		{"paypal", "раураl", "paypaI", "pаypal"},
		{"search_5", "5earch_s"},
	} {
		want := Skeleton(group[0])
		for _, name := range group[1:] {
			if got := Skeleton(name); got != want {
				t.Errorf("%q has the skeleton %q, %q has %q", name, got, group[0], want)
			}
		}
	}
	for _, pair := range [][2]string{{"github", "gitlab"}, {"search", "search2"}, {"поиск", "искать"}, {"检索", "搜索"}, {"read_file", "read_files"}} {
		if Skeleton(pair[0]) == Skeleton(pair[1]) {
			t.Errorf("%q and %q look different but share %q", pair[0], pair[1], Skeleton(pair[0]))
		}
	}
}

func TestTheTableMapsOtherLettersToLatinOnes(t *testing.T) {
	for from, to := range latin {
		if to >= 0x80 || !unicode.IsLetter(to) {
			t.Errorf("%q becomes %q, which is no Latin letter", from, to)
		}
		if from < 0x80 {
			t.Errorf("%q is a Latin letter itself", from)
		}
	}
}
