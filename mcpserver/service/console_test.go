package service

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/certtest"
	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// operator is the browser of a person at the console of a service.
type operator struct {
	t    *testing.T
	http http.Client
	base string
}

// atConsole signs a person in by a link.
func atConsole(t *testing.T, s *Service, role string) *operator {
	t.Helper()
	link, err := s.consoleLink("local:ada", role)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{t, http.Client{Jar: jar}, link[:strings.Index(link, "enter?")]}
	o.get(strings.TrimPrefix(link, o.base))
	return o
}

func (o *operator) get(path string) string {
	o.t.Helper()
	answer, err := o.http.Get(o.base + path)
	return o.read(answer, err)
}

func (o *operator) post(path string, values url.Values) string {
	o.t.Helper()
	values.Set("token", regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(o.get("now"))[1])
	r, err := http.NewRequest(http.MethodPost, o.base+path, strings.NewReader(values.Encode()))
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
	answer, err := o.http.Do(r)
	return o.read(answer, err)
}

func (o *operator) read(answer *http.Response, err error) string {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		o.t.Fatalf("status %d, %v: %s", answer.StatusCode, err, text)
	}
	return string(text)
}

// TestTheConsoleOfAService: what the console shows and does is that of the running service:
// its tools, its specs, its pipeline, its record and its folder.
func TestTheConsoleOfAService(t *testing.T) {
	state, specs := t.TempDir(), t.TempDir()
	s, _ := open(t, state, load(t, map[string]string{"specs.folders": specs, "specs.preset": "dev-essentials", "console.listen": "127.0.0.1:0"}))
	o := atConsole(t, s, "manage")
	if page := o.get("tools?q=uuid"); !strings.Contains(page, "tools/library~uuid") {
		t.Error("the bundled tool is not listed")
	}
	if page := o.post("tools/library~uuid/try", url.Values{}); !regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4`).MatchString(page) {
		t.Errorf("a try shows no result")
	}
	document := `{"name": "welcome", "description": "Welcomes somebody.", "codeType": "Javascript", "code": "return 'welcome';", "draft": true, "params": []}`
	if page := o.post("write/check", url.Values{"text": {strings.Replace(document, "return", "return (", 1)}}); !strings.Contains(page, "state bad") {
		t.Error("code that does not compile has no problem")
	}
	if page := o.post("write/pass", url.Values{"text": {document}}); !strings.Contains(page, "It passed") {
		t.Errorf("the Local Pass says %s", page)
	}
	if page := o.post("write/publish", url.Values{"text": {document}}); !strings.Contains(page, "Published") {
		t.Errorf("publishing says %s", page)
	}
	if _, err := os.Stat(filepath.Join(specs, "welcome.json")); err != nil {
		t.Error(err)
	}
	for !strings.Contains(o.get("tools?state=served&q=welcome"), "Welcomes somebody.") {
		if t.Context().Err() != nil {
			t.Fatal("it is not served")
		}
	}
	// Another text of it is shown beside the first.
	changed := strings.Replace(document, "return 'welcome';", "const word = 'welcome';\\nreturn word;", 1)
	if err := os.WriteFile(filepath.Join(specs, "welcome.json"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(o.get("tools/library~welcome"), `class="dline">+const word`) {
		if t.Context().Err() != nil {
			t.Fatal("its history does not show what changed")
		}
	}
	if kept, err := filepath.Glob(filepath.Join(s.options.Place.Revisions(), "*.json")); err != nil || len(kept) != 1 {
		t.Errorf("kept are %v, %v; want the texts of the one own spec", kept, err)
	}
	by := map[string]int{}
	if err := audit.Read(s.options.Place.Audit(s.started), audit.Filter{}, func(e audit.Entry) error {
		by[e.Tool+" "+e.Caller]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"console/sign-in local:ada", "uuid local:ada", "console/try local:ada", "welcome local:ada", "console/spec-pass local:ada", "console/spec-publish local:ada"} {
		if by[want] == 0 {
			t.Errorf("%s is not on record: %v", want, by)
		}
	}
	// The service's end is the console's.
	s.Close()
	if _, err := o.http.Get(o.base + "now"); err == nil {
		t.Error("the console outlives its service")
	}
	if _, err := s.consoleLink("local:ada", "look"); err == nil {
		t.Error("a closed service has a link")
	}
}

// TestWhenThereIsAConsole: not where other machines reach the server, unless asked for.
func TestWhenThereIsAConsole(t *testing.T) {
	for _, row := range []struct {
		mode, listen string
		stdio, is    bool
	}{
		{config.Auto, "127.0.0.1:0", false, true}, {config.Auto, "0.0.0.0:0", false, false}, {config.Auto, "0.0.0.0:0", true, true},
		{config.On, "0.0.0.0:0", false, true}, {config.Off, "127.0.0.1:0", false, false}, {config.Off, "127.0.0.1:0", true, false},
	} {
		l := load(t, map[string]string{"listen": row.listen, "console.mode": row.mode, "tls.plain": "true"})
		if err := consoleWanted(l, row.stdio); (err == nil) != row.is {
			t.Errorf("%+v: %v", row, err)
		}
	}
}

// TestPeopleSignInToAService: with an issuer the console listens from the start at the
// address that the issuer knows, and the settings decide who may do what.
func TestPeopleSignInToAService(t *testing.T) {
	issuer := issuertest.StartOpenID(t, "console", "s3cret")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprint("127.0.0.1:", natstest.Ports(t, 1)[0])
	s, _ := open(t, t.TempDir(), configured(t, fmt.Sprintf(`
listen: 127.0.0.1:0
console:
  listen: %q
  sign_in: {issuer: %q, client_id: console, secret_file: %q, claim: realm_access.roles, look: [staff], answer: [oncall, night], called: name, session: 2h}
`, at, issuer.URL, secret)))
	if _, err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	issuer.Set(func(k *issuertest.Knobs) {
		k.Person = issuertest.Person{"sub": "u-1", "name": "Grace", "realm_access": map[string]any{"roles": []string{"night"}}}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{t: t, http: http.Client{Jar: jar}, base: "http://" + at}
	page := o.get("/sign-in?to=inbox")
	to := regexp.MustCompile(`content="0;url=(/[a-z0-9]+/)(inbox)"`).FindStringSubmatch(page)
	if to == nil || !strings.Contains(page, "Grace at ") {
		t.Fatalf("nobody is let in: %s", page)
	}
	o.base += to[1]
	if page := o.get("inbox"); !strings.Contains(page, "Grace at ") || !strings.Contains(page, "· answer") {
		t.Errorf("the inbox says %s", page)
	}
	u, _ := url.Parse(o.base)
	if n := len(jar.Cookies(u)); n != 1 {
		t.Errorf("there are %d cookies", n)
	}
	issuer.Set(func(k *issuertest.Knobs) { k.Person = issuertest.Person{"sub": "u-2"} })
	answer, err := http.Get("http://" + at + "/sign-in") // without cookies, nobody comes back
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("%v, %v", answer, err)
	}
	answer.Body.Close()
}

// TestTheConsoleForOtherMachines has the certificate of the server; on loopback it is for a
// proxy, which has its own.
func TestTheConsoleForOtherMachines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "server.pem")
	certtest.Write(t, file, "console.example", 1)
	for listen, shown := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		l := configured(t, fmt.Sprintf("listen: 127.0.0.1:0\ntls: {certificate: %q}\nconsole: {url: \"https://console.example\", listen: %q}\n", file, listen))
		s, _ := open(t, t.TempDir(), l)
		o, err := s.consoleOptions()
		if err != nil || (o.TLS != nil) != shown {
			t.Errorf("%s: %v, %v", listen, o.TLS, err)
		}
		s.Close()
	}
}

// configured reads a configuration.
func configured(t *testing.T, text string) *config.Loaded {
	t.Helper()
	l, err := config.Sources{}.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
