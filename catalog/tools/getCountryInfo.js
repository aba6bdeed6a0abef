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

const wanted = country.trim();
if (wanted === '') throw new Error('country is empty; give a name or a code such as KR');
const place = /^[A-Za-z]{2,3}$/.test(wanted) ? `alpha/${wanted}` : `name/${encodeURIComponent(wanted)}`;
const fields = 'name,cca2,cca3,capital,region,subregion,population,area,languages,currencies,timezones,flag,borders';
let answer;
try {
  answer = await ask(`https://restcountries.com/v3.1/${place}?fields=${fields}`);
} catch (error) {
  if (error.status === 404 || error.status === 400) throw new Error(`no such country: ${wanted}`);
  throw error;
}
return [answer].flat().map((found) => ({
  name: found.name?.common, officialName: found.name?.official, code: found.cca2, code3: found.cca3, capital: found.capital ?? [],
  region: found.region, subregion: found.subregion ?? null, population: found.population, areaKm2: found.area,
  languages: Object.values(found.languages ?? {}), currencies: Object.keys(found.currencies ?? {}), timezones: found.timezones ?? [],
  borders: found.borders ?? [], flag: found.flag ?? null,
}));
