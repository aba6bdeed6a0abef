package fingerprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Class is a kind of change.
type Class string

const (
	Cosmetic           Class = "cosmetic"            // spacing, case, punctuation, icons
	Documentation      Class = "documentation"       // other words
	SchemaNarrowed     Class = "schema-narrowed"     // accepts or returns less
	SchemaWidened      Class = "schema-widened"      // accepts or returns more, or something else
	AnnotationWeakened Class = "annotation-weakened" // warns of less, or withdraws a promise
	InstructionAdded   Class = "instruction-added"   // a text now tries to make the model do something
	CapabilityAdded    Class = "capability-added"    // the tool can do something it could not do before
)

// Change is one difference between two definitions.
type Change struct {
	Class   Class  `json:"class"`
	Pointer string `json:"pointer"` // JSON pointer into the definition
	Why     string `json:"why"`
}

// Difference is everything that changed, in a stable order.
type Difference struct {
	Changes []Change `json:"changes"`
	// Grew is set when the tool can do more than before, or no longer promises
	// that it cannot. A reworded sentence is not a new side effect.
	Grew bool `json:"grew"`
}

// Has reports whether d contains a change of class c.
func (d Difference) Has(c Class) bool {
	return slices.ContainsFunc(d.Changes, func(x Change) bool { return x.Class == c })
}

// Compare explains what changed from one definition of a tool to another. scan
// returns the instructions in a definition, one stable text for each; if it is nil,
// Compare looks for none.
func Compare(before, after []byte, scan func(tool []byte) []string) (Difference, error) {
	old, err := decode(before)
	if err != nil {
		return Difference{}, fmt.Errorf("before: %w", err)
	}
	now, err := decode(after)
	if err != nil {
		return Difference{}, fmt.Errorf("after: %w", err)
	}
	c := &comparison{known: families(old), further: map[Class]int{}}
	for _, key := range bothKeys(old, now) {
		c.field(key, old[key], now[key])
	}
	if scan != nil {
		c.instructions(scan(before), scan(after))
	}
	if len(c.changes) == 0 && !bytes.Equal(canonical(before), canonical(after)) {
		c.add(Cosmetic, nil, "a field that holds nothing")
	}
	return c.result(), nil
}

// canonical returns the canonical form of a definition that is known to have one.
func canonical(tool []byte) []byte {
	form, _ := Form(tool)
	return form
}

// decode reads a definition through its canonical form, which bounds the depth and
// removes duplicate keys.
func decode(tool []byte) (fields map[string]any, err error) {
	form, err := Form(tool)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(form))
	dec.UseNumber() // as a double, 1 and 1.0 would be no change
	return fields, dec.Decode(&fields)
}

// maxChanges is how many changes are listed one by one. A person reads fewer, and a
// hostile definition could make each of them long.
const maxChanges = 1000

type comparison struct {
	known   map[string]bool // capability families of the definition before
	changes []Change
	further map[Class]int // changes beyond maxChanges
	grew    bool
}

// place is a position in a definition. It becomes a string only when a change is
// reported there.
type place struct {
	within *place
	key    string
}

func (p *place) at(key string) *place { return &place{p, key} }

// String returns the JSON pointer.
func (p *place) String() string {
	var keys []string
	for ; p != nil; p = p.within {
		keys = append(keys, strings.ReplaceAll(strings.ReplaceAll(p.key, "~", "~0"), "/", "~1"), "/")
	}
	slices.Reverse(keys)
	return strings.Join(keys, "")
}

func (c *comparison) add(class Class, at *place, why string) {
	c.grew = c.grew || class == CapabilityAdded || class == SchemaWidened
	if len(c.changes) >= maxChanges {
		c.further[class]++
		return
	}
	c.changes = append(c.changes, Change{class, at.String(), why})
}

func (c *comparison) result() Difference {
	for class, n := range c.further {
		c.changes = append(c.changes, Change{class, "", fmt.Sprintf("%d changes more", n)})
	}
	slices.SortFunc(c.changes, func(a, b Change) int {
		if n := strings.Compare(a.Pointer, b.Pointer); n != 0 {
			return n
		}
		return strings.Compare(string(a.Class)+a.Why, string(b.Class)+b.Why)
	})
	return Difference{Changes: slices.Compact(c.changes), Grew: c.grew}
}

func (c *comparison) field(key string, old, now any) {
	at := (*place)(nil).at(key)
	switch {
	case same(old, now):
	case key == "name":
		c.add(CapabilityAdded, at, fmt.Sprintf("renamed from %.80q to %.80q: another tool", fmt.Sprint(old), fmt.Sprint(now)))
	case key == "annotations":
		c.annotations(at, old, now)
	case key == "inputSchema", key == "outputSchema":
		c.schema(at, orAny(old), orAny(now))
	case key == "icons":
		c.add(Cosmetic, at, "other icons")
	default:
		c.text(at, old, now)
	}
}

// orAny turns an absent schema into the one that accepts everything.
func orAny(schema any) any {
	if schema == nil {
		return true
	}
	return schema
}

// text compares two values as a reader would.
func (c *comparison) text(at *place, old, now any) {
	before, after := flatten(old), flatten(now)
	if plain(before) == plain(after) {
		c.add(Cosmetic, at, "spacing, case or punctuation")
		return
	}
	added := newFamilies(c.known, familiesOfText(after))
	for _, family := range added {
		c.add(CapabilityAdded, at, "now speaks of "+family)
	}
	if len(added) == 0 {
		c.add(Documentation, at, "other words")
	}
}

// warnings are hints that count against a tool when true; promises count in its
// favour.
var (
	warnings = []string{"destructiveHint", "openWorldHint"}
	promises = []string{"readOnlyHint", "idempotentHint"}
)

func (c *comparison) annotations(at *place, old, now any) {
	before, _ := old.(map[string]any)
	after, _ := now.(map[string]any)
	for _, key := range bothKeys(before, after) {
		a, aThere := before[key]
		b, bThere := after[key]
		at := at.at(key)
		switch {
		case aThere == bThere && same(a, b):
		case slices.Contains(warnings, key) && b == true:
			c.add(CapabilityAdded, at, "now declares "+key)
		case slices.Contains(warnings, key):
			c.add(AnnotationWeakened, at, fmt.Sprintf("%s was %s and is %s", key, hint(a, aThere), hint(b, bThere)))
		case slices.Contains(promises, key) && (a == true || b == true):
			c.add(AnnotationWeakened, at, fmt.Sprintf("%s was %s and is %s", key, hint(a, aThere), hint(b, bThere)))
			c.grew = c.grew || a == true
		case slices.Contains(promises, key):
			c.add(Cosmetic, at, "absent and false promise the same")
		default:
			c.text(at, a, b)
		}
	}
	if !isObject(old) || !isObject(now) {
		if old != nil && now != nil {
			c.add(AnnotationWeakened, at, "the annotations are of another type")
		}
	}
}

func hint(value any, there bool) string {
	if !there {
		return "absent"
	}
	return fmt.Sprintf("%.40s", fmt.Sprint(value))
}

func (c *comparison) instructions(before, after []string) {
	for _, found := range after {
		if !slices.Contains(before, found) {
			c.add(InstructionAdded, nil, found)
		}
	}
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

func bothKeys(a, b map[string]any) []string {
	keys := map[string]bool{}
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
