package catalog

import (
	"fmt"
	"unicode/utf8"
)

// InCode is a place in a spec's code: a line and a column in characters, from 1.
// The zero value is no place.
type InCode struct{ Line, Column int }

// NotJavaScript is the problem of a spec whose code does not compile.
func (s *Spec) NotJavaScript(at InCode, message string) Problems {
	return s.inCode(ruleCodeSyntax, at, message)
}

// UsedAsBoth is the problem of code that uses the result of a response's body
// reader both as a value and as a promise.
func (s *Spec) UsedAsBoth(at InCode) Problems {
	return s.inCode(ruleCodeReader, at, "what this call gives is used as a value and as a promise, so one of the two goes wrong; await it, or chain on the call itself")
}

// NotWhatPassed is the problem of a spec that passed with other content, as a file of
// signed passes says.
func (s *Spec) NotWhatPassed(file string) Problems {
	return s.Locate(Problems{NewProblem(rules[rulePassChanged], "", "its content is not what passed in "+file+"; run glovebox test --sign on it")})
}

// PassesRefused is the problem of a file of signed passes that does not count.
func PassesRefused(why error) Problems {
	return Problems{NewProblem(rules[rulePassRefused], "", why.Error())}
}

func (s *Spec) inCode(rule ruleIndex, at InCode, message string) Problems {
	if at.Line > 0 {
		message = fmt.Sprintf("line %d, column %d of the code: %s", at.Line, at.Column, message)
	}
	p := NewProblem(rules[rule], "/code", message)
	p.within = at
	return s.Locate(Problems{p})
}

// offsetInString is the offset of a place in a string within the string's JSON
// text.
func offsetInString(raw []byte, at InCode) int {
	if at.Line < 1 {
		return 0
	}
	line, column, i := 1, 1, 1 // behind the quote
	for i < len(raw)-1 && (line < at.Line || line == at.Line && column < at.Column) {
		size, ends := 1, false
		switch {
		case raw[i] != '\\':
			_, size = utf8.DecodeRune(raw[i:])
		case raw[i+1] != 'u':
			size, ends = 2, raw[i+1] == 'n'
		default:
			size, ends = 6, string(raw[i+2:min(i+6, len(raw))]) == "000a" || string(raw[i+2:min(i+6, len(raw))]) == "000A"
			if half := raw[i+2] | 0x20; half == 'd' && raw[i+3]|0x20 >= '8' && raw[i+3]|0x20 <= 'b' {
				size = 12 // the other half follows
			}
		}
		i += size
		if column++; ends {
			line, column = line+1, 1
		}
	}
	return min(i, len(raw)-1)
}
