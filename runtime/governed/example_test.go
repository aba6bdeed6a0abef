package governed_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// onlyTidy is a person who agrees to one tool. A real one reads question.Text and
// question.Shown, and may take minutes; ctx ends when the caller gives up.
type onlyTidy struct{}

func (onlyTidy) Approve(_ context.Context, question governed.Question) governed.Ruling {
	fmt.Println("asked about", question.Tool.Name, question.Tool.Level)
	if question.Tool.Name == "tidy" {
		return governed.Ruling{Outcome: governed.Approved, By: "an example"}
	}
	return governed.Ruling{Outcome: governed.Declined, By: "an example"}
}

// A pipeline decides by a policy for levels and asks a person where the policy
// wants one asked: here every tool that writes files.
func Example_approver() {
	ctx := context.Background()
	cache, err := os.UserCacheDir()
	if err != nil {
		log.Fatal(err)
	}
	rt, err := runtime.Open(ctx, runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(cache, "glovebox-test")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	space, err := files.OpenWorkspace(dir, files.Quota{})
	if err != nil {
		log.Fatal(err)
	}
	defer space.Close()

	terms := governed.Terms{Judge: governed.ByLevel{Policy: risk.DefaultLevelPolicy()}, Sanitiser: rt.Sanitiser()}
	terms.World.Workspace = space
	calls := governed.New(governed.Config{Terms: terms})
	for _, name := range []string{"tidy", "other"} {
		tool, problems := rt.Load(fmt.Appendf(nil, `{"name": %q, "description": "Writes.", "code": "safety.fs.writeText('a.txt', 'a'); return 'done'", "codeType": "Javascript", "sandboxOverrides": {"fileWrite": true}}`, name))
		if err := problems.Err(); err != nil {
			log.Fatal(err)
		}
		result := calls.Do(ctx, governed.Request{Tool: tool, Caller: "an example", Approver: onlyTidy{}})
		if result.Failure != nil {
			fmt.Println(result.Failure.Message)
			continue
		}
		fmt.Println(string(result.Value))
	}
	// Output:
	// asked about tidy L4
	// "done"
	// asked about other L4
	// a person declined
}
