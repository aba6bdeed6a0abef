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

const place = subreddit.trim().replace(/^\/?r\//, '');
if (!/^[A-Za-z0-9_]{2,21}$/.test(place)) throw new Error(`not a subreddit: ${subreddit}; give its name without /r/, or all`);
if (query.trim() === '') throw new Error('query is empty');
const wanted = limit === undefined ? 5 : limit;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 25) throw new Error('limit must be 1..25');
const order = sort ?? 'relevance';
if (!['relevance', 'hot', 'top', 'new', 'comments'].includes(order)) throw new Error(`unsupported sort: ${order}; one of relevance, hot, top, new, comments`);
const params = new URLSearchParams({ q: query, limit: String(wanted), sort: order, raw_json: '1' });
if (place.toLowerCase() !== 'all') params.set('restrict_sr', '1');
let answer;
try {
  answer = await ask(`https://www.reddit.com/r/${place}/search.json?${params}`);
} catch (error) {
  if (error.status === 404) throw new Error(`there is no subreddit ${place}`);
  if (error.status === 403) throw new Error(`Reddit does not show ${place}, or refuses this address; try again later`);
  throw error;
}
const clip = (text, most) => (text.length <= most ? text : `${text.slice(0, most)}\n…[${text.length - most} of ${text.length} characters left out]`);
return (answer.data?.children ?? []).map(({ data: post }) => ({
  title: post?.title, author: post?.author ?? null, score: post?.score ?? null, numComments: post?.num_comments ?? null, createdUtc: post?.created_utc ?? null,
  subreddit: post?.subreddit ?? null, permalink: `https://www.reddit.com${post?.permalink ?? ''}`, url: post?.url ?? null, selftext: clip(post?.selftext ?? '', 1500),
}));
