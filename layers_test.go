package glovebox_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/glovebox-run/glovebox"

// layer says what the non-test files of one package may import. A package that
// lies below a listed one inherits its row unless it has its own.
type layer struct {
	ours []string // packages of this module, with all below them
	pure string   // when set: no network, files, clock or randomness, and why
}

var layers = map[string]layer{
	"catalog":       {pure: "a document means the same wherever and whenever it is read"},
	"risk":          {ours: []string{"catalog"}, pure: "the same input gives the same answer, so an answer can be checked again"},
	"budget":        {pure: "the same work costs the same everywhere, so a call ends at the same point everywhere"},
	"host":          {ours: []string{"catalog", "host/netguard", "budget"}},
	"host/netguard": {},
	"guest":         {},
	"jsengine":      {ours: []string{"guest", "budget"}},
	"runtime":       {ours: []string{"jsengine", "host", "risk", "catalog", "budget", "internal/osfile"}},
	"mcpserver":     {ours: []string{"runtime", "risk", "catalog", "host/netguard", "internal/osfile"}},
	// Builds what the World lends and what runs tools from a configuration. It is given
	// the resolver and the dialler; only cmd/glovebox picks the system's.
	"mcpserver/service": {ours: []string{"mcpserver", "runtime", "host", "jsengine", "risk", "catalog", "internal/osfile"}},
	"mcpserver/store":   {ours: []string{"internal/osfile"}},
	// A client that measures servers, ours as anybody's: what it knows of them is on the wire.
	"mcpserver/load": {},
	// Knows neither MCP nor anything else of ours: it is also a process of its own.
	"mcpserver/upstream/process": {},
	"cmd/glovebox":               {ours: []string{"mcpserver", "runtime", "jsengine", "guest", "host", "risk", "catalog", "internal/osfile"}},
	// What package os lacks; every layer that keeps files uses it.
	"internal/osfile": {},

	// For tests only; nothing that ships imports it.
	"internal/vectors":         {},
	"internal/samples":         {},
	"internal/dnstest":         {},
	"internal/budgettest":      {ours: []string{"budget"}},
	"internal/issuertest":      {},
	"internal/certtest":        {},
	"mcpserver/store/natstest": {},

	// Measures and checks; not part of the binary.
	"examples/observability/check": {},
	"internal/eval/levels":         {ours: []string{"risk"}},
	"internal/eval/live":           {ours: []string{"mcpserver", "runtime", "catalog", "risk"}}, // replays through a real server
	"internal/mutate":              {},
	"internal/promise":             {},
	"internal/sim":                 {},
	"internal/sim/calibrate":       {ours: []string{"internal/sim", "mcpserver/load", "mcpserver/store"}}, // beside real servers
	"internal/eval/poisoning":      {ours: []string{"risk"}},
	"internal/eval/score":          {ours: []string{"risk"}},
	"internal/hostiletest":         {ours: []string{"risk"}},
}

// soleImporters are modules that one package alone may import, so that replacing
// one of them touches one package.
var soleImporters = map[string]struct{ layer, reason string }{
	"github.com/tetratelabs/wazero":                       {"jsengine", "the machine is one package; the rest sees images and calls"},
	"github.com/modelcontextprotocol/go-sdk":              {"mcpserver", "SDK types change with the protocol and are converted in one place"},
	"github.com/nats-io":                                  {"mcpserver/store", "what is kept is seen as buckets and streams, wherever it is"},
	"github.com/landlock-lsm/go-landlock":                 {"mcpserver/upstream/process", "it restricts the process it is called in, for ever"},
	"github.com/aperturerobotics/go-quickjs-wasi-reactor": {"guest", "the guest's bytes are linked in one place"},
}

// impureImports are refused in pure packages. net/netip and net/url only parse.
var impureImports = []string{"net", "net/http", "os", "os/exec", "os/signal", "os/user", "syscall", "math/rand", "math/rand/v2", "crypto/rand", "plugin", "unsafe"}

// impureCalls are refused in pure packages although their package is not.
var impureCalls = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
}

type sourcePackage struct {
	dir   string // slash-separated, relative to the root
	files []*ast.File
	doc   bool
}

