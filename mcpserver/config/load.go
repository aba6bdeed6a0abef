package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Origin says where a value came from.
type Origin string

const (
	FromDefault     Origin = "default"
	FromFile        Origin = "file"
	FromEnvironment Origin = "environment"
	FromFlag        Origin = "flag"
)

// Sources are where settings may come from. The zero value provides only the
// defaults.
type Sources struct {
	// File is the path of the file; empty if there is none.
	File string
	// Lookup finds environment variables; nil finds none.
	Lookup func(name string) (string, bool)
	// Flags are the values as typed, by the path of the key.
	Flags map[string][]string
	// Home is the home folder; empty if there is none.
	Home string
	// Dir is the working directory, the base of relative paths outside of the file;
	// empty leaves them as they are.
	Dir string
}

// Loaded is the configuration in effect.
type Loaded struct {
	Config
	File    string
	Origins map[string]Origin // by the path of the key

	sum [sha256.Size]byte // of the file
}

// Load merges the sources: a flag overrides the environment, that the file, and
// that the default. The error is [Problems], the complete list; nothing is loaded
// then.
func Load(s Sources) (*Loaded, error) {
	text, err := s.read()
	if err != nil {
		return nil, Problems{{Code: Unreadable, Source: s.File, Message: err.Error(), Fix: "name a file that can be read with --config or GLOVEBOX_CONFIG"}}
	}
	return s.Parse(text)
}

// read returns the text of the file, nil if there is none.
func (s Sources) read() ([]byte, error) {
	if s.File == "" {
		return nil, nil
	}
	// One byte over the limit, so that Parse can report it.
	return readFile(s.File, maxText+1)
}

// readFile reads the beginning of a file. It refuses a pipe, which would wait for a
// writer.
func readFile(path string, most int64) ([]byte, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// Parse is [Load] with the text of the file already read.
func (s Sources) Parse(text []byte) (*Loaded, error) {
	l := &Loaded{Config: Default(), File: s.File, Origins: map[string]Origin{}, sum: sumOf(text, nil)}
	for _, k := range Keys {
		l.Origins[k.Path] = FromDefault
	}
	in := place{home: s.Home}
	if s.File != "" && s.File != "-" {
		in.base = filepath.Join(s.Dir, filepath.Dir(s.File))
		if filepath.IsAbs(s.File) {
			in.base = filepath.Dir(s.File)
		}
	}
	file := &reading{source: s.File, in: in, config: &l.Config, at: map[string]position{}}
	file.parse(bytes.TrimPrefix(text, []byte("\ufeff")))
	for path := range file.at {
		if _, is := Find(path); is {
			l.Origins[path] = FromFile
		}
	}
	problems := file.problems
	for _, k := range Keys {
		if s.Lookup != nil {
			if value, ok := s.Lookup(k.Env()); ok && value != "" {
				r := &reading{source: k.Env(), in: place{base: s.Dir, home: s.Home}, config: &l.Config}
				r.text(k, value)
				problems = append(problems, r.problems...)
				l.Origins[k.Path] = FromEnvironment
			}
		}
		if values, ok := s.Flags[k.Path]; ok {
			r := &reading{source: "--" + k.Flag, in: place{base: s.Dir}, config: &l.Config}
			r.typed(k, values)
			problems = append(problems, r.problems...)
			l.Origins[k.Path] = FromFlag
		}
	}
	if len(problems) == 0 {
		problems = l.conflicts(file)
	}
	if err := problems.sorted().Err(); err != nil {
		return nil, err
	}
	return l, nil
}

// text reads the value of an environment variable. Commas separate the items of a
// list; a list or group may also be written in brackets, as in the file.
func (r *reading) text(k Key, value string) {
	switch {
	case takesOne(k.field(r.config)):
		r.typed(k, []string{value})
	case strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{"):
		if body, ok := r.document([]byte(value)); ok && body != nil {
			r.value(k, body)
		}
		for i := range r.problems {
			r.problems[i].Key, r.problems[i].Line, r.problems[i].Column = k.Path, 0, 0
		}
	default:
		items := strings.Split(value, ",")
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		r.typed(k, items)
	}
}

// typed reads the values of a flag, or the items of a list.
func (r *reading) typed(k Key, values []string) {
	set := func(field any, text string) {
		if err := k.assign(field, scalar{text: text}, r.in); err != nil {
			f := flawOf(err)
			r.add(f.code, k.Path, position{}, f.message, f.fix)
		}
	}
	switch field := k.field(r.config).(type) {
	case *[]string:
		*field = make([]string, len(values))
		for i := range values {
			set(&(*field)[i], values[i])
		}
	case *[]Path:
		*field = make([]Path, len(values))
		for i := range values {
			set(&(*field)[i], values[i])
		}
	default:
		if !takesOne(field) {
			r.add(WrongType, k.Path, position{}, "is no group of names", "write it in braces, such as {deleteFile: ask}")
			return
		}
		set(field, values[len(values)-1])
	}
}

// FindFile returns the configuration file to use: the named one, else the one of
// GLOVEBOX_CONFIG, else the one in the configuration folder if it exists. named is
// the value of the flag.
func FindFile(named string, lookup func(string) (string, bool), folder string) (string, error) {
	if named != "" {
		return named, nil
	}
	if file, ok := lookup("GLOVEBOX_CONFIG"); ok && file != "" {
		return file, nil
	}
	if folder == "" {
		return "", nil
	}
	file := filepath.Join(folder, "config.yaml")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	return file, nil
}

// Strays returns unknown variables with our prefix, with the names probably meant:
// a misspelt one would silently do nothing.
func Strays(environ []string) []string {
	names := []string{"GLOVEBOX_CONFIG", "GLOVEBOX_TOKEN"}
	for _, k := range Keys {
		names = append(names, k.Env())
	}
	var strays []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "GLOVEBOX_") {
			continue
		}
		known := false
		for _, n := range names {
			known = known || n == name
		}
		if guess := meant(name, names); !known && guess != "" {
			strays = append(strays, name+" is no setting"+guess)
		}
	}
	return strays
}
