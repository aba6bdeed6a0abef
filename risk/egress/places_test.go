package egress

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// Where a secret stands that is told by its place alone. {v} is the secret, each time
// another one of the given form; nothing else may be gone.
var places = []struct{ name, value, text string }{
	{"answer in a chat", `[a-z]{5}[0-9]{4}[a-z]{6}`, "anna: what's the redis password for courier?\nben: it's {v}\nanna: thanks\n"},
	{"answer with a time", `[0-9a-f]{32}`, "[10:41] maria: can someone send me the deepgram api key\n[10:42] joe: sure, {v}\n[10:44] maria: perfect\n"},
	{"answer that is a digest", `[0-9a-f]{64}`, "Q: What is the api key?\nA: {v}\nQ: And the port?\nA: 5432\n"},
	{"answer below a name", `[A-Z][a-z0-9]{12}7`, "Who has the wifi password?\n\nTom  10:42 AM\n{v}\n"},
	{"answer in Spanish", `[a-z]{4}[0-9]{4}[a-z]{5}`, "necesito la contraseña del servidor\n> claro, {v}\n"},
	{"pass of a user", `[a-z]{4}[0-9]{3}`, "user: bob\npass: {v}\nhost: db1\n"},
	{"netrc", `[A-Z0-9]{12}Q7`, "machine db1.internal\n  login bob\n  password {v}\n"},
	{"net use", `[A-Za-z0-9]{12}x7`, `net use Z: \\fs01\share {v} /user:ACME\bob`},
	{"net user", `[A-Za-z0-9]{12}x7`, "net user backup {v} /add"},
	{"gh secret", `[A-Za-z0-9]{34}x7`, "gh secret set NPM_TOKEN --body {v} --repo acme/web"},
	{"ssm", `[A-Za-z0-9]{22}x7`, "aws ssm put-parameter --name /db --value '{v}' --type SecureString"},
	{"echo", `[A-Za-z0-9]{16}x7`, "echo {v} | docker login -u bob --password-stdin"},
	{"printf", `[A-Za-z0-9]{16}x7`, "printf '{v}' | gh secret set DEPLOY"},
	{"recovery codes", `[a-z0-9]{4}7-[a-z0-9]{4}7`, "Your recovery codes:\n 1. {v}\n 2. {v}\n 3. {v}\nKeep them safe."},
	{"backup codes of digits", `[0-9]{4} [0-9]{4}`, "Backup codes\n{v}\n{v}\n{v}\n"},
	{"recovery codes in JSON", `[a-z0-9]{4}7-[a-z0-9]{4}7`, `{"recovery_codes":["{v}","{v}"],"used":0}`},
	{"PuTTY", `[A-Za-z0-9+/]{60}QQ==`, "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{v}\nComment: x\n"},
	{"TeX", `[A-Za-z0-9]{30}x7`, `\newcommand{\apikey}{{v}} \begin{document}`},
	{"names and values in turn", `[0-9a-f]{32}`, `{"rawHeaders":["Host","db1","X-Api-Key","{v}","Accept","*/*"]}`},
	{"pairs", `[0-9a-f]{40}`, `[["accept","*/*"],["authorization","Bearer {v}"]]`},
	{"drawn table", `[A-Z][a-z]{6}-[A-Z][a-z]{5}[0-9]{3}`, "│ Name          │ Value │\n│ Smtp Password │ {v} │\n"},
	{"end of a sentence", `pscale_pw_[A-Za-z0-9]{43}`, "Our password is {v}. Do not share it."},
	{"patch of a setting", `[A-Za-z0-9]{30}x7`, "-API_KEY=\n+API_KEY={v}\n PORT=80\n"},
	{"setting in brackets", `[A-Za-z0-9]{30}x7`, "API key to use [env: ACME_API_KEY={v}]"},
	{"default of a variable", `[A-Za-z0-9]{22}x7`, `DB_PASSWORD="${DB_PASSWORD:-{v}}"` + "\n"},
	{"quoted cells", `[A-Za-z0-9]{14}x7`, "\"name\",\"Root Password\",\"note\"\n\"prod\",\"{v}\",\"live, since May\"\n"},
	{"colours", `[A-Za-z0-9]{30}x7`, "\x1b[36mapi_key\x1b[0m: \x1b[33m{v}\x1b[0m\nport: 80\n"},
	{"verbatim in Org", `[A-Za-z0-9]{30}x7`, "- API key :: ={v}=\n- Port :: 80\n"},
	{"part of a form", `[A-Za-z0-9]{30}x7`, "------X\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n{v}\r\n------X--\r\n"},
	{"signature of a request", `[0-9a-f]{64}`, "Authorization: AWS4-HMAC-SHA256 Credential=x/20261101/eu/s3, SignedHeaders=host, Signature={v}\n"},
	{"file of cookies", `[a-z0-9]{38}x7`, ".acme.test\tTRUE\t/\tTRUE\t1790000000\tsession_id\t{v}\n"},
	{"password file with stars", `[A-Za-z0-9]{12}x7`, "*:*:*:postgres:{v}\n"},
	{"ssh-keygen", `[A-Za-z0-9]{12}x7`, "ssh-keygen -t ed25519 -N '{v}' -f k\n"},
	{"option in quotes", `[A-Za-z0-9]{12}x7`, "gpg --batch --passphrase '{v}' -d x.gpg\n"},
	{"national string of SQL", `[A-Z][a-z]{6}![0-9]{3}`, "CREATE LOGIN app WITH PASSWORD = N'{v}', CHECK_POLICY = OFF;"},
	{"access list of Redis", `[A-Za-z0-9]{12}x7`, "user app on >{v} ~* +@all\n"},
	{"element in an element", `[A-Za-z0-9]{12}x7`, "<AdministratorPassword><Value>{v}</Value></AdministratorPassword>"},
	{"CDATA", `[A-Za-z0-9]{32}x7`, "<client-secret><![CDATA[{v}]]></client-secret>"},
	{"code behind a colon", `[A-Za-z0-9+/]{42}7=`, "<li>Encryption Key: <code>{v}</code></li>"},
	{"content of a meta element", `[A-Za-z0-9]{32}x7`, `<meta name="access-key-secret" content="{v}">`},
	{"product key", `[A-Z]{4}7-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`, "Product key: {v}\nEdition: Pro\n"},
	{"password for one program", `[qxz]{4} [jkq]{4} [wvx]{4} [zqj]{4}`, "Gmail app password: {v}\n"},
	{"variable with a value below", `[A-Za-z0-9]{38}x7`, "variables:\n  COHERE_API_KEY:\n    value: \"{v}\"\n    description: x\n"},
	{"arguments in JSON", `[0-9a-f]{40}`, `{"argv":["run","--region","eu","--app-api-key","{v}","-v"]}`},
	{"messages in JSON", `[a-z]{5}[0-9]{4}[a-z]{6}`, `[{"user":"sam","text":"what's the admin password?"},{"user":"lee","text":"it's {v}"}]`},
	{"call of a builder", `[A-Za-z0-9+/]{42}7=`, `Client.builder().host("db1").encryptionKey("{v}").build();`},
	{"row of a wiki", `[0-9a-f]{30}a7`, "{| class=\"wikitable\"\n! Name !! Value\n|-\n| Api Key || {v}\n|}\n"},
	{"second clause", `[A-Za-z0-9]{30}x7`, "We rotated the signing secret this morning; the new one is {v} and the old one stops on Friday."},
	{"noun and a verb", `[A-Z][a-z]{6}![0-9]{3}x`, "A nova senha de acesso ficou {v}, ok?"},
	{"JSON Web Key", `[A-Za-z0-9_-]{42}7`, `{"keys":[{"kty":"oct","k":"{v}","alg":"HS256"}]}`},
	{"entity behind a value", `[A-Za-z0-9]{30}x7`, "<p>API key: {v}&nbsp;</p>"},
	{"columns of blanks", `[A-Z][a-z]{4}#[0-9]{3}[A-Z]x`, "Smtp Password                 {v}\nRegion                        eu\n"},
	{"element with attributes", `[A-Za-z0-9]{38}x7`, `<cfg:clientSecret xmlns:cfg="urn:x">{v}</cfg:clientSecret>`},
	{"input with attributes", `[A-Za-z0-9]{30}x7`, `<input name="api_secret_key" type="text" class="form" value="{v}" />`},
	{"chat of IRC", `[A-Z][a-z]{4}#[0-9]{3}[A-Z]x`, "<ana> could someone paste the postgres password here?\n<leo> here you go: {v}\n"},
	{"used as", `[A-Za-z0-9]{14}x7`, "To log in, use {v} as the db password."},
	{"strong element", `[A-Za-z0-9]{30}x7`, "<p><strong>Robot Secret:</strong> {v}</p>"},
	{"registry of Windows", `[A-Za-z0-9]{30}x7`, "    RobotSecret    REG_SZ    {v}\n    Port    REG_DWORD    0x50\n"},
	{"table of TeX", `[A-Za-z0-9]{30}x7`, "Host & a \\\\\nClient Secret & {v} \\\\\n"},
	{"quotation mark written out", `[a-z0-9]{9}7`, "app_shared_secret: \\u0022{v}\\u0022, port: 80"},
	{"key in Greek", `[A-Za-z0-9]{30}x7`, "Το κλειδί API είναι {v}."},
	{"short CDATA", `[A-Z][a-z]{5}#[0-9]{3}[A-Z]x`, "<db-password><![CDATA[{v}]]></db-password>"},
	{"setx", `[A-Za-z0-9]{14}x7`, "setx SMTP_PASSWORD \"{v}\" /M\nSUCCESS: Specified value was saved.\n"},
	{"in brackets and backticks", `[a-z]{4}[0-9]{4}[a-z]{5}`, "The smtp password (`{v}`) goes into the header."},
	{"what else it is", `[A-Za-z0-9]{30}x7`, `const apiKey = process.env.API_KEY || "{v}";`},
	{"letters in a connection string", `[xqz][WKV][jxq][ZQX]{2}[bdf][WKV]{3}[jxq]{3}`, "Server=db1;UID=sa;PWD={v};Encrypt=true"},
	{"many words before the verb", `[A-Za-z0-9]{30}x7`, "The api key for the auth-proxy service is currently set to {v} in production."},
	{"between Chinese words", `[a-z]{2}[0-9][A-Z][a-z]-[A-Z0-9]{4}-[a-z][0-9][A-Z]{2}`, "请使用密码{v}登录。"},
	{"value before its name", `[A-Za-z0-9]{30}x7`, "Heads-up: {v} is the new signing secret as of today."},
	{"below an empty line", `[A-Za-z0-9]{38}x7`, "your new client secret is:\n\n    {v}\n\nKind regards,\nIT\n"},
	{"who asks answers", `[A-Za-z0-9_-]{40}x7`, "Tom: the refresh token? it's {v}, keep it\n"},
	{"UUID of the environment", `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}`, "export SOME_TOKEN={v}\n"},
}

