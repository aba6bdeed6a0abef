package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/contract"
)

// Every combination of what moves a decision, for some of the published tools.
func everyRequest(yield func(contract.Request) bool) {
	flags := []bool{false, true}
	for _, namespace := range []string{"findings.sast", "chain.simulation", "repo.contents", "tickets.security", "registries.quarantine", "synth.ctx.pub", "synth.note", "synth.nomodes", "synth.reader.destructive", "none"} {
		for _, mode := range []string{"", "read", "write_branch", "write_ticket", "approval_required", "admin"} {
			for _, workflow := range []string{"", "synth-all", "sensitive-data-remediation", "none"} {
				for _, trusted := range flags {
					for _, session := range []int{0, 1, 2, 4, 7} {
						r := contract.Request{
							Namespace: namespace, RequestedAccessMode: mode, WorkflowID: workflow, ServerTrusted: trusted,
							SessionReadsPrivateData: session&1 > 0, SessionSeesUntrustedContent: session&2 > 0, SessionCanExfiltrate: session&4 > 0,
						}
						if !yield(r) {
							return
						}
					}
				}
			}
		}
	}
}

func TestWhatAnApprovalLifts(t *testing.T) {
	c := publishedContract(t)
	for r := range everyRequest {
		without := c.Decide(&r)
		r.Approved = true
		with := c.Decide(&r)
		liftable := slices.Equal(without.Reasons(), []string{"approval_required"}) || without.Decision == contract.DenySession
		switch {
		case liftable && !with.Decision.Allowed():
			t.Errorf("%+v: an approval leaves %v as %v", r, without.Decision, with.Decision)
		case !liftable && with.Decision != without.Decision:
			t.Errorf("%+v: an approval turns %v into %v", r, without.Decision, with.Decision)
		}
	}
}

func TestNothingThatRaisesRiskAllows(t *testing.T) {
	c := publishedContract(t)
	for r := range everyRequest {
		before := c.Decide(&r).Decision
		for name, raise := range map[string]func(*contract.Request){
			"private data":      func(r *contract.Request) { r.SessionReadsPrivateData = true },
			"untrusted content": func(r *contract.Request) { r.SessionSeesUntrustedContent = true },
			"a way out":         func(r *contract.Request) { r.SessionCanExfiltrate = true },
			"no trust":          func(r *contract.Request) { r.ServerTrusted = false },
		} {
			worse := r
			raise(&worse)
			if after := c.Decide(&worse).Decision; after.Allowed() && !before.Allowed() {
				t.Errorf("%+v: %s turns %v into %v", r, name, before, after)
			}
		}
		for name, kill := range map[string]func(*contract.Request){
			"kill:x":                                          func(r *contract.Request) { r.RuntimeKillSignal = "x" },
			"kill:raw_secret_in_tool_argument":                func(r *contract.Request) { r.ContainsSecret = true },
			"kill:tool_list_changed_after_approval":           func(r *contract.Request) { r.ToolListChangedAfterApproval = true },
			"kill:private_network_or_metadata_ip_destination": func(r *contract.Request) { r.PrivateNetworkDestination = true },
		} {
			killed := r
			kill(&killed)
			if a := c.Decide(&killed); a.Decision != contract.KillSession || !slices.Equal(a.Reasons(), []string{name}) {
				t.Errorf("%+v: %s comes to %v %q", r, name, a.Decision, a.Reasons())
			}
		}
	}
}

func TestWhatIsAllowedIsRegisteredAndInScope(t *testing.T) {
	c := publishedContract(t)
	allowed := 0
	for r := range everyRequest {
		r.Approved = r.SessionReadsPrivateData
		a := c.Decide(&r)
		if !a.Decision.Allowed() {
			continue
		}
		allowed++
		switch tool := a.Tool(); {
		case tool == nil:
			t.Errorf("%+v: no tool", r)
		case r.RequestedAccessMode != "" && !slices.Contains(tool.AccessModes, r.RequestedAccessMode):
			t.Errorf("%+v: a mode the tool does not have", r)
		case r.WorkflowID != "" && (a.Workflow() == nil || !slices.Contains(a.Workflow().Namespaces, tool.Namespace)):
			t.Errorf("%+v: outside the workflow", r)
		case a.Hints().ReadOnly && a.Hints().Destructive:
			t.Errorf("%+v: contradicting hints", r)
		}
	}
	if allowed < 100 {
		t.Errorf("only %d requests are allowed", allowed)
	}
}

