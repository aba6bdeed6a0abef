package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// longestCommand is how far an option may be from its command.
const longestCommand = 512

// commands are programs that take a password behind an option whose name says
// nothing. An attached one has no blank before its value.
var commands = []struct {
	words    []string
	option   string
	attached bool
}{
	{[]string{"mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ", "mysqlshow ", "mysqlpump ", "mariadb ", "mariadb-dump ", "mariadb-admin "}, "-p", true},
	{[]string{"sshpass ", "7z ", "7za "}, "-p", true},
	{[]string{"sshpass ", "docker login ", "podman login ", "nerdctl login ", "buildah login ", "skopeo login ", "registry login ", "az login ", "oc login ", "mongo ", "mongosh ", "mongodump ", "mongorestore ", "mongoexport ", "mongoimport "}, "-p", false},
	{[]string{"openssl enc "}, "-k", false},
	{[]string{"ssh-keygen "}, "-N", false},
	{[]string{"snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk "}, "-A", false},
	{[]string{"snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk "}, "-X", false},
	{[]string{"redis-cli ", "valkey-cli "}, "-a", false},
	{[]string{"ldapsearch ", "ldapadd ", "ldapmodify ", "ldapwhoami ", "ldapdelete ", "ldappasswd "}, "-w", false},
	{[]string{"sqlcmd ", "bcp ", "zip ", "unzip ", "ipmitool ", "mosquitto_pub ", "mosquitto_sub "}, "-P", false},
	{[]string{"gh secret set "}, "--body", false},
	{[]string{"gh secret set "}, "--body=", true},
	{[]string{"gh secret set "}, "-b", false},
	{[]string{"aws ssm put-parameter ", "az keyvault secret set "}, "--value", false},
	{[]string{"aws secretsmanager create-secret ", "aws secretsmanager put-secret-value ", "aws secretsmanager update-secret "}, "--secret-string", false},
	{[]string{"plink ", "pscp ", "psftp ", "putty "}, "-pw", false},
	{[]string{"cmdkey "}, "/pass:", true},
	{[]string{"xfreerdp ", "mstsc "}, "/p:", true},
	{[]string{"schtasks "}, "/rp", false},
	{[]string{"psexec ", "useradd ", "usermod ", "rdesktop ", "cqlsh "}, "-p", false},
}

func commandWords() []string {
	var list []string
	for _, c := range commands {
		list = append(list, c.words...)
	}
	return list
}

// command hides the password that an option gives to a command.
func (s *scan) command(start, end int) {
	if start < s.commandDone || start > 0 && nameSet.Has(s.text[start-1]) {
		return
	}
	limit := min(len(s.text), end+longestCommand/2)
	line := s.text[end:limit]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	s.commandDone = end + len(line)
	word := bytes.ToLower(s.text[start:end])
	for i := range commands {
		c := &commands[i]
		for _, w := range c.words {
			if string(word) == w {
				s.option(end, line, c.option, c.attached)
			}
		}
	}
}

// option hides the value of an option of a command line.
func (s *scan) option(at int, line []byte, option string, attached bool) {
	for from := 0; from < len(line); {
		i := bytes.Index(line[from:], []byte(option))
		if i < 0 {
			return
		}
		i += from
		from = i + len(option)
		if i > 0 && line[i-1] != ' ' || from == len(line) || (line[from] == ' ') == attached {
			continue
		}
		if attached {
			s.attached(at + from)
		} else {
			s.chosen(at + from)
		}
		return
	}
}

// attached hides a value that an option is written together with. Letters alone
// are as likely another option.
func (s *scan) attached(from int) {
	if from < len(s.text) && isQuoteOrBlank(s.text[from]) {
		from++
	}
	from, to := s.value(from)
	if value := s.text[from:to]; (secretname.Convincing(secretname.NamesPassword, value) || secretname.Convincing(secretname.NamesSecret, value)) && value[0] != '=' {
		s.found("named-password", from, to)
	}
}

// curl hides the password of -u and --user, and the sessions of -b and --cookie.
func (s *scan) curl(start, end int) {
	if start < s.curlDone {
		return
	}
	limit := min(len(s.text), end+longestCommand)
	line := s.text[end:limit]
	for _, option := range [...]string{"-u ", "--user ", "--user=", "-u\t", "-b ", "--cookie "} {
		i := bytes.Index(line, []byte(option))
		if i < 0 || i > 0 && line[i-1] != ' ' {
			continue
		}
		from := end + i + len(option)
		if option[1] == 'b' || option[2] == 'c' {
			s.cookies(from, limit)
			continue
		}
		for from < limit && (isQuoteOrBlank(s.text[from])) {
			from++
		}
		stop := from
		for stop < limit && !valueEnd.Has(s.text[stop]) {
			stop++
		}
		if colon := bytes.IndexByte(s.text[from:stop], ':'); colon >= 0 {
			password := s.text[from+colon+1 : stop]
			if len(password) >= 3 && password[0] != '$' && !secretvalue.StandIn(password) {
				s.found("curl-credentials", from+colon+1, stop)
			} else if len(password) == 0 && colon >= 8 && secretvalue.Mixed(s.text[from:from+colon]) && !secretvalue.StandIn(s.text[from:from+colon]) {
				s.found("curl-credentials", from, from+colon)
			}
		}
	}
	s.curlDone = limit
}

