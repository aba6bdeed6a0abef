package console

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// Writing is what the page Write needs of a server.
type Writing struct {
	// Folder returns the watched folder that specs are saved to; empty if there is none.
	Folder func() string
	// Check checks a document without running it.
	Check func(ctx context.Context, document []byte) Checked
	// Pass runs the Local Pass of a document for a person and keeps it if it is one.
	Pass func(ctx context.Context, by string, document []byte) (*runtime.PassReport, error)
	// Passed reports whether this content has a Local Pass.
	Passed func(*catalog.Spec) bool
	// Publication returns what the servers of a cluster share; nil if this one belongs to
	// none. Keys are those whose signature counts on passes that are published.
	Publication func(context.Context) (*publication.Shelf, error)
	Keys        func() (passnote.Keys, error)
}

// Checked is what a document is, as far as it can be read.
type Checked struct {
	Name     string
	Problems catalog.Problems
	Posture  catalog.Posture
	Level    risk.Level // unrated if the document cannot be read
}

// writing is what a person has in the editor.
type writing struct {
	Text    string
	File    string // its name in the folder; empty for a new one
	Version string // of the file as it was opened or saved; empty for a new one
	Report  *runtime.PassReport
}

// desks are the texts in the editors, one for each session, in memory. A text is bounded
// by the size of a form.
type desks struct {
	mu sync.Mutex
	of map[*session.Session]*writing // what is in it does not change
}

func (d *desks) put(who *session.Session, w *writing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[*session.Session]*writing{}
	}
	for s := range d.of {
		select {
		case <-s.Ended():
			delete(d.of, s)
		default:
		}
	}
	d.of[who] = w
}

func (d *desks) get(who *session.Session) *writing {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.of[who]
}

// writeView is the page Write.
type writeView struct {
	writing
	Folder  string
	Checked Checked
	More    int // problems that have no room
	Signals []risk.Signal
	Passed  bool
	Result  template.HTML
	Files   []string
	Numbers string // of the lines, for the margin
	Cluster *clusterView
}

const (
	// maxProblems bounds the problems that are shown; the rest is said.
	maxProblems = 50
	// maxFiles bounds the files that are offered for opening.
	maxFiles = 200
	// numbered is how many lines have a number beside them.
	numbered = 5000
)

func (c *Console) showWrite(v *visit) (any, error) {
	view := &writeView{Folder: c.options.Write.Folder()}
	if w := c.desks.get(v.who); w != nil {
		view.writing = *w
	}
	query := v.r.URL.Query()
	switch {
	case query.Get("file") != "":
		w, err := c.opened(query.Get("file"))
		if err != nil {
			return nil, err
		}
		view.writing = *w
	case query.Has("new") || view.Text == "":
		starter, problems := catalog.Starter("my_tool")
		if problems.Err() != nil {
			return nil, problems.Err()
		}
		view.writing = writing{Text: string(starter.Raw())}
	}
	view.Checked = c.options.Write.Check(v.r.Context(), []byte(view.Text))
	if more := len(view.Checked.Problems) - maxProblems; more > 0 {
		view.More, view.Checked.Problems = more, view.Checked.Problems[:maxProblems]
	}
	if view.Checked.Name != "" {
		view.Signals = risk.PostureSignals(view.Checked.Posture)
	}
	if spec, problems := catalog.Parse([]byte(view.Text)); problems.Err() == nil {
		view.Passed = c.options.Write.Passed(spec)
	}
	if r := view.Report; r != nil && r.Failure == nil && r.First != nil {
		view.Result = shown.JSON(r.First.Value, nil)
	}
	if view.Folder != "" {
		if files, err := library.Files(view.Folder); err == nil {
			for _, f := range files[:min(len(files), maxFiles)] {
				if name := filepath.Base(f); library.PlainName(name) == nil {
					view.Files = append(view.Files, name)
				}
			}
		}
	}
	view.Cluster = c.cluster(v)
	view.Numbers = numbersOf(strings.Count(view.Text, "\n") + 1)
	return view, nil
}

// opened reads a file of the folder.
func (c *Console) opened(name string) (*writing, error) {
	folder := c.options.Write.Folder()
	if folder == "" || library.PlainName(name) != nil {
		return nil, refuse(http.StatusNotFound, "No such spec", "There is no such file in the folder.", "")
	}
	text, err := library.Read(filepath.Join(folder, name))
	if err != nil || len(text) > maxForm/2 {
		return nil, refuse(http.StatusNotFound, "No such spec", "The file cannot be opened here: it is gone, or too large for the editor.", "")
	}
	return &writing{Text: string(text), File: name, Version: library.Version(text)}, nil
}

