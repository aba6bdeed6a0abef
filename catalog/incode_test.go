package catalog

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Every marker's place in the code leads to the marker in the document, however
// the document spells the code.
func TestAPlaceInTheCodeIsOneInTheDocument(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "\n", "\t", "\"", "\\", "ü", "漢", "😀", " ", "/", "\r", "\u0001"}
	for range 500 {
		var before strings.Builder
		for range random.IntN(30) {
			before.WriteString(pieces[random.IntN(len(pieces))])
		}
		code := before.String() + "@ after\n"
		lines := strings.Split(before.String(), "\n")
		at := InCode{len(lines), len([]rune(lines[len(lines)-1])) + 1}
		quoted, err := json.Marshal(code)
		if err != nil {
			t.Fatal(err)
		}
		text := string(quoted)
		if random.IntN(2) == 0 { // the same in escapes
			var b strings.Builder
			for _, r := range code {
				if r > 0xffff {
					r -= 0x10000
					fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
				} else if r == '@' {
					b.WriteRune(r)
				} else {
					fmt.Fprintf(&b, `\u%04x`, r)
				}
			}
			text = `"` + b.String() + `"`
		}
		document := "{\n  \"name\": \"t\", \"codeType\": \"Javascript\",\n  \"code\": " + text + "}"
		spec, problems := Parse([]byte(document))
		if spec == nil {
			t.Fatal(problems)
		}
		p := spec.NotJavaScript(at, "m")[0]
		line := strings.Split(document, "\n")[p.Line-1]
		if got := []rune(line); p.Column > len(got) || got[p.Column-1] != '@' {
			t.Fatalf("%q: %v leads to %d:%d", document, at, p.Line, p.Column)
		}
	}
	spec, _ := Parse([]byte(`{"name":"t","code":"x","codeType":"Javascript"}`))
	for _, at := range []InCode{{}, {1, 99}, {99, 1}, {-1, -1}} {
		if p := spec.NotJavaScript(at, "m")[0]; p.Line != 1 || p.Column < 20 || p.Column > 23 {
			t.Errorf("%v: %d:%d", at, p.Line, p.Column)
		}
	}
}
