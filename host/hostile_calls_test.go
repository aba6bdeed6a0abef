package host

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// asked is a host call.
type asked struct {
	op         string
	text, blob string
}

// probe is a way to call an operation with a text of any content. In text, $ is
// the content as the inside of a JSON string, ~ is the content in base64, and @ is the content
// itself; first are calls that make what the call works on.
type probe struct {
	first []asked
	text  string
	blob  bool // the content goes as bytes
	// declared is how many bytes of a reply the call asks for by number.
	declared int
}

func (p probe) calls(op, content string) []asked {
	quoted, _ := json.Marshal(strings.ToValidUTF8(content, "?"))
	fill := strings.NewReplacer("$", string(quoted[1:len(quoted)-1]), "@", content, "~", base64.StdEncoding.EncodeToString([]byte(content)))
	var list []asked
	for _, a := range p.first {
		list = append(list, asked{a.op, fill.Replace(a.text), fill.Replace(a.blob)})
	}
	last := asked{op: op, text: fill.Replace(p.text)}
	if p.blob {
		last.blob = content
	}
	return append(list, last)
}

// depends reports whether a probe makes anything of the content.
func (p probe) depends(op string) bool {
	if strings.HasPrefix(op, "fs.") || op == "http.fetch" { // it is in the file, or in the answer
		return true
	}
	return !slices.Equal(p.calls(op, "a"), p.calls(op, "b"))
}

const small = "<ul class=x><li>a<li lang=en>b<i>c</i></ul><p>d <b>e</b></p>"

// page parses a document and names nodes of it: 0 is the document, then come
// those that a selector finds.
func page(source, css string) []asked {
	return []asked{{op: "html.parse", text: source}, {op: "html.select", text: `{"nodes":[0],"css":"` + css + `"}`}}
}

func key(algorithm, usage, bytes string) []asked {
	return []asked{{op: "crypto.importKey", text: `{"format":"raw","algorithm":` + algorithm + `,"extractable":true,"usages":["` + usage + `"]}`, blob: bytes}}
}

const (
	aes    = `{"name":"AES-GCM","iv":"AAAAAAAAAAAAAAAA"}`
	hmac   = `{"name":"HMAC","hash":"SHA-512"}`
	pbkdf2 = `{"name":"PBKDF2","hash":"SHA-512","salt":"QUFB","iterations":1000}`
	costly = `{"name":"PBKDF2","hash":"SHA-512","salt":"QUFB","iterations":2000000}`
	hkdf   = `{"name":"HKDF"}`
	bytes  = "0123456789abcdef"
)

