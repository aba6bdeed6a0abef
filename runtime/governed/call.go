package governed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// clearanceTime is how long a permit is valid. It is checked right after it is made,
// so it only has to outlast a busy scheduler.
const clearanceTime = time.Minute

// call is one call in progress.
type call struct {
	*Pipeline
	Request
	about   *About
	terms   *Terms
	out     *Result
	started time.Time
	session *egress.Session

	ctx       context.Context
	held      []func() // released once the call has been recorded
	arguments []byte   // checked; until then as received
	raw       []byte   // the value before it was cleaned
	judgement Judgement
	words     string // the decision, for the record
	ruling    *Ruling
	asked     bool // an interim record says that a person was asked
	permit    Permit
}

// steps are the stages of a call. Each may end it with a failure or, when the caller
// has to ask a person, with out.Question.
var steps = [...]struct {
	do    func(*call) *Failure
	phase Phase
}{
	{(*call).enter, Policy},
	{(*call).checkArguments, Policy},
	{(*call).checkScopes, Policy},
	{(*call).judge, Policy},
	{(*call).ask, Person},
	{(*call).takeSlot, Queue},
	{(*call).redeem, Policy},
	{(*call).lend, Lend},
	{(*call).run, Run},
}

// Do runs one call. It never returns nil; any failure is in Failure.
func (p *Pipeline) Do(ctx context.Context, q Request) *Result {
	c := &call{
		Pipeline: p, Request: q, about: q.Tool.About(), terms: p.terms.Load(), out: &Result{ID: cmp.Or(q.ID, NewID())},
		started: time.Now(), ctx: ctx, arguments: q.Arguments,
	}
	c.session = egress.NewSession(p.key, c.about.Secrets)
	defer c.release()
	c.out.Failure = guarded(c.walk)
	c.raw = c.out.Value
	c.enters(Sanitise)
	if failure := guarded(c.clean); failure != nil {
		c.withhold(failure)
	}
	if failure := guarded(c.testify); failure != nil {
		c.withhold(failure)
	}
	c.out.Flow = c.judgement.Record
	if c.out.Usage.Elapsed == 0 {
		c.out.Usage.Elapsed = time.Since(c.started)
	}
	c.enters(Recording)
	if failure := guarded(c.record); failure != nil {
		c.withhold(failure)
	}
	return c.out
}

func (c *call) walk() *Failure {
	for _, step := range steps {
		c.enters(step.phase)
		if failure := step.do(c); failure != nil || c.out.Question != nil {
			return failure
		}
	}
	return nil
}

// guarded contains our own defects: a panic ends this call alone, and the call is
// still cleaned and recorded.
func guarded(step func() *Failure) (failure *Failure) {
	defer func() {
		if v := recover(); v != nil {
			failure = &Failure{Kind: jsengine.Internal, Message: "the call failed", Cause: fmt.Errorf("panic: %v\n%s", v, debug.Stack())}
		}
	}()
	return step()
}

// withhold removes the call's result. The tool's effects remain, but nobody may profit
// from a call that could not be cleaned or recorded.
func (c *call) withhold(f *Failure) {
	c.out.Value, c.out.Logs, c.out.LogsDropped, c.out.Question = nil, nil, 0, nil
	c.out.Failure = f
}

func (c *call) hold(giveBack func()) {
	if giveBack != nil {
		c.held = append(c.held, giveBack)
	}
}

func (c *call) release() {
	for i := len(c.held) - 1; i >= 0; i-- {
		c.held[i]()
	}
}

// enter admits the call, unless calls are currently refused.
func (c *call) enter() *Failure {
	c.words = "not judged"
	if c.terms.Sanitiser == nil {
		return &Failure{Kind: Internal, Message: "there is no sanitiser"}
	}
	if c.config.Gate != nil && !c.Counted {
		if err := c.config.Gate.Take(c.Caller, 1); err != nil {
			return &Failure{Kind: Throttled, Message: err.Error(), Cause: err}
		}
	}
	ctx, leave, stopping := c.open.enter(c.ctx)
	if stopping != nil {
		return stopping
	}
	c.hold(leave)
	c.ctx = ctx
	if c.config.Audit != nil && !c.config.AuditOptional {
		if err := c.config.Audit.Failed(); err != nil {
			return &Failure{Kind: AuditUnavailable, Message: "calls are refused while they cannot be recorded", Cause: err}
		}
	}
	return nil
}

