package tools_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/runtime"
)

// card is what the tools return that make something to look at.
type card struct {
	Text, MimeType, SVG, DataURL, EML, Mailto, FileName string
	Added, Removed                                      int
	Equal                                               bool
}

func makeCard(t testing.TB, tool *runtime.Tool, arguments map[string]any) card {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	got := call(t, tool, host.World{}, string(text))
	if got.Failure != nil {
		t.Fatalf("%s: %s", text, failureOf(got.Failure))
	}
	var c card
	if err := json.Unmarshal(got.Value, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// wellFormed reads a picture as XML and returns the text in it.
func wellFormed(t *testing.T, svg string) string {
	t.Helper()
	var text strings.Builder
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			for _, a := range token.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "undefined") || strings.Contains(a.Value, "Infinity") {
					t.Errorf("<%s %s=%q>", token.Name.Local, a.Name.Local, a.Value)
				}
			}
			if token.Name.Local == "script" || token.Name.Local == "image" || token.Name.Local == "a" {
				t.Errorf("a picture has <%s>", token.Name.Local)
			}
		}
	}
}

// TestPicturesAreXMLWhateverTheTextsAre: no text of an argument becomes markup.
func TestPicturesAreXMLWhateverTheTextsAre(t *testing.T) {
	rt := openRuntime(t)
	const evil = `"/></text><script>x()</script>&amp;<!-- ' 😀`
	for name, arguments := range map[string]map[string]any{
		"svgChart":          {"values": []int{1, -2}, "labels": []string{evil, "b"}, "title": evil},
		"renderTimeline":    {"events": []any{map[string]any{"date": evil, "title": evil, "detail": evil}}, "title": evil},
		"renderStatCards":   {"cards": []any{map[string]any{"label": evil, "value": evil, "delta": evil, "trend": "up"}}, "title": evil},
		"renderHeatmap":     {"xLabels": []string{evil}, "yLabels": []string{evil, "y"}, "data": []any{[]int{0, 0, 3}}, "title": evil},
		"renderCandlestick": {"data": []any{map[string]any{"t": evil, "o": 1, "h": 1, "l": 1, "c": 1}}, "title": evil, "volume": true},
		"renderDiagram":     {"code": "sequenceDiagram\nparticipant A as " + evil + "\nA->>A: " + evil + "\nNote over A: " + evil + "\nloop " + evil + "\nend", "title": evil},
	} {
		c := makeCard(t, prepare(t, rt, tools.Find(name)), arguments)
		if text := wellFormed(t, c.SVG); !strings.Contains(text, `"/></text>`[:8]) {
			t.Errorf("%s does not show the text: %s", name, text)
		}
		encoded, found := strings.CutPrefix(c.DataURL, "data:image/svg+xml;base64,")
		if decoded, err := base64.StdEncoding.DecodeString(encoded); !found || err != nil || string(decoded) != c.SVG {
			t.Errorf("%s: the data URL is another picture: %v", name, err)
		}
	}
}

func TestDiagrams(t *testing.T) {
	rt := openRuntime(t)
	tool := prepare(t, rt, tools.Find("renderDiagram"))
	for name, tc := range map[string]struct{ code, shown string }{
		"flowchart": {"graph TD;\nA-->B;A-->|yes| C;B-->D;C-->D\nsubgraph one\nD -. maybe .-> E((End))\nend\nstyle A fill:#f9f\nE == thick ==> F & G\nF -- \"a label\" --> H[\"x [y]\"]\nA --- Z\nZ --> A\nZ --> Z\n", "a label|maybe|thick|x [y]|End|yes"},
		"one line":  {"flowchart LR\nA[One] --> B(Two) --> C{Three?} -->|no| A", "One|Two|Three?|no"},
		"states":    {"stateDiagram-v2\n[*] --> Still\nStill --> Moving : go\nMoving --> Still : stop\nMoving --> [*]", "Still|Moving|go|stop"},
		"sequence":  {"sequenceDiagram\nparticipant A as Alice\nA->>B: Hello\nB-->>A: Hi\nA->>A: think\nNote over A,B: both\nloop daily\nend\n", "Alice|Hello|Hi|think|both|loop daily"},
	} {
		c := makeCard(t, tool, map[string]any{"code": tc.code})
		text := wellFormed(t, c.SVG)
		for part := range strings.SplitSeq(tc.shown, "|") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in the picture: %s", name, part, text)
			}
		}
		if !strings.Contains(c.Text, strings.TrimSpace(tc.code)) {
			t.Errorf("%s: the source is gone: %s", name, c.Text)
		}
	}
	for _, code := range []string{"gantt\ntitle x", "flowchart LR\nA ->", "flowchart LR", "sequenceDiagram\nwhat", "flowchart LR\n" + strings.Repeat("A", 30_000)} {
		arguments, _ := json.Marshal(map[string]string{"code": code})
		if got := call(t, tool, host.World{}, string(arguments)); got.Failure == nil || got.Failure.Name != "Error" {
			t.Errorf("%.40q: %s %s", code, got.Value, failureOf(got.Failure))
		}
	}
}

