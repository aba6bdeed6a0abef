package capability

import "math/bits"

// A rule combines words of one sentence or one name. It fires when the text contains
// one of its verbs and one noun of each of its sets. With wide, verbs and nouns of
// the whole definition count: this is for nouns that are parameter names, whose
// sentence is elsewhere.
type rule struct {
	id    string
	class Class
	verbs sense
	nouns kind
	more  kind // a second noun, if not zero
	not   kind // words that, standing before, make the sentence mean less
	// A parameter's description that mentions it describes an option of a tool
	// whose purpose is another one.
	main bool
	// How many words may stand between verb and noun, 0 for a whole sentence.
	near int
	// The rule is for such descriptions alone.
	option bool
}

// rules are tried for every word that means something. IDs are never reused.
var rules = []rule{
	{id: "R01", class: Delete, verbs: deletes, main: true},
	{id: "R02", class: Delete, verbs: removes, nouns: data, main: true},
	{id: "R03", class: Destroy, verbs: deletes, nouns: allOf, near: 5},
	{id: "R04", class: Destroy, verbs: removes, nouns: allOf, more: data, near: 5},
	{id: "R05", class: RunShell, verbs: executes | runs, nouns: shell},
	{id: "R06", class: RunCode, verbs: executes | runs | evaluates, nouns: program},
	{id: "R07", class: RunSQL, verbs: executes | runs, nouns: sqlNoun, not: readOnly},
	{id: "R08", class: RunSQL, nouns: sqlNoun, more: anyOf},
	{id: "R09", class: RunSQL, nouns: sqlNoun, more: modifySQL},
	{id: "R10", class: Query, nouns: sqlNoun},
	{id: "R11", class: Query, nouns: queryWord, more: database},
	{id: "R12", class: Query, verbs: executes | runs, nouns: database},
	{id: "R13", class: ReadSecret, verbs: reveals | fetches, nouns: secret | keeper, near: 8},
	{id: "R14", class: Grant, verbs: grants},
	{id: "R15", class: Grant, verbs: sets | shares | adds | turns, nouns: right, near: 6},
	{id: "R16", class: Grant, verbs: makes | shares, nouns: everybody, near: 8},
	{id: "R17", class: Grant, verbs: sets, nouns: secret, near: 6},
	{id: "R18", class: Pay, verbs: pays},
	{id: "R19", class: Pay, verbs: transfers, nouns: money},
	{id: "R20", class: Pay, verbs: reserves, nouns: priced | money, near: 6},
	{id: "R21", class: Send, verbs: sends},
	{id: "R22", class: Change, verbs: changes | grants | shares, main: true},
	{id: "R23", class: Change, verbs: adds, nouns: data, not: number, main: true},
	{id: "R24", class: Change, verbs: removes, nouns: data, main: true},
	{id: "R25", class: WriteFile, verbs: writes | changes, nouns: file},
	{id: "R26", class: Operate, verbs: clicks},
	{id: "R27", class: Operate, verbs: types | runs | opens | turns | changes, nouns: screen},
	{id: "R28", class: Actuate, verbs: actuates},
	{id: "R29", class: Actuate, verbs: turns | runs | changes | types, nouns: device},
	{id: "R30", class: Fetch, verbs: fetches, nouns: address},
	{id: "R31", class: SearchWeb, verbs: finds, nouns: web},
	{id: "R32", class: ReadFile, verbs: looks | finds, nouns: file},
	{id: "R33", class: Read, verbs: looks | finds | reveals},
	{id: "R34", class: Compute, verbs: computes},
	{id: "R35", class: Change, verbs: executes, main: true},
	{id: "R36", class: Pay, verbs: changes | executes | makes, nouns: money, near: 6},
	{id: "R37", class: Change, verbs: pays},
	{id: "R38", class: Change, verbs: sets, nouns: data, main: true},
	{id: "R40", class: RunShell, verbs: opens, nouns: session},
	{id: "R41", class: Send, verbs: posts, nouns: message | everybody},
	{id: "R42", class: Change, verbs: posts, nouns: data},
	{id: "R43", class: Delete, verbs: drops, nouns: dbObject},
	{id: "R44", class: Destroy, verbs: drops, nouns: dbObject, more: allOf},
	{id: "R45", class: Change, verbs: deletes | removes, option: true},
	{id: "R46", class: Operate, verbs: drops, nouns: screen},
	{id: "R54", class: Fetch, nouns: request},
	{id: "R55", class: RunShell, nouns: commandLine, option: true},
	{id: "R56", class: RunSQL, verbs: executes | runs, nouns: anyOf, more: database},
	{id: "R57", class: RunSQL, verbs: executes | runs, nouns: modifySQL},
	{id: "R58", class: Send, verbs: reserves | makes | changes, nouns: call},
	{id: "R59", class: Grant, verbs: admits, nouns: principal, near: 4},
	{id: "R60", class: ReadSecret, verbs: reveals | fetches | looks, nouns: decrypted, near: 8},
	{id: "R61", class: ReadSecret, nouns: decrypted, more: secret | keeper},
	{id: "R62", class: RunSQL, nouns: ddl},
	{id: "R63", class: Change, verbs: opens, nouns: matter, near: 4, main: true},
	{id: "R39", class: RunSQL, verbs: writes | changes, nouns: sqlNoun, not: readOnly},
}

// nameRules hold for the name of a tool alone, where a noun can stand for the
// whole deed: a tool called terminal is one.
var nameRules = []rule{
	{id: "R50", class: RunShell, nouns: strongSell, not: lookOnly},
	{id: "R52", class: Change, verbs: runs | opens},
	{id: "R51", class: SearchWeb, nouns: web},
}

// close reports whether a verb and a noun of the rule stand close enough.
func (r rule) close(c *clause) bool {
	if r.near == 0 {
		return true
	}
	nouns := r.nouns
	if r.more != 0 && r.nouns&allOf == 0 {
		nouns |= r.more
	}
	for v := r.verbs & c.verbs; v != 0; v &= v - 1 {
		for n := nouns & c.nouns; n != 0; n &= n - 1 {
			between := c.verbAt[bits.TrailingZeros32(uint32(v))] - c.nounAt[bits.TrailingZeros64(uint64(n))]
			if max(between, -between) <= r.near {
				return true
			}
		}
	}
	return false
}

// fires reports whether the words read so far satisfy the rule.
func (r rule) fires(verbs sense, nouns kind) bool {
	return (r.verbs == 0 || r.verbs&verbs != 0) &&
		(r.nouns == 0 || r.nouns&nouns != 0) &&
		(r.more == 0 || r.more&nouns != 0) &&
		r.not&nouns == 0
}
