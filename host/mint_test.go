package host

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/internal/budgettest"
	"github.com/glovebox-run/glovebox/internal/dnstest"
)

// granted is written by hand: what each field of a posture grants, by the value
// that turns it on. nil means that the field grants nothing by itself.
var granted = map[string]struct {
	set        func(*catalog.Posture)
	operations []string
}{
	"Network": {func(p *catalog.Posture) { p.Network = catalog.NetworkStrict },
		[]string{"http.abort", "http.check", "http.fetch", "http.json", "http.text"}},
	"Hosts": {func(p *catalog.Posture) { p.Hosts = []string{"api.example.com"} }, nil},
	"FileRead": {func(p *catalog.Posture) { p.FileRead = true },
		[]string{"fs.cut", "fs.exists", "fs.find", "fs.grep", "fs.lineCount", "fs.list", "fs.readRoots", "fs.readText", "fs.searchInFiles", "fs.slice", "fs.sort", "fs.stat", "fs.workspace"}},
	"FileWrite": {func(p *catalog.Posture) { p.FileWrite = true },
		[]string{"fs.appendText", "fs.copy", "fs.editText", "fs.readRoots", "fs.workspace", "fs.writeText"}},
	"Destructive":        {func(p *catalog.Posture) { p.Destructive = true }, nil}, // with FileWrite, see below
	"FSBase":             {func(p *catalog.Posture) { p.FSBase = "sub" }, nil},
	"AddedAllowClasses":  {func(p *catalog.Posture) { p.AddedAllowClasses = []string{"java.lang.Runtime"} }, nil},
	"RemovedDenyClasses": {func(p *catalog.Posture) { p.RemovedDenyClasses = []string{"java.lang.System"} }, nil},
}

// always are the operations of every posture: they only compute.
var always = []string{
	"crypto.decrypt", "crypto.deriveBits", "crypto.deriveKey", "crypto.digest", "crypto.encrypt", "crypto.exportKey", "crypto.generateKey",
	"crypto.importKey", "crypto.sign", "crypto.unwrapKey", "crypto.verify", "crypto.wrapKey",
	"encoding.atob", "encoding.btoa", "encoding.decode", "encoding.encode", "encoding.encodeInto", "encoding.label",
	"html.describe", "html.edit", "html.go", "html.is", "html.parse", "html.select", "html.setAttribute", "html.source", "html.text",
	"intl.format", "intl.locales", "intl.resolve",
	"parser.csv", "parser.xml", "parser.yaml",
	"random.bytes",
	"url.parse", "url.readForm", "url.set", "url.writeForm",
}

// whenBoth are operations that need two fields.
var whenBoth = map[[2]string][]string{
	{"FileWrite", "Destructive"}: {"fs.delete", "fs.deleteDir", "fs.move"},
}

// testWorld lends everything, and a network that leads nowhere.
func testWorld(t testing.TB) World {
	t.Helper()
	space, err := files.OpenWorkspace(t.TempDir(), files.Quota{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { space.Close() })
	return World{
		Resolve:   func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such name") },
		Dial:      func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("no route") },
		AllowOpen: true,
		Workspace: space,
	}
}

func TestEveryFieldOfAPostureIsInTheTable(t *testing.T) {
	fields := reflect.TypeFor[catalog.Posture]()
	for i := range fields.NumField() {
		if _, ok := granted[fields.Field(i).Name]; !ok {
			t.Errorf("nobody has said what Posture.%s grants", fields.Field(i).Name)
		}
	}
	if len(granted) != fields.NumField() {
		t.Errorf("the table has %d fields, the posture %d", len(granted), fields.NumField())
	}
}

