package risk

import (
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

// PostureLevel scores what a tool may do: the worst of its signals, from L0 for
// a tool that only computes. It never returns L1 or L2.
func PostureLevel(p catalog.Posture) Level {
	level := L0
	for _, s := range PostureSignals(p) {
		level = Max(level, s.Level)
	}
	return level
}

// Signal is one part of a posture: what it lets a tool do, and how dangerous that alone is.
type Signal struct {
	Name  string `json:"name"` // "network", "read", "write", "destroy", "denied" or "allowed"
	Says  string `json:"says"` // in words for people
	Level Level  `json:"level"`
}

// PostureSignals returns the parts of a posture that [PostureLevel] is the worst of, those
// that grant nothing included. A posture has two readers: this one scores it and says it in
// words, the other one grants it.
func PostureSignals(p catalog.Posture) []Signal {
	return []Signal{
		{"network", networkWords(p), networkLevel(p)},
		{"read", fileWords(p.FileRead, "reads", p.FSBase), flagLevel(p.FileRead, L3)},
		{"write", fileWords(p.FileWrite, "writes", p.FSBase), flagLevel(p.FileWrite, L4)},
		{"destroy", fileWords(p.Destructive, "moves and deletes", p.FSBase), flagLevel(p.Destructive, L5)},
		{"denied", classWords("off the list of denied ones", p.RemovedDenyClasses), removedDenyLevel(p.RemovedDenyClasses)},
		{"allowed", classWords("on the list of allowed ones", p.AddedAllowClasses), addedAllowLevel(p.AddedAllowClasses)},
	}
}

func networkWords(p catalog.Posture) string {
	switch p.Network {
	case catalog.NetworkBlocked:
		return "reaches no network"
	case catalog.NetworkAllowlist:
		if len(p.Hosts) == 0 {
			return "holds a network call, and no host that it reaches"
		}
		return "sends requests to " + firstFew(p.Hosts) + " and nowhere else"
	case catalog.NetworkStrict:
		return "sends requests to any public host"
	}
	return "sends requests to any host, private networks included"
}

func fileWords(granted bool, does, base string) string {
	switch {
	case !granted:
		return does + " no files"
	case base == "":
		return does + " files of the workspace"
	}
	return does + " files below " + base
}

func classWords(where string, classes []string) string {
	if len(classes) == 0 {
		return "puts no class " + where
	}
	return "puts classes " + where + ": " + firstFew(classes)
}

// fewNames is how many names are said one by one: a person reads no longer list.
const fewNames = 6

func firstFew(names []string) string {
	if more := len(names) - fewNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:fewNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

func networkLevel(p catalog.Posture) Level {
	switch p.Network {
	case catalog.NetworkBlocked:
		return L0
	case catalog.NetworkAllowlist:
		for _, host := range p.Hosts {
			if strings.Contains(host, "*") && strings.Trim(host, "*.") == "" {
				return L4 // "*", and any other pattern of only stars and dots
			}
		}
		return L3 // also without hosts: the tool holds a network call
	case catalog.NetworkStrict:
		return L3
	}
	return L4 // open, and unknown modes
}

func flagLevel(granted bool, level Level) Level {
	if granted {
		return level
	}
	return L0
}

// removedDenyLevel scores classes taken off the baseline's deny list.
func removedDenyLevel(classes []string) Level {
	for _, class := range classes {
		if classKindOf(class) == classCritical {
			return L5
		}
	}
	switch {
	case len(classes) >= 3:
		return L4
	case len(classes) >= 1:
		return L3
	}
	return L0
}

// addedAllowLevel scores classes put on the allow list beyond the baseline's.
func addedAllowLevel(classes []string) Level {
	level := L0
	for _, class := range classes {
		switch classKindOf(class) {
		case classCritical, classFileWrite:
			level = Max(level, L5)
		case classReflection, classNetwork, classFileRead:
			level = Max(level, L4)
		default:
			level = Max(level, L3)
		}
	}
	return level
}

type classKind uint8

const (
	classOther classKind = iota
	classCritical
	classReflection
	classNetwork
	classFileRead
	classFileWrite
)

// classKinds sorts Java classes by what they reach. The first row that matches
// counts.
var classKinds = [...]struct {
	kind  classKind
	exact bool
	name  string // a whole name, or the start of one
}{
	{classCritical, false, "java.lang.System"},
	{classCritical, false, "java.lang.Runtime"},
	{classCritical, false, "java.lang.Process"},
	{classReflection, false, "java.lang.reflect"},
	{classReflection, false, "java.lang.invoke"},
	{classReflection, true, "java.lang.Class"},
	{classNetwork, false, "java.net.http"},
	{classNetwork, false, "java.net.Socket"},
	{classNetwork, false, "java.net.URL"},
	{classNetwork, false, "java.net.HttpURLConnection"},
	{classNetwork, false, "java.nio.channels.Socket"},
	{classNetwork, false, "javax.net.ssl"},
	{classNetwork, false, "org.jsoup"},
	{classFileRead, true, "java.io.File"},
	{classFileRead, false, "java.io.FileReader"},
	{classFileRead, false, "java.io.FileInputStream"},
	{classFileRead, false, "java.nio.file.Files"},
	{classFileRead, false, "java.nio.file.Path"},
	{classFileWrite, false, "java.io.FileWriter"},
	{classFileWrite, false, "java.io.FileOutputStream"},
	{classFileWrite, false, "java.io.RandomAccessFile"},
	{classFileWrite, false, "java.nio.channels.FileChannel"},
}

func classKindOf(class string) classKind {
	for _, row := range classKinds {
		if class == row.name || !row.exact && strings.HasPrefix(class, row.name) {
			return row.kind
		}
	}
	return classOther
}
