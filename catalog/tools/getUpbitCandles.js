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

const code = market.trim().toUpperCase();
if (!/^[A-Z]{2,5}-[A-Z0-9]{1,20}$/.test(code)) throw new Error(`not a market: ${market}; use a code such as KRW-BTC`);
const step = interval ?? 'days';
if (!/^(?:days|weeks|months|minutes\/(?:1|3|5|10|15|30|60|240))$/.test(step)) throw new Error(`unsupported interval: ${step}; days, weeks, months or minutes/N with N 1, 3, 5, 10, 15, 30, 60 or 240`);
const wanted = count === undefined ? 30 : Number(count);
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 200) throw new Error('count must be 1..200');
let candles;
try {
  candles = await ask(`https://api.upbit.com/v1/candles/${step}?${new URLSearchParams({ market: code, count: String(wanted) })}`);
} catch (error) {
  if (error.status === 404) throw new Error(`Upbit does not know ${code}; listUpbitMarkets lists the markets`);
  throw error;
}
if (!Array.isArray(candles)) throw new Error('Upbit did not answer with a list; try again later');
return candles.map((candle) => ({
  market: candle.market, candleDateTimeKst: candle.candle_date_time_kst, candleDateTimeUtc: candle.candle_date_time_utc,
  openingPrice: candle.opening_price, highPrice: candle.high_price, lowPrice: candle.low_price, tradePrice: candle.trade_price,
  candleAccTradeVolume: candle.candle_acc_trade_volume, candleAccTradePrice: candle.candle_acc_trade_price,
}));
