package host_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/runtime"
)

type fsInput struct {
	Files          map[string]string `json:"files"`
	ReadRootFiles  map[string]string `json:"read_root_files"`
	Symlinks       map[string]string `json:"symlinks"`
	FileRead       bool              `json:"file_read"`
	FileWrite      bool              `json:"file_write"`
	Destructive    bool              `json:"destructive"`
	ConfinedToBase bool              `json:"confined_to_base"`
	Code           string            `json:"code"`
}

type callExpect struct {
	Result json.RawMessage `json:"result"`
	Error  bool            `json:"error"`
	Kind   string          `json:"kind"`
	Reason string          `json:"reason"`
}

func TestVectorsFiles(t *testing.T) {
	vectors.Run(t, "fs", func(t *testing.T, in fsInput, want callExpect) {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dirs := map[string]string{"<outside dir>": filepath.Join(base, "outside"), "<read root>": filepath.Join(base, "read")}
		for _, dir := range dirs {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		lay(t, dirs["<outside dir>"], map[string]string{"secret.txt": "secret"})
		lay(t, dirs["<read root>"], in.ReadRootFiles)
		space := workspace(t, in.Files)
		fill := strings.NewReplacer("<outside dir>", dirs["<outside dir>"], "<read root>", dirs["<read root>"], "<workspace>", space.Path())
		for name, target := range in.Symlinks {
			if err := os.Symlink(fill.Replace(target), filepath.Join(space.Path(), name)); err != nil {
				t.Fatal(err)
			}
		}
		root, err := files.OpenReadRoot(dirs["<read root>"])
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		w := newWeb(t, http.NotFoundHandler()).world()
		w.Workspace, w.ReadRoots = space, []*files.ReadRoot{root}
		overrides := map[string]any{"fileRead": in.FileRead, "fileWrite": in.FileWrite, "destructive": in.Destructive}
		if in.ConfinedToBase {
			overrides["fsBasePath"] = space.Path()
		}
		want.Result = json.RawMessage(fill.Replace(string(want.Result)))
		compare(t, run(t, w, overrides, fill.Replace(in.Code)), want)
	})
}

// compare checks what a row says of a call and nothing else.
func compare(t *testing.T, got *runtime.Result, want callExpect) {
	t.Helper()
	failed := want.Error || want.Kind != "" || want.Reason != ""
	switch {
	case failed && got.Failure == nil:
		t.Errorf("returned %s, want %+v", got.Value, want)
	case failed:
		if r := got.Failure.Refusal; (want.Kind != "" || want.Reason != "") && (r == nil || want.Kind != "" && r.Kind != want.Kind || want.Reason != "" && r.Reason != want.Reason) {
			t.Errorf("failed with %v (%+v), want %+v", got.Failure, r, want)
		}
	case got.Failure != nil:
		t.Errorf("failed: %v\n%s", got.Failure, got.Failure.Stack)
	case len(want.Result) > 0 && !sameJSON(t, got.Value, want.Result):
		t.Errorf("got %s, want %s", got.Value, want.Result)
	}
}

func sameJSON(t *testing.T, x, y []byte) bool {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal(orNull(x), &a), json.Unmarshal(orNull(y), &b)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}

func orNull(b []byte) []byte {
	if len(b) == 0 {
		return []byte("null")
	}
	return b
}

type fetchInput struct {
	Mode      string               `json:"mode"`
	Hosts     []string             `json:"hosts"`
	DenyHosts []string             `json:"deny_hosts"`
	URL       string               `json:"url"`
	DNS       *map[string][]string `json:"dns"`

	Status              int               `json:"status"`
	Method              string            `json:"method"`
	Location            *string           `json:"location"`
	Redirects           any               `json:"redirects"` // a number or "endless"
	Body                string            `json:"body"`
	BodyBytes           int               `json:"body_bytes"`
	RequestHeaders      map[string]string `json:"request_headers"`
	ResponseHeaders     map[string]string `json:"response_headers"`
	ResponseHeadersList [][2]string       `json:"response_headers_list"`
	Init                map[string]any    `json:"init"`
	Call                string            `json:"call"` // "json"
	Get                 string            `json:"get"`  // a header
}

type fetchExpect struct {
	Allowed         *bool           `json:"allowed"`
	Error           bool            `json:"error"`
	Kind            string          `json:"kind"`
	Reason          string          `json:"reason"`
	NextMethod      *string         `json:"next_method"`
	BodyKept        *bool           `json:"body_kept"`
	Status          *int            `json:"status"`
	StatusText      *string         `json:"status_text"`
	OK              *bool           `json:"ok"`
	Text            *string         `json:"text"`
	Truncated       *bool           `json:"truncated"`
	NextStartIndex  json.RawMessage `json:"next_start_index"`
	Value           json.RawMessage `json:"value"`
	SentFromRequest json.RawMessage `json:"sent_from_request"`
}

// fetchServer answers as a row says and keeps what it was asked.
type fetchServer struct {
	in       fetchInput
	redirect bool // the first answer is a redirect although no location is given
	asked    []http.Header
	methods  []string
	bodies   []int64
}

func (s *fetchServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.Header.Clone())
	s.methods = append(s.methods, r.Method)
	s.bodies = append(s.bodies, r.ContentLength)
	var hop int
	fmt.Sscanf(r.URL.Path, "/hop%d", &hop)
	if n, counted := s.in.Redirects.(float64); counted && hop < int(n) || s.in.Redirects == "endless" {
		w.Header().Set("Location", fmt.Sprintf("/hop%d", hop+1))
		w.WriteHeader(http.StatusFound)
		return
	}
	first := len(s.asked) == 1
	for _, h := range s.in.ResponseHeadersList {
		w.Header()[h[0]] = append(w.Header()[h[0]], h[1])
	}
	for name, value := range s.in.ResponseHeaders {
		w.Header().Set(name, value)
	}
	status := s.in.Status
	switch {
	case first && s.in.Location != nil:
		w.Header().Set("Location", *s.in.Location)
		if status == 0 {
			status = http.StatusFound
		}
	case first && s.redirect:
		w.Header().Set("Location", "/next")
	case !first:
		status = http.StatusOK
	}
	if status != 0 {
		w.WriteHeader(status)
	}
	if s.in.BodyBytes > 0 {
		w.Write(make([]byte, s.in.BodyBytes))
	}
	w.Write([]byte(s.in.Body))
}

