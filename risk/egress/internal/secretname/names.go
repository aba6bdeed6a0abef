// Package secretname says whether a name, such as one of a variable, a member or a
// column, is that of a secret and of what kind, and whether a value convinces under it.
package secretname

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Naming is what a name implies about its value.
type Naming uint8

const (
	NamesNothing  Naming = iota
	NamesToken           // may be a secret: the value has to look random
	NamesSecret          // a secret unless the value says otherwise
	NamesPassword        // a secret that people choose
	NamesHeader          // an Authorization header: a scheme, then a secret
	NamesCookie          // a Cookie or Set-Cookie header
	NamesPhrase          // a seed phrase: words with blanks between them
	NamesUnknown         // not classified yet
)

// nouns are the last words of names of secrets. Words in the comments of a name
// that end it after one of these ("token count") are the name's noun instead.
var nouns = map[string]Naming{
	"password": NamesPassword, "passwd": NamesPassword, "pwd": NamesPassword, "passphrase": NamesPassword,
	"passcode": NamesPassword, "storepass": NamesPassword, "keypass": NamesPassword, "userpass": NamesPassword, "dbpass": NamesPassword, "pgpassword": NamesPassword,
	"secret": NamesSecret, "secrets": NamesSecret, "clientsecret": NamesSecret, "secretkey": NamesSecret, "appsecret": NamesSecret,
	"apikey": NamesSecret, "apitoken": NamesSecret, "apisecret": NamesSecret, "accesstoken": NamesSecret, "refreshtoken": NamesSecret, "idtoken": NamesSecret,
	"authtoken": NamesSecret, "bearertoken": NamesSecret, "sessiontoken": NamesSecret, "privatekey": NamesSecret,
	"signingkey": NamesSecret, "encryptionkey": NamesSecret, "accountkey": NamesSecret, "sharedkey": NamesSecret, "sharedaccesskey": NamesSecret,
	"masterkey": NamesSecret, "accesskey": NamesSecret, "authkey": NamesSecret, "secretaccesskey": NamesSecret, "hapikey": NamesSecret,
	"phpsessid": NamesSecret, "jsessionid": NamesSecret, "pw": NamesPassword, "psk": NamesPassword,
	"credential": NamesToken, "credentials": NamesToken, "creds": NamesToken, "cred": NamesToken, "bearer": NamesToken, "auth": NamesToken, "pat": NamesToken,
	"authorization": NamesHeader,
	"cookie":        NamesCookie, "cookies": NamesCookie,
	"mnemonic": NamesPhrase,
}

// keyOf and tokenOf are the words before "key" and "token". Words for something
// public or technical give no evidence; with any other word the value must look
// random.
var keyOf = map[string]Naming{
	"api": NamesSecret, "secret": NamesSecret, "private": NamesSecret, "signing": NamesSecret, "encryption": NamesSecret,
	"master": NamesSecret, "account": NamesSecret, "shared": NamesSecret, "access": NamesSecret, "auth": NamesSecret,
	"hmac": NamesSecret, "aes": NamesSecret, "jwt": NamesSecret, "service": NamesSecret, "admin": NamesSecret,
	"webhook": NamesSecret, "deploy": NamesSecret, "license": NamesSecret, "subscription": NamesSecret,
	"storage": NamesSecret, "integration": NamesSecret, "app": NamesSecret, "application": NamesSecret, "functions": NamesSecret, "function": NamesSecret, "ingestion": NamesSecret, "write": NamesSecret, "role": NamesSecret,
	"public": NamesNothing, "publishable": NamesNothing, "pub": NamesNothing, "verifier": NamesNothing, "verification": NamesNothing, "plan": NamesNothing, "tracking": NamesNothing, "measurement": NamesNothing, "primary": NamesNothing, "foreign": NamesNothing, "sort": NamesNothing,
	"partition": NamesNothing, "cache": NamesNothing, "object": NamesNothing, "idempotency": NamesNothing, "hot": NamesNothing,
	"page": NamesNothing, "next": NamesNothing, "row": NamesNothing, "natural": NamesNothing, "translation": NamesNothing, "i18n": NamesNothing,
	"issue": NamesNothing, "project": NamesNothing, "group": NamesNothing, "image": NamesNothing, "s3": NamesNothing, "item": NamesNothing,
	"data": NamesNothing, "map": NamesNothing, "dict": NamesNothing, "json": NamesNothing, "message": NamesNothing, "routing": NamesNothing,
	"dedupe": NamesNothing, "lookup": NamesNothing, "composite": NamesNothing, "query": NamesNothing, "feature": NamesNothing,
	"flag": NamesNothing, "site": NamesNothing, "react": NamesNothing, "unique": NamesNothing, "index": NamesNothing, "sharding": NamesNothing,
	"shard": NamesNothing, "file": NamesNothing, "document": NamesNothing, "anon": NamesNothing, "entity": NamesNothing, "order": NamesNothing,
	"record": NamesNothing, "bucket": NamesNothing, "storage_path": NamesNothing, "host": NamesNothing, "gpg": NamesNothing, "ssh": NamesNothing, "pgp": NamesNothing,
	"event": NamesNothing, "product": NamesNothing, "metadata": NamesNothing, "selection": NamesNothing, "start": NamesNothing, "last": NamesNothing, "exclusive": NamesNothing,
}

