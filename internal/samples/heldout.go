package samples

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
)

// heldOutLayouts are written apart from the others: they measure what the rules
// do with texts of other kinds. A case that fails here is solved by a mechanism,
// and never by the case's own words.
var heldOutLayouts = []layout{
	{name: "compose file", takes: named, text: "services:\n  api:\n    environment:\n      - {N}={v}\n      - LOG_LEVEL=info\n    ports: [\"80:80\"]\n"},
	{name: "compose file", takes: allNamed, text: "    environment:\n      {N}: {v}\n      TZ: Europe/Berlin\n"},
	{name: "Terraform", takes: named, text: "resource \"x\" \"y\" {\n  region   = \"eu\"\n  {n} = \"{v}\"\n  count    = 2\n}\n"},
	{name: "Helm", takes: named, text: "helm upgrade app ./chart --set auth.{c}={v} --set replicas=3"},
	{name: "TOML", takes: named, text: "[server]\nport = 80\n{n} = '{v}'\n[client]\nmode = 'fast'\n"},
	{name: "systemd", takes: allNamed, text: "[Service]\nEnvironment=\"{N}={v}\"\nEnvironment=\"MODE=fast\"\nRestart=always\n"},
	{name: "Dockerfile", takes: named, text: "FROM alpine\nENV {N}={v}\nENV MODE=fast\nRUN make\n"},
	{name: "Windows shell", takes: allNamed, text: "set {N}={v}\r\nset MODE=fast\r\nstart app.exe\r\n"},
	{name: "PowerShell", takes: named, text: "$env:{N} = \"{v}\"\n$env:MODE = \"fast\"\n"},
	{name: "diff", takes: named, text: " host: db1\n-{n}: old\n+{n}: {v}\n mode: fast\n"},
	{name: "git diff", takes: tokens, text: "@@ -1,2 +1,3 @@\n+# note\n+{v}\n+mode=fast\n", between: "\n+"},
	{name: "stack trace", takes: tokens, text: "ValueError: bad key {v}\n  File \"app.py\", line 3, in main\n"},
	{name: "Ruby hash", takes: named, text: "config = { region: 'eu', {n}: '{v}', retries: 3 }"},
	{name: "Go struct", takes: named, text: "cfg := Config{Region: \"eu\", {c}: \"{v}\", Retries: 3}"},
	{name: "Python dict", takes: named, text: "{'region': 'eu', '{n}': '{v}', 'retries': 3}"},
	{name: "SQL", takes: passwords, text: "CREATE USER app IDENTIFIED BY '{v}' ACCOUNT LOCK;"},
	{name: "SQL", takes: passwords, text: "ALTER ROLE app WITH PASSWORD '{v}' VALID UNTIL 'infinity';"},
	{name: "mail", takes: named, text: "Hi Ben,\n\nas promised, the {n} for staging: {v}\n\nBest\nAnna\n"},
	{name: "ticket", takes: tokens, text: "Steps:\n1. set {v}\n2. restart\n3. check the log\n"},
	{name: "sentence", takes: tokens, text: "Is it {v}? No: that one was revoked!"},
	{name: "parentheses", takes: tokens, text: "calls (with [{v}]) fail since noon"},
	{name: "slash", takes: tokens, text: "either {v}/the other one or none"},
	{name: "arrow", takes: named, text: "{n} -> {v}\nmode -> fast\n"},
	{name: "INI with comment", takes: named, text: "{n} = {v} ; rotate in May\nmode = fast\n"},
	{name: "YAML with comment", takes: named, text: "{n}: {v}  # rotate in May\nmode: fast\n"},
	{name: "CSV with quotes", takes: named, text: "id,\"{n}\",note\n7,\"{v}\",\"first, second\"\n"},
	{name: "CSV, last column", takes: named, text: "host,port,{n}\ndb1,5432,{v}\ndb2,5432,n/a\n"},
	{name: "CSV, first column", takes: allNamed, text: "{n},host\n{v},db1\n"},
	{name: "columns", takes: named, text: "NAME      REGION   {N}\nbilling   eu       {v}\nsearch    us       <none>\n"},
	{name: "box table", takes: named, text: "│ user │ {n} │\n├──────┼──────┤\n│ anna │ {v} │\n"},
	{name: "Org table", takes: named, text: "| user | {n} |\n|------+------|\n| anna | {v} |\n"},
	{name: "table in JSON", takes: named, text: "| user | {n} |\n|---|---|\n| anna | {v} |\n", around: func(s string) string { return JSON(map[string]any{"type": "text", "text": s}) }},
	{name: "CSV in JSON", takes: named, text: "user,{n},role\nanna,{v},admin\n", around: func(s string) string { return JSON(map[string]any{"stdout": s, "exit": 0}) }},
	{name: "expanded rows", takes: named, text: "-[ RECORD 1 ]\nuser | anna\n{n} | {v}\nmode | fast\n"},
	{name: "HTML header row", takes: []kind{byForm}, text: "<tr><th>user</th><th>{n}</th></tr>\n<tr><td>anna</td><td>{v}</td></tr>"},
	{name: "definition list", takes: named, text: "<dl><dt>{n}</dt><dd>{v}</dd><dt>mode</dt><dd>fast</dd></dl>"},
	{name: "wrapped in a log", takes: tokens, text: "out: {v}\nout: done\n", between: "\nout: "},
	{name: "wrapped at 30", takes: tokens, text: "Use this one: {v}\nIt expires in May.\n", between: "\n", every: 30},
	{name: "wrapped in a JSON string", takes: tokens, text: "The key:\n{v}\nplease keep it\n", between: "\n", around: func(s string) string { return JSON(map[string]any{"text": s}) }},
	{name: "wrapped with tabs", takes: tokens, text: "key\n\t\t{v}\n\tmode fast\n", between: "\n\t\t"},
	{name: "wrapped, then a name", takes: tokens, text: "{v}\nLOG_LEVEL=info\n", between: "\n"},
	{name: "wrapped, then a word", takes: tokens, text: "{v}\nthanks\n", between: "\n"},
	{name: "wrapped, then a list", takes: tokens, text: "{v}\n- keep it\n- use it\n", between: "\n"},
	{name: "quoted three times", takes: tokens, text: ">>> {v}\n>>> ok?\n>> yes\n", between: "\n>>> "},
	{name: "quoted with bars", takes: tokens, text: "| {v}\n| ok?\nyes", between: "\n| "},
	{name: "SQL comment", takes: tokens, text: "-- key\n-- {v}\n-- end\nSELECT 1;", between: "\n-- "},
	{name: "bullets", takes: tokens, text: "• {v}\n• done\n", between: "\n• "},
	{name: "letters for bullets", takes: tokens, text: "a) {v}\nc) done\n", between: "\nb) "},
	{name: "cell over two rows", takes: tokens, text: "| key | {v} |\n| mode | fast |\n", between: " |\n|  | "},
	{name: "joined in VB", takes: tokens, text: "k = \"{v}\"\nm = \"fast\"", between: "\" & _\n    \""},
	{name: "joined in SQL", takes: tokens, text: "SELECT '{v}' AS k;", between: "' || '"},
	{name: "joined by being neighbours", takes: tokens, text: "k = \"{v}\"; m = \"fast\";", between: "\" \""},
	{name: "markup inside", takes: tokens, text: "<b>{v}</b> is old", between: "<br>"},
	{name: "emphasis inside", takes: tokens, text: "see {v}** here", between: "**"},
	{name: "base64 of hex", takes: tokens, text: "seen {v} today", encode: func(s string) string { return base64Of(hex.EncodeToString([]byte(s))) }},
	{name: "base64 of a header", takes: passwords, text: "Proxy-Authorization: Basic {v}\nAccept: */*\n", encode: func(s string) string { return base64Of("anna:" + s) }},
	{name: "base64url twice", takes: tokens, text: "id={v}&n=1", encode: func(s string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(base64.RawURLEncoding.EncodeToString([]byte("k=" + s))))
	}},
	{name: "base32 without padding", takes: tokens, text: "code {v}.", encode: func(s string) string {
		return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte("token " + s))
	}},
	{name: "gzip in base64url", takes: tokens, text: "state={v}&n=1", encode: func(s string) string {
		return base64.URLEncoding.EncodeToString([]byte(gzipOf(strings.Repeat("mode: fast\n", 8) + "key: " + s + "\n")))
	}},
	{name: "gzip in hex", takes: tokens, text: "body {v} end", encode: func(s string) string { return hex.EncodeToString([]byte(gzipOf("key: " + s))) }},
	{name: "percent in base64", takes: tokens, text: "q {v} r", encode: func(s string) string { return base64Of("a=1&key=" + url.QueryEscape(s) + "&b=2") }},
	{name: "data URI", takes: tokens, text: "see data:text/plain;base64,{v} there", encode: base64Of},
	{name: "cookie jar", takes: sessions, text: ".acme.test\tTRUE\t/\tTRUE\t1799999999\t{n}\t{v}\n.acme.test\tTRUE\t/\tFALSE\t0\ttheme\tdark\n"},
	{name: "cookie in a log", takes: sessions, text: "GET /items 200 cookie=\"theme=dark; {n}={v}\" rt=0.01"},
	{name: "cookie in code", takes: sessions, text: "requests.get(url, cookies={'{n}': '{v}', 'theme': 'dark'})"},
	{name: "enrolment", takes: []kind{seed}, text: "otpauth://hotp/acme?counter=1&digits=6&secret={v}"},
	{name: "command", takes: passwords, text: "mariadb --host db1 --user app -p{v} shop"},
	{name: "command", takes: passwords, text: "mysqladmin -u root -p\"{v}\" status"},
	{name: "command", takes: passwords, text: "docker login registry.acme.test -u bob -p {v}"},
	{name: "command", takes: passwords, text: "mongosh --host m1 -u app -p {v} --quiet"},
	{name: "command", takes: passwords, text: "curl -u bob:{v} https://api.acme.test/x"},
	{name: "connection", takes: passwords, text: "amqps://worker:{v}@mq.acme.test/vhost is down"},
	{name: "connection", takes: passwords, text: "host=db1 user=app password={v} dbname=shop sslmode=require"},
}

