package check

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const chartDir = "../helm"

// load reads the chart without the chart of NATS, which is not vendored.
func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// render returns the manifests of the chart, in the order of their files.
func render(t *testing.T, set map[string]any) ([]byte, error) {
	t.Helper()
	c := load(t)
	values, err := chartutil.ToRenderValues(c, set, chartutil.ReleaseOptions{Name: "glovebox", Namespace: "glovebox", IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, values)
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for _, name := range slices.Sorted(maps(files)) {
		for _, text := range strings.Split(files[name], "\n---\n") {
			if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(text) != "" {
				all.WriteString("---\n" + strings.TrimSpace(text) + "\n")
			}
		}
	}
	return all.Bytes(), nil
}

func maps(files map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}
}

// objects are the manifests, decoded into the types of Kubernetes.
type objects struct {
	gateways apps.StatefulSet
	config   core.ConfigMap
	services []core.Service
	budget   policy.PodDisruptionBudget
	network  networking.NetworkPolicy
	others   []string // kinds that no type is known of here
}

// decode refuses a field that a type does not have.
func decode(t *testing.T, text []byte) (all objects) {
	t.Helper()
	for _, document := range strings.Split(string(text), "---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			t.Fatal(err)
		}
		var into any
		switch kind.APIVersion + " " + kind.Kind {
		case "apps/v1 StatefulSet":
			into = &all.gateways
		case "v1 ConfigMap":
			into = &all.config
		case "v1 Service":
			all.services = append(all.services, core.Service{})
			into = &all.services[len(all.services)-1]
		case "policy/v1 PodDisruptionBudget":
			into = &all.budget
		case "networking.k8s.io/v1 NetworkPolicy":
			into = &all.network
		default:
			all.others = append(all.others, kind.Kind)
			continue
		}
		if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
	}
	return all
}

func TestTheChartIsClean(t *testing.T) {
	linter := lint.All(chartDir, nil, "glovebox", true)
	for _, m := range linter.Messages {
		// The chart of NATS is fetched by helm dependency build.
		if m.Severity > support.InfoSev && !strings.Contains(m.Err.Error(), "chart directory is missing these dependencies: nats") {
			t.Errorf("%s: %v", m.Path, m.Err)
		}
	}
}

// TestRenderedFiles: what the chart makes of its own values is what the kustomization has.
func TestRenderedFiles(t *testing.T) {
	for name, set := range map[string]map[string]any{
		"../kubernetes/glovebox.yaml": nil,
		"testdata/five.yaml": {"replicas": 5, "serviceMonitor": map[string]any{"enabled": true}, "store": map[string]any{"class": "fast"},
			"networkPolicy": map[string]any{"from": []any{map[string]any{"podSelector": map[string]any{}}}},
			"config":        map[string]any{"hosts": []any{"tools.example.com"}, "limits": map[string]any{"linger": "30s", "drain": "60s"}}},
	} {
		got, err := render(t, set)
		if err != nil {
			t.Fatal(err)
		}
		if name == "../kubernetes/glovebox.yaml" {
			got = append([]byte("# Made from ../helm by go test ../check -update.\n"), got...)
		}
		if *update {
			os.MkdirAll(filepath.Dir(name), 0o755)
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the chart renders (%v); go test -update rewrites it", name, err)
		}
		all := decode(t, got)
		holds(t, all)
		if name == "testdata/five.yaml" && (!slices.Equal(all.others, []string{"ServiceMonitor"}) || *all.gateways.Spec.Replicas != 5 || *all.gateways.Spec.Template.Spec.TerminationGracePeriodSeconds != 100) {
			t.Errorf("%v, %d replicas, %d s", all.others, *all.gateways.Spec.Replicas, *all.gateways.Spec.Template.Spec.TerminationGracePeriodSeconds)
		}
	}
}

