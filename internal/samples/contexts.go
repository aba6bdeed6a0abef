package samples

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
)

var (
	tokens    = []kind{byForm}
	named     = []kind{byForm, byName, password}
	allNamed  = []kind{byForm, byName, password, letters}
	passwords = []kind{password}
	sessions  = []kind{session}
)

// layouts are the texts that the rules were made with: what tools return, written
// down by kind. Neighbours on every side show whether anything else was taken.
var layouts = []layout{
	// Settings with others around them.
	{name: "environment", takes: allNamed, text: "HOST=db1\n{N}={v}\nLOG_LEVEL=info\nPORT=5432\n"},
	{name: "environment", takes: allNamed, text: "{N}={v}\nLOG_LEVEL=info"},
	{name: "environment", takes: named, text: "export REGION=eu\nexport {N}=\"{v}\"\nexport MODE=fast\n"},
	{name: "environment", takes: named, text: "docker run -e {N}={v} -e MODE=fast app:latest"},
	{name: "YAML", takes: named, text: "db:\n  host: db1\n  {n}: {v}\n  pool: 10\n"},
	{name: "YAML", takes: named, text: "env:\n  - name: {N}\n    value: {v}\n  - name: MODE\n    value: fast\n"},
	{name: "YAML", takes: named, text: "env:\n  - name: {N}\n    value: \"{v}\"\n  - name: LOG_LEVEL\n    value: info\n"},
	{name: "folded YAML", takes: named, text: "region: eu\n{n}: >-\n  {v}\nretries: 3\n"},
	{name: "folded YAML", takes: named, text: "region: eu\n{n}: |\n  {v}\nretries: 3\n"},
	{name: "folded YAML", takes: []kind{byForm, byName}, text: "region: eu\n{n}: >-\n  {v}\nretries: 3\n", between: "\n  "},
	{name: "folded YAML", takes: []kind{byForm, byName}, text: "service:\n  {n}: >\n    {v}\n  mode: fast\n", between: "\n    ", every: 20},
	{name: "folded YAML", takes: tokens, text: "note: |\n  deploy with\n  {v}\n  before noon\nowner: anna\n", between: "\n  "},
	{name: "Kubernetes data", takes: []kind{byForm, password}, text: "apiVersion: v1\nkind: Secret\ndata:\n  a-token: {v}\n  log-level: aW5mbw==\ntype: Opaque\n", encode: base64Of},
	{name: "Kubernetes data", takes: named, text: "kind: Secret\nmetadata:\n  name: app\nstringData:\n  {n}: {v}\n  mode: fast\n"},
	{name: "Kubernetes data", takes: tokens, text: "kind: ConfigMap\ndata:\n  {n}: {v}\n  mode: fast\n  level: info\n"},
	{name: "properties", takes: named, text: "app.region=eu\napp.{n}={v}\napp.mode=fast\n"},
	{name: "ini", takes: named, text: "[db]\nhost = db1\n{n} = {v}\nport = 5432\n"},
	{name: "XML", takes: named, text: "<config><{n}>{v}</{n}><mode>fast</mode></config>"},
	{name: "XML", takes: named, text: "<add key=\"{N}\" value=\"{v}\" />\n<add key=\"Mode\" value=\"fast\" />"},
	{name: "JSON", takes: named, text: `{"region":"eu","{n}":"{v}","mode":"fast"}`},
	{name: "JSON", takes: allNamed, text: "{\n  \"region\": \"eu\",\n  \"{c}\": \"{v}\",\n  \"mode\": \"fast\"\n}"},
	{name: "JSON in text", takes: named, text: `{"{n}":"{v}","mode":"fast"}`, around: func(s string) string {
		return JSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
	}},
	{name: "settings in a JSON string", takes: named, text: "HOST=db1\n{N}={v}\nLOG_LEVEL=info\n", around: func(s string) string {
		return JSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
	}},
	{name: "code", takes: named, text: "const client = new Client({ region: 'eu', {c}: '{v}', retries: 3 });"},
	{name: "code", takes: named, text: "client = Client(region=\"eu\", {n}=\"{v}\", retries=3)"},
	{name: "code", takes: named, text: "define('{N}', '{v}');\ndefine('MODE', 'fast');"},
	{name: "log", takes: named, text: "2026-02-03T04:05:06Z DEBUG client region=eu {n}={v} retries=3 took=12ms"},
	{name: "error", takes: named, text: "upstream said 401 ({n}={v}): unauthorized"},
	{name: "URL", takes: []kind{byForm, byName}, text: "GET /v1/items?limit=5&{n}={v}&page=2 HTTP/1.1"},
	{name: "header", takes: tokens, text: "> GET / HTTP/1.1\n> Host: api.acme.test\n> Authorization: Bearer {v}\n> Accept: */*\n"},
	{name: "header", takes: []kind{byForm, byName}, text: "Host: api.acme.test\nX-Api-Key: {v}\nAccept: text/plain\n"},
	{name: "command", takes: named, text: "acme login --user bob --{n} {v} --region eu"},
	{name: "command", takes: passwords, text: "mysql -u root -p{v} shop < dump.sql"},
	{name: "command", takes: passwords, text: "mysqldump -h db1 -uroot -p'{v}' shop > dump.sql"},
	{name: "command", takes: passwords, text: "sshpass -p {v} ssh deploy@web1 uptime"},
	{name: "command", takes: passwords, text: "PGPASSWORD={v} psql -h db1 -U app shop"},
	{name: "command", takes: passwords, text: "redis-cli -h cache -a {v} ping"},

	// Prose.
	{name: "prose", takes: tokens, text: "Please use {v} until Monday, then rotate it."},
	{name: "prose", takes: tokens, text: "The call failed (key {v})."},
	{name: "prose", takes: tokens, text: "We rotated it. Old: {v}; new: in the vault."},
	{name: "prose", takes: []kind{byForm, byName}, text: "The API key for staging is {v}, ask Bob for the other one."},
	{name: "prose", takes: passwords, text: "Log in as admin, the password is {v} and it never expires."},
	{name: "markup", takes: tokens, text: "Use `{v}` in the *first* step."},
	{name: "markup", takes: tokens, text: "The **{v}** one, not the other."},
	{name: "markup", takes: tokens, text: "<p>Token: <code>{v}</code> (read only)</p>"},
	{name: "chat", takes: tokens, text: "[10:02] lena: can you send it?\n[10:03] ivo: {v}\n[10:04] lena: thanks\n"},

	// Tables.
	{name: "CSV", takes: named, text: "host,{n},port\ndb1,{v},5432\n"},
	{name: "CSV", takes: named, text: "id;user;{n};active\n1;anna;{v};yes\n2;ben;;no\n"},
	{name: "CSV", takes: allNamed, text: "\"user\",\"{n}\",\"role\"\n\"anna\",\"{v}\",\"admin\"\n"},
	{name: "CSV", takes: named, text: "name,value,updated\nregion,eu,2026-01-02\n{n},{v},2026-01-03\nmode,fast,2026-01-04\n"},
	{name: "TSV", takes: named, text: "user\trole\t{n}\nanna\tadmin\t{v}\nben\tguest\t-\n"},
	{name: "Markdown table", takes: named, text: "| setting | value |\n|---|---|\n| region | eu |\n| {n} | {v} |\n| mode | fast |\n"},
	{name: "Markdown table", takes: named, text: "| service | {n} | owner |\n|:--|:-:|--:|\n| billing | {v} | anna |\n| search | see vault | ben |\n"},
	{name: "Markdown table", takes: named, text: "| service | {n} |\n|---|---|\n| billing | `{v}` |\n"},
	{name: "psql table", takes: named, text: " id | user |  {n}  | active\n----+------+--------+--------\n  1 | anna | {v} | t\n  2 | ben  |        | f\n(2 rows)\n"},
	{name: "mysql table", takes: named, text: "+----+------+------+\n| id | {n} | user |\n+----+------+------+\n|  1 | {v} | anna |\n+----+------+------+\n"},
	{name: "HTML table", takes: named, text: "<table><tr><th>Setting</th><th>Value</th></tr><tr><td>{n}</td><td>{v}</td></tr><tr><td>mode</td><td>fast</td></tr></table>"},

	// Split over lines.
	{name: "wrapped", takes: tokens, text: "The key is:\n{v}\nplease keep it", between: "\n"},
	{name: "wrapped", takes: tokens, text: "The token is {v} and works until Monday", between: "\n"},
	{name: "wrapped", takes: tokens, text: "key: {v}\nmode: fast\n", between: "\n"},
	{name: "wrapped", takes: tokens, text: "key: {v}\n\nNext steps follow.", between: "\n", every: 24},
	{name: "wrapped", takes: tokens, text: "  token:\n    {v}\n  mode: fast\n", between: "\n    ", every: 16},
	{name: "wrapped", takes: tokens, text: "key={v}\r\nmode=fast\r\n", between: "\r\n"},
	{name: "wrapped", takes: []kind{byForm, byName}, text: "The API key is:\n{v}\nplease keep it", between: "\n"},
	{name: "quoted reply", takes: tokens, text: "> here it is:\n> {v}\n> cheers\n\nthanks!", between: "\n> "},
	{name: "quoted reply", takes: tokens, text: "On Monday Ben wrote:\n> > the key is {v}\n> > please test\n> ok", between: "\n> > "},
	{name: "quoted reply", takes: tokens, text: "> {v}\n", between: "\n> ", every: 20},
	{name: "comment", takes: tokens, text: "# old key:\n# {v}\n# remove soon\nmode = fast\n", between: "\n# "},
	{name: "comment", takes: tokens, text: "/*\n * key {v}\n * remove soon\n */", between: "\n * "},
	{name: "comment", takes: tokens, text: "// {v}\n// remove soon\nfunc main() {}", between: "\n// "},
	{name: "list", takes: tokens, text: "Two halves:\n- {v}\n- that is all\n", between: "\n- "},
	{name: "list", takes: tokens, text: "1. {v}\n3. done\n", between: "\n2. "},
	{name: "list", takes: tokens, text: "Parts:\n* {v}\n\nJoin them.", between: "\n* "},
	{name: "joined literals", takes: tokens, text: "key = \"{v}\"\nmode = \"fast\"", between: "\" + \""},
	{name: "joined literals", takes: tokens, text: "key = (\n  '{v}'\n)\nmode = 'fast'", between: "'\n  '"},
	{name: "joined literals", takes: tokens, text: "$key = '{v}';\n$mode = 'fast';", between: "' . '"},
	{name: "joined literals", takes: tokens, text: "String key = \"{v}\";\nint n = 3;", between: "\" +\n    \"", every: 20},
	{name: "continued line", takes: tokens, text: "login --token {v} \\\n  --region eu", between: "\\\n"},
	{name: "array of parts", takes: tokens, text: `{"parts":["{v}"],"mode":"fast"}`, between: `","`},

	// Disguised.
	{name: "base64", takes: tokens, text: "payload {v} received", encode: base64Of},
	{name: "base64", takes: tokens, text: "auth: {v}, mode: fast", encode: func(s string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(`{"user":"anna","token":"` + s + `","ünï":1}`))
	}},
	{name: "base64 in lines", takes: tokens, text: "blob:\n{v}\nend of blob\n", encode: func(s string) string { return base64Of("user: anna, key: " + s + ", mode: fast, region: eu-west-1") }, between: "\n", every: 64},
	{name: "base64 twice", takes: tokens, text: "payload {v} received", encode: func(s string) string { return base64Of(base64Of(s)) }},
	{name: "base64 twice", takes: named, text: "blob={v}\nmode=fast", encode: func(s string) string { return base64Of(base64Of(`{"password":"` + s + `"}`)) }},
	{name: "hex", takes: tokens, text: "0x: {v} (dump)", encode: func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{name: "hex of base64", takes: tokens, text: "dump {v} end", encode: func(s string) string { return hex.EncodeToString([]byte(base64Of(s))) }},
	{name: "base32", takes: tokens, text: "payload {v} received", encode: func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
	{name: "gzip in base64", takes: tokens, text: "payload {v} received", encode: func(s string) string { return base64Of(gzipOf(`{"user":"anna","token":"` + s + `"}`)) }},
	{name: "gzip in base64", takes: passwords, text: `{"data":"{v}","mode":"fast"}`, encode: func(s string) string { return base64Of(gzipOf("host: db1\npassword: " + s + "\nport: 5432\n")) }},

	// Sessions and one-time passwords.
	{name: "cookie", takes: sessions, text: "Cookie: theme=dark; {n}={v}; lang=en\r\nAccept: */*\r\n"},
	{name: "cookie", takes: sessions, text: "Set-Cookie: {n}={v}; Path=/; HttpOnly; SameSite=Lax\r\nVary: Accept\r\n"},
	{name: "cookie", takes: sessions, text: `{"status":200,"headers":{"set-cookie":"{n}={v}; Path=/; Secure","vary":"Accept"}}`},
	{name: "cookie", takes: sessions, text: "curl -b '{n}={v}' https://api.acme.test/items"},
	{name: "cookie", takes: sessions, text: "document.cookie = \"{n}={v}; path=/\";"},
	{name: "one-time password", takes: []kind{seed}, text: "scan otpauth://totp/Acme:bob@example.com?secret={v}&issuer=Acme&digits=6 now"},
	{name: "one-time password", takes: []kind{seed}, text: `{"uri":"otpauth://totp/Acme:anna?issuer=Acme&secret={v}"}`},
	{name: "connection", takes: passwords, text: "could not connect to postgres://app:{v}@db.internal:5432/main?sslmode=require"},
	{name: "connection", takes: passwords, text: "Server=tcp:sql.acme.test;User Id=sa;Password={v};Encrypt=true"},
}

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func gzipOf(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(s))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return b.String()
}
