package language

// What points mean: from Remarkable on a text is worth a line in a report, at
// Actionable it is acted on, at Certain it can be refused without asking, and from
// Overwhelming on nothing speaks against it: several rules agree that are certain alone.
const (
	Remarkable   = 60
	Actionable   = 100
	Certain      = 150
	Overwhelming = 240
)

// passage is how many tokens apart evidence may stand and still be about the
// same thing: two or three sentences. Long honest manuals say "must" in one
// chapter and "upload" in another.
const passage = 90

// verdict is the worst passage of a text.
type verdict struct {
	points      int
	class       string
	first, last int32 // tokens
	rules       ruleSet
}

// maxRules is how many rules a ruleSet holds.
const maxRules = 128

// ruleSet is a set of indices into the rules.
type ruleSet [maxRules / 64]uint64

func (s *ruleSet) add(rule uint16)   { s[rule>>6] |= 1 << (rule & 63) }
func (s *ruleSet) has(rule int) bool { return s[rule>>6]&(1<<(rule&63)) != 0 }

// judge weighs signals, which stand in the order of their first tokens. extra is
// what the place of the text adds. A window slides over them; a signal enters
// and leaves it once.
func (l *grammar) judge(signals []signal, extra int) (worst verdict) {
	var count [maxRules]int
	var sum [groupCount]int
	if extra > 0 {
		sum[placing] = min(extra, groups[placing].cap)
	}
	left := 0
	for right, s := range signals {
		r := &l.rules[s.rule]
		if count[s.rule]++; count[s.rule] == 1 {
			sum[r.group] += r.points
		}
		for s.first-signals[left].first > passage {
			old := signals[left].rule
			if count[old]--; count[old] == 0 {
				sum[l.rules[old].group] -= l.rules[old].points
			}
			left++
		}
		if total, class := weigh(&sum); total > worst.points {
			worst = verdict{points: total, class: class, first: signals[left].first, last: s.last}
			for _, in := range signals[left : right+1] {
				worst.last = max(worst.last, in.last)
				worst.rules.add(in.rule)
			}
		}
	}
	return worst
}

// A manner of speaking counts at most mannerBonus more than the deeds that it
// dresses up, so that a deed which occurs in honest texts as well (35 points: a
// call of another tool) is not condemned by "you must ... first". Several official
// phrases at once are rare in honest texts and count for more.
const (
	mannerBonus   = 25
	officialBonus = 45
	official      = 70
)

// weigh adds the groups up, each to its cap.
func weigh(sum *[groupCount]int) (total int, class string) {
	most, deeds, manner := 0, 0, 0
	for g, points := range sum {
		points = min(points, groups[g].cap)
		if group(g) > lastAction {
			manner += points
			continue
		}
		deeds += points
		if points > most {
			most, class = points, groups[g].class
		}
	}
	if deeds == 0 {
		return 0, ""
	}
	bonus := mannerBonus
	if min(sum[authority], groups[authority].cap) >= official {
		bonus = officialBonus
	}
	return deeds + min(manner, deeds+bonus), class
}
