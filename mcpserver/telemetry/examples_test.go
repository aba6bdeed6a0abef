package telemetry_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

// TestTheExamplesNameMetricsThatExist: every metric of ours, and every label of it that is
// named beside it, in the dashboard and the alert rules is one that a server has. Whether
// the queries can be parsed is what make observability asks promtool.
func TestTheExamplesNameMetricsThatExist(t *testing.T) {
	all := observed(t)
	named := regexp.MustCompile(`(glovebox_[a-z_]+)(?:\{([^}]*)\})?`)
	label := regexp.MustCompile(`([a-z_]+)=~?\\?"`)
	for _, name := range []string{"dashboard.json", "alerts.yml", "alerts_test.yml"} {
		text, err := os.ReadFile("../../examples/observability/" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := named.FindAllStringSubmatch(string(text), -1)
		if len(found) < 10 {
			t.Errorf("%s names %d metrics", name, len(found))
		}
		for _, m := range found {
			family := all[m[1]]
			for _, ending := range []string{"_bucket", "_sum", "_count"} {
				if base, cut := strings.CutSuffix(m[1], ending); cut && all[base].GetType() == dto.MetricType_HISTOGRAM {
					family = all[base]
				}
			}
			if family == nil {
				t.Errorf("%s: there is no %s", name, m[1])
				continue
			}
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				has := slices.ContainsFunc(family.GetMetric()[0].GetLabel(), func(p *dto.LabelPair) bool { return p.GetName() == l[1] })
				if !has && !slices.Contains([]string{"instance", "job", "le"}, l[1]) {
					t.Errorf("%s: %s has no label %s", name, m[1], l[1])
				}
			}
		}
	}
}