var tokenOf = map[string]Naming{
	"access": NamesSecret, "auth": NamesSecret, "refresh": NamesSecret, "bearer": NamesSecret, "session": NamesSecret,
	"api": NamesSecret, "personal": NamesSecret, "bot": NamesSecret, "oauth": NamesSecret, "oauth2": NamesSecret, "security": NamesSecret,
	"deploy": NamesSecret, "registry": NamesSecret, "secret": NamesSecret, "private": NamesSecret, "admin": NamesSecret, "id": NamesSecret,
	"jwt": NamesSecret, "github": NamesSecret, "gitlab": NamesSecret, "vault": NamesSecret, "webhook": NamesSecret, "service": NamesSecret,
	"page": NamesNothing, "next": NamesNothing, "prev": NamesNothing, "previous": NamesNothing, "continuation": NamesNothing,
	"sync": NamesNothing, "pagination": NamesNothing, "cursor": NamesNothing, "cancellation": NamesNothing, "cancel": NamesNothing,
	"csrf": NamesNothing, "xsrf": NamesNothing, "public": NamesNothing, "publishable": NamesNothing, "start": NamesNothing, "eos": NamesNothing,
	"bos": NamesNothing, "pad": NamesNothing, "unk": NamesNothing, "sep": NamesNothing, "mask": NamesNothing, "max": NamesNothing,
	"min": NamesNothing, "per": NamesNothing, "special": NamesNothing, "stop": NamesNothing, "first": NamesNothing, "last": NamesNothing,
	"resume": NamesNothing, "list": NamesNothing, "skip": NamesNothing, "design": NamesNothing, "color": NamesNothing, "syntax": NamesNothing,
	"type": NamesNothing, "delta": NamesNothing, "idempotency": NamesNothing, "request": NamesNothing, "lock": NamesNothing,
	"fencing": NamesNothing, "marker": NamesNothing, "nft": NamesNothing, "erc20": NamesNothing, "liquidity": NamesNothing,
	"contract": NamesNothing, "native": NamesNothing, "base": NamesNothing, "quote": NamesNothing, "reward": NamesNothing,
	"continue": NamesNothing, "change": NamesNothing, "scroll": NamesNothing, "search": NamesNothing, "progress": NamesNothing,
	"after": NamesNothing, "before": NamesNothing, "watch": NamesNothing, "snapshot": NamesNothing, "checkpoint": NamesNothing, "input": NamesNothing, "output": NamesNothing,
}

// suffixes are words at the end of a name that say how or where the secret is
// kept, not what it is.
var suffixes = map[string]bool{
	"value": true, "plain": true, "plaintext": true, "raw": true, "b64": true, "base64": true, "encoded": true, "string": true,
	"old": true, "new": true, "current": true, "prod": true, "production": true, "dev": true, "staging": true, "test": true, "live": true,
	"default": true, "env": true, "1": true, "2": true, "header": true, "base": true,
}

// mostWords is how many words of a name are checked, counted from its end.
const mostWords = 6

