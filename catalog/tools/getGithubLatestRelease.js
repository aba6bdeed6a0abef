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

const clip = (text, most) => (text.length <= most ? text : `${text.slice(0, most)}\n…[${text.length - most} of ${text.length} characters left out]`);

let release;
try {
  release = await github(`/repos/${owner}/${repo}/releases/latest`);
} catch (error) {
  if (/has no/.test(error.message)) throw new Error(`${owner}/${repo} has no published release, does not exist, or is private`);
  throw error;
}
return {
  tag: release.tag_name, name: release.name || release.tag_name, publishedAt: release.published_at, htmlUrl: release.html_url,
  body: clip(release.body ?? '', 4000),
  assets: (release.assets ?? []).map((asset) => ({ name: asset.name, downloadUrl: asset.browser_download_url, size: asset.size, downloads: asset.download_count })),
};
