package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// stage is a console with real parts behind it: a store, a desk, a gateway, a record.
type stage struct {
	t       testing.TB
	Console *console.Console
	Desk    *approve.Desk
	Gateway *gateway.Gateway
	Record  *audit.Log
	Chain   string
	Tools   []governed.Tool
	Seen    *telemetry.Telemetry
	Labels  *labels.Sessions
	Checks  []console.Check
	Trouble error
	options console.Options
	Specs   []console.Spec
	// Revisions are the texts that specs had, by name.
	Revisions map[string][]library.Revision
	Server    *mcpserver.Server
	Kept      *store.Store
	Folder    string // of specs
	Write     console.Writing
}

// staged opens a console on a free port.
func staged(t testing.TB, change ...func(*console.Options)) *stage {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	s := &stage{t: t, Chain: filepath.Join(dir, "audit", "audit.jsonl")}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kept, err := store.Open(context.WithoutCancel(ctx), filepath.Join(dir, "store"), nil)
	must(err)
	t.Cleanup(func() { kept.Close() })
	s.Kept = kept
	s.Desk, err = approve.OpenDesk(ctx, kept, approve.Settings{}, time.Now)
	must(err)
	s.Gateway, err = gateway.Open(ctx, gateway.Options{
		Store: kept, Keys: filepath.Join(dir, "keys"), Asleep: true, Log: slog.New(slog.DiscardHandler), Scores: scans.Folder(filepath.Join(dir, "scores")), Scans: scans.Local(filepath.Join(dir, "scans"), scans.Folder(filepath.Join(dir, "scores"))),
		Reach: upstream.Options{Name: "glovebox", Version: "test", Lookup: func(string) (string, bool) { return "", false }, Resolve: netguard.SystemResolve, Dial: netguard.SystemDial},
	})
	must(err)
	must(s.Gateway.Start(ctx))
	t.Cleanup(s.Gateway.Close)
	s.Record, err = audit.Open(s.Chain, audit.Options{})
	must(err)
	t.Cleanup(func() { s.Record.Close() })
	s.Seen, err = telemetry.Open(ctx, telemetry.Config{}, "test", io.Discard)
	must(err)
	s.Labels = labels.NewSessions(labels.NewMemory(), time.Now)
	o := console.Options{
		Version: "test", Address: "http://127.0.0.1:8282/mcp", Desk: s.Desk, Gateway: s.Gateway, Sessions: func() *labels.Sessions { return s.Labels },
		Record: s.Record, Chain: s.Chain, Tools: func() []governed.Tool { return s.Tools }, Metrics: s.Seen.Read,
		Trouble: func() error { return s.Trouble }, Examine: func(context.Context) iter.Seq[console.Check] { return slices.Values(s.Checks) },
		Now: time.Now, Log: slog.New(slog.DiscardHandler), Patience: 2 * time.Minute,
	}
	s.Server = mcpserver.New(mcpserver.Config{})
	s.Write = console.Writing{
		Check: func(_ context.Context, document []byte) (checked console.Checked) {
			_, checked.Problems = catalog.Examine(document, catalog.DefaultBaseline(), catalog.NoCeiling(), func(spec *catalog.Spec) catalog.Problems {
				checked.Name, checked.Posture = spec.Name(), catalog.Request(spec.Overrides(), catalog.DefaultBaseline())
				checked.Level = risk.PostureLevel(checked.Posture)
				return nil
			})
			return checked
		},
		Passed: func(*catalog.Spec) bool { return false },
	}
	if _, measured := t.(*testing.B); measured {
		o.Patience = 0 // as the program has it
	}
	o.Write = console.Writing{
		Folder: func() string { return s.Folder }, Check: func(ctx context.Context, d []byte) console.Checked { return s.Write.Check(ctx, d) },
		Pass: func(ctx context.Context, by string, d []byte) (*runtime.PassReport, error) {
			return s.Write.Pass(ctx, by, d)
		},
		Passed:      func(spec *catalog.Spec) bool { return s.Write.Passed(spec) },
		Publication: func(context.Context) (*publication.Shelf, error) { return nil, nil },
	}
	o.Specs = func() []console.Spec { return s.Specs }
	o.Revisions = func(name string) ([]library.Revision, error) { return s.Revisions[name], nil }
	o.Definition = func(t governed.Tool) (json.RawMessage, error) { return s.Server.Definition(t) }
	o.Call = func(ctx context.Context, t mcpserver.Trial) mcpserver.Tried { return s.Server.Try(ctx, t) }
	for _, f := range change {
		f(&o)
	}
	s.options = o
	s.Console, err = console.New(o)
	must(err)
	must(s.Console.Listen("127.0.0.1:0", false))
	t.Cleanup(s.Console.Close)
	return s
}

