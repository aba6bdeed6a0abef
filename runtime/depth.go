package runtime

// MaxDepth is how deep the JSON that a tool returns may be nested. Decoders on
// the other side stop at depths of their own: Python's at 1,000, Go's at 10,000.
const MaxDepth = 512

// deeper reports whether JSON is nested more than max deep.
func deeper(text []byte, max int) bool {
	depth := 0
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			if depth++; depth > max {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
