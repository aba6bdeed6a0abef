package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// longestManifest is how much of a Kubernetes manifest is read on either side of
// its kind.
const longestManifest = 4 << 10

// manifest hides the values under data and stringData of a Secret.
func (s *scan) manifest(start, end int) {
	if start < s.manifestDone {
		return
	}
	from, limit := max(0, start-longestManifest), min(len(s.text), end+longestManifest)
	s.manifestDone = limit
	text := s.text[from:limit]
	indent, inData := -1, false
	for at := 0; at < len(text); {
		stop := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			stop = at + i
		}
		line := text[at:stop]
		trimmed := bytes.TrimLeft(line, " ")
		depth := len(line) - len(trimmed)
		switch {
		case bytes.HasPrefix(trimmed, []byte("---")):
			inData = false
		case bytes.HasPrefix(trimmed, []byte("data:")) || bytes.HasPrefix(trimmed, []byte("stringData:")):
			inData, indent = true, depth
		case inData && depth <= indent && len(trimmed) > 0:
			inData = false
		case inData:
			if i := bytes.IndexByte(line, ':'); i >= 0 {
				valueAt := at + i + 1
				value := bytes.Trim(text[valueAt:stop], " \r\"'")
				valueAt += bytes.Index(text[valueAt:stop], value)
				if len(value) >= 8 && !secretvalue.StandIn(value) && (secretname.Classify(line[:i]) != secretname.NamesNothing || !plainSetting(value)) {
					s.found("kubernetes-secret", from+valueAt, from+valueAt+len(value))
				}
			}
		}
		at = stop + 1
	}
}

// plainSetting reports whether a value, in base64 or not, is a setting that many
// have: words, numbers, the name of a host.
func plainSetting(value []byte) bool {
	var buffer [secretname.LongestPassword]byte
	if len(value) <= secretname.LongestPassword {
		if decoded, ok := decode.DecodeBase64(buffer[:0], value); ok && decode.IsText(decoded) {
			value = decoded
		}
	}
	if len(value) > secretname.LongestPassword {
		return false
	}
	return !secretvalue.Random(value) && secretvalue.Pronounced(value) >= 4 && (secretvalue.Identifier(value) || secretvalue.Constant(value) || bytes.ContainsAny(value, " /"))
}
