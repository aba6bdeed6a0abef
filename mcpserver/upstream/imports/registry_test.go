package imports_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

func TestRegistry(t *testing.T) {
	for _, row := range []struct {
		name, text  string
		want        string // as JSON
		left, needs string
	}{
		{name: "remote first", text: `{"name":"com.example/analytics","version":"2.0.0",
			"packages":[{"registryType":"npm","identifier":"@example/a","version":"1.0.0","transport":{"type":"stdio"}}],
			"remotes":[{"type":"streamable-http","url":"https://{region}.example.com/mcp","variables":{"region":{"default":"eu"}},"headers":[{"name":"X-Key","isRequired":true,"isSecret":true,"description":"The key"},{"name":"X-Not","description":"as you like"}]}]}`,
			want: `{"name":"analytics","kind":"http","url":"https://eu.example.com/mcp","headers":{"X-Key":"${ANALYTICS_X_KEY}"}}`, needs: "ANALYTICS_X_KEY"},
		{name: "npm, as before October 2025", text: `{"name":"io.github.me/brave","packages":[{"registry_type":"npm","identifier":"@me/brave","version":"1.0.2",
			"environment_variables":[{"name":"BRAVE_API_KEY","is_required":true,"is_secret":true},{"name":"LEVEL","default":"info"}],
			"package_arguments":[{"type":"named","name":"--mode","default":"local"},{"type":"positional","value":"mcp"},{"type":"positional","value_hint":"dir","is_required":true}]}]}`,
			want:  `{"name":"brave","kind":"stdio","command":["npx","-y","@me/brave@1.0.2","--mode","local","mcp","${BRAVE_DIR_3}"],"env":{"BRAVE_API_KEY":"${BRAVE_BRAVE_API_KEY}","LEVEL":"info"}}`,
			needs: "BRAVE_BRAVE_API_KEY BRAVE_DIR_3"},
		{name: "pypi, in the API's wrapping", text: `{"server":{"name":"a/weather","packages":[{"registryType":"pypi","identifier":"weather-mcp","version":"0.5.0","transport":{"type":"stdio"}}]},"_meta":{}}`,
			want: `{"name":"weather","kind":"stdio","command":["uvx","weather-mcp==0.5.0"]}`},
		{name: "oci", text: `{"name":"a/b","packages":[{"registryType":"oci","identifier":"docker.io/mcp/fs:1.0.2","transport":{"type":"stdio"},
			"runtimeArguments":[{"type":"named","name":"--mount","value":"type=bind,src={source},dst=/project","isRequired":true,"variables":{"source":{"isRequired":true}}}],
			"environmentVariables":[{"name":"A","value":"1"}],"packageArguments":[{"type":"positional","value":"/project"}]}]}`,
			want:  `{"name":"b","kind":"stdio","command":["docker","run","-i","--rm","--mount","type=bind,src=${B_SOURCE},dst=/project","-e","A","docker.io/mcp/fs:1.0.2","/project"],"env":{"A":"1"}}`,
			needs: "B_SOURCE"},
		{name: "nuget", text: `{"name":"a/n","packages":[{"registryType":"nuget","identifier":"N.M","version":"1","transport":{"type":"stdio"},"packageArguments":[{"type":"positional","value":"start"}]}]}`,
			want: `{"name":"n","kind":"stdio","command":["dnx","--yes","N.M@1","--","start"]}`},
		{name: "a bundle", text: `{"name":"a/b","packages":[{"registryType":"mcpb","identifier":"https://github.com/x.mcpb"}]}`, left: "upstream import FILE.mcpb"},
		{name: "by hand", text: `{"name":"a/b","packages":[{"registryType":"npm","identifier":"b","transport":{"type":"sse","url":"http://localhost:1/sse"}}]}`, left: "glovebox upstream add b URL"},
		{name: "no way", text: `{"name":"a/b","packages":[]}`, left: "names no package"},
		{name: "a flag for a package", text: `{"name":"a/b","packages":[{"registryType":"npm","identifier":"--eval=1"}]}`, left: "names no package"},
		{name: "a variable of ours in a header", text: `{"name":"a/b","remotes":[{"type":"sse","url":"https://a.example/","headers":[{"name":"X","value":"${AWS_SECRET_ACCESS_KEY}"}]}]}`, left: "a variable of yours"},
		{name: "a variable of ours in a default", text: `{"name":"a/b","remotes":[{"type":"sse","url":"https://a.example/{x}","variables":{"x":{"default":"${PATH}"}}}]}`, left: "a variable of yours"},
		{name: "another way", text: `{"name":"a/b","remotes":[{"type":"carrier-pigeon","url":"x"}],"packages":[{"registryType":"npm","identifier":"b"}]}`,
			want: `{"name":"b","kind":"stdio","command":["npx","-y","b"]}`},
	} {
		read, err := reader(t).File("server.json", []byte(row.text))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if row.left != "" {
			if len(read.Left) != 1 || !strings.Contains(read.Left[0].Why, row.left) {
				t.Errorf("%s: %+v", row.name, read)
			}
			continue
		}
		if len(read.Found) != 1 {
			t.Errorf("%s: %+v", row.name, read)
			continue
		}
		var want upstream.Config
		if err := json.Unmarshal([]byte(row.want), &want); err != nil {
			t.Fatal(row.name, err)
		}
		if diff := cmp.Diff(want, read.Found[0].Config); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
		var needs []string
		for _, v := range read.Found[0].Variables {
			needs = append(needs, v.Name)
		}
		if got := strings.Join(needs, " "); got != row.needs {
			t.Errorf("%s: needs %q, want %q", row.name, got, row.needs)
		}
	}
}
