package jsengine

import (
	"errors"
	"strings"

	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// furnish evaluates the prelude files that the code mentions and installs
// stand-ins for the others, which it returns by name. Files of the base image are
// there already.
func (i *instance) furnish(files []prelude.File, code string, base map[string]prelude.File) (map[string]prelude.File, error) {
	now, later := prelude.Split(files, code)
	for _, f := range now {
		if _, stands := base[f.Name]; stands {
			if failure := i.failureOf(i.call(i.realm.arrived, i.newString([]byte(f.Name)))); failure != nil {
				return nil, failure
			}
		}
	}
	if err := i.evaluatePrelude(now); err != nil {
		return nil, err
	}
	return i.wait(base, later)
}

// wait installs stand-ins for files, unless the base has them, and returns all
// that are waiting.
func (i *instance) wait(base map[string]prelude.File, later []prelude.File) (map[string]prelude.File, error) {
	waiting := make(map[string]prelude.File, len(later))
	for _, f := range later {
		waiting[f.Name] = f
		if _, stands := base[f.Name]; stands {
			continue
		}
		placed := i.call(i.realm.later, i.newString([]byte(f.Name)), i.newString([]byte(strings.Join(f.Installs, " "))), i.newString([]byte(strings.Join(f.After, " "))))
		if failure := i.failureOf(placed); failure != nil {
			return nil, failure
		}
	}
	return waiting, nil
}

var errNoFile = errors.New("no such prelude file waits")

// load makes the function of a prelude file on its first use. This runs nothing of
// the file; core.js calls the function when the guest goes on.
func (i *instance) load(name jsvalue.Value) jsvalue.Value {
	text, ok := i.copyText(name)
	file, waits := i.image.later[string(text)]
	if !ok || !waits {
		i.stop(&Failure{Kind: Internal, Message: "the prelude asked for a file that does not wait", Cause: errNoFile})
	}
	return i.eval(prelude.Parameters+file.Source+prelude.End, "prelude/"+file.Name)
}
