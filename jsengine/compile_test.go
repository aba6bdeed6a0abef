package jsengine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// growing are bodies that repeat one construct, made of a beginning, as many
// numbered middles as the size takes, and an end. Those without a count of their
// own take time in proportion to their size; in quadratic QuickJS walks a list for
// each element.
var growing = []struct {
	name, begin, middle, end string
	quadratic                bool
}{
	{"var", "", "var v%d=1;", "", false},
	{"functions", "", "function f%d(){}", "", false},
	{"statements", "", "x=1;", "", false},
	{"globals", "", "g%d=1;", "", false},
	{"array", "return [", "%d,", "]", false},
	{"object", "return {", "a%d:1,", "}", false},
	{"methods", "class A{", "m%d(){}", "}", false},
	{"cases", "switch(x){", "case %d:", "}", false},
	{"comments", "", "// a comment\n", "", false},
	{"arrow functions", "", "()=>1;", "", false},
	{"patterns", "", "/a%d/;", "", false},
	{"sum", "return ", "1+", "1", false},
	{"let", "", "let v%d=1;", "", true},
	{"classes", "", "class c%d{}", "", true},
	{"closures", "", "let v%d;()=>v%[1]d;", "", true},
	{"destructuring", "let {", "a%d,", "}=x", true},
	{"private names", "class A{", "#p%d;", "}", true},
	{"blocks", "", "{let a%d;}", "", true},
	{"conditionals", "return ", "a?b:", "1", true},
	{"loops", "", "for(;;)break;", "", true},
}

func grow(begin, middle, end string, size int) string {
	var b strings.Builder
	b.WriteString(begin)
	for n := 0; b.Len()+len(end)+len(middle)+8 < size; n++ {
		if strings.Contains(middle, "%") {
			fmt.Fprintf(&b, middle, n)
		} else {
			b.WriteString(middle)
		}
	}
	return b.String() + end
}

func TestCompilingEndsInTheBudgetOfItsSize(t *testing.T) {
	e := testEngine(t)
	for _, c := range growing {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{FreelyCompiled, MaxBody / 16} {
				_, err := e.Image(t.Context(), Program{File: "tool.js", Body: grow(c.begin, c.middle, c.end, size)})
				var failure *Failure
				tooLarge := errors.As(err, &failure) && failure.Kind == CodeTooLarge
				deep := failure != nil && failure.Kind == StackLimit && c.name == "conditionals"
				if err != nil && !tooLarge && !deep {
					t.Errorf("%d bytes: %v", size, err)
				}
				if tooLarge && (size <= FreelyCompiled || !c.quadratic) {
					t.Errorf("%d bytes are too large: %v", size, err)
				}
				if tooLarge && !strings.Contains(failure.Message, "units of fuel") {
					t.Errorf("the message names no limit: %s", failure.Message)
				}
			}
		})
	}
}

func TestBodiesAreBounded(t *testing.T) {
	e := testEngine(t)
	var failure *Failure
	_, err := e.Image(t.Context(), Program{File: "tool.js", Body: strings.Repeat(" ", MaxBody)})
	if err != nil {
		t.Errorf("%d blanks: %v", MaxBody, err)
	}
	_, err = e.Image(t.Context(), Program{File: "tool.js", Body: strings.Repeat(" ", MaxBody+1)})
	if !errors.As(err, &failure) || failure.Kind != CodeTooLarge || !strings.Contains(failure.Message, "2097152") {
		t.Errorf("a byte more: %v", err)
	}
	_, err = e.Image(t.Context(), Program{File: "tool.js", Body: grow("", "let v%d=1;", "", MaxBody/8)})
	if !errors.As(err, &failure) || failure.Kind != CodeTooLarge {
		t.Errorf("%d bytes of let: %v", MaxBody/8, err)
	}
}
