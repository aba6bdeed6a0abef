// One row a library: what is bundled as lib, and the code that uses it. The code has to give JSON that does not depend
// on the clock, the locale of the machine or chance.
export const cases = [
  ['lodash', `export { default as _ } from 'lodash'`, `
    const { _ } = lib;
    const people = [{ n: 'b', age: 2, tags: ['x', 'y'] }, { n: 'a', age: 2, tags: [] }, { n: 'c', age: 1, tags: ['y'] }];
    return [_.chunk([1, 2, 3, 4, 5], 2), _.groupBy(people, 'age'), _.sortBy(people, ['age', 'n']).map((p) => p.n), _.merge({ a: { b: 1 } }, { a: { c: [2] } }),
      _.camelCase('Foo Bar-baz'), _.template('hi <%= name %>')({ name: 'x' }), _.isEqual(new Map([[1, { a: 2 }]]), new Map([[1, { a: 2 }]])), _.cloneDeep({ d: new Date(0), r: /x/g }), _.deburr('déjà vu'), _.get(people, '[0].tags[1]'), _.range(0, 20, 5), _.flatMapDeep(people, 'tags')];`],
  ['ajv', `export { default as Ajv } from 'ajv'`, `
    const ajv = new lib.Ajv({ allErrors: true });
    const validate = ajv.compile({ type: 'object', properties: { id: { type: 'integer', minimum: 1 }, tags: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' }, uniqueItems: true } }, required: ['id'], additionalProperties: false });
    return [{ id: 1, tags: ['a'] }, { id: 0, tags: ['A', 'A'], x: 1 }, {}].map((v) => [validate(v), (validate.errors ?? []).map((e) => [e.instancePath, e.keyword, e.message])]);`],
  ['zod', `export { z } from 'zod'`, `
    const { z } = lib;
    const schema = z.object({ name: z.string().min(2), age: z.coerce.number().int().positive(), mail: z.string().email().optional(), kind: z.enum(['a', 'b']).default('a'), at: z.union([z.string(), z.number()]) }).strict();
    const bad = schema.safeParse({ name: 'x', age: '-1', mail: 'no', extra: 1 });
    return [schema.parse({ name: 'Ada', age: '36', at: 5 }), bad.success, bad.error.issues.map((i) => [i.code, i.path]), await z.string().transform(async (s) => s.length).parseAsync('four'), z.array(z.tuple([z.string(), z.number()])).parse([['a', 1]])];`],
  ['luxon', `export * from 'luxon'`, `
    const { DateTime, Duration, Interval } = lib;
    const t = DateTime.fromISO('2024-02-29T12:30:00', { zone: 'America/New_York' });
    return [t.toISO(), t.plus({ years: 1 }).toISO(), t.setZone('Asia/Seoul').toFormat('yyyy-MM-dd HH:mm ZZZZ'), t.toUTC().toISO(), t.weekNumber, t.ordinal, Duration.fromISO('P1DT2H').shiftTo('hours').toObject(),
      Interval.fromDateTimes(t, t.plus({ days: 3 })).splitBy({ days: 1 }).length, DateTime.fromFormat('05/03/2024', 'dd/MM/yyyy', { zone: 'utc' }).toISODate(), t.setLocale('de').toLocaleString({ month: 'long', day: 'numeric' }), t.endOf('month').toISODate(), DateTime.fromISO('2024-03-10T02:30', { zone: 'America/New_York' }).toISO()];`],
  ['date-fns', `export * from 'date-fns'`, `
    const { format, addMonths, differenceInDays, parseISO, formatDistance, eachDayOfInterval, getISOWeek, isLeapYear, parse, intervalToDuration } = lib;
    const d = new Date(Date.UTC(2024, 0, 31, 12));
    return [format(d, "yyyy-MM-dd 'at' EEEE do MMM"), addMonths(d, 1).toISOString(), differenceInDays(parseISO('2024-03-01'), parseISO('2024-02-01')), formatDistance(0, 3 * 3600e3), eachDayOfInterval({ start: d, end: addMonths(d, 1) }).length, getISOWeek(d), isLeapYear(d), parse('2024-05', 'yyyy-MM', d).getMonth(), intervalToDuration({ start: 0, end: 98765432100 })];`],
  ['dayjs', `import dayjs from 'dayjs'; import utc from 'dayjs/plugin/utc.js'; import rel from 'dayjs/plugin/relativeTime.js'; dayjs.extend(utc); dayjs.extend(rel); export { dayjs }`, `
    const d = lib.dayjs.utc('2024-02-29T23:59:59Z');
    return [d.add(1, 'year').format(), d.startOf('week').format('YYYY-MM-DD'), d.diff('2024-01-01', 'day'), d.from(lib.dayjs.utc('2024-03-05')), d.isBefore('2025-01-01'), d.daysInMonth()];`],
  ['handlebars', `export { default as Handlebars } from 'handlebars/dist/cjs/handlebars.js'`, `
    const H = lib.Handlebars.default ?? lib.Handlebars;
    H.registerHelper('up', (s) => s.toUpperCase());
    const t = H.compile('{{#each items}}{{@index}}:{{up name}}{{#if price}} {{price}}{{else}} free{{/if}};{{/each}}{{{raw}}}{{raw}}');
    return t({ items: [{ name: 'a', price: 3 }, { name: 'b' }], raw: '<b>&' });`],
  ['mustache', `export { default as M } from 'mustache'`, `return lib.M.render('{{#list}}<{{name}}>{{^last}},{{/last}}{{/list}} {{&h}} {{h}}', { list: [{ name: 'x' }, { name: 'y', last: true }], h: '<&>' });`],
  ['rxjs', `export * from 'rxjs'`, `
    const { of, from, map, filter, reduce, mergeMap, toArray, lastValueFrom, interval, take, scan, zip, delay, catchError, throwError } = lib;
    return [await lastValueFrom(from([1, 2, 3, 4]).pipe(filter((n) => n % 2 === 0), map((n) => n * n), reduce((a, b) => a + b))),
      await lastValueFrom(of('a', 'b').pipe(mergeMap((x) => of(x + 1, x + 2)), toArray())), await lastValueFrom(interval(1).pipe(take(4), scan((a, b) => a + b, 0), toArray())),
      await lastValueFrom(zip(of(1, 2), of('x', 'y').pipe(delay(2))).pipe(toArray())), await lastValueFrom(throwError(() => new Error('e')).pipe(catchError((e) => of(e.message)))), await lastValueFrom(from(Promise.resolve(7)))];`],
  ['cheerio', `export { load } from 'cheerio/slim'`, `
    const $ = lib.load('<ul><li class="a">One</li><li>Two <b>bold</b></li></ul><p id=x data-n="1">t</p>');
    $('li').addClass('z'); $('b').replaceWith('<i>it</i>');
    return [$('li').map((i, e) => $(e).text()).get(), $('.a').attr('class'), $('#x').data('n'), $.html('ul'), $('li:nth-child(2) > i').length, $('p').prev().is('ul')];`],
  ['mathjs', `export * from 'mathjs'`, `
    const { evaluate, derivative, simplify, fraction, bignumber, matrix, det, inv, unit, format, create, all } = lib;
    return [evaluate('sqrt(3^2 + 4^2) + sin(pi/2)'), derivative('x^3 + 2x', 'x').toString(), simplify('2x + 3x').toString(), format(fraction('1/3').add(fraction('1/6'))), det([[1, 2], [3, 4]]), inv([[1, 2], [3, 4]]), evaluate('5 cm + 2 inch').toString(), evaluate('[1,2;3,4] * [1;1]').toString(), evaluate('f(x) = x^2; f(7)').toString(), bignumber('0.1').plus('0.2').toString(), evaluate('(2 + 3i) * i').toString()];`],
  ['ramda', `export * from 'ramda'`, `
    const R = lib;
    return [R.pipe(R.filter((n) => n > 1), R.map(R.multiply(2)), R.sum)([1, 2, 3]), R.assocPath(['a', 'b'], 1, {}), R.groupWith(R.equals, [1, 1, 2]), R.converge(R.divide, [R.sum, R.length])([1, 2, 3]), R.zipObj(['a', 'b'], [1, 2]), R.evolve({ a: R.inc }, { a: 1, b: 2 })];`],
  ['immer', `export * from 'immer'`, `
    const { produce, produceWithPatches, enablePatches, enableMapSet, applyPatches } = lib; enablePatches(); enableMapSet();
    const base = { a: [1, 2], b: { c: 1 } };
    const [next, patches] = produceWithPatches(base, (d) => { d.a.push(3); delete d.b.c; d.b.d = { e: 1 }; });
    return [next, base, patches, next.a === base.a, applyPatches(base, patches), Object.isFrozen(next), produce(new Map([['k', 1]]), (d) => d) instanceof Map];`],
  ['yaml', `export * from 'yaml'`, `
    const { parse, stringify, parseDocument } = lib;
    return [parse('a: &x [1, 2]\\nb: *x\\nc: |\\n  two\\n  lines\\nd: 2024-01-01\\ne: 0x1F\\nf: ~\\n'), stringify({ a: [1, { b: 'x: y' }], c: 'multi\\nline' }), parseDocument('a: 1\\na: 2').errors.map((e) => e.code)];`],
  ['js-yaml', `import * as y from 'js-yaml'; export { y }`, `return [lib.y.load('a: 1\\nb: [x, "y"]\\nc: {d: !!str 5}\\n'), lib.y.dump({ a: [1, 2], b: { c: 'true' } })];`],
  ['marked', `export { marked } from 'marked'`, `return lib.marked.parse('# Title\\n\\n* a **b** \`c\`\\n* [l](http://x)\\n\\n| a | b |\\n|--|:-:|\\n| 1 | 2 |\\n\\n\`\`\`js\\n1 < 2\\n\`\`\`\\n');`],
  ['markdown-it', `export { default as MarkdownIt } from 'markdown-it'`, `return new lib.MarkdownIt({ linkify: true, typographer: true, html: false }).render('Hello "world" -- http://example.com <b>x</b>\\n\\n1. one\\n   - two\\n\\n> quote');`],
  ['papaparse', `export { default as P } from 'papaparse'`, `return [lib.P.parse('a,b\\n1,"x, ""y"""\\n2,z', { header: true, dynamicTyping: true }).data, lib.P.unparse([{ a: 1, b: 'x,y' }, { a: 2, b: 'q"r' }])];`],
  ['fast-xml-parser', `export * from 'fast-xml-parser'`, `
    const { XMLParser, XMLBuilder, XMLValidator } = lib;
    const o = new XMLParser({ ignoreAttributes: false }).parse('<r v="1"><i>a</i><i>b</i><n>5</n><!-- c --><d><![CDATA[<x>]]></d></r>');
    return [o, new XMLBuilder({ ignoreAttributes: false }).build(o), XMLValidator.validate('<a><b></a>').err?.code];`],
  ['qs', `export { default as qs } from 'qs'`, `return [lib.qs.parse('a[b][c]=1&a[d][]=2&a[d][]=3&e=%20f'), lib.qs.stringify({ a: [1, 2], b: { c: 'x y' } }), lib.qs.stringify({ a: [1, 2] }, { arrayFormat: 'comma' })];`],
  ['validator', `export { default as v } from 'validator'`, `const { v } = lib; return [v.isEmail('a@b.co'), v.isEmail('a@b'), v.isIBAN('DE89370400440532013000'), v.isUUID('a3bb189e-8bf9-3888-9912-ace4e6543002'), v.isURL('http://x.y/z'), v.isCreditCard('4111111111111111'), v.escape('<a>'), v.normalizeEmail('A.b+c@gmail.com'), v.isIP('::1'), v.isISO8601('2024-02-30', { strict: true })];`],
  ['semver', `export { default as s } from 'semver'`, `const { s } = lib; return [s.satisfies('1.2.3', '^1.2.0'), s.inc('1.2.3-beta.1', 'prerelease'), s.sort(['1.10.0', '1.2.0', '1.2.0-a']), s.maxSatisfying(['1.0.0', '1.5.0', '2.0.0'], '1.x'), s.coerce('v2').version, s.diff('1.0.0', '1.1.0')];`],
  ['decimal.js', `export { default as D } from 'decimal.js'`, `const { D } = lib; return [new D('0.1').plus('0.2').toString(), D.sqrt(2).toFixed(30), new D(2).pow(0.5).toSignificantDigits(25).toString(), D.sin(1).toString(), new D('1e500').times(3).toString(), new D(255).toHex()];`],
  ['bignumber.js', `export { default as B } from 'bignumber.js'`, `const { B } = lib; return [new B('123456789.987654321').div('3.3').toFixed(20), new B(2).pow(200).toFormat(), new B('ff', 16).toString(), new B(1).div(3).dp(5).toString()];`],
  ['underscore', `export { default as _ } from 'underscore'`, `const { _ } = lib; return [_.countBy(['a', 'bb', 'c'], 'length'), _.memoize((n) => n * 2)(4), _.pairs({ a: 1 }), _.template('<% _.each(l, function (x) { %><%- x %>;<% }) %>')({ l: ['<', 1], _ })];`],
  ['superstruct', `export * from 'superstruct'`, `const { object, string, number, array, is, validate, coerce, create, defaulted } = lib; const S = object({ a: string(), b: array(number()), c: defaulted(number(), 7) }); const [e] = validate({ a: 1, b: ['x'] }, S); return [is({ a: 'x', b: [1], c: 1 }, S), create({ a: 'x', b: [] }, S), e.failures().map((f) => [f.path, f.type])];`],
  ['yup', `export * from 'yup'`, `const { object, string, number } = lib; const s = object({ n: string().required().trim(), a: number().min(18) }); return [await s.validate({ n: ' x ', a: '20' }), await s.validate({ a: 3 }, { abortEarly: false }).catch((e) => e.errors), s.isValidSync({ n: 'x' })];`],
  ['jsonata', `export { default as jsonata } from 'jsonata'`, `return [await lib.jsonata('$sum(items.(price * qty))').evaluate({ items: [{ price: 2, qty: 3 }, { price: 1, qty: 4 }] }), await lib.jsonata('items[price > 1].name').evaluate({ items: [{ name: 'a', price: 1 }, { name: 'b', price: 2 }] }), await lib.jsonata('$map([1..3], function($v) { $v * $v })').evaluate({})];`],
  ['jmespath', `export { default as j } from 'jmespath'`, `return [lib.j.search({ a: [{ n: 'x', v: 2 }, { n: 'y', v: 5 }] }, 'a[?v > \`3\`].n | [0]'), lib.j.search({ m: [3, 1, 2] }, 'sort(m)'), lib.j.search({ a: { b: [1, 2] } }, 'a.b[-1]')];`],
  ['fuse.js', `export { default as Fuse } from 'fuse.js'`, `return new lib.Fuse([{ t: 'Old Man\\'s War' }, { t: 'The Lock Artist' }, { t: 'HTML5' }], { keys: ['t'], includeScore: true }).search('lok art').map((r) => [r.item.t, r.score.toFixed(6)]);`],
  ['diff', `export * from 'diff'`, `const { diffWords, createPatch, applyPatch, diffLines } = lib; return [diffWords('a b c', 'a x c'), createPatch('f', 'one\\ntwo\\n', 'one\\n2\\n'), applyPatch('one\\ntwo\\n', createPatch('f', 'one\\ntwo\\n', 'one\\n2\\n')), diffLines('a\\nb\\n', 'a\\nc\\n').length];`],
  ['lz-string', `export { default as lz } from 'lz-string'`, `const t = 'hello hello hello 世界 😀'; const c = lib.lz.compressToBase64(t); return [c, lib.lz.decompressFromBase64(c), lib.lz.compressToEncodedURIComponent(t)];`],
  ['pako', `export * from 'pako'`, `const b = lib.deflate(new TextEncoder().encode('a'.repeat(1000) + 'the end')); return [b.length, new TextDecoder().decode(lib.inflate(b)).length, [...lib.gzip('abc')].length, lib.inflate(lib.deflate('häß'), { to: 'string' })];`],
  ['crypto-js', `export { default as C } from 'crypto-js'`, `const { C } = lib; return [C.MD5('x').toString(), C.SHA256('x').toString(), C.HmacSHA1('m', 'k').toString(), C.enc.Base64.stringify(C.enc.Utf8.parse('ü')), C.AES.decrypt(C.AES.encrypt('text', 'key').toString(), 'key').toString(C.enc.Utf8), C.PBKDF2('p', 's', { keySize: 4, iterations: 10 }).toString()];`],
  ['he', `export { default as he } from 'he'`, `return [lib.he.encode('foo © bar ≠ <b>', { useNamedReferences: true }), lib.he.decode('&lt;&copy;&#x1F600;&notit;'), lib.he.escape('"&\\'')];`],
  ['chroma-js', `export { default as chroma } from 'chroma-js'`, `const { chroma } = lib; return [chroma('hotpink').hex(), chroma.mix('red', 'blue', 0.5, 'lab').hex(), chroma.scale(['#fafa6e', '#2A4858']).mode('lch').colors(4), chroma.contrast('white', '#777').toFixed(4), chroma('#ff0000').hsl()];`],
  ['d3-array', `export * from 'd3-array'`, `const { mean, median, quantile, bin, rollup, ticks, extent, ascending, bisectLeft, cross } = lib; return [mean([1, 2, 3.5]), median([3, 1, 2]), quantile([1, 2, 3, 4], 0.25), bin()([1, 2, 3, 4, 5, 9]).map((b) => b.length), [...rollup(['a', 'b', 'a'], (v) => v.length, (d) => d)], ticks(0, 1, 5), extent([5, 1, 9]), bisectLeft([1, 2, 4], 3), cross([1, 2], ['x'])];`],
  ['acorn', `export * from 'acorn'`, `const tree = lib.parse('async function f({ a = 1, ...b }) { for await (const x of y) z[x?.w] ??= \`t\${x}\`; }', { ecmaVersion: 2023 }); let e; try { lib.parse('let x = ;', { ecmaVersion: 2023 }); } catch (x) { e = [x.name, x.message, x.pos]; } return [tree.body[0].params[0].properties.length, JSON.stringify(tree).length, e, [...lib.tokenizer('a+1', { ecmaVersion: 2023 })].map((t) => t.type.label)];`],
  ['lru-cache', `export { LRUCache } from 'lru-cache'`, `const c = new lib.LRUCache({ max: 2 }); c.set('a', 1); c.set('b', 2); c.get('a'); c.set('c', 3); return [[...c.keys()], c.has('b'), c.size, c.peek('a'), [...c.dump()].map(([k, v]) => [k, v.value])];`],
];
