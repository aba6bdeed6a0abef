package egress

import "bytes"

// pairs are the pairs of letters that make up most of the words of European
// languages in the Latin alphabet, counted in their commonest words. Of random
// letters a quarter are among them, of words nine tenths.
const pairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur " +
	"ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir " +
	"su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag do ei ue av gr ck lt ap sp bo da ga rd rm ga ub od ef ob " +
	"ba bi br bu by cr cu cl cy du dr dd eg ep ey ew eb ff fl fu gi go gl gu ib ip if ja je jo ju ki kn ks lu lf lk lm ls mb mm ms mu my nk nn nu nl nm nv " +
	"ok oc oi ov pi pp ps pt pu py qu rc rg rk rl rn rr ru rv sc sk sl sm sn sw sy tt tw ty ug um up uc ud uf va vo ws wn xp xt ye ys yp ze zi au ei ok og ov eu ua oa oe ah oh ak ik ek uk az iz oz ez yo"

// common is pairs by letter: bit 26*a+b.
var common = func() (table [26 * 26]bool) {
	for _, p := range bytes.Fields([]byte(pairs)) {
		table[int(p[0]-'a')*26+int(p[1]-'a')] = true
	}
	return table
}()

// pronounced returns the share, in eighths, of the pairs of neighbouring letters
// that words are made of.
func pronounced(value []byte) int {
	all, known := 0, 0
	for i := 1; i < len(value); i++ {
		a, b := lowerByte(value[i-1]), lowerByte(value[i])
		if isLower(a) && isLower(b) {
			all++
			if common[int(a-'a')*26+int(b-'a')] {
				known++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return known * 8 / all
}

// random reports whether a run of token characters looks drawn rather than
// written: no word, number, date, version or name made of those.
func random(value []byte) bool {
	letters, digits, changes, runs := 0, 0, 0, 0
	prev := byte(0)
	for _, c := range value {
		k := byte(0)
		switch {
		case isLower(c):
			k = 'a'
		case isUpper(c):
			k = 'A'
		case '0' <= c && c <= '9':
			k = '0'
		}
		if k == '0' {
			digits++
		} else if k != 0 {
			letters++
		}
		if k != prev && k != 0 {
			runs++
			if prev != 0 && !(prev == 'A' && k == 'a') {
				changes++
			}
		}
		prev = k
	}
	switch {
	case letters+digits == 0:
		return false
	case letters == 0:
		return false
	case digits == 0 && changes*5 <= letters:
		return pronounced(value) < 5
	case letters <= 2 && dated(value):
		return false
	}
	// Letters and digits in turn, or capitals in the middle of words.
	return changes >= 2 && changes*8 >= len(value) || changes >= 1 && pronounced(value) < 5 && len(value) >= 4
}

// dated reports whether a value begins like a date or an address of numbers.
func dated(value []byte) bool {
	i := 0
	for i < len(value) && '0' <= value[i] && value[i] <= '9' {
		i++
	}
	return 1 <= i && i <= 4 && i+2 < len(value) && (value[i] == '-' || value[i] == '.' || value[i] == ':' || value[i] == '/') && '0' <= value[i+1] && value[i+1] <= '9'
}

// written reports whether a few characters are a word rather than the rest of a
// token: small letters, or a capital before them.
func written(value []byte) bool {
	for i, c := range value {
		if !isLower(c) && !(i == 0 && isUpper(c)) && c != '.' && c != ':' {
			return !random(value) && bytes.ContainsAny(value, "_-:.=/")
		}
	}
	return true
}
