package catalog

import (
	"regexp"
	"slices"
	"strings"
)

var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)

// reservedWords cannot be variables in an asynchronous function. Words that only
// strict code reserves, such as package, can: a body is not strict unless it
// says so.
var reservedWords = strings.Fields(`await break case catch class const continue debugger default delete do else enum export extends
	false finally for function if import in instanceof new null return super switch this throw true try typeof undefined var void while with`)

// Bindable reports whether code can read a parameter or static variable of this
// name as a variable. Other names are legal, but code cannot reach them.
func Bindable(name string) bool {
	return identifier.MatchString(name) && !slices.Contains(reservedWords, name)
}

// BoundNames returns the identifiers that the code sees as variables, each once.
// Names that no variable can have are skipped: the document may declare them, but
// its code cannot read them.
func (s *Spec) BoundNames() []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] && Bindable(name) {
			names = append(names, name)
		}
		seen[name] = true
	}
	for _, p := range s.params {
		add(p.Name)
	}
	for _, v := range s.statics {
		add(v.Key)
	}
	return names
}
