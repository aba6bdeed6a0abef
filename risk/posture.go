package risk

import (
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

// PostureLevel scores what a tool may do: the worst of its signals, from L0 for
// a tool that only computes. It never returns L1 or L2. A posture has two readers:
// this one scores it, the other one grants it.
func PostureLevel(p catalog.Posture) Level {
	level := L0
	for _, signal := range [...]Level{
		networkLevel(p),
		flagLevel(p.FileRead, L3),
		flagLevel(p.FileWrite, L4),
		flagLevel(p.Destructive, L5),
		removedDenyLevel(p.RemovedDenyClasses),
		addedAllowLevel(p.AddedAllowClasses),
	} {
		level = Max(level, signal)
	}
	return level
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
