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

// TestTheLevelIsThatOfTheWorstPart: each part says what it lets a tool do, and its level.
func TestTheLevelIsThatOfTheWorstPart(t *testing.T) {
	hosts := []string{"a.example", "b.example", "c.example", "d.example", "e.example", "f.example", "g.example", "h.example"}
	for _, row := range []struct {
		posture catalog.Posture
		part    int
		says    string
		level   Level
	}{
		{catalog.Posture{}, 0, "reaches no network", L0},
		{catalog.Posture{Network: catalog.NetworkAllowlist, Hosts: hosts}, 0, "sends requests to a.example, b.example, c.example, d.example, e.example, f.example and 2 more and nowhere else", L3},
		{catalog.Posture{Network: catalog.NetworkStrict}, 0, "sends requests to any public host", L3},
		{catalog.Posture{Network: catalog.NetworkOpen}, 0, "sends requests to any host, private networks included", L4},
		{catalog.Posture{FileRead: true, FSBase: "/data"}, 1, "reads files below /data", L3},
		{catalog.Posture{FileWrite: true}, 2, "writes files of the workspace", L4},
		{catalog.Posture{FileWrite: true, Destructive: true}, 3, "moves and deletes files of the workspace", L5},
		{catalog.Posture{RemovedDenyClasses: []string{"java.lang.System"}}, 4, "puts classes off the list of denied ones: java.lang.System", L5},
		{catalog.Posture{AddedAllowClasses: []string{"x.Y"}}, 5, "puts classes on the list of allowed ones: x.Y", L3},
	} {
		signals := PostureSignals(row.posture)
		if got := signals[row.part]; got.Says != row.says || got.Level != row.level || PostureLevel(row.posture) != row.level {
			t.Errorf("%+v is told as %+v and is %v", row.posture, got, PostureLevel(row.posture))
		}
		for i, s := range signals {
			if i != row.part && s.Level != L0 && !(i == 2 && row.posture.Destructive) {
				t.Errorf("%+v: %s is %v", row.posture, s.Name, s.Level)
			}
		}
	}
}
