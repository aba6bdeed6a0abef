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

const code = (text) => {
  const upper = text.trim().toUpperCase();
  if (!/^[A-Z]{3}$/.test(upper)) throw new Error(`not a currency code: ${text}; use three letters such as EUR`);
  return upper;
};
const source = code(from);
const target = code(to);
const sum = amount ?? 1;
const answer = await ask(`https://open.er-api.com/v6/latest/${source}`);
if (answer.result !== 'success') throw new Error(`no rates for ${source}: ${answer['error-type'] ?? 'unknown currency'}`);
const rate = answer.rates?.[target];
if (typeof rate !== 'number') throw new Error(`no rate from ${source} to ${target}`);
// Twelve digits: what a product of two decimals has beyond them is the error of binary fractions.
return { from: source, to: target, amount: sum, rate, result: Number((sum * rate).toPrecision(12)), date: answer.time_last_update_utc ?? null };
