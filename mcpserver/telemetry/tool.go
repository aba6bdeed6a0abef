package telemetry

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Where the code of a tool comes from.
const (
	internalJS      = "internal_js"
	internalGo      = "internal_go"
	wrappedExternal = "wrapped_external"
)

// Tool is what is said of every call of one version of a tool. Nil observes none.
type Tool struct {
	t     *Telemetry
	name  string // cleaned
	label string // of the name in metrics
	level string
	attrs []attribute.KeyValue // of every span
	line  []any                // of every line: keys and values in turn

	byName   metric.MeasurementOption
	mu       sync.Mutex
	outcomes map[Outcome]metric.MeasurementOption
}

// Tool prepares what is said of a tool: its level, and of a spec what is enforced,
// as the audit record has it.
func (t *Telemetry) Tool(tool governed.Tool) *Tool {
	if t == nil {
		return nil
	}
	about := tool.About()
	spec, ok := tool.(*runtime.Tool)
	if !ok {
		return t.subject(about.Name, about.Level.String(), internalGo)
	}
	safety := spec.Safety()
	caps, hosts, base := safety.Caps(), len(safety.Capabilities.Network.Hosts), t.mask.clean(spec.Directory())
	s := t.subject(about.Name, about.Level.String(), internalJS)
	s.attrs = append(s.attrs, attribute.String("sandbox.level", s.level), attribute.String("sandbox.caps", caps), attribute.Int("sandbox.hosts.count", hosts))
	s.line = append(s.line, "caps", caps, "hosts", hosts)
	if base != "" {
		s.attrs = append(s.attrs, attribute.String("sandbox.fs.base", base))
		s.line = append(s.line, "fs_base", base)
	}
	return s
}

// Upstream says which tool of another server is behind one of ours, and how risky
// both were found.
type Upstream struct {
	Alias                   string // the name that clients see
	Server, Tool, Transport string
	// Composition is what the tool was published as part of, if it was.
	CompositionID, CompositionName string
	// OfServer and OfTool are the two scores, Final what they come to.
	OfServer, OfTool, Final mcp.Level
	FloorTrigger            string // the floor that decided the level, if one did
}

// Upstream prepares what is said of a tool that another server runs.
func (t *Telemetry) Upstream(u Upstream) *Tool {
	if t == nil {
		return nil
	}
	s := t.subject(u.Alias, u.Final.String(), wrappedExternal)
	for _, a := range []struct{ key, value string }{
		{"mcp.tool.exposed_alias", u.Alias},
		{"mcp.upstream.server", u.Server},
		{"mcp.upstream.tool", u.Tool},
		{"mcp.upstream.transport", u.Transport},
		{"mcp.composition.id", u.CompositionID},
		{"mcp.composition.name", u.CompositionName},
		{"mcp.risk.server", u.OfServer.String()},
		{"mcp.risk.publish", u.OfTool.String()},
		{"mcp.risk.final", u.Final.String()},
		{"mcp.risk.floor_trigger", u.FloorTrigger},
	} {
		if a.value != "" {
			s.attrs = append(s.attrs, attribute.String(a.key, t.mask.clean(a.value)))
		}
	}
	s.line = append(s.line, "upstream", t.mask.clean(u.Server))
	return s
}

func (t *Telemetry) subject(name, level, origin string) *Tool {
	name = t.mask.clean(name)
	s := &Tool{t: t, name: name, label: t.metrics.tools.value(name), level: level, outcomes: map[Outcome]metric.MeasurementOption{}}
	s.byName = labelled("tool", s.label)
	s.attrs = []attribute.KeyValue{
		attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", name),
		attribute.String("mcp.via", "mcp-server"), attribute.String("mcp.origin", origin),
	}
	s.line = []any{"tool", name, "risk", level}
	return s
}

// ended are the labels of a call that ended so.
func (s *Tool) ended(o Outcome) metric.MeasurementOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outcomes[o] == nil {
		s.outcomes[o] = labelled("tool", s.label, "outcome", string(o))
	}
	return s.outcomes[o]
}
