package exposure_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// crowd is an admission of servers with tools each, all of them accepted.
func crowd(b testing.TB, servers, tools int) exposure.Admission {
	in := exposure.Admission{Memo: &definition.Memo{}, Now: time.Unix(1e9, 0)}
	pins := newPins(b)
	for s := range servers {
		name := fmt.Sprintf("server-%d", s)
		surface := &upstream.Surface{}
		for t := range tools {
			surface.Tools = append(surface.Tools, json.RawMessage(fmt.Sprintf(
				`{"name":"s%d_find_things_%d","description":"Finds things of kind %d in the store of department %d by words of their title, newest first, at most twenty at once.","inputSchema":{"type":"object","properties":{"title":{"type":"string","description":"Words of the title."},"limit":{"type":"integer","description":"How many."}},"required":["title"]},"annotations":{"readOnlyHint":true}}`, s, t, t, s)))
		}
		in.Sources = append(in.Sources, exposure.Source{
			Registration: exposure.Registration{Config: upstream.Config{Name: name, Kind: upstream.Stdio, Command: []string{name}}, State: exposure.Enabled, Origin: exposure.ByCommand, Added: time.Unix(int64(s), 0)},
			Surface:      surface,
		})
		in.Exposures = append(in.Exposures, exposure.Exposure{Upstream: name, All: true})
	}
	for _, s := range exposure.Admit(in).Servers {
		if _, err := pins.Observe(b.Context(), s.Name, s.Tools, ledger.Policy{TrustFirst: true}, false); err != nil {
			b.Fatal(err)
		}
	}
	in.Pins = pins.Pins()
	return in
}

// BenchmarkAdmit: everything for the first time, again with nothing changed, and again
// with one server changed.
func BenchmarkAdmit(b *testing.B) {
	for _, size := range [][2]int{{20, 50}, {200, 50}} {
		in := crowd(b, size[0], size[1])
		n := size[0] * size[1]
		report := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/tool") }
		b.Run(fmt.Sprintf("%dx%d/first", size[0], size[1]), func(b *testing.B) {
			for range b.N {
				in.Memo, in.Before = &definition.Memo{}, nil
				if got := len(exposure.Admit(in).Set(exposure.Exposed).Tools); got != n {
					b.Fatal(got)
				}
			}
			report(b)
		})
		in.Before = exposure.Admit(in)
		b.Run(fmt.Sprintf("%dx%d/again", size[0], size[1]), func(b *testing.B) {
			for range b.N {
				in.Before = exposure.Admit(in)
			}
			report(b)
		})
		b.Run(fmt.Sprintf("%dx%d/one-changed", size[0], size[1]), func(b *testing.B) {
			for i := range b.N {
				s := *in.Sources[0].Surface
				s.Tools = append([]json.RawMessage{json.RawMessage(fmt.Sprintf(`{"name":"new_%d","description":"Finds more things than before, by their title.","inputSchema":{"type":"object"}}`, i))}, s.Tools[1:]...)
				in.Sources[0].Surface = &s
				in.Before = exposure.Admit(in)
				in.Memo.Sweep()
			}
			report(b)
		})
	}
}
