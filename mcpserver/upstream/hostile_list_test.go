package upstream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// Lists without end, and lists that are none, end at a bound that is said.
func TestHostileLists(t *testing.T) {
	for name, want := range map[string]struct {
		tools               int
		truncated, repeated string
	}{
		"endless pages":      {0, "more than 500 pages", ""},
		"cursor again":       {2, "a cursor came twice", ""},
		"long cursor":        {0, "a cursor of more than 4 KiB", ""},
		"growing cursor":     {0, "a cursor of more than 4 KiB", ""},
		"cursor of no kind":  {1, "nextCursor is no text", ""},
		"names for the eye":  {6, "", `tool ""`}, // package exposure reads them
		"many tools":         {5000, "more than 5000 items", `tool "t"`},
		"giant tools":        {3, "more than 16 MiB", `tool "t"`},
		"same names":         {2, "", `tool "t"`},
		"tools of all kinds": {1, "an item that is no object", ""},
		"no list":            {0, "tools is no list", ""},
	} {
		for _, way := range hostileWays {
			t.Run(name+" over "+way, func(t *testing.T) {
				u := open(t, hostile(t, name, way), options())
				s, err := u.Surface(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(s.Truncated, ";"); len(s.Tools) != want.tools || !strings.Contains(got, want.truncated) || (got == "") != (want.truncated == "") {
					t.Errorf("%d tools, truncated: %q", len(s.Tools), got)
				}
				if got := strings.Join(s.Repeated, ";"); got != want.repeated {
					t.Errorf("repeated: %q", got)
				}
				u.Close()
				nothingLeft(t)
			})
		}
	}
}

func TestHostileHandshakes(t *testing.T) {
	for _, name := range []string{"strange version", "talkative"} {
		for _, way := range []string{"stdio legacy", "json legacy", "stream legacy", "sse legacy"} {
			t.Run(name+" over "+way, func(t *testing.T) {
				o, now := options(), &clock{now: time.Unix(1e9, 0)}
				o.Now = now.Now // the next try is a second away
				u := open(t, hostile(t, name, way), o)
				if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "protocol" {
					t.Error(got)
				}
				if s := u.Status(); s.Connected || s.Breaker != upstream.Open || s.Reason == "" || !s.NextTry.After(now.Now()) {
					t.Errorf("%+v", s)
				}
				if u.Retry(); u.Status().Breaker != upstream.Closed {
					t.Errorf("after a retry: %+v", u.Status())
				}
				u.Close()
				nothingLeft(t)
			})
		}
	}
}
