package telemetry

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Origins of a tool's code.
const (
	internalJS      = "internal_js"
	internalGo      = "internal_go"
	wrappedExternal = "wrapped_external"
)

// Tool is what is reported with every call of one version of a tool. Nil observes
// nothing.
type Tool struct {
	t     *Telemetry
	name  string // cleaned
	label string // the name as a metric label
	level string
	attrs []attribute.KeyValue // of every span
	line  []any                // of every line: alternating keys and values

	byName   metric.MeasurementOption
	mu       sync.Mutex
	outcomes map[Outcome]metric.MeasurementOption
	classes  map[Class]metric.MeasurementOption
}

// Tool prepares what is reported about a tool: its level and, for a spec, what is
// enforced, as in the audit record; for a tool that says which [Upstream] it is of,
// where it comes from.
func (t *Telemetry) Tool(tool governed.Tool) *Tool {
	if t == nil {
		return nil
	}
	about := tool.About()
	if of, ok := tool.(interface{ Telemetry() Upstream }); ok {
		return t.Upstream(of.Telemetry())
	}
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

// Upstream names the tool of another server behind one of ours, and both risk
// scores.
type Upstream struct {
	Alias                   string // the name clients see
	Server, Tool, Transport string
	// Composition is what the tool was published as part of, if any.
	CompositionID, CompositionName string
	// OfServer and OfTool are the two scores, Final the combined one.
	OfServer, OfTool, Final mcp.Level
	FloorTrigger            string // the floor that decided the level, if one did
}

// Upstream prepares what is reported about a tool that another server runs.
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
	s := &Tool{t: t, name: name, label: t.metrics.tools.value(name), level: level, outcomes: map[Outcome]metric.MeasurementOption{}, classes: map[Class]metric.MeasurementOption{}}
	s.byName = labelled("tool", s.label)
	s.attrs = []attribute.KeyValue{
		attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", name),
		attribute.String("mcp.via", "mcp-server"), attribute.String("mcp.origin", origin),
	}
	s.line = []any{"tool", name, "risk", level}
	t.metrics.publish(s)
	return s
}

// ended returns the labels of a call with this outcome.
func (s *Tool) ended(o Outcome) metric.MeasurementOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outcomes[o] == nil {
		s.outcomes[o] = labelled("tool", s.label, "outcome", string(o))
	}
	return s.outcomes[o]
}

// took returns the labels of how long a call of this class took.
func (s *Tool) took(c Class) metric.MeasurementOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.classes[c] == nil {
		s.classes[c] = labelled("tool", s.label, "class", string(c))
	}
	return s.classes[c]
}
