package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Tool is a spec that is ready to run: resolved, scored, compiled at first use.
// It is immutable and safe for concurrent use.
type Tool struct {
	runtime *Runtime
	spec    *catalog.Spec
	posture catalog.Posture
	safety  catalog.ToolSafety
	level   risk.Level
	about   governed.About

	// The operator's values for the static variables, and why some have none. They are
	// looked up once: a runtime with other values prepares its tools again.
	variables []catalog.StaticVariable
	secrets   []string
	unset     error

	mu    sync.Mutex // held while the image is built
	image *jsengine.Image
	// broken is why the code cannot be compiled; retrying cannot help.
	broken *jsengine.Failure
}

// Spec returns the document the tool was made from.
func (t *Tool) Spec() *catalog.Spec { return t.spec }

// Of reports whether r prepared the tool.
func (t *Tool) Of(r *Runtime) bool { return t.runtime == r }

// Safety returns what is enforced for the tool.
func (t *Tool) Safety() catalog.ToolSafety { return t.safety }

// Posture returns the authority granted to each call.
func (t *Tool) Posture() catalog.Posture { return t.posture }

// Level returns the risk level of the posture.
func (t *Tool) Level() risk.Level { return t.level }

// Directory returns the directory that file access is confined to, as granted; see
// [host.Directory].
func (t *Tool) Directory() string { return host.Directory(t.posture) }

// Secrets returns the values that the operator gives to calls of this tool.
func (t *Tool) Secrets() []string { return t.secrets }

// About implements [governed.Tool].
func (t *Tool) About() *governed.About { return &t.about }

// Hash identifies this version of the tool in decisions and clearances.
func (t *Tool) Hash() risk.ToolHash { return risk.ToolHash(t.spec.Hash()) }

// Decide makes the decision for a call with these argument bytes, as
// [risk.Decide] does.
func (t *Tool) Decide(v risk.Verdict, reason string, arguments []byte) risk.Decision {
	return risk.Decide(v, reason, t.Hash(), risk.HashArguments(arguments))
}

// compiled returns the tool's image, which the first call builds.
func (t *Tool) compiled(ctx context.Context, operations func() []string) (*jsengine.Image, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.image != nil {
		return t.image, nil
	}
	if t.broken != nil {
		return nil, t.broken
	}
	image, err := t.runtime.engine.Image(ctx, jsengine.Program{
		File: t.spec.Name() + ".js", Body: t.spec.Code(), Names: t.spec.BoundNames(), Operations: operations(),
		Functions: functions(t.runtime.config.Functions.Granted(t.posture)),
	})
	var failure *jsengine.Failure
	if errors.As(err, &failure) && failsAgain(failure.Kind) {
		t.broken = failure
	}
	t.image = image
	return image, err
}

// failsAgain reports whether compiling the same code again must fail the same way.
func failsAgain(kind Kind) bool {
	return kind == SyntaxError || kind == CodeTooLarge || kind == StackLimit
}
