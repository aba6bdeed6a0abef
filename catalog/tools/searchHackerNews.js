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

const wanted = hits === undefined ? 5 : hits;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 20) throw new Error('hits must be 1..20');
const params = new URLSearchParams({ query, hitsPerPage: String(wanted) });
if (tag !== undefined) params.set('tags', tag);
const answer = await ask(`https://hn.algolia.com/api/v1/search?${params}`);
return (answer.hits ?? []).map((hit) => ({
  id: hit.objectID, title: hit.title ?? hit.story_title ?? null, url: hit.url ?? hit.story_url ?? null, points: hit.points ?? null,
  author: hit.author ?? null, commentCount: hit.num_comments ?? null, createdAt: hit.created_at ?? null,
  hnLink: `https://news.ycombinator.com/item?id=${hit.objectID}`,
}));