func TestVectorsFetch(t *testing.T) {
	vectors.Run(t, "fetch", func(t *testing.T, in fetchInput, want fetchExpect) {
		server := &fetchServer{in: in, redirect: want.NextMethod != nil || want.BodyKept != nil}
		web := newWeb(t, server)
		if in.DNS != nil && (len(*in.DNS) > 0 || in.Mode == "strict") {
			// The rows of the list modes leave the table empty when they are not about
			// names.
			web.resolve = func(name string) (addrs []netip.Addr, err error) {
				answer, ok := (*in.DNS)[name]
				if !ok {
					return nil, errors.New("no such name")
				}
				for _, a := range answer {
					addrs = append(addrs, netip.MustParseAddr(a))
				}
				return addrs, nil
			}
		}
		w := web.world()
		w.DeniedHosts = in.DenyHosts
		mode := in.Mode
		if mode == "" || mode == "custom" { // custom is what an operator's deny list does to open
			mode = "open"
		}
		result := run(t, w, map[string]any{"networkMode": mode, "hostsAllow": in.Hosts}, fetchCode(t, in, want))
		refused := want.Error || want.Allowed != nil && !*want.Allowed
		compare(t, result, callExpect{Error: refused, Kind: want.Kind, Reason: want.Reason})
		if result.Failure == nil {
			server.compare(t, result.Value, want)
		}
	})
}