// taken is what the editor sends.
func (c *Console) taken(v *visit) *writing {
	// Browsers send line breaks as CR LF.
	w := &writing{Text: strings.ReplaceAll(v.form("text"), "\r\n", "\n"), File: v.form("file"), Version: v.form("version")}
	c.desks.put(v.who, w)
	return w
}

const toWrite = "write"

// checkWriting has a text checked, without anything being done.
func (c *Console) checkWriting(v *visit) (done, error) {
	c.taken(v)
	return done{to: toWrite}, nil
}

// aboutSpec is what the record says of a document.
type aboutSpec struct {
	Tool    string `json:"tool,omitempty"`
	File    string `json:"file,omitempty"`
	Content string `json:"content,omitempty"` // its hash
	Call    string `json:"call,omitempty"`
}

// readable parses the text of an editor.
func readable(w *writing) (*catalog.Spec, error) {
	spec, problems := catalog.Parse([]byte(w.Text))
	if problems.Err() != nil {
		return nil, refuse(http.StatusBadRequest, "Not readable", "The text is no spec yet; the problems are listed.", "")
	}
	return spec, nil
}

// saveWriting writes the text into the folder as a draft.
func (c *Console) saveWriting(v *visit) (done, error) {
	w := c.taken(v)
	spec, err := readable(w)
	if err != nil {
		return done{to: toWrite}, err
	}
	return c.write(v, w, spec, true, "Saved as a draft: no client is offered it before it is published.")
}

// write saves a spec as a draft or as no draft, if the file is still the one that was opened.
func (c *Console) write(v *visit, w *writing, spec *catalog.Spec, draft bool, said string) (done, error) {
	result := done{to: toWrite, said: said}
	folder := c.options.Write.Folder()
	if folder == "" {
		return result, refuse(http.StatusConflict, "No folder", "No folder of specs is configured.", "Start the server with --folder.")
	}
	if spec.Draft() != draft {
		var problems catalog.Problems
		if spec, problems = spec.With("draft", draft); problems.Err() != nil {
			return result, problems.Err()
		}
	}
	name := w.File
	if name == "" {
		name = spec.Name() + ".json"
	}
	result.about = aboutSpec{Tool: spec.Name(), File: name, Content: spec.Hash().String()}
	version, err := library.Save(folder, name, w.Version, spec.Raw())
	switch {
	case errors.Is(err, library.ErrChanged) && w.Version == "":
		return result, refuse(http.StatusConflict, "There is one", "There is a file "+name+" already, and it was not replaced.", "Give the tool another name, or open that file.")
	case errors.Is(err, library.ErrChanged):
		return result, refuse(http.StatusConflict, "Changed by somebody else", "The file "+name+" was changed since you opened it, and was not replaced.", "Open it in another tab, and take over what you want to keep.")
	case errors.Is(err, os.ErrPermission):
		return result, refuse(http.StatusConflict, "Not writable", "The folder cannot be written.", "")
	case err != nil:
		return result, err
	}
	c.desks.put(v.who, &writing{Text: string(spec.Raw()), File: name, Version: version, Report: w.Report})
	return result, nil
}

// passWriting runs the Local Pass of the text.
func (c *Console) passWriting(v *visit) (done, error) {
	w := c.taken(v)
	result := done{to: toWrite}
	spec, err := readable(w)
	if err != nil {
		return result, err
	}
	about := aboutSpec{Tool: spec.Name(), File: w.File, Content: spec.Hash().String()}
	report, err := c.options.Write.Pass(v.r.Context(), v.who.Name, []byte(w.Text))
	if report != nil && report.First != nil {
		about.Call = report.First.ID
	}
	c.desks.put(v.who, &writing{w.Text, w.File, w.Version, report})
	result.about = about
	switch {
	case err != nil:
		return result, refuse(http.StatusConflict, "Not run", "The Local Pass was not run: "+err.Error(), "")
	case report.Failure != nil:
		return result, refuse(http.StatusConflict, "Not passed", "It did not pass.", "")
	}
	result.said = "It passed: two runs with its own test values gave the same."
	return result, nil
}

// publishWriting writes the text as no draft, if it has passed.
func (c *Console) publishWriting(v *visit) (done, error) {
	w := c.taken(v)
	spec, err := readable(w)
	if err != nil {
		return done{to: toWrite}, err
	}
	if !c.options.Write.Passed(spec) {
		return done{to: toWrite, about: aboutSpec{Tool: spec.Name()}}, refuse(http.StatusConflict, "Not passed", "It was not published: this content has no Local Pass.", "Run the Local Pass first.")
	}
	return c.write(v, w, spec, false, "Published: clients are offered it in a moment, under the policy in effect.")
}

// numbersOf are the numbers of the lines, one on each.
func numbersOf(lines int) string {
	var b strings.Builder
	for i := range min(lines, numbered) {
		b.WriteString(strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}
