package samples

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// likeness is a text in which {expr} stands for a value drawn from expr.
type likeness struct{ name, text string }

const (
	exprUUID = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
	exprSHA1 = `[0-9a-f]{40}`
)

// likenesses are what tools return all day: identifiers, digests, cursors,
// documentation, code. The texts of a name differ in their values only.
var likenesses = []likeness{
	{"page token", `{"items":[],"next_page_token":"{[A-Za-z0-9_-]{40}}"}`},
	{"page token, camel case", `{"nextPageToken":"{[A-Za-z0-9_-]{120}}","kind":"list"}`},
	{"page token in text", `next page: page_token={[A-Za-z0-9]{32}}`},
	{"page token in a URL", `https://api.acme.test/v1/items?page_token={[A-Za-z0-9_-]{48}}&limit=50`},
	{"continuation token", `{"continuationToken":"{[A-Za-z0-9+/]{60}}==","truncated":true}`},
	{"cursor", `{"pageInfo":{"endCursor":"eyJpZCI6{[A-Za-z0-9]{24}}=","hasNextPage":true}}`},
	{"sync token", `{"nextSyncToken":"{[A-Za-z0-9]{30}}="}`},
	{"scroll id", `{"_scroll_id":"{[A-Za-z0-9]{80}}=="}`},
	{"UUID key", `{"key":"{` + exprUUID + `}","label":"x"}`},
	{"UUID id", `{"id":"{` + exprUUID + `}","client_id":"{` + exprUUID + `}"}`},
	{"token id", `{"tokenization_id":"{` + exprUUID + `}","token_id":"{` + exprUUID + `}"}`},
	{"idempotency key", `{"idempotency_key":"{` + exprUUID + `}"}`},
	{"idempotency header", `Idempotency-Key: {[A-Za-z0-9]{32}}`},
	{"request ids", `x-request-id: {` + exprUUID + `} x-amz-request-id: {[A-Z0-9]{16}}`},
	{"extended request id", `x-amz-id-2: {[A-Za-z0-9+/]{75}}=`},
	{"publishable key", `{"publishableKey":"pk_live_{[A-Za-z0-9]{24}}"}`},
	{"public key", `{"public_key":"{[A-Za-z0-9+/]{43}}="}`},
	{"site key", `data-sitekey="6L{[A-Za-z0-9_-]{38}}"`},
	{"cache key", `cache key: node-modules-linux-{[0-9a-f]{64}}`},
	{"cache key in JSON", `{"cache_key":"v2:users:{[0-9a-f]{32}}"}`},
	{"object key", `{"Key":"uploads/2026/02/{[a-z0-9]{24}}/report-final.pdf","Size":1234}`},
	{"primary key", `{"primary_key":"{[A-Za-z0-9]{20}}","sort_key":"ORDER#{[0-9]{10}}"}`},
	{"partition key", `partition key {[a-f0-9]{24}} moved`},
	{"React key", `<li key="{[a-z0-9]{20}}">one</li>`},
	{"commit", `commit {` + exprSHA1 + `} Author: Bob`},
	{"commit in JSON", `{"sha":"{` + exprSHA1 + `}","node_id":"{[A-Za-z0-9]{48}}"}`},
	{"tree and parents", `{"tree":{"sha":"{` + exprSHA1 + `}"},"parents":[{"sha":"{` + exprSHA1 + `}"}]}`},
	{"commit signature", `{"verification":{"verified":true,"signature":"-----BEGIN PGP SIGNATURE-----\n\n{[A-Za-z0-9+/]{64}}\n{[A-Za-z0-9+/]{64}}\n-----END PGP SIGNATURE-----"}}`},
	{"image digest", `ghcr.io/acme/app@sha256:{[0-9a-f]{64}}`},
	{"datadog agent digest", `datadog/agent@sha256:{[0-9a-f]{64}} pulled`},
	{"sentry release", `sentry release {` + exprSHA1 + ` } deployed`},
	{"sentry event", `{"sentry_event_id":"{[0-9a-f]{32}}"}`},
	{"subresource integrity", `<script integrity="sha384-{[A-Za-z0-9+/]{64}}" crossorigin>`},
	{"lock file", `"integrity": "sha512-{[A-Za-z0-9+/]{86}}==",`},
	{"go.sum", `github.com/acme/thing v1.2.3 h1:{[A-Za-z0-9+/]{43}}=`},
	{"ETag", `ETag: "{[0-9a-f]{32}}"`},
	{"MD5", `md5: {[0-9a-f]{32}}  backup.tar.gz`},
	{"SHA-256", `{[0-9a-f]{64}}  backup.tar.gz`},
	{"Content-MD5", `Content-MD5: {[A-Za-z0-9+/]{22}}==`},
	{"trace parent", `traceparent: 00-{[0-9a-f]{32}}-{[0-9a-f]{16}}-01`},
	{"trace id", `{"trace_id":"{[0-9a-f]{32}}","span_id":"{[0-9a-f]{16}}"}`},
	{"object id", `{"_id":{"$oid":"{[0-9a-f]{24}}"},"userId":"{[0-9a-f]{24}}"}`},
	{"snowflake", `{"discord_user_id":"{[1-9][0-9]{17}}","channel_id":"{[1-9][0-9]{18}}"}`},
	{"discord message", `https://discord.com/channels/{[1-9][0-9]{17}}/{[1-9][0-9]{17}}/{[1-9][0-9]{17}}`},
	{"twitter status", `https://twitter.com/acme/status/{[1-9][0-9]{18}}`},
	{"ULID", `order {01[0-9A-HJKMNP-TV-Z]{24}} shipped`},
	{"KSUID", `event {2[A-Za-z0-9]{26}} received`},
	{"Stripe ids", `{"id":"ch_{[A-Za-z0-9]{24}}","customer":"cus_{[A-Za-z0-9]{14}}","price":"price_{[A-Za-z0-9]{24}}"}`},
	{"Stripe event", `evt_{[A-Za-z0-9]{24}} for sub_{[A-Za-z0-9]{24}}`},
	{"Twilio SIDs", `{"sid":"SM{[0-9a-f]{32}}","account_sid":"AC{[0-9a-f]{32}}"}`},
	{"Slack ids", `posted in C{[A-Z0-9]{10}} by U{[A-Z0-9]{10}} team T{[A-Z0-9]{8}}`},
	{"Google ids", `UA-{[0-9]{8}}-1 G-{[A-Z0-9]{10}} GTM-{[A-Z0-9]{7}} AW-{[0-9]{10}}`},
	{"analytics", `{"measurement_id":"G-{[A-Z0-9]{10}}","visitor":"GA1.2.{[0-9]{9}}.{[0-9]{10}}"}`},
	{"YouTube", `https://www.youtube.com/watch?v={[A-Za-z0-9_-]{11}}&list=PL{[A-Za-z0-9_-]{32}}`},
	{"Drive file", `https://docs.google.com/document/d/1{[A-Za-z0-9_-]{43}}/edit`},
	{"Figma file", `https://www.figma.com/file/{[A-Za-z0-9]{22}}/Design?node-id=12-345`},
	{"Notion page", `https://www.notion.so/acme/Meeting-notes-{[0-9a-f]{32}}`},
	{"Linear issue", `linear.app/acme/issue/ENG-1234/fix-login-{[a-z]{8}}`},
	{"Jira issue", `jira ABC-1234: getPagesInConfluenceSpace,searchConfluenceUsingCql`},
	{"Confluence tools", `{"tools":["confluence_getPageDescendants","getConfluenceSpacesForUser","searchJiraIssuesUsingJql"]}`},
	{"Airtable ids", `{"base":"app{[A-Za-z0-9]{14}}","table":"tbl{[A-Za-z0-9]{14}}","record":"rec{[A-Za-z0-9]{14}}"}`},
	{"ARN", `arn:aws:secretsmanager:eu-west-1:{[0-9]{12}}:secret:prod/db-{[A-Za-z0-9]{6}}`},
	{"KMS key", `{"KeyId":"arn:aws:kms:eu-west-1:{[0-9]{12}}:key/{` + exprUUID + `}"}`},
	{"secret by name", `{"SecretId":"prod/payments/stripe","secretName":"payments-stripe-live-v2"}`},
	{"secret reference", `secretKeyRef: {name: db-credentials-v2, key: password}`},
	{"Helm", `password: {{ .Values.postgres.password | quote }}`},
	{"Actions", `token: ${{ secrets.GITHUB_TOKEN }}`},
	{"shell variable", `export API_KEY=$API_KEY AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}`},
	{"Node environment", `const apiKey = process.env.ACME_API_KEY;`},
	{"Python environment", `client = Client(api_key=os.environ["ACME_API_KEY"])`},
	{"Terraform variable", `password = var.database_password`},
	{"function call", `token = await getAccessTokenSilently({ audience })`},
	{"function arguments", `def login(username, password, token=None, secret_key=DEFAULT_SECRET):`},
	{"SQL", `SELECT id FROM users WHERE password_hash = $1 AND token = ?`},
	{"placeholders", `api_key: YOUR_API_KEY, secret: <your-secret>, token: xxxxxxxxxxxxxxxxxxxx`},
	{"placeholder in JSON", `{"api_key":"<API_KEY>","password":"********","client_secret":"your-client-secret-here"}`},
	{"documentation key", `AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE`},
	{"GitHub stand-in", `export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`},
	{"OpenAI stand-in", `OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`},
	{"Bearer in documentation", `Send "Authorization: Bearer <token>" with every request.`},
	{"Bearer authentication", `The server uses Bearer authentication and Basic credentials-based fallback.`},
	{"password rules", `The password must be at least 12 characters; password: required, confirm password: mismatch.`},
	{"password validation", `{"errors":{"password":"The password field is required.","token":"is invalid"}}`},
	{"username and password", `Please enter your username/password combination.`},
	{"password types", `{"type":"object","properties":{"password":{"type":"string","format":"password"},"api_key":{"type":"string"}}}`},
	{"token counts", `{"usage":{"prompt_tokens":{[0-9]{4}},"completion_tokens":{[0-9]{3}},"max_tokens":8192}}`},
	{"token strings", `{"tokens":["hello","world","tokenization"],"pad_token":"<pad>","eos_token":"</s>"}`},
	{"token type", `{"token_type":"Bearer","expires_in":3600,"scope":"read:user write:org"}`},
	{"OAuth metadata", `{"token_endpoint":"https://auth.acme.test/oauth2/token","jwks_uri":"https://auth.acme.test/.well-known/jwks.json"}`},
	{"JWK", `{"kty":"RSA","kid":"{[A-Za-z0-9_-]{43}}","use":"sig","n":"{[A-Za-z0-9_-]{342}}","e":"AQAB"}`},
	{"thumbprint", `{"x5t":"{[A-Za-z0-9_-]{27}}","thumbprint":"{[0-9A-F]{40}}"}`},
	{"SSH public key", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{[A-Za-z0-9+/]{43}} bob@laptop`},
	{"SSH fingerprint", `SHA256:{[A-Za-z0-9+/]{43}} bob@laptop (ED25519)`},
	{"certificate", "-----BEGIN CERTIFICATE-----\nMIID{[A-Za-z0-9+/]{60}}\n{[A-Za-z0-9+/]{64}}\n-----END CERTIFICATE-----"},
	{"public key block", "-----BEGIN PUBLIC KEY-----\nMIIB{[A-Za-z0-9+/]{60}}\n-----END PUBLIC KEY-----"},
	{"Ethereum address", `to 0x{[0-9a-f]{40}} in tx 0x{[0-9a-f]{64}}`},
	{"Bitcoin address", `bc1q{[02-9ac-hj-np-z]{38}} and 1{[1-9A-HJ-NP-Za-km-z]{33}}`},
	{"IPFS", `ipfs://bafybei{[a-z2-7]{52}}/index.html`},
	{"inline image", `![x](data:image/png;base64,iVBORw0KGgo{[A-Za-z0-9+/]{200}}=)`},
	{"attachment", `{"mimeType":"image/png","data":"iVBORw0KGgo{[A-Za-z0-9+/]{300}}=="}`},
	{"protobuf cursor", `{"cursor":"CAES{[A-Za-z0-9_-]{60}}"}`},
	{"base64 of prose", `content: %s`},
	{"hex dump", `0000: 48 65 6c 6c 6f 20 77 6f 72 6c 64 {[0-9a-f]{2}} {[0-9a-f]{2}}`},
	{"version list", `node v22.1.0, npm 10.7.0, key 2.1.0-beta.3+build.{[0-9]{5}}`},
	{"timestamps", `{"created_at":"2026-02-03T04:05:06.789Z","expires":1770091506,"token_expiry":"2026-02-03T05:05:06Z"}`},
	{"URL with a slug", `https://blog.acme.test/2026/02/how-we-rotate-api-keys-and-secrets-without-downtime-{[a-z0-9]{6}}`},
	{"URL with user", `ssh://git@github.com/acme/app.git and https://bob@example.com/`},
	{"documentation URI", `postgres://user:password@localhost:5432/mydb`},
	{"mail headers", `Authentication-Results: mx.example.com; dkim=pass header.d=acme.test header.b={[A-Za-z0-9]{8}}`},
	{"DKIM", `DKIM-Signature: v=1; a=rsa-sha256; bh={[A-Za-z0-9+/]{43}}=; b={[A-Za-z0-9+/]{60}}`},
	{"message id", `Message-ID: <{[A-Za-z0-9]{32}}@mail.acme.test>`},
	{"tracking number", `UPS 1Z{[A-Z0-9]{16}} and USPS 9400{[0-9]{18}}`},
	{"license plate text", `author: Bob, authority: full, monkey: yes, keyboard: qwerty-{[a-z]{5}}`},
	{"key value prose", `The key: value pairs are sorted by key; each token is separated by a comma.`},
	{"access prose", `Access key rotation: done. Secret santa: 12 December. Token ring: deprecated.`},
	{"cookies prose", `Cookie: necessary. We use cookies=essential to keep you signed in.`},
	{"CSP nonce", `Content-Security-Policy: script-src 'nonce-{[A-Za-z0-9+/]{22}}=='`},
	{"cf ray", `cf-ray: {[0-9a-f]{16}}-FRA`},
	{"AWS ids", `i-{[0-9a-f]{17}} vpc-{[0-9a-f]{17}} sg-{[0-9a-f]{17}} ami-{[0-9a-f]{17}}`},
	{"S3 version", `{"VersionId":"{[A-Za-z0-9._]{32}}","UploadId":"{[A-Za-z0-9._-]{86}}"}`},
	{"CloudFormation", `arn:aws:cloudformation:eu-west-1:{[0-9]{12}}:stack/app/{` + exprUUID + `}`},
	{"pod names", `api-gateway-{[a-f0-9]{10}}-{[a-z0-9]{5}} 1/1 Running`},
	{"Docker ids", `CONTAINER {[0-9a-f]{12}} sha256:{[0-9a-f]{64}}`},
	{"build ids", `build {[0-9a-f]{32}} passed; netlify deploy {[0-9a-f]{24}} live`},
	{"vercel deployment", `{"deployment":"dpl_{[A-Za-z0-9]{28}}","url":"acme-{[a-z0-9]{9}}-team.vercel.app"}`},
	{"heroku release", `{"heroku":{"release":{"id":"{` + exprUUID + `}","version":42}}}`},
	{"twitch stream", `{"twitch_stream_id":"{[0-9]{12}}","title":"Speedrun"}`},
	{"minified code", `function e(t,n){for(var r=t.key,a=n.token;r<a;)i(r++)}var c="{[a-z]{20}}";`},
	{"CSS", `.token-{[a-z0-9]{8}}{color:#{[0-9a-f]{6}};background:#{[0-9a-f]{6}}80}`},
	{"stack trace", "TypeError: Cannot read properties of undefined (reading 'token')\n    at Object.authKey (/srv/app/dist/auth.js:12:34)"},
	{"translation keys", `{"auth.password.label":"Password","auth.token.expired":"Your session has expired"}`},
	{"feature flags", `{"flags":{"new-token-flow":true,"secret-menu":false,"api-key-v2":"enabled-for-beta"}}`},
	{"log of a login", `user bob logged in with password auth from 203.0.113.7 session started`},
	{"GraphQL ids", `{"node":{"id":"R_kgDO{[A-Za-z0-9]{6}}","oid":"{` + exprSHA1 + `}"}}`},
	{"phone and mail", `Call +1 555 {[0-9]{3}} {[0-9]{4}} or write to bob.{[a-z]{5}}@example.com`},
	{"IP and MAC", `10.0.{[1-9][0-9]}.{[1-9][0-9]} fe80::{[0-9a-f]{4}}:{[0-9a-f]{4}} 00:1a:2b:{[0-9a-f]{2}}:{[0-9a-f]{2}}:{[0-9a-f]{2}}`},
	{"numbers", `invoice 2026-{[0-9]{6}}, customer {[0-9]{8}}, IMEI {[0-9]{15}}, ISBN 978-3-16-148410-0`},
	{"genes", `ATGC{[ACGT]{60}} chr7:{[0-9]{8}}-{[0-9]{8}}`},
	{"model names", `claude-opus-4-1-20250805, gpt-4o-2024-08-06, text-embedding-3-large, sk-learn 1.5`},
	{"token address", `{"token":"0x{[0-9a-f]{40}}","symbol":"USDC"}`},
	{"bullets", `{"password":"•••••••••","secret":"●●●●●●●●"}`},
	{"kind of authentication", `{"auth":"oauth2_v2_bearer","authType":"API_KEY_V2"}`},
	{"tracking key", `{"trackingKey":"{[A-Za-z0-9]{20}}","measurement_key":"{[A-Za-z0-9]{16}}"}`},
	{"sealed secret", `encryptedData: {password: Ag{[A-Za-z0-9+/]{120}}==}`},
}

// Benign draws texts that hold no secret, each several times.
func Benign(random *rand.Rand, each int) []Sample {
	var list []Sample
	for i, l := range slices.Concat(likenesses, moreLikenesses) {
		for n := range each {
			text := Fill(random, l.text)
			note := fmt.Sprintf("Meeting notes %d: we talked about the roadmap and agreed on dates.", n)
			text = strings.Replace(text, "%s", base64.StdEncoding.EncodeToString([]byte(note)), 1)
			if (i+n)%3 == 0 && !strings.HasPrefix(text, "{") {
				text = JSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}})
			}
			list = append(list, Sample{Name: l.name, Text: text})
		}
	}
	return list
}

// Fill draws every {expr} that ends a class with a count, a lone class, or an
// alternative spelt out; other braces are part of the text.
func Fill(random *rand.Rand, text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '{' && i+1 < len(text) && (text[i+1] == '[' && classEnds(text[i+1:]) || strings.HasPrefix(text[i+1:], "01[") || strings.HasPrefix(text[i+1:], "2[")) {
			depth, end := 0, i
			for ; end < len(text); end++ {
				if text[end] == '{' {
					depth++
				} else if text[end] == '}' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			b.WriteString(Draw(random, strings.TrimSpace(text[i+1:end])))
			i = end + 1
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// classEnds tells a character class from a JSON array behind a brace.
func classEnds(text string) bool {
	end := strings.IndexByte(text, ']')
	return end > 0 && !strings.ContainsAny(text[:end], `" `)
}
