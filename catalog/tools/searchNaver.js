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

const types = ['blog', 'news', 'webkr', 'kin', 'encyc', 'book', 'image', 'shop', 'cafearticle', 'local'];
const which = type ?? 'blog';
if (!types.includes(which)) throw new Error(`unsupported type: ${which}; one of ${types.join(', ')}`);
const wanted = display === undefined ? 10 : Number(display);
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 100) throw new Error('display must be 1..100');
const first = start === undefined ? 1 : Number(start);
if (!Number.isInteger(first) || first < 1 || first > 1000) throw new Error('start must be 1..1000');
const params = new URLSearchParams({ query, display: String(wanted), start: String(first) });
let answer;
try {
  answer = await ask(`https://openapi.naver.com/v1/search/${which}.json?${params}`, { 'X-Naver-Client-Id': naverClientId, 'X-Naver-Client-Secret': naverClientSecret });
} catch (error) {
  if (error.status === 401) throw new Error('Naver does not accept the client id and secret; check NAVER_CLIENT_ID and NAVER_CLIENT_SECRET');
  throw error;
}
// Titles and descriptions mark the hits with <b>.
const plain = (html) => (html ? safety.parser.html(html).text() : '');
return {
  type: which, total: answer.total ?? 0, start: answer.start ?? first, display: answer.display ?? wanted,
  items: (answer.items ?? []).map((item) => ({
    title: plain(item.title), description: plain(item.description), link: item.link, pubDate: item.pubDate ?? item.postdate ?? null,
    bloggerName: item.bloggername ?? null, author: item.author ?? null,
  })),
};
