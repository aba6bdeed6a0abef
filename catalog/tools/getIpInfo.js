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

const address = (ip ?? '').trim();
if (address !== '' && !/^[0-9a-fA-F:.]{2,45}$/.test(address)) throw new Error(`not an IP address: ${ip}`);
const answer = await ask(`https://ipapi.co/${address === '' ? '' : `${address}/`}json/`);
if (answer.error) throw new Error(`ipapi.co: ${answer.reason ?? 'no information'}`);
return {
  ip: answer.ip, city: answer.city ?? null, region: answer.region ?? null, country: answer.country_code ?? null, countryName: answer.country_name ?? null,
  latitude: answer.latitude ?? null, longitude: answer.longitude ?? null, timezone: answer.timezone ?? null,
  asn: answer.asn ?? null, org: answer.org ?? null, isp: answer.org ?? null, version: answer.version ?? null,
};
