package config

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

var update = flag.Bool("update", false, "rewrite docs and golden files")

func parsed(t *testing.T, text string) *Loaded {
	t.Helper()
	l, err := Sources{File: "/etc/glovebox/config.yaml", Home: "/home/op"}.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return l
}

// leaves returns the addresses of all fields that are not structs.
func leaves(v reflect.Value, path string, into map[any]string) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			leaves(v.Field(i), path+"."+v.Type().Field(i).Name, into)
		}
		return
	}
	into[v.Addr().Interface()] = path
}

// TestEveryFieldHasOneKey walks the struct: a field without a key could not be
// set, a key without a field would do nothing.
func TestEveryFieldHasOneKey(t *testing.T) {
	var c Config
	fields := map[any]string{}
	leaves(reflect.ValueOf(&c).Elem(), "Config", fields)
	paths, envs, flags := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, k := range Keys {
		at := k.field(&c)
		if fields[at] == "" {
			t.Errorf("%s has no field, or one that another key has", k.Path)
		}
		delete(fields, at)
		if paths[k.Path] || envs[k.Env()] || k.Flag != "" && flags[k.Flag] {
			t.Errorf("%s is there twice, by its name, variable or flag", k.Path)
		}
		paths[k.Path], envs[k.Env()], flags[k.Flag] = true, true, true
		if !strings.HasSuffix(k.Doc, ".") || k.Usage() == "" {
			t.Errorf("%s is explained by %q", k.Path, k.Doc)
		}
		if k.group() != strings.TrimSuffix(k.Path, lastStep(k.Path)) && k.group()+"." != strings.TrimSuffix(k.Path, lastStep(k.Path)) {
			t.Errorf("%s has no group of its own: %q", k.Path, k.group())
		}
	}
	for at, path := range fields {
		if at != any(&c.Notices) && at != any(&c.Upstreams) && at != any(&c.Compositions) && at != any(&c.Gateway.Clients) { // see TestEveryFieldOfAMemberHasOneSetting
			t.Errorf("%s has no key", path)
		}
	}
}

