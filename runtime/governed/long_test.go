package governed_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// The record of long arguments has their size and a cleaned beginning, and the hash of as
// much as was looked at. The call itself returns all of them, cleaned.
func TestLongArgumentsAreRecordedByTheirBeginning(t *testing.T) {
	log, records := journal(t)
	token := "ghp_" + "x7Kq2Zr9Tn4W" + "b6Yc1Vd8Lf3H" + "g5Jm0Ps2Qa4E"
	calls := governed.New(governed.Config{Audit: log, Terms: governed.Terms{
		Judge: governed.ByLevel{Policy: risk.DefaultLevelPolicy()}, Sanitiser: sanitiser(t),
	}})
	for _, size := range []int{8 << 10, 1 << 20} {
		arguments, err := json.Marshal(map[string]string{"a": "first " + token, "b": strings.Repeat("Nothing here. ", size/14), "c": "last " + token})
		if err != nil {
			t.Fatal(err)
		}
		out := calls.Do(t.Context(), governed.Request{Tool: newEcho(risk.L0), Arguments: arguments})
		if out.Failure != nil || strings.Contains(string(out.Value), token) || strings.Count(string(out.Value), "[REDACTED") != 2 {
			t.Fatalf("%v: %d bytes", out.Failure, len(out.Value))
		}
		all := records()
		var kept struct{ Shortened audit.Shortened }
		if err := json.Unmarshal(all[len(all)-1].Parameters, &kept); err != nil {
			t.Fatal(err)
		}
		got := kept.Shortened
		if !strings.HasPrefix(got.Beginning, `{"a":"first [REDACTED:github-token#1]","b":"Nothing`) || len(got.Beginning) != egress.KeptBeginning {
			t.Errorf("%d bytes: %q", size, got.Beginning)
		}
		if size < 64<<10 {
			if want := fmt.Sprintf("%x", sha256.Sum256(out.Value)); got.Bytes != len(out.Value) || got.Hashed != 0 || got.SHA256 != want {
				t.Errorf("%+v", got)
			}
			continue
		}
		beginning := string(out.Value[:got.Hashed-len(`"}`)]) + `"}`
		if want := fmt.Sprintf("%x", sha256.Sum256([]byte(beginning))); got.Bytes != len(arguments) || got.Hashed < 64<<10 || got.SHA256 != want {
			t.Errorf("%+v, want the hash %s", got, want)
		}
	}
}
