package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// doctor is what the checks look at.
type doctor struct {
	ctx       context.Context
	state     string
	listen    string
	tokenFile string // empty for the one in the state folder

	configured   *config.Loaded
	unconfigured error // why the configuration is not used
}

// examinations are all checks. Codes are never used again for something else.
var examinations = [...]struct {
	code, what string
	check      func(doctor) (found string, err error)
}{
	{"GBD01", "state folder", doctor.stateFolder},
	{"GBD02", "audit", doctor.audit},
	{"GBD03", "sandbox", doctor.sandbox},
	{"GBD04", "bundled tools", doctor.bundled},
	{"GBD05", "pass records", doctor.passes},
	{"GBD06", "token", doctor.token},
	{"GBD07", "address", doctor.address},
	{"GBD08", "clients", doctor.clients},
	{"GBD09", "server", doctor.server},
	{"GBD10", "socket", doctor.socket},
	{"GBD11", "configuration", doctor.configuration},
	{"GBD12", "named files", doctor.namedFiles},
	{"GBD13", "approvals", doctor.approvals},
	{"GBD14", "issuer", doctor.issuer},
	{"GBD15", "receiver", doctor.receiver},
	{"GBD17", "memory", doctor.memory},
}

// finding is the outcome of one check.
type finding struct {
	Code  string `json:"code"`
	What  string `json:"what"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
}

func newDoctor() *cobra.Command {
	var asJSON bool
	var d doctor
	var flags settings
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that serving needs",
		Long:  "Check everything that serving needs. Nothing is changed. Exit code 1 means that something is wrong; the codes are stable.",
		Example: `  glovebox doctor
  glovebox doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if d.state, err = stateDir(); err != nil {
				return exitWith(exitUsage, err)
			}
			if d.configured, d.unconfigured = flags.load(cmd); d.unconfigured != nil {
				d.configured = &config.Loaded{Config: config.Default()} // the rest is looked at all the same
			}
			d.ctx, d.listen, d.tokenFile = cmd.Context(), d.configured.Listen, string(d.configured.Token.File)
			sick := false
			for _, e := range examinations {
				f := finding{Code: e.code, What: e.what, OK: true}
				if f.Found, err = e.check(d); err != nil {
					f.OK, f.Found, sick = false, strings.ReplaceAll(err.Error(), "\n", "; "), true
				}
				if err := f.print(cmd, asJSON); err != nil {
					return err
				}
			}
			if sick {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	flags.bind(cmd, "listen", "token.file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (f finding) print(cmd *cobra.Command, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(out).Encode(f)
	}
	verdict := "ok  "
	if !f.OK {
		verdict = "FAIL"
	}
	_, err := fmt.Fprintf(out, "%s  %s  %-13s  %s\n", verdict, f.Code, f.What, oneLine(f.Found))
	return err
}

func (d doctor) configuration() (string, error) {
	if d.unconfigured != nil {
		return "", d.unconfigured
	}
	if d.configured.File == "" {
		return "no file, the defaults hold; see glovebox config init", nil
	}
	return d.configured.File, nil
}

// namedFiles looks whether what the configuration names can be used.
func (d doctor) namedFiles() (string, error) {
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
		_, err := secretLookup(path)
		return err
	})
	look(d.configured.Sanitiser.Policy, func(path string) error {
		_, err := newCleaner(path, "", io.Discard)
		return err
	})
	look(d.configured.Sanitiser.Gitleaks, func(path string) error {
		_, err := newCleaner("", path, io.Discard)
		return err
	})
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d, all of use", named), nil
}

func (d doctor) stateFolder() (string, error) {
	info, err := os.Stat(d.state)
	if errors.Is(err, os.ErrNotExist) {
		return d.state + " will be made at the first start", nil
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no folder; XDG_STATE_HOME moves it", d.state)
	}
	if open := info.Mode().Perm() & 0o022; open != 0 {
		return "", fmt.Errorf("%s has mode %04o, so others may write there; run chmod 700 on it", d.state, info.Mode().Perm())
	}
	return d.state, nil
}