func lastStep(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// samples returns three values of a key that differ from the default and from each
// other, in the syntax of the file.
func samples(k Key) [3]string {
	var c Config
	if k.Path == "specs.preset" {
		return [3]string{"dev-essentials", "starter", "everything"}
	}
	if k.Path == "specs.pass_keys" {
		const one, two = "glovebox-passes+9f59eae2+ARQjeoeGkimqFV3X86mukmhcfOaFCC7KqzSyBhq8nxnl", "glovebox-passes+9a45b5dd+ARyqeynux3708PaqWsrTzM41vOyH96n8cB39GfaTfZaU"
		return [3]string{"[" + one + "]", "[" + one + ", " + two + "]", "[]"}
	}
	if k.Path == "oauth.issuer" || k.Path == "console.sign_in.issuer" {
		return [3]string{"https://one.example", "https://two.example/realm", "http://localhost:3"}
	}
	if k.Path == "listen" {
		return [3]string{"127.0.0.1:1", "localhost:2", "127.0.0.2:3"}
	}
	if k.Path == "tls.names" {
		return [3]string{"[one.example]", "[one.example, two.example]", "[]"}
	}
	if k.Path == "tls.directory" {
		return [3]string{"https://one.example/a", "https://two.example/b", "https://three.example:8443/"}
	}
	if k.Path == "console.listen" {
		return [3]string{"127.0.0.1:1", "localhost:2", "127.0.0.2:3"}
	}
	if k.Path == "console.url" {
		return [3]string{"https://one.example", "https://two.example:8443", "https://three.example/"}
	}
	if strings.HasSuffix(k.Path, "network") {
		return [3]string{"allowlist", "strict", map[bool]string{true: "blocked", false: "open"}[strings.Contains(k.Path, "ceiling")]}
	}
	switch f := k.field(&c).(type) {
	case *bool:
		def := Default()
		other := fmt.Sprint(!*k.field(&def).(*bool))
		return [3]string{other, other, other}
	case *slog.Level:
		return [3]string{"error", "info", "debug"}
	case *float64:
		return [3]string{"2.5", "3", "-1"}
	case *int, *uint64:
		if k.Max > 0 {
			return [3]string{"2", "3", "4"}
		}
		return [3]string{"2001", "2002", "2003"}
	case *Size:
		return [3]string{"17MiB", "18MiB", "19000000"}
	case *time.Duration:
		if k.Max > 0 {
			return [3]string{"17s", "2m", "1m30s"}
		}
		return [3]string{"17s", "18m", "1h30m"}
	case *risk.Level:
		return [3]string{"L1", "L2", "L4"}
	case *[]string:
		return [3]string{"[one.example]", "[two.example, three.example]", "[]"}
	case *[]Path:
		return [3]string{"[/one]", "[/two, /three]", "[]"}
	case *map[string]string:
		return [3]string{"{a: " + k.Choices[2] + "}", "{b: " + k.Choices[0] + ", c: " + k.Choices[1] + "}", "{}"}
	case *map[string]risk.Treatment:
		return [3]string{"{a: ask}", "{b: trust, c: refuse}", "{}"}
	case *Path:
		return [3]string{"/one", "/two", "/three"}
	case *string:
		if k.Path == "state.nats.url" {
			return [3]string{"nats://one.example:4222", "nats://two.example:4222", "tls://three.example:4222"}
		}
		if k.Path == "telemetry.endpoint" {
			return [3]string{"http://one.example:4318", "http://two.example:4318", "https://three.example"}
		}
		if k.Choices != nil {
			return [3]string{k.Choices[0], k.Choices[1], k.Choices[len(k.Choices)-1]}
		}
		return [3]string{"one", "two", "three"}
	default:
		panic(fmt.Sprintf("%T", f))
	}
}

// inFile formats one key as in the file.
func inFile(k Key, value string) string {
	var b strings.Builder
	steps := strings.Split(k.Path, ".")
	for i, step := range steps {
		fmt.Fprintf(&b, "%s%s:", indent(i), step)
		if i == len(steps)-1 {
			b.WriteString(" " + value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// typedValues splits a sample as it is typed after a flag, once for each item.
func typedValues(sample string) []string {
	if items, ok := strings.CutPrefix(sample, "["); ok {
		if items = strings.TrimSuffix(items, "]"); items == "" {
			return nil
		}
		return strings.Split(items, ", ")
	}
	return []string{sample}
}

// TestPrecedence sets every key in the file, the environment and a flag, in all
// combinations: the flag overrides the environment, that the file, and that the
// default.
func TestPrecedence(t *testing.T) {
	for _, k := range Keys {
		values := samples(k)
		for mask := range 8 {
			inText, inEnv, byFlag := mask&1 != 0, mask&2 != 0, mask&4 != 0 && k.Flag != ""
			if k.Path == "policy.tools" {
				byFlag = false
			}
			s := Sources{Flags: map[string][]string{}, Lookup: func(string) (string, bool) { return "", false }}
			text := ""
			def := Default()
			want, origin := k.Show(&def), FromDefault
			if inText {
				text, want, origin = inFile(k, values[0]), values[0], FromFile
			}
			if inEnv {
				s.Lookup = func(name string) (string, bool) { return values[1], name == k.Env() }
				want, origin = values[1], FromEnvironment
			}
			if byFlag {
				s.Flags[k.Path] = typedValues(values[2])
				want, origin = values[2], FromFlag
			}
			l, err := s.Parse([]byte(text))
			if err != nil {
				t.Errorf("%s, %03b: %v", k.Path, mask, err)
				continue
			}
			var expected Config
			r := &reading{config: &expected, at: map[string]position{}}
			r.text(k, want)
			if got := k.Show(&l.Config); got != k.Show(&expected) && got != want || l.Origins[k.Path] != origin {
				t.Errorf("%s, %03b: %s of the %s, want %s of the %s", k.Path, mask, got, l.Origins[k.Path], want, origin)
			}
			// No other key has changed.
			for _, other := range Keys {
				if other.Path != k.Path && (other.Show(&l.Config) != other.Show(&def) || l.Origins[other.Path] != FromDefault) {
					t.Errorf("setting %s changed %s", k.Path, other.Path)
				}
			}
		}
	}
}

// TestShownIsRead: the output of Show can be read back.
func TestShownIsRead(t *testing.T) {
	for _, text := range []string{"true", "5", "a b", "\u00e9", "-", "null", "x:", "1.2.3.4", "", "*", "#", "a: b", "a #b", "@", "127.0.0.1:8282", "0x10", "1e3", "~", "\"", "\\", "'", "...", "[", "x]", "yes", "12:30:45", "2001-01-01"} {
		l, err := Sources{}.Parse([]byte("audit: {file: " + word(text) + "}"))
		if err != nil || string(l.Audit.File) != text {
			t.Errorf("%q is shown as %s and read as %v, %v", text, word(text), l, err)
		}
	}
	for _, k := range Keys {
		for _, value := range samples(k) {
			c := parsed(t, inFile(k, value)).Config
			if again := parsed(t, inFile(k, k.Show(&c))).Config; !reflect.DeepEqual(c, again) {
				t.Errorf("%s: %s is shown as %s", k.Path, value, k.Show(&c))
			}
		}
	}
}

func TestPaths(t *testing.T) {
	l, err := Sources{
		File: "/etc/glovebox/config.yaml", Home: "/home/op",
		Lookup: func(name string) (string, bool) { return "rel/e,~/e", name == "GLOVEBOX_WORLD_READ_ROOTS" },
		Flags:  map[string][]string{"world.workspace": {"rel/w"}},
	}.Parse([]byte("specs: {folders: [a, ../b, /c, ~/d, ~x], bundle: \"\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Path{"/etc/glovebox/a", "/etc/b", "/c", "/home/op/d", "/etc/glovebox/~x"}
	if !reflect.DeepEqual(l.Specs.Folders, want) || l.Specs.Bundle != "" {
		t.Errorf("folders %q, bundle %q", l.Specs.Folders, l.Specs.Bundle)
	}
	if !reflect.DeepEqual(l.World.ReadRoots, []Path{"rel/e", "/home/op/e"}) || l.World.Workspace != "rel/w" {
		t.Errorf("environment %q, flag %q", l.World.ReadRoots, l.World.Workspace)
	}
	if _, err := (Sources{}).Parse([]byte("audit: {file: ~/x}")); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
		t.Errorf("no home: %v", err)
	}
}

// golden compares with a file, or updates it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not up to date; run with -update:\n%s", name, diff)
	}
}

// TestIdleSettings: a setting without effect is reported until the one it depends
// on is set.
func TestIdleSettings(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "[]",
		"state: {nats: {url: 'nats://a:1'}}":   "[]",
		"oauth: {scopes: [L4=danger]}":         "[[oauth.scopes oauth.issuer]]",
		"state: {nats: {replicas: 3, key: k}}": "[[state.nats.key state.nats.url] [state.nats.replicas state.nats.url]]",
	} {
		l, err := Sources{}.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(l.Idle()); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestPassKeys: a private key that was copied instead of the public one is not shown.
func TestPassKeys(t *testing.T) {
	for _, text := range []string{"mine", "PRIVATE+KEY+glovebox-passes+secret"} {
		_, err := Sources{}.Parse([]byte("specs: {pass_keys: [" + text + "]}"))
		if err == nil || !strings.Contains(err.Error(), "CFG07: specs.pass_keys: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGuarding: defaults for settings about access tokens that are left out, and a
// cache that is off.
func TestGuarding(t *testing.T) {
	o := Default().OAuth
	o.Issuer, o.Scopes = "https://issuer.example", []string{"mail_*=mail:send", "L4=danger"}
	c, err := o.Guarding("http://127.0.0.1:1/mcp")
	if err != nil || c.Resource != "http://127.0.0.1:1/mcp" || c.Cache != 15*time.Second || len(c.Scopes) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	o.Cache, o.Resource = 0, "https://tools.example/mcp"
	// Zero would mean the default in oauth.Config.
	if c, err = o.Guarding("http://127.0.0.1:1/mcp"); err != nil || c.Cache >= 0 || c.Resource != o.Resource {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestProblems reads every file of testdata/bad and compares the whole list of
// problems.
func TestProblems(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	codes := map[Code]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Sources{File: filepath.Base(name)}.Parse(text)
		problems, _ := err.(Problems)
		if len(problems) == 0 {
			t.Errorf("%s: no problems: %v", name, err)
			continue
		}
		for _, p := range problems {
			codes[p.Code] = true
			if p.Message == "" || p.Fix == "" || p.Line < 1 || p.Column < 1 {
				t.Errorf("%s: %+v", name, p)
			}
		}
		golden(t, strings.TrimSuffix(name, ".yaml")+".txt", []byte(problems.Error()+"\n"))
	}
	for _, c := range []Code{Syntax, Unwanted, Duplicate, Unknown, WrongType, BadValue, Conflict, SecretText} {
		if !codes[c] {
			t.Errorf("no file has a problem of code %s", c)
		}
	}
}

func TestASecretIsNotRepeated(t *testing.T) {
	for _, text := range []string{"token: geheim", "token: {value: geheim}", "token: [geheim]", "token: {file: {x: geheim}}"} {
		if _, err := (Sources{}).Parse([]byte(text)); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOutsideOfTheFile(t *testing.T) {
	_, err := Sources{
		Lookup: func(name string) (string, bool) { return "soon", name == "GLOVEBOX_LIMITS_TIMEOUT" },
		Flags:  map[string][]string{"policy.ceiling": {"L9"}},
	}.Parse(nil)
	want := "GLOVEBOX_LIMITS_TIMEOUT: CFG07: limits.timeout: \"soon\" is no duration; write a duration such as 30s or 5m\n" +
		"--ceiling: CFG07: policy.ceiling: \"L9\" is no level; write L0, L1, L2, L3, L4, L5 or none"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	// The environment contradicts the file: the problem names the setting in the file.
	_, err = Sources{File: "f", Lookup: func(name string) (string, bool) { return "0.0.0.0:1", name == "GLOVEBOX_LISTEN" }}.Parse([]byte("token: {none: true}"))
	if err == nil || !strings.Contains(err.Error(), "f:1:15: CFG08: token.none: ") || !strings.Contains(err.Error(), "GLOVEBOX_LISTEN: CFG08: listen: is reached from other machines, and without TLS") {
		t.Errorf("%v", err)
	}
}

func TestFindFile(t *testing.T) {
	folder := t.TempDir()
	none := func(string) (string, bool) { return "", false }
	set := func(name string) (string, bool) { return "/by/env", name == "GLOVEBOX_CONFIG" }
	if got, err := FindFile("", none, folder); got != "" || err != nil {
		t.Errorf("nothing is there: %q, %v", got, err)
	}
	own := filepath.Join(folder, "config.yaml")
	if err := os.WriteFile(own, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		named  string
		lookup func(string) (string, bool)
		want   string
	}{{"", none, own}, {"", set, "/by/env"}, {"/by/flag", set, "/by/flag"}, {"/by/flag", none, "/by/flag"}} {
		if got, err := FindFile(row.named, row.lookup, folder); got != row.want || err != nil {
			t.Errorf("%q: %q, %v", row.want, got, err)
		}
	}
}

func TestStrays(t *testing.T) {
	got := Strays([]string{"GLOVEBOX_LISTN=1", "GLOVEBOX_LISTEN=1", "GLOVEBOX_TOKEN=x", "GLOVEBOX_CONFIG=x", "GLOVEBOX_MY_API_KEY=x", "HOME=/", "GLOVEBOX_"})
	if len(got) != 1 || got[0] != "GLOVEBOX_LISTN is no setting; did you mean GLOVEBOX_LISTEN?" {
		t.Errorf("%q", got)
	}
}

// The zero Config's ceiling allows nothing, so a config that was never loaded
// grants nothing.
func TestTheZeroConfigGrantsNothing(t *testing.T) {
	var c Config
	if c.Posture.Ceiling.Network != catalog.NetworkBlocked || c.Posture.Ceiling.FileRead || c.Policy.Ceiling != risk.Unrated || c.World.AllowOpen || c.Token.None {
		t.Error("the zero config grants something")
	}
}

// TestDefaultsAreTheOwners: a default repeated here equals the one the package uses
// for a zero field.
func TestDefaultsAreTheOwners(t *testing.T) {
	c := Default()
	if got, want := c.Limits.Shared.WithDefaults(), (admission.Limits{}).WithDefaults(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := c.Approvals, (approve.Settings{People: 1}).WithDefaults(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
