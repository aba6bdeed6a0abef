package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
)

// slug allows capitals after the first letter because the bundled tools are
// camelCase.
var slug = regexp.MustCompile(`^[a-z0-9][a-zA-Z0-9_-]*$`)

func nameSlug(s *catalog.Spec, warn warn) {
	if !slug.MatchString(s.Name()) {
		warn("/name", "models write this name in calls; start with a small letter or a digit and use only letters, digits, - and _")
	}
}

func descriptionMissing(s *catalog.Spec, warn warn) {
	if strings.TrimSpace(s.Description()) == "" {
		warn("/description", "models choose a tool by its description; say what it does, what it needs and what it returns")
	}
	for i, p := range s.Params() {
		if strings.TrimSpace(p.Description) == "" {
			warn(fmt.Sprintf("/params/%d/description", i), "say what %q means and give an example", p.Name)
		}
	}
}

// described calls check for every description in the document.
func described(s *catalog.Spec, check func(pointer, text string)) {
	check("/description", s.Description())
	for i, p := range s.Params() {
		check(fmt.Sprintf("/params/%d/description", i), p.Description)
	}
}

func descriptionSecret(s *catalog.Spec, warn warn) {
	described(s, func(pointer, text string) {
		if kind := secretIn(text); kind != "" {
			warn(pointer, "this holds what looks like %s; models and the audit record would see it, so replace it and take it out", kind)
		}
	})
}

func descriptionCredentials(s *catalog.Spec, warn warn) {
	described(s, func(pointer, text string) {
		if credentials.MatchString(text) {
			warn(pointer, "this holds an address with a user or password before the @; take them out")
		}
	})
}

// shortestValue is the length of the shortest variable value that is searched for,
// the same as for masking: shorter values are ordinary words.
const shortestValue = 4

// environmentValue searches the text that a model and the audit record would read
// for current values of the tool's variables.
func environmentValue(lookup catalog.Lookup) func(*catalog.Spec, warn) {
	return func(s *catalog.Spec, warn warn) {
		lookup := catalog.FirstOf(lookup)
		for _, name := range s.Requirements() {
			value, ok := lookup(name)
			if !ok || utf8.RuneCountInString(value) < shortestValue {
				continue
			}
			check := func(pointer, text string) {
				if strings.Contains(text, value) {
					warn(pointer, "this holds the value of ${%s}; take it out, the variable is there to keep it away from models", name)
				}
			}
			described(s, check)
			for i, p := range s.Params() {
				if p.TestValue != nil {
					check(fmt.Sprintf("/params/%d/testValue", i), *p.TestValue)
				}
			}
		}
	}
}

func testValueSecret(s *catalog.Spec, warn warn) {
	for i, p := range s.Params() {
		if p.TestValue == nil {
			continue
		}
		if kind := secretIn(*p.TestValue); kind != "" {
			warn(fmt.Sprintf("/params/%d/testValue", i), "this holds what looks like %s; use a static variable with a ${ENV_VAR} reference", kind)
		}
	}
}

func testValueCredentials(s *catalog.Spec, warn warn) {
	for i, p := range s.Params() {
		if p.TestValue != nil && credentials.MatchString(*p.TestValue) {
			warn(fmt.Sprintf("/params/%d/testValue", i), "this holds an address with a user or password before the @; use one without")
		}
	}
}

func testValueUnreadable(s *catalog.Spec, warn warn) {
	_, problems := s.TestArguments()
	for _, p := range problems {
		warn(p.Pointer, "%s; the Local Pass fails with it", p.Message)
	}
}

func staticSecretLiteral(s *catalog.Spec, warn warn) {
	for i, v := range s.StaticVariables() {
		if kind := secretIn(v.Value); kind != "" {
			warn(staticPointer(i, v), "this holds what looks like %s; only values that come through a ${ENV_VAR} reference are masked", kind)
		}
	}
}

// looksLikeReference matches what people write when they mean a reference.
var looksLikeReference = regexp.MustCompile(`\$\{[^}]*\}`)

func staticNotAReference(s *catalog.Spec, warn warn) {
	for i, v := range s.StaticVariables() {
		for _, match := range looksLikeReference.FindAllString(v.Value, 10) {
			if len(catalog.References(match)) == 0 {
				warn(staticPointer(i, v), "%s stays as it is; a reference has capital letters, digits and _ only", cut(match))
			}
		}
	}
}

func staticPointer(i int, v catalog.StaticVariable) string {
	return fmt.Sprintf("/staticVariables/%d/%s", i, catalog.EscapePointer(v.Key))
}

func staticHidesParam(s *catalog.Spec, warn warn) {
	static := map[string]bool{}
	for _, v := range s.StaticVariables() {
		static[v.Key] = true
	}
	for i, p := range s.Params() {
		if static[p.Name] {
			warn(fmt.Sprintf("/params/%d/name", i), "the static variable %s wins over this parameter, so a model cannot set it; rename one", cut(p.Name))
		}
	}
}

// strictWords are names that strict code cannot use for variables, or that mean
// something else inside a function.
var strictWords = strings.Fields(`arguments eval implements interface let package private protected public static yield __proto__`)

// hostNames are what the box itself puts into a tool's scope.
var hostNames = strings.Fields(`console fetch URL URLSearchParams atob btoa crypto safety TextEncoder TextDecoder globalThis`)

