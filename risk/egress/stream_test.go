package egress

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/glovebox-run/glovebox/internal/samples"
	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
)

// mixture is a text of rows with secrets, look-alikes and filler.
func mixture(random *rand.Rand, size int) string {
	rows, benign := samples.Rows(random, 1), samples.Benign(random, 1)
	var b strings.Builder
	for b.Len() < size {
		switch random.IntN(3) {
		case 0:
			b.WriteString(rows[random.IntN(len(rows))].Text)
		case 1:
			b.WriteString(benign[random.IntN(len(benign))].Text)
		default:
			b.WriteString(strings.Repeat("The deployment went well; see the notes below.\n", random.IntN(40)))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// What windows find is what a search of the whole finds, wherever they end.
func TestWindowsGiveTheAnswerOfTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 4))
	engine, policy := builtin(t), Policy{}
	for range 6 {
		text := []byte(mixture(random, 500<<10))
		// A table whose heading is far behind.
		text = append(text, "host,api_key,port\n"...)
		for range 4000 {
			text = append(text, samples.Fill(random, "db{[0-9]{2}},{[A-Za-z0-9]{31}7},5432\n")...)
		}
		whole := finder.NewSweep(engine.finder, policy.wants)
		want := slices.Clone(whole.Prose(text))
		pieces := finder.NewSweep(engine.finder, policy.wants)
		pieces.Window = 40<<10 + random.IntN(90<<10)
		got := pieces.Long(text)
		same := slices.EqualFunc(want, got, func(a, b finder.Hit) bool {
			return a.Rule == b.Rule && a.Start == b.Start && a.End == b.End && slices.Equal(a.Holes, b.Holes)
		})
		if !same {
			for i := range min(len(want), len(got)) {
				if a, b := want[i], got[i]; a.Start != b.Start || a.End != b.End || a.Rule != b.Rule {
					t.Errorf("window %d: find %d is %s %q, want %s %q", pieces.Window, i, engine.finder.Rules[b.Rule].ID, text[b.Start:b.End], engine.finder.Rules[a.Rule].ID, text[a.Start:a.End])
					break
				}
			}
			t.Fatalf("%d finds in windows of %d, %d in the whole", len(got), pieces.Window, len(want))
		}
		if len(want) < 1000 {
			t.Errorf("only %d finds", len(want))
		}
	}
}

func TestStreamGivesTheAnswerOfText(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 5))
	known := NewMasker([]string{"correct-horse-battery", "another known secret"})
	s := New(builtin(t), DefaultPolicy())
	body := mixture(random, 3<<20)
	for i := range 40 {
		at := i * len(body) / 40
		body = body[:at] + " correct-horse-battery " + body[at:]
	}
	for name, text := range map[string]string{
		"text":           "notes\n" + body,
		"empty":          "",
		"JSON":           samples.JSON(map[string]any{"a": body[:1<<20], "b": []string{body[1<<20 : 2<<20]}, "password": "Tr0ub4dor&3"}),
		"JSON, then not": "[1,2,3" + body[:2<<20],
		"log":            "[10:02] lena: hello\n" + body,
	} {
		if name == "JSON, then not" {
			text = strings.ReplaceAll(text, "correct-horse-battery", "")
		}
		want, outcome := s.Text(NewSession([]byte("k"), known), Place{}, text)
		for kind, in := range map[string]io.Reader{"whole": strings.NewReader(text), "dribbling": iotest.HalfReader(strings.NewReader(text))} {
			var out bytes.Buffer
			var found []Finding
			if err := s.Stream(NewSession([]byte("k"), known), Place{}, in, &out, func(f Finding) { found = append(found, f) }); err != nil {
				t.Fatal(err)
			}
			if out.String() != want {
				t.Errorf("%s, %s: %d bytes, want %d", name, kind, out.Len(), len(want))
			}
			if !slices.Equal(found, outcome.Findings) {
				t.Errorf("%s, %s: %d finds, want %d", name, kind, len(found), len(outcome.Findings))
			}
		}
	}
}

func TestStreamReportsWhatFails(t *testing.T) {
	s := New(builtin(t), Policy{MaxBytes: 10})
	err := s.Stream(session(), Place{}, strings.NewReader("more than ten bytes"), io.Discard, func(Finding) {})
	if _, ok := err.(*BlockedError); !ok {
		t.Errorf("got %v", err)
	}
	s = New(builtin(t), DefaultPolicy())
	if err := s.Stream(session(), Place{}, iotest.ErrReader(io.ErrClosedPipe), io.Discard, func(Finding) {}); err != io.ErrClosedPipe {
		t.Errorf("got %v", err)
	}
}

// However short the secrets, a text grows by half at most.
func TestOutputIsBounded(t *testing.T) {
	s := New(builtin(t), Policy{})
	for name, unit := range map[string]string{
		"passwords": "pwd=aB3xyz\n", "URIs": "a://b:c1@d ", "mail": "a@b.co ", "paths": "/tmp/a ", "cookies": "Cookie: sid=aB3xyzaB3xyz1\n", "JSON": `{"pwd":"aB3xyz"},`,
	} {
		var text strings.Builder
		for i := range 20000 {
			text.WriteString(strings.Replace(unit, "3", string(rune('0'+i%10)), 1))
		}
		in := text.String()
		if unit[0] == '{' {
			in = "[" + strings.TrimSuffix(in, ",") + "]"
		}
		out, outcome := s.Text(session(), Place{}, in)
		if len(outcome.Findings) < 10000 || len(out) > len(in)*3/2+freeGrowth {
			t.Errorf("%s: %d bytes became %d, with %d finds", name, len(in), len(out), len(outcome.Findings))
		}
	}
}

// Who does not ask for the findings gets the same text.
func TestStreamWithoutFindings(t *testing.T) {
	text := mixture(rand.New(rand.NewPCG(5, 6)), 10<<10)
	quoted, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{text, string(quoted)} {
		s := New(builtin(t), DefaultPolicy())
		want, outcome := s.Text(session(), Place{}, in)
		if len(outcome.Findings) == 0 {
			t.Fatal("nothing to find")
		}
		var out bytes.Buffer
		if err := s.Stream(session(), Place{}, strings.NewReader(in), &out, nil); err != nil || out.String() != want {
			t.Errorf("%v; %q, want %q", err, out.String(), want)
		}
	}
}
