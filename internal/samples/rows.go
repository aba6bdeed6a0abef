package samples

import (
	"math/rand/v2"
	"strings"
)

// Row is a text with one secret in it and the places of the secret's bytes, in
// order and without overlaps. A secret that a line end or a table border
// interrupts has several places.
type Row struct {
	Context, Format, Language string
	Text                      string
	Hidden                    [][2]int
}

// Marks stand around every part of the secret while a text is being built. No
// context and no value contains them.
const (
	opens  = "\x01"
	closes = "\x02"
)

func marked(s string) string { return opens + s + closes }

// newRow takes the marks out of a text. JSON writes them as escapes.
func newRow(context, format, language, text string) Row {
	text = strings.NewReplacer(`\u0001`, opens, `\u0002`, closes).Replace(text)
	row := Row{Context: context, Format: format, Language: language}
	var b strings.Builder
	start := 0
	for i := range len(text) {
		switch text[i] {
		case opens[0]:
			start = b.Len()
		case closes[0]:
			row.Hidden = append(row.Hidden, [2]int{start, b.Len()})
		default:
			b.WriteByte(text[i])
		}
	}
	row.Text = b.String()
	return row
}

// kind says what a value needs around it to be recognised as a secret.
type kind uint8

const (
	byForm   kind = iota // a format of its own is enough
	byName               // random characters: a name has to say what they are
	password             // what a person or a generator chooses
	letters              // a password of letters alone
	session              // the value of a session cookie
	seed                 // the secret of a one-time password
)

// secret is a value with the name it goes by.
type secret struct {
	kind        kind
	name, value string
}

