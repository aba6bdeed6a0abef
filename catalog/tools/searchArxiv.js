const wanted = max === undefined ? 5 : max;
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 50) throw new Error('max must be 1..50');
const order = sortBy ?? 'relevance';
if (!['relevance', 'lastUpdatedDate', 'submittedDate'].includes(order)) throw new Error(`unsupported sortBy: ${order}; one of relevance, lastUpdatedDate, submittedDate`);
// Words without a field are looked for in all of them.
const search = /^\s*\(*\s*(?:all|ti|au|abs|co|jr|cat|rn|id):/.test(query) ? query : `all:${query}`;
const params = new URLSearchParams({ search_query: search, start: '0', max_results: String(wanted), sortBy: order, sortOrder: 'descending' });
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
const clip = (words, most) => (words.length <= most ? words : `${words.slice(0, most)} …[${words.length - most} of ${words.length} characters left out]`);
return all(feed, 'entry').filter((entry) => text(entry, 'title') !== 'Error').map((entry) => {
  const link = (attribute, value) => all(entry, 'link').find((found) => found.attrs[attribute] === value)?.attrs.href ?? null;
  const category = all(entry, 'primary_category')[0] ?? all(entry, 'category')[0];
  return {
    id: text(entry, 'id'), title: text(entry, 'title'), summary: clip(text(entry, 'summary'), 1500),
    authors: all(entry, 'author').map((author) => text(author, 'name')), published: text(entry, 'published'), updated: text(entry, 'updated') || null,
    primaryCategory: category?.attrs.term ?? null, pdfUrl: link('title', 'pdf'), abstractUrl: link('rel', 'alternate') ?? text(entry, 'id'),
  };
});
