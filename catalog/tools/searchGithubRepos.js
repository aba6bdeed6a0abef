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

const wanted = perPage === undefined ? 5 : perPage;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 30) throw new Error('perPage must be 1..30');
const params = new URLSearchParams({ q: query, per_page: String(wanted) });
const order = sort ?? 'best-match';
if (!['best-match', 'stars', 'forks', 'updated'].includes(order)) throw new Error(`unsupported sort: ${order}; one of best-match, stars, forks, updated`);
if (order !== 'best-match') {
  params.set('sort', order);
  params.set('order', 'desc');
}
const answer = await ask(`https://api.github.com/search/repositories?${params}`, { accept: 'application/vnd.github+json' });
return (answer.items ?? []).map((repo) => ({
  fullName: repo.full_name, description: repo.description ?? null, stars: repo.stargazers_count, forks: repo.forks_count ?? null,
  language: repo.language ?? null, htmlUrl: repo.html_url, updatedAt: repo.updated_at ?? null,
}));
