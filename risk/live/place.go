package live

import (
	"slices"
	"strings"
)

// folder reports whether a destination is a folder whose name is one plain word, such as
// "/downloads". Such a word stands in any text, and nothing leaves by going there.
func folder(value string) bool {
	name := strings.Trim(value, "/\\~.")
	if name == value || name == "" {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// writers are members of messages, pages and tickets that say who wrote them.
var writers = []string{"from", "sender", "author", "reply_to", "reply-to", "replyto", "from_email", "sender_email", "posted_by", "created_by"}

// maxWriter is how many bytes before a value the name of its member is looked for:
// "sender" with its marks and a name before the address.
const maxWriter = 64

// author reports whether what stands at a place is the value of a member that says who
// wrote the text. Anybody can write such a line into a text of their own, so it lifts a
// denial to a question and no further.
func author(text string, at uint32) bool {
	if int(at) > len(text) {
		return false
	}
	line := text[max(0, int(at)-maxWriter):at]
	line = line[strings.LastIndexAny(line, "\n,{")+1:]
	name, _, ok := strings.Cut(line, ":")
	if !ok {
		return false
	}
	return slices.Contains(writers, strings.ToLower(strings.Trim(name, " \t\"'-*")))
}
