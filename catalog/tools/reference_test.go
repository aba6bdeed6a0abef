package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/host"
)

// signatures are what users of the reference write, by tool: every parameter with
// its type, a question mark on those that may be left out. Written by hand.
var signatures = map[string]string{
	"timezoneConvert": "text, toTimeZone", "dateDiff": "a, b, unit?", "dateMath": "text, amount INTEGER, unit", "parseDate": "text, timeZone?",
	"formatDate": "text, pattern?, timeZone?", "cronNext": "expression, from?, count? INTEGER", "urlEncode": "text", "diffText": "a, b",
	"sortLines": "text, reverse? BOOLEAN, caseInsensitive? BOOLEAN", "regexExtract": "text, pattern, flags?", "regexReplace": "text, pattern, replacement, flags?",
	"stats": "numbers ARRAY", "evalExpression": "expression, variables? OBJECT", "secretPatternDetect": "text", "piiDetect": "text",
	"formatCsv": "rows ARRAY, header? ARRAY, delimiter?", "parseCsv": "text, header? BOOLEAN, delimiter?", "base64": "text, mode?, urlSafe? BOOLEAN",
	"hex": "text, mode?, upperCase? BOOLEAN", "uuid": "", "hash": "text, algorithm?", "hmac": "secret, text, algorithm?", "secureRandom": "bytes? INTEGER, encoding?",
	"passwordGenerate": "length? INTEGER, includeLowercase? BOOLEAN, includeUppercase? BOOLEAN, includeDigits? BOOLEAN, includeSymbols? BOOLEAN",
	"jwtDecode":        "token", "jwtVerify": "token, secret",

	"listAllowedDirectories": "", "readTextFile": "path", "listDir": "dir?", "statFile": "path", "lineCount": "path", "sliceFile": "path, start? INTEGER, end? INTEGER",
	"sortFile":      "path, reverse? BOOLEAN, numeric? BOOLEAN, caseInsensitive? BOOLEAN, unique? BOOLEAN",
	"grepFile":      "pattern, path, caseInsensitive? BOOLEAN, numbered? BOOLEAN, limit? INTEGER",
	"findFiles":     "dir?, glob?, maxDepth? INTEGER, type?",
	"cutFileFields": "path, fields ARRAY, delimiter?, regex? BOOLEAN",
	"searchInFiles": "pattern, dir?, glob?, caseInsensitive? BOOLEAN, maxDepth? INTEGER, limit? INTEGER",
	"writeTextFile": "path, content", "appendTextFile": "path, content", "editTextFile": "path, oldString, newString, replaceAll? BOOLEAN", "copyFile": "from, to",
	"moveFile": "from, to", "deleteFile": "path", "deleteDir": "path",

	"getCurrentTime": "timeZone?", "getWeather": "location?", "extractPageContent": "pageUrl", "googlePseSearch": "query, resultNum? INTEGER, startPage? INTEGER",
	"openaiResponseGenerator": "prompt, model?", "sendSlackMessage": "text",
	"getGithubRepo": "owner, repo", "getGithubUser": "login", "listGithubRepoIssues": "owner, repo, state?, perPage? INTEGER, page? INTEGER",
	"listGithubRepoReleases": "owner, repo, perPage? INTEGER", "getGithubLatestRelease": "owner, repo", "getGithubFileContent": "owner, repo, path, ref?",
	"searchGithubRepos": "query, sort?, perPage? INTEGER", "listGithubRepoContributors": "owner, repo, perPage? INTEGER",
	"searchWikipedia": "title, lang?", "searchHackerNews": "query, hits? INTEGER, tag?", "searchStackOverflow": "query, pageSize? INTEGER, sort?, tags?",
	"getCryptoPrice": "ids, currencies?", "convertCurrency": "from, to, amount? NUMBER", "getIpInfo": "ip?", "getCountryInfo": "name", "searchArxiv": "query, max? INTEGER, sortBy?",
	"getPublicHolidays": "year INTEGER, countryCode?", "getOpenMeteoForecast": "latitude NUMBER, longitude NUMBER, days? INTEGER, timezone?",
	"geocodeAddress": "address, limit? INTEGER", "getSunriseSunset": "latitude NUMBER, longitude NUMBER, date?, timezone?",
	"getRecentEarthquakes": "minMagnitude? NUMBER, lookbackHours? INTEGER, limit? INTEGER",
	"getUpbitTicker":       "markets", "getUpbitOrderbook": "markets, level?", "getUpbitCandles": "market, interval?, count?", "listUpbitMarkets": "quote?",
	"getBithumbTicker": "symbol", "getBithumbOrderbook": "symbol, count?", "searchReddit": "subreddit, query, limit? INTEGER, sort?",
	"sendEmail": "to?, cc?, subject, body", "addToCalendar": "title, start, end, location?, description?",
	"renderDiagram": "code, title?", "renderDiff": "left, right, leftLabel?, rightLabel?, title?",
	// Where the reference takes JSON in a STRING, an ARRAY takes both.
	"renderTable": "columns ARRAY, rows ARRAY, title?", "renderComparison": "entities ARRAY, rows ARRAY, title?", "renderTimeline": "events ARRAY, title?",
	"renderStatCards": "cards ARRAY, title?", "renderHeatmap": "xLabels ARRAY, yLabels ARRAY, data ARRAY, title?", "renderCandlestick": "data ARRAY, title?, volume? BOOLEAN",
	"searchNaver": "query, type?, display?, start?", "searchKakaoLocal": "query, size?, page?, longitude?, latitude?, radius?",
}