// ownForm are formats that need no name. Fixed and variable lengths, and
// alphabets with and without capitals, hyphens and dots, are all among them.
var ownForm = []format{
	{"github", `ghp_[A-Za-z0-9]{36}`}, {"github_fine", `github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`}, {"gitlab", `glpat-[A-Za-z0-9]{20}`},
	{"docker", `dckr_pat_[A-Za-z0-9_-]{26}[A-Za-z0-9]`}, {"aws", `AKIA[A-Z2-7]{16}`}, {"anthropic", `sk-ant-api03-[A-Za-z0-9_-]{93}AA`},
	{"openai", `sk-proj-[A-Za-z0-9]{74}T3BlbkFJ[A-Za-z0-9]{74}`}, {"slack", `xoxb-[0-9]{12}-[0-9]{13}-[A-Za-z0-9]{24}`}, {"stripe", `sk_live_[A-Za-z0-9]{24}`},
	{"stripe_long", `sk_live_51[A-Za-z0-9]{97}`}, {"npm", `npm_[A-Za-z0-9]{36}`}, {"google_api", `AIza[A-Za-z0-9]{35}`}, {"sendgrid", `SG\.[A-Za-z0-9]{22}\.[A-Za-z0-9]{43}`},
	{"huggingface", `hf_[A-Za-z]{34}`}, {"digitalocean", `dop_v1_[0-9a-f]{64}`}, {"databricks", `dapi[0-9a-f]{32}`}, {"linear", `lin_api_[A-Za-z0-9]{40}`},
	{"shopify", `shpat_[0-9a-f]{32}`}, {"sentry_user", `sntryu_[0-9a-f]{64}`}, {"groq", `gsk_[A-Za-z0-9]{20}WGdyb3FY[A-Za-z0-9]{24}`}, {"replicate", `r8_[A-Za-z0-9]{37}`},
	{"pypi", `pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{149}[A-Za-z0-9]`}, {"postman", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`}, {"vault", `hvs\.[A-Za-z0-9]{90}`}, {"grafana", `glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}`},
	{"newrelic", `NRAK-[A-Z0-9]{27}`}, {"telegram", `[0-9]{10}:AA[A-Za-z0-9]{33}`}, {"tailscale", `tskey-auth-[A-Za-z0-9]{17}-[A-Za-z0-9]{32}`}, {"notion", `ntn_[0-9]{11}[A-Za-z0-9]{35}`},
	{"openrouter", `sk-or-v1-[0-9a-f]{64}`},
}

var namedForms = []format{
	{"api_key", `[A-Za-z0-9]{31}7`}, {"client_secret", `[A-Za-z0-9_~]{35}4`}, {"access_token", `[A-Za-z0-9]{39}2`}, {"auth_token", `[0-9a-f]{40}`}, {"secret_key", `[A-Za-z0-9]{47}8`},
	{"signing_secret", `[0-9a-f]{32}`}, {"webhook_secret", `[A-Za-z0-9]{29}3`}, {"refresh_token", `[A-Za-z0-9_-]{62}k5`}, {"jwt_secret", `[A-Za-z0-9]{42}6`}, {"private_key", `[0-9a-f]{64}`},
}

var passwordForms = []format{
	{"password", `[A-Z][a-z]{5}[0-9]{3}[!*#]`}, {"db_password", `[A-Za-z0-9!*^]{13}9`}, {"admin_password", `[a-z]{4}-[a-z]{5}-[0-9]{4}`}, {"smtp_password", `[A-Za-z0-9]{17}6`}, {"root_password", `[a-z]{8}[0-9]{2}`},
}

var letterForms = []format{
	{"db_password", `[a-z]{12}`}, {"admin_password", `[A-Za-z]{16}`}, {"redis_password", `(?:correct|purple|winter|orange)(?:horse|monkey|lantern|garden)`}, {"root_password", `[A-Z][a-z]{10}`}, {"smtp_password", `[A-Z]{14}`},
}

var sessionForms = []format{
	{"sessionid", `[a-z0-9]{31}4`}, {"PHPSESSID", `[a-z0-9]{25}7`}, {"JSESSIONID", `[0-9A-F]{32}`}, {"connect.sid", `s%3A[A-Za-z0-9_-]{32}\.[A-Za-z0-9]{42}3`},
	{"laravel_session", `eyJpdiI6[A-Za-z0-9]{120}`}, {"auth_session", `[A-Za-z0-9_-]{42}5`}, {"__Host-session", `[A-Za-z0-9]{40}`}, {"ASP.NET_SessionId", `[a-z0-9]{23}5`},
}

var formsOf = map[kind][]format{
	byForm: ownForm, byName: namedForms, password: passwordForms, letters: letterForms, session: sessionForms,
	seed: {{"totp", `[A-Z2-7]{32}`}, {"totp", `[A-Z2-7]{16}`}, {"totp", `[A-Z]{32}`}},
}

func (k kind) draw(random *rand.Rand, i int) secret {
	list := formsOf[k]
	f := list[i%len(list)]
	return secret{k, f.name, Draw(random, f.expr)}
}

// layout is a text in which a secret can stand.
type layout struct {
	name  string
	takes []kind
	// text has {v} for the value, {n} for its name, {N} and {c} for the name in
	// capitals and in camel case; {x} draws what is random and no secret.
	text string
	// between interrupts the value after every so many bytes, 0 for the half.
	between string
	every   int
	// encode disguises the value; the disguise is what has to go.
	encode func(value string) string
	// around puts the whole text into another one.
	around func(text string) string
}

func (l *layout) row(random *rand.Rand, language string, s secret) Row {
	value := s.value
	if l.encode != nil {
		value = l.encode(value)
	}
	hidden := marked(value)
	if l.between != "" {
		every := l.every
		if every == 0 {
			every = (len(value) + 1) / 2
		}
		hidden = marked(wrap(value, every, closes+l.between+opens))
	}
	text := strings.NewReplacer("{v}", hidden, "{n}", s.name, "{N}", constantCase(s.name), "{c}", camelCase(s.name), "{x}", Draw(random, `[a-z]{3}[0-9]{2}`)).Replace(l.text)
	if l.around != nil {
		text = l.around(text)
	}
	return newRow(l.name, s.name, language, text)
}

func constantCase(name string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
}

func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}

// Rows draws every context with each kind of value it takes, several times.
func Rows(random *rand.Rand, each int) []Row { return rows(random, layouts, languages, each) }

// HeldOut draws contexts that no one looked at while the rules were made.
func HeldOut(random *rand.Rand, each int) []Row {
	return rows(random, heldOutLayouts, heldOutLanguages, each)
}

func rows(random *rand.Rand, layouts []layout, languages []language, each int) []Row {
	var list []Row
	for i, l := range layouts {
		for _, k := range l.takes {
			for n := range each {
				list = append(list, l.row(random, "en", k.draw(random, i+n*7)))
			}
		}
	}
	for i, language := range languages {
		for j, l := range language.layouts() {
			for _, k := range l.takes {
				for n := range (each + 2) / 3 {
					list = append(list, l.row(random, language.code, k.draw(random, i+j*3+n*7)))
				}
			}
		}
	}
	return list
}