func TestEverySubsetOfFieldsIsGrantedExactly(t *testing.T) {
	world := testWorld(t)
	fields := slices.Sorted(func(yield func(string) bool) {
		for f := range granted {
			if !yield(f) {
				return
			}
		}
	})
	known := map[string]bool{}
	for subset := range 1 << len(fields) {
		var p catalog.Posture
		want := map[string]bool{}
		for _, op := range always {
			want[op] = true
		}
		on := map[string]bool{}
		for i, f := range fields {
			if subset&(1<<i) != 0 {
				granted[f].set(&p)
				on[f] = true
				for _, op := range granted[f].operations {
					want[op] = true
				}
			}
		}
		for pair, ops := range whenBoth {
			for _, op := range ops {
				want[op] = want[op] || on[pair[0]] && on[pair[1]]
			}
		}
		var names []string
		for op, yes := range want {
			if yes {
				names = append(names, op)
				known[op] = true
			}
		}
		slices.Sort(names)
		g, err := Mint(p, world)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if got := g.Table().Operations(); !slices.Equal(got, names) {
			t.Errorf("%+v\ngot  %v\nwant %v", p, got, names)
		}
		if got, err := Operations(p); err != nil || !slices.Equal(got, names) {
			t.Errorf("Operations(%+v) = %v, %v", p, got, err)
		}
		g.Close()
	}
	for _, op := range operations {
		if !known[op.name] {
			t.Errorf("no posture grants %s", op.name)
		}
	}
}

// Only the mode decides about the network; a list of hosts without it is inert.
func TestNetworkModes(t *testing.T) {
	for mode, want := range map[catalog.NetworkMode]bool{
		catalog.NetworkBlocked: false, catalog.NetworkAllowlist: true, catalog.NetworkStrict: true, catalog.NetworkOpen: true, 99: false,
	} {
		ops, err := Operations(catalog.Posture{Network: mode, Hosts: []string{"a.example"}})
		if err != nil || slices.Contains(ops, "http.fetch") != want {
			t.Errorf("%v: %v, %v", mode, ops, err)
		}
	}
}

func TestMintGivesNothingTheWorldDoesNotHold(t *testing.T) {
	lent := testWorld(t)
	closed := lent
	closed.AllowOpen = false
	for name, tc := range map[string]struct {
		p catalog.Posture
		w World
	}{
		"files from an empty world":   {catalog.Posture{FileRead: true}, World{}},
		"network from an empty world": {catalog.Posture{Network: catalog.NetworkStrict}, World{}},
		"open above the ceiling":      {catalog.Posture{Network: catalog.NetworkOpen}, closed},
		"a base outside":              {catalog.Posture{FileRead: true, FSBase: "/"}, lent},
		"a base above":                {catalog.Posture{FileWrite: true, FSBase: "../x"}, lent},
		"a host that is none":         {catalog.Posture{Network: catalog.NetworkAllowlist, Hosts: []string{"https://x/"}}, lent},
		"a denied host that is none":  {catalog.Posture{Network: catalog.NetworkStrict}, World{Resolve: lent.Resolve, Dial: lent.Dial, DeniedHosts: []string{"a b"}}},
	} {
		if g, err := Mint(tc.p, tc.w); err == nil {
			t.Errorf("%s: granted %v", name, g.Table().Operations())
		}
	}
	g, err := Mint(catalog.Posture{}, World{})
	if err != nil || !slices.Equal(g.Table().Operations(), always) {
		t.Errorf("the zero posture: %v", err)
	}
}

