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

if (!(latitude >= -90 && latitude <= 90)) throw new Error('latitude must be -90..90');
if (!(longitude >= -180 && longitude <= 180)) throw new Error('longitude must be -180..180');
const day = date ?? 'today';
if (day !== 'today' && !/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error(`not a date: ${day}; use YYYY-MM-DD`);
const zone = timezone ?? 'UTC';
let clock;
try {
  clock = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  });
} catch {
  throw new Error(`unknown time zone: ${zone}; use an IANA name such as Asia/Seoul`);
}
const params = new URLSearchParams({ lat: String(latitude), lng: String(longitude), date: day, formatted: '0' });
const answer = await ask(`https://api.sunrise-sunset.org/json?${params}`);
if (answer.status !== 'OK') throw new Error(`the service answered ${answer.status}`);
function time(text) {
  if (!text || text.startsWith('1970-01-01')) return null; // how the service says that there is none
  const part = {};
  for (const { type, value } of clock.formatToParts(new Date(text))) part[type] = value;
  return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`;
}
const { sunrise, sunset, solar_noon, day_length, civil_twilight_begin, civil_twilight_end } = answer.results ?? {};
return {
  sunrise: time(sunrise), sunset: time(sunset), solarNoon: time(solar_noon), dayLength: day_length ?? null,
  civilTwilightBegin: time(civil_twilight_begin), civilTwilightEnd: time(civil_twilight_end), timezone: zone,
};
