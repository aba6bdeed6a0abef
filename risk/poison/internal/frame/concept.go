package frame

// Concept is one part of a frame.
type Concept uint8

// The concepts. Their numbers are in the weights: whoever adds one trains again.
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
	Told                     // was said or done, by somebody else
	Partner                  // whoever is chatting, the person behind this chat
	Nearby                   // clipboard, open tabs, what lies beside the task
	Identity                 // legal name, passport, birth date
	Omit                     // leave out, withhold, skip over
	Deem                     // counts as, is deemed, is taken for
	ShowAs                   // is shown as, appears as, is labelled
	Skew                     // round up, understate, inflate
	Amount                   // percent, sum, price, figure
	Decry                    // out of order, unsafe, not worth using
	Ours                     // our partner, us, the provider
	Everyone                 // all contacts, everybody
	Receiver                 // recipient, bcc, payee
	Public                   // public, visible to anyone
	Keep                     // keep, store, retain
	Pretext                  // for quality, for the record, to improve
	Nudge                    // works better, is worth, helps
	Bother                   // people find it tiresome, need not know
	Routine                  // as usual, as agreed, normally
	Beside                   // meanwhile, in passing, along with
	Later                    // from then on, after some time
	Unasked                  // of its own accord, whether wanted or not
	Refuse                   // refuse, decline, turn down
	Exempt                   // except, spared, does not apply to
	Trust                    // trusted, allow list, beyond doubt
	Trace                    // log, history, record of what was done
	Demand                   // asks for, calls for, wants
	Carrier                  // footer, comment, text of a page or field
	Dialog                   // dialog, prompt, button, check box
	Output                   // results of other tools, what came back
	Host                     // host name, processes, network of the machine
	Pose                     // forge, sign for, in the style of
	Topic                    // summary, gist, topics of what was discussed
	Limit                    // at most, only, alone
	Manual                   // returns, pagination, format, example

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
	Named      // a proper name within a sentence
	Figure     // a number that is an amount: 25 %, $40
	Digits     // a number of four to seven digits
	Count      // not a concept: how many there are
)

// Deeds are what a text can ask for; Things is what a deed can be about.
var (
	Deeds  = Of(Omit, Skew, Send, Put, Read, Run, Call, Ignore, Obey, Hide, NoAsk, Remember, Delete, Disable, Money, Grant, Say, Rank, Role, Change, Copy, Accept, Keep, ShowAs, Deem, Pose)
	Things = Of(Identity, Nearby, Topic, Output, Host, Trace, Amount, Secret, Talk, Prompt, Personal, File, Env, Rules, Defence, Machine, SecretPath, Path, Tool, Money, Grant)
	Sinks  = Of(Receiver, Public, Ours, Everyone, Address, OwnParam, Sibling, Foreign, Unknown, Link, Server, Other)
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
	Quoted: {"quoted", "quotes"}, Listed: {"listed", "is an item of a list"},
	Told: {"told", "tells what was said or done"}, Partner: {"partner", "speaks of whoever is in the conversation"}, Nearby: {"nearby", "reaches for what lies beside the task"},
	Identity: {"identity", "is about who somebody is"}, Omit: {"omit", "leaves something out"}, Deem: {"deem", "takes one thing for another"},
	ShowAs: {"show-as", "has something appear as what it is not"}, Skew: {"skew", "bends figures"}, Amount: {"amount", "is about amounts"},
	Decry: {"decry", "speaks ill of something"}, Ours: {"ours", "speaks for a third party"}, Everyone: {"everyone", "reaches for everybody"},
	Receiver: {"receiver", "is about who receives"}, Public: {"public", "makes something public"}, Keep: {"keep", "has something kept"},
	Pretext: {"pretext", "gives a reason of its own"}, Nudge: {"nudge", "calls it better so"}, Bother: {"bother", "says that nobody need mind"},
	Routine: {"routine", "calls it usual"}, Beside: {"beside", "does it on the side"}, Later: {"later", "happens later"},
	Unasked: {"unasked", "acts unasked"}, Refuse: {"refuse", "has something refused"}, Exempt: {"exempt", "makes an exception"},
	Trust: {"trust", "has something trusted"}, Trace: {"trace", "is about records of what was done"}, Demand: {"demand", "does what something asks for"},
	Carrier: {"carrier", "is about what stands in a text"}, Dialog: {"dialog", "is about a question on the screen"}, Output: {"output", "is about what tools returned"},
	Host: {"host", "is about the computer itself"}, Pose: {"pose", "speaks as somebody else"}, Topic: {"topic", "is about what was talked of"},
	Limit: {"limit", "sets a limit"}, Manual: {"manual", "reads like a manual"}, Named: {"named", "names somebody or something"}, Figure: {"figure", "names a figure"}, Digits: {"digits", "names a number"},
}

// String is the id of c, such as "secret".
func (c Concept) String() string { return names[c].id }

// Why completes "the sentence ...".
func (c Concept) Why() string { return names[c].why }
