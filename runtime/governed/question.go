package governed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// maxShown bounds the arguments in a question, in bytes: what nobody reads to the
// end is not shown to the end, and the question says so.
const maxShown = 2000

// question is the call as a person is asked about it.
func (c *call) question() Question {
	shown := c.parameters()
	return Question{
		ID: c.out.ID, Caller: c.Caller, Tool: c.about, Arguments: c.received(),
		Standing: c.judgement.Standing + "; " + c.about.Standing,
		Text:     questionText(c.about, shown), Shown: shortened(shown), Asked: c.recordAsked,
	}
}

// defaultPrompt is asked when a tool has no question of its own.
const defaultPrompt = "Run the tool '{toolName}' with the arguments {args}?"

// questionText is what the person reads. The level goes first, where no template
// can put it elsewhere, and characters that nobody sees are spelled out.
func questionText(about *About, cleaned json.RawMessage) string {
	template := about.Approval.PromptTemplate
	if strings.TrimSpace(template) == "" {
		template = defaultPrompt
	}
	var compact bytes.Buffer // without line breaks that push the rest out of sight
	if err := json.Compact(&compact, cleaned); err != nil {
		compact.Write(cleaned)
	}
	shown := cmp.Or(compact.String(), "{}")
	if rest := len(shown) - maxShown; rest > 0 {
		shown = fmt.Sprintf("%s... (%d more bytes that are not shown)", strings.ToValidUTF8(shown[:maxShown], ""), rest)
	}
	// One pass: a placeholder in the arguments stays what it is.
	text := strings.NewReplacer("{toolName}", about.Name, "{args}", shown).Replace(template)
	return fmt.Sprintf("[risk %s %s] %s", about.Level, about.Level.Label(), spelled(text))
}

// spelled writes characters that nobody sees, or that change the direction of
// reading, as their numbers.
func spelled(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// shortened are arguments as an operator sees them: JSON, or the beginning of it as
// a string.
func shortened(cleaned json.RawMessage) json.RawMessage {
	if len(cleaned) <= maxShown {
		return cleaned
	}
	text, err := json.Marshal(fmt.Sprintf("%s... (%d more bytes that are not shown)", strings.ToValidUTF8(string(cleaned[:maxShown]), ""), len(cleaned)-maxShown))
	if err != nil {
		return nil
	}
	return text
}
