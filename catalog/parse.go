package catalog

import (
	"bytes"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

// MaxSpecBytes is the size of the largest document that is read: a tool's code is
// tens of kilobytes, and a model or a person reads everything in a spec at some
// point.
const MaxSpecBytes = 4 << 20

// MaxCodeBytes is the size of the largest code a spec may hold: the engine
// compiles no more, and takes two seconds for that much.
const MaxCodeBytes = 2 << 20

// Parse reads one Safe Tool Spec and reports all its problems at once, in text
// order. The Spec is nil if there is any problem. Soft advice comes from package
// lint.
func Parse(data []byte) (*Spec, Problems) {
	r := readDocument(data)
	if problems := r.done(); len(problems) > 0 {
		return nil, problems
	}
	return r.spec, nil
}

// readDocument reads the readable parts of a document.
func readDocument(data []byte) *reader {
	r := &reader{report: report{text: data}, spec: &Spec{draft: true}}
	if len(data) > MaxSpecBytes {
		r.add(ruleTooLarge, "", MaxSpecBytes, "the document has %d bytes; a spec has at most %d", len(data), MaxSpecBytes)
		return r
	}
	r.text = bytes.Clone(data)
	s := r.spec
	s.text = r.text
	root, syntax := source.Open(r.text)
	if syntax != nil {
		r.add(ruleSyntax, "", syntax.Offset, "%s", syntax.Message)
		return r
	}
	r.readable = root.Kind() == '{'
	r.document(root)
	r.invariants()
	s.toolIDDeclared = s.toolID != ""
	if !s.toolIDDeclared {
		s.toolID = DeriveToolID(s.name)
	}
	if len(r.problems) == 0 {
		s.hash = hashOf(s)
	}
	return r
}

// reader fills a spec from a document and records the members that do not fit.
type reader struct {
	report
	spec     *Spec
	readable bool // the text is a JSON object, so the spec holds something

	nameAt []place // where the name of each of spec.params stands
}

// place is a pointer with its offset in the text.
type place struct {
	pointer string
	offset  int
}

// field is one row of an object's shape.
type field struct {
	name     string
	required bool
	read     func(v source.Value, pointer string)
}

// document reads the root. Its shape is open: an unknown field is an extension and
// survives in the text.
func (r *reader) document(root source.Value) {
	s := r.spec
	shape := []field{
		{"toolId", false, r.nonEmpty(&s.toolID)},
		{"name", true, r.nonEmpty(&s.name)},
		{"description", false, r.str(&s.description)},
		{"category", false, r.str(&s.category)},
		{"tags", false, r.list(&s.tags)},
		{"params", false, r.each(r.param)},
		{"staticVariables", false, r.each(r.staticVariable)},
		{"code", true, r.str(&s.code)},
		{"codeType", true, r.word([]string{CodeJavascript}, func(int) {})},
		{"sandboxOverrides", false, r.sandboxOverrides},
		{"toolSafety", false, r.toolSafety},
		{"humanInTheLoop", false, r.approval},
		{"draft", false, r.boolean(&s.draft)},
		{"createTimestamp", false, r.timestamp(&s.created)},
		{"updateTimestamp", false, r.timestamp(&s.updated)},
	}
	r.object(root, "", true, shape)
	s.extensions = unknownMembers(root, shape)
}

func (r *reader) param(v source.Value, pointer string) {
	var p Param
	var test string
	var nameAt place
	before := len(r.problems)
	r.object(v, pointer, false, []field{
		{"name", true, func(v source.Value, pointer string) {
			nameAt = place{pointer, v.Start()}
			r.nonEmpty(&p.Name)(v, pointer)
		}},
		{"description", false, r.str(&p.Description)},
		{"required", true, r.boolean(&p.Required)},
		{"type", true, r.word(paramTypeWords(), func(i int) { p.Type = ParamType(i) })},
		{"testValue", false, func(v source.Value, pointer string) {
			r.str(&test)(v, pointer)
			p.TestValue = &test
		}},
	})
	if p.Required && p.TestValue == nil {
		r.add(ruleTestValueMissing, pointer+"/testValue", v.Start(), "a required parameter needs a testValue: the Local Pass runs the tool with it")
	}
	if len(r.problems) == before {
		r.spec.params = append(r.spec.params, p)
		r.nameAt = append(r.nameAt, nameAt)
	}
}

func paramTypeWords() []string {
	var words []string
	for _, name := range paramTypeNames {
		words = append(words, name.spec)
	}
	return words
}

func (r *reader) staticVariable(v source.Value, pointer string) {
	if v.Kind() != '{' {
		r.wrongType(v, pointer, "an object with one entry")
		return
	}
	entries := 0
	for name, value := range v.Members() {
		if entries++; entries > 1 {
			break
		}
		key, ok := name.Text()
		if !ok {
			r.add(ruleSurrogate, pointer, name.Start(), "the key holds half a surrogate pair; write whole characters")
			continue
		}
		var template string
		if value.Kind() == 'n' {
			r.wrongType(value, pointer+"/"+EscapePointer(key), "a string")
			continue
		}
		r.str(&template)(value, pointer+"/"+EscapePointer(key))
		r.spec.statics = append(r.spec.statics, StaticVariable{key, template})
	}
	if entries != 1 {
		r.add(ruleStaticShape, pointer, v.Start(), "a static variable is an object with exactly one entry, such as {\"apiKey\": \"${API_KEY}\"}; write one object for each")
	}
}

func (r *reader) sandboxOverrides(v source.Value, pointer string) {
	o := &r.spec.overrides
	r.object(v, pointer, false, []field{
		{"addAllowClasses", false, r.list(&o.AddAllowClasses)},
		{"removeAllowClasses", false, r.list(&o.RemoveAllowClasses)},
		{"addDenyClasses", false, r.list(&o.AddDenyClasses)},
		{"removeDenyClasses", false, r.list(&o.RemoveDenyClasses)},
		{"networkMode", false, r.word(networkModeNames[:], func(i int) { mode := NetworkMode(i); o.NetworkMode = &mode })},
		{"hostsAllow", false, r.list(&o.HostsAllow)},
		{"fileRead", false, r.tristate(&o.FileRead)},
		{"fileWrite", false, r.tristate(&o.FileWrite)},
		{"destructive", false, r.tristate(&o.Destructive)},
		{"fsBasePath", false, r.str(&o.FSBasePath)},
	})
}

// toolSafety reads an informational block: its shape is checked, its claims are
// not believed.
func (r *reader) toolSafety(v source.Value, pointer string) {
	d := &r.spec.declared
	var unused string
	var unusedFlag bool
	var unusedHosts []string
	r.object(v, pointer, false, []field{
		{"version", false, r.str(&d.Version)},
		{"runtime", false, r.shape([]field{
			{"id", false, r.str(&unused)},
			{"minVersion", false, r.str(&unused)},
			{"ecmaVersion", false, r.str(&unused)},
			{"javaInterop", false, r.boolean(&d.JavaInterop)},
			{"helpers", false, r.helpers},
			{"console", false, r.boolean(&unusedFlag)},
		})},
		{"category", false, r.shape([]field{
			{"source", false, r.str(&d.Origin)},
			{"id", false, r.str(&unused)},
		})},
		{"capabilities", false, r.shape([]field{
			{"network", false, r.shape([]field{
				{"mode", false, r.word(networkModeNames[:], func(int) {})},
				{"hosts", false, r.list(&unusedHosts)},
			})},
			{"fileRead", false, r.boolean(&unusedFlag)},
			{"fileWrite", false, r.boolean(&unusedFlag)},
			{"destructive", false, r.boolean(&unusedFlag)},
		})},
	})
}

func (r *reader) helpers(v source.Value, pointer string) {
	r.each(func(v source.Value, pointer string) {
		var helper string
		before := len(r.problems)
		if r.str(&helper)(v, pointer); len(r.problems) > before {
			return
		}
		if !helperForm.MatchString(helper) {
			r.add(ruleHelperForm, pointer, v.Start(), "%s is not a helper; write one like safety.http/v1 or tool-safety-helpers/v1#crypto", quote(helper))
		}
		r.spec.declared.Helpers = append(r.spec.declared.Helpers, helper)
	})(v, pointer)
}

// approval is open: the reference keeps further settings in it.
func (r *reader) approval(v source.Value, pointer string) {
	h := &r.spec.humanInTheLoop
	modes := []string{string(ApprovalDisabled), string(ApprovalRequired)}
	r.object(v, pointer, true, []field{
		{"mode", false, r.word(modes, func(i int) { h.Mode = ApprovalMode(modes[i]) })},
		{"promptTemplate", false, r.str(&h.PromptTemplate)},
	})
}

// invariants checks fields against each other, as far as their shape is right.
func (r *reader) invariants() {
	s := r.spec
	if len(s.code) > MaxCodeBytes {
		at := r.find("code")
		r.add(ruleCodeTooLarge, at.pointer, at.offset, "the code has %d bytes; a tool has at most %d", len(s.code), MaxCodeBytes)
	}
	first := map[string]int{}
	for i, p := range s.params {
		if j, taken := first[p.Name]; taken {
			r.add(ruleParamDuplicate, r.nameAt[i].pointer, r.nameAt[i].offset, "parameter %s is already declared at %s; rename one of them", quote(p.Name), r.nameAt[j].pointer)
		} else {
			first[p.Name] = i
		}
	}
	o := s.overrides
	if both := intersect(without(o.AddAllowClasses, o.RemoveAllowClasses), without(o.AddDenyClasses, o.RemoveDenyClasses)); len(both) > 0 {
		at := r.find("sandboxOverrides", "addAllowClasses")
		r.add(ruleClassConflict, at.pointer, at.offset, "%s is in addAllowClasses and in addDenyClasses; take it out of one", strings.Join(quoteAll(both), ", "))
	}
}

// find returns the position of a member of a member of the root.
func (r *reader) find(path ...string) place {
	root, _ := source.Open(r.text)
	at := place{"", root.Start()}
	for _, step := range path {
		for name, value := range root.Members() {
			if key, _ := name.Text(); key == step {
				root, at = value, place{at.pointer + "/" + step, value.Start()}
				break
			}
		}
	}
	return at
}
