package eras_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
)

const server = `"io.modelcontextprotocol/serverInfo":{"name":"g"}`

func client(version string) eras.Client { return eras.Client{Version: version, Server: []byte(server)} }

func TestResultsSuitTheirClient(t *testing.T) {
	const text = `{"type":"text","text":"a"}`
	const link = `{"type":"resource_link","uri":"file:///a","name":"A","description":"the first"}`
	const audio = `{"type":"audio","mimeType":"audio/wav","data":"AAAA"}`
	for _, row := range []struct {
		name, version string
		method        eras.Method
		sent, want    string
	}{
		{"as it is", "2025-11-25", eras.CallTool, `{"content":[` + text + `],"structuredContent":{"a":1.0},"later":"é\u00e9"}`, `{"content":[` + text + `],"structuredContent":{"a":1.0},"later":"é\u00e9"}`},
		{"old server, new client", "2026-07-28", eras.CallTool, `{"content":[` + text + `],"isError":true}`, `{"content":[` + text + `],"isError":true,"_meta":{` + server + `},"resultType":"complete"}`},
		{"its own meta", "2026-07-28", eras.CallTool, `{"_meta":{"a":1},"content":[],"resultType":"complete"}`, `{"_meta":{` + server + `,"a":1},"content":[],"resultType":"complete"}`},
		{"an empty meta", "2026-07-28", eras.CallTool, `{"_meta":{ },"content":[],"resultType":"complete"}`, `{"_meta":{` + server + `},"content":[],"resultType":"complete"}`},
		{"it says who it is", "2026-07-28", eras.CallTool, `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other"}},"content":[],"resultType":"complete"}`, `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other"}},"content":[],"resultType":"complete"}`},
		{"new server, old client", "2025-11-25", eras.CallTool, `{"_meta":{"a":1},"content":[` + text + `],"structuredContent":[1],"resultType":"complete"}`, `{"_meta":{"a":1},"content":[` + text + `]}`},
		{"nothing but structure", "2025-11-25", eras.CallTool, `{"structuredContent":[1,"b"]}`, `{"content":[{"text":"[1,\"b\"]","type":"text"}]}`},
		{"structure that it takes", "2025-11-25", eras.CallTool, `{"structuredContent":{"a":[]}}`, `{"structuredContent":{"a":[]},"content":[]}`},
		{"no content at all", "2026-07-28", eras.CallTool, `{"resultType":"complete","structuredContent":1}`, `{"resultType":"complete","structuredContent":1,"content":[],"_meta":{` + server + `}}`},
		{"a link", "2025-06-18", eras.CallTool, `{"content":[` + link + `]}`, `{"content":[` + link + `]}`},
		{"a link for an old one", "2025-03-26", eras.CallTool, `{"content":[` + text + `,` + link + `,` + audio + `]}`, `{"content":[` + text + `,{"text":"file:///a\nA\nthe first","type":"text"},` + audio + `]}`},
		{"audio for the oldest", "2024-11-05", eras.CallTool, `{"content":[` + audio + `]}`, `{"content":[{"text":"[audio, audio/wav, which version 2024-11-05 of the protocol cannot carry]","type":"text"}]}`},
		{"a prompt", "2024-11-05", eras.GetPrompt, `{"messages":[{"role":"user","content":` + audio + `},{"role":"user","content":` + text + `}]}`, `{"messages":[{"role":"user","content":{"text":"[audio, audio/wav, which version 2024-11-05 of the protocol cannot carry]","type":"text"}},{"role":"user","content":` + text + `}]}`},
		{"a read", "2026-07-28", eras.ReadResource, `{"contents":[]}`, `{"contents":[],"_meta":{` + server + `},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`},
		{"a read that may be kept", "2026-07-28", eras.ReadResource, `{"contents":[],"ttlMs":5,"cacheScope":"public"}`, `{"contents":[],"ttlMs":5,"cacheScope":"public","_meta":{` + server + `},"resultType":"complete"}`},
		{"an old read", "2025-11-25", eras.ReadResource, `{"contents":[],"resultType":"complete"}`, `{"contents":[]}`},
		{"a completion", "2026-07-28", eras.Complete, `{"completion":{"values":[]}}`, `{"completion":{"values":[]},"_meta":{` + server + `},"resultType":"complete"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			sent := []byte(row.sent)
			got, err := client(row.version).Result(row.method, sent)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if string(sent) != row.sent {
				t.Error("what was sent is changed")
			}
		})
	}
}

// TestResultsThatSpeakWithOurVoice: a server cannot put a question to a client by the
// result of a call, nor hide a member behind another of its name.
func TestResultsThatSpeakWithOurVoice(t *testing.T) {
	for _, sent := range []string{
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}}}`,
		`{"content":[],"inputRequests":{}}`, `{"content":[],"inputRequests":null}`, `{"content":[],"requestState":"x"}`,
		`{"content":[],"resultType":"later"}`, `{"content":[],"resultType":null}`, `{"content":[],"re\u0073ultType":"input_required"}`,
	} {
		for _, version := range []string{"2025-11-25", eras.Stateless} {
			if got, err := client(version).Result(eras.CallTool, []byte(sent)); !errors.Is(err, eras.ErrAsks) {
				t.Errorf("%s: %s, %v", sent, got, err)
			}
		}
	}
	for _, sent := range []string{``, `[]`, `null`, `"a"`, `{"a":1`, `{"a":1}{}`, `{}A`, `{"content":[],"content":[1]}`, `{"content":[],"c\u006fntent":[1]}`, "{\"a\":\"\xff\"}"} {
		if got, err := client("2025-11-25").Result(eras.CallTool, []byte(sent)); err == nil {
			t.Errorf("%s became %s", sent, got)
		}
	}
}

func TestDefinitions(t *testing.T) {
	for _, row := range [][2]string{
		{`{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`, ``},
		{`{"name":"a","outputSchema":{"type":"object"},"x":1.0}`, ``},
		{`{"name":"a","outputSchema":{"type":"array"},"x":1.0}`, `{"name":"a","x":1.0}`},
		{`{"name":"a","outputSchema":{"anyOf":[]}}`, `{"name":"a"}`},
		{`{"name":"a","outputSchema":true}`, `{"name":"a"}`},
	} {
		want := row[1]
		if want == "" {
			want = row[0]
		}
		if got := eras.Definition(json.RawMessage(row[0])); string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// FuzzResult compares with encoding/json: what is passed on is an object with the
// members that were sent, but for those that the client's version replaces.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"audio"}],"structuredContent":[1],"_meta":{},"resultType":"complete"}`), 0)
	f.Add([]byte(`{"messages":[{"role":"user","content":{"type":"resource_link"}},7]}`), 1)
	f.Add([]byte(`{"content":7,"messages":{}}`), 3)
	versions := []string{"2024-11-05", "2025-03-26", "2025-11-25", eras.Stateless}
	ours := []string{"_meta", "resultType", "structuredContent", "content", "messages", "ttlMs", "cacheScope"}
	f.Fuzz(func(t *testing.T, sent []byte, n int) {
		version := versions[uint(n)%uint(len(versions))]
		for _, method := range []eras.Method{eras.CallTool, eras.ReadResource, eras.GetPrompt, eras.Complete} {
			got, err := client(version).Result(method, sent)
			if err != nil {
				continue
			}
			var before, after map[string]json.RawMessage
			if err := json.Unmarshal(got, &after); err != nil {
				t.Fatalf("%s became %s: %v", sent, got, err)
			}
			if err := json.Unmarshal(sent, &before); err != nil {
				t.Fatalf("%s: %v", sent, err)
			}
			for _, name := range ours {
				delete(before, name)
				delete(after, name)
			}
			if len(before) != len(after) {
				t.Fatalf("%s became %s", sent, got)
			}
			for name := range before {
				if !bytes.Equal(before[name], after[name]) {
					t.Fatalf("%s became %s", sent, got)
				}
			}
		}
	})
}

func BenchmarkResult(b *testing.B) {
	sent := []byte(`{"content":[{"type":"text","text":"` + string(bytes.Repeat([]byte("x"), 1000)) + `"}],"structuredContent":{"a":1}}`)
	for _, version := range []string{"2025-11-25", eras.Stateless} {
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			c := client(version)
			for b.Loop() {
				if _, err := c.Result(eras.CallTool, sent); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
