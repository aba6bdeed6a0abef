package catalog

import (
	"fmt"
	"strings"
)

// File is a spec and the name of its origin, for messages.
type File struct {
	Name string
	Spec *Spec
}

// CheckTogether finds problems that only exist between documents: a toolId that is
// used twice, and two specs of one name that both want to be published. Each
// document of such a group gets a problem that names the others, and none of them
// may be published: choosing one would be guessing. Drafts may share a name. The
// result has one list for each file, nil for most.
func CheckTogether(files []File) []Problems {
	problems := make([]Problems, len(files))
	clash := func(rule ruleIndex, pointer string, key func(*Spec) string, say string) {
		groups := map[string][]int{}
		for i, f := range files {
			if k := key(f.Spec); k != "" {
				groups[k] = append(groups[k], i)
			}
		}
		for i, f := range files {
			k := key(f.Spec)
			if group := groups[k]; k != "" && len(group) > 1 {
				message := fmt.Sprintf("%s %s is also used by %s; %s", pointer[1:], quote(k), othersIn(files, group, i), say)
				problems[i] = append(problems[i], f.Spec.Locate(Problems{NewProblem(rules[rule], pointer, message)})...)
			}
		}
	}
	// A derived toolId follows the name, so two drafts of one name share it
	// unintentionally.
	declared := map[string]bool{}
	for _, f := range files {
		if f.Spec.toolIDDeclared {
			declared[f.Spec.toolID] = true
		}
	}
	clash(ruleToolIDTwice, "/toolId", func(s *Spec) string {
		if !declared[s.toolID] {
			return ""
		}
		return s.toolID
	}, "give one of them another")
	clash(ruleNameTwice, "/name", func(s *Spec) string {
		if s.draft {
			return ""
		}
		return s.name
	}, "neither is published; rename one or make it a draft")
	return problems
}

// othersIn names the files of a group except one.
func othersIn(files []File, group []int, self int) string {
	const most = 5 // names in one message
	var names []string
	for _, i := range group {
		if i != self && len(names) < most {
			names = append(names, files[i].Name)
		}
	}
	if more := len(group) - 1 - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
