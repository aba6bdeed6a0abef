'2024-01-15'.replace(/(\d+)-(\d+)-(\d+)/, '$3/$2/$1')

'aBc'.replace(/b/i, x => x + x) + /^[\w.]+@[\w.]+$/.test('a.b@c.de')

'x1y22z333'.match(/\d+/g).join() + 'abc'.match(/z/) + 'abc'.search(/c/)

JSON.stringify([...'k1=v1;k2=v2'.matchAll(/(?<key>\w+)=(?<val>\w+)/g)].map(m => m.groups))

/(a+)+b/.test('aaaaaaaaaaaaaaac')

/^(?:a|ab)(?:c|bcd)(?:d*)$/.exec('abcd')[0]

/(?<=\$)\d+(\.\d*)?/.exec('cost $42.50')[0] + /(?<!a)b/.exec('abcb').index

/(?=a)\w{3}(?!d)/.exec('xabcabd')[0]

/(\w)\1/.exec('hello')[0] + /\bfoo\b/.test('a foo b') + /\k<n>(?<n>x)/.test('x')

/[\u{1F600}-\u{1F64F}]/u.test('😀') + '' + /^.$/u.test('😀') + /^.$/.test('😀') + /^.$/s.test('\n')

/\p{Lu}\p{Ll}+/u.exec('élan Été')[0] + /\p{Script=Greek}/u.test('α')

/[\p{L}--[a-z]]/v.test('a') + '' + /[\p{L}--[a-z]]/v.test('A')

'a\nb\nc'.match(/^\w$/gm).length + 'aaa'.replace(/a*?/g, '-')

(r => { r.lastIndex = 2; return r.exec('abab').index + '' + r.lastIndex })(/a/g)

(r => [r.test('ab'), r.lastIndex, r.test('ab'), r.lastIndex].join())(/a/y)

'a.b*c'.replace(/[.*]/g, '\\$&') + '$$'.replace('$', '$$') + 'abc'.replace('b', "$`|$'")

new RegExp('[').source

new RegExp('a/b', 'gi').toString() + /a/dgimsuy.flags + RegExp('').source

/a(?<x>b)?c/d.exec('ac').indices.length

/(?:(a)|(b)|(c))+/.exec('abc').join('|')

/((a){2,3}){2}/.exec('aaaaa').join('|') + /a{0}b{2,}/.exec('abbb')

/[^]/.exec('\n')[0].length + /[\b]/.test('\b') + /\cA/.test('\x01') + /\0/.test('\0')

'x'.repeat(500).replace(/x/g, (m, i) => i % 10).length

'The quick brown fox'.split(/\s+/).map(w => w.replace(/^(.)(.*)$/, (m, a, b) => b + a)).join(' ')

/^(\d{1,3}\.){3}\d{1,3}$/.test('192.168.1.254') + '' + /^([a-f\d]{2}:){5}[a-f\d]{2}$/i.test('00:1A:2b:3c:4D:5e')

('ab'.repeat(200) + 'c').match(/(?:ab)*c/)[0].length

'"a","b""c",d'.match(/("([^"]|"")*"|[^,]*)(,|$)/g).length

'<p class="x">t</p>'.replace(/<\/?(\w+)[^>]*>/g, '[$1]')

/(?i:a)b/.test('Ab') + '' + /(?i:a)b/.test('AB')

Object.keys(/(?<a>.)(?<b>.)/.exec('xy').groups).join()

RegExp.prototype[Symbol.replace].call(/x/g, 'axbx', 'y') + RegExp.prototype[Symbol.split].call(/,/, 'a,b').length

/(?:x+x+)+y/.test('xxxxxxxxxxxxxx')

/[а-яё]+/i.exec('Привет мир')[0] + /^\S+$/.test('日本語')
