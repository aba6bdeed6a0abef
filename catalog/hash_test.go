package catalog

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
)

// Every published hash of a tool spec, from the reference's own notes.
func TestToolHashMatchesPublishedHashes(t *testing.T) {
	notes, err := os.ReadFile(vectors.Testdata("vectors", "reference-notes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(notes)) {
		var row struct {
			Area, Name string
			Input      struct{ Spec json.RawMessage }
			Expect     struct{ SHA256 string }
		}
		if json.Unmarshal([]byte(line), &row) != nil || row.Area != "hash_ledger" || row.Input.Spec == nil {
			continue
		}
		checked++
		s := mustParse(t, string(row.Input.Spec))
		if got := s.Hash().String(); got != row.Expect.SHA256 {
			t.Errorf("%s: %s, want %s", row.Name, got, row.Expect.SHA256)
		}
		// The name of the row: without the block the hash stays.
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(row.Input.Spec, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "sandboxOverrides")
		bare, _ := json.Marshal(fields)
		if got := mustParse(t, string(bare)).Hash().String(); got != row.Expect.SHA256 {
			t.Errorf("%s without overrides: %s", row.Name, got)
		}
	}
	if checked == 0 {
		t.Error("no row was found")
	}
}

// What the hash covers: each of these alone makes another tool, and the rest
// does not.
func TestWhatTheHashCovers(t *testing.T) {
	param := func(extra string) string { return `"params":[{"name":"a","type":"STRING",` + extra + `}]` }
	base := mustParse(t, with(param(`"required":false`))).Hash()
	for _, member := range []string{
		param(`"required":true,"testValue":"x"`), param(`"required":false,"description":"x"`),
		param(`"required":false`) + `,"description":"x"`, param(`"required":false`) + `,"category":"x"`, param(`"required":false`) + `,"tags":["x"]`,
		param(`"required":false`) + `,"staticVariables":[{"a":"b"}]`, param(`"required":false`) + `,"sandboxOverrides":{"fileRead":false}`,
		param(`"required":false`) + `,"sandboxOverrides":{"destructive":true}`, param(`"required":false`) + `,"sandboxOverrides":{"hostsAllow":["a"]}`,
	} {
		if mustParse(t, with(member)).Hash() == base {
			t.Errorf("%s does not change the hash", member)
		}
	}
	for _, member := range []string{
		param(`"required":false,"testValue":"x"`), param(`"required":false`) + `,"toolId":"x"`, param(`"required":false`) + `,"draft":false`,
		param(`"required":false`) + `,"createTimestamp":1,"updateTimestamp":2`, param(`"required":false`) + `,"humanInTheLoop":{"mode":"REQUIRED"}`,
		param(`"required":false`) + `,"toolSafety":{"version":"1.0"}`, param(`"required":false`) + `,"x-vendor":1`,
	} {
		if mustParse(t, with(member)).Hash() != base {
			t.Errorf("%s changes the hash", member)
		}
	}
	order := func(tags, statics, hosts string) ContentHash {
		return mustParse(t, with(`"tags":[`+tags+`],"staticVariables":[`+statics+`],"sandboxOverrides":{"hostsAllow":[`+hosts+`]}`)).Hash()
	}
	if order(`"a","b"`, `{"k":"2"},{"k":"1"},{"a":"3"}`, `"x","y"`) != order(`"b","a"`, `{"a":"3"},{"k":"1"},{"k":"2"}`, `"y","x"`) {
		t.Error("order changes the hash")
	}
	classes := func(list string) ContentHash {
		return mustParse(t, with(`"sandboxOverrides":{"addAllowClasses":[`+list+`],"removeDenyClasses":[`+list+`],"addDenyClasses":["d","d"]}`)).Hash()
	}
	if classes(`"b","a","b"`) != classes(`"a","b"`) {
		t.Error("a class that is listed twice changes the hash")
	}
}

func TestPins(t *testing.T) {
	s := mustParse(t, minimal)
	pins, err := ParsePins(PinsOf([]*Spec{s, mustParse(t, `{"name":"gone","code":"","codeType":"Javascript"}`)}))
	if err != nil {
		t.Fatal(err)
	}
	if got := pins.Check(s); got != Pristine || !got.Exposed() {
		t.Error(got)
	}
	if got := pins.Check(mustParse(t, with(`"description":"x"`))); got != Tampered || got.Exposed() {
		t.Error(got)
	}
	if got := pins.Check(mustParse(t, `{"name":"mine","code":"","codeType":"Javascript"}`)); got != Unpinned || !got.Exposed() {
		t.Error(got)
	}
	if got := pins.Missing([]*Spec{s}); !reflect.DeepEqual(got, []string{"gone"}) {
		t.Error(got)
	}
	if Integrity(0).Exposed() || Integrity(9).Exposed() {
		t.Error("an unset outcome exposes the tool")
	}
	for _, bad := range []string{``, `{}`, `{"version":2,"tools":{}}`, `{"version":1,"tools":{"a":"00"}}`, `{"version":1,"tools":{"a":"` + strings.Repeat("AB", 32) + `"}}`} {
		if _, err := ParsePins([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestTheWireShowsThreeFields(t *testing.T) {
	// Every string in the document but those of the three fields is a canary.
	const text = `{"toolId":"CANARY","name":"t","description":"d <b>","category":"CANARY","tags":["CANARY"],
		"params":[{"name":"z","type":"INTEGER","required":true,"testValue":"7331","description":"zd"},{"name":"a\"","type":"ARRAY","required":false,"testValue":"[\"CANARY\"]"},{"name":"m","type":"STRING","required":true,"testValue":"CANARY"}],
		"staticVariables":[{"CANARY":"CANARY ${CANARY}"}],"code":"CANARY","codeType":"Javascript",
		"sandboxOverrides":{"addAllowClasses":["CANARY"],"removeAllowClasses":["CANARY"],"removeDenyClasses":["CANARY"],"networkMode":"open","hostsAllow":["CANARY"],"fsBasePath":"CANARY"},
		"toolSafety":{"version":"CANARY","runtime":{"id":"CANARY","minVersion":"CANARY","ecmaVersion":"CANARY"},"category":{"source":"CANARY","id":"CANARY"}},
		"humanInTheLoop":{"mode":"REQUIRED","promptTemplate":"CANARY"},"draft":false,"createTimestamp":7331,"updateTimestamp":7331,"x-CANARY":"CANARY"}`
	s := mustParse(t, text)
	// encode, as a server would with HTML escapes off.
	const want = `{"name":"t","description":"d <b>","inputSchema":{"type":"object","properties":{"z":{"type":"integer","description":"zd"},"a\"":{"type":"array"},"m":{"type":"string"}},"required":["z","m"]}}`
	if got := string(encode(s.Entry())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(encode(mustParse(t, minimal).Entry())); got != `{"name":"t","description":"","inputSchema":{"type":"object","properties":{}}}` {
		t.Error(got)
	}
	if n := reflect.TypeFor[ToolEntry]().NumField(); n != 3 {
		t.Errorf("an entry has %d fields", n)
	}
}

// The outcomes by the names that the reference gives them.
func TestIntegrityOutcomesMatchTheNotes(t *testing.T) {
	notes, err := os.ReadFile(vectors.Testdata("vectors", "reference-notes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(notes)) {
		var row struct {
			Area, Name string
			Input      struct {
				Pinned *string `json:"pinned_hash"`
				Actual string  `json:"actual_hash"`
			}
			Expect struct {
				Outcome string
				Exposed bool
			}
		}
		if json.Unmarshal([]byte(line), &row) != nil || row.Area != "integrity" {
			continue
		}
		checked++
		hash := func(name string) ContentHash { return mustParse(t, with(`"description":"`+name+`"`)).Hash() }
		pins := Pins{}
		if row.Input.Pinned != nil {
			pins["t"] = hash(*row.Input.Pinned)
		}
		got := pins.Check(mustParse(t, with(`"description":"`+row.Input.Actual+`"`)))
		if got.String() != row.Expect.Outcome || got.Exposed() != row.Expect.Exposed {
			t.Errorf("%s: %v, want %+v", row.Name, got, row.Expect)
		}
	}
	if checked == 0 {
		t.Error("no row was found")
	}
}