// patched applies a unified diff by the rules of POSIX, knowing nothing of how it
// was made.
func patched(old, diff string) (string, error) {
	var out []string
	lines := strings.SplitAfter(old, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	at := 0
	body := strings.SplitAfter(diff, "\n")
	for i := 0; i < len(body); i++ {
		var from, removed, to, added int
		line := body[i]
		if n, _ := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &removed, &to, &added); n != 4 {
			continue
		}
		if removed > 0 {
			from--
		}
		out, at = append(out, lines[at:from]...), from
		for removed > 0 || added > 0 {
			i++
			text := body[i][1:]
			if i+1 < len(body) && strings.HasPrefix(body[i+1], `\ `) {
				text = strings.TrimSuffix(text, "\n")
			}
			switch body[i][0] {
			case ' ', '-':
				if lines[at] != text {
					return "", fmt.Errorf("line %d is %q, the diff has %q", at+1, lines[at], text)
				}
				at++
				removed--
				if body[i][0] == ' ' {
					out, added = append(out, text), added-1
				}
			case '+':
				out, added = append(out, text), added-1
			default:
				return "", fmt.Errorf("what is %q", body[i])
			}
			if i+1 < len(body) && strings.HasPrefix(body[i+1], `\ `) {
				i++
			}
		}
	}
	return strings.Join(append(out, lines[at:]...), ""), nil
}

// scattered is a text of 2,000 lines and the same with up to 150 of them changed,
// left out or added.
func scattered(random *rand.Rand) (left, right string) {
	var from, to strings.Builder
	for n := range 2000 {
		line := strconv.Itoa(n%50) + "\n"
		from.WriteString(line)
		switch random.IntN(40) {
		case 0:
			to.WriteString("changed\n")
		case 1:
			to.WriteString(line + "added\n")
		case 2:
		default:
			to.WriteString(line)
		}
	}
	return from.String(), to.String()
}

// sides are the two texts that a diff of lines is of.
func sides(t *testing.T, tool *runtime.Tool, left, right string) (from, to string) {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"a": left, "b": right})
	if err != nil {
		t.Fatal(err)
	}
	got := call(t, tool, host.World{}, string(arguments))
	var diff []struct{ Op, Line string }
	if err := json.Unmarshal(got.Value, &diff); err != nil {
		t.Fatalf("%v: %s", err, failureOf(got.Failure))
	}
	var before, after []string
	for _, line := range diff {
		if line.Op != "+" {
			before = append(before, line.Line)
		}
		if line.Op != "-" {
			after = append(after, line.Line)
		}
	}
	return strings.Join(before, "\n"), strings.Join(after, "\n")
}

// TestADiffAppliesToItsText: for random texts, with and without a line break at
// the end, the diff turns the left one into the right one.
func TestADiffAppliesToItsText(t *testing.T) {
	rt := openRuntime(t)
	tool, lines := prepare(t, rt, tools.Find("renderDiff")), prepare(t, rt, tools.Find("diffText"))
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 310 {
		text := func() string {
			var s strings.Builder
			for range random.IntN(25) {
				s.WriteString(strconv.Itoa(random.IntN(6)) + "\n")
			}
			return strings.TrimSuffix(s.String(), "\n"[:random.IntN(2)])
		}
		left, right := text(), text()
		if round >= 300 { // long texts that differ in many places
			left, right = scattered(random)
		}
		if from, to := sides(t, lines, left, right); from != left || to != right {
			t.Fatalf("diffText of %q and %q is of %q and %q", left, right, from, to)
		}
		c := makeCard(t, tool, map[string]any{"left": left, "right": right})
		if c.Equal != (left == right) {
			t.Fatalf("equal is %v of %q and %q", c.Equal, left, right)
		}
		diff := strings.TrimSuffix(strings.TrimPrefix(c.Text, "```diff\n"), "```\n")
		got, err := patched(left, diff)
		if c.Equal {
			got = left
		}
		if err != nil || got != right {
			t.Fatalf("%q and %q: %v\n%s\n%q", left, right, err, diff, got)
		}
	}
}