// probes are the ways to every operation. The file of those of fs is f, with the
// content in it.
var probes = map[string][]probe{
	"fs.workspace":     {{text: `{}`}},
	"fs.readRoots":     {{text: `{}`}},
	"fs.readText":      {{text: `f`}, {text: `@`}},
	"fs.list":          {{text: `{"path":"."}`}, {text: `{"path":"$"}`}},
	"fs.exists":        {{text: `{"path":"$"}`}},
	"fs.stat":          {{text: `{"path":"$"}`}},
	"fs.grep":          {{text: `{"path":"f","pattern":"x"}`}, {text: `{"path":"f","pattern":"$","caseInsensitive":true}`}, {text: `{"path":"f","pattern":"(x+x+)+y"}`}},
	"fs.lineCount":     {{text: `{"path":"f"}`}},
	"fs.slice":         {{text: `{"path":"f","start":1,"end":1000000}`}},
	"fs.cut":           {{text: `{"path":"f","fields":[1,2,3],"delimiter":","}`}, {text: `{"path":"f","fields":[1,1,1,1,1,1,1,1],"delimiter":"[ ,]","regex":true}`}, {text: `{"path":"f","fields":[1],"delimiter":"$"}`}},
	"fs.sort":          {{text: `{"path":"f"}`}, {text: `{"path":"f","numeric":true,"caseInsensitive":true,"unique":true}`}},
	"fs.find":          {{text: `{"dir":".","glob":"$"}`}},
	"fs.searchInFiles": {{text: `{"dir":".","glob":"*","pattern":"x"}`}, {text: `{"dir":".","glob":"**/f","pattern":"$"}`}},
	"fs.writeText":     {{text: `{"path":"w","text":"$"}`}, {text: `{"path":"$","text":"x"}`}},
	"fs.appendText":    {{text: `{"path":"f","text":"$"}`}},
	"fs.editText":      {{text: `{"path":"f","old":"x","new":"$","replaceAll":true}`}, {text: `{"path":"f","old":"a","new":"","replaceAll":true}`}, {text: `{"path":"f","old":"$","new":"y"}`}},
	"fs.copy":          {{text: `{"from":"f","to":"g"}`}, {text: `{"from":"f","to":"$"}`}},
	"fs.move":          {{text: `{"from":"f","to":"g"}`}, {text: `{"from":"$","to":"g"}`}},
	"fs.delete":        {{text: `{"path":"f"}`}, {text: `{"path":"$"}`}},
	"fs.deleteDir":     {{text: `{"path":"d"}`}, {text: `{"path":"$"}`}},

	"http.check": {{text: `{"url":"$"}`}, {text: `{"url":"http://a.example/","headers":[["x","$"]]}`}},
	"http.fetch": {{text: `{"url":"http://a.example/"}`}, {text: `{"url":"$"}`}, {text: `{"url":"http://a.example/","method":"POST","body":"$"}`}, {text: `{"url":"http://a.example/","headers":[["x","$"]]}`}},
	"http.abort": {{text: `@`}},
	"http.text":  {{text: `text/html`, blob: true}, {text: `text/plain; charset=gb18030`, blob: true}, {text: `@`}},
	"http.json":  {{text: ``, blob: true}},

	"random.bytes": {{text: `65536`, declared: 65536}, {text: `@`}},

	"crypto.digest":  {{text: `{"algorithm":{"name":"SHA-512"}}`, blob: true}, {text: `{"algorithm":{"name":"$"}}`}},
	"crypto.sign":    {{first: key(hmac, "sign", bytes), text: `{"key":0,"algorithm":` + hmac + `}`, blob: true}},
	"crypto.verify":  {{first: key(hmac, "verify", bytes), text: `{"key":0,"algorithm":` + hmac + `,"second":8}`, blob: true}},
	"crypto.encrypt": {{first: key(aes, "encrypt", bytes), text: `{"key":0,"algorithm":` + aes + `}`, blob: true}},
	"crypto.decrypt": {{first: key(aes, "decrypt", bytes), text: `{"key":0,"algorithm":` + aes + `}`, blob: true}},
	"crypto.deriveBits": {{first: key(pbkdf2, "deriveBits", bytes), text: `{"key":0,"algorithm":` + pbkdf2 + `,"length":4096}`, declared: 512}, {first: key(pbkdf2, "deriveBits", "@"), text: `{"key":0,"algorithm":` + pbkdf2 + `,"length":512}`},
		{first: key(pbkdf2, "deriveBits", bytes), text: `{"key":0,"algorithm":{"name":"PBKDF2","hash":"SHA-512","salt":"~","iterations":1},"length":1048576}`, declared: 128 << 10},
		{first: key(hkdf, "deriveBits", bytes), text: `{"key":0,"algorithm":{"name":"HKDF","hash":"SHA-512","salt":"~","info":"~"},"length":130560}`, declared: 16 << 10}},
	"crypto.deriveKey":   {{first: key(pbkdf2, "deriveKey", bytes), text: `{"key":0,"algorithm":` + costly + `,"derived":{"name":"AES-GCM","length":256},"usages":["encrypt"]}`}, {first: key(pbkdf2, "deriveKey", bytes), text: `{"key":0,"algorithm":` + pbkdf2 + `,"derived":{"name":"AES-GCM","length":256},"usages":["encrypt"]}`}},
	"crypto.generateKey": {{text: `{"algorithm":{"name":"AES-GCM","length":256},"usages":["encrypt"]}`}, {text: `{"algorithm":{"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256","modulusLength":1024,"publicExponent":"AQAB"},"usages":["sign"]}`}, {text: `{"algorithm":{"name":"$"}}`}},
	"crypto.importKey":   {{text: `{"format":"raw","algorithm":` + hmac + `,"usages":["sign"]}`, blob: true}, {text: `{"format":"pkcs8","algorithm":{"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256"},"usages":["sign"]}`, blob: true}, {text: `{"format":"jwk","algorithm":` + hmac + `,"usages":["sign"],"jwk":{"kty":"oct","k":"$"}}`}},
	"crypto.exportKey":   {{first: key(hmac, "sign", "@"), text: `{"key":0,"format":"raw"}`}, {first: key(hmac, "sign", "@"), text: `{"key":0,"format":"jwk"}`}},
	"crypto.wrapKey":     {{first: append(key(aes, "wrapKey", bytes), key(hmac, "sign", "@")...), text: `{"key":1,"wrapping":0,"format":"raw","algorithm":` + aes + `}`}},
	"crypto.unwrapKey":   {{first: key(aes, "unwrapKey", bytes), text: `{"key":0,"wrapping":0,"format":"raw","algorithm":` + aes + `,"derived":` + hmac + `,"usages":["sign"]}`, blob: true}},

	"encoding.atob":       {{text: `@`}},
	"encoding.btoa":       {{text: `@`}},
	"encoding.encode":     {{text: `@`}},
	"encoding.encodeInto": {{text: "1000000\n@"}},
	"encoding.label":      {{text: `@`}},
	"encoding.decode":     {{text: `{"label":"utf-8"}`, blob: true}, {text: `{"label":"gb18030"}`, blob: true}, {text: `{"label":"utf-16le","stream":true,"id":1}`, blob: true}, {text: `{"label":"iso-8859-1"}`, blob: true}, {text: `{"label":"$"}`}},

	"url.parse":     {{text: `{"input":"$"}`}, {text: `{"input":"$","base":"http://a/b/c"}`}, {text: `{"input":"x","base":"$"}`}},
	"url.set":       {{text: `{"input":"http://a/","part":"pathname","value":"$"}`}, {text: `{"input":"http://a/","part":"hash","value":"$"}`}, {text: `{"input":"http://a/","part":"host","value":"$"}`}},
	"url.readForm":  {{text: `"$"`}},
	"url.writeForm": {{text: `[["$","$"]]`}, {text: `@`}},

	"intl.resolve": {{text: `{"service":"NumberFormat","locales":["$"]}`}, {text: `{"service":"DateTimeFormat","options":{"timeZone":"$"}}`}, {text: `{"service":"$"}`}, {text: `@`}},
	"intl.format": {
		{text: `{"service":"Collator","locales":["en"],"options":{"numeric":true}}` + "\nkey\n" + `["$"]`},
		{text: `{"service":"Collator","locales":["ko"]}` + "\nkey\n" + `["$"]`},
		{text: `{"service":"ListFormat"}` + "\nformat\n" + `["$","$","$"]`},
		{text: `{"service":"ListFormat"}` + "\nformat\n" + `@`},
		{text: `{"service":"NumberFormat"}` + "\nformat\n" + `["$"]`},
		{text: `{"service":"Segmenter"}` + "\nsegment\n" + `["$"]`},
		{text: `{"service":"Segmenter","options":{"granularity":"word"}}` + "\nsegment\n" + `["$"]`},
		{text: `{"service":"Segmenter","options":{"granularity":"sentence"}}` + "\nsegment\n" + `["$"]`},
		{text: `{"service":"DisplayNames","options":{"type":"region"}}` + "\nof\n" + `["$"]`},
		{text: `{"service":"DateTimeFormat"}` + "\nformat\n" + `["$"]`},
	},
	"intl.locales": {{text: `{"locales":["$"]}`}, {text: `@`}},

	"parser.csv":  {{text: "{}\n@"}, {text: `{"header":true}` + "\n@"}, {text: `{"delimiter":"$"}` + "\na,b"}},
	"parser.xml":  {{text: `@`}, {text: `<a>@</a>`}},
	"parser.yaml": {{text: `@`}, {text: "a: \"$\""}},

	"html.parse": {{text: `@`}, {text: `<div><p>@</p></div>`}},
	"html.select": {
		{first: page("@", "p"), text: `{"nodes":[0],"css":"*"}`},
		{first: page("@", "p"), text: `{"nodes":[0],"css":"div:has(p:has(b)):not(:nth-last-child(2n+1))"}`},
		{first: page("@", "p"), text: `{"nodes":[0],"css":":contains(\"xy\")"}`},
		{first: page("@", "p"), text: `{"nodes":[0],"css":":matches((x{0,9}){0,9}y)"}`},
		{first: page("@", "p"), text: `{"nodes":[0],"css":"[class*=x], .y, :enabled, :lang(en)"}`},
		{first: page(small, "p"), text: `{"nodes":[0],"css":"$"}`},
		{first: page(small, "p"), text: `{"nodes":[0],"css":":contains(\"$\")"}`},
		{first: page(small, "p"), text: `{"nodes":[0],"css":":matches($)"}`},
	},
	"html.is":   {{first: page("@", "*"), text: `{"nodes":[1],"css":"div *:nth-child(2)"}`}, {first: page(small, "p"), text: `{"nodes":[1],"css":"$"}`}},
	"html.text": {{first: page("@", "body, body > *"), text: `{"nodes":[0,1,2]}`}, {first: page("@", "p"), text: `{"nodes":[0],"place":"raw"}`}, {first: page("@", "body"), text: `{"nodes":[1],"place":"own"}`}},
	"html.source": {{first: page("@", "p"), text: `{"nodes":[0],"place":"outer"}`},
		{first: append(page("<p></p>", "p"), asked{op: "html.setAttribute", text: `{"nodes":[1],"name":"a","value":"$"}`}), text: `{"nodes":[0]}`}},
	"html.describe":     {{first: page("@", "body, body > *"), text: `{"nodes":[2]}`}, {first: append(page("<p></p>", "p"), asked{op: "html.setAttribute", text: `{"nodes":[1],"name":"a","value":"$"}`}), text: `{"nodes":[1]}`}},
	"html.setAttribute": {{first: page(small, "*"), text: `{"nodes":[1,2,3,4,5,6],"name":"a","value":"$"}`}, {first: page(small, "*"), text: `{"nodes":[1,2,3],"name":"$","value":"x"}`}},
	"html.go":           {{first: page("@", "*"), text: `{"nodes":[0,1,2,3],"to":"children"}`}, {first: page("@", "p"), text: `{"nodes":[0],"to":"title"}`}, {first: page(small, "li"), text: `{"nodes":[1,2],"to":"siblings"}`}, {first: page("@", "b"), text: `{"nodes":[1],"to":"parents"}`}},
	"html.edit": {
		{first: page(small, "*"), text: `{"nodes":[1,2,3,4,5,6,7],"place":"append","html":"$"}`},
		{first: page("@", "*"), text: `{"nodes":[1,2,3],"place":"wrap","html":"<i></i>"}`},
		{first: page("@", "body"), text: `{"nodes":[1],"place":"text","html":"$"}`},
		{first: page("@<section></section>", "body, section"), text: `{"nodes":[2,0],"place":"append","with":[1]}`},
		{first: page("@", "body"), text: `{"nodes":[1],"place":"empty"}`},
	},
}
