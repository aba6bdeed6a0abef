package risk

import "testing"

func TestLevelZeroValueDenies(t *testing.T) {
	var l Level
	for ceiling := Unrated; ceiling <= L5; ceiling++ {
		if l.Within(ceiling) {
			t.Errorf("an unrated thing passes the ceiling %v", ceiling)
		}
	}
	if Max(l, L0) != Unrated || Max(L5, l) != Unrated {
		t.Error("Max hides that one side was never rated")
	}
}

func TestLevelWithin(t *testing.T) {
	for l := L0; l <= L5; l++ {
		for ceiling := L0; ceiling <= L5; ceiling++ {
			if got, want := l.Within(ceiling), l <= ceiling; got != want {
				t.Errorf("%v within %v: got %v", l, ceiling, got)
			}
		}
		if l.Within(Unrated) {
			t.Errorf("%v passes an unset ceiling", l)
		}
		if l.Within(Level(200)) {
			t.Errorf("%v passes a ceiling off the scale", l)
		}
	}
}

func TestLevelText(t *testing.T) {
	for l := Unrated; l <= L5; l++ {
		text, _ := l.MarshalText()
		var back Level
		if err := back.UnmarshalText(text); err != nil || back != l {
			t.Errorf("%v came back as %v, %v", l, back, err)
		}
	}
	for _, bad := range []string{"", "L6", "l3", "3", "L", "L03"} {
		if l, err := ParseLevel(bad); err == nil || l != Unrated {
			t.Errorf("%q was read as %v", bad, l)
		}
	}
}
