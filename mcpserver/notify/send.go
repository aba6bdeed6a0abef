package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// Formats are the bodies of a webhook.
var Formats = []string{"json", "slack", "teams", "ntfy"}

// Notice is what is sent: the JSON body of a webhook and of a command's standard input.
type Notice struct {
	Type string    `json:"type"` // approval.asked
	Time time.Time `json:"timestamp"`
	Data Data      `json:"data"`
}

// Data is the question. Secrets were removed from it when it was asked.
type Data struct {
	approve.Entry
	// Answer is the command that answers it, Link an address that does, once, and Console
	// the one where people sign in who may.
	Answer  string `json:"answer"`
	Link    string `json:"link,omitempty"`
	Console string `json:"console,omitempty"`
}

func (s *Sender) notice(r Route, e approve.Entry) Notice {
	n := Notice{Type: "approval.asked", Time: e.Asked.UTC().Truncate(time.Second), Data: Data{Entry: e, Answer: "glovebox approvals show " + e.ID, Console: s.options.Console}}
	if r.Link && s.options.Link != nil {
		n.Data.Link = s.options.Link(e, r.Name)
	}
	return n
}

// title is one line. The names are other people's.
func (n Notice) title() string {
	d := n.Data
	return glyph.Visible(fmt.Sprintf("%s %s for %s waits for approval", d.Level, d.Tool, d.Principal))
}

// maxBody bounds the text of a message in bytes; the services cut at 4,000 to 40,000.
const maxBody = 2000

// text is the question, with what to do about it.
func (n Notice) text() string { return n.question() + "\n\n" + n.do() }

// question is what a person is asked, at most maxBody bytes of it.
func (n Notice) question() string {
	lines := strings.Split(cut(n.Data.Question), "\n")
	for i := range lines {
		lines[i] = glyph.Visible(lines[i])
	}
	return cut(strings.Join(lines, "\n")) // what nobody sees is longer when it is spelled out
}

func cut(text string) string {
	if len(text) > maxBody {
		return strings.ToValidUTF8(text[:maxBody], "") + "…"
	}
	return text
}

func (n Notice) do() string {
	ways := "Answer "
	if n.Data.Link != "" {
		ways += "once at " + n.Data.Link + " or "
	}
	if n.Data.Console != "" {
		ways += "in the console at " + n.Data.Console + " or "
	}
	return ways + "with: " + n.Data.Answer
}

// open is the address behind a notice that can be pressed; empty if there is none.
func (n Notice) open() string { return cmp.Or(n.Data.Link, n.Data.Console) }

// body is the notice in a format, and its type.
func (n Notice) body(format string) (text []byte, kind string, err error) {
	const asJSON = "application/json"
	var shape any = n
	switch format {
	case "slack":
		// Slack reads these three as markup; a mention is written with them.
		plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		shape = map[string]any{"text": plain.Replace(n.title()), "blocks": []any{
			map[string]any{"type": "section", "text": map[string]any{"type": "plain_text", "text": n.title()}},
			map[string]any{"type": "section", "text": map[string]any{"type": "plain_text", "text": n.text()}},
		}}
	case "teams":
		block := func(text, weight string) any {
			// Markdown would make links of what others wrote.
			return map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": text, "weight": weight}}}
		}
		card := map[string]any{"type": "AdaptiveCard", "version": "1.4", "body": []any{block(n.title(), "Bolder"), block(n.text(), "Default")}}
		if at := n.open(); at != "" {
			card["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "Answer", "url": at}}
		}
		shape = map[string]any{"type": "message", "attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
	case "ntfy":
		return []byte(n.title() + "\n\n" + n.text()), "text/plain; charset=utf-8", nil
	}
	text, err = json.Marshal(shape)
	return text, asJSON, err
}

// post sends the notice to a URL. Any answer but 2xx is a failure.
func (s *Sender) post(ctx context.Context, r Route, n Notice) error {
	at, err := s.expand(r.URL)
	if err == nil {
		err = address(at)
	}
	if err != nil {
		return final{err}
	}
	body, kind, err := n.body(r.Format)
	if own := s.bodies[r.Name]; own != nil {
		body, err = own.make(n)
	}
	if err != nil {
		return final{err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return final{errors.New("the url is none")}
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("User-Agent", "glovebox")
	if r.Format == "ntfy" {
		request.Header.Set("Title", "Approval "+n.Data.ID+" ("+n.Data.Level.String()+")")
		if at := n.open(); at != "" {
			request.Header.Set("Click", at)
		}
	}
	if r.Secret != "" {
		secret, err := s.expand(r.Secret)
		if err == nil {
			err = sign(request.Header, secret, n.Data.ID+"."+r.Name, time.Now(), body)
		}
		if err != nil {
			return final{err}
		}
	}
	response, err := s.client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("it answered %s", response.Status)
	}
	return nil
}

// withoutAddress removes the URL from an error: whoever knows it can post there.
func withoutAddress(err error) error {
	var of interface{ Unwrap() error }
	if errors.As(err, &of) && of.Unwrap() != nil {
		return of.Unwrap()
	}
	return errors.New("it cannot be reached")
}

// sign adds the headers of Standard Webhooks 1.0: HMAC-SHA256 over id, time and body.
func sign(h http.Header, secret, id string, now time.Time, body []byte) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return errors.New("the secret is not the base64 of 24 bytes or more")
	}
	at := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", at)
	h.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

// expand replaces ${NAME}.
func (s *Sender) expand(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := "", false
		if closed && s.options.Lookup != nil {
			value, known = s.options.Lookup(name)
		}
		if !known {
			return "", fmt.Errorf("the variable %q is not set", name)
		}
		out.WriteString(value)
		text = after
	}
}

// run starts a command without a shell.
func run(ctx context.Context, command []string, n Notice) error {
	text, err := json.Marshal(n)
	if err != nil {
		return final{err}
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin = bytes.NewReader(text)
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}

// desktop shows a notification with the program that the system has for it.
func desktop(ctx context.Context, n Notice) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "linux":
		// The body is read as markup.
		cmd = exec.CommandContext(ctx, "notify-send", "--app-name=glovebox", "--urgency=critical", "--", n.title(), html.EscapeString(n.do()))
	case "darwin":
		cmd = exec.CommandContext(ctx, "osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", n.title(), n.do())
	default:
		return final{fmt.Errorf("notifications of the desktop are not known on %s; use a command", runtime.GOOS)}
	}
	if err := cmd.Run(); errors.Is(err, exec.ErrNotFound) {
		return final{err}
	} else if err != nil {
		return fmt.Errorf("%s: %w", cmd.Args[0], err)
	}
	return nil
}
