package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

//go:embed assets
var assets embed.FS

// types are the assets that browsers fetch, and their types.
var types = map[string]string{"console.css": "text/css; charset=utf-8", "console.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}

// asset serves a file whose name has the hash of all of them, so it may be kept.
func (c *Console) asset(w http.ResponseWriter, r *http.Request, name string) {
	hash, file, _ := strings.Cut(name, "/")
	kind, known := types[file]
	text, err := assets.ReadFile("assets/" + file)
	if !known || err != nil || hash != c.style {
		c.bare(w, http.StatusNotFound, problem{"Nothing here", "There is no such file.", ""})
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// parse reads all templates: each page with the layout, and those that stand alone.
func (c *Console) parse() (views map[string]*template.Template, style string, err error) {
	hash := sha256.New()
	for _, name := range []string{"console.css", "console.js", "icon.svg"} {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return nil, "", err
		}
		hash.Write(text)
	}
	style = hex.EncodeToString(hash.Sum(nil)[:8])
	files, err := fs.Glob(assets, "assets/*.html")
	if err != nil {
		return nil, "", err
	}
	shared, err := template.New("").Funcs(c.functions(style)).ParseFS(assets, "assets/layout.html", "assets/parts.html")
	if err != nil {
		return nil, "", err
	}
	views = map[string]*template.Template{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		view, err := shared.Clone()
		if err == nil {
			views[name], err = view.ParseFS(assets, file)
		}
		if err != nil {
			return nil, "", err
		}
	}
	return views, style, nil
}

// functions are what templates may call. Those about texts are in package shown.
func (c *Console) functions(style string) template.FuncMap {
	return template.FuncMap{
		"text":        func(s any) template.HTML { return shown.Text(textOf(s), shown.Line) },
		"lines":       func(s any) template.HTML { return shown.Lines(textOf(s), shown.Block) },
		"short":       func(s any) template.HTML { return shown.Short(textOf(s)) },
		"sparse":      func(s any) template.HTML { return shown.Sparse(textOf(s)) },
		"plain":       func(s any) string { return shown.Plain(textOf(s), shown.Line) },
		"json":        func(b any) template.HTML { return shown.JSON([]byte(textOf(b)), nil) },
		"size":        func(n any) string { return shown.Size(int(number(n))) },
		"num":         func(n any) string { return humanize.Comma(int64(math.Round(number(n)))) },
		"rate":        rateText,
		"took":        func(d any) string { return tookText(time.Duration(reflect.ValueOf(d).Int())) },
		"add":         func(a, b int) int { return a + b },
		"asset":       func(name string) string { return "/assets/" + style + "/" + name },
		"url":         c.url,
		"at":          func(t time.Time) template.HTML { return at(t, t.Local().Format("2 Jan 2006 15:04:05")) },
		"ago":         func(t time.Time) template.HTML { return at(t, agoText(c.options.Now().Sub(t))) },
		"left":        func(t time.Time) template.HTML { return until(t, leftText(t.Sub(c.options.Now()))) },
		"cell":        func(s any) template.HTML { return shown.Text(textOf(s), shown.Cell) },
		"beside":      func(s any) template.HTML { return shown.Text(textOf(s), shown.Beside) },
		"join":        strings.Join,
		"level":       level,
		"way":         c.wayOf,
		"outcomes":    func() []audit.Outcome { return []audit.Outcome{audit.OK, audit.Asked, audit.Refused, audit.Error} },
		"outcomeName": func(o audit.Outcome) string { return strings.ToLower(string(o)) },
	}
}

// url makes an address of parts, each escaped. A part that begins with ? or & is a
// parameter, whose value is the next part.
func (c *Console) url(parts ...any) string {
	var b strings.Builder
	b.WriteString(c.base)
	separate := false
	for i := 0; i < len(parts); i++ {
		part := textOf(parts[i])
		if part != "" && (part[0] == '?' || part[0] == '&') && i+1 < len(parts) {
			b.WriteString(part + "=" + url.QueryEscape(textOf(parts[i+1])))
			i++
			continue
		}
		if separate {
			b.WriteByte('/')
		}
		separate = true
		b.WriteString(url.PathEscape(part))
	}
	return b.String()
}

// pathOf makes a path below the base of parts, each escaped, for [done].
func pathOf(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return strings.Join(escaped, "/")
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case json.RawMessage:
		return string(v)
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(v)
}

func number(v any) float64 {
	n, _ := strconv.ParseFloat(fmt.Sprint(v), 64) // our own numbers
	return n
}

// rateText writes calls a second.
func rateText(perSecond float64) string {
	switch {
	case perSecond == 0:
		return "0"
	case perSecond < 1:
		return fmt.Sprintf("%.2f", perSecond)
	case perSecond < 100:
		return fmt.Sprintf("%.1f", perSecond)
	}
	return humanize.Comma(int64(perSecond))
}

// tookText writes a duration with two or three digits.
func tookText(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func agoText(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < day:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d d ago", int(d.Hours()/24))
}

func leftText(d time.Duration) string {
	switch {
	case d <= 0:
		return "no time left"
	case d < time.Minute:
		return fmt.Sprintf("%d s left", int(d.Seconds()))
	case d < hour:
		return fmt.Sprintf("%d min %02d s left", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min left", int(d.Hours()), int(d.Minutes())%60)
}

func at(t time.Time, text string) template.HTML {
	if t.IsZero() {
		return "never"
	}
	stamp := t.UTC().Format(time.RFC3339)
	return template.HTML(`<time datetime="` + stamp + `" title="` + stamp + `">` + text + `</time>`)
}

func until(t time.Time, text string) template.HTML {
	stamp := t.UTC().Format(time.RFC3339)
	return template.HTML(`<time class="left" datetime="` + stamp + `" data-until="` + stamp + `">` + text + `</time>`)
}

// level is a chip with the number and the name of a level. What is no level is Unrated.
func level(v any) template.HTML {
	of, err := risk.ParseLevel(textOf(v))
	if err != nil {
		return `<span class="chip unrated">Unrated</span>`
	}
	return template.HTML(fmt.Sprintf(`<span class="chip %s">%s %s</span>`, strings.ToLower(of.String()), of, of.Label()))
}

func jsonOf(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	return json.Marshal(v)
}

// frame is what the layout shows around a page.
type frame struct {
	Title, Version string
	Nav            []place
	Who            session.Person
	Token          string
	Notes          []session.Note
	Open           int // questions
	Topics         string
	May            may
	// SignIn is where somebody signs in at the issuer, and Leave where they end their
	// session there; nil and empty if there is none.
	SignIn *place
	Leave  place
}

// may says what the person may do, for templates.
type may struct{ Answer, Manage bool }

// place is one entry of the navigation.
type place struct {
	Name, Path string
	Here       bool
	Count      int
}

// laidOut is what a template gets: the frame, and the page's own data.
type laidOut struct {
	Page frame
	Data any
}

// bare is a page without navigation.
type bare = laidOut

func (c *Console) page(title string) frame {
	f := frame{Title: title, Version: c.options.Version}
	if s := c.options.SignIn; s != nil {
		f.SignIn = &place{Name: hostOf(s.Party.Issuer()), Path: signInPath}
	}
	return f
}

// layout puts a page into its frame.
func (c *Console) layout(v *visit, data any) laidOut {
	f := c.page(v.at.title)
	f.Who, f.Token, f.Topics = v.who.Person, v.who.Token, v.at.topics
	// A script that fetches a page again shows no notes: they are for the next page.
	if v.r.Header.Get("Sec-Fetch-Dest") != "empty" {
		f.Notes = v.who.Said()
	}
	f.May = may{v.may(session.Answer), v.may(session.Manage)}
	f.Open = c.openQuestions(v)
	section := v.at.section()
	for _, p := range pages {
		if p.nav == "" || !v.may(p.least) {
			continue
		}
		to := place{Name: p.nav, Path: p.path, Here: p.path == section}
		if p.path == "inbox" {
			to.Count = f.Open
		}
		f.Nav = append(f.Nav, to)
	}
	return laidOut{f, data}
}

// openQuestions counts the questions that wait for an answer; 0 if nobody knows.
func (c *Console) openQuestions(v *visit) (n int) {
	all, err := v.questions(v.r.Context(), c)
	if err != nil {
		return 0
	}
	for _, e := range all {
		if e.State == approve.Open {
			n++
		}
	}
	return n
}

// render writes a page, or what went wrong while it was made: nothing of it is sent
// before all of it is there.
func (c *Console) render(w http.ResponseWriter, status int, view string, data laidOut) {
	var b bytes.Buffer
	if err := c.views[view].ExecuteTemplate(&b, "layout", data); err != nil {
		c.options.Log.Error("console.page", "page", view, "cause", err)
		http.Error(w, "a bug of ours: this page cannot be shown; the log of the server says more", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error means that the browser is gone
}

// bare shows a problem to somebody who is not signed in.
func (c *Console) bare(w http.ResponseWriter, status int, p problem) {
	c.render(w, status, "problem", laidOut{c.page(p.Title), p})
}

// trouble shows a problem to somebody who is.
func (c *Console) trouble(v *visit, f *failure) {
	v.at.title, v.at.topics = f.Title, ""
	c.render(v.w, f.status, "problem", c.layout(v, f.problem))
}
