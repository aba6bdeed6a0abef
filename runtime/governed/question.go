package governed

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/unseen"
)

// Bounds of a question, in bytes and members. Nobody reads a longer one to the end, so
// it is cut short and says so.
const (
	maxWords     = 1200 // of the author, in bytes
	maxLines     = 20   // likewise, in lines
	maxArguments = 4000 // all values together; each gets an equal share
	minShare     = 120  // of one value, however many there are
	maxMembers   = 40   // arguments shown with their values; of the others only the names are shown
	maxName      = 80   // of an argument
	maxShown     = 2000 // of the arguments beside the question
)

// question is the call as shown to a person.
func (c *call) question() Question {
	shown := c.shownArguments()
	return Question{
		ID: c.out.ID, Caller: c.Caller, Client: c.Client, Tool: c.about, Arguments: c.received(),
		Standing: c.judgement.Standing + "; " + c.about.Standing,
		Text:     questionText(c.about, c.judgement, shown), Shown: shortened(shown), Rest: cut(unseen.Spell(c.judgement.Rest), maxWords), Asked: c.recordAsked,
	}
}

// questionText is the text the person reads. The author's words come first, each line
// marked as the author's. Our own wording of source, tool, level, the reason for asking
// and every argument always follows, so no template can hide or imitate it. Invisible
// characters are spelled out.
func questionText(about *About, j Judgement, cleaned json.RawMessage) string {
	var b strings.Builder
	if words := authorsWords(about, cleaned); len(words) == 0 {
		b.WriteString("Run this tool?\n")
	} else {
		b.WriteString("The author of the tool asks:\n")
		for _, line := range words {
			fmt.Fprintf(&b, "> %s\n", line)
		}
	}
	fmt.Fprintf(&b, "Tool: %s\nSource: %s\nRisk level: %s %s\n", cut(unseen.Spell(about.Name), maxName), cut(unseen.Spell(about.Source), maxName), about.Level, about.Level.Label())
	if j.Reason != "" {
		fmt.Fprintf(&b, "Reason: %s\n", cut(unseen.Spell(j.Reason), maxWords))
	}
	for _, line := range j.Details[:min(len(j.Details), maxLines)] {
		fmt.Fprintf(&b, "  %s\n", cut(unseen.Spell(line), maxWords))
	}
	writeArguments(&b, cleaned)
	return strings.TrimSuffix(b.String(), "\n")
}

// authorsWords returns the lines of the author's template with its placeholders filled
// in; none without a template.
func authorsWords(about *About, cleaned json.RawMessage) (lines []string) {
	template := strings.TrimSpace(about.Approval.PromptTemplate)
	// One pass: a placeholder inside an argument stays as it is.
	words := strings.NewReplacer("{toolName}", about.Name, "{args}", string(cleaned), "\r\n", "\n", "\r", "\n").Replace(template)
	left := maxWords
	for line := range strings.Lines(words) {
		if len(lines) == maxLines || left <= 0 {
			return append(lines, "... (there is more that is not shown)")
		}
		shown := cut(unseen.Spell(strings.TrimSuffix(line, "\n")), left)
		left -= len(shown)
		lines = append(lines, shown)
	}
	return lines
}

// writeArguments writes every argument on its own line, so that a long one does not
// push the others out of sight.
func writeArguments(b *strings.Builder, cleaned json.RawMessage) {
	all := gjson.ParseBytes(cleaned)
	if !all.IsObject() {
		fmt.Fprintf(b, "Arguments: %s\n", cut(unseen.Spell(string(cleaned)), maxArguments))
		return
	}
	n := 0
	all.ForEach(func(_, _ gjson.Result) bool { n++; return true })
	if n == 0 {
		b.WriteString("Arguments: none\n")
		return
	}
	b.WriteString("Arguments:\n")
	share, shown := max(minShare, maxArguments/n), 0
	var others []string
	all.ForEach(func(name, value gjson.Result) bool {
		if shown++; shown > maxMembers {
			if shown <= 2*maxMembers {
				others = append(others, cut(unseen.Spell(name.String()), maxName))
			}
			return true
		}
		fmt.Fprintf(b, "  %s: %s\n", cut(unseen.Spell(name.String()), maxName), cut(unseen.Spell(compact(value.Raw)), share))
		return true
	})
	if n > maxMembers {
		fmt.Fprintf(b, "  and %d more: %s", n-maxMembers, strings.Join(others, ", "))
		if n > 2*maxMembers {
			b.WriteString(", ...")
		}
		b.WriteString("\n")
	}
}

// compact returns JSON on one line.
func compact(text string) string {
	return strings.NewReplacer("\n", "", "\r", "", "\t", "").Replace(text) // none of them occurs in a JSON string
}

// cut returns at most the first bytes of a text. It replaces the rest with its length
// and the hash of the whole, so that two long values can be told apart.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s... (%d more bytes; sha256 of all %.8x)", strings.ToValidUTF8(text[:most], ""), len(text)-most, sha256.Sum256([]byte(text)))
}

// shortened returns the arguments as an operator sees them: JSON, or the beginning of
// it as a string.
func shortened(cleaned json.RawMessage) json.RawMessage {
	if len(cleaned) <= maxShown {
		return cleaned
	}
	text, err := json.Marshal(cut(string(cleaned), maxShown))
	if err != nil {
		return nil
	}
	return text
}
