package parse

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/glovebox-run/glovebox/budget"
)

// xmlElement is an element that is still open.
type xmlElement struct {
	name   string
	text   *budget.Builder // its own, without that of its children
	parent bool            // it has a child element
}

// xmlWriter turns tokens into the tree's JSON as they come, so that the work is
// linear however deep the tree is.
type xmlWriter struct {
	account *budget.Account
	out     *budget.Builder
	open    []*xmlElement
}

// What the library needs for a byte, and for a place at which a tag or an
// attribute begins, on the machines we measured: 10 ns a byte, 150 ns and 180
// bytes of memory a place.
const (
	xmlPerByte       = 80
	xmlPerPlace      = 1_200
	xmlBytesPerPlace = 180
)

var xmlPlaces = [256]bool{'<': true, '=': true}

// longestTag bounds what the library holds for one token, which it returns whole:
// its bytes, twice while the buffer grows, and an object for each attribute.
func longestTag(text []byte) int {
	longest := 0
	for len(text) > 0 {
		end := bytes.IndexByte(text[1:], '<') + 1
		if end == 0 {
			end = len(text)
		}
		longest = max(longest, 3*end+xmlBytesPerPlace*bytes.Count(text[:end], []byte("=")))
		text = text[end:]
	}
	return longest
}

// parseXML writes the root element as {"tag", "attrs", "children", "text"}. A
// document type is refused, and with it every entity but the five of XML: it is
// what external files and expansion bombs need.
func parseXML(account *budget.Account, text []byte) ([]byte, error) {
	if err := account.Hold(longestTag(text)); err != nil {
		return nil, err
	}
	weigh := func(piece []byte) int { return count(piece, &xmlPlaces) }
	d := xml.NewDecoder(&admission{account: account, text: text, weigh: weigh, perByte: xmlPerByte, perPlace: xmlPerPlace})
	// The text is UTF-8 already, whatever its declaration says.
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	w := xmlWriter{account: account, out: budget.NewBuilder(account)}
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			err = w.end()
			if err == nil {
				return w.out.Bytes()
			}
		} else if err == nil {
			err = w.token(token)
		}
		if spent := account.Err(); spent != nil {
			return nil, spent
		}
		if err != nil {
			line, column := d.InputPos()
			return nil, malformed(helperXML, line, column, "%s", cause(err))
		}
	}
}

func (w *xmlWriter) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("a document type is not accepted")
	case xml.StartElement:
		return w.start(t)
	case xml.EndElement:
		if len(w.open) == 0 || w.open[len(w.open)-1].name != fullName(t.Name) {
			return fmt.Errorf("</%s> closes nothing", fullName(t.Name))
		}
		done := w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
		w.out.WriteString(`],"text":`)
		w.out.WriteJSONBytes(bytes.TrimSpace(done.text.Done()))
		w.out.WriteByte('}')
	case xml.CharData:
		if len(w.open) > 0 {
			w.open[len(w.open)-1].text.Write(t)
		} else if len(bytes.TrimSpace(bytes.TrimPrefix(t, []byte("\ufeff")))) > 0 {
			return errors.New("text outside the root element")
		}
	}
	return nil
}

func (w *xmlWriter) start(t xml.StartElement) error {
	if len(w.open) == 0 && w.out.Len() > 0 {
		return errors.New("a second root element")
	}
	if len(w.open) == maxDepth {
		return fmt.Errorf("elements are nested more than %d deep", maxDepth)
	}
	if name, twice := repeated(t.Attr); twice {
		return fmt.Errorf("the attribute %s stands twice", name)
	}
	if len(w.open) > 0 {
		parent := w.open[len(w.open)-1]
		if parent.parent {
			w.out.WriteByte(',')
		}
		parent.parent = true
	}
	w.open = append(w.open, &xmlElement{name: fullName(t.Name), text: budget.NewBuilder(w.account)})
	w.out.WriteString(`{"tag":`)
	w.out.WriteJSONString(fullName(t.Name))
	w.out.WriteString(`,"attrs":{`)
	for i, a := range t.Attr {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteJSONString(fullName(a.Name))
		w.out.WriteByte(':')
		w.out.WriteJSONString(a.Value)
	}
	w.out.WriteString(`},"children":[`)
	return nil
}

func (w *xmlWriter) end() error {
	switch {
	case len(w.open) > 0:
		return fmt.Errorf("<%s> is not closed", w.open[len(w.open)-1].name)
	case w.out.Len() == 0:
		return errors.New("no root element")
	}
	return nil
}

// fullName is a name as it is written, with its prefix.
func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func repeated(attrs []xml.Attr) (string, bool) {
	if len(attrs) < 2 {
		return "", false
	}
	seen := make(map[xml.Name]bool, len(attrs))
	for _, a := range attrs {
		if seen[a.Name] {
			return fullName(a.Name), true
		}
		seen[a.Name] = true
	}
	return "", false
}

// cause leaves out the line that the decoder puts into its text.
func cause(err error) string {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Msg
	}
	return err.Error()
}
