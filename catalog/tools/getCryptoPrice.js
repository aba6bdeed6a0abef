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

const list = (text) => text.split(',').map((item) => item.trim().toLowerCase()).filter(Boolean);
const coins = list(ids);
const against = list(currencies ?? 'usd');
if (coins.length === 0) throw new Error('ids is empty; give names such as bitcoin,ethereum');
const params = new URLSearchParams({ ids: coins.join(','), vs_currencies: against.join(',') });
const prices = await ask(`https://api.coingecko.com/api/v3/simple/price?${params}`);
const known = coins.filter((coin) => Object.hasOwn(prices, coin));
if (known.length === 0) throw new Error(`CoinGecko knows none of: ${coins.join(', ')}; ids are words such as bitcoin, not BTC`);
return Object.fromEntries(known.map((coin) => [coin, prices[coin]]));
