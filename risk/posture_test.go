package risk

import (
	"reflect"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/internal/vectors"
)

type postureInput struct {
	NetworkMode  string   `json:"network_mode"`
	Hosts        []string `json:"hosts"`
	FileRead     *bool    `json:"file_read"`
	FileWrite    *bool    `json:"file_write"`
	Destructive  *bool    `json:"destructive"`
	AddAllow     []string `json:"add_allow"`
	RemoveAllow  []string `json:"remove_allow"`
	AddDeny      []string `json:"add_deny"`
	RemoveDeny   []string `json:"remove_deny"`
	BaselineDeny []string `json:"baseline_deny"`
	BaseAllow    []string `json:"baseline_allow"`
	Level        *Level   `json:"level"`
}

type postureExpect struct {
	Level *Level  `json:"level"`
	Label *string `json:"label"`
}

func checkPosture(t *testing.T, in postureInput, want postureExpect) {
	level := in.level()
	if want.Level == nil && want.Label == nil {
		t.Fatal("the row expects nothing")
	}
	if want.Level != nil && level != *want.Level {
		t.Errorf("level %v, want %v", level, *want.Level)
	}
	if want.Label != nil && level.Label() != *want.Label {
		t.Errorf("label %q, want %q", level.Label(), *want.Label)
	}
}

func (in postureInput) level() Level {
	if in.Level != nil {
		return *in.Level
	}
	overrides := catalog.Overrides{
		AddAllowClasses: in.AddAllow, RemoveAllowClasses: in.RemoveAllow,
		AddDenyClasses: in.AddDeny, RemoveDenyClasses: in.RemoveDeny,
		HostsAllow: in.Hosts, FileRead: in.FileRead, FileWrite: in.FileWrite, Destructive: in.Destructive,
	}
	// A mode that nobody knows is no mode: Parse refuses it, and it reaches nothing.
	if mode, ok := catalog.ParseNetworkMode(in.NetworkMode); ok {
		overrides.NetworkMode = &mode
	}
	baseline := catalog.Baseline{AllowClasses: in.BaseAllow, DenyClasses: in.BaselineDeny}
	return PostureLevel(catalog.Request(overrides, baseline))
}

func TestVectorsPosture(t *testing.T)   { vectors.Run(t, "posture", checkPosture) }
func TestVectorsRiskLevel(t *testing.T) { vectors.Run(t, "risk_level", checkPosture) }

func TestZeroPostureIsL0(t *testing.T) {
	if got := PostureLevel(catalog.Posture{}); got != L0 {
		t.Errorf("a tool that asks for nothing is %v", got)
	}
	if got := PostureLevel(catalog.Posture{Network: 9}); got < L4 {
		t.Errorf("a network mode that nobody knows is %v", got)
	}
}

// Every field of a posture but FSBase, which only narrows, and Hosts, which only
// counts in allowlist mode, must move the level when it is set alone. A field
// added to the struct fails here until it is scored.
func TestEveryFieldOfAPostureIsScored(t *testing.T) {
	unscored := map[string]bool{"FSBase": true, "Hosts": true}
	shape := reflect.TypeFor[catalog.Posture]()
	for i := range shape.NumField() {
		var p catalog.Posture
		f := reflect.ValueOf(&p).Elem().Field(i)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Uint8:
			f.SetUint(uint64(catalog.NetworkStrict))
		case reflect.String:
			f.SetString("x")
		default:
			f.Set(reflect.ValueOf([]string{"x"}))
		}
		if scored := PostureLevel(p) != L0; scored == unscored[shape.Field(i).Name] {
			t.Errorf("%s set alone: level %v", shape.Field(i).Name, PostureLevel(p))
		}
	}
}

// Adding authority never lowers the level.
func TestPostureLevelIsMonotonic(t *testing.T) {
	steps := []func(*catalog.Posture){
		func(p *catalog.Posture) { p.Network, p.Hosts = catalog.NetworkAllowlist, []string{"a.example"} },
		func(p *catalog.Posture) { p.Network, p.Hosts = catalog.NetworkOpen, nil },
		func(p *catalog.Posture) { p.FileRead = true },
		func(p *catalog.Posture) { p.FileWrite = true },
		func(p *catalog.Posture) { p.Destructive = true },
		func(p *catalog.Posture) { p.RemovedDenyClasses = []string{"java.lang.Thread"} },
		func(p *catalog.Posture) { p.AddedAllowClasses = []string{"java.io.File"} },
	}
	for subset := range 1 << len(steps) {
		var p catalog.Posture
		for i, step := range steps {
			if subset>>i&1 == 1 {
				step(&p)
			}
		}
		before := PostureLevel(p)
		for i, step := range steps {
			if subset>>i&1 == 1 || i == 0 && p.Network == catalog.NetworkOpen {
				continue
			}
			wider := p
			step(&wider)
			if after := PostureLevel(wider); after < before {
				t.Errorf("%+v is %v, %+v is %v", p, before, wider, after)
			}
		}
	}
}

func TestClassKinds(t *testing.T) {
	for class, want := range map[string]classKind{
		"java.lang.ProcessBuilder":          classCritical,
		"java.lang.System$Logger":           classCritical,
		"java.lang.Class":                   classReflection,
		"java.lang.ClassLoader":             classOther,
		"java.lang.reflect.*":               classReflection,
		"java.net.URLConnection":            classNetwork,
		"java.io.File":                      classFileRead,
		"java.io.FileDescriptor":            classOther,
		"java.io.FileInputStream":           classFileRead,
		"java.io.FileWriter":                classFileWrite,
		"java.nio.channels.FileChannel":     classFileWrite,
		"java.nio.channels.SocketChannel":   classNetwork,
		"java.util.List":                    classOther,
		"":                                  classOther,
		"org.jsoup.Jsoup":                   classNetwork,
		"com.acme.java.lang.System":         classOther,
		"java.nio.file.Paths":               classFileRead,
		"java.lang.invoke.MethodHandles":    classReflection,
		"java.io.RandomAccessFile":          classFileWrite,
		"java.net.HttpURLConnection$Anyone": classNetwork,
	} {
		if got := classKindOf(class); got != want {
			t.Errorf("%q: kind %d, want %d", class, got, want)
		}
	}
}
