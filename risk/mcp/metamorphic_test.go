package mcp

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// addsUp fails when a score is not what its drivers say.
func addsUp(t *testing.T, s Score) {
	t.Helper()
	points := 0
	for _, a := range s.Axes {
		sum := 0
		for _, d := range a.Drivers {
			if d.Why == "" {
				t.Errorf("a driver of %s without a reason", a.Name)
			}
			sum += d.Points
		}
		sum = max(0, sum)
		if a.Max > 0 {
			sum = min(sum, a.Max)
		}
		if sum != a.Points {
			t.Errorf("axis %s: %d points, drivers say %d", a.Name, a.Points, sum)
		}
		points += a.Points
	}
	if points != s.Points {
		t.Errorf("score %d, axes say %d", s.Points, points)
	}
	if s.Floor.Tripped() && (s.Floor.Short == "" || s.Floor.Why == "" || s.Floor.Level == Unrated) {
		t.Errorf("a floor that does not explain itself: %+v", s.Floor)
	}
	if s.Level < L1 || s.Level > L5 {
		t.Errorf("level %v", s.Level)
	}
}

func randomServer(r *rand.Rand) Server {
	urls := []string{"https://mcp.example.com/mcp", "http://mcp.example.com", "http://127.0.0.1:1/", "http://10.0.0.1/", "http://[::1]/", "", "%", "http://box/"}
	scopes := []string{"repo", "admin", "Files.ReadWrite.All", "read:org", "calendar.allowed"}
	return Server{
		Transport: Transport(r.IntN(4)), URL: urls[r.IntN(len(urls))], Auth: Auth(r.IntN(5)), Scopes: scopes[:r.IntN(3)],
		Signals: Signals(r.IntN(64)), Origin: Origin(r.IntN(3)), Docs: DocGaps(r.IntN(8)), Writes: r.IntN(2) == 0,
	}
}

// Every change that adds something bad to a server must not lower its level.
func TestWorseServersAreNotRatedBetter(t *testing.T) {
	worse := map[string]func(*Server){
		"another scope":    func(s *Server) { s.Scopes = append(slices.Clone(s.Scopes), "admin") },
		"a harmless scope": func(s *Server) { s.Scopes = append(slices.Clone(s.Scopes), "read:user") },
		"fewer docs":       func(s *Server) { s.Docs |= DocsInadequate },
		"write capability": func(s *Server) { s.Writes = true },
		"typed by hand":    func(s *Server) { s.Origin = Typed },
		"no vendor":        func(s *Server) { s.Signals &^= VendorOfficial },
		"no signals":       func(s *Server) { s.Signals = 0 },
		"OAuth becomes a key": func(s *Server) {
			if s.Auth == AuthOAuthStandard {
				s.Auth = AuthBearer
			}
		},
		"from loopback outside": func(s *Server) { s.Transport = SSE; s.URL = strings.Replace(s.URL, "127.0.0.1:1", "10.1.1.1", 1) },
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, p := range []Profile{Default, Reference} {
		for range 1500 {
			s := randomServer(random)
			before := ScoreServer(p, s)
			addsUp(t, before.Score)
			for name, change := range worse {
				if name == "from loopback outside" && !before.Host.Local() {
					continue
				}
				changed := s
				change(&changed)
				if after := ScoreServer(p, changed); after.Level < before.Level {
					t.Fatalf("%v: %s made it better:\n%+v\n%s%s", p, name, s, before.Explain(), after.Explain())
				}
			}
		}
	}
}

// More on either side never makes the composition better, and approval by a
// person is worth one band at most.
func TestComposingIsMonotonic(t *testing.T) {
	score := func(points int, floor Level) Score {
		s := Score{Points: points, Level: Band(points)}
		if floor != Unrated {
			s.Floor = Floor{ID: "f", Short: "f", Level: floor, Why: "w"}
			s.Level = Worse(s.Level, floor)
		}
		return s
	}
	floors := []Level{Unrated, L4, L5}
	for a := range 7 {
		for b := range 7 {
			for _, fa := range floors {
				for _, fb := range floors {
					c := Compose(Default, ServerRisk{Score: score(a, fa)}, ToolRisk{score(b, fb)})
					if c.Level < Band(a+b) || c.Level < fa || c.Level < fb {
						t.Errorf("%d, %v and %d, %v make %v", a, fa, b, fb, c.Level)
					}
					if m := Mitigate(Default, c.Level, true); m > c.Level || c.Level-m > 1 || m < L1 {
						t.Errorf("approval turns %v into %v", c.Level, m)
					}
				}
			}
		}
	}
}

func FuzzClassifyHost(f *testing.F) {
	for _, seed := range []string{"http://127.0.0.1/", "http://[::1%25x]/", "http://0x7f.1", "http://a\\@b", "http://１２７.1/", "://@[", "http://%41/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rawURL string) {
		for _, p := range []Profile{Default, Reference} {
			if c := ClassifyHost(p, SSE, rawURL); c == Stdio {
				t.Errorf("%q became a child process", rawURL)
			}
			text, err := json.Marshal(ScoreServer(p, Server{Transport: SSE, URL: rawURL, Scopes: []string{rawURL}}))
			if err != nil || len(text) == 0 {
				t.Error(err)
			}
		}
	})
}

func BenchmarkReadAndScoreTool(b *testing.B) {
	for name, raw := range map[string]string{
		"ordinary":  strings.Replace(goodTool, "HINTS", `{"readOnlyHint":true}`, 1),
		"long name": `{"name":"` + strings.Repeat("aB_", 100_000) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				tool, err := ReadTool(Default, []byte(raw), ToolContext{})
				if err != nil {
					b.Fatal(err)
				}
				ScoreTool(Default, tool)
			}
		})
	}
}
