package overlap

// moment reports whether a text is a date, a time of day, or both, in the order of ISO
// 8601: 2026-11-23, 12:30, 2026-11-23T12:30:00.5+01:00.
func moment(s string) bool {
	rest, date := digits(s, 4, "-/.")
	if date {
		if rest, date = digits(rest, 2, "-/."); date {
			rest, date = digits(rest, 2, "")
		}
		if !date {
			return false
		}
		if rest == "" {
			return true
		}
		if rest[0] != 'T' && rest[0] != ' ' {
			return false
		}
		rest = rest[1:]
	} else {
		rest = s
	}
	return timeOfDay(rest)
}

// timeOfDay reports whether a text is hours and minutes, and whatever may follow them:
// seconds, parts of one, a zone.
func timeOfDay(s string) bool {
	rest, ok := digits(s, 2, ":")
	if ok {
		rest, ok = digits(rest, 2, "")
	}
	if !ok || len(rest) > len(":00.000000000+00:00") {
		return false
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case c >= '0' && c <= '9', c == ':', c == '.', c == '+', c == '-', c == 'Z':
		default:
			return false
		}
	}
	return true
}

// digits cuts n digits off, and one of the marks behind them if there are any to be.
func digits(s string, n int, marks string) (rest string, ok bool) {
	if len(s) < n {
		return s, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return s, false
		}
	}
	s = s[n:]
	if marks == "" {
		return s, true
	}
	for i := range len(marks) {
		if s != "" && s[0] == marks[i] {
			return s[1:], true
		}
	}
	return s, false
}