// holds checks what must not get lost.
func holds(t *testing.T, all objects) {
	t.Helper()
	pod := all.gateways.Spec.Template
	c := pod.Spec.Containers[0]
	for what, ok := range map[string]bool{
		"three replicas":              *all.gateways.Spec.Replicas >= 3,
		"selector matches":            subset(all.gateways.Spec.Selector.MatchLabels, pod.Labels),
		"budget matches":              subset(all.budget.Spec.Selector.MatchLabels, pod.Labels),
		"budget leaves a majority":    all.budget.Spec.MaxUnavailable.IntValue() == 1,
		"network policy matches":      subset(all.network.Spec.PodSelector.MatchLabels, pod.Labels),
		"both directions":             len(all.network.Spec.PolicyTypes) == 2,
		"two services":                len(all.services) == 2,
		"the service of the replicas": all.gateways.Spec.ServiceName == all.services[1].Name && all.services[1].Spec.ClusterIP == core.ClusterIPNone,
		"startup":                     c.StartupProbe.HTTPGet.Path == "/healthz",
		"readiness":                   c.ReadinessProbe.HTTPGet.Path == "/readyz" && c.ReadinessProbe.TimeoutSeconds > 5,
		"liveness":                    c.LivenessProbe.HTTPGet.Path == "/healthz",
		"not root":                    *pod.Spec.SecurityContext.RunAsNonRoot && *pod.Spec.SecurityContext.RunAsUser != 0,
		"seccomp":                     pod.Spec.SecurityContext.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault,
		"no privilege":                !*c.SecurityContext.AllowPrivilegeEscalation && c.SecurityContext.Privileged == nil && *c.SecurityContext.ReadOnlyRootFilesystem,
		"no capability":               slices.Equal(c.SecurityContext.Capabilities.Drop, []core.Capability{"ALL"}) && len(c.SecurityContext.Capabilities.Add) == 0,
		"no account":                  !*pod.Spec.AutomountServiceAccountToken,
		"memory":                      !c.Resources.Limits.Memory().IsZero() && c.Resources.Requests.Memory().Cmp(*c.Resources.Limits.Memory()) == 0,
		"spread":                      len(pod.Spec.TopologySpreadConstraints) == 1 && subset(pod.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels, pod.Labels),
		"the record stays":            len(all.gateways.Spec.VolumeClaimTemplates) == 1,
	} {
		if !ok {
			t.Errorf("%s: no", what)
		}
	}
	for _, s := range all.services {
		if !subset(s.Spec.Selector, pod.Labels) || s.Spec.Ports[0].TargetPort.StrVal != c.Ports[0].Name {
			t.Errorf("service %s reaches nothing", s.Name)
		}
	}
	var dns, nats bool
	for _, out := range all.network.Spec.Egress {
		for _, p := range out.Ports {
			dns = dns || p.Port.IntValue() == 53
			nats = nats || p.Port.IntValue() == 4222
		}
	}
	if !dns || !nats {
		t.Error("the network policy keeps DNS or NATS away")
	}
	mounted := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		mounted[v.Name] = true
	}
	mounted[all.gateways.Spec.VolumeClaimTemplates[0].Name] = true
	for _, m := range c.VolumeMounts {
		if !mounted[m.Name] {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	linger, drain := limits(t, []byte(all.config.Data["config.yaml"]))
	grace := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	if grace < linger+drain+5*time.Second {
		t.Errorf("the grace period of %v is shorter than linger %v and drain %v", grace, linger, drain)
	}
	// Taken out within half of the lingering.
	if period := time.Duration(c.ReadinessProbe.PeriodSeconds*c.ReadinessProbe.FailureThreshold) * time.Second; 2*period > linger/2 {
		t.Errorf("a readiness of %v is too slow for a linger of %v", period, linger)
	}
}

func subset(of, all map[string]string) bool {
	for k, v := range of {
		if all[k] != v {
			return false
		}
	}
	return len(of) > 0
}

// limits are those of a configuration.
func limits(t *testing.T, config []byte) (linger, drain time.Duration) {
	t.Helper()
	var c struct {
		Limits struct{ Linger, Drain string }
	}
	if err := yaml.Unmarshal(config, &c); err != nil {
		t.Fatal(err)
	}
	var err error
	if linger, err = time.ParseDuration(c.Limits.Linger); err == nil {
		drain, err = time.ParseDuration(c.Limits.Drain)
	}
	if err != nil {
		t.Fatal(err)
	}
	return linger, drain
}

// TestValuesThatAreRefused: misspelt and dangerous values do not get past the schema.
func TestValuesThatAreRefused(t *testing.T) {
	for _, set := range []map[string]any{
		{"replica": 3}, {"replicas": 1}, {"natsURL": "nats://user:password@nats:4222"}, {"secret": ""},
		{"config": map[string]any{"listen": "127.0.0.1:1"}}, {"config": map[string]any{"limits": map[string]any{"linger": "1m"}}},
		{"resources": map[string]any{"limits": map[string]any{"memory": nil}}},
	} {
		if _, err := render(t, set); err == nil {
			t.Errorf("%v is taken", set)
		}
	}
}
