// Command release builds what a version is published as, into one folder: a static binary
// for each target in an archive, deb and rpm, container images, an SBOM for each binary,
// the licences of everything that is linked in, manual and completions, checksums, and manifests for Homebrew and
// winget. It needs Go and the module proxy, no daemon and no other network.
//
// Everything is made from the commit, its time and the version, so the same commit gives
// the same bytes in any folder and on any machine with the same Go.
//
// It is a module of its own, so that nothing of it is among what the product depends on.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system and an architecture, as Go names them.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// environment has nothing of this machine change what is built.
func (t target) environment() []string {
	return append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
}

// here is this machine.
func here() target { return target{runtime.GOOS, runtime.GOARCH} }

// targets are released, in this order.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// release is one version on its way.
type release struct {
	root    string // of the repository
	out     string
	version string // with the v
	time    time.Time
	targets []target
	papers  papers
	work    string // what is built first, a folder for each target
	// untagged makes a release of a commit that has no tag; its binaries say another version.
	untagged bool
}

func main() {
	var r release
	var only string
	flag.StringVar(&r.root, "root", "..", "the folder of the repository")
	flag.StringVar(&r.out, "out", "dist", "the folder to write to; it must not exist")
	flag.StringVar(&r.version, "version", "", "the version, such as v0.1.0")
	flag.StringVar(&only, "only", "", "targets, such as linux/amd64,windows/arm64 (default all)")
	flag.BoolVar(&r.untagged, "untagged", false, "for a trial: the commit has no tag, so the binaries say another version")
	flag.Parse()
	r.targets = targets
	if only != "" {
		r.targets = slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return !slices.Contains(strings.Split(only, ","), t.String()) })
	}
	if err := r.make(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versions = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

func (r *release) make() error {
	if !versions.MatchString(r.version) {
		return fmt.Errorf("-version: want one such as v0.1.0, not %q", r.version)
	}
	if len(r.targets) == 0 {
		return errors.New("-only: none of these is a target")
	}
	seconds, err := r.git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.time = time.Unix(unix, 0).UTC()
	if err := os.Mkdir(r.out, 0o755); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "glovebox-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if r.papers, err = r.write(); err != nil {
		return err
	}
	sums := map[string]string{}
	for _, t := range r.targets {
		if err := r.one(t, sums); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := r.manifests(sums); err != nil {
		return err
	}
	return r.checksums()
}

// one makes everything of one target; sums gets the checksum of its archive.
func (r *release) one(t target, sums map[string]string) error {
	binary, err := r.build(t)
	if err != nil {
		return err
	}
	linked, err := r.modules(binary)
	if err != nil {
		return err
	}
	licences, err := r.licences(linked)
	if err != nil {
		return err
	}
	if err := r.bill(t, linked); err != nil {
		return err
	}
	archive, err := r.archive(t, binary, licences)
	if err != nil {
		return err
	}
	sum, err := checksum(archive)
	if err != nil {
		return err
	}
	sums[t.String()] = sum
	if t.os != "linux" {
		return nil
	}
	if err := r.packages(t, binary, licences); err != nil {
		return err
	}
	return r.image(t, binary, licences)
}

// build makes a static binary without paths of this machine, symbols or debug data, once,
// and returns where it is.
func (r *release) build(t target) (string, error) {
	binary := filepath.Join(r.work, t.os+"_"+t.arch, "glovebox")
	if t.os == "windows" {
		binary += ".exe"
	}
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w -buildid=", "-o", binary, "./cmd/glovebox")
	cmd.Dir = r.root
	cmd.Env = t.environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
}

func (r *release) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// name is the beginning of every file name of a target.
func (r *release) name(t target) string {
	return "glovebox_" + strings.TrimPrefix(r.version, "v") + "_" + t.os + "_" + t.arch
}

func checksum(file string) (string, error) {
	text, err := os.ReadFile(file)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// checksums writes the file that sha256sum -c reads.
func (r *release) checksums() error {
	all, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, f := range all {
		sum, err := checksum(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, f.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), text.Bytes(), 0o644)
}
