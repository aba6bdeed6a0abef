// Cases for lists, relative times, names, order, segments and locale identifiers.
const locales = ['en', 'en-GB', 'ko', 'ja', 'zh', 'zh-TW', 'de', 'fr', 'es', 'pt', 'pt-PT', 'ar', 'it', 'nl', 'ru', 'pl', 'tr', 'sv', 'hi', 'he', 'cs', 'uk', 'id', 'vi', 'fi'];
const few = ['en', 'ko', 'ja', 'zh', 'de', 'fr', 'es', 'pt', 'ar'];
for (const l of locales) for (const type of ['conjunction', 'disjunction', 'unit']) for (const style of ['long', 'short', 'narrow']) for (const items of [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd'], ['x', 'iglesia'], ['x', 'hielo'], ['siete', 'ocho'], ['q', 'w', 'e', 'í', 'hijo']]) add('list', l, [type, style, items], () => new Intl.ListFormat(l, { type, style }).format(items));
for (const l of few) add('list parts', l, '', () => JSON.stringify(new Intl.ListFormat(l).formatToParts(['a', 'b', 'c'])) + JSON.stringify(new Intl.ListFormat(l).resolvedOptions()));
const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
for (const l of locales) for (const unit of units) for (const n of [-2, -1, 0, 1, 2, 5, -1.5, 1000]) {
  add('relative', l, [unit, n], () => new Intl.RelativeTimeFormat(l, { numeric: 'auto' }).format(n, unit));
  if (n === -2 || n === 1) for (const style of ['short', 'narrow']) add('relative', l, [unit, n, style], () => new Intl.RelativeTimeFormat(l, { style }).format(n, unit));
}
for (const l of few) add('relative parts', l, '', () => JSON.stringify(new Intl.RelativeTimeFormat(l).formatToParts(-1234.5, 'days')) + JSON.stringify(new Intl.RelativeTimeFormat(l, { numeric: 'auto' }).formatToParts(-1, 'day')) + JSON.stringify(new Intl.RelativeTimeFormat(l).resolvedOptions()));
const names = { language: ['en', 'ko', 'zh-Hant', 'en-GB', 'pt-BR', 'fr-CA', 'sr-Latn-RS', 'de-AT', 'xx', 'zh-Hans-HK', 'es-419', 'nl-BE', 'uz-Cyrl', 'en-US', 'es-419-fonipa'], region: ['US', 'KR', 'GB', '419', 'UN', 'ZZ', 'DE', 'XX', 'HK', '001'], script: ['Latn', 'Hang', 'Arab', 'Hans', 'Kore', 'Zzzz', 'Xxxx'], currency: ['USD', 'EUR', 'KRW', 'XXX', 'ZZZ', 'JPY'], calendar: ['gregory', 'japanese', 'islamic-civil', 'roc'], dateTimeField: ['era', 'year', 'quarter', 'month', 'weekOfYear', 'weekday', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'timeZoneName'] };
for (const l of [...few, 'ru', 'en-GB', 'zh-TW']) for (const type of Object.keys(names)) for (const code of names[type]) for (const style of ['long', 'short', 'narrow']) add('name', l, [type, code, style], () => new Intl.DisplayNames(l, { type, style }).of(code));
for (const code of names.language) add('name standard', 'en', code, () => new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' }).of(code));
for (const [type, code] of [['language', 'en_US'], ['language', ''], ['region', 'USA1'], ['script', 'x'], ['currency', 'US'], ['dateTimeField', 'eon'], ['region', 'us'], ['language', 'EN-us'], ['calendar', '!']]) add('name', 'bad', [type, code], () => new Intl.DisplayNames('en', { type }).of(code));
for (const fallback of ['code', 'none']) add('name', 'fallback', fallback, () => String(new Intl.DisplayNames('en', { type: 'region', fallback }).of('QQ')));

const words = ['apple', 'Apple', 'APPLE', 'äpfel', 'Äpfel', 'zebra', 'Zebra', 'éclair', 'eclair', 'École', 'cote', 'côte', 'coté', 'côté', 'Öl', 'Ol', 'ol', 'ñu', 'nu', 'nz', 'ch', 'cz', 'straße', 'strasse', '10', '2', '1', 'a-b', 'ab', 'a b', 'a', 'B', 'b', 'Z', '', ' ', '_x', '-x', '가', '나', '강', '각', 'あ', 'ア', 'い', '漢', '字', '中', '文', 'я', 'а', 'Ж', 'ё', 'е', 'ا', 'ب', 'ت', 'å', 'ø', 'æ', 'ı', 'i', 'I', 'İ', 'š', 's', 'ž', 'ł', 'l', 'ss', 'ß'];
for (const l of ['en', 'de', 'fr', 'es', 'pt', 'ko', 'ru', 'ar', 'sv', 'da', 'cs', 'pl', 'tr', 'hu', 'ja', 'zh']) {
  add('sort', l, '', () => [...words].sort(new Intl.Collator(l).compare).join(','));
  add('sort', l, 'base', () => [...words].sort(new Intl.Collator(l, { sensitivity: 'base' }).compare).join(','));
  add('sort', l, 'numeric', () => ['item 10', 'item 9', 'item 100', 'Item 1', 'item 010', 'a10b2', 'a10b10', 'a9'].sort(new Intl.Collator(l, { numeric: true }).compare).join(','));
  add('sort', l, 'upper', () => ['a', 'A', 'b', 'B', 'aa', 'Aa', 'AA', 'aA'].sort(new Intl.Collator(l, { caseFirst: 'upper' }).compare).join(','));
  add('collator', l, 'resolved', () => JSON.stringify(new Intl.Collator(l).resolvedOptions()));
}
// The same ASCII texts by the short way and, with a letter more, by the keys of the host.
const ascii = [...' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEzZ'].map((c) => 'x' + c + 'y');
for (const l of ['en', 'ko', 'de', 'ja']) {
  add('sort', l, 'ascii', () => [...ascii].reverse().sort(new Intl.Collator(l).compare).join(' '));
  add('sort', l, 'ascii by key', () => ascii.map((s) => s + 'é').reverse().sort(new Intl.Collator(l).compare).join(' '));
}
const mixed = ['ab', 'β', 'α', 'я', 'б', 'א', 'ב', 'ب', 'ا', 'न', 'क', 'ক', 'অ', 'த', 'அ', 'త', 'అ', 'ก', 'ข', '가', '中', 'あ', '1', '٣', '!'];
for (const l of ['el', 'he', 'hi', 'bn', 'ta', 'te', 'th', 'fa', 'ur', 'bg', 'uk', 'sr', 'ko', 'ja', 'zh', 'ru', 'en']) add('sort', l, 'scripts', () => [...mixed].sort(new Intl.Collator(l).compare).join(' '));
for (const l of ['en', 'tr', 'lt', 'el', 'de', 'az', ['xx', 'tr']]) for (const s of ['istanbul', 'ISTANBUL', 'İıI', 'Ì', 'i̇̀', 'Άέ', 'ß', 'ΣΑΣ']) add('case', String(l), s, () => s.toLocaleUpperCase(l) + ' ' + s.toLocaleLowerCase(l));
add('case', 'bad', '', () => 'a'.toLocaleUpperCase('bad_tag'));
for (const sensitivity of ['base', 'accent', 'case', 'variant']) for (const [a, b] of [['a', 'A'], ['a', 'á'], ['a', 'Á'], ['a', 'b'], ['résumé', 'resume'], ['', 'a'], ['a-b', 'ab'], ['co-op', 'coop']]) for (const ignorePunctuation of [false, true]) add('compare', sensitivity, [a, b, ignorePunctuation], () => new Intl.Collator('en', { sensitivity, ignorePunctuation }).compare(a, b));
for (let n = 0; n < 60; n++) add('localeCompare', words[n], words[(n * 7 + 3) % words.length], () => words[n].localeCompare(words[(n * 7 + 3) % words.length]));
add('localeCompare', 'de', 'ä z sv', () => 'ä'.localeCompare('z', 'de') + ' ' + 'ä'.localeCompare('z', 'sv') + ' ' + 'a'.localeCompare('A', undefined, { sensitivity: 'base' }) + ' ' + '2'.localeCompare('10', 'en', { numeric: true }));
for (const l of ['de-u-co-phonebk', 'en-u-kn-true', 'en-u-kf-upper', 'sv-u-co-trad', 'en-u-kn-false']) add('collator', l, '', () => JSON.stringify(new Intl.Collator(l).resolvedOptions()));

const texts = ['Hello, world! How are you?', 'naïve café', '👨‍👩‍👧‍👦 family 🇰🇷🇺🇸', 'ก็ดี', '한국어 문장입니다. 둘째 문장!', "It's 3.14, e.g. p.m. e-mail@x.com", 'a\r\nb\n\nc', 'e\u0301\u0302x', '', ' ', 'Mr. Smith went. He came back.', '1,234.5 km/h', 'Привет, мир!', 'مرحبا بالعالم', 'don’t stop—now', 'नमस्ते दुनिया'];
for (const granularity of ['grapheme', 'word', 'sentence']) for (const t of texts) add('segment', granularity, t, () => [...new Intl.Segmenter('en', { granularity }).segment(t)].map((s) => s.segment + (s.isWordLike ? '*' : '')).join('¦'));
add('segment', 'containing', '', () => JSON.stringify([0, 3, 5, 100, -1].map((n) => new Intl.Segmenter('en', { granularity: 'word' }).segment('one two').containing(n))));

for (const tag of ['en-us', 'EN-latn-US', 'zh-TW', 'iw', 'zh-hans-cn', 'de-DE-u-co-phonebk', 'en-u-ca-gregory-nu-latn', 'en-US-x-twain', 'sl-rozaj-biske-1994', 'en-a-bbb-x-a-ccc', 'ar-aao', 'zh-cmn', 'in', 'sr-YU', 'de-u-kn-true', 'i-klingon', 'x-foo', 'en_US', '', 'e', 'english', 'en-', 'en--us', 'a-b', 'und', 'en-u', 'en-US-u-va-posix', 'mo', 'cmn', 'hy-SU', 'fr-FX', 'art-lojban', 'toolonglang-XX']) add('canonical', tag, '', () => Intl.getCanonicalLocales(tag).join());
for (const list of [['en', 'xx', 'de-XX', 'ko-KR'], ['zh-TW', 'zh-Hant-HK', 'nb', 'no', 'fil'], 'pt-BR', []]) add('supported', list, '', () => Intl.NumberFormat.supportedLocalesOf(list).join());
for (const tag of ['en', 'de-AT', 'de-XX', 'xx', 'zh-TW', 'zh-Hant', 'zh-SG', 'zh-Hant-SG', 'no', 'nb-NO', 'en-KR', 'sr-Latn', 'es-419', 'pt-BR', 'fil-PH', 'de-1996', 'en-u-nu-latn']) add('resolved', tag, '', () => new Intl.NumberFormat(tag).resolvedOptions().locale);
for (const locales of [null, 1, [1], [null], {}, ['en', 'bad_tag'], 'en_US', Symbol('x')]) add('bad', 'locales', locales === null ? 'null' : String(locales), () => new Intl.NumberFormat(locales).format(1));
for (const tag of ['en', 'zh', 'zh-TW', 'sr', 'ko-KR', 'und-Arab', 'en-Latn-US', 'pt-BR', 'de-Latn-AT', 'xx']) add('locale', tag, '', () => new Intl.Locale(tag).maximize() + ' ' + new Intl.Locale(tag).minimize());
add('locale', 'parts', '', () => { const x = new Intl.Locale('ko-Kore-KR-u-ca-gregory-kn', { hourCycle: 'h12', region: 'KP' }); return [x, x.language, x.script, x.region, x.calendar, x.numeric, x.hourCycle, x.baseName, x.numberingSystem].join(); });
for (const service of ['ListFormat', 'RelativeTimeFormat', 'DisplayNames', 'Segmenter', 'PluralRules', 'Locale']) add('bad', service, 'without new', () => Intl[service]('en'));
add('bad', 'DisplayNames', 'no options', () => new Intl.DisplayNames('en'));
add('bad', 'DisplayNames', 'no type', () => new Intl.DisplayNames('en', {}));
add('bad', 'ListFormat', 'no texts', () => new Intl.ListFormat('en').format([1]));
add('bad', 'RelativeTimeFormat', 'unit', () => new Intl.RelativeTimeFormat('en').format(1, 'eon'));
add('bad', 'RelativeTimeFormat', 'infinite', () => new Intl.RelativeTimeFormat('en').format(Infinity, 'day'));
add('bad', 'supportedValuesOf', 'x', () => Intl.supportedValuesOf('x'));
add('bad', 'Segmenter', 'options', () => new Intl.Segmenter('en', null));
add('tag', 'Intl', '', () => String(Intl) + String(new Intl.NumberFormat('en')) + typeof Intl.NumberFormat('en') + (Intl.DateTimeFormat('en') instanceof Intl.DateTimeFormat) + Intl.NumberFormat.length + Intl.DateTimeFormat.name);
