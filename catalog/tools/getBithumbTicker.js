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

const code = symbol.trim().toUpperCase();
if (!/^[A-Z0-9]{1,20}$/.test(code)) throw new Error(`not a symbol: ${symbol}; use one such as BTC`);
async function bithumb(path) {
  const answer = await ask(`https://api.bithumb.com/public/${path}`);
  // Errors come with the HTTP status 200.
  if (answer.status !== '0000') throw new Error(`Bithumb refused ${code} (${answer.status ?? 'no status'}): ${answer.message ?? 'no reason given'}`);
  return answer.data ?? {};
}

const ticker = await bithumb(`ticker/${code}_KRW`);
const number = (value) => (value === undefined || value === null || value === '' ? null : Number(value));
return {
  symbol: code, openingPrice: number(ticker.opening_price), closingPrice: number(ticker.closing_price), minPrice: number(ticker.min_price),
  maxPrice: number(ticker.max_price), unitsTraded24h: number(ticker.units_traded_24H), accTradeValue24h: number(ticker.acc_trade_value_24H),
  fluctate24h: number(ticker.fluctate_24H), fluctateRate24h: number(ticker.fluctate_rate_24H),
};