// No input panics, none that a strict reader refuses is a request, and an answer
// does not depend on how the request was spelled.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"namespace":"findings.sast","requested_access_mode":"read"}`,
		`{"namespace":"findings.sast","namespace":"findings.sast"}`,
		`{"namespace":"findings.sast"} x`,
		`{"namespace":["findings.sast"],"human_approval_record":{"id":1e999}}`,
		`{"runtime_kill_signal":{"a":[1.0,null,"\ud83d\ude00\u200b"]}}`,
		`{"namespace":"findings.sast","tool_name":"\ud800"}`,
		"{\"namespace\":\"findings.sast\",\"tool_name\":\"\xff\"}",
		`{"namespace":"synth.ctx.pub","annotations":{"idempotentHint":"on","readOnlyHint":"y"},"x":NaN}`,
		`[]`, `null`, ``, `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	c := publishedContract(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := contract.ParseRequest(raw)
		if err != nil {
			if r != (contract.Request{}) {
				t.Fatalf("an error and a request: %+v", r)
			}
			return
		}
		if !json.Valid(raw) || !utf8.Valid(raw) {
			t.Fatal("accepted what a strict reader refuses")
		}
		report := c.Decide(&r).Report()
		if len(report.Reasons) == 0 || report.Explanation == "" {
			t.Fatalf("no reasons: %+v", report)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatal(err)
		}
		respelled, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		again, err := contract.ParseRequest(respelled)
		if err != nil || again.Digest != r.Digest {
			t.Fatalf("respelled as %s: %v, another digest", respelled, err)
		}
		// The stream gives the same answer.
		var out strings.Builder
		if tally, err := c.DecideLines(strings.NewReader(fmt.Sprintf(`{"id":1,"raw_request":%s}`, respelled)), &out); err != nil || tally.Invalid > 0 {
			t.Fatalf("%s: %v", out.String(), err)
		}
		var line struct {
			Decision string
			Allowed  bool
		}
		if err := json.Unmarshal([]byte(out.String()), &line); err != nil || line.Decision != report.Decision.String() || line.Allowed != report.Allowed {
			t.Fatalf("%s: the stream says %+v, %v", respelled, line, err)
		}
	})
}

// Every line that is not blank gets one answer, and one that a strict reader
// refuses gets no allow.
func FuzzLines(f *testing.F) {
	good := `{"id":1,"raw_request":{"namespace":"findings.sast","requested_access_mode":"read"}}`
	f.Add([]byte(good + "\n\n" + good))
	f.Add([]byte(good + " x\n" + strings.Replace(good, "1", "1e999", 1) + "\n{"))
	f.Add([]byte(`{"id":"a","request":{"namespace":"findings.sast","server_trusted":true},"extra":[NaN]}`))
	c := publishedContract(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		tally, err := c.DecideLines(bytes.NewReader(in), &out)
		if err != nil {
			t.Fatal(err)
		}
		answers := strings.Split(out.String(), "\n")
		for line := range bytes.Lines(in) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			tally.Rows--
			var answer struct{ Allowed bool }
			if err := json.Unmarshal([]byte(answers[0]), &answer); err != nil {
				t.Fatalf("%q: %v", answers[0], err)
			}
			answers = answers[1:]
			if answer.Allowed && (!json.Valid(line) || !utf8.Valid(line)) {
				t.Fatalf("%q is allowed", line)
			}
		}
		if tally.Rows != 0 || len(answers) != 1 || answers[0] != "" {
			t.Fatalf("%d rows and answers %q are left over", tally.Rows, answers)
		}
	})
}

func FuzzContract(f *testing.F) {
	f.Add([]byte(`{"format":"tool-risk-contract-input/1","tools":[],"workflows":[]}`))
	f.Add([]byte(`{"schema_version":"1.0","tool_profiles":[{"namespace":"a"}],"workflow_tool_risk":[{"workflow_id":"w","namespaces":[{}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := contract.Parse(raw)
		if err != nil {
			return
		}
		if c.Decide(&contract.Request{}).Decision.Allowed() {
			t.Fatal("a contract allows a call that names no tool")
		}
	})
}