func TestACalendarEntryIsICalendar(t *testing.T) {
	rt := openRuntime(t)
	tool := prepare(t, rt, tools.Find("addToCalendar"))
	long := strings.Repeat("일정 ", 60) + "; a, b\\ c\r\nBEGIN:VALARM"
	arguments := map[string]any{"title": long, "start": "2026-01-15T10:00:00+09:00", "end": "2026-01-15T11:30:00+09:00", "location": "Room 3, 2nd floor", "description": "one\ntwo"}
	c := makeCard(t, tool, arguments)
	for line := range strings.SplitSeq(strings.TrimSuffix(c.Text, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
	lines := strings.Split(strings.ReplaceAll(c.Text, "\r\n ", ""), "\r\n")
	properties := map[string]string{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		if _, twice := properties[name]; twice && name != "BEGIN" && name != "END" {
			t.Errorf("%s stands there twice", name)
		}
		properties[name] = value
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\;`, `;`, `\,`, `,`, `\n`, "\n")
	if got := unescape.Replace(properties["SUMMARY"]); got != strings.ReplaceAll(long, "\r\n", "\n") {
		t.Errorf("the title became %q", got)
	}
	start, err := time.Parse("20060102T150405Z", properties["DTSTART"])
	if err != nil || !start.Equal(time.Date(2026, 1, 15, 1, 0, 0, 0, time.UTC)) || properties["DTEND"] != "20260115T023000Z" {
		t.Errorf("from %s to %s: %v", properties["DTSTART"], properties["DTEND"], err)
	}
	if again := makeCard(t, tool, arguments); !strings.Contains(again.Text, "UID:"+properties["UID"]+"\r\n") || len(properties["UID"]) < 32 {
		t.Errorf("the identity changes: %s", properties["UID"])
	}
}

func TestADraftIsAMessageAndALink(t *testing.T) {
	rt := openRuntime(t)
	tool := prepare(t, rt, tools.Find("sendEmail"))
	const subject, body = "Grüße & =?UTF-8?B?eA==?= – 회의 " + "and a subject that is longer than one line of a header may be", "Hi,\n\nline two: ünïcode.\n"
	c := makeCard(t, tool, map[string]any{"to": "a+b@example.com, c@example.com", "cc": "d@example.com", "subject": subject + "\r\nBcc: evil@example.com", "body": body})
	message, err := mail.ReadMessage(strings.NewReader(c.EML))
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if err != nil || decoded != subject+" Bcc: evil@example.com" || message.Header.Get("Bcc") != "" {
		t.Errorf("the subject is %q: %v", decoded, err)
	}
	if to, err := message.Header.AddressList("To"); err != nil || len(to) != 2 || to[0].Address != "a+b@example.com" {
		t.Errorf("to %v: %v", to, err)
	}
	text, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, message.Body))
	if err != nil || string(text) != strings.ReplaceAll(body, "\n", "\r\n") {
		t.Errorf("the body is %q: %v", text, err)
	}
	link, err := url.Parse(c.Mailto)
	if err != nil {
		t.Fatal(err)
	}
	query, err := url.ParseQuery(link.RawQuery)
	if err != nil || link.Scheme != "mailto" || link.Opaque != "a%2Bb@example.com,c@example.com" || query.Get("subject") != decoded || query.Get("body") != string(text) || query.Get("cc") != "d@example.com" {
		t.Errorf("%s: %v", c.Mailto, err)
	}
	for _, to := range []string{"nobody", "a@b\nBcc: c@d", "a@b>c", "<a@b>", "a b@c"} {
		arguments, _ := json.Marshal(map[string]string{"to": to, "subject": "s", "body": "b"})
		if got := call(t, tool, host.World{}, string(arguments)); got.Failure == nil {
			t.Errorf("%q is an address: %s", to, got.Value)
		}
	}
}

func TestTablesKeepTheirColumns(t *testing.T) {
	rt := openRuntime(t)
	c := makeCard(t, prepare(t, rt, tools.Find("renderTable")), map[string]any{
		"columns": []any{"a|b", map[string]any{"key": "n", "format": "number", "heat": true}},
		"rows":    []any{map[string]any{"a|b": "x|y\nz\\", "n": 1234567.891}, map[string]any{"n": -1}, map[string]any{"a|b": map[string]int{"k": 1}}},
	})
	for line := range strings.Lines(c.Text) {
		// Bars that are escaped are text, the others are borders.
		if borders := strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|"); borders != 3 {
			t.Errorf("%d borders in %s", borders, line)
		}
	}
	for _, part := range []string{`a\|b`, `x\|y<br>z\\`, "1,234,567.891 █", "-1 ▁", `{"k":1}`} {
		if !strings.Contains(c.Text, part) {
			t.Errorf("%q is not in\n%s", part, c.Text)
		}
	}
}
