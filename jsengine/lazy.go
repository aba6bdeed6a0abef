package jsengine

import (
	"errors"
	"strings"

	"github.com/glovebox-run/glovebox/guest/prelude"
)

// furnish evaluates the prelude files that the code mentions and puts stand-ins
// in the place of the others, which it returns by name.
func (i *instance) furnish(files []prelude.File, code string) (map[string]prelude.File, error) {
	now, later := prelude.Split(files, code)
	if err := i.evaluatePrelude(now); err != nil {
		return nil, err
	}
	waiting := make(map[string]prelude.File, len(later))
	for _, f := range later {
		waiting[f.Name] = f
		placed := i.call(i.realm.later, i.newString([]byte(f.Name)), i.newString([]byte(strings.Join(f.Installs, " "))), i.newString([]byte(strings.Join(f.After, " "))))
		if failure := i.failureOf(placed); failure != nil {
			return nil, failure
		}
	}
	return waiting, nil
}

var errNoFile = errors.New("no such prelude file waits")

// load makes the function of a prelude file that is used for the first time.
// Making it runs nothing of it; core.js calls it when the guest goes on.
func (i *instance) load(name value) value {
	text, ok := i.copyText(name)
	file, waits := i.image.later[string(text)]
	if !ok || !waits {
		i.stop(&Failure{Kind: Internal, Message: "the prelude asked for a file that does not wait", Cause: errNoFile})
	}
	return i.eval(prelude.Parameters+file.Source+prelude.End, "prelude/"+file.Name)
}
