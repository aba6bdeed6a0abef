package frame

import "math/bits"

// Concept is one part of a frame.
type Concept uint8

// The concepts. Their numbers are in the weights, so new ones go to the end.
const (
	Model     Concept = iota // assistant, model, agent, bot
	User                     // user, person, owner
	Send                     // send, forward, upload
	Put                      // include, insert, pass in
	Read                     // read, open, fetch, look for
	Run                      // run, execute, install
	Call                     // call, invoke, use
	Ignore                   // ignore, disregard, is void
	Obey                     // follow, obey, carry out
	Hide                     // secretly, do not mention
	NoAsk                    // without asking, agreed already
	Ask                      // ask, confirm, consent
	Remember                 // memory, later sessions
	Always                   // every time, from now on
	Must                     // must, required
	First                    // before, first
	When                     // if, as soon as
	Instead                  // instead of, rather than
	Delete                   // delete, erase
	Disable                  // switch off, deactivate
	Money                    // pay, transfer, buy
	Grant                    // rights, access, unlock
	Say                      // tell, report, answer
	Rank                     // recommend, prefer, place on top
	Secret                   // password, key, token, code
	Talk                     // conversation, chat history
	Prompt                   // system prompt, own instructions
	Personal                 // contacts, health, location, mail
	File                     // file, folder, document
	Env                      // variables of the environment
	Tool                     // tool, plugin
	Other                    // other, any
	Rules                    // rules, guardrails, guidelines
	Defence                  // two-factor, firewall, branch protection
	Authority                // compliance, audit, administrator
	Plea                     // please help, urgent
	Fail                     // error, broken, recovery
	Role                     // act as, pretend, you are now
	Whatever                 // no matter what, regardless
	Mention                  // such as, attack, phishing, detects
	Full                     // complete, word for word
	Not                      // not, never, without
	Change                   // replace, multiply, set to
	Server                   // server, connection
	Machine                  // terminal, home folder, browser
	Copy                     // copy, mirror
	Link                     // link, address
	Untrue                   // harmless, verified, nothing found
	Unseen                   // not shown, hidden, people may skip this
	Accept                   // approve, click yes
	Behalf                   // on behalf of
	You                      // you, your
	Prior                    // previous, received so far

	// What is not words.
	Address    // an address or the name of a host
	SecretPath // a path where credentials lie
	Path       // another path
	OwnParam   // a parameter of the tool itself
	Sibling    // a tool of the same server, or this one
	Unknown    // a name of nobody
	Foreign    // a tool of another server
	Number     // a long number, such as an account
	Hail       // the model is addressed: "note to agents:", "Assistant, ..."
	Quoted     // three or more words in quotation marks
	Listed     // an item of a list
	Told       // was said or done, by somebody else
	Count      // not a concept: how many there are
)

// Set is a set of concepts.
type Set uint64

// Of makes a set.
func Of(all ...Concept) (s Set) {
	for _, c := range all {
		s |= 1 << c
	}
	return s
}

// Has reports whether c is in s.
func (s Set) Has(c Concept) bool { return s&(1<<c) != 0 }

// Any reports whether one of other is in s.
func (s Set) Any(other Set) bool { return s&other != 0 }

// Each yields the concepts in order.
func (s Set) Each(yield func(Concept) bool) {
	for ; s != 0; s &= s - 1 {
		if !yield(Concept(bits.TrailingZeros64(uint64(s)))) {
			return
		}
	}
}

// Deeds are what a text can ask for; Things is what a deed can be about.
var (
	Deeds  = Of(Send, Put, Read, Run, Call, Ignore, Obey, Hide, NoAsk, Remember, Delete, Disable, Money, Grant, Say, Rank, Role, Change, Copy, Accept)
	Things = Of(Secret, Talk, Prompt, Personal, File, Env, Rules, Defence, Machine, SecretPath, Path, Tool, Money, Grant)
	Sinks  = Of(Address, OwnParam, Sibling, Foreign, Unknown, Link, Server, Other)
)

// names are how the lexicon writes concepts, with what a reason says of them.
var names = [Count]struct{ id, why string }{
	Model: {"model", "speaks to the model"}, User: {"user", "speaks of the user"}, Send: {"send", "has something sent"},
	Put: {"put", "has something passed along"}, Read: {"read", "has something read"}, Run: {"run", "has something run"},
	Call: {"call", "has something called"}, Ignore: {"ignore", "sets something aside"}, Obey: {"obey", "wants to be obeyed"},
	Hide: {"hide", "wants silence"}, NoAsk: {"noask", "waives consent"}, Ask: {"ask", "speaks of consent"},
	Remember: {"remember", "wants to last"}, Always: {"always", "claims every turn"}, Must: {"must", "is put as a duty"},
	First: {"first", "comes before the task"}, When: {"when", "waits for a condition"}, Instead: {"instead", "puts one thing in the place of another"},
	Delete: {"delete", "has something deleted"}, Disable: {"disable", "switches something off"}, Money: {"money", "is about money"},
	Grant: {"grant", "is about rights"}, Say: {"say", "is about the answer"}, Rank: {"rank", "is about preference"},
	Secret: {"secret", "is about credentials"}, Talk: {"talk", "is about the conversation"}, Prompt: {"prompt", "is about the model's own instructions"},
	Personal: {"personal", "is about personal data"}, File: {"file", "is about files"}, Env: {"env", "is about the environment"},
	Tool: {"tool", "is about tools"}, Other: {"other", "reaches for others"}, Rules: {"rules", "is about the rules"},
	Defence: {"defence", "is about a protection"}, Authority: {"authority", "claims authority"}, Plea: {"plea", "presses"},
	Fail: {"fail", "claims a failure"}, Role: {"role", "gives the model a role"}, Whatever: {"whatever", "holds whatever is true"},
	Mention: {"mention", "mentions examples or attacks"}, Full: {"full", "wants all of it"}, Not: {"not", "forbids or denies"},
	Change: {"change", "has something altered"}, Server: {"server", "is about servers"}, Machine: {"machine", "is about the machine"},
	Copy: {"copy", "has something copied"}, Link: {"link", "is about links"}, Untrue: {"untrue", "has something called safe or true"},
	Unseen: {"unseen", "is not meant to be seen"}, Accept: {"accept", "has something accepted"}, Behalf: {"behalf", "acts in the user's name"},
	You: {"you", "speaks to the reader"}, Prior: {"prior", "is about what came before"},
	Address: {"address", "names an address"}, SecretPath: {"secret-path", "names a path of credentials"}, Path: {"path", "names a path"},
	OwnParam: {"parameter", "names a parameter"}, Sibling: {"sibling", "names a tool of the server"}, Unknown: {"unknown-name", "names something unknown"},
	Foreign: {"foreign", "names a tool of another server"}, Number: {"number", "names a number"}, Hail: {"hail", "hails the model"},
	Quoted: {"quoted", "quotes"}, Listed: {"listed", "is an item of a list"}, Told: {"told", "tells what was said or done"},
}

// String is the id of c, such as "secret".
func (c Concept) String() string { return names[c].id }

// Why completes "the sentence ...".
func (c Concept) Why() string { return names[c].why }

// Len is how many concepts are in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }
