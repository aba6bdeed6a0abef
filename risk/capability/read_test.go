package capability

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func names(r Reading) string {
	var list []string
	for _, c := range r.Classes() {
		list = append(list, c.String())
	}
	return strings.Join(list, " ")
}

// One sentence each, as a description says it. Classes that only look are left
// out unless nothing else is there.
func TestSentences(t *testing.T) {
	for text, want := range map[string]Class{
		"Deletes a file.":                                       Delete,
		"Permanently deletes a file.":                           Destroy,
		"Decoded data of a Kubernetes secret":                   ReadSecret,
		"Get parameter with decryption":                         ReadSecret,
		"Decoded text of a QR code":                             Unknown,
		"Applies DDL to the warehouse":                          RunSQL,
		"Opens a ticket in the tracker":                         Change,
		"Opens the list of tickets":                             Change,
		"Abre la puerta del garaje":                             Actuate,
		"Devuelve la clave de API en texto claro":               ReadSecret,
		"Creates, updates and deletes events.":                  Delete,
		"This tool can delete pages.":                           Delete,
		"Use this tool to delete pages.":                        Delete,
		"Allows you to delete pages":                            Delete,
		"Tool for deleting pages":                               Delete,
		"The page is deleted.":                                  Delete,
		"Lists pages (and deletes them)":                        Delete,
		"Does not only list, it deletes.":                       Delete,
		"If set, deletes pages":                                 Delete,
		"Lists deleted pages":                                   Read,
		"Lists pages that were deleted.":                        Read,
		"Does not delete anything":                              Unknown,
		"Lists files without deleting them":                     ReadFile,
		"Gets the delete status":                                Read,
		"If you want to delete pages, ask":                      Unknown,
		"Ask delete_page":                                       Unknown,
		"Post a message to a channel":                           Send,
		"Lists the posts of a blog":                             Read,
		"Gets name, email and order":                            Read,
		"Create or update issues":                               Change,
		"Removes duplicates from a list":                        Unknown,
		"Removes a user from the team":                          Delete,
		"Adds two numbers":                                      Compute,
		"Adds a comment to an issue":                            Change,
		"Runs a command in the shell":                           RunShell,
		"Executes Python code":                                  RunCode,
		"Evaluates a mathematical term":                         Unknown,
		"Runs SQL on the database":                              RunSQL,
		"Runs a read-only SQL query":                            Query,
		"Executes a SELECT query":                               Change,
		"SQL reports, no INSERT, no DROP":                       Query,
		"SQL reports, INSERT and DROP too":                      RunSQL,
		"Does a GET request":                                    Fetch,
		"Pass a search term using any password":                 Unknown,
		"Takes any SQL":                                         RunSQL,
		"Returns the password of an account":                    ReadSecret,
		"Returns the weather using an API key":                  Read,
		"Requires an access token":                              Unknown,
		"Grants a role to a user":                               Grant,
		"Makes a folder readable by everyone":                   Grant,
		"Sends money to a friend":                               Pay,
		"Books a flight and charges the card":                   Pay,
		"Purchase a ticket":                                     Pay,
		"Clicks a button":                                       Operate,
		"Unlocks the front door":                                Actuate,
		"Fetches a web page":                                    Fetch,
		"Searches the web":                                      SearchWeb,
		"Löscht alle Einträge":                                  Destroy,
		"Es wird nichts gelöscht":                               Unknown,
		"Envía un correo":                                       Send,
		"Supprime un fichier":                                   Delete,
		"Выполняет команду в терминале":                         RunShell,
		"删除文件":                                                  Delete,
		"不会删除文件":                                                Unknown,
		"コマンドを実行する":                                             RunShell,
		"비밀번호를 표시합니다":                                           ReadSecret,
		"Siler":                                                 Delete,
		"{\"type\": \"delete\"}":                                Unknown,
		"dеletes a file, with a Cyrillic letter in the verb":    Delete,
		"d\u200beletes a file, with nothing between d and e":    Delete,
		"ｄｅｌｅｔｅｓ a file":                                        Delete,
		"deletes a file" + strings.Repeat("\n", 5) + "it is ok": Delete,
	} {
		if got := Of(Definition{Description: text}).Worst(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]Class{
		"delete_file": Delete, "deleteFile": Delete, "DeleteFile": Delete, "github.delete-repo": Delete, "HTTPDeleteObject": Delete,
		"get_delete_status": Read, "find_and_delete": Delete, "list_deleted": Read, "get_order": Read, "place_order": Pay,
		"slack_post_message": Send, "API-post-search": Read, "drop_table": Delete, "browser_drop": Operate, "terminal": RunShell,
		"read_terminal_output": Read, "run_command": RunShell, "runJavaScript": RunCode, "web_search": SearchWeb, "send_email": Send,
		"get_secret": ReadSecret, "list_api_keys": ReadSecret, "datei_loeschen": Delete, "rechte_vergeben": Grant, "write_file": WriteFile,
		"browser_click": Operate, "tuer_oeffnen": Actuate, "create_payment": Pay, "x": Unknown, "": Unknown,
	} {
		if got := Of(Definition{Name: name}).Worst(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestSchemas(t *testing.T) {
	for properties, want := range map[string]Class{
		`"command":{"type":"string"}`:                                             RunShell,
		`"options":{"properties":{"cmd":{}}}`:                                     RunShell,
		`"o":{"properties":{"p":{"properties":{"command":{}}}}}`:                  Unknown,
		`"command":{"enum":["view","insert"]}`:                                    Change,
		`"action":{"enum":["list","delete"]}`:                                     Delete,
		`"action":{"description":"One of list, get, delete"}`:                     Delete,
		`"state":{"description":"One of open, closed, delete"}`:                   Unknown,
		`"line":{"description":"Command line"}`:                                   RunShell,
		`"state":{"enum":["open","delete"]}`:                                      Unknown,
		`"op":{"anyOf":[{"properties":{"delete_ids":{}}}]}`:                       Delete,
		`"sql":{"type":"string"}`:                                                 Query,
		`"q":{"description":"SQL to execute"}`:                                    RunSQL,
		`"url":{"type":"string"}`:                                                 Fetch,
		`"p":{"description":"Type of the item"}`:                                  Unknown,
		`"p":{"description":"Order of the results"}`:                              Unknown,
		`"p":{"description":"Shell command that is run on the host"}`:             RunShell,
		`"recipients":{},"message":{}`:                                            Send,
		`"to":{},"body":{}`:                                                       Send,
		`"convert_to_markdown":{},"content":{}`:                                   Unknown,
		`"iban":{},"amount":{}`:                                                   Pay,
		`"max_amount":{},"account":{}`:                                            Unknown,
		`"p":{"$ref":"#/$defs/d"}},"$defs":{"d":{"properties":{"command":{}}}`:    RunShell,
		`"p":{}},"$defs":{"d":{"properties":{"command":{}}}`:                      Unknown,
		`"p":{"$ref":"#/$defs/d"}},"$defs":{"d":{"$ref":"#/$defs/d"}`:             Unknown,
		`"p":{"$ref":"#/$defs/none"}},"$defs":[`:                                  Unknown,
		`"p":7,"q":[],"r":{"description":7,"enum":{"a":1},"properties":"x"}`:      Unknown,
		`"a/b~c":{"properties":{"url":{}}}`:                                       Fetch,
		`"target":{"oneOf":[{"properties":{"path":{}}},{"properties":{"z":{}}}]}`: ReadFile,
	} {
		if got := Of(Definition{Schema: []byte(`{"properties":{` + properties + `}}`)}); got.Worst() != want {
			t.Errorf("%s: %v, want %v: %v", properties, got.Worst(), want, got.Evidence)
		}
	}
	if got := Of(Definition{Name: "run", Schema: []byte(`{"properties":{"code":{}}}`)}); !got.Has(RunCode) {
		t.Errorf("code beside a verb of running: %s", names(got))
	}
	if got := Of(Definition{Name: "lookup", Description: "Looks up a region.", Schema: []byte(`{"properties":{"code":{}}}`)}); got.Has(RunCode) {
		t.Errorf("a code that is looked up: %s", names(got))
	}
}

func TestEvidenceNamesThePlace(t *testing.T) {
	r := Of(Parse([]byte(`{"name":"tidy","title":"Tidy up","description":"Lists notes. Deletes all notes.","annotations":{"title":"Delete"},
		"inputSchema":{"properties":{"a/b":{"description":"Command to run"},"mode":{},"action":{"enum":["list","send_mail"]}}}}`)))
	var places []string
	for _, e := range r.Evidence {
		if e.Class > Change {
			places = append(places, fmt.Sprintf("%v %s %q", e.Class, e.Place, e.Words))
		}
	}
	want := []string{
		`destroy /description "deletes all"`,
		`run-shell /inputSchema/properties/a~1b/description "command run"`,
		`delete /title "delete"`,
		`delete /description "deletes"`,
		`send /inputSchema/properties/action/enum/1 "send"`,
	}
	if !slices.Equal(places, want) {
		t.Errorf("got\n%s", strings.Join(places, "\n"))
	}
}

func TestRoles(t *testing.T) {
	roles := func(d Definition) string {
		var list []string
		for _, a := range Of(d).Arguments {
			list = append(list, a.Name+"="+a.Role.String())
		}
		return strings.Join(list, " ")
	}
	for _, tc := range []struct{ name, properties, want string }{
		{"send_email", `"to":{},"subject":{},"body":{},"api_token":{}`, "api_token=credential body=payload subject=payload to=destination"},
		{"list_events", `"to":{},"page_token":{},"id":{}`, "id=selector page_token=selector to=selector"},
		{"run", `"command":{},"cwd_path":{},"timeout":{}`, "command=command cwd_path=path timeout=selector"},
		{"transfer_money", `"amount":{},"iban":{}`, "amount=amount iban=destination"},
	} {
		if got := roles(Definition{Name: tc.name, Schema: []byte(`{"properties":{` + tc.properties + `}}`)}); got != tc.want {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
}

func TestGuessesAssumeTheWorstOfTheUnknown(t *testing.T) {
	unknown := Of(Definition{Name: "x"})
	if unknown.Sink() == NoSink || unknown.Reversible() || unknown.Source()&UntrustedContent == 0 || unknown.Worst() != Unknown {
		t.Errorf("%v %v %v", unknown.Sink(), unknown.Reversible(), unknown.Source())
	}
	for _, tc := range []struct {
		name       string
		sink       Sink
		reversible bool
		source     Source
	}{
		{"list_notes", NoSink, true, PrivateData},
		{"send_email", External, false, 0},
		{"run_command", Exec, false, PrivateData | UntrustedContent},
		{"get_password", NoSink, false, PrivateData | SecretData},
	} {
		r := Of(Definition{Name: tc.name})
		if r.Sink() != tc.sink || r.Reversible() != tc.reversible || r.Source() != tc.source {
			t.Errorf("%s: %v %v %b", tc.name, r.Sink(), r.Reversible(), r.Source())
		}
	}
}

func TestTheTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for i, row := range Rows() {
		if int(row.Class) != i || row.ID == "" || row.Name == "" || row.Summary == "" || seen[row.ID] || seen[row.Name] {
			t.Errorf("row %d: %+v", i, row)
		}
		seen[row.ID], seen[row.Name] = true, true
	}
	check := func(id string, c Class) {
		if id == "" || seen[id] || c == Unknown {
			t.Errorf("rule %q for %v", id, c)
		}
		seen[id] = true
	}
	for _, r := range slices.Concat(rules, nameRules) {
		check(r.id, r.class)
		if r.verbs == 0 && r.nouns == 0 {
			t.Errorf("%s fires for everything", r.id)
		}
	}
	for _, r := range argumentRules {
		check(r.id, r.class)
	}
}

// Evidence is bounded, and what is left out still counts.
func TestEvidenceIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `"a%d":{"description":"Text to send"},`, i)
	}
	r := Of(Definition{Schema: []byte(`{"properties":{` + b.String() + `"z":{"description":"Command to execute"}}}`)})
	if len(r.Evidence) > maxEvidence || !r.Has(RunShell) {
		t.Errorf("%d passages, %s", len(r.Evidence), names(r))
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"name":"a","description":"b","inputSchema":{"properties":{"c":{"description":"d","enum":["e"]}}}}`))
	f.Add([]byte(`{"inputSchema":{"$ref":"#/x","x":{"$ref":"#/x"}},"annotations":{"title":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := Of(Parse(raw))
		if len(r.Evidence) > maxEvidence {
			t.Errorf("%d passages", len(r.Evidence))
		}
		for _, e := range r.Evidence {
			if e.Class == Unknown || e.Rule == "" || e.Words == "" || e.Place == "" || !r.Has(e.Class) {
				t.Errorf("%+v", e)
			}
		}
	})
}
