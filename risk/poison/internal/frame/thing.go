package frame

import (
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
)

// thing notes what a chunk with signs inside is.
func (x *cutter) thing(i, end int) {
	s, at := x.s[i:end], len(x.words)-x.word
	switch {
	case strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || isEmail(s):
		x.note(Address, at)
	case language.SecretPlace(s):
		x.note(SecretPath, at)
	case language.NamesSecret(s):
		x.note(Secret, at)
		x.note(Env, at)
	case isHost(s):
		x.note(Address, at)
	case strings.HasPrefix(s, "/") && len(s) > 2 || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.Count(s, "/") > 1 || strings.Contains(s, `:\`):
		x.note(Path, at)
	case longNumber(s):
		x.note(Number, at)
	case strings.IndexByte(s, '_') > 0 || x.quote != 0 && ascii.Letter(s[0]) && strings.ContainsAny(s, "-.") && i == x.quoteFrom:
		if x.whose != nil {
			x.note(x.whose(s), at)
		}
	}
}

// longNumber reports a number of eight digits or more, such as an account.
func longNumber(s string) bool {
	if strings.ContainsAny(s, "-/:") {
		return false // a date, a time, a ratio
	}
	digits := 0
	for i := range len(s) {
		if ascii.Digit(s[i]) {
			digits++
		}
	}
	return digits >= 8 && digits*3 >= len(s)*2
}

func isEmail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.LastIndexByte(s, '.') > at+1 && at+1 < len(s)
}

// fileEndings end names of files that look like hosts.
var fileEndings = map[string]bool{"js": true, "ts": true, "py": true, "md": true, "json": true, "yaml": true, "yml": true, "txt": true, "csv": true, "html": true, "xml": true,
	"pdf": true, "png": true, "jpg": true, "log": true, "toml": true, "ini": true, "go": true, "java": true, "c": true, "h": true, "rs": true, "rb": true, "php": true, "css": true, "sql": true,
	"sqlite": true, "zip": true, "gz": true, "tar": true, "exe": true, "dll": true, "conf": true, "lock": true, "env": true, "pem": true, "key": true, "docx": true, "xlsx": true, "pptx": true, "mp3": true,
	"mp4": true, "wav": true, "svg": true, "gif": true, "jpeg": true, "tsx": true, "jsx": true, "cpp": true, "cfg": true, "bak": true, "db": true, "js.map": true, "tf": true, "ipynb": true, "parquet": true,
	"length": true, "name": true, "id": true, "type": true, "value": true, "data": true, "prototype": true, "g": true, "e": true, "production": true, "local": true, "pub": true, "so": true}

// hostEndings are common endings of hosts; of others a host needs two dots.
var hostEndings = map[string]bool{"example": true, "com": true, "net": true, "org": true, "io": true, "dev": true, "ru": true, "cn": true, "de": true, "fr": true, "it": true, "es": true, "eu": true,
	"uk": true, "app": true, "xyz": true, "ai": true, "test": true, "invalid": true, "info": true, "biz": true, "me": true, "top": true, "site": true, "online": true, "cloud": true, "link": true, "tk": true, "jp": true, "kr": true, "br": true, "nl": true, "pl": true, "se": true, "us": true}

// isHost reports collect.example, cdn.collect.example/x and 203.0.113.9:3128.
func isHost(s string) bool {
	host, rest, found := strings.Cut(s, "/")
	host, _, _ = strings.Cut(host, ":")
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || dot == len(host)-1 {
		return false
	}
	letters, dots := 0, 0
	for i := range len(host) {
		switch c := host[i]; {
		case c == '.':
			dots++
		case ascii.Letter(c):
			if ascii.Upper(c) {
				return false
			}
			letters++
		case !ascii.Digit(c) && c != '-':
			return false
		}
	}
	if letters == 0 {
		return dots == 3
	}
	last := host[dot+1:]
	if fileEndings[last] && !(found && rest != "") {
		return false
	}
	return hostEndings[last]
}
