package score

import (
	"encoding/json"
	"testing"
)

// How sure the readings of HIGH rules are, and what becomes of it. The texts are in
// pairs: what a tool says to do, and what only mentions it.
func TestClaims(t *testing.T) {
	const send, pay, wipe, reach, runs, hints = "no_public_send_message_tools/3", "no_public_financial_action_tools/3", "no_public_destructive_tools/3",
		"no_public_network_access_tools/3", "prompt_injection_surface/3", "tool_annotations_consistent/3"
	for _, tc := range []struct {
		tool, rule string
		want       Confidence // empty: it passes
	}{
		{`{"name":"send_invitation","description":"Sends an invitation."}`, send, Likely},
		{`{"name":"forward","description":"Forwards a letter.","inputSchema":{"properties":{"recipient":{"type":"string"}}}}`, send, Likely},
		{`{"name":"send_signal","description":"Sends a signal to a process."}`, send, ""},
		{`{"name":"go_forward","description":"Goes one page forward."}`, send, ""},
		{`{"name":"find_books","description":"Finds books. Your words are sent to the library."}`, send, ""},

		{`{"name":"buy_ticket","description":"Buys a ticket."}`, pay, Likely},
		{`{"name":"list_trips","description":"Lists trips. Those that were paid with a card have a receipt."}`, pay, ""},

		{`{"name":"erase_album","description":"Erases an album."}`, wipe, Likely},
		{`{"name":"tidy","description":"Deletes albums without pictures."}`, wipe, Vague},
		{`{"name":"read_page","description":"Reads a page. Long rows are deleted from the answer."}`, wipe, ""},

		{`{"name":"fetch_feed","description":"Fetches a feed.","inputSchema":{"properties":{"url":{"type":"string"}}}}`, reach, Certain},
		{`{"name":"add_hook","description":"Adds a hook.","inputSchema":{"properties":{"webhook_url":{"type":"string"}}}}`, reach, Certain},
		{`{"name":"check_header","description":"Checks it.","inputSchema":{"properties":{"target_url":{"type":"string"}}}}`, reach, Certain},
		{`{"name":"add_bookmark","description":"Adds a bookmark.","inputSchema":{"properties":{"url":{"type":"string"},"icon_url":{"type":"string"}}}}`, reach, ""},
		{`{"name":"fetch_row","description":"Fetches a row.","inputSchema":{"properties":{"style":{"type":"object","properties":{"link":{"type":"string"}}}}}}`, reach, ""},

		{`{"name":"run_query","description":"Runs SQL.","inputSchema":{"properties":{"sql":{"type":"string"}}}}`, runs, Certain},
		{`{"name":"paint","description":"Paints a picture.","inputSchema":{"properties":{"prompt":{"type":"string"}}}}`, runs, Vague},

		{`{"name":"erase_album","description":"Erases an album.","annotations":{"readOnlyHint":true}}`, hints, Likely},
		{`{"name":"sync","description":"Deletes rows that are gone.","annotations":{"readOnlyHint":true}}`, hints, Likely},
		{`{"name":"erase_album","description":"Erases an album.","annotations":{"destructiveHint":false}}`, hints, Likely},
		{`{"name":"list_edits","description":"Lists what was written. Deleted rows are marked.","annotations":{"readOnlyHint":true}}`, hints, ""},
		{`{"name":"open_album","description":"Opens an album.","annotations":{"readOnlyHint":true}}`, hints, ""},
	} {
		got := statusOf(tc.rule, Handshake, Refined, withTool(tc.tool))
		if got.Confidence != tc.want || (got.Status == Fail) != (tc.want != "") {
			t.Errorf("%s: %s with confidence %q %+v, want %q of %s", tc.rule, got.Status, got.Confidence, got.Evidence, tc.want, tc.tool)
		}
	}
}

// A tool that tells clients what it destroys has them ask, where its own user is the one
// who reaches it. Nobody knows that of a list.
func TestDeclaredIsAllowedToItsUser(t *testing.T) {
	const quiet, declared = `{"name":"erase_album","description":"Erases an album.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}},"annotations":{"readOnlyHint":false}}`,
		`{"name":"erase_album","description":"Erases an album.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}},"annotations":{"destructiveHint":true}}`
	for _, tc := range []struct {
		tool  string
		kind  Kind
		depth Depth
		want  Verdict
	}{
		{declared, Stdio, Passive, Allow}, {declared, HTTP, APIKey, Allow},
		{declared, HTTP, Passive, Review}, {declared, List, Passive, Review},
		{quiet, Stdio, Passive, Review}, {quiet, HTTP, APIKey, Review},
	} {
		o := good()
		o.Target.Kind, o.Depth, o.Tools.Items = tc.kind, tc.depth, []json.RawMessage{json.RawMessage(tc.tool)}
		if tc.kind != HTTP {
			o.Target.URL, o.Wire, o.Origin = "", nil, nil
		}
		if r := Evaluate(*o, Refined, world()); r.Verdict != tc.want {
			t.Errorf("%s %s: %s %v, want %s of %s", tc.kind, tc.depth, r.Verdict, r.Reasons, tc.want, tc.tool)
		}
	}
}