// Classify reads a name such as AWS_SECRET_ACCESS_KEY, x-api-key, dbPassword or
// "access token".
func Classify(name []byte) Naming {
	if is := sessionName(name); is != NamesNothing {
		return is
	}
	var parts NameParts
	parts.Split(name)
	n := parts.N
	for n > 1 && suffixes[string(parts.Word(n-1))] {
		n--
	}
	if n == 0 {
		return NamesNothing
	}
	last := parts.Word(n - 1)
	var before []byte
	if n > 1 {
		before = parts.Word(n - 2)
	}
	switch string(last) {
	case "key", "keys":
		return of(keyOf, before, NamesNothing)
	case "token", "tokens":
		if n > 2 && string(before) == "key" && string(parts.Word(n-3)) == "public" {
			return NamesNothing // of an assembly in .NET
		}
		return of(tokenOf, before, NamesToken)
	case "pass":
		if n > 1 {
			return NamesPassword
		}
		return NamesToken
	case "code", "codes":
		if b := string(before); b == "recovery" || b == "backup" || b == "scratch" {
			return NamesSecret
		}
	case "phrase":
		if string(before) == "seed" || string(before) == "recovery" {
			return NamesPhrase
		}
	}
	if is, ok := nouns[string(last)]; ok {
		return is
	}
	// Names written as one word: pgpassword, clientsecret.
	for _, end := range [...]struct {
		tail string
		is   Naming
	}{{"password", NamesPassword}, {"passwd", NamesPassword}, {"passphrase", NamesPassword}, {"secret", NamesSecret}, {"apikey", NamesSecret}, {"secretkey", NamesSecret}, {"privatekey", NamesSecret}, {"accesstoken", NamesSecret}, {"authtoken", NamesSecret}, {"apitoken", NamesSecret}} {
		if len(last) > len(end.tail) && bytes.HasSuffix(last, []byte(end.tail)) {
			return end.is
		}
	}
	return NamesNothing
}

func of(table map[string]Naming, before []byte, alone Naming) Naming {
	if before == nil {
		return alone
	}
	if is, ok := table[string(before)]; ok {
		return is
	}
	return NamesToken
}

// NameParts are the last words of a name in lower case.
type NameParts struct {
	folded [secretvalue.LongestName]byte
	ends   [mostWords][2]uint8
	N      int
}

// Word is part i of the name, in lower case.
func (p *NameParts) Word(i int) []byte { return p.folded[p.ends[i][0]:p.ends[i][1]] }

// Split takes a name apart at separators and at capitals within it.
func (p *NameParts) Split(name []byte) {
	if len(name) > secretvalue.LongestName {
		name = name[len(name)-secretvalue.LongestName:]
	}
	start := -1
	for i, c := range name {
		upper := ascii.IsUpper(c)
		p.folded[i] = ascii.Lower(c)
		isWord := upper || ascii.IsLower(c) || '0' <= c && c <= '9' || c >= 0x80
		hump := upper && i > 0 && start >= 0 && (ascii.IsLower(name[i-1]) || '0' <= name[i-1] && name[i-1] <= '9' && i+1 < len(name) && ascii.IsLower(name[i+1]) || i+1 < len(name) && ascii.IsLower(name[i+1]) && ascii.IsUpper(name[i-1]) && !pluralS(name, i))
		if start >= 0 && (!isWord || hump) {
			p.add(start, i)
			start = -1
		}
		if isWord && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		p.add(start, len(name))
	}
}

func (p *NameParts) add(start, end int) {
	if p.N == mostWords {
		copy(p.ends[:], p.ends[1:])
		p.N--
	}
	p.ends[p.N] = [2]uint8{uint8(start), uint8(end)}
	p.N++
}

// pluralS reports the lower-case s of "URLs" and "IDs".
func pluralS(name []byte, i int) bool {
	return name[i+1] == 's' && (i+2 == len(name) || !ascii.IsLower(name[i+2]))
}

// LongestPassword is bcrypt's limit in bytes; a longer value is an encrypted one.
const LongestPassword = 72

