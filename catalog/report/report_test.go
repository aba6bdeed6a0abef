package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
)

// All layers speak at once, in the order of the text, each about its own place.
func TestEveryLayerAtOnce(t *testing.T) {
	const text = `{
  "name": "t", "description": 7,
  "params": [{"name":"a","type":"STRING","required":false,"description":"x"},{"name":"a","type":"STRING","required":false,"description":"y"}],
  "tags": ["secret"],
  "sandboxOverrides": {"addAllowClasses": ["java.lang.System"]},
  "toolSafety": {"version": "2.0"},
  "code": "x"
}`
	r := Check([]Input{{"f.json", []byte(text)}}, catalog.DefaultBaseline(), catalog.NoCeiling(), nil, nil)
	var out strings.Builder
	if err := r.Text(&out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		place, rest, _ := strings.Cut(line, ": ")
		got = append(got, place+" "+strings.SplitN(rest, ":", 2)[0]+" "+rest[strings.LastIndexByte(rest, '['):len(rest)-1])
	}
	want := []string{
		"f.json:1:1 error SPEC_PARSE [field-missing]",
		"f.json:1:1 warning [category-missing]",
		"f.json:2:31 error SPEC_PARSE [field-type]",
		"f.json:3:86 error SPEC_INVARIANT [param-duplicate]",
		"f.json:4:12 warning [tags-vocabulary]",
		"f.json:4:12 warning [tags-capability]",
		"f.json:5:23 error RESOLVER_REJECT [class-overlap]",
		"f.json:6:29 error RESOLVER_REJECT [version-unavailable]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Errors != 5 || r.Warnings != 3 || len(r.Files[0].Specs) != 0 {
		t.Errorf("%d errors, %d warnings", r.Errors, r.Warnings)
	}
}

func TestFilesAreComparedAndBundlesOpened(t *testing.T) {
	spec := `{"name":"one","description":"d","category":"TEXT","draft":false,"code":"return 1","codeType":"Javascript"}`
	bundle := "{\"toolSpecs\":[\n" + spec + ",\n" + `{"name":"Two","code":"return 1","codeType":"Javascript"}` + "],\"more\":1}"
	r := Check([]Input{{"a.json", []byte(spec)}, {"b.json", []byte(bundle)}}, catalog.DefaultBaseline(), catalog.NoCeiling(), nil, nil)
	if r.Errors != 2 || len(r.Files) != 2 || len(r.Files[1].Specs) != 2 || len(r.Files[1].Ignored) != 1 {
		t.Fatalf("%+v", r)
	}
	first := r.Files[1].Problems[0]
	if first.Rule != "name-duplicate" || first.Pointer != "/toolSpecs/0/name" || first.Line != 2 || !strings.Contains(first.Message, "a.json") {
		t.Errorf("%+v", first)
	}
	for _, p := range r.Files[1].Problems[1:] {
		if p.Line != 3 || !strings.HasPrefix(p.Pointer, "/toolSpecs/1/") {
			t.Errorf("%+v", p)
		}
	}
	var out strings.Builder
	if err := r.JSON(&out); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back.Errors != 2 || back.Files[1].Specs[0].ToolID != catalog.DeriveToolID("one") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// The parts of SARIF 2.1.0 that its readers refuse a file without.
func TestSARIF(t *testing.T) {
	r := Check([]Input{{"dir/f.json", []byte("{\"name\":\"t\",\n\"code\":1}")}}, catalog.DefaultBaseline(), catalog.NoCeiling(), nil, nil)
	var out strings.Builder
	if err := r.SARIF(&out, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out.String()), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.Tool.Driver.Name != "glovebox" || run.Tool.Driver.Version != "1.2.3" || run.ColumnKind != "unicodeCodePoints" {
		t.Errorf("%+v", log)
	}
	if want := len(catalog.Rules()) + len(lint.Rules()); len(run.Tool.Driver.Rules) != want {
		t.Errorf("%d rules, want %d", len(run.Tool.Driver.Rules), want)
	}
	if len(run.Results) != r.Errors+r.Warnings || r.Errors == 0 || r.Warnings == 0 {
		t.Errorf("%d results", len(run.Results))
	}
	for _, found := range run.Results {
		if rule := run.Tool.Driver.Rules[found.RuleIndex]; rule.ID != found.RuleID || rule.ShortDescription.Text == "" || found.Message.Text == "" {
			t.Errorf("%+v", found)
		}
		at := found.Locations[0]
		if at.PhysicalLocation.ArtifactLocation.URI != "dir/f.json" || at.PhysicalLocation.Region.StartLine < 1 {
			t.Errorf("%+v", found)
		}
		if found.RuleID == "field-type" && (found.Level != "error" || at.PhysicalLocation.Region.StartLine != 2 || at.PhysicalLocation.Region.StartColumn != 8 || at.LogicalLocations[0].FullyQualifiedName != "/code") {
			t.Errorf("%+v", found)
		}
	}
}
