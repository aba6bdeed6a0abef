// Asks an API for JSON. Every failure says what the caller can do about it.
async function ask(url, headers = {}) {
  const host = new URL(url).host;
  let response;
  try {
    response = await fetch(url, { headers: { accept: 'application/json', 'user-agent': 'glovebox-tools', ...headers }, timeout: 15_000 });
  } catch (error) {
    throw new Error(`${host} could not be reached (${error.reason ?? error.message}); try again later`);
  }
  const { status } = response;
  const body = await response.text();
  if (status === 429 || (status === 403 && response.headers.get('x-ratelimit-remaining') === '0')) {
    const wait = Number(response.headers.get('retry-after'));
    throw new Error(`${host} allows no more requests now; try again ${wait > 0 ? `in ${wait} seconds` : 'later'}`);
  }
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    if (response.ok) throw new Error(`${host} did not answer with JSON; try again later`);
  }
  if (!response.ok) {
    const said = value?.message ?? value?.error_message ?? value?.error?.message ?? value?.reason ?? value?.error ?? body;
    const error = new Error(`${host} answered ${status}: ${String(typeof said === 'object' ? JSON.stringify(said) : said).slice(0, 200)}`);
    error.status = status;
    throw error;
  }
  return value;
}

// The open data set mledoze/countries as a CDN serves it; it needs no key.
const wanted = name.trim().toLowerCase();
if (wanted === '') throw new Error('name is empty; give part of a name, or a code such as KR');
const all = await ask('https://cdn.jsdelivr.net/gh/mledoze/countries@master/countries.json');
if (!Array.isArray(all)) throw new Error('the data set is not a list; try again later');
const words = ({ name: n, cca2, cca3 }) => [n?.common, n?.official, cca2, cca3].map((word) => (word ?? '').toLowerCase());
const exact = all.filter((country) => words(country).includes(wanted));
const partly = all.filter((country) => !exact.includes(country) && words(country).slice(0, 2).some((word) => word.includes(wanted)));
if (exact.length + partly.length === 0) throw new Error(`no such country: ${name.trim()}`);
return [...exact, ...partly].slice(0, 10).map((found) => ({
  name: found.name?.common, officialName: found.name?.official, code: found.cca2, code3: found.cca3, capital: found.capital ?? [],
  region: found.region, subregion: found.subregion || null, area: found.area, languages: Object.values(found.languages ?? {}),
  currencies: Object.keys(found.currencies ?? {}), callingCode: found.idd?.root ? found.idd.root + (found.idd.suffixes?.[0] ?? '') : null,
  borders: found.borders ?? [], flagEmoji: found.flag ?? null, latlng: found.latlng ?? null,
}));
