package search_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/internal/search"
)

// tools is a small gateway: servers that have words in common.
var tools = []search.Document{
	{Name: "read_file", Description: "Read the complete contents of a file as text.", Parameters: []string{"path", "head", "tail"}},
	{Name: "write_file", Description: "Create a new file or overwrite an existing one.", Parameters: []string{"path", "content"}},
	{Name: "list_directory", Description: "Get a listing of all files and directories in a path.", Parameters: []string{"path"}},
	{Name: "search_files", Description: "Search recursively for files whose names match a pattern.", Parameters: []string{"path", "pattern"}},
	{Name: "move_file", Description: "Move or rename files and directories.", Parameters: []string{"source", "destination"}},
	{Name: "browser_navigate", Title: "Navigate to a URL", Description: "Open a page in the browser.", Parameters: []string{"url"}},
	{Name: "browser_click", Title: "Click", Description: "Click an element of the page.", Parameters: []string{"element", "ref"}},
	{Name: "browser_take_screenshot", Title: "Take a screenshot", Description: "Take a picture of the current page.", Parameters: []string{"filename"}},
	{Name: "createIssue", Description: "Open a new issue in a repository of the tracker.", Parameters: []string{"repository", "title", "body", "labels"}},
	{Name: "listIssues", Description: "List the issues of a repository, newest first.", Parameters: []string{"repository", "state"}},
	{Name: "mergePullRequest", Description: "Merge a pull request.", Parameters: []string{"repository", "number"}},
	{Name: "sql_query", Description: "Run a read-only SQL statement against the database and return rows.", Parameters: []string{"statement"}},
	{Name: "list_tables", Description: "List the tables of the database with their columns.", Parameters: nil},
	{Name: "send_email", Description: "Send a message to one or more recipients.", Parameters: []string{"to", "subject", "body", "attachments"}},
	{Name: "search_inbox", Description: "Find messages in the mailbox by sender, subject or date.", Parameters: []string{"query", "since"}},
	{Name: "create_event", Description: "Put a meeting into the calendar and invite people.", Parameters: []string{"title", "start", "end", "attendees"}},
	{Name: "get_weather", Description: "Current conditions and the forecast for a place.", Parameters: []string{"city", "days"}},
	{Name: "geocode", Description: "Turn an address into coordinates.", Parameters: []string{"address"}},
	{Name: "convert_currency", Description: "Convert an amount between currencies at today's rate.", Parameters: []string{"amount", "from", "to"}},
	{Name: "remember", Description: "Store a fact in the knowledge graph for later conversations.", Parameters: []string{"entity", "observation"}},
	{Name: "translate", Description: "Übersetzt einen Text in eine andere Sprache.", Parameters: []string{"text", "language"}},
	{Name: "天气", Description: "查询城市的天气预报", Parameters: []string{"城市"}},
	{Name: "resize_image", Description: "Change the size of a picture.", Parameters: []string{"image", "width", "height"}},
	{Name: "deploy", Description: "Deploy a service to production.", Parameters: []string{"service", "version"}},
	{Name: "service_logs", Description: "Show the log lines of a service.", Parameters: []string{"service", "since", "level"}},
}

// labelled says which tool a person would expect to see first.
var labelled = map[string]string{
	"read file": "read_file", "what is in this text file": "read_file", "rename a file": "move_file", "overwrite": "write_file",
	"find files by pattern": "search_files", "directories": "list_directory", "open url in browser": "browser_navigate",
	"screenshot": "browser_take_screenshot", "click on an element": "browser_click", "create issue": "createIssue",
	"newest issues": "listIssues", "merge a pull request": "mergePullRequest", "database tables": "list_tables",
	"run SQL": "sql_query", "send mail to recipients": "send_email", "find message from sender": "search_inbox",
	"calendar meeting": "create_event", "weather forecast": "get_weather", "coordinates of an address": "geocode",
	"CURRENCIES": "convert_currency", "knowledge graph": "remember", "ubersetzt text": "translate", "übersetzt": "translate",
	"天气预报": "天气", "picture width": "resize_image", "deployed version": "deploy", "logs": "service_logs", "screensh": "browser_take_screenshot",
}

func TestLabelledQueries(t *testing.T) {
	x := search.New(tools)
	wrong := 0
	for query, want := range labelled {
		names, _ := x.Search(query, 3)
		if len(names) == 0 || names[0] != want {
			wrong++
			t.Logf("%q: %v, want %s", query, names, want)
		}
		if !slices.Contains(names, want) {
			t.Errorf("%q: %s is not among the first three: %v", query, want, names)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d queries have another tool first", wrong, len(labelled))
	}
}

// TestTheOrderOfToolsDoesNotMatter, and each is found by its name.
func TestTheOrderOfToolsDoesNotMatter(t *testing.T) {
	x := search.New(tools)
	for range 20 {
		shuffled := slices.Clone(tools)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		y := search.New(shuffled)
		for query := range labelled {
			a, n := x.Search(query, 50)
			if b, m := y.Search(query, 50); !slices.Equal(a, b) || n != m {
				t.Fatalf("%q: %v and %v", query, a, b)
			}
		}
	}
	for _, tool := range tools {
		if names, _ := x.Search(" "+strings.ToUpper(tool.Name), 1); len(names) != 1 || names[0] != tool.Name {
			t.Errorf("%s: %v", tool.Name, names)
		}
	}
	for _, nothing := range []string{"", " ", "?!", "xyzzy"} {
		if names, all := x.Search(nothing, 10); len(names)+all != 0 {
			t.Errorf("%q: %v", nothing, names)
		}
	}
	if names, all := x.Search("file", 2); len(names) != 2 || all < 4 {
		t.Errorf("%v of %d", names, all)
	}
}

func TestDefinitionsAreRead(t *testing.T) {
	d := search.Of(json.RawMessage(`{"name":"n","annotations":{"title":"T"},"description":"d","inputSchema":{"properties":{"p":{"description":"about p"}}}}`))
	if d.Name != "n" || d.Title != "T" || d.Description != "d" || !slices.Equal(d.Parameters, []string{"p", "about p"}) {
		t.Errorf("%+v", d)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add([]byte(`{"name":"a","description":"Ab1Cd \u0301é天","inputSchema":{"properties":{"p":{}}}}`), "ab 天")
	f.Fuzz(func(t *testing.T, definition []byte, query string) {
		x := search.New([]search.Document{search.Of(definition), {Name: "other", Description: query}})
		names, all := x.Search(query, 1)
		if len(names) > all || len(names) > 1 {
			t.Errorf("%v of %d", names, all)
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	var many []search.Document
	for i := range 10_000 {
		d := tools[i%len(tools)]
		d.Name = fmt.Sprintf("%s_%d", d.Name, i)
		many = append(many, d)
	}
	b.Run("index of 10000", func(b *testing.B) {
		for b.Loop() {
			search.New(many)
		}
	})
	x := search.New(many)
	b.Run("query", func(b *testing.B) {
		for b.Loop() {
			x.Search("find message from sender", 10)
		}
	})
}
