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

const wanted = markets.split(',').map((market) => market.trim().toUpperCase()).filter(Boolean);
if (wanted.length === 0 || wanted.some((market) => !/^[A-Z]{2,5}-[A-Z0-9]{1,20}$/.test(market))) throw new Error(`not markets: ${markets}; use codes such as KRW-BTC, separated by commas`);
async function upbit(path) {
  try {
    return await ask(`https://api.upbit.com/v1/${path}`);
  } catch (error) {
    if (error.status === 404) throw new Error(`Upbit does not know one of: ${wanted.join(', ')}; listUpbitMarkets lists them`);
    throw error;
  }
}

const tickers = await upbit(`ticker?${new URLSearchParams({ markets: wanted.join(',') })}`);
if (!Array.isArray(tickers)) throw new Error('Upbit did not answer with a list; try again later');
return tickers.map((ticker) => ({
  market: ticker.market, tradePrice: ticker.trade_price, openingPrice: ticker.opening_price, highPrice: ticker.high_price, lowPrice: ticker.low_price,
  change: ticker.change, changeRate: ticker.change_rate, accTradeVolume24h: ticker.acc_trade_volume_24h, timestamp: ticker.timestamp,
}));
