// The readable text of a page: title, description and the main part without navigation.
const limit = 20_000; // characters: what a model reads in one go

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
const cut = (text) => ({ text: text.slice(0, limit), truncated: text.length > limit });
if (source.trim() === '') return { url: response.url, title: '', description: '', text: '', truncated: false };
if (type !== '' && !/html|xml/i.test(type)) {
  if (!/^text\/|json/i.test(type)) throw new Error(`the page is ${type}, not text`);
  return { url: response.url, title: '', description: '', ...cut(source) };
}
const page = safety.parser.html(source);
page.select('script, style, noscript, template, svg, nav, header, footer, aside, form, iframe').remove();
const main = page.select('main, article, [role=main]').first() ?? page.body();
const meta = page.select('meta[name=description], meta[property="og:description"]').first();
return {
  url: response.url,
  title: page.title(),
  description: meta ? meta.attr('content') : '',
  ...cut(main ? main.text() : page.text()),
};
