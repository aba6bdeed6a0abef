//# csv, xml and yaml
same([safety.parser.csv('a,b\n"1,""x""",2'), safety.parser.csv('a;b\n1;2', { header: true, delimiter: ';' }), safety.parser.csv('a'), safety.parser.csv(12.5)], [[['a', 'b'], ['1,"x"', '2']], [{ a: '1', b: '2' }], [['a']], [['12.5']]]);
same(safety.parser.xml('<a k="v">x<b/>y<![CDATA[<z>]]></a>'), { tag: 'a', attrs: { k: 'v' }, children: [{ tag: 'b', attrs: {}, children: [], text: '' }], text: 'xy<z>' });
same([safety.parser.yaml('a: [1, two, null]\nb: {c: true}'), safety.parser.yaml('just text'), safety.parser.yaml('{"a":"\\/"}')], [{ a: [1, 'two', null], b: { c: true } }, 'just text', { a: '/' }]);
for (const name of ['csv', 'xml', 'yaml', 'html']) {
  for (const input of ['', null, undefined]) {
    const e = throwing(() => safety.parser[name](input), 'Error');
    same([e.kind, e.helper, e.reason], ['INVALID_INPUT', 'safety.parser.' + name, 'missing-input']);
  }
}
const places = [['csv', 'a\n"b', 2, 1], ['xml', '<a>\n</b>', 2, 5], ['yaml', 'a: 1\na: 2', 2, 1]];
for (const [name, input, line, column] of places) {
  const e = throwing(() => safety.parser[name](input), 'Error');
  same([e.kind, e.reason, e.line, e.column], ['HELPER_RUNTIME', 'parse-failed', line, column]);
}
same(throwing(() => safety.parser.yaml('!!java.net.URL [x]'), 'Error').reason, 'parse-failed');
same(throwing(() => safety.parser.xml('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), 'Error').reason, 'parse-failed');
same([{}.polluted, Object.keys(safety.parser.yaml('__proto__: {polluted: 1}')), {}.polluted], [undefined, ['__proto__'], undefined]);
same(safety.parser.csv('\ud800'), [['\ufffd']]);

//# an HTML document, read
const doc = safety.parser.html('<title> A  page </title><body class="c"><h1 id=t>Head</h1><p>one <b>two</b></p><p class="x y">three</p><a href=/l title="say &quot;hi&quot;">link</a></body>');
same([doc.title(), doc.body().text(), doc.select('p').size(), doc.select('p').text(), doc.select('p').first().ownText(), doc.select('p').last().className()], ['A page', 'Head one two three link', 2, 'one two three', 'one', 'x y']);
same([doc.select('a').attr('href'), doc.select('a').first().attributes(), doc.select('a').attr('nope'), doc.select('none').first(), doc.select('none').text(), doc.select('none').size()], ['/l', { href: '/l', title: 'say "hi"' }, '', null, '', 0]);
const ps = doc.select('p');
same([ps.length, ps[0] === ps.get(0), ps.eq(1).text(), ps.eq(9).size(), ps.map((p) => p.text()), ps.eachText(), Array.isArray(ps.filter((p) => p.hasClass('X'))), [...ps].length], [2, true, 'three', 0, ['one two', 'three'], ['one two', 'three'], true, 2]);
const seen = [];
ps.each((p, n) => { seen.push(n, p.tagName()); return false; });
for (const p of ps) seen.push(p.is('.x'));
same(seen, [0, 'p', false, true]);
same([doc.getElementById('t').text(), doc.querySelector('b').parent() === ps[0], doc.querySelector('none'), doc.querySelectorAll('p, a').length, doc.selectFirst('p b').closest('body').tagName(), ps[0].children().size(), ps[1].siblings().size(), ps[0].next() === ps[1], ps[1].prev() === ps[0], doc.body().children().size()], ['t' && 'Head', true, null, 3, 'body', 1, 3, true, true, 4]);
same([ps[0].html(), ps[0].outerHtml(), ps.html(), ps[0].textContent, ps[0].innerHTML, ps[0].getAttribute('id'), ps[0].hasAttr('id'), String(ps[0])], ['one <b>two</b>', '<p>one <b>two</b></p>', 'one <b>two</b>\nthree', 'one two', 'one <b>two</b>', null, false, '<p>one <b>two</b></p>']);
same([doc.getElementsByTag('p').size(), doc.getElementsByClass('y').size(), doc.getElementsByAttribute('href').size(), doc.select('p').not('.x').size(), doc.select('body').has('h1').size(), doc.select('p').is('.y'), ps.hasClass('y'), doc.select('p:contains(Two)').size()], [2, 1, 1, 1, 1, true, true, 1]);
same([throwing(() => doc.select('a['), 'Error').reason, throwing(() => doc.select(), 'Error').reason, throwing(() => ps.get(5), 'RangeError').name], ['invalid-selector', 'invalid-selector', 'RangeError']);
throwing(() => new (doc.constructor)(), 'TypeError');
same(JSON.parse(JSON.stringify({ ps })).ps[1], '<p class="x y">three</p>');

//# an HTML document, changed
const doc = safety.parser.html('<ul><li>a</li><li>b</li></ul>');
const ul = doc.select('ul').first();
const [a, b] = ul.children();
a.attr('id', 'x').addClass('on').addClass('on');
b.text('<b>').attr('data-k', 5);
same(ul.html(), '<li id="x" class="on">a</li><li data-k="5">&lt;b&gt;</li>');
a.toggleClass('on').removeAttr('id');
ul.append('<li>c</li>').prepend('<li>0</li>');
b.before('<li>half</li>').after(doc.select('li').first());
same(ul.children().eachText(), ['a', 'half', '<b>', '0', 'c']);
doc.select('li').last().wrap('<div class="w"><i></i></div>');
same(ul.children().last().outerHtml(), '<div class="w"><i><li>c</li></i></div>');
doc.select('li:contains(half)').remove();
a.html('<em>e</em>').children().first().replaceWith('<s>s</s>');
ul.appendElement('li').text('new').appendText(' & <more>');
same([a.html(), ul.children().last().html(), ul.children().size()], ['<s>s</s>', 'new &amp; &lt;more&gt;', 5]);
ul.empty();
same([ul.outerHtml(), a.parent(), a.text()], ['<ul></ul>', null, 's']);
ul.append(a);
same(ul.html(), a.outerHtml());
same(throwing(() => a.append(ul), 'Error').reason, 'invalid-argument');
same(throwing(() => a.attr('a b', 'x'), 'Error').reason, 'invalid-attribute');
doc.title('T & t');
same(doc.head().html(), '<title>T &amp; t</title>');
doc.select('li').val('v').attr('k', '').removeClass('none');
same(a.attributes(), { class: '', value: 'v', k: '' });

//# documents do not mix
const one = safety.parser.html('<p>1</p>');
const two = safety.parser.html('<p>2</p>');
one.body().append(two.select('p'));
same([one.select('p').eachText(), two.select('p').size()], [['1', '2'], 0]);

//# the helpers can be listed
same([Object.keys(safety.parser).sort(), Object.keys(safety)], [['csv', 'html', 'xml', 'yaml'], ['parser']]);

//# addresses in a document
const bare = safety.parser.html('<a href="/x">1</a><a href="https://a.example/y z">2</a>').select('a');
same([bare[0].absUrl('href'), bare[1].absUrl('href'), bare[1].attr('abs:href'), bare[0].absUrl('id')], ['', 'https://a.example/y%20z', 'https://a.example/y%20z', '']);
const based = safety.parser.html('<base href="http://b.example/d/"><a href="../x">1</a>').select('a').first();
same([based.absUrl('href'), based.attr('href')], ['http://b.example/x', '../x']);

//# every element of a large page is read
const cells = safety.parser.html('<table>' + '<tr><td>1<td>2'.repeat(10000) + '</table>').select('td');
same(cells.eachText().filter((text) => text === '2').length, 10000);
