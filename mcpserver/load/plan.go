package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The versions of the protocol that stand for its two eras: with sessions, and without.
const (
	Sessions  = "2025-11-25"
	Stateless = "2026-07-28"
)

// maxCalls bounds a run, whose times are all kept to be sorted exactly: 80 MB.
const maxCalls = 10_000_000

// Kind is one kind of call.
type Kind struct {
	Name      string          // in the report
	Tool      string          // to call; empty asks for the list of tools
	Arguments json.RawMessage // an object; empty is {}, and {n} in it is another number in each call
	Asks      bool            // a question to a person comes up, and is answered with yes
	Share     float64         // of the calls, relative to the other kinds
}

// Plan is what a run does.
type Plan struct {
	URLs     []string // of the endpoints; each message goes to the next one
	Token    string   // may be empty
	Agents   []string // tokens of the clients that call, in turn; empty is Token
	Eras     []string // Sessions, Stateless or both, by turns
	Kinds    []Kind
	Rate     float64 // calls a second
	Duration time.Duration
	Constant bool   // equal gaps instead of a Poisson process
	Seed     uint64 // of gaps and kinds
	Sessions int    // open sessions, in the era that has them
	Hold     int    // questions that are left open
	InFlight int    // calls under way at one time; later ones wait, and their waiting counts
	Timeout  time.Duration
}

// Check says what of a plan cannot be done.
func (p *Plan) Check() error {
	switch {
	case len(p.URLs) == 0:
		return fmt.Errorf("no URL")
	case !(p.Rate > 0 && p.Rate <= 1e6):
		return fmt.Errorf("a rate of %g: want more than 0 and at most a million calls a second", p.Rate)
	case p.Duration <= 0:
		return fmt.Errorf("a duration of %v: want more than none", p.Duration)
	case p.Rate*p.Duration.Seconds() > maxCalls:
		return fmt.Errorf("%g calls a second for %v are more than %d: measure a shorter time", p.Rate, p.Duration, maxCalls)
	case len(p.Kinds) == 0 || len(p.Eras) == 0:
		return fmt.Errorf("no kind of call, or no era")
	case p.Sessions < 0 || p.Hold < 0 || p.InFlight < 1 || p.Timeout <= 0:
		return fmt.Errorf("sessions and held questions are at least 0, calls in flight at least 1")
	case slices.Contains(p.Eras, Sessions) && p.Sessions == 0:
		return fmt.Errorf("the era %s needs a session", Sessions)
	case p.Hold > 0 && !slices.ContainsFunc(p.Kinds, func(k Kind) bool { return k.Asks }):
		return fmt.Errorf("questions to hold need a tool that asks")
	}
	for _, k := range p.Kinds {
		if !(k.Share > 0) {
			return fmt.Errorf("a share of %g for %s: want more than 0", k.Share, k.Name)
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(k.arguments(0), &object); err != nil || object == nil {
			return fmt.Errorf("the arguments of %s are no JSON object: %s", k.Name, k.Arguments)
		}
	}
	for _, text := range p.URLs {
		if _, err := Loopback(text); err != nil {
			return err
		}
	}
	return nil
}

// arguments are those of the nth call. Calls that are the same share one question.
func (k *Kind) arguments(n int) json.RawMessage {
	if len(k.Arguments) == 0 {
		return json.RawMessage("{}")
	}
	return bytes.ReplaceAll(k.Arguments, []byte("{n}"), strconv.AppendInt(nil, int64(n), 10))
}

// Loopback reports whether an address is of this machine alone. Names are not resolved:
// what they lead to may change.
func Loopback(text string) (bool, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false, fmt.Errorf("%q is no URL such as http://127.0.0.1:8282/mcp", text)
	}
	if u.User != nil {
		return false, fmt.Errorf("the URL of %s has a password in it: tokens go into a file", u.Host)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback(), nil
}

// arrivals draws when calls begin, and of which kind they are. The same seed gives the same.
type arrivals struct {
	random *rand.Rand
	plan   *Plan
	shares []float64 // summed up
	at     time.Duration
	n      int
}

func newArrivals(p *Plan) *arrivals {
	a := &arrivals{random: rand.New(rand.NewPCG(p.Seed, 0)), plan: p}
	sum := 0.0
	for _, k := range p.Kinds {
		sum += k.Share
		a.shares = append(a.shares, sum)
	}
	return a
}

// arrival is one call: when it begins, after the start of the run, and what it is.
type arrival struct {
	at   time.Duration
	n    int // of the call
	kind int
	era  string
}

func (a *arrivals) next() arrival {
	gap := 1.0
	if !a.plan.Constant {
		gap = a.random.ExpFloat64()
	}
	a.at += time.Duration(gap / a.plan.Rate * float64(time.Second))
	drawn := a.random.Float64() * a.shares[len(a.shares)-1]
	kind, _ := slices.BinarySearch(a.shares, drawn)
	a.n++
	return arrival{at: a.at, n: a.n, kind: min(kind, len(a.shares)-1), era: a.plan.Eras[a.random.IntN(len(a.plan.Eras))]}
}
