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
const wanted = days === undefined ? 3 : days;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 16) throw new Error('days must be 1..16');
const params = new URLSearchParams({
  latitude: String(latitude), longitude: String(longitude), forecast_days: String(wanted), timezone: timezone ?? 'auto',
  current: 'temperature_2m,relative_humidity_2m,wind_speed_10m,weather_code',
  daily: 'temperature_2m_max,temperature_2m_min,precipitation_sum,wind_speed_10m_max',
  hourly: 'temperature_2m,precipitation_probability',
});
const { current, daily, hourly, ...place } = await ask(`https://api.open-meteo.com/v1/forecast?${params}`);
const firstDay = (values) => (values ?? []).slice(0, 24);
return {
  latitude: place.latitude ?? latitude, longitude: place.longitude ?? longitude, timezone: place.timezone ?? null,
  current: {
    temperature: current?.temperature_2m ?? null, humidity: current?.relative_humidity_2m ?? null,
    windSpeed: current?.wind_speed_10m ?? null, weatherCode: current?.weather_code ?? null,
  },
  daily: {
    time: daily?.time ?? [], temperatureMax: daily?.temperature_2m_max ?? [], temperatureMin: daily?.temperature_2m_min ?? [],
    precipitationSum: daily?.precipitation_sum ?? [], windSpeedMax: daily?.wind_speed_10m_max ?? [],
  },
  hourly: {
    time: firstDay(hourly?.time), temperature: firstDay(hourly?.temperature_2m),
    precipitationProbability: firstDay(hourly?.precipitation_probability),
  },
};
