package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Limits of a list of recovery codes: how far the first is from the words that announce
// it, in bytes, how long one is and how many there are.
const (
	longestAnnouncement = 120
	shortestCode        = 8
	longestCode         = 40
	mostCodes           = 32
)

// codeWords announce a list of codes that replace a second factor.
var codeWords = []string{"recovery code", "recovery_code", "recovery-code", "recoverycode", "backup code", "backup_code", "backup-code", "backupcode", "scratch code", "rescue code", "emergency code", "codes de secours", "codes de r\u00e9cup", "c\u00f3digos de recuper", "wiederherstellungscode", "backup-codes"}

// codes hides a list of codes of one shape, in lines, with commas or as items.
func (s *scan) codes(_, end int) {
	if end <= s.codesDone {
		return
	}
	limit := min(len(s.text), end+longestAnnouncement)
	at := end
	for at < limit && s.text[at] != ':' && s.text[at] != '\n' && s.text[at] != '[' && s.text[at] != '=' {
		at++
	}
	s.codesDone = at
	var list [mostCodes][2]int
	n, length, drawn := 0, 0, 0
	for ; n < mostCodes; n++ {
		from, to := s.code(at)
		if to-from < shortestCode || length > 0 && to-from != length {
			break
		}
		length = to - from
		if value := s.text[from:to]; secretvalue.Mixed(value) && !secretvalue.Identifier(value) || digitsOnly(bytes.ReplaceAll(bytes.ReplaceAll(value, []byte(" "), nil), []byte("-"), nil)) {
			drawn++
		}
		list[n] = [2]int{from, to}
		at, s.codesDone = to, to
	}
	if n < 2 || drawn*2 < n {
		return
	}
	for _, c := range list[:n] {
		s.found("named-secret", c[0], c[1])
	}
}

// code returns where the next code of a list is, behind bullets, numbers, quotes and
// commas. Four digits are half a code, the other half follows.
func (s *scan) code(at int) (from, to int) {
	gap := min(len(s.text), at+longestGap)
	for at < gap && !pattern.Alnum.Has(s.text[at]) {
		at++
	}
	from = at
	for to = from; to < len(s.text) && to-from < longestCode && (pattern.Alnum.Has(s.text[to]) || s.text[to] == '-'); {
		to++
	}
	if to-from <= 2 && to+1 < len(s.text) && (s.text[to] == '.' || s.text[to] == ')') && s.text[to+1] == ' ' && digitsOnly(s.text[from:to]) {
		return s.code(to + 1) // the number of an item
	}
	if half := to - from; (half == 4 || half == 5) && to < len(s.text) && s.text[to] == ' ' {
		next := to + 1
		for next < len(s.text) && next-to <= half && pattern.Alnum.Has(s.text[next]) {
			next++
		}
		if next-to-1 == half {
			to = next
		}
	}
	return from, to
}

// puttyKey hides the lines of the private half of a key in the format of PuTTY.
func (s *scan) puttyKey(_, end int) {
	if end < s.keyDone {
		return
	}
	stop := end
	for limit := min(len(s.text), end+longestKey); stop < limit && (pattern.Base64.Has(s.text[stop]) || s.text[stop] == '=' || s.text[stop] <= ' '); {
		stop++
	}
	body := s.text[end:stop]
	first := bytes.IndexByte(body, '\n') // behind the number of lines
	last := bytes.LastIndexByte(body, '\n')
	if s.keyDone = stop; first < 0 {
		return
	}
	if last == first || stop == len(s.text) {
		last = len(body)
	}
	for last > first && body[last-1] <= ' ' {
		last--
	}
	if keyCharacters(body[first:last]) >= shortestKey {
		s.found("private-key", end+first+1, end+last)
	}
}

// appWords announce a password that a mail or publishing service draws for one program.
var appWords = []string{"app password", "app-password", "app_password", "application password", "app-passwort", "mot de passe d'application", "contrase\u00f1a de aplicaci\u00f3n"}

// appPassword hides four or six groups of four letters or digits with blanks between them.
func (s *scan) appPassword(_, end int) {
	const group, fewest = 4, 4
	at := end
	for limit := min(len(s.text), end+longestGap); at < limit && !pattern.Alnum.Has(s.text[at]); {
		at++
	}
	if bytes.HasPrefix(s.text[at:], []byte("is ")) {
		at = s.opened(at + len("is "))
	}
	from, to, groups := at, at, 0
	for ; groups <= 6; groups++ {
		stop := at
		for stop < len(s.text) && stop-at <= group && pattern.Alnum.Has(s.text[stop]) {
			stop++
		}
		if stop-at != group {
			break
		}
		to, at = stop, stop+1
		if stop == len(s.text) || s.text[stop] != ' ' {
			groups++
			break
		}
	}
	if groups != fewest && groups != 6 {
		return
	}
	if letters := bytes.ReplaceAll(s.text[from:to], []byte(" "), nil); secretvalue.Mixed(letters) || secretvalue.Pronounced(letters) < 6 {
		s.found("named-password", from, to)
	}
}
