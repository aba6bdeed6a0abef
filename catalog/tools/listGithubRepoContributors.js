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

const names = /^[A-Za-z0-9._-]{1,100}$/;
for (const [what, value] of Object.entries({ owner, repo })) {
  if (!names.test(value)) throw new Error(`${what} is not a GitHub name: ${value}`);
}
async function github(path) {
  try {
    return await ask(`https://api.github.com${path}`, { accept: 'application/vnd.github+json' });
  } catch (error) {
    if (error.status === 404) throw new Error(`GitHub has no ${owner}/${repo}, or it is private`);
    throw error;
  }
}

const wanted = perPage === undefined ? 10 : perPage;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 100) throw new Error('perPage must be 1..100');
const people = await github(`/repos/${owner}/${repo}/contributors?per_page=${wanted}`);
if (!Array.isArray(people)) throw new Error('GitHub did not answer with a list; try again later');
return people.map((person) => ({
  login: person.login ?? null, contributions: person.contributions, htmlUrl: person.html_url ?? null, avatarUrl: person.avatar_url ?? null,
}));