func TestSecretsToldByTheirPlace(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(26, 11))
	for _, p := range places {
		for range 20 {
			text := p.text
			for strings.Contains(text, "{v}") {
				text = strings.Replace(text, "{v}", samples.Draw(random, p.value), 1)
			}
			out, _ := s.Text(session(), Place{}, text)
			if got, want := placeholders.ReplaceAllString(out, "{v}"), p.text; got != want {
				t.Errorf("%s: %q became %q", p.name, text, out)
				break
			}
		}
	}
}

// Texts of the same places that hold no secret.
var noPlaces = []string{
	"what's the password? - it's in the vault, ask Anna\nok, thanks\n",
	"can you send me the token?\nsure, give me a minute\n",
	"Which key is wrong?\nFixed in commit {[0-9a-f]{40}} yesterday\n",
	"忘记密码？\n\n{\"token\":\"0x{[0-9a-f]{40}}\"}\n",
	"did the token fix land?\nyes, it is part of the release of this morning, {[0-9a-f]{40}}\n",
	"forgot the password?\nsee https://help.acme.test/reset/{[a-z0-9]{12}}\n",
	"pass: 12, fail: 3\nPASS: TestTokens1234 (0.3s)\n",
	"net use Z: /delete\nnet user bob /delete\n",
	"echo $TOKEN | docker login --password-stdin\n",
	"Your recovery codes:\n\nThey are shown once. Print them.\n",
	"Recovery codes: 12 of 16 are left\n",
	`{"labels":["needs-token","documentation2"],"required":["api-key","client-secret2"]}`,
	`PublicKeyToken={[0-9a-f]{16}} Version=4.0.0.0`,
	"gh secret set NPM_TOKEN --body \"$TOKEN\"\n",
	`\includegraphics{key}{figure12}`,
	"DKIM-Signature: v=1; b=Ed7Y8Pdn/x2RMx2HOPw+SoTiK7/FUT9slp9wZhQFxt6w\n",
	`DB_PASSWORD="${DB_PASSWORD:-postgres}"` + "\n",
	`{"kty":"RSA","kid":"{[A-Za-z0-9_-]{43}}","n":"{[A-Za-z0-9_-]{86}}","e":"AQAB"}`,
	`{"d":"{[A-Za-z0-9]{24}}","k":"{[A-Za-z0-9]{24}}"}`,
	`[{"text":"what is the token limit?"},{"text":"gpt-4o-2024-08-06 has 128000"},{"sha":"{[0-9a-f]{40}}"}]`,
	".acme.test\tTRUE\t/\tFALSE\t0\ttheme\tdark-mode-2\n",
	"ana: who reset the password?\nleo: j.smith42 did at 10:42\n",
	"ana: is the api key still valid?\nleo: checked, expires 2026-12-31T23:59:59Z\n",
	"API_KEY_HEADER = 'X-Api-Key-V2'\n",
	"we treat version v2.3.1-beta4 as the key release\n",
	`{"link":"https://a/x?$deltatoken=uaIyawI-_lG1-Zw365mDPdoRkGJ09Ncw9rEm_bSLD9yRdayyGmy_U4Nh0Uz4"}`,
	"Your password:\n\nmust have twelve characters.\n",
	"is it the token? no, it's version v2.14.3-rc1, which is the new key feature\n",
	"your app password: this that with from\n",
	`config.getPassword("database-user2"); env.secret("db-password-1")`,
}

func TestPlacesWithoutSecretsStay(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(26, 12))
	for _, text := range noPlaces {
		text = samples.Fill(random, text)
		if out, _ := s.Text(session(), Place{}, text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
