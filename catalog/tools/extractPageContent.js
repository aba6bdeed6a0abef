// The readable text of a page: title, description and the main part without navigation. Links stand in it as [1], [2], …
const limit = 20_000; // characters: what a model reads in one go
const mostLinks = 100;

const response = await (async () => {
  try {
    return await fetch(pageUrl, { headers: { accept: 'text/html, text/plain;q=0.9', 'user-agent': 'glovebox-tools' }, timeout: 20_000 });
  } catch (error) {
    throw new Error(`the page could not be fetched (${error.reason ?? error.message})`);
  }
})();
if (!response.ok) throw new Error(`the page answered ${response.status}`);
const type = response.contentType ?? '';
const source = await response.text();
const cut = (text) => ({ content: text.slice(0, limit), truncated: text.length > limit });
if (source.trim() === '') return { url: response.url, title: '', description: '', content: '', truncated: false, links: [] };
if (type !== '' && !/html|xml/i.test(type)) {
  if (!/^text\/|json/i.test(type)) throw new Error(`the page is ${type}, not text`);
  return { url: response.url, title: '', description: '', ...cut(source), links: [] };
}
const page = safety.parser.html(source);
page.select('script, style, noscript, template, svg, nav, header, footer, aside, form, iframe').remove();
const main = page.select('main, article, [role=main]').first() ?? page.body() ?? page;
const meta = page.select('meta[name=description], meta[property="og:description"]').first();
const links = [];
for (const anchor of main.select('a[href]')) {
  if (links.length === mostLinks) break;
  let address;
  try {
    address = new URL(anchor.attr('href'), response.url);
  } catch {
    continue; // no address
  }
  if (!/^https?:$/.test(address.protocol)) continue;
  const words = anchor.text().trim();
  const linkTitle = anchor.attr('title').trim();
  if (words === '' && linkTitle === '' && !anchor.selectFirst('img')) continue;
  links.push({ index: links.length + 1, text: words || '[image]', url: address.href, linkTitle });
  anchor.after(` [${links.length}]`);
}
return { url: response.url, title: page.title(), description: meta ? meta.attr('content') : '', ...cut(main.text()), links };
