package egress

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// The baseline is encoding/json checking the same bytes: the ratio holds on a busy
// machine too, and on a quiet one json.Valid reads 400 MB/s or more.
func BenchmarkSanitiser(b *testing.B) {
	s := New(builtin(b), DefaultPolicy())
	session := session()
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		text := cleanJSON(size)
		b.Run(fmt.Sprintf("clean-json/%dk", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			ours, theirs := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				s.Bytes(session, Place{}, text)
				ours = min(ours, time.Since(start))
				b.StopTimer()
				start = time.Now()
				json.Valid(text)
				theirs = min(theirs, time.Since(start))
				b.StartTimer()
			}
			b.ReportMetric(float64(ours)/float64(theirs), "x-json.Valid")
			b.ReportMetric(float64(len(text))/ours.Seconds()/1e6, "MB/s-best")
		})
	}
	for name, text := range bodies(1 << 20) {
		b.Run(name+"/1024k", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				s.Bytes(session, Place{}, text)
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(len(text))/best.Seconds()/1e6, "MB/s-best")
		})
	}
	text := cleanJSON(64 << 10)
	b.Run("p99/64k", func(b *testing.B) {
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			s.Bytes(session, Place{}, text)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "us-p99")
	})
	prose := []byte(strings.Repeat("The deployment of the service went well; see the notes below.\n", 1<<14))
	b.Run("prose/1024k", func(b *testing.B) {
		b.SetBytes(int64(len(prose)))
		for b.Loop() {
			s.Bytes(session, Place{}, prose)
		}
	})
	b.Run("engine", func(b *testing.B) {
		for b.Loop() {
			builtin(b)
		}
	})
}

// bodies are results of other kinds than cleanJSON: many short members as APIs
// return them, rows of a database, a log, and look-alikes.
func bodies(size int) map[string][]byte {
	random := rand.New(rand.NewPCG(3, 4))
	repeat := func(before, unit, between, after string) []byte {
		var b strings.Builder
		b.WriteString(before)
		for b.Len() < size {
			if b.Len() > len(before) {
				b.WriteString(between)
			}
			b.WriteString(samples.Fill(random, unit))
		}
		b.WriteString(after)
		return []byte(b.String())
	}
	list := map[string][]byte{
		"users": repeat(`[`, `{"login":"user{[a-z0-9]{5}}","id":{[1-9][0-9]{6}},"node_id":"MDQ6VXNlcj{[A-Za-z0-9]{6}}","avatar_url":"https://avatars.acme.test/u/{[0-9]{6}}?v=4","gravatar_id":"","url":"https://api.acme.test/users/user{[a-z]{4}}","html_url":"https://acme.test/user{[a-z]{4}}","followers_url":"https://api.acme.test/users/user{[a-z]{4}}/followers","type":"User","site_admin":false,"public_repos":{[0-9]{2}},"created_at":"2026-01-{[0-2][0-9]}T10:00:00Z","token_count":{[0-9]{4}},"key":"{[a-z]{8}}"}`, ",", `]`),
		"rows":  repeat(`{"columns":["id","name","city","amount","updated"],"rows":[`, `[{[1-9][0-9]{5}},"Customer {[0-9]{4}}","Berlin",{[1-9][0-9]{2}}.5,"2026-01-{[0-2][0-9]} 10:00:00"]`, ",", `]}`),
		"log":   repeat("", `2026-02-03T04:{[0-5][0-9]}:{[0-5][0-9]}.{[0-9]{3}}Z INFO  [worker-{[0-9]}] com.acme.orders.OrderService - order {[0-9]{8}} accepted, key=items/{[0-9]{4}} took {[0-9]{2}} ms trace={[0-9a-f]{32}}`, "\n", "\n"),
	}
	var b strings.Builder
	for b.Len() < size {
		for _, x := range samples.Benign(random, 1) {
			b.WriteString(x.Text + "\n")
		}
	}
	list["look-alikes"] = []byte(b.String())
	return list
}

// Hostile texts are beginnings of everything the engine looks for. The time per
// byte of a long one may not be more than that of a short one.
func BenchmarkHostile(b *testing.B) {
	s := New(builtin(b), DefaultPolicy())
	session := session()
	for name, unit := range hostile() {
		for _, size := range []int{64 << 10, 1 << 20} {
			text := []byte(strings.Repeat(unit, size/len(unit)+1)[:size])
			b.Run(fmt.Sprintf("%s/%dk", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				best := time.Hour
				for b.Loop() {
					start := time.Now()
					s.Bytes(session, Place{}, text)
					best = min(best, time.Since(start))
				}
				b.ReportMetric(float64(best.Nanoseconds())/float64(len(text)), "ns/byte-best")
			})
		}
	}
}

