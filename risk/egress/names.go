package egress

import "bytes"

// naming is what a name implies about its value.
type naming uint8

const (
	namesNothing  naming = iota
	namesToken           // may be a secret: the value has to look random
	namesSecret          // a secret unless the value says otherwise
	namesPassword        // a secret that people choose
	namesHeader          // an Authorization header: a scheme, then a secret
	namesCookie          // a Cookie or Set-Cookie header
	namesPhrase          // a seed phrase: words with blanks between them
	namesUnknown         // not classified yet
)

// nouns are the last words of names of secrets. Words in the comments of a name
// that end it after one of these ("token count") are the name's noun instead.
var nouns = map[string]naming{
	"password": namesPassword, "passwd": namesPassword, "pwd": namesPassword, "passphrase": namesPassword,
	"passcode": namesPassword, "userpass": namesPassword, "dbpass": namesPassword, "pgpassword": namesPassword,
	"secret": namesSecret, "secrets": namesSecret, "clientsecret": namesSecret, "secretkey": namesSecret, "appsecret": namesSecret,
	"apikey": namesSecret, "apitoken": namesSecret, "apisecret": namesSecret, "accesstoken": namesSecret, "refreshtoken": namesSecret, "idtoken": namesSecret,
	"authtoken": namesSecret, "bearertoken": namesSecret, "sessiontoken": namesSecret, "privatekey": namesSecret,
	"signingkey": namesSecret, "encryptionkey": namesSecret, "accountkey": namesSecret, "sharedkey": namesSecret, "sharedaccesskey": namesSecret,
	"masterkey": namesSecret, "accesskey": namesSecret, "authkey": namesSecret, "secretaccesskey": namesSecret, "hapikey": namesSecret,
	"phpsessid": namesSecret, "jsessionid": namesSecret, "pw": namesPassword, "psk": namesPassword,
	"credential": namesToken, "credentials": namesToken, "creds": namesToken, "cred": namesToken, "bearer": namesToken, "auth": namesToken, "pat": namesToken,
	"authorization": namesHeader,
	"cookie":        namesCookie, "cookies": namesCookie,
	"mnemonic": namesPhrase,
}

// keyOf and tokenOf are the words before "key" and "token". Words for something
// public or technical give no evidence; with any other word the value must look
// random.
var keyOf = map[string]naming{
	"api": namesSecret, "secret": namesSecret, "private": namesSecret, "signing": namesSecret, "encryption": namesSecret,
	"master": namesSecret, "account": namesSecret, "shared": namesSecret, "access": namesSecret, "auth": namesSecret,
	"hmac": namesSecret, "aes": namesSecret, "jwt": namesSecret, "service": namesSecret, "admin": namesSecret,
	"webhook": namesSecret, "deploy": namesSecret, "license": namesSecret, "subscription": namesSecret,
	"storage": namesSecret, "integration": namesSecret, "functions": namesSecret, "role": namesSecret,
	"public": namesNothing, "publishable": namesNothing, "pub": namesNothing, "verifier": namesNothing, "verification": namesNothing, "plan": namesNothing, "tracking": namesNothing, "measurement": namesNothing, "primary": namesNothing, "foreign": namesNothing, "sort": namesNothing,
	"partition": namesNothing, "cache": namesNothing, "object": namesNothing, "idempotency": namesNothing, "hot": namesNothing,
	"page": namesNothing, "next": namesNothing, "row": namesNothing, "natural": namesNothing, "translation": namesNothing, "i18n": namesNothing,
	"issue": namesNothing, "project": namesNothing, "group": namesNothing, "image": namesNothing, "s3": namesNothing, "item": namesNothing,
	"data": namesNothing, "map": namesNothing, "dict": namesNothing, "json": namesNothing, "message": namesNothing, "routing": namesNothing,
	"dedupe": namesNothing, "lookup": namesNothing, "composite": namesNothing, "query": namesNothing, "feature": namesNothing,
	"flag": namesNothing, "site": namesNothing, "react": namesNothing, "unique": namesNothing, "index": namesNothing, "sharding": namesNothing,
	"shard": namesNothing, "file": namesNothing, "document": namesNothing, "anon": namesNothing, "entity": namesNothing, "order": namesNothing,
	"record": namesNothing, "bucket": namesNothing, "storage_path": namesNothing, "host": namesNothing, "gpg": namesNothing, "ssh": namesNothing, "pgp": namesNothing,
	"event": namesNothing, "product": namesNothing, "metadata": namesNothing, "selection": namesNothing, "start": namesNothing, "last": namesNothing, "exclusive": namesNothing,
}