// Convincing reports whether a value is worth hiding under a name of this kind. What
// costs least is asked first: a text of names has a value behind each.
func Convincing(is Naming, value []byte) bool {
	switch is {
	case NamesPassword:
		return len(value) >= 6 && len(value) <= LongestPassword && !blank(value) && chosen(value) && !secretvalue.StandIn(value)
	case NamesSecret:
		return len(value) >= 8 && !blank(value) &&
			(secretvalue.Mixed(value) && !secretvalue.Identifier(value) || len(value) >= 20 && secretvalue.Entropy(value) >= 3.5 && !secretvalue.Identifier(value) || len(value) >= 12 && LettersOnly(value) && secretvalue.Pronounced(value) < 5) &&
			!reference(value) && !secretvalue.StandIn(value)
	case NamesToken:
		return len(value) >= 16 && !blank(value) && (secretvalue.Mixed(value) || len(value) >= 20 && LettersOnly(value) && secretvalue.Pronounced(value) < 4) &&
			!secretvalue.IsUUID(value) && !secretvalue.IsDigest(value) && !secretvalue.IsAddress(value) && !secretvalue.Identifier(value) && !secretvalue.Constant(value) && secretvalue.Entropy(value) >= 3.3 &&
			!reference(value) && !secretvalue.StandIn(value)
	case NamesPhrase:
		return bytes.Count(value, []byte(" ")) >= 11 && !secretvalue.StandIn(value)
	}
	return false
}

func blank(value []byte) bool { return bytes.ContainsAny(value, " \t\r\n") }

// path reports whether a value is an absolute path: base64 may begin with a
// slash too, but has no short directory names of small letters.
func path(value []byte) bool {
	if value[0] != '/' {
		return false
	}
	i := bytes.IndexByte(value[1:], '/')
	if i < 0 {
		return secretvalue.Identifier(value)
	}
	for _, c := range value[1 : 1+i] {
		if !ascii.IsLower(c) {
			return secretvalue.Identifier(value)
		}
	}
	return true
}

// reference reports whether a value points at something: a URL, a path, a call
// or the name of a variable.
func reference(value []byte) bool {
	if bytes.Contains(value, []byte("://")) || path(value) || bytes.HasPrefix(value, []byte("./")) {
		return true
	}
	if (value[0] == '*' || value[0] == '&') && (len(value) == 1 || secretvalue.Identifier(value[1:])) {
		return true // an anchor of YAML
	}
	if value[0] == '!' && secretvalue.Identifier(value[1:]) {
		return true // a tag of YAML
	}
	if value[0]|0x20 == 'x' && value[1] == '-' && headerOf(value) {
		return true
	}
	if i := bytes.IndexByte(value, '('); i > 0 && value[len(value)-1] == ')' && secretvalue.Identifier(value[:i]) {
		return true // a call, or a type with its length
	}
	for _, p := range [...]string{"process.env", "os.environ", "os.getenv", "getenv(", "System.getenv", "secrets.", "env.", "vault:", "arn:", "urn:", "projects/", "op://", "file:", "data:"} {
		if bytes.HasPrefix(value, []byte(p)) {
			return true
		}
	}
	return false
}

// headerOf reports whether a value is the name of the header that holds a secret.
func headerOf(value []byte) bool {
	folded := bytes.ToLower(value)
	for _, w := range [...]string{"-key", "-token", "-auth", "-secret"} {
		if bytes.Contains(folded, []byte(w)) {
			return true
		}
	}
	return false
}

// sessionName classifies a name that on its own says that a session follows.
func sessionName(name []byte) Naming {
	if len(name) == 0 {
		return NamesNothing
	}
	switch ascii.Lower(name[len(name)-1]) {
	case 'd', 'n', 'e':
	default:
		return NamesNothing // the last letters of all of them
	}
	for _, n := range [...]string{"phpsessid", "jsessionid", "sessionid", "connect.sid", "asp.net_sessionid", "laravel_session"} {
		if bytes.EqualFold(name, []byte(n)) {
			return NamesSecret
		}
	}
	for _, tail := range [...]string{"_session", "-session", "_sessionid", "sessid", "session_cookie"} {
		if len(name) >= len(tail) && bytes.EqualFold(name[len(name)-len(tail):], []byte(tail)) {
			return NamesToken
		}
	}
	return NamesNothing
}
