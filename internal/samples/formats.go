package samples

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
)

// format is a value by its grammar and a name it goes by.
type format struct{ name, expr string }

// formats are written down from what the issuers document, apart from the rules,
// so that a slip in one of the two shows.
var formats = []format{
	{"groq", `gsk_[A-Za-z0-9]{20}WGdyb3FY[A-Za-z0-9]{24}`}, {"xai", `xai-[A-Za-z0-9]{80}`}, {"openrouter", `sk-or-v1-[0-9a-f]{64}`},
	{"anthropic", `sk-ant-api03-[\w-]{93}AA`}, {"anthropic_oauth", `sk-ant-oat01-[\w-]{86}AA`}, {"openai", `sk-proj-[\w-]{74}T3BlbkFJ[\w-]{74}`},
	{"openai_old", `sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}`}, {"openai_service", `sk-svcacct-[\w-]{58}T3BlbkFJ[\w-]{58}`}, {"deepseek", `sk-[0-9a-f]{32}`},
	{"perplexity", `pplx-[A-Za-z0-9]{48}`}, {"replicate", `r8_[A-Za-z0-9]{37}`}, {"huggingface", `hf_[A-Za-z]{34}`}, {"fireworks", `fw_[A-Za-z0-9]{22}`},
	{"nvidia", `nvapi-[\w-]{64}`}, {"cerebras", `csk-[a-z0-9]{48}`}, {"elevenlabs", `sk_[0-9a-f]{48}`}, {"pinecone", `pcsk_[A-Za-z0-9]{5}_[A-Za-z0-9]{63}`},
	{"langsmith", `lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}`}, {"tavily", `tvly-[A-Za-z0-9]{32}`}, {"tavily_dev", `tvly-dev-[A-Za-z0-9]{32}`}, {"firecrawl", `fc-[0-9a-f]{32}`},
	{"langfuse", `sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`}, {"llamacloud", `llx-[A-Za-z0-9]{48}`}, {"jina", `jina_[0-9a-f]{32}[A-Za-z0-9_-]{28}`},
	{"voyage", `pa-[A-Za-z0-9_-]{43}`}, {"e2b", `e2b_[0-9a-f]{40}`}, {"apify", `apify_api_[A-Za-z0-9]{36}`}, {"together", `tgp_v1_[\w-]{43}`}, {"brave", `BSA[A-Za-z0-9]{28}`},
	{"supabase", `sbp_[0-9a-f]{40}`}, {"supabase_secret", `sb_secret_[A-Za-z0-9_-]{31}`}, {"neon", `napi_[a-z0-9]{64}`}, {"planetscale", `pscale_tkn_[\w-]{43}`},
	{"vercel_blob", `vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}`}, {"netlify", `nfp_[A-Za-z0-9]{36}`}, {"render", `rnd_[A-Za-z0-9]{28}`}, {"fly", `FlyV1 fm2_[A-Za-z0-9+/]{120}=`},
	{"resend", `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}`}, {"sendgrid", `SG\.[\w-]{22}\.[\w-]{43}`}, {"mailchimp", `[0-9a-f]{32}-us[1-2][0-9]`}, {"mailgun", `key-[0-9a-f]{32}`},
	{"stripe", `sk_live_[A-Za-z0-9]{24}`}, {"stripe_long", `sk_live_51[A-Za-z0-9]{97}`}, {"stripe_restricted", `rk_live_[A-Za-z0-9]{99}`}, {"stripe_webhook", `whsec_[A-Za-z0-9]{32}`},
	{"square", `EAAA[\w-]{60}`}, {"shopify", `shpat_[0-9a-f]{32}`}, {"razorpay", `rzp_live_[A-Za-z0-9]{14}`}, {"paypal", `access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}`},
	{"github", `ghp_[A-Za-z0-9]{36}`}, {"github_oauth", `gho_[A-Za-z0-9]{36}`}, {"github_refresh", `ghr_[A-Za-z0-9]{76}`}, {"github_fine", `github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`},
	{"gitlab", `glpat-[A-Za-z0-9_-]{20}`}, {"gitlab_new", `glpat-[A-Za-z0-9_-]{36}\.01\.[0-9a-z]{9}`}, {"gitlab_runner", `glrt-t1_[A-Za-z0-9_-]{20}`}, {"gitlab_feed", `glft-[\w-]{20}`},
	{"bitbucket", `ATBB[A-Za-z0-9]{32}`}, {"atlassian", `ATATT3xFfGF0[A-Za-z0-9_-]{171}=[0-9A-F]{8}`}, {"npm", `npm_[A-Za-z0-9]{36}`}, {"pypi", `pypi-AgEIcHlwaS5vcmc[\w-]{150}`},
	{"rubygems", `rubygems_[0-9a-f]{48}`}, {"crates", `cio[A-Za-z0-9]{32}`}, {"nuget", `oy2[a-z0-9]{43}`}, {"docker", `dckr_pat_[\w-]{27}`}, {"docker_org", `dckr_oat_[\w-]{32}`},
	{"aws", `AKIA[A-Z2-7]{16}`}, {"aws_temporary", `ASIA[A-Z2-7]{16}`}, {"aws_session_token", `IQoJb3JpZ2luX2Vj[A-Za-z0-9+/]{300}==`}, {"aws_secret_access_key", `[A-Za-z0-9+/]{40}`},
	{"google_api", `AIza[\w-]{35}`}, {"google_oauth", `ya29\.[\w-]{150}`}, {"google_refresh", `1//0[\w-]{60}`}, {"google_client", `GOCSPX-[\w-]{28}`},
	{"azure_client", `[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{34}`}, {"azure_storage_key", `[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{6}==`}, {"azure_devops", `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`},
	{"digitalocean", `dop_v1_[0-9a-f]{64}`}, {"heroku_api_key", `HRKU-AA[\w-]{58}`}, {"linode_token", `[0-9a-f]{64}`}, {"alibaba", `LTAI5t[A-Za-z0-9]{18}`}, {"tencent", `AKID[A-Za-z0-9]{32}`},
	{"cloudflare_api_token", `[A-Za-z0-9_-]{40}`}, {"vault", `hvs\.[\w-]{95}`}, {"terraform", `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9]{67}`}, {"doppler", `dp\.pt\.[A-Za-z0-9]{43}`},
	{"doppler_service", `dp\.st\.dev\.[A-Za-z0-9]{43}`}, {"1password", `ops_eyJ[A-Za-z0-9+/]{300}==`}, {"tailscale", `tskey-auth-[A-Za-z0-9]{17}-[A-Za-z0-9]{32}`}, {"pulumi", `pul-[0-9a-f]{40}`},
	{"databricks", `dapi[0-9a-f]{32}`}, {"dbt", `dbtu_[A-Za-z0-9_-]{40}`}, {"grafana", `glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}`}, {"grafana_cloud", `glc_eyJ[A-Za-z0-9+/]{100}=`}, {"datadog_api_key", `[0-9a-f]{32}`},
	{"newrelic", `NRAK-[A-Z0-9]{27}`}, {"sentry", `sntrys_eyJpYXQiO[A-Za-z0-9+/]{80}LCJyZWdpb25fdXJs[A-Za-z0-9+/]{60}=_[A-Za-z0-9+/]{43}`}, {"sentry_user", `sntryu_[0-9a-f]{64}`}, {"posthog", `phx_[A-Za-z0-9]{43}`},
	{"honeycomb", `hcaik_[a-z0-9]{58}`}, {"dynatrace", `dt0c01\.[A-Z2-7]{24}\.[A-Z2-7]{64}`}, {"snyk_token", `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`},
	{"slack", `xoxb-[0-9]{12}-[0-9]{13}-[A-Za-z0-9]{24}`}, {"slack_user", `xoxp-[0-9]{12}-[0-9]{12}-[0-9]{13}-[0-9a-f]{32}`}, {"slack_app", `xapp-1-A[A-Z0-9]{10}-[0-9]{13}-[0-9a-f]{64}`},
	{"slack_client", `xoxc-[0-9]{12}-[0-9]{12}-[0-9]{13}-[0-9a-f]{64}`}, {"slack_cookie", `xoxd-[A-Za-z0-9%]{120}`}, {"slack_rotating", `xoxe\.xoxp-1-[A-Za-z0-9]{164}`},
	{"slack_webhook", `https://hooks\.slack\.com/services/T[A-Z0-9]{10}/B[A-Z0-9]{10}/[A-Za-z0-9]{24}`}, {"discord_webhook", `https://discord\.com/api/webhooks/[0-9]{19}/[\w-]{68}`},
	{"discord_bot", `MT[A-Za-z0-9]{22}\.G[\w-]{5}\.[\w-]{38}`}, {"telegram", `[0-9]{10}:AA[\w-]{33}`}, {"twilio", `SK[0-9a-f]{32}`}, {"twilio_auth_token", `[0-9a-f]{32}`},
	{"notion", `ntn_[0-9]{11}[A-Za-z0-9]{35}`}, {"notion_old", `secret_[A-Za-z0-9]{43}`}, {"linear", `lin_api_[A-Za-z0-9]{40}`}, {"figma", `figd_[\w-]{40}`}, {"airtable", `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`},
	{"asana", `1/[0-9]{16}:[0-9a-f]{32}`}, {"clickup", `pk_[0-9]{8}_[A-Z0-9]{32}`}, {"hubspot", `pat-na1-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`}, {"postman", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`},
	{"salesforce", `00D[A-Za-z0-9]{12}![A-Za-z0-9_.]{96}`}, {"okta_token", `00[A-Za-z0-9_-]{40}`}, {"dropbox", `sl\.u\.[A-Za-z0-9_-]{150}`}, {"facebook", `EAA[A-Za-z0-9]{160}`}, {"mapbox", `sk\.eyJ1Ijoi[A-Za-z0-9]{60}\.[\w-]{22}`},
	{"circleci", `CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}`}, {"buildkite", `bkua_[0-9a-f]{40}`}, {"sonar", `squ_[0-9a-f]{40}`}, {"launchdarkly", `api-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`},
	{"age", `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`}, {"nostr", `nsec1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}`}, {"openshift", `sha256~[\w-]{43}`},
	// Values that only their names give away.
	{"api_key", `[A-Za-z0-9]{32}`}, {"apiKey", `[A-Za-z0-9_-]{40}`}, {"x-api-key", `[A-Za-z0-9]{24}`}, {"client_secret", `[A-Za-z0-9_~.-]{36}`}, {"access_token", `[A-Za-z0-9]{40}`},
	{"refreshToken", `[A-Za-z0-9_-]{64}`}, {"auth_token", `[0-9a-f]{40}`}, {"secret_key", `[A-Za-z0-9+]{48}`}, {"password", `[A-Z][a-z]{5}[0-9]{3}[!*#]`}, {"db_password", `[A-Za-z0-9!*^_]{14}`},
	{"DATABASE_PASSWORD", `[A-Za-z0-9]{18}`}, {"signing_secret", `[0-9a-f]{32}`}, {"bearer_token", `[A-Za-z0-9._-]{60}`}, {"session_token", `[A-Za-z0-9]{44}`}, {"webhook_secret", `[A-Za-z0-9]{30}`},
	{"encryption_key", `[A-Za-z0-9+]{43}=`}, {"jwt_secret", `[A-Za-z0-9_-]{50}`}, {"privateKey", `[0-9a-f]{64}`}, {"acme_token", `[A-Za-z0-9]{36}`}, {"deploy_key", `[A-Za-z0-9]{32}`},
}

