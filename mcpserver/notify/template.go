package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// The bounds of an operator's template and of what it makes, in bytes.
const (
	maxTemplate = 64 << 10
	maxMade     = 256 << 10
)

// body is the body of a route's notices, made by a file of the operator.
type body struct {
	template *template.Template
	json     bool // what it makes has to be JSON
}

// CheckTemplate reports what is wrong with the file that a route names: that it cannot be
// read, that it is no template, or that a notice could make it fail.
func (r Route) CheckTemplate() error {
	_, err := r.template()
	return err
}

// template reads the file that the route names; nil for a route without one.
func (r Route) template() (*body, error) {
	if r.Template == "" {
		return nil, nil
	}
	if r.URL == "" {
		return nil, errors.New("is the body of what is sent to a url, and there is none")
	}
	about, err := os.Stat(r.Template)
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() || about.Size() > maxTemplate {
		return nil, fmt.Errorf("%s is not a file of at most %d KiB", r.Template, maxTemplate>>10)
	}
	text, err := os.ReadFile(r.Template)
	if err != nil {
		return nil, err
	}
	b := &body{json: r.Format != "ntfy"}
	b.template, err = template.New(filepath.Base(r.Template)).Option("missingkey=error").Funcs(template.FuncMap{"json": asJSON}).Parse(string(text))
	if err != nil {
		return nil, plain(err)
	}
	for _, t := range b.template.Templates() {
		if t != b.template {
			return nil, fmt.Errorf("%s: defines %q, and no template calls another", b.template.Name(), t.Name())
		}
	}
	if err := straight(b.template.Tree, b.template.Root); err != nil {
		return nil, plain(err)
	}
	// With the worst that others can write, as long as it can be: what is not written
	// through json is found now, and not when a call waits.
	for _, n := range []Notice{sample(strings.Repeat("\"\n", maxBody/2)), sample("\\\n\t,"), sample("")} {
		if _, err := b.make(n); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// sample is a notice in which others wrote text.
func sample(text string) Notice {
	return Notice{Time: time.Unix(0, 0).UTC(), Data: Data{
		Entry:  approve.Entry{ID: text, Principal: text, Client: text, Source: text, Tool: text, Question: text, Level: risk.L5},
		Answer: text, Link: text, Console: text,
	}}
}

// straight refuses what could run for long: there is nothing to repeat in a notice.
func straight(tree *parse.Tree, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		var branch *parse.BranchNode
		switch n := node.(type) {
		case *parse.IfNode:
			branch = &n.BranchNode
		case *parse.WithNode:
			branch = &n.BranchNode
		case *parse.RangeNode, *parse.TemplateNode:
			where, _ := tree.ErrorContext(node)
			return fmt.Errorf("%s: range and template are not for this: a notice has nothing to repeat", where)
		}
		if branch == nil {
			continue
		}
		if err := errors.Join(straight(tree, branch.List), straight(tree, branch.ElseList)); err != nil {
			return err
		}
	}
	return nil
}

// values are what a template sees. The question is at most maxBody bytes long, names of
// others are shortened.
func (n Notice) values() map[string]string {
	d := n.Data
	return map[string]string{
		"id": glyph.Visible(d.ID), "level": d.Level.String(), "tool": glyph.Visible(d.Tool), "source": glyph.Visible(d.Source), "principal": glyph.Visible(d.Principal), "client": glyph.Visible(d.Client),
		"question": n.question(), "title": n.title(), "text": n.text(), "answer": d.Answer, "link": d.Link, "console": d.Console,
		"asked": n.Time.Format(time.RFC3339), "expires": d.Expires.UTC().Format(time.RFC3339),
	}
}

// make makes the body of a notice.
func (b *body) make(n Notice) ([]byte, error) {
	var made bytes.Buffer
	if err := b.template.Execute(&atMost{&made, maxMade}, n.values()); err != nil {
		return nil, plain(err)
	}
	if !b.json {
		return made.Bytes(), nil
	}
	var bad *json.SyntaxError
	if err := json.Unmarshal(made.Bytes(), new(json.RawMessage)); errors.As(err, &bad) {
		line := 1 + bytes.Count(made.Bytes()[:bad.Offset], []byte("\n"))
		return nil, fmt.Errorf("%s: makes no JSON, at line %d of what it makes: %w; write texts as {{json .title}}, without quotes around it", b.template.Name(), line, bad)
	}
	return made.Bytes(), nil
}

// asJSON is a text as JSON, with its quotes.
func asJSON(text string) (string, error) {
	var out strings.Builder
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	err := to.Encode(text)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// plain takes the package's name off its errors, which then begin with file, line and column.
func plain(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "template: "); ok {
		return errors.New(text)
	}
	return err
}

// atMost takes so many bytes and no more.
type atMost struct {
	to   io.Writer
	left int
}

func (w *atMost) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, fmt.Errorf("makes more than %d KiB", maxMade>>10)
	}
	w.left -= len(p)
	return w.to.Write(p)
}
