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

const place = (location ?? '').trim();
let report;
try {
  report = await ask(`https://wttr.in/${encodeURIComponent(place)}?format=j1`);
} catch (error) {
  if (error.status === 404) throw new Error(`no such place: ${place}`);
  throw error;
}
const now = report?.current_condition?.[0];
if (!now) throw new Error(`wttr.in knows no weather for ${place || 'this address'}`);
const area = report.nearest_area?.[0];
return {
  location: area ? [area.areaName?.[0]?.value, area.country?.[0]?.value].filter(Boolean).join(', ') : place,
  tempC: Number(now.temp_C), humidity: Number(now.humidity), windSpeed: `${now.windspeedKmph} km/h`, windDirection: now.winddir16Point ?? null,
  feelsLikeC: Number(now.FeelsLikeC), precipitationMm: Number(now.precipMM), description: now.weatherDesc?.[0]?.value?.trim() ?? null,
  observedAt: now.localObsDateTime ?? null,
  forecast: (report.weather ?? []).map((day) => ({ date: day.date, minC: Number(day.mintempC), maxC: Number(day.maxtempC) })),
};
