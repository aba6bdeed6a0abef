package parse

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// coreSchema are the plain scalars that are no strings, YAML 1.2.2 section 10.3.2.
// The library knows more of them from YAML 1.1, such as 0777 and 1_000.
var coreSchema = []struct {
	tag  string
	text *regexp.Regexp
}{
	{"!!null", regexp.MustCompile(`^(~|null|Null|NULL)?$`)},
	{"!!bool", regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)},
	{"!!int", regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)},
	{"!!float", regexp.MustCompile(`^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)},
}

// longestPlain bounds what is looked at for a number: no longer text is worth one.
const longestPlain = 1000

func coreTag(text string) string {
	if len(text) <= longestPlain {
		for _, row := range coreSchema {
			if row.text.MatchString(text) {
				return row.tag
			}
		}
	}
	return "!!str"
}

// scalar is the JSON of a scalar by its tag, given or resolved.
func scalar(n *yaml.Node) ([]byte, error) {
	const written = yaml.TaggedStyle | yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	tag := n.ShortTag()
	if n.Style&written == 0 {
		tag = coreTag(n.Value)
	}
	is := coreTag(n.Value)
	switch {
	case tag == "!!str", tag == "!!timestamp", tag == "!": // a date stays as it is written
		return appendString(nil, n.Value), nil
	case tag == "!!null":
		return []byte("null"), nil
	case tag == "!!bool" && is == "!!bool":
		return strconv.AppendBool(nil, n.Value[0]|0x20 == 't'), nil
	case tag == "!!int" && is == "!!int", tag == "!!float" && (is == "!!int" || is == "!!float"):
		return number(n.Value)
	case tag == "!!bool", tag == "!!int", tag == "!!float":
		return nil, fmt.Errorf("%q is no %s", n.Value, tag)
	case tag == "!!binary":
		return appendString(nil, strings.Join(strings.Fields(n.Value), "")), nil // base64, as it is written
	}
	return nil, fmt.Errorf("the tag %s is not accepted", tag)
}

// number is the JSON of a number of the core schema.
func number(text string) ([]byte, error) {
	base := 10
	digits := text
	if strings.HasPrefix(text, "0x") {
		base, digits = 16, text[2:]
	} else if strings.HasPrefix(text, "0o") {
		base, digits = 8, text[2:]
	}
	if i, err := strconv.ParseInt(digits, base, 64); err == nil {
		return strconv.AppendInt(nil, i, 10), nil
	}
	if u, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), base, 64); err == nil {
		return strconv.AppendUint(nil, u, 10), nil
	}
	f, err := strconv.ParseFloat(strings.Replace(digits, ".inf", "inf", 1), 64)
	if base != 10 || err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, fmt.Errorf("%s has no place in JSON; quote it", text)
	}
	return json.Marshal(f)
}
