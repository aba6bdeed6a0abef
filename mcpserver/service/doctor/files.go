package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/internal/osfile"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

func (d *doctor) configuration() (string, error) {
	if d.unusable != nil {
		return "", d.unusable
	}
	if d.configured.File == "" {
		return "no file, the defaults hold; see glovebox config init", nil
	}
	return d.configured.File, nil
}

// namedFiles checks that the files and folders in the configuration can be used.
func (d *doctor) namedFiles() (string, error) {
	var named int
	var errs []error
	look := func(path config.Path, use func(string) error) {
		if path != "" {
			named++
			errs = append(errs, use(string(path)))
		}
	}
	folder := func(path string) error {
		_, err := os.ReadDir(path)
		return err
	}
	for _, path := range append(slices.Clone(d.configured.Specs.Folders), d.configured.World.ReadRoots...) {
		look(path, folder)
	}
	look(d.configured.World.Secrets, func(path string) error {
		_, err := service.Secrets(path, d.place.Lookup)
		return err
	})
	look(d.configured.Sanitiser.Policy, func(path string) error {
		_, err := service.Sanitiser(path, "", nil)
		return err
	})
	look(d.configured.Sanitiser.Gitleaks, func(path string) error {
		_, err := service.Sanitiser("", path, nil)
		return err
	})
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d, all of use", named), nil
}

func (d *doctor) stateFolder() (string, error) {
	info, err := os.Stat(d.place.State)
	if errors.Is(err, os.ErrNotExist) {
		return d.firstState()
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no folder; XDG_STATE_HOME moves it", d.place.State)
	}
	if open := info.Mode().Perm() & 0o022; open != 0 && goruntime.GOOS != "windows" { // where modes say nothing
		return "", fmt.Errorf("%s has mode %04o, so others may write there; run chmod 700 on it", d.place.State, info.Mode().Perm())
	}
	free, err := writable(d.place.State)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", d.place.State, err)
	}
	if free < leastFree {
		return "", fmt.Errorf("%d MiB are free for %s; make room, %d MiB are little", free>>20, d.place.State, int64(leastFree)>>20)
	}
	return fmt.Sprintf("%s, written to, %d MiB free", d.place.State, free>>20), nil
}

// firstState looks whether the state folder can be made.
func (d *doctor) firstState() (string, error) {
	above := filepath.Dir(d.place.State)
	for filepath.Dir(above) != above {
		if _, err := os.Stat(above); !errors.Is(err, os.ErrNotExist) {
			break
		}
		above = filepath.Dir(above)
	}
	free, err := writable(above)
	if err != nil {
		return "", fmt.Errorf("%s cannot be made: %w; XDG_STATE_HOME moves it", d.place.State, err)
	}
	if free < leastFree {
		return "", fmt.Errorf("%d MiB are free for %s, which will be made at the first start; make room, %d MiB are little", free>>20, d.place.State, int64(leastFree)>>20)
	}
	return d.place.State + " will be made at the first start", nil
}

// leastFree is the space under which a state folder is short of room: a segment of the
// record, the store's blocks and as much again.
const leastFree = 256 << 20

// writable writes, syncs and removes a file in a folder, and returns how much is free.
func writable(dir string) (free int64, err error) {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 64<<10)) // more than one record
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	return osfile.Free(dir)
}

func (d *doctor) audit() (string, error) {
	path := d.place.Audit(d.configured)
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(d.place.Anchor(d.configured)); err == nil {
			return "", errors.New("an anchor is here, and no record: it was taken away; run glovebox audit verify")
		}
		return "no calls yet", nil
	}
	if _, err := writable(filepath.Dir(path)); err != nil {
		return "", fmt.Errorf("nothing can be recorded: %w", err)
	}
	kept, err := service.Anchors(d.ctx, d.configured, d.place)
	if err != nil {
		return "", err
	}
	with := "without an anchor"
	anchor := d.place.Anchor(d.configured)
	if text, err := os.ReadFile(anchor); err == nil {
		kept[anchor] = text
	} else if !errors.Is(err, os.ErrNotExist) || d.configured.Audit.Anchor != "" {
		return "", fmt.Errorf("the anchor: %w", err)
	}
	if len(kept) > 0 {
		with = "as its anchor knows it"
	}
	report, err := audit.VerifyWith(path, audit.Evidence{Checkpoints: kept})
	if err != nil {
		return "", err
	}
	if len(report.Defects) > 0 {
		return "", errors.New("the chain is broken; run glovebox audit verify")
	}
	if a := report.Archived; a != nil {
		with += fmt.Sprintf(", %d before them archived", a.Records)
	}
	return fmt.Sprintf("%s, unbroken, %s", counted(int(report.Records), "record"), with), nil
}

func (d *doctor) sandbox() (string, error) {
	started := time.Now()
	rt, err := runtime.Open(d.ctx, runtime.Config{Engine: jsengine.Config{CacheDir: d.place.Cache}, Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling()})
	if err != nil {
		return "", err
	}
	rt.Close()
	took := time.Since(started).Round(time.Millisecond)
	if info, err := os.Stat(d.place.Cache); err != nil || !info.IsDir() {
		return fmt.Sprintf("starts in %v, every time: there is no cache folder; XDG_CACHE_HOME names one", took), nil
	}
	return fmt.Sprintf("starts in %v", took), nil
}

func (d *doctor) bundled() (string, error) {
	specs, err := tools.Specs()
	if err != nil {
		return "", err
	}
	pins, err := tools.Pins()
	if err != nil {
		return "", err
	}
	for _, spec := range specs {
		if pins.Check(spec) != catalog.Pristine {
			return "", fmt.Errorf("%s is not what was pinned; install the program again", spec.Name())
		}
	}
	return fmt.Sprintf("%d, as they were pinned", len(specs)), nil
}

func (d *doctor) passes() (string, error) {
	if err := d.signedPasses(); err != nil {
		return "", err
	}
	path := d.place.Passes()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "none yet; glovebox test --write gives a spec its own", nil
	}
	if err != nil {
		return "", err
	}
	n, err := library.CountPasses(text)
	if errors.Is(err, library.ErrNewer) {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return "", fmt.Errorf("%s is damaged; the next start sets it aside, and specs have to be tested again", path)
	}
	return fmt.Sprintf("%d", n), nil
}

// signedPasses looks at the passes that came with specs.
func (d *doctor) signedPasses() error {
	keys, err := service.PassKeys(d.configured, d.place)
	if err != nil {
		return err
	}
	dirs := []string{filepath.Dir(d.place.Bundle(d.configured))}
	for _, folder := range d.configured.Specs.Folders {
		dirs = append(dirs, string(folder))
	}
	for _, dir := range dirs {
		if _, err := library.CheckNote(dir, keys, time.Now()); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, passnote.Name), err)
		}
	}
	return nil
}
