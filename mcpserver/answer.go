package mcpserver

import (
	"cmp"
	"errors"
	html "html/template"
	"net/http"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// AnswerPath is where the links of notices lead.
const AnswerPath = "/answer/"

// answerPage shows one question with a yes and a no. It needs no script, and a look at it
// changes nothing: services that receive links fetch them.
var answerPage = html.Must(html.New("answer").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Glovebox: a call waits for approval</title>
<h1>{{.Title}}</h1>
{{with .Said}}<p role="status">{{.}}</p>{{end}}
{{with .Entry}}<p>{{.Level}} {{.Tool}} for {{.Principal}}{{with .Client}} (calls itself {{.}}){{end}}; question {{.ID}} is {{.State}}.</p>{{end}}
{{with .Question}}<pre>{{.}}</pre>{{end}}
{{if .Open}}<form method="post"><button name="answer" value="yes">Approve this call</button> <button name="answer" value="no">Deny</button></form>
<p>This address answers once. More can be said with glovebox approvals.</p>{{end}}</html>`))

type answerView struct {
	Title, Said, Question string
	Entry                 *approve.Entry
	Open                  bool
}

// maxAnswerForm bounds the form in bytes: one word.
const maxAnswerForm = 1 << 10

// answerLink lets whoever has a link answer its question. The link is the authority.
func (s *Server) answerLink(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	id, to, err := s.config.Desk.Linked(r.PathValue("link"))
	var e approve.Entry
	if err == nil {
		e, err = s.config.Desk.Show(r.Context(), id)
	}
	if err != nil {
		status := http.StatusNotFound
		if !errors.Is(err, approve.ErrForged) && !errors.Is(err, approve.ErrNoSuch) {
			status = http.StatusServiceUnavailable
		}
		w.WriteHeader(status)
		_ = answerPage.Execute(w, answerView{Title: "There is no question here", Said: "The address is not whole, or the question is long over."})
		return
	}
	view := answerView{Title: "A call waits for approval"}
	status := http.StatusOK
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, maxAnswerForm)
		answer := r.PostFormValue("answer")
		if answer != "yes" && answer != "no" {
			http.Error(w, "the answer is yes or no", http.StatusBadRequest)
			return
		}
		err = s.config.Desk.Resolve(r.Context(), id, approve.Resolution{Approve: answer == "yes", By: "link:" + to, First: true})
		if err != nil {
			status, view.Said = http.StatusConflict, "Your answer does not count: "+err.Error()+"."
		} else {
			view.Said = "Your answer counts."
		}
		if now, bad := s.config.Desk.Show(r.Context(), id); bad == nil {
			e = now
		}
	}
	e.Principal, e.Tool = glyph.Visible(e.Principal), glyph.Visible(e.Tool)
	view.Entry, view.Open = &e, e.State == approve.Open
	var lines []string
	for line := range strings.Lines(e.Question) {
		lines = append(lines, glyph.Visible(strings.TrimRight(line, "\n")))
	}
	view.Question = strings.Join(lines, "\n")
	if !view.Open {
		view.Title = cmp.Or(map[approve.State]string{approve.Expired: "The time is over"}[e.State], "The question is answered")
	}
	w.WriteHeader(status)
	_ = answerPage.Execute(w, view) // an error means that the other end is gone
}
