package capability

import (
	"fmt"
	"strings"
	"testing"
)

var bodies = map[string]func(n int) Definition{
	"prose": func(n int) Definition {
		return Definition{Name: "create_issue", Description: strings.Repeat("Creates an issue in a repository, assigns people and adds labels. Use this tool when the user asks for it; do not use it to comment.\n", n)}
	},
	"parameters": func(n int) Definition {
		var b strings.Builder
		b.WriteString(`{"type":"object","properties":{`)
		for i := range n {
			fmt.Fprintf(&b, `"field_%d":{"type":"string","description":"Text that is written to the file, or the path to delete"},`, i)
		}
		b.WriteString(`"url":{"type":"string"}}}`)
		return Definition{Name: "t", Schema: []byte(b.String())}
	},
	"long name":    func(n int) Definition { return Definition{Name: strings.Repeat("deleteFile_aB", n)} },
	"one word":     func(n int) Definition { return Definition{Description: strings.Repeat("abcdefghij", n)} },
	"one sentence": func(n int) Definition { return Definition{Description: strings.Repeat("delete all and ", n)} },
	"no spaces": func(n int) Definition {
		return Definition{Description: strings.Repeat("删除所有记录并发送", n)}
	},
	"accents": func(n int) Definition {
		return Definition{Description: strings.Repeat("löscht übeltäter à é ", n)}
	},
	"nested schema": func(n int) Definition { return Definition{Schema: []byte(nested(n))} },
	"references":    func(n int) Definition { return Definition{Schema: []byte(circle(n))} },
}

func nested(n int) string {
	n = min(n, 4000) // encoding/json refuses more than 10,000 levels
	return strings.Repeat(`{"properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n)
}

// circle makes definitions that refer to each other, all of them to all.
func circle(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{"x":{}`)
	for i := range n {
		fmt.Fprintf(&b, `,"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}],"properties":{"p":{"$ref":"#/$defs/d0"}}}`, i, (i+1)%n, (i+2)%n)
	}
	b.WriteString(`}}`)
	return b.String()
}

func (d Definition) size() int {
	return len(d.Name) + len(d.Title) + len(d.Description) + len(d.Schema)
}

// The long bodies take as long a byte as the short ones: reading is linear.
func BenchmarkOf(b *testing.B) {
	for name, body := range bodies {
		for _, n := range []int{30, 3000} {
			d := body(n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(d.size()))
				for b.Loop() {
					Of(d)
				}
			})
		}
	}
}

// The work is counted, because a clock on a busy machine proves nothing: a word is
// emitted once, and a definition is read once however often it is referred to.
func TestTheWorkIsLinear(t *testing.T) {
	for name, body := range bodies {
		work := func(n int) int {
			d := body(n)
			count := 0
			for _, text := range []string{d.Name, d.Description} {
				tokens(text, text == d.Name, func(token) { count++ })
			}
			return count + len(d.parameters())
		}
		if small, large := work(100), work(1000); large > 11*small+10 {
			t.Errorf("%s: %d steps for a text ten times as long as one of %d", name, large, small)
		}
	}
}