func (d doctor) audit() (string, error) {
	path, err := auditPath(d.configured)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "no calls yet", nil
	}
	report, err := audit.Verify(path)
	if err != nil {
		return "", err
	}
	if len(report.Defects) > 0 {
		return "", errors.New("the chain is broken; run glovebox audit verify")
	}
	return fmt.Sprintf("%d records, unbroken", report.Records), nil
}

func (d doctor) sandbox() (string, error) {
	started := time.Now()
	rt, err := runtime.Open(d.ctx, runtime.Config{Engine: jsengine.Config{CacheDir: cacheDir()}, Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling()})
	if err != nil {
		return "", err
	}
	rt.Close()
	took := time.Since(started).Round(time.Millisecond)
	if info, err := os.Stat(cacheDir()); err != nil || !info.IsDir() {
		return fmt.Sprintf("starts in %v, every time: there is no cache folder; XDG_CACHE_HOME names one", took), nil
	}
	return fmt.Sprintf("starts in %v", took), nil
}

func (d doctor) bundled() (string, error) {
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

func (d doctor) passes() (string, error) {
	path := filepath.Join(d.state, "passes.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "none yet; glovebox test --write gives a spec its own", nil
	}
	if err != nil {
		return "", err
	}
	var records map[string]library.Pass
	if err := json.Unmarshal(text, &records); err != nil {
		return "", fmt.Errorf("%s is damaged; the next start sets it aside, and specs have to be tested again", path)
	}
	return fmt.Sprintf("%d", len(records)), nil
}

func (d doctor) token() (string, error) {
	path := d.tokenFile
	if path == "" {
		path = filepath.Join(d.state, "token")
	}
	_, err := mcpserver.ReadToken(path)
	if errors.Is(err, os.ErrNotExist) && d.tokenFile == "" {
		return "will be made at the first start", nil
	}
	return "there, and nobody else may read it", err
}

func (d doctor) address() (string, error) {
	listener, err := net.Listen("tcp", d.listen)
	if err == nil {
		listener.Close()
		return d.listen + " is free", nil
	}
	client := http.Client{Timeout: 2 * time.Second}
	response, healthErr := client.Get("http://" + d.listen + "/healthz")
	if healthErr != nil || response.StatusCode != http.StatusOK {
		if !errors.Is(err, syscall.EADDRINUSE) {
			return "", fmt.Errorf("%w; choose another one with --listen", err)
		}
		return "", fmt.Errorf("%w; another program has it, so choose one with --listen", err)
	}
	response.Body.Close()
	return "a server answers at " + d.listen, nil
}

// clients looks whether the programs that clients would start are there.
func (d doctor) clients() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	var connected []string
	for _, c := range editors.All() {
		text, _, err := editors.Read(c.File(home, config), "glovebox")
		if err != nil {
			return "", err
		}
		change, err := c.Disconnect(text, nil, "glovebox")
		if err != nil {
			return "", err
		}
		if change.Old == "" {
			continue
		}
		program := c.Program(change.Old)
		if _, err := os.Stat(program); err != nil {
			return "", fmt.Errorf("%s starts %s, which is gone; run glovebox connect %s", c.Name, program, c.ID)
		}
		connected = append(connected, c.ID)
	}
	if len(connected) == 0 {
		return "none connected; see glovebox connect --help", nil
	}
	return strings.Join(connected, ", "), nil
}

// server looks whether the process that owns the state folder, if there is one,
// answers.
func (d doctor) server() (string, error) {
	peer, err := local.Find(d.state)
	if err == nil {
		var s local.Status
		if s, err = peer.Status(d.ctx); err == nil {
			where := s.Address
			if where == "" {
				where = "standard streams"
			}
			return fmt.Sprintf("process %d serves %d tools at %s, and %d clients through it", s.PID, s.Tools, where, len(s.Clients)), nil
		}
	}
	if errors.Is(err, local.ErrNoOwner) {
		return "none runs; the first to start owns the state folder", nil
	}
	return "", err
}

func (d doctor) socket() (string, error) {
	socket, err := local.Inspect(d.state)
	if err != nil {
		return "", err
	}
	if socket == "" {
		return "made when a server starts", nil
	}
	return socket + ", and nobody else may reach it", nil
}
