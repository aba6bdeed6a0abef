// Command live replays recorded agent sessions through the decision engine and prints
// how many honest steps it denies or asks about and how many attacks do no harm. See
// docs/live-decisions.md for the corpus and for what the columns mean.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/risk/poison"
)

func main() {
	sessions := flag.String("sessions", "", "the `file` of sessions, JSON Lines")
	servers := flag.String("servers", "", "the `file` of tool definitions")
	operator := flag.String("operator", "", "the operator's `file`; without one the definitions are all there is")
	only := flag.String("only", "", "sources, separated by commas, to look at")
	verbose := flag.Bool("v", false, "list what went wrong")
	through := flag.Bool("gateway", false, "replay through a real server with scripted tools")
	flag.Parse()
	if err := run(os.Stdout, *sessions, *servers, *operator, *only, *verbose, *through); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(2)
	}
}

func run(w io.Writer, sessions, servers, operator, only string, verbose, through bool) error {
	var defined map[string]server
	if err := readJSON(servers, &defined); err != nil {
		return err
	}
	for _, with := range []string{operator, ""} {
		var file *live.File
		if with != "" {
			text, err := os.ReadFile(with)
			if err != nil {
				return err
			}
			if file, err = live.ParseFile(text); err != nil {
				return fmt.Errorf("%s: %w", with, err)
			}
			fmt.Fprintln(w, "with the operator's file")
		} else {
			fmt.Fprintln(w, "without a file")
		}
		r := replay{book: book(defined, file), suites: map[string]*counts{}}
		if verbose {
			r.wrong = w
		}
		var g *gateway
		if through {
			var err error
			if g, err = newGateway(context.Background(), defined, file); err != nil {
				return err
			}
			defer g.close()
		}
		if err := readSessions(sessions, func(s *session) error {
			if only != "" && !slices.Contains(strings.Split(only, ","), s.Source) {
				return nil
			}
			return r.session(s, g)
		}); err != nil {
			return err
		}
		if through {
			fmt.Fprintf(w, "steps decided otherwise than by the engine alone: %d of %d\n", r.differ, r.steps)
		}
		if err := table(w, r.suites); err != nil {
			return err
		}
		if operator == "" {
			break
		}
	}
	return nil
}

type replay struct {
	book          *live.Book
	suites        map[string]*counts
	wrong         io.Writer
	steps, differ int // of a replay through a server
}

// session counts one session, as the engine decides it or, if there is a gateway, as that
// does.
func (r *replay) session(s *session, g *gateway) error {
	verdicts := r.engine(s)
	if g != nil {
		theirs, err := g.judgements(context.Background(), s)
		if err != nil {
			return err
		}
		for i := range theirs {
			r.steps++
			if theirs[i].Verdict != verdicts[i] {
				r.differ++
				if r.wrong != nil {
					fmt.Fprintf(r.wrong, "differs\t%s step %d: the engine says %v, the gateway %v\t%s\n", s.ID, i, verdicts[i], theirs[i].Verdict, theirs[i].Record)
				}
			}
			verdicts[i] = theirs[i].Verdict
		}
	}
	name := cmp.Or(s.Source+"/"+strings.TrimPrefix(s.Suite, s.Source+"-"), "?")
	if r.suites[name] == nil {
		r.suites[name] = &counts{}
	}
	r.suites[name].count(s, verdicts)
	return nil
}

// engine replays a session through the engine alone.
func (r *replay) engine(s *session) []risk.Verdict {
	var agent live.Session
	verdicts := make([]risk.Verdict, len(s.Steps))
	for i := range s.Steps {
		st := &s.Steps[i]
		profile := r.book.Profile(st.Server, st.Tool)
		arguments, unread := live.Flatten(st.Arguments)
		call := &live.Call{ID: fmt.Sprint(i), Server: st.Server, Tool: st.Tool, Profile: profile, Arguments: arguments, Unread: unread}
		now := time.Unix(int64(i), 0) // a step a second
		d := agent.Decide(call, now)
		verdicts[i] = d.Verdict
		r.report(s, st, &d)
		if d.Verdict == risk.Deny || d.Verdict == risk.Ask && st.Malicious {
			continue // a person refuses what the attacker wants
		}
		if leave, ok := live.LeaveFor(call, d.Label, now); ok && d.Verdict == risk.Ask {
			agent.Allow(leave)
		}
		if d.Leave != "" {
			if err := agent.Spend(d.Leave); err != nil {
				panic(err) // the decision rests on it
			}
		}
		agent.Ran(call, d.Verdict == risk.Ask)
		agent.Observe(&live.Observation{Server: st.Server, Tool: st.Tool, Call: call.ID, Profile: profile, Text: st.Result,
			Order: poison.ScanResult(st.Result).AtLeast(poison.Medium)})
	}
	return verdicts
}

// report lists decisions that cost something.
func (r *replay) report(s *session, st *step, d *live.Decision) {
	if r.wrong == nil {
		return
	}
	kind := ""
	switch {
	case st.harm() && d.Verdict != risk.Deny:
		kind = "harm " + d.Verdict.String()
	case !st.Malicious && d.Verdict != risk.Allow:
		kind = s.Kind + " " + d.Verdict.String()
	default:
		return
	}
	fired, _ := json.Marshal(d.Fired)
	fmt.Fprintf(r.wrong, "%s\t%s\t%s %s %s\t%s\n", kind, s.ID, st.Server, st.Tool, st.Arguments, fired)
}