func mint(t testing.TB, p catalog.Posture, w World) *Grants {
	t.Helper()
	g, err := Mint(p, w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func reasonOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

func TestAnOperationThatWasNotGrantedIsNotForTheGuestToCatch(t *testing.T) {
	g := mint(t, catalog.Posture{FileRead: true}, testWorld(t))
	_, _, err := g.Table().Call(t.Context(), budgettest.Ample(), "fs.writeText", []byte(`{"path":"x","text":"y"}`), nil)
	var guest interface{ GuestError() []byte }
	if err == nil || errors.As(err, &guest) {
		t.Errorf("got %v", err)
	}
}

func TestClosedGrantsAreDead(t *testing.T) {
	w := testWorld(t)
	if err := os.WriteFile(filepath.Join(w.Workspace.Path(), "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := mint(t, catalog.Posture{FileRead: true, Network: catalog.NetworkOpen}, w)
	table := g.Table()
	if text, _, err := table.Call(t.Context(), budgettest.Ample(), "fs.readText", []byte("a"), nil); err != nil || string(text) != "x" {
		t.Fatalf("%q, %v", text, err)
	}
	g.Close()
	g.Close()
	for _, op := range table.Operations() {
		if _, _, err := table.Call(t.Context(), budgettest.Ample(), op, []byte("{}"), nil); !errors.Is(err, errRevoked) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// Close ends what is under way and returns only then.
func TestCloseEndsCallsUnderWay(t *testing.T) {
	w := testWorld(t)
	dialling, ended := make(chan struct{}), make(chan struct{})
	w.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	}
	w.Dial = func(ctx context.Context, _ string, _ netip.AddrPort) (net.Conn, error) {
		close(dialling)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	g := mint(t, catalog.Posture{Network: catalog.NetworkStrict}, w)
	go func() {
		defer close(ended)
		_, _, err := g.Table().Call(t.Context(), budgettest.Ample(), "http.fetch", []byte(`{"url":"http://a.example/"}`), nil)
		if reasonOf(err) != "interrupted" {
			t.Errorf("got %v", err)
		}
	}()
	<-dialling
	g.Close()
	<-ended
}

// A call that takes its time to end keeps Close from returning: when it does,
// nothing of the call touches the world any more.
func TestCloseWaitsForTheLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, err := Mint(catalog.Posture{}, World{})
		if err != nil {
			t.Fatal(err)
		}
		finish := make(chan struct{})
		g.table.rows["test.slow"] = row{func(ctx context.Context, _ *budget.Account, _, _ []byte) ([]byte, []byte, error) {
			<-ctx.Done()
			<-finish
			return nil, nil, ctx.Err()
		}, true, budget.Rate{}}
		go g.Table().Call(t.Context(), budgettest.Ample(), "test.slow", nil, nil)
		synctest.Wait()
		closed := false
		go func() { g.Close(); closed = true }()
		synctest.Wait()
		if closed {
			t.Error("closed while a call was under way")
		}
		close(finish)
		synctest.Wait()
		if !closed {
			t.Error("not closed after the last call")
		}
	})
}

// A handler that panics must not make Close wait forever.
func TestCloseAfterAPanic(t *testing.T) {
	g := mint(t, catalog.Posture{}, World{})
	g.table.rows["test.panic"] = row{func(context.Context, *budget.Account, []byte, []byte) ([]byte, []byte, error) { panic("a bug") }, false, budget.Rate{}}
	func() {
		defer func() { recover() }()
		g.Table().Call(t.Context(), budgettest.Ample(), "test.panic", nil, nil)
	}()
	g.Close()
}

func TestBudgets(t *testing.T) {
	w := testWorld(t)
	path := filepath.Join(w.Workspace.Path(), "a")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		budget Budget
		calls  int // that succeed
		want   string
	}{
		{"calls", Budget{Calls: 3}, 3, "call-budget-spent"},
		{"bytes", Budget{Bytes: 2500}, 2, "byte-budget-spent"},
		{"time", Budget{Time: 1}, 0, "time-budget-spent"},
	} {
		w.Budget = tc.budget
		g := mint(t, catalog.Posture{FileRead: true}, w)
		if tc.name == "time" { // the first call spends it
			g.Table().Call(t.Context(), budgettest.Ample(), "fs.readText", []byte("a"), nil)
		}
		for i := range tc.calls + 2 {
			text, _, err := g.Table().Call(t.Context(), budgettest.Ample(), "fs.readText", []byte("a"), nil)
			if i < tc.calls && err != nil {
				t.Errorf("%s: call %d: %v", tc.name, i, err)
			}
			if i >= tc.calls && (reasonOf(err) != tc.want || text != nil) {
				t.Errorf("%s: call %d: %v", tc.name, i, err)
			}
		}
	}
}

func TestTranscriptCountsCallsAndBlocks(t *testing.T) {
	w := testWorld(t)
	g := mint(t, catalog.Posture{FileRead: true, FileWrite: true, Network: catalog.NetworkStrict}, w)
	calls := []struct{ op, text string }{
		{"fs.writeText", `{"path":"a.txt","text":"abc"}`},
		{"fs.readText", "a.txt"},
		{"fs.readText", "../../etc/passwd"},
		{"fs.writeText", `{"path":"../x","text":""}`},
		{"http.fetch", `{"url":"http://127.0.0.1/"}`},
		{"http.check", `{"url":"http://10.0.0.1/"}`},
		{"fs.readText", "missing"},
	}
	for _, c := range calls {
		g.Table().Call(t.Context(), budgettest.Ample(), c.op, []byte(c.text), nil)
	}
	tr := g.Transcript()
	for block, n := range map[Block]int{
		{"fs", "path-escapes-base"}: 1, {"fs", "write-outside-workspace"}: 1, {"fetch", "literal-private-ip"}: 2,
	} {
		if tr.Blocked[block] != n {
			t.Errorf("%v counted %d times, want %d", block, tr.Blocked[block], n)
		}
	}
	if len(tr.Blocked) != 3 {
		t.Errorf("blocked: %v", tr.Blocked)
	}
	read := tr.Operations["fs.readText"]
	if read.Calls != 3 || read.Failed != 2 || read.BytesOut != 3 || read.BytesIn != int64(len("a.txt"+"../../etc/passwd"+"missing")) {
		t.Errorf("fs.readText: %+v", read)
	}
	want := []CallRecord{{"fs.writeText", "ok"}, {"fs.readText", "ok"}, {"fs.readText", "path-escapes-base"}, {"fs.writeText", "write-outside-workspace"},
		{"http.fetch", "literal-private-ip"}, {"http.check", "literal-private-ip"}, {"fs.readText", "io"}}
	if !slices.Equal(tr.Calls, want) {
		t.Errorf("calls: %v", tr.Calls)
	}
	if len(tr.Hosts) != 0 {
		t.Errorf("hosts %v were not asked", tr.Hosts)
	}
}

// Many calls at once, and Close in the middle of them: the race detector's food.
func TestOverlappingCalls(t *testing.T) {
	w := testWorld(t)
	g := mint(t, catalog.Posture{FileRead: true, FileWrite: true}, w)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				path := string(rune('a' + i%3))
				_, _, err := g.Table().Call(t.Context(), budgettest.Ample(), "fs.appendText", []byte(`{"path":"`+path+`","text":"x"}`), nil)
				if err != nil && !errors.Is(err, errRevoked) {
					t.Error(err)
				}
				g.Table().Call(t.Context(), budgettest.Ample(), "fs.readText", []byte(path), nil)
			}
		})
	}
	time.AfterFunc(20*time.Millisecond, func() { g.Close() })
	wg.Wait()
	g.Close()
	done := g.Transcript().Operations["fs.appendText"]
	var bytes int64
	for _, name := range []string{"a", "b", "c"} {
		content, _ := os.ReadFile(filepath.Join(w.Workspace.Path(), name))
		bytes += int64(len(content))
	}
	if want := int64(done.Calls - done.Failed); bytes != want {
		t.Errorf("%d bytes appended by %d calls", bytes, want)
	}
}

