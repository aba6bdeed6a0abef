package console

import (
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
)

// wayOut is what to press to have a withheld tool offered.
type wayOut struct {
	Do string
	// Link is where that is done, and Word what the link says; both are empty if nothing
	// in the console helps.
	Link, Word string
	// Command does the same on the command line, if anything there does.
	Command string
}

// wayOf says what a person at the console can do about a withheld tool. Its way out for
// the command line comes second.
func (c *Console) wayOf(w exposure.Withheld) (way wayOut) {
	if strings.Contains(w.WayOut, "glovebox ") || strings.Contains(w.WayOut, "--") {
		way.Command = w.WayOut
	}
	to := func(word, do string, parts ...any) {
		way.Do, way.Word, way.Link = do, word, c.url(parts...)
	}
	inSet := w.Set != "" && w.Set != exposure.Exposed
	switch w.Code {
	case exposure.Unregistered:
		to("Add a server", "Add a server of that name.", "servers", "add")
	case exposure.InQuarantine:
		to("The server", "Look at the server, then press Enable.", "servers", w.Upstream)
	case exposure.ServerDisabled:
		to("The server", "Press Enable.", "servers", w.Upstream)
	case exposure.NotListed, exposure.NotPinned:
		to("The server", "Press Test, so that it lists its tools.", "servers", w.Upstream)
	case exposure.NoSuchTool:
		to("The server", "Press Test, in case it lists the tool by now; otherwise choose it no longer.", "servers", w.Upstream)
	case exposure.AwaitsReview:
		to("Review", "Read it, and accept it.", "servers", w.Upstream, "review", "?tool", w.Tool)
	case exposure.ChangedSince:
		to("Review", "Read what changed, and accept it. Press Test on the server's page if nothing is shown.", "servers", w.Upstream, "review", "?tool", w.Tool)
	case exposure.PinRevoked:
		to("Its pin", "Press Forget; it then waits for a review again.", "servers", w.Upstream, "review", "?tool", w.Tool)
	case exposure.Poisoned:
		to("Review", "Read it. If it means no harm, accept it with the second box as well.", "servers", w.Upstream, "review", "?tool", w.Tool)
	case exposure.NotScanned:
		to("The server", "Press Scan now.", "servers", w.Upstream)
	case exposure.BelowGrade, exposure.NewHardFail:
		to("Its score", "See what the scan found; scan it again when its author has mended that.", "servers", w.Upstream, "score")
	case exposure.EmptySet:
		to("The composition", "Add a member.", "compositions", w.Set)
	case exposure.BadAlias:
		way.renamed(c, w, inSet, "Give it another name: 1 to 64 letters, digits, _ or -.")
	case exposure.NameTaken:
		way.renamed(c, w, inSet, "Give it another name, or all tools of the server a word before theirs.")
	case exposure.Shadows:
		way.renamed(c, w, inSet, "Describe it in your own words.")
	case exposure.AboveCap:
		switch do := "Choose a higher level as the highest that is offered."; {
		case strings.Contains(w.WayOut, "--approve"):
			way.renamed(c, w, inSet, "Have a person approve each call, which counts one level less. Or "+strings.ToLower(do[:1])+do[1:])
		case way.Command != "":
			way.renamed(c, w, inSet, do)
		default:
			way.Do = "Nobody has rated it, so it cannot be offered."
		}
	case exposure.Unreadable:
		switch {
		case w.Upstream == "":
			to("The composition", "What is kept of the composition cannot be read. Delete it, and make it again.", "compositions", w.Set)
		default:
			way.Do = "What is kept of it cannot be read, and is mended on the command line."
		}
	default: // a bad definition, or two of one name
		way.Do = "Only its author can change that."
	}
	return way
}

// renamed leads to where a tool is given another name, description or cap.
func (w *wayOut) renamed(c *Console, of exposure.Withheld, inSet bool, do string) {
	w.Do = do
	if inSet {
		w.Word, w.Link = "The composition", c.url("compositions", of.Set)
		return
	}
	w.Word, w.Link = "Expose", c.url("servers", of.Upstream, "expose", "?text", of.Tool)
}
