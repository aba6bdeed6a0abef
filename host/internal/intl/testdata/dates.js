// Cases for dates: what is added here runs under Node and in the guest.
const locales = ['en', 'en-US', 'en-GB', 'en-CA', 'en-AU', 'ko', 'ja', 'zh', 'zh-TW', 'de', 'de-AT', 'fr', 'fr-CA', 'es', 'es-MX', 'pt', 'pt-PT', 'ar', 'ar-EG', 'it', 'nl', 'ru', 'pl', 'tr', 'sv', 'hi', 'he', 'cs', 'uk', 'id', 'vi', 'fi', 'da'];
const few = ['en', 'ko', 'ja', 'zh', 'de', 'fr', 'es', 'pt', 'ar'];
const time = Date.UTC(2026, 1, 3, 16, 5, 7, 89);
const times = [time, Date.UTC(2026, 6, 9, 0, 0, 0, 0), Date.UTC(1999, 11, 31, 23, 59, 59, 999), Date.UTC(2024, 1, 29, 12, 0, 0, 0), 0, -1, Date.UTC(-43, 2, 15)];
const utc = { timeZone: 'UTC' };
const styles = ['full', 'long', 'medium', 'short'];

// Components, each alone and together as people ask for them.
const components = [
  {}, { year: 'numeric' }, { year: '2-digit' }, { month: 'numeric' }, { month: '2-digit' }, { month: 'short' }, { month: 'long' }, { month: 'narrow' },
  { day: 'numeric' }, { day: '2-digit' }, { weekday: 'short' }, { weekday: 'long' }, { weekday: 'narrow' },
  { hour: 'numeric' }, { hour: '2-digit' }, { minute: 'numeric' }, { minute: '2-digit' }, { second: 'numeric' }, { second: '2-digit' }, { fractionalSecondDigits: 3 },
  { year: 'numeric', month: 'numeric' }, { year: 'numeric', month: '2-digit' }, { year: 'numeric', month: 'short' }, { year: 'numeric', month: 'long' }, { year: '2-digit', month: 'short' },
  { month: 'numeric', day: 'numeric' }, { month: '2-digit', day: '2-digit' }, { month: 'short', day: 'numeric' }, { month: 'long', day: 'numeric' }, { month: 'long', day: '2-digit' },
  { year: 'numeric', month: 'numeric', day: 'numeric' }, { year: 'numeric', month: '2-digit', day: '2-digit' }, { year: '2-digit', month: '2-digit', day: '2-digit' }, { year: 'numeric', month: 'short', day: 'numeric' }, { year: 'numeric', month: 'long', day: 'numeric' }, { year: 'numeric', month: 'long', day: '2-digit' },
  { weekday: 'short', month: 'short', day: 'numeric' }, { weekday: 'long', month: 'long', day: 'numeric' }, { weekday: 'long', day: 'numeric' }, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, { weekday: 'short', year: 'numeric', month: 'numeric', day: 'numeric' }, { weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
  { era: 'short' }, { era: 'long', year: 'numeric' }, { era: 'short', year: 'numeric', month: 'numeric', day: 'numeric' }, { era: 'narrow', year: 'numeric', month: 'long' },
  { hour: 'numeric', minute: '2-digit' }, { hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', minute: '2-digit', second: '2-digit' }, { hour: '2-digit', minute: '2-digit', second: '2-digit' }, { minute: '2-digit', second: '2-digit' }, { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }, { second: 'numeric', fractionalSecondDigits: 2 },
  { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hour12: false }, { hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1 },
  { hour: 'numeric', hour12: true }, { hour: 'numeric', hour12: false }, { hour: '2-digit', minute: '2-digit', hour12: true }, { hour: '2-digit', minute: '2-digit', hour12: false },
  { hour: '2-digit', hourCycle: 'h23' }, { hour: 'numeric', minute: '2-digit', hourCycle: 'h11' }, { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }, { hour: 'numeric', minute: '2-digit', hourCycle: 'h23' }, { hour: 'numeric', minute: '2-digit', hourCycle: 'h24' },
  { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }, { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }, { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hour12: false, timeZoneName: 'short' }, { weekday: 'short', hour: 'numeric' }, { weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false },
  { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }, { month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' }, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' }, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  { hour: 'numeric', dayPeriod: 'short' }, { hour: 'numeric', minute: '2-digit', dayPeriod: 'long', hour12: true }, { year: 'numeric', day: 'numeric' }, { year: 'numeric', hour: 'numeric' }, { day: 'numeric', hour: 'numeric' }, { timeZoneName: 'short' }, { timeZoneName: 'long' }, { hour: 'numeric', timeZoneName: 'short' }, { hour: 'numeric', minute: '2-digit', timeZoneName: 'shortOffset' }, { hour: 'numeric', minute: '2-digit', timeZoneName: 'longOffset' },
];
for (const l of locales) {
  for (const dateStyle of styles) add('style', l, { dateStyle }, () => new Intl.DateTimeFormat(l, { ...utc, dateStyle }).format(time));
  for (const timeStyle of styles) add('style', l, { timeStyle }, () => new Intl.DateTimeFormat(l, { ...utc, timeStyle }).format(time));
  for (const dateStyle of styles) for (const timeStyle of styles) add('style', l, { dateStyle, timeStyle }, () => new Intl.DateTimeFormat(l, { ...utc, dateStyle, timeStyle }).format(time));
  add('style', l, 'h23', () => new Intl.DateTimeFormat(l, { ...utc, timeStyle: 'medium', hourCycle: 'h23' }).format(time));
  add('style', l, 'h12', () => new Intl.DateTimeFormat(l, { ...utc, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h12' }).format(time));
  for (const c of components) add('components', l, c, () => new Intl.DateTimeFormat(l, { ...utc, ...c }).format(time));
}
for (const l of few) {
  for (const c of components) add('parts', l, c, () => new Intl.DateTimeFormat(l, { ...utc, ...c }).formatToParts(times[1]).map((p) => p.type + '=' + p.value).join('|'));
  for (const c of components) add('resolved', l, c, () => JSON.stringify(new Intl.DateTimeFormat(l, { ...utc, ...c }).resolvedOptions()));
  for (const t of times) {
    add('date', l, t, () => new Date(t).toLocaleDateString(l, utc));
    add('time', l, t, () => new Date(t).toLocaleTimeString(l, utc));
    add('both', l, t, () => new Date(t).toLocaleString(l, utc));
    add('era', l, t, () => new Date(t).toLocaleDateString(l, { ...utc, era: 'long', year: 'numeric', month: 'long', day: 'numeric' }));
  }
  for (let h = 0; h < 24; h++) add('dayPeriod', l, h, () => new Intl.DateTimeFormat(l, { ...utc, hour: 'numeric', minute: 'numeric', dayPeriod: 'long', hour12: true }).format(Date.UTC(2026, 0, 1, h, h === 12 ? 0 : 30)));
}

const zones = ['America/New_York', 'America/Los_Angeles', 'Europe/London', 'Europe/Berlin', 'Europe/Dublin', 'Asia/Seoul', 'Asia/Tokyo', 'Asia/Shanghai', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Sydney', 'Australia/Lord_Howe', 'Pacific/Auckland', 'America/Sao_Paulo', 'America/St_Johns', 'Africa/Cairo', 'America/Phoenix', 'Pacific/Apia', 'Asia/Tehran', 'Europe/Moscow', 'UTC', 'Etc/GMT+5', 'US/Pacific', 'america/chicago', 'GMT', 'Antarctica/Troll'];
for (const timeZone of zones) {
  for (const l of ['en', 'en-GB', 'ko', 'de', 'ja']) {
    for (const timeZoneName of ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric']) {
      for (const t of times.slice(0, 2)) add('zone', l, [timeZone, timeZoneName, t], () => new Intl.DateTimeFormat(l, { timeZone, timeZoneName, hour: 'numeric', day: 'numeric' }).format(t));
    }
  }
  add('zone', 'en-CA', timeZone, () => new Intl.DateTimeFormat('en-CA', { timeZone, hour12: false, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, weekday: 'short' }).formatToParts(time).map((p) => p.type + '=' + p.value).join('|'));
  add('zone', 'resolved', timeZone, () => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone);
  for (let year = 1900; year < 2040; year += 20) for (const month of [0, 6]) add('offset', timeZone, [year, month], () => new Date(Date.UTC(year, month, 15, 12)).toLocaleString('en-GB', { timeZone }));
}

const hour = 3600e3, day = 24 * hour;
const ends = [0, 500, 20e3, 30 * 60e3, 2 * hour, 10 * hour, day, 10 * day, 40 * day, 400 * day];
const ranges = [
  {}, { dateStyle: 'medium' }, { dateStyle: 'full' }, { dateStyle: 'long', timeStyle: 'short' }, { timeStyle: 'short' }, { hour: 'numeric' }, { hour: 'numeric', minute: '2-digit' }, { hour: '2-digit', minute: '2-digit', hour12: false }, { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  { year: 'numeric', month: 'long' }, { year: 'numeric', month: 'short', day: 'numeric' }, { month: 'short', day: 'numeric' }, { month: 'long', day: 'numeric' }, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }, { year: 'numeric' }, { month: 'long' }, { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
];
for (const l of few) for (const o of ranges) for (const e of ends) {
  const label = [o, e];
  add('range', l, label, () => new Intl.DateTimeFormat(l, { ...utc, ...o }).formatRange(time, time + e));
}
for (const l of ['en', 'de', 'ja']) for (const o of ranges) for (const e of [2 * hour, 10 * day]) {
  add('rangeParts', l, [o, e], () => new Intl.DateTimeFormat(l, { ...utc, ...o }).formatRangeToParts(time, time + e).map((p) => p.source[0] + p.type + '=' + p.value).join('|'));
}
for (const o of [{ timeZone: 'No/Where' }, { timeZone: '' }, { weekday: 'big' }, { hourCycle: 'h10' }, { fractionalSecondDigits: 4 }, { dateStyle: 'full', day: 'numeric' }, { calendar: 'x' }, { numberingSystem: '!!!' }, { localeMatcher: 'none' }, { timeStyle: 'huge' }, { hour12: null, hour: 'numeric' }, { year: null }]) add('bad', 'en', o, () => new Intl.DateTimeFormat('en', { ...utc, ...o }).format(time));
add('bad', 'en', 'time', () => new Intl.DateTimeFormat('en').format(NaN));
add('bad', 'en', 'far', () => new Intl.DateTimeFormat('en').format(8.64e15 + 1));
add('bad', 'en', 'far', () => new Intl.DateTimeFormat('en', utc).format(8.64e15));
add('bad', 'en', 'far', () => new Intl.DateTimeFormat('en', utc).format(-8.64e15));
add('bad', 'en', 'range', () => new Intl.DateTimeFormat('en').formatRange(0));
add('bad', 'en', 'receiver', () => Intl.DateTimeFormat.prototype.formatToParts.call({}, 0));
add('bad', 'en', 'invalid', () => new Date(NaN).toLocaleString());
add('bad', 'en', 'date and timeStyle', () => new Date(0).toLocaleDateString('en', { timeStyle: 'short' }));
for (const l of ['en-u-hc-h23', 'en-u-hc-h11', 'de-u-nu-arab', 'ar-u-nu-latn', 'en-u-ca-gregory', 'zh-u-nu-hanidec', 'hi-u-nu-deva', 'en-u-hc-h23-nu-thai']) {
  add('extension', l, '', () => new Date(time).toLocaleString(l, utc));
  add('extension', l, 'resolved', () => JSON.stringify(new Intl.DateTimeFormat(l, { ...utc, hour: 'numeric' }).resolvedOptions()));
}