// fetchCode is a tool that fetches as a row says and returns all there is to
// check.
func fetchCode(t *testing.T, in fetchInput, want fetchExpect) string {
	t.Helper()
	url := in.URL
	if url == "" {
		url = "http://a.example/"
	}
	init := map[string]any{}
	for name, value := range in.Init {
		init[name] = value
	}
	if in.Method != "" {
		init["method"] = in.Method
		if slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, in.Method) && init["body"] == nil {
			init["body"] = "sent"
		}
	}
	if in.RequestHeaders != nil {
		init["headers"] = in.RequestHeaders
	}
	args, err := json.Marshal([]any{url, init, in.Get})
	if err != nil {
		t.Fatal(err)
	}
	code := fmt.Sprintf("const [url, init, name] = %s; const r = await fetch(url, init);", args)
	code += "const out = {status: r.status, status_text: r.statusText, ok: r.ok};"
	if want.Text != nil || want.Truncated != nil || want.NextStartIndex != nil {
		code += "out.text = await r.text(); out.truncated = r.truncated; out.next_start_index = r.nextStartIndex;"
	}
	switch {
	case in.Call == "json":
		code += "out.value = await r.json();"
	case in.Get != "":
		code += "out.value = r.headers.get(name);"
	}
	return code + "return out;"
}

func (s *fetchServer) compare(t *testing.T, value []byte, want fetchExpect) {
	t.Helper()
	var got struct {
		Status         int             `json:"status"`
		StatusText     string          `json:"status_text"`
		OK             bool            `json:"ok"`
		Text           string          `json:"text"`
		Truncated      bool            `json:"truncated"`
		NextStartIndex json.RawMessage `json:"next_start_index"`
		Value          json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(value, &got); err != nil {
		t.Fatal(err)
	}
	same(t, "status", got.Status, want.Status)
	same(t, "status_text", got.StatusText, want.StatusText)
	same(t, "ok", got.OK, want.OK)
	same(t, "text", got.Text, want.Text)
	same(t, "truncated", got.Truncated, want.Truncated)
	if want.NextStartIndex != nil && !sameJSON(t, got.NextStartIndex, want.NextStartIndex) {
		t.Errorf("next_start_index %s, want %s", got.NextStartIndex, want.NextStartIndex)
	}
	if want.Value != nil && !sameJSON(t, got.Value, want.Value) {
		t.Errorf("value %s, want %s", got.Value, want.Value)
	}
	if s.redirect {
		if len(s.methods) != 2 {
			t.Fatalf("asked %d times", len(s.methods))
		}
		same(t, "next_method", s.methods[1], want.NextMethod)
		same(t, "body_kept", s.bodies[1] > 0, want.BodyKept)
	}
	if want.SentFromRequest != nil {
		s.compareSent(t, want.SentFromRequest)
	}
}

// compareSent checks which of the row's request headers arrived: a list of
// names, or an object of names and values.
func (s *fetchServer) compareSent(t *testing.T, want json.RawMessage) {
	t.Helper()
	sent := map[string]string{}
	for name, value := range s.in.RequestHeaders {
		if s.asked[0].Get(name) == value {
			sent[strings.ToLower(name)] = value
		}
	}
	var names []string
	if json.Unmarshal(want, &names) == nil {
		var got []string
		for name := range sent {
			got = append(got, name)
		}
		for i := range names {
			names[i] = strings.ToLower(names[i])
		}
		slices.Sort(names)
		if slices.Sort(got); !slices.Equal(got, names) {
			t.Errorf("sent %v, want %v", got, names)
		}
		return
	}
	values, got := map[string]string{}, sent
	if err := json.Unmarshal(want, &values); err != nil {
		t.Fatal(err)
	}
	for name, value := range values {
		if got[strings.ToLower(name)] != value {
			t.Errorf("sent %v, want %v", got, values)
		}
	}
	if len(values) != len(got) {
		t.Errorf("sent %v, want %v", got, values)
	}
}

func same[T comparable](t *testing.T, name string, got T, want *T) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("%s %v, want %v", name, got, *want)
	}
}
