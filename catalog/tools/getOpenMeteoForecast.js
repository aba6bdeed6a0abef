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
const daily = ['temperature_2m_min', 'temperature_2m_max', 'precipitation_sum', 'wind_speed_10m_max', 'weather_code'];
const params = new URLSearchParams({
  latitude: String(latitude), longitude: String(longitude), forecast_days: String(wanted), timezone: 'auto',
  current: 'temperature_2m,relative_humidity_2m,wind_speed_10m,weather_code', daily: daily.join(','),
});
const answer = await ask(`https://api.open-meteo.com/v1/forecast?${params}`);
const day = answer.daily ?? { time: [] };
return {
  timeZone: answer.timezone ?? null,
  current: {
    temperatureC: answer.current?.temperature_2m ?? null, humidityPercent: answer.current?.relative_humidity_2m ?? null,
    windKmh: answer.current?.wind_speed_10m ?? null, weatherCode: answer.current?.weather_code ?? null,
  },
  days: day.time.map((date, i) => ({
    date, minC: day.temperature_2m_min?.[i] ?? null, maxC: day.temperature_2m_max?.[i] ?? null, precipitationMm: day.precipitation_sum?.[i] ?? null,
    windKmh: day.wind_speed_10m_max?.[i] ?? null, weatherCode: day.weather_code?.[i] ?? null,
  })),
};
