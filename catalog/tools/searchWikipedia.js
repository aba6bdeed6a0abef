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

const languages = ['en', 'ko', 'ja', 'es', 'de', 'fr', 'zh'];
const language = (lang ?? 'en').toLowerCase();
if (!languages.includes(language)) throw new Error(`unsupported lang: ${lang}; one of ${languages.join(', ')}`);
const wanted = title.trim();
if (wanted === '') throw new Error('title is empty');
const site = `https://${language}.wikipedia.org`;
let page;
try {
  page = await ask(`${site}/api/rest_v1/page/summary/${encodeURIComponent(wanted.replaceAll(' ', '_'))}`);
} catch (error) {
  if (error.status !== 404) throw error;
  let near = [];
  try {
    const found = await ask(`${site}/w/api.php?${new URLSearchParams({ action: 'query', list: 'search', srsearch: wanted, srlimit: '5', format: 'json' })}`);
    near = (found.query?.search ?? []).map((hit) => hit.title);
  } catch {
    // the titles are a help, not the answer
  }
  throw new Error(`Wikipedia (${language}) has no article ${wanted}${near.length > 0 ? `; the nearest titles: ${near.join(', ')}` : ''}`);
}
if (!page.title) throw new Error(`${language}.wikipedia.org did not answer with an article; try again later`);
return {
  title: page.title, description: page.description ?? null, extract: page.extract ?? '', thumbnail: page.thumbnail?.source ?? null,
  pageUrl: page.content_urls?.desktop?.page ?? `${site}/wiki/${encodeURIComponent(page.title.replaceAll(' ', '_'))}`,
};