func (c *call) checkArguments() *Failure {
	arguments, problems := c.Tool.Check(c.Arguments)
	if problems.Err() != nil {
		return BadArguments(problems)
	}
	c.out.Warnings, c.arguments = problems, arguments
	return nil
}

// checkScopes refuses a caller whose token was not granted what the tool needs.
func (c *call) checkScopes() *Failure {
	if c.Lacks == nil {
		return nil
	}
	lacks := c.Lacks(c.about)
	if len(lacks) == 0 {
		return nil
	}
	why := "the access token lacks the scope " + strings.Join(lacks, " ")
	c.words = risk.Deny.String() + ": " + why
	return &Failure{Kind: NotCleared, Message: why, Advice: "Do not retry with this token."}
}

// judge decides: a permit, a question, or a refusal.
func (c *call) judge() *Failure {
	c.judgement = c.by().Judge(c.given())
	c.words, c.out.Judged = c.judgement.words(), c.judgement.Verdict.String()
	switch c.judgement.Verdict {
	case risk.Allow:
		c.permit.clearance = c.decision().Clear(time.Now().Add(clearanceTime))
	case risk.Ask:
	default:
		return &Failure{Kind: NotCleared, Message: c.judgement.Reason, Advice: cmp.Or(c.judgement.Advice, doNotRetry), Cause: c.judgement.Cause}
	}
	return nil
}

const doNotRetry = "Do not retry."

// by returns the judge of this call.
func (c *call) by() Judge {
	if c.Judge != nil {
		return c.Judge
	}
	return c.terms.Judge
}

// given is the call as its judge sees it.
func (c *call) given() Case {
	given := Case{ID: c.out.ID, Tool: c.about, Called: c.Tool, Caller: c.Caller, Endpoint: c.Endpoint, Arguments: c.received(), Values: c.arguments}
	if _, ok := c.by().(Witness); ok {
		_, outcome := c.cleanedBytes(c.arguments)
		given.Secrets = places(outcome.Findings)
	}
	return given
}

// Secrets returns the names of the arguments of a call that hold what looks like a
// credential, for a call that is made elsewhere and judged here.
func (p *Pipeline) Secrets(tool string, arguments json.RawMessage) []string {
	s := p.Terms().Sanitiser
	if s == nil {
		return nil
	}
	_, outcome := s.Bytes(egress.NewSession(p.key, nil), egress.Place{Tool: tool}, arguments)
	return places(outcome.Findings)
}