func hostile() map[string]string {
	return map[string]string{
		"jwt":              "-ey-ey",
		"tokens":           "glpat-ghp_sk-",
		"names":            "password secret_key api_key=",
		"vendors":          "jira datadog twitter = ",
		"pem":              "-----BEGIN PRIVATE KEY-----",
		"uri":              "a://",
		"userinfo":         "a://b:",
		"blanks":           "secretaccesskey                                        ",
		"tabs":             "apikey\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t",
		"frames":           "at x (",
		"newlines":         "a\n",
		"quotes":           "\"+\"",
		"backslashes":      "\\",
		"percent":          "%",
		"at":               "@",
		"digits":           "1 ",
		"curl":             "curl ",
		"secret kind":      "kind: secret\ndata:\n",
		"base64":           "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
		"json":             "[",
		"nested":           `{"a":`,
		"hidden":           "\u200b",
		"dots":             "s.",
		"bearer":           "bearer ",
		"passwords":        "pwd=aB3xy7\n",
		"secrets":          "api_key=aB3xy7Zt5Vb1Nc6Rd4\n",
		"uris":             "a://b:c1@d ",
		"cookies":          "Cookie: sid=aB3xyz7Zt5Vb1Nc6Rd4;",
		"headings":         "a,api_key,token,password\n",
		"tables":           "api_key,b\naB3xy7Zt5Vb1Nc6Rd4,c\n",
		"aligned":          "key  token  password\n",
		"cells":            "|key|token|",
		"gzip":             "H4sIAAAAAAAAA0tMSgYAwkEkNQMAAAA= ",
		"base32":           "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U ",
		"hex":              "6162636465666768696a6b6c6d6e6f70 ",
		"twice":            "VFdWbGRHbHVaeUJ1YjNSbGN6b2dkMlVn ",
		"commands":         "mysql -p",
		"questions":        "what is the password? ",
		"asked lines":      "send the api key\nno ",
		"echoed":           "echo | docker login",
		"arguments":        "net use a ",
		"recovery codes":   "backup codes: a1b2c3d4 a1b2c3d4 ",
		"putty":            "private-lines: 1\n",
		"pass and user":    "user pass: aB3xy7Zt ",
		"copulas":          "password is the password is ",
		"foreign":          "\u5bc6\u7801\u662f",
		"cyrillic":         "\u043f\u0430\u0440\u043e\u043b\u044c: ",
		"quotes of a mail": "> ab3\n> cd4\n",
		"bullets":          "- aB3xy\n",
		"literals":         "\"aB3xy\" + ",
		"array":            `"aB3xy7Zt","`,
		"blocks":           "key: |\n  a\n",
		"members":          "name: key\nvalue: ",
		"tags":             "<td>key</td>",
		"html tables":      "<tr><th>key</th><th>token</th></tr>",
		"html rows":        "<tr><th>key</th></tr><tr><td>aB3xy7Zt5Vb1Nc6Rd4</td></tr>",
		"password files":   ":5432:a:b:aB3xy7\n",
		"pipes":            "echo a:aB3xy7 | chpasswd ",
		"emphasis":         "sk_live_**",
		"broken":           "ghp_aB3xy7Zt5Vb\n",
		"jwts":             "eyJaB3xy7Zt5Vb1Nc6Rd4.eyJ\n",
		"escapes":          "\\u0061",
		"entities":         "&#97;",
		"otp":              "otpauth://?secret=",
		"insertions":       "insert into a (password) values (",
		"inserted":         "insert into a (key) values ('aB3xy7Zt5Vb1Nc6Rd4');",
		"copies":           "(password) from stdin\n",
		"logins":           "http -a a:",
		"types":            "key: a ",
		"replies":          "1) \"key\"\n",
		"arn":              "arn:secret:",
		"seed":             "mnemonic: a ",
		"statements":       "identified by ",
		"mail":             "a@b.co ",
		"numbers":          "4111 1111 1111 1111 ",
		"slashes":          "/tmp/",
		"windows":          `c:\a\`,
		"names in a row":   "secret_key_token_password_",
		"heads of tables":  "pwd</th>",
		"names unseen":     "\u5bc6\u7801\u5bc6\u200b\u7801\u5bc6\u7801pw",
		"dumps":            "00000000  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n",
		"dumped names":     "0: 70 77 64 3d\n",
		"broken lines":     "a=3Da=\n",
		"names and spans":  "api key</th>&AKIA",
	}
}
