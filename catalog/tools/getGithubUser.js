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

if (!/^[A-Za-z0-9-]{1,39}$/.test(login)) throw new Error(`not a GitHub user name: ${login}`);
let user;
try {
  user = await ask(`https://api.github.com/users/${login}`, { accept: 'application/vnd.github+json' });
} catch (error) {
  if (error.status === 404) throw new Error(`GitHub has no user ${login}`);
  throw error;
}
return {
  login: user.login, type: user.type, name: user.name ?? null, company: user.company ?? null, blog: user.blog || null, location: user.location ?? null,
  bio: user.bio ?? null, publicRepos: user.public_repos, publicGists: user.public_gists ?? null, followers: user.followers, following: user.following,
  createdAt: user.created_at, htmlUrl: user.html_url, avatarUrl: user.avatar_url ?? null,
};
