package web

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

func pack(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w, _ = gzip.NewWriterLevel(&out, gzip.BestSpeed)
	case "deflate":
		w, _ = zlib.NewWriterLevel(&out, zlib.BestSpeed)
	case "raw deflate":
		w, _ = flate.NewWriter(&out, flate.BestSpeed)
	case "br":
		w = brotli.NewWriterLevel(&out, brotli.BestSpeed)
	case "zstd":
		w, _ = zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedFastest))
	default:
		t.Fatal(coding)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBodies(t *testing.T) {
	plain := []byte(strings.Repeat("héllo ", 1000))
	bomb := make([]byte, maxBody+1)
	full := bomb[:maxBody]
	type answer struct {
		coding string
		body   []byte
		want   string // reason, or empty for a good answer
		length int
	}
	answers := map[string]answer{
		"plain":        {"", plain, "", len(plain)},
		"identity":     {"identity", plain, "", len(plain)},
		"empty gzip":   {"gzip", nil, "", 0},
		"two":          {"deflate, gzip", pack(t, "gzip", pack(t, "deflate", plain)), "", len(plain)},
		"four":         {"gzip,gzip,gzip,gzip", plain, "HELPER_RUNTIME unsupported-encoding", 0},
		"unknown":      {"compress", plain, "HELPER_RUNTIME unsupported-encoding", 0},
		"not gzip":     {"gzip", plain, "HELPER_RUNTIME invalid-encoding", 0},
		"not br":       {"br", bytes.Repeat([]byte{0xff}, 100), "HELPER_RUNTIME invalid-encoding", 0},
		"cut":          {"gzip", pack(t, "gzip", plain)[:30], "HELPER_RUNTIME invalid-encoding", 0},
		"full":         {"", full, "", maxBody},
		"too large":    {"", bomb, "SECURITY response-body-too-large", 0},
		"bomb of full": {"gzip", pack(t, "gzip", full), "", maxBody},
		// Nothing comes out at the end, but more than the cap lies between the two
		// layers: a frame that zstd skips.
		"large between":          {"zstd, gzip", pack(t, "gzip", append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 0xb0, 0}, make([]byte, 0xb00000)...)), "SECURITY response-body-too-large", 0},
		"bomb in a bomb":         {"gzip, gzip", pack(t, "gzip", pack(t, "gzip", bomb)), "SECURITY response-body-too-large", 0},
		"zstd of 128 MiB window": {"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0x00, 0x00}, "HELPER_RUNTIME invalid-encoding", 0},
	}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "raw deflate"} {
		name := strings.TrimPrefix(coding, "raw ")
		answers[coding] = answer{name, pack(t, coding, plain), "", len(plain)}
		answers[coding+" bomb"] = answer{name, pack(t, coding, bomb), "SECURITY response-body-too-large", 0}
	}
	n := newInternet()
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Query().Get("a")]
		if a.coding != "" {
			w.Header().Set("Content-Encoding", a.coding)
		}
		if r.Method == "HEAD" {
			w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		}
		if r.URL.Query().Has("flush") { // without a length
			w.(http.Flusher).Flush()
		}
		w.Write(a.body)
	}))
	c := n.client(t)
	for name, a := range answers {
		lengths := []string{"", "&flush"} // with a length and without
		if len(a.body) > 1<<20 {
			lengths = lengths[:1]
		}
		for _, more := range lengths {
			res, err := get(c, fetchArgs{URL: "http://a.example/?a=" + name + more})
			if reason(err) != a.want || len(res.body) != a.length {
				t.Errorf("%s%s: %d bytes, %v; want %d, %q", name, more, len(res.body), err, a.length, a.want)
			}
			if a.length == len(plain) && res.body != string(plain) {
				t.Errorf("%s%s decodes to something else", name, more)
			}
		}
	}
	for _, name := range []string{"gzip", "too large"} {
		if res, err := get(c, fetchArgs{URL: "http://a.example/?a=" + name, Method: "HEAD"}); err != nil || res.body != "" {
			t.Errorf("HEAD of %s: %v", name, err)
		}
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestADecoderWithoutProgressEnds(t *testing.T) {
	res := &http.Response{Body: io.NopCloser(idle{}), ContentLength: -1}
	if _, err := readBody(res, &share{account: budgettest.Ample(), of: new(atomic.Int64)}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func TestBodiesUnderWayAreBounded(t *testing.T) {
	n := newInternet()
	const requests = 10
	var once sync.Once
	over := make(chan struct{}) // closed when the first request is refused
	body := make([]byte, maxBody-1)
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(body)
		w.(http.Flusher).Flush()
		// Nobody has all of it before together they have too much. That the
		// bytes were sent says nothing: the kernel holds several MiB of them.
		select {
		case <-over:
		case <-r.Context().Done():
		}
		w.Write([]byte("x"))
	}))
	c := n.client(t)
	var wg sync.WaitGroup
	var whole, refused atomic.Int64
	for range requests {
		wg.Go(func() {
			switch res, err := get(c, fetchArgs{URL: "http://a.example/"}); {
			case err == nil && len(res.body) == maxBody:
				whole.Add(1)
			case reason(err) == "HELPER_RUNTIME too-many-bodies":
				refused.Add(1)
				once.Do(func() { close(over) })
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if whole.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d whole, %d refused", whole.Load(), refused.Load())
	}
	if left := c.bodies.Load(); left != 0 {
		t.Errorf("%d bytes are still counted", left)
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct{ contentType, body, want string }{
		{"text/plain", "grüße", "grüße"},
		{"", "\xef\xbb\xbfx", "x"},
		{"text/html; charset=euc-kr", "\xc7\xd1\xb1\xdb", "한글"},
		{"text/html; charset=iso-8859-1", "\xe9", "é"},
		{"text/plain; charset=utf-8", "a\xffb", "a\uFFFDb"},
		{"text/plain; charset=nonsense", "ü", "ü"},
		{"no/type; =", "ü", "ü"},
		{"text/plain; charset=utf-16", "\xff\xfea\x00", "a"},
		{"text/plain", "", ""},
	} {
		got, _, err := Text(t.Context(), budgettest.Ample(), []byte(tc.contentType), []byte(tc.body))
		if err != nil || string(got) != tc.want {
			t.Errorf("%q as %s: %q, %v", tc.body, tc.contentType, got, err)
		}
	}
	for body, want := range map[string]string{`{"a":[1,"x"]}`: "", "": "HELPER_RUNTIME invalid-json", "{": "HELPER_RUNTIME invalid-json", "\xef\xbb\xbf1": ""} {
		if _, _, err := JSON(t.Context(), budgettest.Ample(), nil, []byte(body)); reason(err) != want {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// A body is reserved while it arrives and not when it is there.
func TestBodiesAreReservedWhileTheyArrive(t *testing.T) {
	ask := func(fuel, memory uint64) (error, error) {
		a := budget.NewAccount(t.Context(), fuel, memory)
		res := &http.Response{Body: io.NopCloser(bytes.NewReader(make([]byte, maxBody))), ContentLength: -1}
		_, err := readBody(res, &share{account: a, of: new(atomic.Int64)})
		return err, a.Err()
	}
	if err, ended := ask(1<<50, 2*maxBody); err != nil || ended != nil {
		t.Error(err, ended)
	}
	if err, ended := ask(1<<50, 1<<20); err == nil || !errors.Is(ended, budget.ErrMemory) {
		t.Errorf("in 1 MiB: %v, %v", err, ended)
	}
	if err, ended := ask(10_000_000, 1<<40); err == nil || !errors.Is(ended, budget.ErrFuel) {
		t.Errorf("with little fuel: %v, %v", err, ended)
	}
	a := budget.NewAccount(t.Context(), 1<<50, 1<<20)
	if _, _, err := Text(t.Context(), a, []byte("text/plain; charset=windows-1252"), bytes.Repeat([]byte{0xe9}, 1<<20)); !errors.Is(err, budget.ErrMemory) {
		t.Errorf("a text that is decoded: %v", err)
	}
}