func bindingName(s *catalog.Spec, warn warn) {
	check := func(pointer, name string) {
		switch {
		case !catalog.Bindable(name) || slices.Contains(strictWords, name):
			warn(pointer, "%s cannot be a variable in JavaScript, so the code cannot read it by name; rename it", cut(name))
		case slices.Contains(hostNames, name):
			warn(pointer, "%s hides what the runtime offers under that name; rename it", cut(name))
		}
	}
	for i, p := range s.Params() {
		check(fmt.Sprintf("/params/%d/name", i), p.Name)
	}
	for i, v := range s.StaticVariables() {
		check(staticPointer(i, v), v.Key)
	}
}

// categories are those of the first edition of the format and those of the
// reference's newer catalog; both are current.
var categories = strings.Fields(`WEB FILE CRYPTO DATETIME TEXT ENCODING DATA SECURITY MATH NETWORK SYSTEM UTILS OTHER
	PRODUCTIVITY MESSAGING AI CUSTOM`)

func categoryMissing(s *catalog.Spec, warn warn) {
	if s.Category() == "" {
		warn("/category", "choose one of %s", strings.Join(categories, ", "))
	}
}

func categoryVocabulary(s *catalog.Spec, warn warn) {
	if c := s.Category(); c != "" && !slices.Contains(categories, c) {
		warn("/category", "%s is no known category; a shared catalog has %s", cut(c), strings.Join(categories, ", "))
	}
}

var tags = strings.Fields(`korea example util pipeline github search finance weather geo`)

// capabilityWords say what a tool may do or needs; other fields state that, and
// there it is enforced.
var capabilityWords = strings.Fields(`network net http https internet web-access fetch egress allowlist strict open
	file files filesystem fs file-read file-write fileread filewrite read write read-only readonly destructive delete
	sandbox safe unsafe privileged admin root exec shell
	auth oauth oauth2 authenticated login token api-key apikey key secret secrets credential credentials password env`)

func tagsCount(s *catalog.Spec, warn warn) {
	if n := len(s.Tags()); n > 2 {
		warn("/tags", "%d tags; a shared catalog takes at most two", n)
	}
}

func tagsVocabulary(s *catalog.Spec, warn warn) {
	for i, tag := range s.Tags() {
		if !slices.Contains(tags, tag) {
			warn(fmt.Sprintf("/tags/%d", i), "%s is no known tag; a shared catalog has %s", cut(tag), strings.Join(tags, ", "))
		}
	}
}

func tagsCapability(s *catalog.Spec, warn warn) {
	for i, tag := range s.Tags() {
		word := strings.ReplaceAll(strings.ToLower(tag), "_", "-")
		if slices.Contains(capabilityWords, word) {
			warn(fmt.Sprintf("/tags/%d", i), "%s is a capability or a credential; sandboxOverrides and staticVariables say that", cut(tag))
		}
	}
}

func codeEmpty(s *catalog.Spec, warn warn) {
	if strings.TrimSpace(s.Code()) == "" {
		warn("/code", "the body is empty, so every call returns undefined")
	}
}

// topLevel are the fields of the format, for guessing what was meant.
var topLevel = strings.Fields(`toolId name description category tags params staticVariables code codeType sandboxOverrides
	toolSafety humanInTheLoop draft createTimestamp updateTimestamp`)

func fieldSpelling(s *catalog.Spec, warn warn) {
	meant := map[string]string{}
	for _, known := range topLevel {
		meant[plainName(known)] = known
	}
	for _, name := range s.Extensions() {
		if known := meant[plainName(name)]; known != "" {
			warn("/"+catalog.EscapePointer(name), "nobody reads %s; the format spells it %s", cut(name), known)
		}
	}
}

// approvalMode reports approval settings that have no effect because the mode is
// missing: such a tool may run unasked.
func approvalMode(s *catalog.Spec, warn warn) {
	if s.HumanInTheLoop().Mode != "" {
		return
	}
	gjson.GetBytes(s.Raw(), "humanInTheLoop").ForEach(func(name, value gjson.Result) bool {
		if name.Str != "promptTemplate" && value.Type != gjson.Null {
			warn("/humanInTheLoop/"+catalog.EscapePointer(name.Str), "nobody reads %s, and without mode the level decides; write \"mode\": \"REQUIRED\" or \"DISABLED\"", cut(name.Str))
		}
		return true
	})
}

// approvalNamesNothing reports a question that reads alike for every call.
func approvalNamesNothing(s *catalog.Spec, warn warn) {
	template := s.HumanInTheLoop().PromptTemplate
	if strings.TrimSpace(template) != "" && !strings.Contains(template, "{toolName}") && !strings.Contains(template, "{args}") {
		warn("/humanInTheLoop/promptTemplate", "the question is the same for every call; say what is asked with {toolName} or {args}")
	}
}

// plainName is a name reduced by common mistakes: case, separators, plural.
func plainName(name string) string {
	kept := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, name)
	return strings.TrimSuffix(strings.ToLower(kept), "s")
}

// cut quotes a piece of the document and keeps a message on one line.
func cut(s string) string {
	const most = 60 // characters
	if runes := []rune(s[:min(len(s), 4*most+4)]); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
