package process

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Sandbox says what a server may reach.
type Sandbox string

const (
	// None: what the gateway's user may reach. Environment and limits are still the
	// Config's, and no program it executes gains privileges.
	None Sandbox = "none"
	// Files: its own files only. It reads the system's programs and libraries, Config.Read,
	// and its own processes in /proc; it writes its working folder, its home folder, a temporary
	// folder of its own and Config.Write; sockets and processes of others are out of
	// reach. The network is as the gateway sees it.
	Files Sandbox = "files"
	// FilesAndNetwork: Files, and no network but a loopback interface of its own.
	FilesAndNetwork Sandbox = "files+network"
)

// Config is what one process is started with. The zero Config starts nothing.
type Config struct {
	// Name is used in messages, in the list of processes and for the temporary folder.
	Name string
	// Command is a program and its arguments. A program without a slash is looked up
	// in PATH.
	Command []string
	// Dir is the working folder; empty is the private temporary folder.
	Dir string
	// Home is the server's HOME in a sandbox, kept between starts for its caches;
	// empty is the private temporary folder. Without a sandbox HOME is the gateway's.
	Home string
	// Env sets variables, and PassEnv names variables of the gateway, beyond PATH, HOME,
	// LANG, LC_*, TMPDIR and TZ. Env wins.
	Env     map[string]string
	PassEnv []string

	Sandbox Sandbox
	// Require refuses a server whose sandbox or limits cannot be kept whole here.
	Require bool
	// Read and Write are further files and folders, with everything below them, for a
	// sandbox. They must exist.
	Read, Write []string

	Limits Limits
	// Until is when the server is killed by the clock of [Clock], unless [Process.Extend]
	// names a later time before; 0 is never. The supervisor sees to it, so it holds for a
	// gateway that is frozen or too busy as well.
	Until time.Duration
	// Stderr is called with each line of standard error; nil drops them. Lines are cut at
	// 4 KiB and cleaned of control characters. See lines for what happens to a flood.
	Stderr func(line string)
}

// Limits bound what a server uses. Zero is the default in brackets.
type Limits struct {
	// Memory is the bytes that one process may allocate, and that all processes of the
	// server may hold together. [4 GiB, the largest heap that Node takes by itself]
	Memory int64
	// CPU is the processor time of one process in its life. [no limit: a server
	// that lives for weeks uses any amount]
	CPU time.Duration
	// Files is the number of open files of one process. [4096, enough for a browser]
	Files int
	// Processes is the number of processes and threads of the server. [1024; a browser has about 800]
	Processes int
}

const (
	defaultMemory    = 4 << 30
	defaultFiles     = 4096
	defaultProcesses = 1024
	// leastMemory is what a dynamically linked program needs to start, in bytes.
	leastMemory = 4 << 20
	// leastFiles leaves room for standard streams and a library that is being loaded.
	leastFiles = 16
)

func (l Limits) withDefaults() Limits {
	if l.Memory == 0 {
		l.Memory = defaultMemory
	}
	if l.Files == 0 {
		l.Files = defaultFiles
	}
	if l.Processes == 0 {
		l.Processes = defaultProcesses
	}
	return l
}

// Check reports everything that is wrong with a Config, without touching any file.
func (c Config) Check() error {
	var errs []error
	wrong := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if len(c.Command) == 0 || c.Command[0] == "" {
		wrong("command: no program is named")
	}
	for _, a := range c.Command {
		if strings.ContainsRune(a, 0) {
			wrong("command: %q holds a NUL", a)
		}
	}
	switch c.Sandbox {
	case None, Files, FilesAndNetwork:
	default:
		wrong("sandbox: %q is none of %q, %q and %q", string(c.Sandbox), None, Files, FilesAndNetwork)
	}
	for _, p := range slices.Concat(c.Read, c.Write, nonEmpty(c.Dir), nonEmpty(c.Home)) {
		if !filepath.IsAbs(p) {
			wrong("%q is not an absolute path", p)
		}
	}
	if c.Sandbox == None && len(c.Read)+len(c.Write) > 0 {
		wrong("files: the sandbox %q has no use for them; say %q", None, Files)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if !validName(name) || strings.ContainsRune(c.Env[name], 0) {
			wrong("env: %q cannot be set", name)
		}
	}
	for _, name := range c.PassEnv {
		if !validName(name) {
			wrong("pass_env: %q is no name of a variable", name)
		}
	}
	l := c.Limits
	if l.Memory != 0 && l.Memory < leastMemory {
		wrong("limits: memory is %d bytes; a program needs at least %d to start", l.Memory, leastMemory)
	}
	if l.Files != 0 && l.Files < leastFiles {
		wrong("limits: %d open files; a program needs at least %d to start", l.Files, leastFiles)
	}
	if l.Processes < 0 || l.CPU < 0 || l.CPU > 0 && l.CPU < time.Second {
		wrong("limits: processes must be positive and cpu at least a second")
	}
	return errors.Join(errs...)
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func validName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// passed are the variables of the gateway that every server gets, beside LC_*.
var passed = []string{"PATH", "HOME", "LANG", "TMPDIR", "TZ"}

// environment is what the server sees, sorted. The folders are those of a sandbox.
func (c Config) environment(gateway []string, dir, temp, home string) []string {
	env := map[string]string{}
	for _, line := range gateway {
		name, value, _ := strings.Cut(line, "=")
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") || slices.Contains(c.PassEnv, name) {
			env[name] = value
		}
	}
	env["PWD"] = dir
	if c.Sandbox != None {
		env["HOME"], env["TMPDIR"] = home, temp
	}
	maps.Copy(env, c.Env)
	lines := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	return lines
}

// program finds a program as execvp would, with the server's PATH and folder.
func program(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	for _, line := range env {
		path, ok := strings.CutPrefix(line, "PATH=")
		if !ok {
			continue
		}
		for _, folder := range filepath.SplitList(path) {
			// A relative entry of PATH would let the working folder choose the program.
			if full := filepath.Join(folder, name); filepath.IsAbs(folder) && executable(full) == nil {
				return full, nil
			}
		}
	}
	return "", fmt.Errorf("%s is in no folder of PATH; install it, or name it with its path", name)
}

func executable(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable", name)
	}
	return nil
}
