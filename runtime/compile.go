package runtime

import (
	"context"
	"errors"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
)

// Compile is [CheckCode] with the engine of the runtime.
func (r *Runtime) Compile(ctx context.Context, s *catalog.Spec) catalog.Problems {
	return CheckCode(ctx, r.engine, s)
}

// CheckCode compiles a spec's code without running it. It returns why the code does not
// compile, and the uses of a response's body that cannot work.
func CheckCode(ctx context.Context, engine *jsengine.Engine, s *catalog.Spec) (found catalog.Problems) {
	if len(s.Code()) > catalog.MaxCodeBytes {
		return nil // Parse says so
	}
	for _, at := range jsengine.Unserved(s.Code()) {
		found = append(found, s.UsedAsBoth(catalog.InCode(at))...)
	}
	_, err := engine.Image(ctx, jsengine.Program{File: s.Name() + ".js", Body: s.Code(), Names: s.BoundNames()})
	var failure *jsengine.Failure
	if errors.As(err, &failure) {
		switch failure.Kind {
		case jsengine.CodeTooLarge:
			return s.TooLargeToCompile(failure.Message)
		case jsengine.SyntaxError:
			return append(found, s.NotJavaScript(catalog.InCode(failure.Place), failure.Message)...)
		}
	}
	return found
}
