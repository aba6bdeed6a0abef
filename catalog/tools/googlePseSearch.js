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

const wanted = resultNum === undefined ? 3 : resultNum;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 10) throw new Error('resultNum must be 1..10');
const start = startPage === undefined ? 1 : startPage;
if (!Number.isInteger(start) || start < 1 || start > 91) throw new Error('startPage must be 1..91');
const params = new URLSearchParams({ key: googleApiKey, cx: googlePseId, q: query, num: String(wanted), start: String(start) });
let answer;
try {
  answer = await ask(`https://www.googleapis.com/customsearch/v1?${params}`);
} catch (error) {
  if (error.status === 400 || error.status === 403) throw new Error(`Google refused the search; check GOOGLE_API_KEY and GOOGLE_PSE_ID (${error.message})`);
  throw error;
}
return (answer.items ?? []).map((item) => ({ title: item.title, link: item.link, snippet: item.snippet ?? '' }));
