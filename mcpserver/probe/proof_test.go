package probe

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/netip"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/risk/score"
)

// may lists what the package may take from the packages through which a call could be
// made. session.Open gives a session that calls; transport.Message and Conn.Do are raw.
var may = map[string][]string{
	"session":   {"Look", "Looker", "Options", "Dial", "Era"},
	"transport": {"Conn", "Handle", "Drop", "NewHTTP", "NewSSE", "NewStdio", "Error", "Unauthorized", "Unreachable"},
}

// A scanner that cannot get hold of a call cannot make one: of the packages that send
// requests it uses the names above alone, a Looker has no method that calls, and the one
// message that it writes itself is initialize.
func TestNothingCanCallATool(t *testing.T) {
	var methods []string
	for m := range reflect.TypeFor[*session.Looker]().Methods() {
		methods = append(methods, m.Name)
	}
	if want := []string{"Close", "Counts", "Info", "List", "Page", "Read"}; !slices.Equal(methods, want) {
		t.Errorf("a Looker has %v, want %v", methods, want)
	}
	for f := range reflect.TypeFor[session.Looker]().Fields() {
		if f.IsExported() {
			t.Errorf("a Looker hands out %s", f.Name)
		}
	}
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			if files[name], err = parser.ParseFile(fset, name, nil, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(files) < 5 {
		t.Fatal("only ", len(files), " files")
	}
	posts := 0
	for name, file := range files {
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			for _, other := range []string{"runtime/governed", "mcpserver/upstream", "os/exec", "unsafe", "reflect"} {
				if strings.HasSuffix(path, other) {
					t.Errorf("%s imports %s", name, path)
				}
			}
			if spec.Name != nil {
				t.Errorf("%s imports %s under another name, which this test does not follow", name, path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Obj == nil {
					if allowed, watched := may[pkg.Name]; watched && !slices.Contains(allowed, n.Sel.Name) {
						t.Errorf("%s uses %s.%s", fset.Position(n.Pos()), pkg.Name, n.Sel.Name)
					}
					if pkg.Name == "http" && n.Sel.Name == "MethodPost" {
						posts++
						if !strings.HasSuffix(name, "origin.go") {
							t.Errorf("%s makes a POST request", fset.Position(n.Pos()))
						}
					}
				}
				if n.Sel.Name == "Do" || n.Sel.Name == "Send" || n.Sel.Name == "Call" {
					t.Errorf("%s uses .%s", fset.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING && strings.Contains(n.Value, "tools/call") {
					t.Errorf("%s names tools/call", fset.Position(n.Pos()))
				}
				if n.Kind == token.STRING && strings.Contains(n.Value, `"POST"`) {
					t.Errorf("%s makes a POST request", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if posts == 0 || strings.Count(greeting, `"method":"initialize"`) != 1 || strings.Count(greeting, `"method"`) != 1 {
		t.Error("the message of the Origin probe is not found where this test looks")
	}
}

func TestTargetsThatAreRefused(t *testing.T) {
	z := newZoo(t)
	z.names["internal.example.com"] = netip.MustParseAddr("10.0.0.1")
	for _, raw := range []string{"", "x", "ftp://a.example.com/", "file:///etc/passwd", "https://", "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://0x7f000001/", "http://100.64.0.1/"} {
		if _, err := New(z.options()).HTTP(context.Background(), raw, score.HTTP); !errors.Is(err, ErrTarget) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	o, err := New(z.options()).HTTP(context.Background(), "https://internal.example.com/mcp", score.HTTP)
	if err != nil || o.Hello != nil || len(z.dialled) > 0 {
		t.Errorf("a name with a private address was dialled: %v %v", z.dialled, err)
	}
}

// The operator's header goes to the target's host and nowhere else.
func TestCredentialsStayWithTheTarget(t *testing.T) {
	z := newZoo(t)
	leaked := ""
	z.serve("id.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked += r.Header.Get("Authorization")
		http.NotFound(w, r)
	}), &identity{})
	z.serve("srv.example.com", walled("srv.example.com", "https://id.example.com", "{}"), &identity{})
	o := z.options()
	o.Header = http.Header{"Authorization": {"Bearer other-s3cret-value"}}
	seen, err := New(o).HTTP(context.Background(), "https://srv.example.com/mcp", score.HTTP)
	if err != nil || seen.Auth == nil || len(seen.Auth.Issuers) != 1 {
		t.Fatal(err, seen.Auth)
	}
	if leaked != "" {
		t.Errorf("%q went to the authorization server", leaked)
	}
}
