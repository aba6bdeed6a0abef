package secretname

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// owners are words of names under which a password belongs to something that runs
// or is administered: DB_PASSWORD, rootPassword.
var owners = map[string]bool{
	"db": true, "database": true, "root": true, "admin": true, "smtp": true, "redis": true, "mysql": true, "postgres": true, "postgresql": true, "pg": true,
	"mongo": true, "mongodb": true, "rabbitmq": true, "ftp": true, "sftp": true, "ldap": true, "vpn": true, "wifi": true, "sudo": true, "keystore": true,
	"truststore": true, "master": true, "service": true, "bind": true, "replication": true, "jdbc": true, "mail": true, "imap": true, "email": true, "ssh": true,
	"proxy": true, "cache": true, "queue": true, "broker": true, "elastic": true, "kafka": true, "grafana": true, "jenkins": true, "mssql": true, "oracle": true,
	"sa": true, "app": true, "backup": true, "rpc": true, "mqtt": true, "cassandra": true, "influxdb": true, "minio": true, "registry": true, "client": true,
	"jwt": true, "session": true, "cookie": true, "signing": true, "encryption": true, "webhook": true, "api": true,
}

// Strong reports whether a name is that of a setting whose value is a secret even
// if it is a word: written like an environment variable of several words, or with
// the owner of the password in it.
func Strong(name []byte) bool {
	capitals, joints := 0, 0
	for _, c := range name {
		switch {
		case ascii.IsLower(c):
			capitals = -len(name)
		case ascii.IsUpper(c):
			capitals++
		case c == '_':
			joints++
		}
	}
	if capitals > 0 && joints > 0 {
		return true
	}
	var parts NameParts
	parts.Split(name)
	for i := range parts.N - 1 {
		if owners[string(parts.Word(i))] {
			return true
		}
	}
	return false
}

// LettersOnly reports a value of ASCII letters and nothing else.
func LettersOnly(value []byte) bool {
	for _, c := range value {
		if !ascii.IsLower(c) && !ascii.IsUpper(c) {
			return false
		}
	}
	return len(value) >= 6 && len(value) <= LongestPassword
}

// dull are words found in place of a password: form labels, types, well-known
// defaults.
var dull = [...]string{
	"required", "optional", "string", "number", "integer", "boolean", "object", "hidden", "masked", "prompt", "default", "disabled", "enabled", "unset", "absent",
	"missing", "invalid", "incorrect", "expired", "unknown", "undefined", "generated", "encrypted", "mismatch", "rotated", "revoked", "external", "managed",
	"postgres", "mysql", "example", "testing", "nothing", "anonymous", "plaintext", "cleartext", "bcrypt", "argon", "scrypt", "rejected", "accepted", "changed", "updated", "configured", "provided",
	"removed", "omitted", "literal", "keyring", "keychain", "vault", "kubernetes", "environment", "credentials", "unchanged", "forgotten", "localhost",
}

// WordSecret reports whether letters may be a chosen password: neither a description
// of it nor a repetition of the name.
func WordSecret(name, value []byte) bool {
	if secretvalue.StandIn(value) {
		return false
	}
	folded := bytes.ToLower(value)
	for _, w := range [...]string{"password", "passwd", "passwor", "secret", "token", "passphrase", "credential", "apikey", "changeme", "kennwort", "wachtwoord", "contrase", "senha", "salasana", "parola", "lozinka", "heslo", "haslo", "motdepasse"} {
		if bytes.Contains(folded, []byte(w)) {
			return false
		}
	}
	for _, w := range dull {
		if string(folded) == w {
			return false
		}
	}
	return !bytes.Contains(bytes.ToLower(name), folded)
}

// chosen reports whether a value may be a password: anything but a word of
// prose, a path or a flag.
func chosen(value []byte) bool {
	beyond := 0
	for _, c := range value {
		if c >= utf8.RuneSelf {
			beyond++
		}
	}
	if beyond*2 > len(value) || beyond > 0 && !HasDigit(value) {
		return false // a sentence
	}
	if reference(value) || value[0] == '/' && !(len(value) >= 16 && secretvalue.Random(value)) || value[0] == '~' || value[0] == '-' || len(value) > 2 && value[1] == ':' && value[2] == '\\' {
		return false
	}
	for _, w := range [...]string{"password", "passwd", "required", "incorrect", "invalid", "secret"} {
		if len(value) == len(w) && bytes.EqualFold(value, []byte(w)) {
			return false
		}
	}
	// Letters alone, or names put together from them, are words.
	letters := 0
	for i, c := range value {
		if ascii.IsLower(c) || ascii.IsUpper(c) && i == 0 || c >= 0x80 || c == '.' || c == '_' || c == '-' {
			letters++
		}
	}
	tail := len(value)
	for tail > 0 && (value[tail-1] == '.' || value[tail-1] == '!' || value[tail-1] == '?' || value[tail-1] == ':') {
		tail--
	}
	if letters < tail {
		return true
	}
	return LettersOnly(value) && len(value) >= 10 && secretvalue.Pronounced(value) < 4
}

// ChosenWell reports whether a value behind "the password is" is one: it has
// digits and something else, and is no name of a method (sha256, base64).
func ChosenWell(value []byte) bool {
	if Drawn(value) {
		return true
	}
	if len(value) < 8 || !HasDigit(value) || !secretvalue.Mixed(value) {
		return false
	}
	tail := len(value)
	for tail > 0 && '0' <= value[tail-1] && value[tail-1] <= '9' {
		tail--
	}
	return secretvalue.Random(value) || len(value)-tail >= 2 && !bytes.HasPrefix(bytes.ToLower(value), []byte("sha")) || bytes.ContainsAny(value, "!*#^$%&@")
}

// Drawn reports whether a value has small letters and capitals that no word has in
// this order.
func Drawn(value []byte) bool {
	core := bytes.TrimRight(value, "!?.")
	return len(core) >= 10 && len(core) <= LongestPassword && bothCases(core) && secretvalue.Random(core) && secretvalue.Pronounced(core) < 5
}

// bothCases reports whether a value has small letters and capitals.
func bothCases(value []byte) bool {
	var upper, lower bool
	for _, c := range value {
		upper, lower = upper || ascii.IsUpper(c), lower || ascii.IsLower(c)
	}
	return upper && lower
}

// HasDigit reports whether a value has an ASCII digit.
func HasDigit(value []byte) bool {
	for _, c := range value {
		if '0' <= c && c <= '9' {
			return true
		}
	}
	return false
}

// CodeWord reports whether a value reads like the name of something in a program,
// which is what stands behind "password =" in source text. In quotes it has to be
// made of several words.
func CodeWord(value []byte, quoted bool) bool {
	for _, c := range value {
		if !ascii.IsLower(c) && !ascii.IsUpper(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return !quoted && !Drawn(value) || secretvalue.Identifier(value)
}

// Varied reports whether digits, capitals and small letters all occur, as in
// nothing that stands behind the word password by chance.
func Varied(value []byte) bool {
	var digit, upper, lower bool
	for _, c := range value {
		digit, upper, lower = digit || '0' <= c && c <= '9', upper || ascii.IsUpper(c), lower || ascii.IsLower(c)
	}
	return digit && upper && lower && len(value) >= 8 && !secretvalue.Identifier(value)
}