// wholes are secrets that are part of a larger shape.
var wholes = []struct {
	name string
	make func(random *rand.Rand, secret string) (text, hidden string)
}{
	{"postgres URI", func(_ *rand.Rand, s string) (string, string) {
		return "could not connect to postgres://app:" + s + "@db.internal:5432/main?sslmode=require", s
	}},
	{"mongodb URI", func(_ *rand.Rand, s string) (string, string) {
		return JSON(map[string]any{"uri": "mongodb+srv://svc:" + s + "@cluster0.ab1cd.mongodb.net/app"}), s
	}},
	{"redis URI", func(_ *rand.Rand, s string) (string, string) { return "REDIS_URL=redis://:" + s + "@cache:6379/0", s }},
	{"amqp URI", func(_ *rand.Rand, s string) (string, string) {
		return "broker: amqps://worker:" + s + "@mq.example.net/vhost", s
	}},
	{"mysql URI", func(_ *rand.Rand, s string) (string, string) {
		return "dsn=mysql://root:" + s + "@127.0.0.1:3306/shop", s
	}},
	{"smtp URI", func(_ *rand.Rand, s string) (string, string) {
		return "mail: smtp://mailer:" + s + "@smtp.example.net:587", s
	}},
	{"https userinfo", func(_ *rand.Rand, s string) (string, string) {
		return "git clone https://deploy:" + s + "@git.example.net/acme/app.git", s
	}},
	{"jdbc", func(_ *rand.Rand, s string) (string, string) {
		return "jdbc:sqlserver://sql.example.net:1433;databaseName=a;user=sa;password=" + s + ";encrypt=true", s
	}},
	{"ADO.NET", func(_ *rand.Rand, s string) (string, string) {
		return "Server=tcp:sql.example.net;Database=a;User Id=sa;Password=" + s + ";", s
	}},
	{"Azure storage", func(r *rand.Rand, _ string) (string, string) {
		key := Draw(r, `[A-Za-z0-9+/]{86}==`)
		return "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=" + key + ";EndpointSuffix=core.windows.net", key
	}},
	{"Azure SAS", func(r *rand.Rand, _ string) (string, string) {
		sig := Draw(r, `[A-Za-z0-9]{20}%2[BF][A-Za-z0-9]{20}%3D`)
		return "https://acme.blob.core.windows.net/c/f.txt?sv=2024-11-04&se=2026-12-31T00%3A00%3A00Z&sr=b&sp=r&sig=" + sig, sig
	}},
	{"AWS presigned", func(r *rand.Rand, _ string) (string, string) {
		sig := Draw(r, `[0-9a-f]{64}`)
		return "https://acme.s3.amazonaws.com/f?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-Signature=" + sig, sig
	}},
	{"Basic header", func(_ *rand.Rand, s string) (string, string) {
		v := base64.StdEncoding.EncodeToString([]byte("admin:" + s))
		return "> Authorization: Basic " + v + "\n> Accept: */*", v
	}},
	{"Bearer header", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Za-z0-9_-]{43}`)
		return JSON(map[string]any{"headers": map[string]any{"Authorization": "Bearer " + v}}), v
	}},
	{"Bearer in curl", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Za-z0-9]{32}`)
		return `curl -H "Authorization: Bearer ` + v + `" https://api.acme.test/`, v
	}},
	{"Token header", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[0-9a-f]{40}`)
		return "Authorization: Token " + v, v
	}},
	{"Cookie header", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Za-z0-9]{32}`)
		return "Cookie: theme=dark; sessionid=" + v + "; lang=en\r\n", v
	}},
	{"Set-Cookie header", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Za-z0-9]{40}`)
		return JSON(map[string]any{"set-cookie": "sid=" + v + "; Path=/; HttpOnly"}), v
	}},
	{"curl -u", func(_ *rand.Rand, s string) (string, string) {
		return "curl -sS -u admin:" + s + " https://api.acme.test/x", s
	}},
	{"command line", func(_ *rand.Rand, s string) (string, string) {
		return "mysqldump --user=root --password=" + s + " shop", s
	}},
	{"command line, apart", func(_ *rand.Rand, s string) (string, string) { return "restic --password " + s + " backup", s }},
	{"netrc", func(_ *rand.Rand, s string) (string, string) {
		return "machine git.example.net login bot password " + s, s
	}},
	{"npmrc", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
		return "//registry.npmjs.org/:_authToken=" + v, v
	}},
	{"docker config", func(_ *rand.Rand, s string) (string, string) {
		v := base64.StdEncoding.EncodeToString([]byte("bot:" + s))
		return JSON(map[string]any{"auths": map[string]any{"ghcr.io": map[string]any{"auth": v}}}), v
	}},
	{"name and value", func(_ *rand.Rand, s string) (string, string) {
		return JSON(map[string]any{"env": []any{map[string]any{"name": "DB_PASSWORD", "value": s}}}), s
	}},
	{"XML", func(_ *rand.Rand, s string) (string, string) {
		return "<server><username>x</username><password>" + s + "</password></server>", s
	}},
	{"Python dict", func(_ *rand.Rand, s string) (string, string) { return "{'user': 'x', 'password': '" + s + "'}", s }},
	{"Ruby hash", func(_ *rand.Rand, s string) (string, string) { return `config = { "password" => "` + s + `" }`, s }},
	{"JWT", func(r *rand.Rand, _ string) (string, string) {
		v := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"`+Draw(r, `[0-9]{10}`)+`","iat":1700000000}`)) + "." + Draw(r, `[\w-]{43}`)
		return "token rejected: " + v + ".", v
	}},
	{"PEM", func(r *rand.Rand, _ string) (string, string) { return pem(r, "RSA PRIVATE KEY", "\n") }},
	{"OpenSSH", func(r *rand.Rand, _ string) (string, string) { return pem(r, "OPENSSH PRIVATE KEY", "\n") }},
	{"service account", func(r *rand.Rand, _ string) (string, string) {
		text, hidden := pem(r, "PRIVATE KEY", "\n")
		return JSON(map[string]any{"type": "service_account", "private_key_id": Draw(r, `[0-9a-f]{40}`), "private_key": text}), hidden
	}},
	{"PEM on one line", func(r *rand.Rand, _ string) (string, string) { return pem(r, "EC PRIVATE KEY", `\n`) }},
	{"PEM cut off", func(r *rand.Rand, _ string) (string, string) {
		text, hidden := pem(r, "PRIVATE KEY", "\n")
		return text[:len(text)-80], hidden
	}},
	{"otpauth", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Z2-7]{32}`)
		return "otpauth://totp/Acme:bob@example.com?secret=" + v + "&issuer=Acme", v
	}},
	{"kubeconfig", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Za-z0-9]{120}`)
		return "users:\n- name: admin\n  user:\n    token: " + v + "\n", v
	}},
	{"Kubernetes Secret", func(r *rand.Rand, s string) (string, string) {
		v := base64.StdEncoding.EncodeToString([]byte(s))
		return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  db-pass: " + v + "\ntype: Opaque\n", v
	}},
	{"seed phrase", func(r *rand.Rand, _ string) (string, string) {
		words := ""
		for i := range 12 {
			if i > 0 {
				words += " "
			}
			words += Draw(r, `[a-z]{4,7}`)
		}
		return "mnemonic: " + words, words
	}},
	{"Ethereum key", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `0x[0-9a-f]{64}`)
		return "PRIVATE_KEY=" + v, v
	}},
	{"WireGuard", func(r *rand.Rand, _ string) (string, string) {
		v := Draw(r, `[A-Za-z0-9+/]{43}=`)
		return "[Interface]\nPrivateKey = " + v + "\nAddress = 10.0.0.2/32\n", v
	}},
}

func pem(r *rand.Rand, label, newline string) (text, hidden string) {
	body := ""
	for i := range 6 {
		line := Draw(r, `[A-Za-z0-9+/]{64}`)
		body += line + newline
		if i == 2 {
			hidden = line
		}
	}
	return "-----BEGIN " + label + "-----" + newline + body + "-----END " + label + "-----" + newline, hidden
}

// Formats draws the formats of secrets in use, each several times and in
// different texts.
func Formats(random *rand.Rand, each int) []Sample {
	var list []Sample
	for i, f := range formats {
		for n := range each {
			v := Draw(random, f.expr)
			list = append(list, Sample{f.name, Place(i+n*5, f.name, v), v})
		}
	}
	for _, w := range wholes {
		for n := range each {
			text, hidden := w.make(random, Draw(random, `[A-Z][a-z]{3}[0-9]{3}[A-Za-z0-9_]{6}`))
			list = append(list, Sample{fmt.Sprintf("%s %d", w.name, n), text, hidden})
		}
	}
	return list
}