var heldOutLanguages = []language{
	{"sv", []string{"Lösenord: {v}\nAnvändare: anna", "lösenordet är {v}, byt det snart"}, []string{"Nyckeln ”{v}” gäller inte."}},
	{"da", []string{"Adgangskode: {v}\nBruger: anna"}, []string{"Kaldet med {v}, der kørte i går, fejler."}},
	{"fi", []string{"Salasana: {v}\nKäyttäjä: anna"}, []string{"Avain {v} on vanha."}},
	{"cs", []string{"Heslo: {v}\nUživatel: anna", "heslo je {v}, změňte ho"}, []string{"Klíč „{v}“ vypršel."}},
	{"uk", []string{"Пароль: {v}\nКористувач: anna"}, []string{"Ключ «{v}» застарів."}},
	{"vi", []string{"Mật khẩu: {v}\nNgười dùng: anna"}, []string{"Mã {v} đã hết hạn."}},
	{"id", []string{"Kata sandi: {v}\nPengguna: anna"}, []string{"Kunci {v} sudah tidak berlaku."}},
	{"hi", []string{"पासवर्ड: {v}\nउपयोगकर्ता: anna"}, []string{"कुंजी {v} पुरानी है।"}},
	{"zh", []string{"登录密码为{v}，勿外传", "账号：anna 密码：{v} 端口：5432", "服务器口令＝{v}"}, []string{"用户提交了{v}，系统拒绝。", "《{v}》已作废", "1、{v}；2、重试"}},
	{"ja", []string{"管理者パスワード＝{v}", "暗証番号：{v}\n備考：なし", "パスワード（{v}）は変更済み"}, []string{"鍵の値:{v}、期限は月曜", "【{v}】を使用", "{v}。以上です"}},
	{"ko", []string{"패스워드={v}\n포트=1", "비밀번호가 {v}로 변경되었습니다"}, []string{"값은 {v}이며 어제 만료됨"}},
	{"he", []string{"סיסמה: {v}\nמשתמש: anna"}, []string{"המפתח {v} פג."}},
	{"th", []string{"รหัสผ่าน: {v}\nผู้ใช้: anna"}, []string{"ใช้{v}ไม่ได้"}},
	{"el", []string{"Κωδικός: {v}\nΧρήστης: anna"}, []string{"Το κλειδί {v} έληξε."}},
}
