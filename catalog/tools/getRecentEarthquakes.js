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

const magnitude = minMagnitude === undefined ? 4.5 : minMagnitude;
if (!(magnitude >= 0 && magnitude <= 10)) throw new Error('minMagnitude must be 0..10');
const hours = lookbackHours === undefined ? 24 : lookbackHours;
if (!Number.isInteger(hours) || hours < 1 || hours > 720) throw new Error('lookbackHours must be 1..720');
const wanted = limit === undefined ? 20 : limit;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 100) throw new Error('limit must be 1..100');
const params = new URLSearchParams({
  format: 'geojson', orderby: 'time', minmagnitude: String(magnitude), limit: String(wanted),
  starttime: new Date(Date.now() - hours * 3_600_000).toISOString(),
});
const answer = await ask(`https://earthquake.usgs.gov/fdsnws/event/1/query?${params}`);
return (answer.features ?? []).map(({ properties, geometry }) => ({
  time: new Date(properties.time).toISOString(), place: properties.place, magnitude: properties.mag, type: properties.magType ?? null,
  latitude: geometry?.coordinates?.[1] ?? null, longitude: geometry?.coordinates?.[0] ?? null, depthKm: geometry?.coordinates?.[2] ?? null,
  url: properties.url, tsunami: properties.tsunami === 1,
}));
