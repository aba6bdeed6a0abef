package frame

import (
	"strings"
)

// hails reports whether the sentence opens with the model's name and a comma or a
// colon: "Note to agents:", not "The bot sends reminders, although". A line of a
// dialogue, in which labels return, hails nobody.
func (x *cutter) hails() bool {
	head := x.s[x.start:min(len(x.s), x.start+80)]
	i := strings.IndexAny(head, ",:\u060c\u3001\uff0c\uff1a")
	if i <= 0 {
		return false
	}
	opening := strings.TrimLeft(head[:i], " \n-*#>/@")
	if strings.Count(opening, " ") >= 6 || strings.Contains(head[:i], "**") {
		return false
	}
	if head[i] == ':' && strings.IndexByte(opening, ' ') < 0 && x.dialogue("\n"+opening+":") {
		return false
	}
	if len(opening) > longestName {
		opening = opening[strings.LastIndexByte(opening[:len(opening)-longestName], ' ')+1:]
	}
	words := strings.Fields(opening)
	for _, word := range words[max(0, len(words)-2):] {
		for at, c := range word {
			stop := strings.IndexFunc(word[at:], func(other rune) bool { return unbroken(other) != unbroken(c) })
			if stop < 0 {
				stop = len(word) - at
			}
			if set, _, _ := x.lexicon.all.longest([]byte(Fold(word[at:at+stop])), everyTongue); set.Has(Model) {
				return true
			}
			if stop == len(word)-at && !unbroken(c) {
				break
			}
		}
	}
	return false
}

// longestName is how many bytes before the comma may hold the name.
const longestName = 40

// dialogue reports whether a label stands at the start of several lines.
func (x *cutter) dialogue(label string) bool {
	near := x.s[max(0, x.start-maxDialogue):min(len(x.s), x.start+maxDialogue)]
	times := strings.Count(near, label)
	if strings.HasPrefix(near, label[1:]) {
		times++
	}
	return times > 1 || strings.Count(near, "\n> "+label[1:]) > 1
}

// maxDialogue is how far a label is looked for, in bytes.
const maxDialogue = 600
