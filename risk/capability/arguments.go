package capability

import (
	"slices"
	"sync"
)

// A Role is what an argument is for.
type Role uint8

const (
	NoRole      Role = iota
	Selector         // says which thing is meant, or how the answer looks
	Destination      // says where something goes: an address, a recipient
	Payload          // what is sent or stored
	Command          // what is run: a command line, code, a statement
	Path             // a file or directory
	Amount           // how much money
	Credential       // what the caller authenticates with
)

var roleNames = [...]string{"none", "selector", "destination", "payload", "command", "path", "amount", "credential"}

// String returns the name of the role, such as "destination".
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return roleNames[NoRole]
}

// MarshalText writes the name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// An Argument is one property of the input schema, at any depth.
type Argument struct {
	Place string `json:"place"` // JSON pointer into the definition
	Name  string `json:"name"`
	Role  Role   `json:"role"`
}

// trait is the set of things that a parameter's name indicates.
type trait uint32

const (
	isCommand trait = 1 << iota
	isCode
	isSQL
	isStatement
	isURL
	isPath
	isAmount
	isAccount
	isRecipient
	isTo
	isBody
	isSecret
	isRight
	isMember
	isID
	isAction
	isToken
	isBound        // the end of a range that is searched, such as max_price
	isSecretChoice // selects a secret
)

// traitWords are read in every word of a parameter's name.
var traitWords = sync.OnceValue(func() map[string]trait {
	return wordTraits(map[trait]string{
		isCommand:   "command commands cmd cmds bash shell commandline argv befehl kommando comando commande команда 命令 コマンド 명령",
		isCode:      "code script javascript js python snippet program lua source function expression skript",
		isSQL:       "sql cypher soql kql",
		isStatement: "statement statements query abfrage",
		isURL:       "url urls uri uris href link links website webpage adresse",
		isPath:      "path paths file files filename filepath dir directory folder pfad datei ordner ruta chemin caminho percorso 路径 パス 경로",
		isAmount:    "amount price sum total betrag monto montant importo valor quantia kwota сумма 金额 金額 금액 tutar",
		isAccount:   "payee iban beneficiary card wallet account bic konto cuenta creditor destinataire 收款人 受取人 수취인",
		isRecipient: "recipient recipients cc bcc addressee phone receiver empfänger empfaenger destinatario destinatário destinataire ontvanger odbiorca получатель 收件人 宛先 수신자 alıcı mottagare",
		isTo:        "to an",
		isBody:      "body message text subject content html betreff nachricht mensaje asunto",
		isSecret:    "secret password passwd credential credentials vault passphrase passwort",
		isRight:     "permission permissions acl role rolle privilege access grant",
		isMember:    "member user principal grantee assignee email benutzer group usuario",
		isID:        "id ids name path ref version",
		isToken:     "token apikey",
		isBound:     "max min maximum minimum from until",
		isAction:    "action actions operation operations op mode command cmd verb method act task step function intent aktion accion",
	})
})

func wordTraits(table map[trait]string) map[string]trait {
	words := map[string]trait{}
	for t, list := range table {
		tokens(list, false, func(w token) { words[w.word] |= t })
	}
	return words
}

// parameter reads one property: its name, its description and, if it chooses
// among actions, the actions.
func (r *reader) parameter(p *param) {
	var traits trait
	for _, word := range p.words {
		traits |= traitWords()[word]
	}
	at := place{property: p.place, field: ""}
	// A name that starts with a verb is a deed (delete_ids, click_selector).
	if len(p.words) > 1 {
		if e := lookup(p.words[0]); !e.weak && e.form&bare != 0 {
			c := newClause()
			c.verbs, c.said = e.senses&(deletes|clicks|grants|sends|executes|pays), p.words
			for _, word := range p.words[1:] {
				c.nouns |= lookup(word).kinds
			}
			if c.verbs != 0 {
				r.here = 0
				r.fire(at.at("name"), parameter, &c)
			}
		}
	}
	m := parameter
	if traits&isAction != 0 {
		m = choice
	}
	for _, text := range p.texts {
		r.text(at.at("description"), m, text)
	}
	if traits&isAction != 0 {
		for i, value := range p.enum {
			if len(value) <= maxAction {
				value := place{property: p.place, field: "enum", index: i + 1}
				r.text(value, nameText, p.enum[i])
			}
		}
	}
}