// statement hides the password behind words that set one.
func (s *scan) statement(_, end int) { s.chosen(end) }

// chosen hides the value at a place where only a password can stand.
func (s *scan) chosen(from int) {
	for limit := min(len(s.text), from+longestGap); from < limit && isQuoteOrBlank(s.text[from]); {
		from++
	}
	from, to := s.value(from)
	value := s.text[from:to]
	if secretname.Convincing(secretname.NamesSecret, value) || secretname.Convincing(secretname.NamesPassword, value) && (secretname.Varied(value) || secretname.ChosenWell(value) || from > 0 && isQuoteOrBlank(s.text[from-1]) && s.text[from-1] != ' ') {
		s.found("named-password", from, to)
	}
}

// positional hides the password that htpasswd -b takes last.
func (s *scan) positional(start, end int) {
	limit := min(s.lineEnd(end), end+longestCommand/2)
	fields := s.words(end, limit, s.row)
	s.row = fields
	if bytes.IndexByte(s.text[start:fieldsEnd(fields, end)], 'b') < 0 || len(fields) < 3 {
		return
	}
	last := fields[len(fields)-1]
	if secretname.Convincing(secretname.NamesPassword, s.text[last[0]:last[1]]) {
		s.found("named-password", last[0], last[1])
	}
}

// fieldsEnd is the end of the first field.
func fieldsEnd(fields [][2]int, otherwise int) int {
	if len(fields) == 0 {
		return otherwise
	}
	return fields[0][1]
}

// piped hides the password of "echo user:password | chpasswd".
func (s *scan) piped(start, _ int) {
	from := max(0, start-longestCommand/2)
	if i := bytes.LastIndexByte(s.text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	line := s.text[from:start]
	echo := bytes.LastIndex(line, []byte("echo "))
	if echo < 0 {
		return
	}
	colon := bytes.IndexByte(line[echo:], ':')
	if colon < 0 {
		return
	}
	at := from + echo + colon + 1
	to := at
	for to < start && s.text[to] > ' ' && s.text[to] != '\'' && s.text[to] != '"' {
		to++
	}
	if value := s.text[at:to]; len(value) > 0 && secretname.Convincing(secretname.NamesPassword, value) {
		s.found("named-password", at, to)
	}
}

// passwordFile hides the last field of host:5432:database:user:password.
func (s *scan) passwordFile(_, end int) {
	at := end
	for n := 0; n < 2; n++ {
		i := bytes.IndexByte(s.text[at:min(len(s.text), at+secretvalue.LongestName)], ':')
		if i <= 0 || bytes.ContainsAny(s.text[at:at+i], " \n\"/") {
			return
		}
		at += i + 1
	}
	to := at
	for limit := min(len(s.text), at+secretname.LongestPassword); to < limit && s.text[to] > ' '; {
		to++
	}
	if to > at && (to == len(s.text) || s.text[to] == '\n' || s.text[to] == '\r') && secretname.Convincing(secretname.NamesPassword, s.text[at:to]) {
		s.found("named-password", at, to)
	}
}

// wildcards hides the last of five fields, of which one or more are stars.
func (s *scan) wildcards(start, _ int) {
	line, stop := s.line(start)
	fields := bytes.Split(bytes.TrimRight(s.text[line:min(stop, line+longestCommand)], "\r"), []byte(":"))
	if len(fields) != 5 || string(fields[1]) != "*" && !digitsOnly(fields[1]) {
		return
	}
	if value := fields[4]; secretname.Convincing(secretname.NamesPassword, value) {
		to := line + len(bytes.Join(fields, []byte(":")))
		s.found("named-password", to-len(value), to)
	}
}

// longestEnrolment bounds the URI of a one-time password, in bytes.
const longestEnrolment = 512

// enrolment hides the seed of one-time passwords in the URI that a phone scans.
func (s *scan) enrolment(_, end int) {
	limit := min(len(s.text), end+longestEnrolment)
	for i := end; i+7 < limit && s.text[i] > ' ' && s.text[i] != '"' && s.text[i] != '<'; i++ {
		if (s.text[i-1] == '?' || s.text[i-1] == '&' || s.text[i-1] == ';') && bytes.EqualFold(s.text[i:i+7], []byte("secret=")) {
			from := i + 7
			to := from
			for to < limit && (pattern.Alnum.Has(s.text[to]) || s.text[to] == '=' || s.text[to] == '%') {
				to++
			}
			if to-from >= 8 {
				s.found("named-secret", from, to)
			}
			return
		}
	}
}
