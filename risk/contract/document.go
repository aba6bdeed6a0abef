package contract

import (
	"errors"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// maxProblems is how many problems are reported for one document; one that is wrong
// throughout would otherwise produce pages of them.
const maxProblems = 20

// node is a position in a document that is being read. On a problem, its methods
// record it and return a zero value, so that all problems are reported at once.
type node struct {
	value    pyjson.Value
	at       string // JSON pointer
	problems *[]error
}

// readDocument parses a document whose root must be an object.
func readDocument(data []byte) (node, error) {
	v, err := pyjson.Parse(data)
	if err != nil {
		return node{}, err
	}
	if v.Kind != pyjson.Object {
		return node{}, errors.New("want a JSON object")
	}
	return node{value: v, problems: new([]error)}, nil
}

// err returns every problem recorded so far.
func (n node) err() error { return errors.Join(*n.problems...) }

func (n node) fail(format string, args ...any) {
	if len(*n.problems) == maxProblems {
		*n.problems = append(*n.problems, errors.New("more problems follow"))
	}
	if len(*n.problems) < maxProblems {
		at := n.at
		if at == "" {
			at = "/"
		}
		*n.problems = append(*n.problems, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
	}
}

func (n node) member(name string) node {
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	return node{value: n.value.Get(name), at: n.at + "/" + escaped, problems: n.problems}
}

// text returns a required text, which may be empty.
func (n node) text() string {
	if n.value.Kind != pyjson.Text {
		n.fail("want a text")
	}
	return n.value.Text
}

// name returns a required text that is not blank.
func (n node) name() string {
	s := n.text()
	if n.value.Kind == pyjson.Text && pyjson.Trim(s) == "" {
		n.fail("must not be blank")
	}
	return s
}

// optionalText returns a text that may be absent or null.
func (n node) optionalText() string {
	if n.value.Kind == pyjson.Null {
		return ""
	}
	return n.text()
}

func (n node) bool() bool {
	if n.value.Kind != pyjson.Bool {
		n.fail("want true or false")
	}
	return n.value.Truth
}

// rows returns the items of a required array.
func (n node) rows() []node {
	if n.value.Kind != pyjson.Array {
		n.fail("want an array")
		return nil
	}
	rows := make([]node, len(n.value.Items))
	for i, item := range n.value.Items {
		rows[i] = node{value: item, at: fmt.Sprintf("%s/%d", n.at, i), problems: n.problems}
	}
	return rows
}

// objects returns the items of a required array of objects.
func (n node) objects() []node {
	rows := n.rows()
	for _, row := range rows {
		if row.value.Kind != pyjson.Object {
			row.fail("want an object")
		}
	}
	return rows
}

// optionalObjects is objects for an array that may be absent or null.
func (n node) optionalObjects() []node {
	if n.value.Kind == pyjson.Null {
		return nil
	}
	return n.objects()
}

// texts returns a required array of texts.
func (n node) texts() []string {
	rows := n.rows()
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.text()
	}
	return texts
}
