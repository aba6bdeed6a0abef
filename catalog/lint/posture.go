package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

func mode(s *catalog.Spec) catalog.NetworkMode {
	if m := s.Overrides().NetworkMode; m != nil {
		return *m
	}
	return catalog.NetworkBlocked
}

func networkOpen(s *catalog.Spec, warn warn) {
	if mode(s) == catalog.NetworkOpen {
		warn("/sandboxOverrides/networkMode", "open reaches private networks as well; use strict for any public host, or allowlist")
	}
}

func hostsUnused(s *catalog.Spec, warn warn) {
	if o := s.Overrides(); len(o.HostsAllow) > 0 && o.NetworkMode != nil && mode(s) != catalog.NetworkAllowlist {
		warn("/sandboxOverrides/hostsAllow", "these hosts mean nothing in mode %s; use allowlist or take them out", mode(s))
	} else if len(o.HostsAllow) > 0 && o.NetworkMode == nil {
		warn("/sandboxOverrides/hostsAllow", "these hosts mean nothing without networkMode allowlist")
	}
}

func hostsEmpty(s *catalog.Spec, warn warn) {
	if mode(s) == catalog.NetworkAllowlist && len(s.Overrides().HostsAllow) == 0 {
		warn("/sandboxOverrides/networkMode", "an allowlist without hosts reaches nothing and still counts as network access; list the hosts")
	}
}

// hostPattern is a DNS name or an IPv4 address, with or without a leading "*.";
// no scheme, port, path or user.
var hostPattern = regexp.MustCompile(`^(\*|(\*\.)?[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?)*)$`)

func hostForm(s *catalog.Spec, warn warn) {
	for i, host := range s.Overrides().HostsAllow {
		if !hostPattern.MatchString(host) {
			warn(fmt.Sprintf("/sandboxOverrides/hostsAllow/%d", i), "%s is no host name; write api.example.com, *.example.com or *, without scheme, port or path", cut(host))
		}
	}
}

func destructiveAlone(s *catalog.Spec, warn warn) {
	o := s.Overrides()
	if on(o.Destructive) && !on(o.FileWrite) {
		warn("/sandboxOverrides/destructive", "moving and deleting needs fileWrite as well; set it, or take destructive out")
	}
}

func on(flag *bool) bool { return flag != nil && *flag }

func javaReach(s *catalog.Spec, warn warn) {
	if s.Declared().JavaInterop {
		warn("/toolSafety/runtime/javaInterop", "this runtime has no Java; code that uses it fails")
	}
	if len(s.Overrides().AddAllowClasses) > 0 {
		warn("/sandboxOverrides/addAllowClasses", "no class can be reached here, but the list raises the Risk Level; take it out")
	}
	if len(s.Overrides().RemoveDenyClasses) > 0 {
		warn("/sandboxOverrides/removeDenyClasses", "no class can be reached here, but the list raises the Risk Level; take it out")
	}
}

func helperNotGranted(s *catalog.Spec, warn warn) {
	granted := catalog.Helpers(catalog.Request(s.Overrides(), catalog.DefaultBaseline()))
	for i, helper := range s.Declared().Helpers {
		if !slices.Contains(granted, helper) && slices.Contains([]string{catalog.HelperFS, catalog.HelperHTTP}, helper) {
			warn(fmt.Sprintf("/toolSafety/runtime/helpers/%d", i), "%s is declared but sandboxOverrides does not ask for it; the code will not find it", strings.TrimSpace(helper))
		}
	}
}