// places returns the arguments in which something that gives access was found.
func places(findings []egress.Finding) (names []string) {
	for _, f := range findings {
		if f.Class == string(rules.Credential) {
			name, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
			names = append(names, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// credentials reports whether something that gives access was found.
func credentials(findings []egress.Finding) bool {
	return slices.ContainsFunc(findings, func(f egress.Finding) bool { return f.Class == string(rules.Credential) })
}

// testify tells a judge that is a witness what the caller is about to get.
func (c *call) testify() *Failure {
	witness, ok := c.by().(Witness)
	if !ok || !c.out.Ran {
		return nil
	}
	seen := Seen{Case: c.given(), Value: c.out.Value, Raw: c.raw, Redacted: credentials(c.out.Redactions), Approved: c.out.Approval == Approved, Judged: c.judgement.Record}
	if seen.Approved && c.ruling != nil {
		seen.Rest, seen.By = c.ruling.Rest, c.ruling.By
	}
	if f := c.out.Failure; f != nil {
		seen.Failure = f.Message + string(f.Verbatim)
	}
	record, err := witness.Saw(seen)
	if err != nil {
		return &Failure{Kind: Internal, Message: "the result could not be taken note of, so it is withheld", Cause: err}
	}
	if record != nil {
		c.judgement.Record = record
	}
	return nil
}

// received is the hash of the arguments as they arrived; a clearance and an approval
// are bound to it.
func (c *call) received() risk.ArgumentsHash {
	if c.permit.received == (risk.ArgumentsHash{}) {
		c.permit.received = risk.HashArguments(c.Arguments)
	}
	return c.permit.received
}

func (c *call) decision() risk.Decision {
	return risk.Decide(c.judgement.Verdict, c.judgement.Reason, c.about.Hash, c.received())
}

// ask puts a question to a person if the judge requires it. The approval is not spent
// here: the call may still find the queue full.
func (c *call) ask() *Failure {
	if c.judgement.Verdict != risk.Ask {
		return nil
	}
	ruling := Ruling{Outcome: CannotAsk}
	if c.Approver != nil {
		began := time.Now()
		ruling = c.Approver.Approve(c.ctx, c.question())
		c.out.Asking = time.Since(began)
	}
	if ruling.Outcome == ToBeAnswered && c.asked && ruling.Put != nil {
		c.out.Question = ruling.Put
		return nil
	}
	return c.ruled(ruling)
}

// ruled applies the result of asking.
func (c *call) ruled(r Ruling) *Failure {
	c.ruling, c.out.Approval = &r, r.Outcome
	c.words = c.judgement.words() + "; " + string(r.Outcome)
	if r.Outcome == Approved {
		return nil
	}
	return &Failure{Kind: NotCleared, Message: r.Outcome.Why(), Advice: cmp.Or(r.Advice, doNotRetry)}
}

// takeSlot waits for the call's turn.
func (c *call) takeSlot() *Failure {
	if c.config.Gate == nil {
		return nil
	}
	began := time.Now()
	free, err := c.config.Gate.Slot(c.ctx, c.Caller)
	c.out.Queued = time.Since(began)
	switch {
	case err == nil:
		place := &slot{gate: c.config.Gate, caller: c.Caller, free: free}
		c.hold(place.release)
		if c.Peer != nil {
			c.Peer = patient{c.Peer, place}
		}
		return nil
	case c.ctx.Err() != nil:
		return &Failure{Kind: Cancelled, Message: "the call was cancelled while it waited", Cause: err}
	}
	return &Failure{Kind: Throttled, Message: err.Error(), Cause: err}
}

// redeem spends a person's approval, if it still covers this call under the current
// terms: the answer may have taken minutes.
func (c *call) redeem() *Failure {
	if c.ruling == nil {
		return nil
	}
	if !c.stands() {
		return c.ruled(Ruling{Outcome: Outdated, ID: c.ruling.ID, By: c.ruling.By})
	}
	if c.ruling.Redeem != nil {
		if failure := c.ruled(c.ruling.Redeem(c.ctx)); failure != nil {
			return failure
		}
	}
	c.permit.clearance = c.decision().Approve(time.Now().Add(clearanceTime))
	return nil
}

// stands reports whether the tool is still published and judged as it was when the
// question was asked. From here on the current terms apply.
func (c *call) stands() bool {
	if published := cmp.Or(c.Published, c.config.Published); published != nil {
		now := published.Of(c.about.Source, c.about.Name)
		if now == nil || now.About().Hash != c.about.Hash || now.About().Standing != c.about.Standing {
			return false
		}
	}
	terms := c.Pipeline.terms.Load()
	// What a witness judges by may have changed while the question was open.
	_, witness := c.by().(Witness)
	if !witness && (terms == c.terms || c.Judge != nil) {
		return true
	}
	c.terms = terms
	again := c.by().Judge(c.given())
	if witness && again.Verdict == risk.Allow {
		return true // a person allowed it meanwhile, together with another call
	}
	return again.Verdict == risk.Ask && again.Standing == c.judgement.Standing
}

// lend collects what the call is granted.
func (c *call) lend() *Failure {
	p := &c.permit
	p.Arguments, p.Clock, p.Seed, p.Through, p.Peer = c.arguments, c.Clock, c.Seed, c.Through, c.Peer
	p.Limits = c.Limits.Or(c.terms.Limits)
	if c.Printed != nil {
		p.Printed = func(line jsengine.Line) {
			line.Text, _ = c.cleanedText(line.Text)
			c.Printed(line)
		}
	}
	p.World = c.terms.World
	if c.World != nil {
		p.World = *c.World
	}
	if c.config.Lend == nil {
		return nil
	}
	done, err := c.config.Lend(c.Caller, &p.World)
	if err != nil {
		c.words += "; not lent"
		return &Failure{Kind: NotLent, Message: "its workspace cannot be opened", Advice: "Only the operator can change that.", Cause: err}
	}
	c.hold(done)
	return nil
}

// run runs the tool.
func (c *call) run() *Failure {
	c.out.Ran = true
	c.out.Output = c.Tool.Run(c.ctx, &c.permit)
	return c.out.Failure
}
