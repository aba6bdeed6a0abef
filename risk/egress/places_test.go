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