func TestEveryPackageHasALayerAndEveryLayerAPackage(t *testing.T) {
	found := map[string]bool{}
	for _, p := range sourcePackages(t) {
		if p.dir == "." {
			continue
		}
		name, _, ok := layerOf(p.dir)
		if !ok {
			t.Errorf("package %s has no row in layers", p.dir)
		}
		found[name] = true
		if !p.doc {
			t.Errorf("package %s has no package comment", p.dir)
		}
	}
	for name, l := range layers {
		if !found[name] {
			t.Errorf("layers lists %s, which does not exist", name)
		}
		for _, dep := range l.ours {
			if _, ok := layers[dep]; !ok {
				t.Errorf("%s may import %s, which is not a layer", name, dep)
			}
		}
	}
}

func TestImportsFollowTheLayers(t *testing.T) {
	for _, p := range sourcePackages(t) {
		if p.dir == "." {
			continue
		}
		name, l, ok := layerOf(p.dir)
		if !ok {
			continue // reported by the test above
		}
		for _, file := range p.files {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				checkImport(t, p.dir, name, l, imported)
			}
			if l.pure != "" {
				checkCalls(t, p.dir, l.pure, file)
			}
		}
	}
}

func checkImport(t *testing.T, dir, name string, l layer, imported string) {
	t.Helper()
	if own, ok := strings.CutPrefix(imported, module+"/"); ok {
		allowed := append([]string{name}, l.ours...)
		if !slices.ContainsFunc(allowed, func(a string) bool { return own == a || strings.HasPrefix(own, a+"/") }) {
			t.Errorf("%s imports %s; its layer may import %v", dir, own, l.ours)
		}
		return
	}
	for mod, sole := range soleImporters {
		if (imported == mod || strings.HasPrefix(imported, mod+"/")) && name != sole.layer && !strings.HasPrefix(name, sole.layer+"/") {
			t.Errorf("%s imports %s; only %s may: %s", dir, imported, sole.layer, sole.reason)
		}
	}
	if l.pure != "" && slices.Contains(impureImports, imported) {
		t.Errorf("%s imports %s but is pure: %s", dir, imported, l.pure)
	}
}

func checkCalls(t *testing.T, dir, reason string, file *ast.File) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Obj == nil && slices.Contains(impureCalls[pkg.Name], sel.Sel.Name) {
			t.Errorf("%s uses %s.%s but is pure: %s", dir, pkg.Name, sel.Sel.Name, reason)
		}
		return true
	})
}

// layerOf finds the row of a package: its own, or that of the nearest package
// above it.
func layerOf(dir string) (string, layer, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if l, ok := layers[d]; ok {
			return d, l, true
		}
	}
	return "", layer{}, false
}

// sourcePackages parses every non-test Go file of this module. Nested modules
// have layers of their own and are left out.
func sourcePackages(t *testing.T) []sourcePackage {
	t.Helper()
	byDir := map[string]*sourcePackage{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			if name != "." && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || fileExists(filepath.Join(name, "go.mod"))) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		if byDir[dir] == nil {
			byDir[dir] = &sourcePackage{dir: dir}
		}
		byDir[dir].files = append(byDir[dir].files, file)
		byDir[dir].doc = byDir[dir].doc || file.Doc != nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []sourcePackage
	for _, p := range byDir {
		all = append(all, *p)
	}
	return all
}

// postureReaders are the only functions outside of catalog that may look into a
// posture: the one that scores it and the one that grants it. With a third
// reader, what was scored and what is granted can drift apart.
var postureReaders = []string{"host.planOf", "risk.PostureSignals"}

// postureFields are fields of catalog.Posture. The operator's baseline and ceiling
// have some of the same names; see ofOperator.
var postureFields = []string{"FileRead", "FileWrite", "FSBase", "AddedAllowClasses", "RemovedDenyClasses"}

func TestOnlyTwoFunctionsReadAPosture(t *testing.T) {
	read := map[string]bool{}
	for _, p := range sourcePackages(t) {
		if p.dir == "catalog" || strings.HasPrefix(p.dir, "catalog/") {
			continue
		}
		for _, file := range p.files {
			for _, decl := range file.Decls {
				name := p.dir
				if f, ok := decl.(*ast.FuncDecl); ok {
					name += "." + f.Name.Name
				}
				ast.Inspect(decl, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(postureFields, sel.Sel.Name) && !ofOperator(sel.X) {
						read[name] = true
					}
					return true
				})
			}
		}
	}
	if got := slices.Sorted(maps.Keys(read)); !slices.Equal(got, postureReaders) {
		t.Errorf("postures are read in %v, want %v", got, postureReaders)
	}
}

// ofOperator reports whether an expression ends in .Baseline or .Ceiling, which are
// no posture of a tool: its configuration has to name them.
func ofOperator(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Baseline" || sel.Sel.Name == "Ceiling")
}