func TestParametersAreTheReferences(t *testing.T) {
	for name, want := range signatures {
		spec := tools.Find(name)
		if spec == nil {
			t.Errorf("no tool %s", name)
			continue
		}
		var got []string
		for _, p := range spec.Params() {
			one := p.Name
			if !p.Required {
				one += "?"
			}
			if p.Type != catalog.String {
				one += " " + p.Type.String()
			}
			got = append(got, one)
		}
		if d := cmp.Diff(want, strings.Join(got, ", ")); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// TestAnswersAreTheReferences holds what a user of the reference relies on where
// an own reading would be as plausible.
func TestAnswersAreTheReferences(t *testing.T) {
	rt := openRuntime(t)
	for _, tc := range []struct{ name, tool, arguments, want string }{
		{"milliseconds unless said otherwise", "dateDiff", `{"a":"2026-01-01","b":"2026-01-02"}`, `86400000`},
		{"half a day", "dateDiff", `{"a":"2026-01-01T00:00:00Z","b":"2026-01-01T12:00:00Z","unit":"days"}`, `0.5`},
		{"the first match without g", "regexExtract", `{"text":"a1 a2","pattern":"a(\\d)"}`, `[{"match":"a1","groups":["1"],"index":0}]`},
		{"every match with g", "regexExtract", `{"text":"a1 a2","pattern":"a\\d","flags":"g"}`, `[{"match":"a1","groups":[],"index":0},{"match":"a2","groups":[],"index":3}]`},
		{"a group that is not there", "regexExtract", `{"text":"b","pattern":"(a)?b"}`, `[{"match":"b","groups":[null],"index":0}]`},
		{"no match", "regexExtract", `{"text":"b","pattern":"a"}`, `[]`},
		{"one replaced without g", "regexReplace", `{"text":"aa","pattern":"a","replacement":"b"}`, `"ba"`},
		{"all replaced with g", "regexReplace", `{"text":"aa","pattern":"a","replacement":"b","flags":"g"}`, `"bb"`},
		{"CRLF", "sortLines", `{"text":"b\r\na\r\nc"}`, `"a\nb\nc"`},
		{"as a dictionary", "sortLines", `{"text":"b\nE\né\nf\nA","caseInsensitive":true}`, `"A\nb\nE\né\nf"`},
		{"an empty header is none", "formatCsv", `{"rows":[{"a":1,"b":2}],"header":[]}`, `"a,b\n1,2"`},
		{"columns are those of all rows", "formatCsv", `{"rows":[{"a":1,"b":2},{"b":3,"c":4}]}`, `"a,b,c\n1,2,\n,3,4"`},
		{"a header chooses and orders", "formatCsv", `{"rows":[{"a":1,"b":2}],"header":["b"]}`, `"b\n2"`},
		{"rows without names", "formatCsv", `{"rows":[[1,null],["x;y"]],"delimiter":";"}`, `"1;\n\"x;y\""`},
		{"no rows", "formatCsv", `{"rows":[]}`, `""`},
		{"nothing to parse", "parseCsv", `{"text":""}`, `[]`},
		{"a token without a signature", "jwtDecode", `{"token":"eyJhbGciOiJub25lIn0.eyJhIjoxfQ."}`, `{"header":{"alg":"none"},"payload":{"a":1},"signaturePresent":false}`},
		{"two parts", "jwtDecode", `{"token":"eyJhbGciOiJub25lIn0.eyJhIjoxfQ"}`, `{"header":{"alg":"none"},"payload":{"a":1},"signaturePresent":false}`},
		{"a question mark in cron", "cronNext", `{"expression":"0 12 ? * 1","from":"2026-01-15T12:00:00Z"}`, `["2026-01-19T12:00:00.000Z"]`},
		{"loose equality", "evalExpression", `{"expression":"a == 5","variables":{"a":"5"}}`, `true`},
		{"matches stand last", "diffText", `{"a":"a\nc","b":"a\na\nd"}`, `[{"op":"+","line":"a"},{"op":"=","line":"a"},{"op":"+","line":"d"},{"op":"-","line":"c"}]`},
	} {
		t.Run(tc.tool+"/"+tc.name, func(t *testing.T) {
			got := call(t, prepare(t, rt, tools.Find(tc.tool)), host.World{}, tc.arguments)
			if got.Failure != nil {
				t.Fatal(failureOf(got.Failure))
			}
			if d := cmp.Diff(tc.want, string(got.Value)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestPasswordsHaveSymbolsOnRequest(t *testing.T) {
	rt := openRuntime(t)
	tool := prepare(t, rt, tools.Find("passwordGenerate"))
	const symbols = "!@#$%^&*()-_=+[]{};:,.<>/?"
	for arguments, want := range map[string]bool{`{"length":256}`: false, `{"length":4,"includeSymbols":true}`: true} {
		if got := call(t, tool, host.World{}, arguments); got.Failure != nil || strings.ContainsAny(string(got.Value), symbols) != want {
			t.Errorf("%s: %s %s", arguments, got.Value, failureOf(got.Failure))
		}
	}
}

// shapes are test values of secrets put together at run time, so that no file of
// the project holds one.
func TestSecretTypesAreTheReferences(t *testing.T) {
	rt := openRuntime(t)
	tool := prepare(t, rt, tools.Find("secretPatternDetect"))
	for want, text := range map[string]string{
		"aws-access-key-id": "AKIA" + strings.Repeat("Q", 16), "github-token": "ghp_" + strings.Repeat("a1", 18), "slack-token": "xoxb-" + strings.Repeat("1", 12),
		"openai-api-key": "sk-" + strings.Repeat("a", 24), "stripe-key": "rk_live_" + strings.Repeat("b", 16), "google-api-key": "AIza" + strings.Repeat("c", 35),
		"private-key-block": "-----BEGIN EC " + "PRIVATE KEY-----", "jwt": "eyJ" + "hbGciOiJub25lIn0.eyJ" + "hIjoxfQ.c2ln",
	} {
		// The value itself would be redacted on its way out; its type is what counts.
		if got := call(t, tool, host.World{}, `{"text":"x `+text+` y"}`); got.Failure != nil || !strings.Contains(string(got.Value), `"type":"`+want+`"`) {
			t.Errorf("%s: %s %s", want, got.Value, failureOf(got.Failure))
		}
	}
}
