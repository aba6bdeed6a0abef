package imports

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// words are the parts of a name that say that its value is a secret. A word too many
// costs an operator one variable to set; one too few stores a secret.
var words = []string{
	"token", "secret", "password", "passwd", "pass", "passphrase", "pwd", "pw", "key", "apikey", "pat", "credential", "credentials", "creds",
	"auth", "authorization", "cookie", "session", "signature", "sig", "dsn", "bearer", "jwt", "hmac", "salt", "pin", "otp", "mnemonic", "seed",
}

var wordsOf = regexp.MustCompile(`[A-Z]+(?:[a-z]*)|[a-z]+`)

// secretName reports whether a name such as GITHUB_TOKEN, x-api-key or dbPassword
// names a secret.
func secretName(name string) bool {
	for _, word := range wordsOf.FindAllString(name, -1) {
		word = strings.ToLower(word)
		if slices.Contains(words, word) || strings.HasSuffix(word, "password") || strings.HasSuffix(word, "token") || strings.HasSuffix(word, "secret") || strings.HasSuffix(word, "apikey") {
			return true
		}
	}
	return strings.Contains(strings.ToLower(name), "connection_string") || strings.EqualFold(name, "connectionString")
}

// secretHeader is secretName for headers.
func secretHeader(name string) bool { return secretName(name) }

// Secret reports whether the value of a variable or a header should not be written
// down: by its name, or by what it looks like. A value that only refers to variables is
// none.
func (r *Reader) Secret(name, value string) bool {
	d := r.draft("", dialect{})
	// The scheme of an Authorization header is no secret.
	if word, rest, two := strings.Cut(value, " "); two && slices.Contains(schemes, strings.ToLower(word)) {
		value = rest
	}
	return reference.ReplaceAllString(value, "") != "" && (secretName(name) && !harmless(name, value) || d.detected(name, value))
}

// schemes are the words before a secret in an Authorization header.
var schemes = []string{"bearer", "basic", "token"}

