package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Config is what an operator decides once for all tools. The zero value grants
// nothing, knows no environment and keeps no record.
type Config struct {
	Engine jsengine.Config
	// Baseline is what every tool has before its document asks; Ceiling is the
	// most that any may have. The zero ceiling leaves nothing.
	Baseline catalog.Baseline
	Ceiling  catalog.Ceiling
	// Lookup finds the values that static variables refer to.
	Lookup catalog.Lookup
	// Limits are the defaults for every call; a zero field is the engine's.
	Limits jsengine.Limits
	// Functions are the program's own host calls, available to tools whose posture
	// opens their gate; nil adds none.
	Functions *host.Functions
	// Audit receives one record for every invocation; nil keeps none.
	Audit *audit.Log
	// AuditOptional runs calls although their record cannot be written. By
	// default such a call is refused, and a result whose record failed is
	// withheld.
	AuditOptional bool
	// Sanitiser cleans all output; nil means the built-in rules under the default
	// policy.
	Sanitiser *egress.Sanitiser
}

// Runtime runs tools. It is safe for concurrent use.
type Runtime struct {
	engine    *jsengine.Engine
	config    Config
	sanitiser *egress.Sanitiser
	calls     *governed.Pipeline
}

// Open starts the engine. The first time on a machine it links and compiles the guest,
// which takes most of a second; later it reads its cache.
func Open(ctx context.Context, config Config) (*Runtime, error) {
	always, err := host.Operations(catalog.Posture{})
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	config.Engine.Operations = always
	r := &Runtime{config: config, sanitiser: config.Sanitiser}
	// The rules take a tenth of the engine's start, and startup dominates a command that
	// runs one small tool.
	var rulesErr error
	var ready sync.WaitGroup
	if r.sanitiser == nil {
		ready.Go(func() { r.sanitiser, rulesErr = builtinSanitiser() })
	}
	engine, err := jsengine.Open(ctx, config.Engine)
	ready.Wait()
	if err == nil && rulesErr != nil {
		engine.Close()
		err = rulesErr
	}
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	r.engine = engine
	if err := engine.Functions(functions(config.Functions.All())); err != nil {
		engine.Close()
		return nil, fmt.Errorf("runtime: %w", err)
	}
	r.calls = r.pipeline()
	return r, nil
}

// functions are host functions as the engine installs them.
func functions(granted []host.Function) []jsengine.Function {
	var all []jsengine.Function
	for _, f := range granted {
		all = append(all, jsengine.Function{Name: f.Name, Waits: f.Waits})
	}
	return all
}

func builtinSanitiser() (*egress.Sanitiser, error) {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		return nil, err
	}
	return egress.New(engine, egress.DefaultPolicy()), nil
}

// With returns a runtime with another configuration on the same engine, which r still
// owns and closes. config.Engine is ignored.
func (r *Runtime) With(config Config) (*Runtime, error) {
	config.Engine = r.config.Engine
	if err := r.engine.Functions(functions(config.Functions.All())); err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	other := &Runtime{engine: r.engine, config: config, sanitiser: config.Sanitiser}
	if other.sanitiser == nil {
		var err error
		if other.sanitiser, err = builtinSanitiser(); err != nil {
			return nil, fmt.Errorf("runtime: %w", err)
		}
	}
	other.calls = other.pipeline()
	return other, nil
}

// pipeline returns the pipeline for calls that a Go host clears itself.
func (r *Runtime) pipeline() *governed.Pipeline {
	return governed.New(governed.Config{
		Terms: governed.Terms{Sanitiser: r.sanitiser}, Audit: r.config.Audit, AuditOptional: r.config.AuditOptional,
	})
}

// Close frees the engine's instances. All calls must have ended.
func (r *Runtime) Close() { r.engine.Close() }

// Sanitiser returns the sanitiser that cleans the results of calls.
func (r *Runtime) Sanitiser() *egress.Sanitiser { return r.sanitiser }

// Idle returns how many instances are idle.
func (r *Runtime) Idle() int { return r.engine.Idle() }

// Load reads a spec document, as a document of the user's own, and prepares it as
// [Runtime.Prepare] does.
func (r *Runtime) Load(document []byte) (*Tool, catalog.Problems) {
	spec, problems := catalog.Parse(document)
	if problems.Err() != nil {
		return nil, problems
	}
	tool, rejected := r.Prepare(spec, catalog.SourceUser)
	return tool, append(problems, rejected...)
}

// Resolve returns what a spec is granted here, without preparing it.
func (r *Runtime) Resolve(spec *catalog.Spec, source string) (catalog.Posture, catalog.ToolSafety, catalog.Problems) {
	return spec.Resolve(r.config.Baseline, r.config.Ceiling, source)
}

// Prepare resolves a spec's posture and scores it. The source says where the spec came
// from, such as [catalog.SourceUser]. If any problem is more than a warning, the tool
// is nil. Code is compiled at the first call.
func (r *Runtime) Prepare(spec *catalog.Spec, source string) (*Tool, catalog.Problems) {
	posture, safety, problems := r.Resolve(spec, source)
	if problems.Err() != nil {
		return nil, problems
	}
	t := &Tool{runtime: r, spec: spec, posture: posture, safety: safety, level: risk.PostureLevel(posture)}
	resolved, unset := spec.ResolveStaticVariables(r.config.Lookup)
	t.variables, t.secrets, t.unset = resolved.Variables, resolved.Secrets, unset
	enforced, err := json.Marshal(safety)
	if err != nil {
		return nil, append(problems, catalog.Problem{Message: err.Error()})
	}
	t.about = governed.About{
		Source: risk.Library, Name: spec.Name(), Hash: t.Hash(), Level: t.level, Approval: spec.HumanInTheLoop(),
		Standing: t.level.String() + ", " + posture.String(),
		ID:       spec.ToolID(), Category: safety.Category.ID, Safety: enforced, Content: spec.Hash().String(),
	}
	if len(t.secrets) > 0 {
		t.about.Secrets = egress.NewMasker(t.secrets)
	}
	return t, problems
}