// maxURLWords is the longest name, in words, of a parameter that holds an address.
const maxURLWords = 3

// maxCommandDepth is how deep a command still counts as what the tool runs. Below
// that it is one step of a plan, such as a script that a page runs before it is
// read.
const maxCommandDepth = 2

// maxAction is the longest value, in bytes, that can be the name of an action.
const maxAction = 64

func (p place) at(field string) place { p.field = field; return p }

// arguments gives every property its role and combines it with the evidence from the
// texts.
func (r *reader) arguments(ps []param) {
	var all trait
	traits := make([]trait, len(ps))
	for i, p := range ps {
		for _, word := range p.words {
			traits[i] |= traitWords()[word]
		}
		if len(p.words) > 0 && traitWords()[p.words[0]]&isTo == 0 {
			traits[i] &^= isTo // convert_to_markdown is no recipient
		}
		if len(p.words) > maxURLWords {
			traits[i] &^= isURL // snippets_per_url counts something
		}
		if traits[i]&isBound != 0 {
			traits[i] &^= isAmount
		}
		if traits[i]&isSecret != 0 && traits[i]&isID != 0 {
			traits[i] |= isSecretChoice
		}
		if p.depth > maxCommandDepth {
			traits[i] &^= isCommand | isCode
		}
		if p.isEnum {
			traits[i] &^= isCommand | isCode | isSQL | isStatement | isURL
		}
		all |= traits[i]
	}
	for i, p := range ps {
		r.reading.Arguments = append(r.reading.Arguments, Argument{p.place, p.name, roleOf(traits[i], p, r.verbs)})
		for _, rule := range argumentRules {
			if traits[i]&rule.is != 0 && (rule.with == 0 || all&rule.with != 0) &&
				(rule.verbs == 0 || r.verbs&rule.verbs != 0) && (rule.nouns == 0 || r.nouns&rule.nouns != 0) && (rule.about == 0 || r.about&rule.about != 0) {
				r.add(rule.class, rule.id, place{property: p.place, field: "name"}, p.words)
			}
		}
	}
}

// argumentRules say what a parameter can carry. Verbs and nouns are those of the
// whole definition.
var argumentRules = []struct {
	id    string
	class Class
	is    trait // of the parameter
	with  trait // of any parameter
	verbs sense
	nouns kind
	about kind // nouns of the name, title and description alone
}{
	{id: "A01", class: RunShell, is: isCommand},
	{id: "A02", class: RunCode, is: isCode, verbs: executes | runs | evaluates},
	{id: "A03", class: Query, is: isSQL},
	{id: "A04", class: Query, is: isStatement, about: sqlNoun | database},
	{id: "A05", class: Fetch, is: isURL},
	{id: "A06", class: WriteFile, is: isPath, verbs: writes},
	{id: "A07", class: ReadFile, is: isPath},
	{id: "A08", class: Pay, is: isAmount, with: isAccount},
	{id: "A09", class: Pay, is: isAmount, verbs: pays | transfers, nouns: money | account},
	{id: "A10", class: Send, is: isRecipient, with: isBody},
	{id: "A11", class: Send, is: isTo, with: isBody},
	{id: "A12", class: ReadSecret, is: isSecretChoice, verbs: reveals, nouns: secret},
	{id: "A13", class: Grant, is: isRight, with: isMember, verbs: sets | grants | shares},
}

// roleOf returns what an argument is for. The strongest trait decides.
func roleOf(t trait, p param, verbs sense) Role {
	changing := verbs&(changes|sends|writes|shares|pays|transfers|grants) != 0
	switch {
	case t&(isCommand|isSQL) != 0 || t&isCode != 0 && verbs&(executes|runs|evaluates) != 0:
		return Command
	case t&(isSecret|isToken) != 0 && t&isID == 0 && !slices.Contains(p.words, "page") && !slices.Contains(p.words, "next"):
		return Credential
	case t&isID != 0 && t&(isPath|isURL) == 0:
		return Selector
	case t&isAmount != 0 && verbs&(pays|transfers) != 0:
		return Amount
	case t&isURL != 0, t&isRecipient != 0, t&isTo != 0 && changing, t&isAccount != 0 && verbs&(pays|transfers) != 0:
		return Destination
	case t&isPath != 0:
		return Path
	case t&isBody != 0 && changing:
		return Payload
	}
	return Selector
}
