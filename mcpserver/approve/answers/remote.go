package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// remoteTime bounds one request to another machine.
	remoteTime = 30 * time.Second
	// maxAnswer bounds an answer in bytes.
	maxAnswer = 16 << 20
)

// Remote asks a server at a URL, such as https://box.example:8282/mcp, with the token of
// an approver. path is where it serves questions.
func Remote(server, path, token string) (Client, error) {
	at, err := url.Parse(server)
	if err != nil || at.Host == "" || at.User != nil || at.Scheme != "https" && at.Scheme != "http" {
		return Client{}, fmt.Errorf("%q is no address of a server; write one such as https://box.example:8282", server)
	}
	base := at.Scheme + "://" + at.Host + path
	client := &http.Client{Timeout: remoteTime, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("it redirects, and the token is for it alone")
	}}
	return Client{Ask: func(ctx context.Context, method, path string, body io.Reader, into any) error {
		request, err := http.NewRequestWithContext(ctx, method, base+path, body)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		if err != nil {
			return err
		}
		if response.StatusCode >= 300 {
			var problem Problem
			if json.Unmarshal(text, &problem) == nil && problem.Code != "" {
				return problem
			}
			return fmt.Errorf("%s answers %s: %s", at.Host, response.Status, strings.TrimSpace(string(text[:min(len(text), 300)])))
		}
		return json.Unmarshal(text, into)
	}}, nil
}
