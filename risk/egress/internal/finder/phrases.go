package finder

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
)

// phrase is a name of secrets in a language other than English, or one of several
// words.
type phrase struct {
	is secretname.Naming
	// inside allows letters before it, as compounds have them: Datenbankpasswort.
	inside bool
	words  string // separated by bars, in small letters
}

// phrases are what forms, manuals and chats call a password or a key. Scripts
// without blanks need no boundaries; nouns that mean other things as well ("clave",
// "jeton") ask for a value that looks drawn.
var phrases = []phrase{
	{secretname.NamesPassword, true, "passwort|kennwort|wachtwoord|l\u00f6senord|adgangskode|passord|salasana|jelsz\u00f3|jelszav|sala\u015b\u00f3na|lykilor\u00f0|salas\u00f5na|kodeord|zugangscode|toegangscode"},
	{secretname.NamesPassword, false, "contrase\u00f1a|contrasena|contrasenya|contrasinal|clave de acceso|clave secreta|mot de passe|mot_de_passe|motdepasse|mdp|code d\u2019acc\u00e8s|code d'acc\u00e8s|senha|palavra-passe|palavra passe|palavra_passe|parola d'ordine|parola d\u2019ordine|codice di accesso|chiave segreta|chave secreta"},
	{secretname.NamesPassword, false, "has\u0142o|haslo|has\u0142em|heslo|heslem|geslo|lozinka|zaporka|slapta\u017eodis|parole|parol\u0103|parola|\u015fifre|sifre|m\u1eadt kh\u1ea9u|mat khau|kata sandi|kata laluan|nenosiri|pasahitza|fjal\u00ebkalim"},
	{secretname.NamesPassword, false, "\u043f\u0430\u0440\u043e\u043b\u044c|\u043f\u0430\u0440\u043e\u043b\u044f|\u043f\u0430\u0440\u043e\u043b\u0435\u043c|\u043f\u0430\u0440\u043e\u043b\u0430|\u043b\u043e\u0437\u0438\u043d\u043a\u0430|\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2|\u03ba\u03c9\u03b4\u03b9\u03ba\u03bf\u03c2|\u03c3\u03c5\u03bd\u03b8\u03b7\u03bc\u03b1\u03c4\u03b9\u03ba\u03cc"},
	{secretname.NamesPassword, true, "\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4|\u901a\u884c\u78bc|\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c\u756a\u53f7|\u30d1\u30b9\u30d5\u30ec\u30fc\u30ba|\u5408\u8a00\u8449|\ube44\ubc00\ubc88\ud638|\ud328\uc2a4\uc6cc\ub4dc|\uc554\ud638"},
	{secretname.NamesPassword, true, "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631|\u0643\u0644\u0645\u0629 \u0627\u0644\u0633\u0631|\u0627\u0644\u0631\u0642\u0645 \u0627\u0644\u0633\u0631\u064a|\u0631\u0645\u0632 \u0639\u0628\u0648\u0631|\u06af\u0630\u0631\u0648\u0627\u0698\u0647|\u05e1\u05d9\u05e1\u05de\u05d4|\u05e1\u05d9\u05e1\u05de\u05d0|\u092a\u093e\u0938\u0935\u0930\u094d\u0921|\u0995\u09c2\u099f\u09b6\u09ac\u09cd\u09a6|\u09aa\u09be\u09b8\u0993\u09af\u09bc\u09be\u09b0\u09cd\u09a1|\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19|\u10de\u10d0\u10e0\u10dd\u10da\u10d8|\u0563\u0561\u0572\u057f\u0576\u0561\u0562\u0561\u057c"},
	{secretname.NamesSecret, true, "api-schl\u00fcssel|zugriffsschl\u00fcssel|zugangsschl\u00fcssel|geheimer schl\u00fcssel|zugriffstoken|zugangstoken|api-sleutel|geheime sleutel|api-nyckel|api-n\u00f8gle|api-avain"},
	{secretname.NamesSecret, false, "clave api|clave de api|clave privada|token de acceso|cl\u00e9 api|cl\u00e9 d'api|cl\u00e9 d\u2019api|cl\u00e9 secr\u00e8te|cl\u00e9 priv\u00e9e|jeton d'acc\u00e8s|jeton d\u2019acc\u00e8s|chave de api|chave api|chave de acesso|chave privada|chiave api|chiave di accesso|chiave privata|klucz api|klucz dost\u0119pu|tajny klucz|kl\u00ed\u010d api|api anahtar\u0131|gizli anahtar|eri\u015fim anahtar\u0131|kunci api|kunci rahasia|kh\u00f3a api|kho\u00e1 api"},
	{secretname.NamesSecret, false, "cheia api|cheie api|\u03ba\u03bb\u03b5\u03b9\u03b4\u03af api|\u043a\u043b\u044e\u0447 \u0434\u043e\u0441\u0442\u0443\u043f\u0430|\u0441\u0435\u043a\u0440\u0435\u0442\u043d\u044b\u0439 \u043a\u043b\u044e\u0447|api-\u043a\u043b\u044e\u0447|\u043a\u043b\u044e\u0447 api|\u0442\u043e\u043a\u0435\u043d \u0434\u043e\u0441\u0442\u0443\u043f\u0430"},
	{secretname.NamesSecret, true, "\u5bc6\u94a5|\u5bc6\u9470|\u91d1\u9470|\u79c1\u94a5|\u79c1\u9470|\u79d8\u94a5|\u8bbf\u95ee\u4ee4\u724c|\u5b58\u53d6\u6b0a\u6756|\u30a2\u30af\u30bb\u30b9\u30ad\u30fc|\u30a2\u30af\u30bb\u30b9\u30c8\u30fc\u30af\u30f3|\u30b7\u30fc\u30af\u30ec\u30c3\u30c8|\u79d8\u5bc6\u9375|api\u30ad\u30fc|api \u30ad\u30fc|\uc561\uc138\uc2a4 \ud0a4|\uc561\uc138\uc2a4 \ud1a0\ud070|\ube44\ubc00\ud0a4|\ube44\ubc00 \ud0a4|api \ud0a4|api\ud0a4|\uc2dc\ud06c\ub9bf|\u05de\u05e4\u05ea\u05d7 \u05d4-api|\u05de\u05e4\u05ea\u05d7 api|\u0e04\u0e35\u0e22\u0e4c api|\u090f\u092a\u0940\u0906\u0908 \u0915\u0941\u0902\u091c\u0940|\u0645\u0641\u062a\u0627\u062d api"},
	{secretname.NamesToken, false, "schl\u00fcssel|geheimnis|zugangsdaten|clave|credenciales|jeton|identifiants|chave|credenciais|chiave|credenziali|sleutel|nyckel|n\u00f8gle|klucz|kl\u00ed\u010d|anahtar|kunci|\u043a\u043b\u044e\u0447|\u0442\u043e\u043a\u0435\u043d"},
	{secretname.NamesToken, true, "\u4ee4\u724c|\u6b0a\u6756|\u30c8\u30fc\u30af\u30f3|\ud1a0\ud070|\u0627\u0644\u0645\u0641\u062a\u0627\u062d|\u0627\u0644\u0631\u0645\u0632"},
}