var switchOrPath = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|[0-9]{1,4}|(~|\.{0,2})/.*|[a-z]:\\.*)?$`)

// harmless reports whether a value cannot be the secret that its name speaks of: a
// switch, a small number, or the path of a file that holds it.
func harmless(name, value string) bool {
	return switchOrPath.MatchString(value) && !strings.HasPrefix(strings.ToLower(name), "pin")
}

// detected reports whether a value looks like a secret, given its name.
func (d *draft) detected(name, value string) bool {
	if value == "" {
		return false
	}
	text, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		return true // what cannot be judged is not stored
	}
	_, outcome := d.detector.Bytes(egress.NewSession(nil, nil), egress.Place{}, text)
	// Names of people and paths of homes are found as well, and are no secrets.
	return outcome.Blocked != "" || slices.ContainsFunc(outcome.Findings, func(f egress.Finding) bool { return f.Class == string(rules.Credential) })
}

var (
	variableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	notInVar     = regexp.MustCompile(`[^A-Z0-9]+`)
)

// variable makes the name of a variable from words.
func variable(parts ...string) string {
	name := notInVar.ReplaceAllString(strings.ToUpper(strings.Join(parts, "_")), "_")
	if name = strings.Trim(name, "_"); name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// hide keeps a value as a variable of this server and returns the reference. A value
// that is a reference already stays one.
func (d *draft) hide(value, what, name string) string {
	if rest := reference.ReplaceAllString(value, ""); rest == "" && value != "" || value == "" {
		return value
	}
	own := variable(name)
	if !strings.HasPrefix(own, variable(d.found.Name)+"_") {
		own = variable(d.found.Name, own)
	}
	plain := own
	for n := 2; ; n++ {
		i := slices.IndexFunc(d.found.Variables, func(v Variable) bool { return v.Name == own })
		if i < 0 {
			break
		}
		if d.found.Variables[i].Value.text == value {
			return "${" + own + "}"
		}
		own = fmt.Sprintf("%s_%d", plain, n)
	}
	d.found.Variables = append(d.found.Variables, Variable{own, what, Secret{value}})
	return "${" + own + "}"
}

// reference is what is looked up when a server is reached; catalog has the same.
var reference = regexp.MustCompile(`\$\{[A-Z_]+[A-Z0-9_]*\}`)

// foreign are the forms of references in the files of clients.
var foreign = regexp.MustCompile(`\$\{([^{}$]{1,200})\}|\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\{file:[^{}]*\}|\$([A-Z_][A-Z0-9_]*)`)

// variables writes the references of other programs as ours.
func (d *draft) variables(text string) string {
	return foreign.ReplaceAllStringFunc(text, func(match string) string {
		m := foreign.FindStringSubmatch(match)
		inner := m[1]
		switch {
		case strings.HasPrefix(match, "{file:"):
			d.refuse("it reads a file into its configuration, which is not done here: %s", match)
		case m[2] != "":
			return d.reference(m[2])
		case m[3] != "":
			if d.client == "gemini" { // elsewhere a dollar is a dollar
				return "${" + m[3] + "}"
			}
		case inner == "workspaceFolder" || inner == "workspaceRoot":
			if d.project == "" {
				d.refuse("it is for the folder that an editor has open (%s), and no folder is open here", match)
			}
			return d.project
		case inner == "userHome" || inner == "HOME":
			return d.homeFolder()
		case inner == "pathSeparator" || inner == "/":
			return "/"
		case strings.HasPrefix(inner, "env:"):
			return d.reference(strings.TrimPrefix(inner, "env:"))
		case strings.HasPrefix(inner, "input:"):
			return d.asked(strings.TrimPrefix(inner, "input:"))
		default:
			if name, value, defaulted := strings.Cut(inner, ":-"); defaulted && variableName.MatchString(name) {
				if value != "" && !secretName(name) && !d.detected(name, value) {
					d.note("without the variable %s it would take %q; here the variable has to be set", name, value)
				}
				return "${" + name + "}"
			}
		}
		return match
	})
}

// homeFolder takes the place of references to it: looked up like the others, it would be
// masked as a secret.
func (d *draft) homeFolder() string {
	if d.home == "" {
		d.refuse("it refers to the home folder, and there is none")
	}
	return d.home
}

// asked is a value that an editor would ask its user for.
func (d *draft) asked(id string) string {
	what := "what the editor asks for as " + id
	var input struct{ Description string }
	if json.Unmarshal(d.inputs[id], &input) == nil && input.Description != "" {
		what = input.Description
	}
	return d.wanted(variable(d.found.Name, id), what)
}

// wanted is a variable without a value.
func (d *draft) wanted(name, what string) string {
	if !slices.ContainsFunc(d.found.Variables, func(v Variable) bool { return v.Name == name }) {
		d.found.Variables = append(d.found.Variables, Variable{Name: name, For: what})
	}
	return "${" + name + "}"
}

var flagged = regexp.MustCompile(`^(--?[A-Za-z][A-Za-z0-9_-]*|[A-Za-z_][A-Za-z0-9_]*)=(.+)$`)

// arguments takes the secrets out of the arguments of the command.
func (d *draft) arguments() {
	args := d.found.Command
	for i := 1; i < len(args); i++ {
		before := ""
		if strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") {
			before = strings.TrimLeft(args[i-1], "-")
		}
		switch m := flagged.FindStringSubmatch(args[i]); {
		case strings.HasPrefix(args[i], "-") && m == nil:
		case m != nil:
			name := strings.TrimLeft(m[1], "-")
			if secretName(name) && !harmless(name, m[2]) || d.detected(name, m[2]) {
				args[i] = m[1] + "=" + d.hide(m[2], "the argument "+m[1], name)
			}
		case before != "" && secretName(before) && !harmless(before, args[i]):
			args[i] = d.hide(args[i], "the argument after "+args[i-1], before)
		case strings.Contains(before, "header"):
			// mcp-remote: --header "Authorization: Bearer ..."
			if name, value, ok := strings.Cut(args[i], ":"); ok && (secretHeader(name) || d.detected(name, value)) {
				args[i] = name + ":" + d.hide(strings.TrimSpace(value), "the header "+name, name)
			}
		case d.detected("argument", args[i]):
			args[i] = d.hide(args[i], fmt.Sprintf("argument %d", i), fmt.Sprintf("ARGUMENT_%d", i))
		}
	}
}

// collect lists the references that no variable stands for yet.
func (d *draft) collect() {
	f := &d.found
	texts := append(slices.Clone(f.Command), f.Dir, f.URL)
	for _, group := range []map[string]string{f.Env, f.Headers} {
		for _, value := range group {
			texts = append(texts, value)
		}
	}
	names := map[string]bool{}
	for _, v := range f.Variables {
		names[v.Name] = true
	}
	var more []string
	for _, text := range texts {
		for _, name := range catalog.References(text) {
			if !names[name] {
				names[name], more = true, append(more, name)
			}
		}
	}
	slices.Sort(more)
	for _, name := range more {
		f.Variables = append(f.Variables, Variable{Name: name, For: "what that file refers to"})
	}
}
