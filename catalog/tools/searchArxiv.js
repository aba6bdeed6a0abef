const wanted = limit === undefined ? 5 : limit;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 50) throw new Error('limit must be 1..50');
const params = new URLSearchParams({ search_query: `all:${query}`, start: '0', max_results: String(wanted), sortBy: 'relevance' });
let response;
try {
  response = await fetch(`https://export.arxiv.org/api/query?${params}`, { headers: { 'user-agent': 'glovebox-tools' }, timeout: 20_000 });
} catch (error) {
  throw new Error(`export.arxiv.org could not be reached (${error.reason ?? error.message}); try again later`);
}
if (response.status === 429 || response.status === 503) throw new Error('arXiv allows no more requests now; try again in a minute');
if (!response.ok) throw new Error(`arXiv answered ${response.status}`);
let feed;
try {
  feed = safety.parser.xml(await response.text());
} catch {
  throw new Error('arXiv did not answer with a feed; try again later');
}
const all = (element, tag) => element.children.filter((child) => child.tag === tag);
const text = (element, tag) => (all(element, tag)[0]?.text ?? '').replace(/\s+/g, ' ').trim();
return all(feed, 'entry').filter((entry) => text(entry, 'title') !== 'Error').map((entry) => ({
  id: text(entry, 'id').replace(/^https?:\/\/arxiv\.org\/abs\//, ''),
  title: text(entry, 'title'),
  authors: all(entry, 'author').map((author) => text(author, 'name')),
  summary: text(entry, 'summary'),
  published: text(entry, 'published'),
  url: text(entry, 'id'),
  pdf: all(entry, 'link').find((link) => link.attrs.title === 'pdf')?.attrs.href ?? null,
}));
