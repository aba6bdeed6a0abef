// installs: safety.parser.csv safety.parser.xml safety.parser.yaml
// needs: parser.csv parser.xml parser.yaml
// after: safety.js
//
// Parsers of text, all of them the host's. What comes back is plain data.

const { parse, stringify, String, toWellFormed } = primordials;

// text is what is parsed; nothing at all is the host's to refuse.
const text = (value) => (value === undefined || value === null ? '' : toWellFormed(String(value)));

host.install('safety.parser.csv', function csv(input, options) {
  const { header, delimiter } = options ?? {};
  const how = stringify({ __proto__: null, header: !!header, delimiter: text(delimiter) });
  return parse(host.call('parser.csv', `${how}\n${text(input)}`));
});
host.install('safety.parser.xml', function xml(input) { return parse(host.call('parser.xml', text(input))); });
host.install('safety.parser.yaml', function yaml(input) { return parse(host.call('parser.yaml', text(input))); });
