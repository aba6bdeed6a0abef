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

const wanted = pageSize === undefined ? 5 : pageSize;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 30) throw new Error('pageSize must be 1..30');
const order = sort ?? 'relevance';
if (!['relevance', 'activity', 'votes', 'creation'].includes(order)) throw new Error(`unsupported sort: ${order}; one of relevance, activity, votes, creation`);
const params = new URLSearchParams({ q: query, site: 'stackoverflow', order: 'desc', sort: order, pagesize: String(wanted) });
if (tags !== undefined) params.set('tagged', tags.split(/[\s,;]+/).filter(Boolean).join(';'));
const answer = await ask(`https://api.stackexchange.com/2.3/search/advanced?${params}`);
// Titles and names come as HTML text.
const plain = (html) => (html ? safety.parser.html(html).text() : null);
return (answer.items ?? []).map((item) => ({
  id: item.question_id, title: plain(item.title), score: item.score, answerCount: item.answer_count, isAnswered: item.is_answered,
  tags: item.tags ?? [], link: item.link, createdAt: new Date(item.creation_date * 1000).toISOString(), owner: plain(item.owner?.display_name),
}));