// A DNS server changes its answers while calls run. Every request goes to the
// public address or nowhere.
func TestRebindingWhileCallsRun(t *testing.T) {
	public, private := netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("169.254.169.254")
	dns := dnstest.Start(t, func(_ string, n int64) dnstest.Answer {
		switch n % 5 {
		case 0:
			return dnstest.Answer{Addrs: []netip.Addr{private}}
		case 1:
			return dnstest.Answer{Addrs: []netip.Addr{public, private}}
		case 2:
			return dnstest.Answer{Missing: true}
		}
		return dnstest.Answer{Addrs: []netip.Addr{public}}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }))
	defer server.Close()
	w := World{Resolve: dns.Resolve, Dial: func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
		if to.Addr() != public {
			t.Errorf("dialled %v", to)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, server.Listener.Addr().String())
	}}
	g := mint(t, catalog.Posture{Network: catalog.NetworkAllowlist, Hosts: []string{"*.example"}}, w)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				_, _, err := g.Table().Call(t.Context(), budgettest.Ample(), "http.fetch", []byte(`{"url":"http://flips.example/"}`), nil)
				if r := reasonOf(err); err != nil && r != "resolved-private-ip" && r != "dns-resolution-failed" {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	fetches, blocked := g.Transcript().Operations["http.fetch"], g.Transcript().Blocked[Block{"fetch", "resolved-private-ip"}]
	if fetches.Calls != 100 || fetches.Failed == 100 || blocked == 0 {
		t.Errorf("%+v, %d blocked: the test shows nothing", fetches, blocked)
	}
}