var tokenOf = map[string]naming{
	"access": namesSecret, "auth": namesSecret, "refresh": namesSecret, "bearer": namesSecret, "session": namesSecret,
	"api": namesSecret, "personal": namesSecret, "bot": namesSecret, "oauth": namesSecret, "oauth2": namesSecret, "security": namesSecret,
	"deploy": namesSecret, "registry": namesSecret, "secret": namesSecret, "private": namesSecret, "admin": namesSecret, "id": namesSecret,
	"jwt": namesSecret, "github": namesSecret, "gitlab": namesSecret, "vault": namesSecret, "webhook": namesSecret, "service": namesSecret,
	"page": namesNothing, "next": namesNothing, "prev": namesNothing, "previous": namesNothing, "continuation": namesNothing,
	"sync": namesNothing, "pagination": namesNothing, "cursor": namesNothing, "cancellation": namesNothing, "cancel": namesNothing,
	"csrf": namesNothing, "xsrf": namesNothing, "public": namesNothing, "publishable": namesNothing, "start": namesNothing, "eos": namesNothing,
	"bos": namesNothing, "pad": namesNothing, "unk": namesNothing, "sep": namesNothing, "mask": namesNothing, "max": namesNothing,
	"min": namesNothing, "per": namesNothing, "special": namesNothing, "stop": namesNothing, "first": namesNothing, "last": namesNothing,
	"resume": namesNothing, "list": namesNothing, "skip": namesNothing, "design": namesNothing, "color": namesNothing, "syntax": namesNothing,
	"type": namesNothing, "delta": namesNothing, "idempotency": namesNothing, "request": namesNothing, "lock": namesNothing,
	"fencing": namesNothing, "marker": namesNothing, "nft": namesNothing, "erc20": namesNothing, "liquidity": namesNothing,
	"contract": namesNothing, "native": namesNothing, "base": namesNothing, "quote": namesNothing, "reward": namesNothing,
	"continue": namesNothing, "change": namesNothing, "scroll": namesNothing, "search": namesNothing, "progress": namesNothing,
	"after": namesNothing, "before": namesNothing, "watch": namesNothing, "snapshot": namesNothing, "checkpoint": namesNothing, "input": namesNothing, "output": namesNothing,
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

// classify reads a name such as AWS_SECRET_ACCESS_KEY, x-api-key, dbPassword or
// "access token".
func classify(name []byte) naming {
	if is := sessionName(name); is != namesNothing {
		return is
	}
	var parts nameParts
	parts.split(name)
	n := parts.n
	for n > 1 && suffixes[string(parts.word(n-1))] {
		n--
	}
	if n == 0 {
		return namesNothing
	}
	last := parts.word(n - 1)
	var before []byte
	if n > 1 {
		before = parts.word(n - 2)
	}
	switch string(last) {
	case "key", "keys":
		return of(keyOf, before, namesNothing)
	case "token", "tokens":
		return of(tokenOf, before, namesToken)
	case "pass":
		if n > 1 {
			return namesPassword
		}
		return namesToken
	case "phrase":
		if string(before) == "seed" || string(before) == "recovery" {
			return namesPhrase
		}
	}
	if is, ok := nouns[string(last)]; ok {
		return is
	}
	// Names written as one word: pgpassword, clientsecret.
	for _, end := range [...]struct {
		tail string
		is   naming
	}{{"password", namesPassword}, {"passwd", namesPassword}, {"passphrase", namesPassword}, {"secret", namesSecret}, {"apikey", namesSecret}, {"secretkey", namesSecret}, {"privatekey", namesSecret}, {"accesstoken", namesSecret}, {"authtoken", namesSecret}, {"apitoken", namesSecret}} {
		if len(last) > len(end.tail) && bytes.HasSuffix(last, []byte(end.tail)) {
			return end.is
		}
	}
	return namesNothing
}

func of(table map[string]naming, before []byte, alone naming) naming {
	if before == nil {
		return alone
	}
	if is, ok := table[string(before)]; ok {
		return is
	}
	return namesToken
}

// nameParts are the last words of a name in lower case.
type nameParts struct {
	folded [longestName]byte
	ends   [mostWords][2]uint8
	n      int
}

func (p *nameParts) word(i int) []byte { return p.folded[p.ends[i][0]:p.ends[i][1]] }

// split takes a name apart at separators and at capitals within it.
func (p *nameParts) split(name []byte) {
	if len(name) > longestName {
		name = name[len(name)-longestName:]
	}
	start := -1
	for i, c := range name {
		upper := isUpper(c)
		p.folded[i] = lowerByte(c)
		isWord := upper || isLower(c) || '0' <= c && c <= '9' || c >= 0x80
		hump := upper && i > 0 && start >= 0 && (isLower(name[i-1]) || '0' <= name[i-1] && name[i-1] <= '9' && i+1 < len(name) && isLower(name[i+1]) || i+1 < len(name) && isLower(name[i+1]) && isUpper(name[i-1]) && !pluralS(name, i))
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

func (p *nameParts) add(start, end int) {
	if p.n == mostWords {
		copy(p.ends[:], p.ends[1:])
		p.n--
	}
	p.ends[p.n] = [2]uint8{uint8(start), uint8(end)}
	p.n++
}

func lowerByte(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// pluralS reports the lower-case s of "URLs" and "IDs".
func pluralS(name []byte, i int) bool {
	return name[i+1] == 's' && (i+2 == len(name) || !isLower(name[i+2]))
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// longestPassword is bcrypt's limit in bytes; a longer value is an encrypted one.
const longestPassword = 72

// convincing reports whether a value is worth hiding under a name of this kind.
func convincing(is naming, value []byte) bool {
	if standIn(value) || len(value) == 0 {
		return false
	}
	blank := bytes.ContainsAny(value, " \t\r\n")
	switch is {
	case namesPassword:
		return len(value) >= 6 && len(value) <= longestPassword && !blank && chosen(value)
	case namesSecret:
		return len(value) >= 8 && !blank && !reference(value) &&
			(mixed(value) && !identifier(value) || len(value) >= 20 && entropy(value) >= 3.5 && !identifier(value) || len(value) >= 12 && lettersOnly(value) && pronounced(value) < 5)
	case namesToken:
		return len(value) >= 16 && !blank && !reference(value) && (mixed(value) || len(value) >= 20 && lettersOnly(value) && pronounced(value) < 4) &&
			!isUUID(value) && !isDigest(value) && !isAddress(value) && !identifier(value) && !constant(value) && entropy(value) >= 3.3
	case namesPhrase:
		return bytes.Count(value, []byte(" ")) >= 11
	}
	return false
}

// path reports whether a value is an absolute path: base64 may begin with a
// slash too, but has no short directory names of small letters.
func path(value []byte) bool {
	if value[0] != '/' {
		return false
	}
	i := bytes.IndexByte(value[1:], '/')
	if i < 0 {
		return identifier(value)
	}
	for _, c := range value[1 : 1+i] {
		if !isLower(c) {
			return identifier(value)
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
	if (value[0] == '*' || value[0] == '&') && (len(value) == 1 || identifier(value[1:])) {
		return true // an anchor of YAML
	}
	if value[0] == '!' && identifier(value[1:]) {
		return true // a tag of YAML
	}
	if i := bytes.IndexByte(value, '('); i > 0 && value[len(value)-1] == ')' && identifier(value[:i]) {
		return true // a call, or a type with its length
	}
	for _, p := range [...]string{"process.env", "os.environ", "os.getenv", "getenv(", "System.getenv", "secrets.", "env.", "vault:", "arn:", "urn:", "projects/", "op://", "file:", "data:"} {
		if bytes.HasPrefix(value, []byte(p)) {
			return true
		}
	}
	return false
}
