package live

import (
	"slices"
	"strings"
)

// Label says what a text may be: whether strangers can have written it, and whose data
// it holds. The zero Label is text that everybody may read and that is trusted. Labels
// only ever get worse: see [Label.Join].
type Label struct {
	// Untrusted text may have been written by somebody who wants the agent to act for
	// them.
	Untrusted bool `json:"untrusted,omitempty"`
	// Private text is not for everybody; a Secret gives access to something.
	Private bool `json:"private,omitempty"`
	Secret  bool `json:"secret,omitempty"`
	// Origins are the servers whose private data it is, in order. [Many] stands for
	// more than are listed.
	Origins []string `json:"origins,omitempty"`
}

// maxOrigins is how many origins a label lists. A composition has a few servers; who
// wants to fill memory with invented ones gets [Many].
const maxOrigins = 16

// Many is the origin of data of any server.
const Many = "*"

// Join returns the label of two texts put together: the worse of each.
func (l Label) Join(m Label) Label {
	l.Untrusted = l.Untrusted || m.Untrusted
	l.Private = l.Private || m.Private || m.Secret || l.Secret
	l.Secret = l.Secret || m.Secret
	if len(m.Origins) == 0 || slices.Equal(l.Origins, m.Origins) {
		return l
	}
	origins := slices.Concat(l.Origins, m.Origins)
	slices.Sort(origins)
	l.Origins = slices.Compact(origins)
	if len(l.Origins) > maxOrigins || slices.Contains(l.Origins, Many) {
		l.Origins = []string{Many}
	}
	return l
}

// Covers reports whether the label is at least as bad as another in everything.
func (l Label) Covers(m Label) bool {
	joined := l.Join(m)
	return joined.Untrusted == l.Untrusted && joined.Private == l.Private && joined.Secret == l.Secret && slices.Equal(joined.Origins, l.Origins)
}

// String writes the label as people read it, such as "untrusted, private (mail)".
func (l Label) String() string {
	integrity, confidentiality := "trusted", "public"
	if l.Untrusted {
		integrity = "untrusted"
	}
	switch {
	case l.Secret:
		confidentiality = "secret"
	case l.Private:
		confidentiality = "private"
	}
	if len(l.Origins) > 0 {
		confidentiality += " (" + strings.Join(l.Origins, ", ") + ")"
	}
	return integrity + ", " + confidentiality
}
