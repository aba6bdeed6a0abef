package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// clusterView is what the servers of a cluster share, on the page Write.
type clusterView struct {
	Now     *publication.Publication // nil if nothing is published
	Trouble string                   // why that is not known
}

// publishTime bounds publishing, which writes a file for each spec.
const publishTime = time.Minute

// cluster looks at what is published; nil if this server belongs to no cluster.
func (c *Console) cluster(v *visit) *clusterView {
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(lookTime))
	defer cancel()
	shelf, err := c.options.Write.Publication(ctx)
	if shelf == nil && err == nil {
		return nil
	}
	view := &clusterView{}
	if err == nil {
		view.Now, err = shelf.Now(ctx)
	}
	if errors.Is(err, publication.ErrNone) {
		view.Now, err = nil, nil
	}
	if err != nil {
		view.Trouble = err.Error()
	}
	return view
}

// shelf returns where to publish.
func (c *Console) shelf(ctx context.Context) (*publication.Shelf, error) {
	shelf, err := c.options.Write.Publication(ctx)
	if err == nil && shelf == nil {
		err = refuse(http.StatusConflict, "No cluster", "This server belongs to no cluster.", "Publish serves the folder here; for a cluster start the servers with --nats.")
	}
	return shelf, err
}

// aboutPublication is what the record says of it.
type aboutPublication struct {
	Specs  int       `json:"specs"`
	Files  []string  `json:"files,omitempty"` // the first of them
	Drafts int       `json:"drafts,omitempty"`
	Before *replaced `json:"before,omitempty"`
}

// replaced is the publication before.
type replaced struct {
	Specs int       `json:"specs"`
	By    string    `json:"by"`
	At    time.Time `json:"at"`
}

func (a *aboutPublication) instead(of *publication.Publication) {
	if of != nil && of.Specs() > 0 {
		a.Before = &replaced{of.Specs(), of.By, of.At}
	}
}

// maxNamedFiles bounds the files that the record names.
const maxNamedFiles = 50

// publishFolder has all servers of the cluster serve the folder, as glovebox publish does.
func (c *Console) publishFolder(v *visit) (done, error) {
	w := c.taken(v)
	result := done{to: toWrite}
	folder := c.options.Write.Folder()
	if folder == "" {
		return result, refuse(http.StatusConflict, "No folder", "No folder of specs is configured.", "Start the server with --folder.")
	}
	// Who has a file open means that text, and no other.
	if w.File != "" {
		saved, err := c.opened(w.File)
		if err != nil || library.Version([]byte(w.Text)) != saved.Version {
			return result, refuse(http.StatusConflict, "Not saved", "Nothing was published: the text is not what "+w.File+" has in the folder.", "Press Publish, which writes it there, or open the file again.")
		}
	}
	keys, err := c.options.Write.Keys()
	if err != nil {
		return result, err
	}
	read, err := publication.Read(folder, keys, c.options.Now())
	if err != nil {
		return result, refuse(http.StatusConflict, "Not published", "Nothing was published: "+err.Error(), "")
	}
	about := &aboutPublication{Specs: read.Specs, Drafts: len(read.Drafts)}
	for _, name := range read.Names() {
		if len(about.Files) < maxNamedFiles {
			about.Files = append(about.Files, name)
		}
	}
	result.about = about
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(publishTime))
	defer cancel()
	shelf, err := c.shelf(ctx)
	if err != nil {
		return result, err
	}
	before, err := shelf.Put(ctx, read.Files, v.who.Name, c.options.Now())
	if err != nil {
		return result, err
	}
	about.instead(before)
	result.said = fmt.Sprintf("Published to the cluster: all specs of the folder %[2]s that are no drafts (%[1]d), which its servers take over in a moment.", read.Specs, filepath.Base(folder))
	if n := len(read.Drafts); n > 0 {
		result.said += fmt.Sprintf(" Left out as drafts: %d.", n)
	}
	return result, nil
}

// withdrawFolder ends what the servers of the cluster share.
func (c *Console) withdrawFolder(v *visit) (done, error) {
	c.taken(v)
	result := done{to: toWrite}
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(publishTime))
	defer cancel()
	shelf, err := c.shelf(ctx)
	if err != nil {
		return result, err
	}
	before, err := shelf.Withdraw(ctx, v.who.Name, c.options.Now())
	if err != nil {
		return result, err
	}
	about := &aboutPublication{}
	about.instead(before)
	result.about, result.said = about, "Withdrawn: the servers of the cluster share no specs any more, a moment from now."
	return result, nil
}
