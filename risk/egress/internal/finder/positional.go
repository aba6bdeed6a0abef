package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
)

// arguments are commands that take a secret without the name of an option: the words of
// the command, and which of the words after it that are no options.
var arguments = []struct {
	command string
	index   int
}{
	{"net use ", 0}, // drives and shares are told apart by their signs
	{"net user ", 1},
	{"rabbitmqctl add_user ", 1},
	{"rabbitmqctl change_password ", 1},
	{"mc alias set ", 3},
	{"pulumi config set ", 1},
	{"ansible-vault encrypt_string ", 0},
	{"rclone obscure ", 0},
	{"mkpasswd ", 0},
	{"openssl passwd ", 0},
	{"htdigest ", 3},
}

func argumentWords() (words []string) {
	for _, a := range arguments {
		words = append(words, a.command)
	}
	return words
}

// argument hides the secret that stands at a fixed place of a command line.
func (s *scan) argument(start, end int) {
	if start > 0 && nameSet.Has(s.text[start-1]) {
		return
	}
	limit := min(s.lineEnd(end), end+longestCommand/2)
	fields := s.words(end, limit, s.row)
	s.row = fields
	for _, a := range arguments {
		if !bytes.EqualFold(s.text[start:end], []byte(a.command)) {
			continue
		}
		n := 0
		for _, f := range fields {
			word := s.text[f[0]:f[1]]
			if word[0] == '-' || word[0] == '/' || word[0] == '\\' || word[0] == '*' || word[0] == '|' || word[len(word)-1] == ':' {
				continue
			}
			if n++; n <= a.index {
				continue
			}
			if secretname.Convincing(secretname.NamesPassword, word) || secretname.Convincing(secretname.NamesSecret, word) {
				s.found("named-password", f[0], f[1])
			}
			return
		}
	}
}

// readers are commands that take a secret from standard input, behind a bar.
var readers = []string{"docker login", "podman login", "helm registry login", "gh secret set", "gh auth login", "sudo -S", "passwd --stdin", "wrangler secret put", "vercel env add", "gcloud secrets", "docker secret create", "podman secret create", "kubectl create secret", "cryptsetup", "npx vercel env add", "npx wrangler secret put", "fly secrets", "vault login", "op signin", "smbpasswd"}

func readerWords() (words []string) {
	for _, r := range readers {
		words = append(words, "| "+r, "|"+r)
	}
	return words
}

// echoed hides what echo or printf gives to a command that reads a secret.
func (s *scan) echoed(start, _ int) {
	from := max(0, start-longestCommand/2, s.echoDone)
	s.echoDone = start
	if i := bytes.LastIndexByte(s.text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	line := s.text[from:start]
	echo := bytes.LastIndex(line, []byte("echo "))
	if p := bytes.LastIndex(line, []byte("printf ")); p > echo {
		echo = p + len("printf ") - len("echo ")
	}
	if echo < 0 {
		return
	}
	fields := s.words(from+echo+len("echo "), start, s.row)
	s.row = fields
	for _, f := range fields {
		word := s.text[f[0]:f[1]]
		if word[0] == '-' || word[0] == '%' || bytes.HasPrefix(word, []byte("$")) {
			continue
		}
		if secretname.Convincing(secretname.NamesPassword, word) || secretname.Convincing(secretname.NamesSecret, word) {
			s.found("named-password", f[0], f[1])
		}
		return
	}
}
