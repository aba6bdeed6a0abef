package intl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
)

var (
	recordings = flag.String("recordings", "testdata", "where Node's answers are")
	show       = flag.Int("show", 20, "how many differences to show for each file")
)

// engine compiles the guest once for the tests of this package.
var engine = sync.OnceValues(func() (*jsengine.Engine, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return jsengine.Open(context.Background(), jsengine.Config{CacheDir: filepath.Join(dir, "glovebox-test")})
})

// image makes a program with the host calls of a tool that may do nothing.
func image(t testing.TB, body string) (*jsengine.Image, *host.Grants) {
	t.Helper()
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	grants, err := host.Mint(catalog.Posture{}, host.World{Budget: host.Budget{Calls: 1 << 30, Bytes: 1 << 40}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { grants.Close() })
	image, err := e.Image(t.Context(), jsengine.Program{File: "intl.js", Body: body, Operations: grants.Table().Operations()})
	if err != nil {
		t.Fatal(err)
	}
	return image, grants
}

// guest runs a program to its end.
func guest(t testing.TB, body string) []byte {
	t.Helper()
	image, grants := image(t, body)
	out := image.Call(t.Context(), jsengine.Call{Caller: grants.Table(), Limits: jsengine.Limits{
		Time: time.Minute, Statements: 1 << 40, Fuel: 1 << 50, Memory: 256 << 20, Output: 64 << 20, HostCalls: 1 << 30, HostBytes: 1 << 40,
	}})
	if out.Failure != nil {
		t.Fatalf("%v\n%s", out.Failure, out.Failure.Stack)
	}
	return out.Result
}

// collect is in the guest what node.mjs is in Node.
const collect = `
const lines = [];
const add = (kind, locale, what, run) => {
  let answer;
  try { answer = String(run()); } catch (e) { answer = '! ' + e.name; }
  lines.push([JSON.stringify([kind, locale, what]), answer]);
};
{
`

// The cases of testdata give in the guest what they gave in Node, but for the
// differences that differences.txt lists with their reasons.
func TestSameAsNode(t *testing.T) {
	all := acceptedDifferences(t)
	for _, name := range []string{"dates", "numbers", "text"} {
		t.Run(name, func(t *testing.T) {
			cases, err := os.ReadFile(filepath.Join("testdata", name+".js"))
			if err != nil {
				t.Fatal(err)
			}
			var got [][2]string
			if err := json.Unmarshal(guest(t, collect+string(cases)+"\n}\nreturn lines;"), &got); err != nil {
				t.Fatal(err)
			}
			compare(t, got, recorded(t, name), all[name])
		})
	}
}

// difference is one that is accepted.
type difference struct {
	labels *regexp.Regexp
	seen   int
}

func acceptedDifferences(t *testing.T) map[string][]*difference {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]*difference{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			t.Fatalf("differences.txt: %q needs a file, an expression and a reason", line)
		}
		all[fields[0]] = append(all[fields[0]], &difference{labels: regexp.MustCompile(fields[1])})
	}
	return all
}

func recorded(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(*recordings, name+".txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}

func compare(t *testing.T, got [][2]string, want []string, accepted []*difference) {
	t.Helper()
	labels := sha256.New()
	for _, line := range got {
		labels.Write([]byte(line[0] + "\n"))
	}
	if hex.EncodeToString(labels.Sum(nil)) != want[0] {
		t.Fatal("the recording is of other cases: run make intl-record")
	}
	different, explained := 0, 0
cases:
	for i, line := range got {
		var expected string
		if err := json.Unmarshal([]byte(want[i+1]), &expected); err != nil {
			t.Fatal(err)
		}
		if line[1] == expected {
			continue
		}
		for _, d := range accepted {
			if d.labels.MatchString(line[0]) {
				d.seen++
				explained++
				continue cases
			}
		}
		if different++; different <= *show {
			t.Errorf("%s\n guest %q\n node  %q", line[0], line[1], expected)
		}
	}
	for _, d := range accepted {
		if d.seen == 0 {
			t.Errorf("no case needs the accepted difference %s", d.labels)
		}
	}
	t.Logf("%d cases, %d different, %d more for reasons that are listed", len(got), different, explained)
}