// spellings lists the words of a phrase in small letters, with a first capital
// and in capitals: the automaton folds ASCII only.
func (p *phrase) spellings() []string {
	var list []string
	for _, w := range strings.Split(p.words, "|") {
		first, size := utf8.DecodeRuneInString(w)
		list = append(list, w, string(unicode.ToUpper(first))+w[size:], strings.ToUpper(w))
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(foldASCII(a), foldASCII(b)) })
	return slices.CompactFunc(list, func(a, b string) bool { return foldASCII(a) == foldASCII(b) })
}

// longestEnding bounds what grammar adds to a noun, in bytes: articles, cases and
// particles ("lösenordet", "비밀번호는").
const longestEnding = 12

// named looks at a name in another language.
func (s *scan) named(p *phrase, at, end int) {
	if !p.inside && letterBefore(s.text, at) {
		return
	}
	// Cases and articles may follow, a whole word may not.
	for limit := min(len(s.text), end+longestEnding); end < limit; {
		r, size := utf8.DecodeRune(s.text[end:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || r < utf8.RuneSelf && (!ascii.IsLower(byte(r)) || s.text[at] >= eastern) || s.copula(end) > end {
			break
		}
		end += size
	}
	s.after(at, end, s.text[at:end], p.is)
}

func letterBefore(text []byte, at int) bool {
	r, _ := utf8.DecodeLastRune(text[:at])
	return at > 0 && (unicode.IsLetter(r) || r == '_')
}

// copulas stand between a name and its value in a sentence.
var copulas = [...]string{
	"is:", "are:", "lautet:", "ist:", "es:", "est :", "est:", "is ", "ist ", "lautet ", "war ", "es ", "est ", "\u00e9 ", "\u00e8 ", "e' ", "\u00e4r ", "er ", "on ", "to ", "je ", "jest ", "este ", "l\u00e0 ", "adalah ", "ialah ", "\u0435 ", "\u044d\u0442\u043e ", "- ", "\u2013 ", "\u2014 ", "\u2014", "\u0647\u064a ", "\u0647\u0648 ", "\u05d4\u05d9\u05d0 ", "\u05d4\u05d5\u05d0 ", "\u03b5\u03af\u03bd\u03b1\u03b9 ", "\u0939\u0948 ", "\u0e04\u0e37\u0e2d ", "\u0e04\u0e37\u0e2d",
	"\u662f ", "\u662f", "\u4e3a", "\u70ba", "\u5c31\u662f", "\u306f ", "\u306f", "\u304c", "\u3092", "\uc740 ", "\ub294 ", "\uc774 ", "\uac00 ", "\ub97c ", "\uc744 ", "set to ", "was ", "remains ", "now ",
}

// copulasBy are the copulas by their first byte.
var copulasBy = func() (table [256][]string) {
	for _, c := range copulas {
		table[c[0]] = append(table[c[0]], c)
	}
	return table
}()

// copula returns the end of a copula at a position, the position when there is
// none.
func (s *scan) copula(at int) int {
	if at == len(s.text) {
		return at
	}
	rest := s.text[at:]
	const caseless = 0xe0 // first byte of characters without capitals
	for _, c := range copulasBy[ascii.Lower(rest[0])] {
		if rest[0] < utf8.RuneSelf && (len(rest) < 2 || ascii.Lower(rest[1]) != c[1]) {
			continue // most words begin like one
		}
		if len(rest) >= len(c) && (rest[0] >= caseless && string(rest[:len(c)]) == c || rest[0] < caseless && bytes.EqualFold(rest[:len(c)], []byte(c))) {
			return at + len(c)
		}
	}
	return at
}
