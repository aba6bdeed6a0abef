package egress

// charset is a set of bytes.
type charset [256]bool

func (s *charset) has(c byte) bool { return s[c] }

// setOf reads a list of characters and ranges such as "a-z0-9_"; a leading or
// closing "-" stands for itself.
func setOf(list string) *charset {
	var s charset
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i+1] == '-' {
			for c := int(list[i]); c <= int(list[i+2]); c++ {
				s[c] = true
			}
			i += 2
			continue
		}
		s[list[i]] = true
	}
	return &s
}

var alnum = setOf("0-9A-Za-z")
