package service

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// TestTheConsolePublishesToACluster: from the editor to another server of the cluster, with
// the checks of glovebox publish, on record with who.
func TestTheConsolePublishesToACluster(t *testing.T) {
	cluster := natstest.One(t, nil).ClientURL()
	key, err := passnote.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	member := func(settings map[string]string) *Service {
		settings["state.nats.url"], settings["specs.pass_keys"] = cluster, key.Public()
		s, _ := open(t, t.TempDir(), load(t, settings))
		return s
	}
	specs := t.TempDir()
	one := member(map[string]string{"specs.folders": specs, "specs.preset": "dev-essentials", "console.listen": "127.0.0.1:0"})
	two := member(map[string]string{"specs.preset": "dev-essentials"})
	o := atConsole(t, one, "manage")
	page := o.get("write")
	if !strings.Contains(page, "share no specs") || strings.Contains(page, "Withdraw from") {
		t.Fatalf("before anything is published: %s", page)
	}
	refused := func(values url.Values, why string) {
		t.Helper()
		if page := html.UnescapeString(o.post("write/cluster", values)); !strings.Contains(page, "Nothing was published: ") || !strings.Contains(page, why) {
			t.Errorf("want %q of %s", why, page)
		}
	}
	refused(url.Values{}, "has no specs")
	document := `{"name": "welcome", "description": "Welcomes somebody.", "codeType": "Javascript", "code": "return 'welcome';", "draft": true, "params": []}`
	file := filepath.Join(specs, "welcome.json")
	o.post("write/save", url.Values{"text": {document}})
	refused(url.Values{}, "is a draft")
	o.post("write/pass", url.Values{"text": {document}})
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if page := o.post("write/publish", url.Values{"text": {string(saved)}, "file": {"welcome.json"}, "version": {library.Version(saved)}}); !strings.Contains(page, "Published") {
		t.Fatalf("publishing here says %s", page)
	}
	// A pass of this server alone is none of the cluster's.
	refused(url.Values{}, "glovebox test --sign")
	if saved, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	spec, problems := catalog.Parse(saved)
	if problems.Err() != nil {
		t.Fatal(problems)
	}
	sign := func(with passnote.Key) {
		t.Helper()
		_ = os.Remove(filepath.Join(specs, passnote.Name))
		passed := map[catalog.ContentHash]passnote.Pass{spec.Hash(): {Tool: "welcome", At: time.Now()}}
		if err := library.SignPasses(specs, library.Signing{Passed: passed}, with, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	stranger, err := passnote.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	sign(stranger)
	refused(url.Values{}, "specs.pass_keys does not name the key")
	sign(key)
	refused(url.Values{"text": {string(saved) + " "}, "file": {"welcome.json"}}, "is not what welcome.json has")
	shelf, err := one.publication(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shelf.Now(t.Context()); !errors.Is(err, publication.ErrNone) {
		t.Fatalf("after refusals there is %v", err)
	}
	page = o.post("write/cluster", url.Values{"text": {string(saved)}, "file": {"welcome.json"}})
	if !strings.Contains(page, "Published to the cluster: all specs") || !strings.Contains(page, "share 1 spec, published by local:ada") {
		t.Fatalf("publishing to the cluster says %s", page)
	}
	offers := func(s *Service, want bool) {
		t.Helper()
		for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(5 * time.Millisecond) {
			found := false
			for _, tool := range s.Offered() {
				found = found || tool.About().Name == "welcome"
			}
			if found == want {
				return
			}
		}
		t.Fatalf("welcome is served: %v, %v", !want, s.stock.specs.Trouble())
	}
	offers(two, true)
	// The copy is no second tool beside the one in the folder that it came from.
	shared := filepath.Join(one.options.Place.SharedSpecs(), "welcome.json")
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(shared); err == nil {
			break
		}
	}
	if err := one.stock.specs.Reload(); err != nil {
		t.Fatal(err)
	}
	offers(one, true)
	if page := o.post("write/withdraw", url.Values{}); !strings.Contains(page, "Withdrawn") || !strings.Contains(page, "share no specs") {
		t.Errorf("withdrawing says %s", page)
	}
	offers(two, false)
	var said []string
	if err := audit.Read(one.options.Place.Audit(one.started), audit.Filter{}, func(e audit.Entry) error {
		if strings.HasPrefix(e.Tool, "console/cluster-") && e.Outcome == audit.OK {
			said = append(said, fmt.Sprint(e.Tool, " ", e.Caller, " ", string(e.Parameters)))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], `console/cluster-publish local:ada {"specs":1,"files":["welcome.json"]`) || !strings.Contains(said[1], `"before":{"specs":1,"by":"local:ada"`) {
		t.Errorf("on record are %q", said)
	}
}
