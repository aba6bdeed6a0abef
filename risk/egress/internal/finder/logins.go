package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
)

// logins are programs that take a user and a password in one word.
var logins = loginList{
	{"lftp ", "-u ", ','},
	{"http ", "-a ", ':'},
	{"https ", "-a ", ':'},
	{"smbclient ", "-U ", '%'},
	{"etcdctl ", "--user ", ':'},
	{"etcdctl ", "--user=", ':'},
	{"sqlplus ", "", '/'},
}

type loginList []struct {
	command, option string
	sign            byte // between user and password
}

func (l loginList) words() (words []string) {
	for _, c := range l {
		words = append(words, c.command)
	}
	return words
}

// netrc reports whether the name that starts here is that of the password of an entry of
// .netrc: machine HOST login USER password VALUE, on one line or on several.
func (s *scan) netrc(start int) bool {
	const longestUser = 64
	if !bytes.HasPrefix(s.text[start:], []byte("password")) || start == 0 || s.text[start-1] > ' ' {
		return false
	}
	before := bytes.TrimRight(s.text[max(0, start-longestUser):start], " \t\r\n")
	user := bytes.LastIndexAny(before, " \t\r\n")
	return user > 0 && bytes.HasSuffix(bytes.TrimRight(before[:user], " \t\r\n"), []byte("login"))
}

// login hides the password of a user that a command logs in as.
func (s *scan) login(start, end int) {
	if start < s.loginDone || start > 0 && nameSet.Has(s.text[start-1]) {
		return
	}
	line := s.text[end:min(len(s.text), end+longestCommand/2)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	s.loginDone = end + len(line)
	for _, c := range logins {
		if !bytes.EqualFold(s.text[start:end], []byte(c.command)) {
			continue
		}
		at := bytes.Index(line, []byte(c.option))
		if at < 0 || at > 0 && line[at-1] != ' ' {
			continue
		}
		from := at + len(c.option)
		for from < len(line) && isQuoteOrBlank(line[from]) {
			from++
		}
		stop := from
		for stop < len(line) && line[stop] > ' ' && line[stop] != '"' && line[stop] != '\'' {
			stop++
		}
		sign := bytes.IndexByte(line[from:stop], c.sign)
		if sign <= 0 {
			continue
		}
		from += sign + 1
		if c.sign == '/' { // sqlplus user/password@host
			if host := bytes.LastIndexByte(line[from:stop], '@'); host >= 0 {
				stop = from + host
			}
		}
		if secretname.Convincing(secretname.NamesPassword, line[from:stop]) {
			s.found("named-password", end+from, end+stop)
		}
	}
}
