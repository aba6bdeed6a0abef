package runtime

import (
	"context"
	"errors"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
)

// Compile compiles a spec's code without running it, and returns why it does not compile.
func (r *Runtime) Compile(ctx context.Context, s *catalog.Spec) catalog.Problems {
	if len(s.Code()) > catalog.MaxCodeBytes {
		return nil // Parse says so
	}
	_, err := r.engine.Image(ctx, jsengine.Program{File: s.Name() + ".js", Body: s.Code(), Names: s.BoundNames()})
	var failure *jsengine.Failure
	if errors.As(err, &failure) {
		switch failure.Kind {
		case jsengine.CodeTooLarge:
			return s.TooLargeToCompile(failure.Message)
		case jsengine.SyntaxError:
			return s.NotJavaScript(catalog.InCode(failure.Place), failure.Message)
		}
	}
	return nil
}
