package hostcall

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

func TestJSON(t *testing.T) {
	type args struct {
		N int `json:"n"`
	}
	double := JSON("a.helper", func(_ context.Context, _ *budget.Account, a args) (string, error) {
		if a.N < 0 {
			return "", errors.New("private")
		}
		return "<" + string(rune('a'+a.N)) + ">", nil
	})
	if text, blob, err := double(t.Context(), budgettest.Ample(), []byte(`{"n":1}`), nil); string(text) != `"<b>"` || blob != nil || err != nil {
		t.Errorf("%s %v %v", text, blob, err)
	}
	var refused *Error
	if _, _, err := double(t.Context(), budgettest.Ample(), []byte(`{"n":"x"}`), nil); !errors.As(err, &refused) || refused.Kind != InvalidInput || refused.Helper != "a.helper" {
		t.Errorf("a wrong type: %v", err)
	}
	if _, _, err := double(t.Context(), budgettest.Ample(), []byte(`{"n":-1}`), nil); err == nil || err.Error() != "private" {
		t.Errorf("an error of the host: %v", err)
	}
}

// The object is what the guest makes an Error of, so its members are a contract.
func TestGuestError(t *testing.T) {
	e := Errorf(Security, "safety.fs", "path-escapes-base", "%q is outside", "../x\u2028")
	var got map[string]string
	if err := json.Unmarshal(e.GuestError(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"kind": "SECURITY", "helper": "safety.fs", "reason": "path-escapes-base", "message": "[SECURITY] safety.fs: path-escapes-base: \"../x\\u2028\" is outside"}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

func TestElementsOfRequestsAreReserved(t *testing.T) {
	for text, want := range map[string]int{
		`[]`: 0, `[1,2,3]`: 2, `["a,b","c"]`: 1, `{"a":"\",\"","b":[1,2]}`: 2, `["\\",1]`: 1, `["`: 0, `["a,\`: 0, ``: 0,
	} {
		if got := elements([]byte(text)); got != want {
			t.Errorf("%s has %d elements, want %d", text, got, want)
		}
	}
	list := JSON("test", func(context.Context, *budget.Account, []float64) (int, error) { return 0, nil })
	_, _, err := list(t.Context(), budget.NewAccount(t.Context(), 1<<40, 1<<20), []byte("["+strings.Repeat("1,", 1<<17)+"1]"), nil)
	if !errors.Is(err, budget.ErrMemory) {
		t.Errorf("a list that takes more than there is: %v", err)
	}
}