// browser is a person's browser: it keeps cookies and sends what browsers send.
type browser struct {
	t    testing.TB
	http http.Client
	Base string // of the console, with the slash at the end
}

// signedIn returns the browser of a person who came by a link.
func (s *stage) signedIn(name, role string) *browser {
	s.t.Helper()
	link, err := s.Console.Link(name, role)
	if err != nil {
		s.t.Fatal(err)
	}
	b := s.stranger(link)
	if p := b.get("enter?" + strings.SplitN(link, "?", 2)[1]); p.status != http.StatusOK {
		s.t.Fatalf("the link led to %d", p.status)
	}
	return b
}

// stranger returns a browser that is not signed in.
func (s *stage) stranger(link string) *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{t: s.t, Base: link[:strings.Index(link, "enter?")], http: http.Client{Jar: jar}}
}

// shown is a page as a parser of HTML5 reads it.
type shown struct {
	*goquery.Document
	t      testing.TB
	status int
	header http.Header
	body   string
	at     string // after redirects, below the base
}

func (b *browser) send(r *http.Request) *shown {
	b.t.Helper()
	answer, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(text)))
	if err != nil {
		b.t.Fatal(err)
	}
	return &shown{doc, b.t, answer.StatusCode, answer.Header, string(text), strings.TrimPrefix(answer.Request.URL.String(), b.Base)}
}

// get opens an address below the base.
func (b *browser) get(path string) *shown {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodGet, b.Base+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send(r)
}

// post sends a form as a browser does from a page of the console.
func (b *browser) post(path string, values url.Values, change ...func(*http.Request)) *shown {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodPost, b.Base+path, strings.NewReader(values.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, f := range change {
		f(r)
	}
	return b.send(r)
}

// token returns the token of the forms of a page.
func (p *shown) token() string {
	p.t.Helper()
	token, found := p.Find("input[name=token]").Attr("value")
	if !found {
		p.t.Fatal("there is no form on the page")
	}
	return token
}

// submit presses the button of a form, which a selector finds, with values beside its own.
func (b *browser) submit(p *shown, form string, values url.Values) *shown {
	b.t.Helper()
	f := p.Find(form)
	if f.Length() != 1 {
		b.t.Fatalf("%d forms are %q on\n%s", f.Length(), form, p.Find("main").Text())
	}
	all := url.Values{}
	f.Find("input,textarea,select").Each(func(_ int, in *goquery.Selection) {
		_, checked := in.Attr("checked")
		switch kind := in.AttrOr("type", ""); {
		case (kind == "checkbox" || kind == "radio") && !checked:
		case goquery.NodeName(in) == "select":
			chosen := in.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = in.Find("option").First()
			}
			all.Set(in.AttrOr("name", ""), chosen.AttrOr("value", chosen.Text()))
		default:
			all.Set(in.AttrOr("name", ""), in.AttrOr("value", in.Text()))
		}
	})
	for name, list := range values {
		all[name] = list
	}
	return b.post(strings.TrimPrefix(f.AttrOr("action", ""), mustPath(b.t, b.Base)), all)
}

func mustPath(t testing.TB, base string) string {
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return u.Path
}

// asked opens a question.
func (s *stage) asked(principal, tool string, level risk.Level, arguments, text string) approve.Entry {
	s.t.Helper()
	e, _, err := s.Desk.Ask(s.t.Context(), approve.Question{
		Call:   approve.Call{Principal: principal, Arguments: risk.HashArguments([]byte(arguments + tool)), Policy: "p"},
		Source: "library", Tool: tool, Level: level, Arguments: []byte(arguments), Text: text, Valid: time.Hour,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// acts returns what people did, as the record has it.
func (s *stage) acts() (all []audit.Entry) {
	s.t.Helper()
	err := audit.Read(s.Chain, audit.Filter{}, func(e audit.Entry) error {
		if e.Category == "operator" {
			all = append(all, e)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// recorded writes the record of a call.
func (s *stage) recorded(r audit.Record) {
	s.t.Helper()
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	if r.ID == "" {
		r.ID = governed.NewID()
	}
	if _, err := s.Record.Append(r); err != nil {
		s.t.Fatal(err)
	}
}

func raw(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(errors.Join(errors.New("a test's value"), err))
	}
	return text
}
