// Package console is the operator's console: pages for a browser that show what a
// server does and let people decide. It is served on a listener of its own and embedded
// in the binary.
//
//	Options   what the console shows and changes; New makes a console of it
//	Console   Listen opens its listener, Link signs a person in, Close ends it
//
// The console has no rule of its own: its pages call the functions that the verbs of the
// command line call, and render what comes back. What a person does through it is in the
// audit record, with who.
//
// # How a page is added
//
// One Go file, one template and one row:
//
//	x.go               func (c *Console) showX(v *visit) (any, error): what the page
//	                   shows, as a struct of its own
//	assets/x.html      {{define "main"}}: how it looks
//	pages.go           a row in pages: address, title, template, least role, topics
//
// What a person does on it is a row in acts: an address that takes POST, the least role,
// the name in the record, and a func(v *visit) (done, error). A form of it carries
// {{template "token" $}}; the shell has checked the token, the origin and the role before
// the function is called, and records the act after it.
//
// Then the page's name goes into paths of the nested module browser, which visits it in a
// real Chromium with axe-core (make browser), and into hostile_test.go and bench_test.go.
//
// Rules that hold for every page, each with a test that walks all of them:
//
//   - A text that somebody else wrote (tools, servers, callers, arguments, results) goes
//     through text, lines, json or plain; see package shown. {{.}} alone would be escaped,
//     but would hide what nobody sees.
//   - Addresses are made with url, which escapes each part.
//   - No inline style or script: the Content-Security-Policy refuses them.
//   - A page works without script. A region that should follow events has an id and
//     data-live; console.js fetches the page again and replaces the regions that differ.
//   - Lists are cut at a page: no page is larger than 150 KB.
package console
