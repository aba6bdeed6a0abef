package parse

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// xmlElement is an element that is still open.
type xmlElement struct {
	name   string
	text   strings.Builder // its own, without that of its children
	parent bool            // it has a child element
}

// xmlWriter turns tokens into the tree's JSON as they come, so that the work is
// linear however deep the tree is.
type xmlWriter struct {
	out  []byte
	open []*xmlElement
}

// parseXML writes the root element as {"tag", "attrs", "children", "text"}. A
// document type is refused, and with it every entity but the five of XML: it is
// what external files and expansion bombs need.
func parseXML(text []byte) ([]byte, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	// The text is UTF-8 already, whatever its declaration says.
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var w xmlWriter
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			err = w.end()
			if err == nil {
				return w.out, nil
			}
		} else if err == nil {
			err = w.token(token)
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
		w.out = append(w.out, `],"text":`...)
		w.out = append(appendString(w.out, strings.TrimSpace(done.text.String())), '}')
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
	if len(w.open) == 0 && len(w.out) > 0 {
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
			w.out = append(w.out, ',')
		}
		parent.parent = true
	}
	w.open = append(w.open, &xmlElement{name: fullName(t.Name)})
	w.out = appendString(append(w.out, `{"tag":`...), fullName(t.Name))
	w.out = append(w.out, `,"attrs":{`...)
	for i, a := range t.Attr {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(appendString(w.out, fullName(a.Name)), ':')
		w.out = appendString(w.out, a.Value)
	}
	w.out = append(w.out, `},"children":[`...)
	return nil
}

func (w *xmlWriter) end() error {
	switch {
	case len(w.open) > 0:
		return fmt.Errorf("<%s> is not closed", w.open[len(w.open)-1].name)
	case len(w.out) == 0:
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
