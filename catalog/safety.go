package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// RuntimeID names this runtime in toolSafety blocks.
	RuntimeID = "glovebox/quickjs-wasm"
	// RuntimeVersion is the first release that can run a tool of this spec
	// version; it goes into toolSafety.runtime.minVersion.
	RuntimeVersion = "0.1.0"
	// SpecVersion is the version of the Safe Tool Specification that is written.
	SpecVersion = "1.0"

	ecmaVersion = "2024"
	specMajor   = 1
)

// The helper groups of this runtime, as documents name them. The first two exist
// for a tool only if its posture grants them.
const (
	HelperFS       = "safety.fs/v1"
	HelperHTTP     = "safety.http/v1"
	HelperParser   = "safety.parser/v1"
	BundleParser   = "tool-safety-helpers/v1#parser"
	BundleCrypto   = "tool-safety-helpers/v1#crypto"
	BundleEncoding = "tool-safety-helpers/v1#encoding"
)

// Helpers lists the helper groups that a posture makes available.
func Helpers(p Posture) []string {
	var granted []string
	if p.FileRead || p.FileWrite {
		granted = append(granted, HelperFS)
	}
	if p.Network != NetworkBlocked {
		granted = append(granted, HelperHTTP)
	}
	return append(granted, HelperParser, BundleParser, BundleCrypto, BundleEncoding)
}

// Where a spec came from, for [Spec.Resolve].
const (
	SourceBuiltin = "builtin" // ships with the program
	SourceUser    = "user"    // everything else
)

// ToolSafety records what is enforced for a tool. It is computed, never read from
// a file, and never says how risky the tool is.
type ToolSafety struct {
	Version string `json:"version"`
	Runtime struct {
		ID          string   `json:"id"`
		MinVersion  string   `json:"minVersion"`
		ECMAVersion string   `json:"ecmaVersion"`
		JavaInterop bool     `json:"javaInterop"`
		Helpers     []string `json:"helpers"`
		Console     bool     `json:"console"`
	} `json:"runtime"`
	Category struct {
		Source string `json:"source"`
		ID     string `json:"id"`
	} `json:"category"`
	Capabilities struct {
		Network struct {
			Mode  string   `json:"mode"`
			Hosts []string `json:"hosts"`
		} `json:"network"`
		FileRead  bool `json:"fileRead"`
		FileWrite bool `json:"fileWrite"`
		// Destructive came after the document's first version, so it only shows
		// when it says something.
		Destructive bool `json:"destructive,omitempty"`
	} `json:"capabilities"`
}

// SafetyOf writes a posture as a toolSafety block.
func SafetyOf(p Posture, source, category string) ToolSafety {
	var t ToolSafety
	t.Version = SpecVersion
	t.Runtime.ID = RuntimeID
	t.Runtime.MinVersion = RuntimeVersion
	t.Runtime.ECMAVersion = ecmaVersion
	t.Runtime.Helpers = Helpers(p)
	t.Runtime.Console = true
	t.Category.Source = source
	t.Category.ID = category
	t.Capabilities.Network.Mode = p.Network.String()
	t.Capabilities.Network.Hosts = append([]string{}, p.Hosts...)
	t.Capabilities.FileRead = p.FileRead
	t.Capabilities.FileWrite = p.FileWrite
	t.Capabilities.Destructive = p.Destructive
	return t
}

// Caps summarises in a few characters what a tool may do, for spans and log lines:
// R and W for files, +net: and the mode for the network, or none.
func (t ToolSafety) Caps() string {
	can, caps := t.Capabilities, ""
	if can.FileRead {
		caps += "R"
	}
	if can.FileWrite {
		caps += "W"
	}
	if mode := can.Network.Mode; mode != NetworkBlocked.String() {
		caps += "+net:" + mode
	}
	return cmp.Or(caps, "none")
}

// Resolve computes what is enforced for the tool. The problems are all
// RESOLVER_REJECT: a class conflict with the baseline, or a helper or a major
// version of the format that this runtime does not have. With any problem the
// posture asks for nothing.
func (s *Spec) Resolve(b Baseline, c Ceiling, source string) (Posture, ToolSafety, Problems) {
	var problems Problems
	reject := func(rule ruleIndex, pointer, format string, args ...any) {
		if len(problems) >= maxProblems {
			return
		}
		problems = append(problems, NewProblem(rules[rule], pointer, fmt.Sprintf(format, args...)))
	}
	if version := s.declared.Version; version != "" && majorOf(version) != specMajor {
		reject(ruleVersionUnavailable, "/toolSafety/version", "version %s is not readable here; this runtime reads %d.x", quote(version), specMajor)
	}
	for i, helper := range s.declared.Helpers {
		if have := []string{HelperFS, HelperHTTP, HelperParser, BundleParser, BundleCrypto, BundleEncoding}; !slices.Contains(have, helper) {
			reject(ruleHelperUnavailable, fmt.Sprintf("/toolSafety/runtime/helpers/%d", i), "this runtime has no %s, only %s; take out what the code does not use", quote(helper), strings.Join(have, ", "))
		}
	}
	p, err := Resolve(s.overrides, b, c)
	if err != nil {
		reject(ruleClassOverlap, "/sandboxOverrides", "%v", err)
	}
	if len(problems) > 0 {
		return Posture{}, SafetyOf(Posture{}, source, s.category), s.Locate(problems)
	}
	return p, SafetyOf(p, source, s.category), nil
}

// majorOf reads the first number of "1.0", -1 when there is none.
func majorOf(version string) int {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
