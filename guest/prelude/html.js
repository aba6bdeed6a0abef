// installs: safety.parser.html
// needs: html.parse html.select html.is html.text html.source html.describe html.setAttribute html.go html.edit url.parse
// after: safety.js
//
// safety.parser.html: a live document that the host holds. What the guest has are wrappers around the numbers of nodes.
// The methods are those of jsoup, which the specification names, with the best known of the DOM besides; where the two
// differ under one name, as in children() and id(), it is jsoup's.

const {
  apply, exec, indexOf, isInteger, join, parse, push, slice, stringify, substring, swap, toLowerCase, toWellFormed,
  trim, Array, Number, RangeError, String, Symbol, TypeError, defineProperty,
} = primordials;

const text = (value) => (value === undefined || value === null ? '' : toWellFormed(String(value)));

// ask makes a host call about nodes.
const ask = (op, nodes, fields) => parse(host.call(op, stringify({ __proto__: null, nodes, ...fields })));

const invalid = (reason, message) => host.refuse('INVALID_INPUT', 'safety.parser.html', reason, message);

let making = -1; // the number of the node whose wrapper is being made, which no tool can make
let numberOf; // numberOf(element)
let listOf; // listOf(numbers) is an Elements

// Of a node there is one wrapper, so that === compares nodes. Nodes are numbered from 0, in the order in which the
// host names them; one that was named and is not wrapped yet has a null here, so that the list has no holes.
const wrappers = [];

function wrap(number, Class = Element) {
  while (wrappers.length <= number) push(wrappers, null);
  if (wrappers[number] === null) {
    making = number;
    wrappers[number] = new Class();
  }
  return wrappers[number];
}

// go is the first relative of a kind, or null.
function go(nodes, to) {
  const found = ask('html.go', nodes, { to });
  return found.length === 0 ? null : wrap(found[0]);
}
const goAll = (nodes, to) => listOf(ask('html.go', nodes, { to }));

// select with "self" lets the nodes themselves match, as jsoup has it.
const select = (nodes, css) => listOf(ask('html.select', nodes, { css: text(css), place: 'self' }));
const query = (nodes, css) => ask('html.select', nodes, { css: text(css) });

// contentOf is what an edit puts somewhere: an element, a list of them, or HTML.
function contentOf(value) {
  if (value instanceof Elements) return { with: numbersOf(value) };
  if (value instanceof Element) return { with: [numberOf(value)] };
  return { html: text(value) };
}

// edit changes every node at a place. To put nothing somewhere changes nothing, but for the two that take away first.
function edit(nodes, place, value) {
  const content = contentOf(value);
  if (content.html === '' && place !== 'inner' && place !== 'replace') return;
  ask('html.edit', nodes, { place, ...content });
}

// takeAway is an edit without content: remove or empty.
const takeAway = (nodes, place) => ask('html.edit', nodes, { place });

// editText puts a text, which is no HTML, into every node.
const editText = (nodes, value) => ask('html.edit', nodes, { place: 'text', html: text(value) });

const word = /[^ \t\n\f\r]+/g;
function classesOf(element) {
  const text = element.attr('class');
  const once = [];
  word.lastIndex = 0;
  for (let found = exec(word, text); found !== null; found = exec(word, text)) if (!has(once, found[0])) push(once, found[0]);
  return once;
}
function has(list, item) {
  for (let n = 0; n < list.length; n++) if (list[n] === item) return true;
  return false;
}

// quote makes a string of a selector of any text.
function quote(value) {
  return `"${swap(text(value), /[\\"\n\r\f]/g, (c) => (c === '\\' || c === '"' ? `\\${c}` : ' '))}"`;
}

class Element {
  #number = making;
  constructor() {
    if (making < 0) throw new TypeError('an Element comes from safety.parser.html');
    making = -1;
  }
  static {
    numberOf = (element) => element.#number;
  }
  #describe() { return ask('html.describe', [this.#number]); }

  // What it is.
  tagName() { return this.#describe().tag; }
  nodeName() { return this.tagName(); }
  id() { return this.attr('id'); }
  className() { return trim(this.attr('class')); }
  classNames() { return classesOf(this); }
  hasClass(name) {
    const wanted = toLowerCase(text(name));
    const classes = classesOf(this);
    for (let n = 0; n < classes.length; n++) if (toLowerCase(classes[n]) === wanted) return true;
    return false;
  }
  addClass(name) {
    const classes = classesOf(this);
    if (!has(classes, text(name))) this.attr('class', join([...classes, text(name)], ' '));
    return this;
  }
  removeClass(name) {
    const kept = [];
    const classes = classesOf(this);
    for (let n = 0; n < classes.length; n++) if (classes[n] !== text(name)) push(kept, classes[n]);
    return this.attr('class', join(kept, ' '));
  }
  toggleClass(name) { return has(classesOf(this), text(name)) ? this.removeClass(name) : this.addClass(name); }

  // Attributes. One that is not there reads as an empty text, as in jsoup.
  attr(name, value) {
    if (value === undefined) return indexOf(text(name), 'abs:') === 0 ? this.absUrl(substring(text(name), 4)) : this.getAttribute(name) ?? '';
    ask('html.setAttribute', [this.#number], { name: text(name), value: text(value) });
    return this;
  }
  // absUrl resolves an attribute against the page's own base element, if it has one.
  absUrl(name) {
    const input = this.getAttribute(name);
    if (input === null) return '';
    const bases = query([numberOf(this.root())], 'base[href]');
    const base = bases.length === 0 ? undefined : wrap(bases[0]).getAttribute('href');
    try {
      return parse(host.call('url.parse', stringify({ __proto__: null, input, base }))).href;
    } catch {
      return ''; // as jsoup has it
    }
  }
  attributes() {
    const all = {};
    const list = this.#describe().attributes;
    for (let n = 0; n < list.length; n++) {
      defineProperty(all, list[n][0], { __proto__: null, value: list[n][1], enumerable: true, writable: true, configurable: true });
    }
    return all;
  }
  hasAttr(name) { return this.getAttribute(name) !== null; }
  removeAttr(name) {
    ask('html.setAttribute', [this.#number], { name: text(name) });
    return this;
  }
  val(value) {
    if (value === undefined) return this.tagName() === 'textarea' ? this.text() : this.attr('value');
    return this.tagName() === 'textarea' ? this.text(value) : this.attr('value', value);
  }
  getAttribute(name) {
    name = toLowerCase(text(name));
    const list = this.#describe().attributes;
    for (let n = 0; n < list.length; n++) if (list[n][0] === name) return list[n][1];
    return null;
  }
  setAttribute(name, value) { this.attr(name, text(value)); }
  removeAttribute(name) { this.removeAttr(name); }
  hasAttribute(name) { return this.hasAttr(name); }

  // Text and source.
  text(value) {
    if (value === undefined) return ask('html.text', [this.#number]);
    editText([this.#number], value);
    return this;
  }
  ownText() { return ask('html.text', [this.#number], { place: 'own' }); }
  wholeText() { return ask('html.text', [this.#number], { place: 'raw' }); }
  hasText() { return this.text() !== ''; }
  data() { return this.wholeText(); } // of a script or a style
  html(value) {
    if (value === undefined) return ask('html.source', [this.#number]);
    edit([this.#number], 'inner', value);
    return this;
  }
  outerHtml() { return ask('html.source', [this.#number], { place: 'outer' }); }
  get textContent() { return this.wholeText(); }
  set textContent(value) { this.text(text(value)); }
  get innerHTML() { return this.html(); }
  set innerHTML(value) { this.html(text(value)); }
  get outerHTML() { return this.outerHtml(); }
  toString() { return this.outerHtml(); }
  toJSON() { return this.outerHtml(); }

  // Search.
  select(css) { return select([this.#number], css); }
  selectFirst(css) { return this.select(css).first(); }
  is(css) { return ask('html.is', [this.#number], { css: text(css) }); }
  matches(css) { return this.is(css); }
  closest(css) {
    for (let at = this; at !== null; at = at.parent()) if (at.is(css)) return at;
    return null;
  }
  querySelector(css) {
    const found = query([this.#number], css);
    return found.length === 0 ? null : wrap(found[0]);
  }
  querySelectorAll(css) { return listOf(query([this.#number], css)); }
  getElementById(id) { return this.querySelector(`[id=${quote(id)}]`); }
  getElementsByTag(tag) { return this.select(text(tag)); }
  getElementsByClass(name) { return this.select(`[class~=${quote(name)}]`); }
  getElementsByAttribute(name) { return this.select(`[${text(name)}]`); }

  // Relatives.
  parent() { return go([this.#number], 'parent'); }
  parents() { return goAll([this.#number], 'parents'); }
  children() { return goAll([this.#number], 'children'); }
  child(index) { return this.children().get(index); }
  childrenSize() { return this.children().length; }
  siblings() { return goAll([this.#number], 'siblings'); }
  siblingElements() { return this.siblings(); }
  next() { return go([this.#number], 'next'); }
  prev() { return go([this.#number], 'prev'); }
  nextElementSibling() { return this.next(); }
  previousElementSibling() { return this.prev(); }
  firstElementSibling() { return this.parent()?.children().first() ?? this; }
  lastElementSibling() { return this.parent()?.children().last() ?? this; }
  elementSiblingIndex() {
    const all = this.parent()?.children() ?? [];
    for (let n = 0; n < all.length; n++) if (all[n] === this) return n;
    return 0;
  }
  root() { return go([this.#number], 'root'); }

  // Changes. Content is HTML, an element or a list of elements.
  remove() { takeAway([this.#number], 'remove'); }
  empty() {
    takeAway([this.#number], 'empty');
    return this;
  }
  append(content) { return this.#edit('append', content); }
  prepend(content) { return this.#edit('prepend', content); }
  before(content) { return this.#edit('before', content); }
  after(content) { return this.#edit('after', content); }
  wrap(content) { return this.#edit('wrap', content); }
  replaceWith(content) { this.#edit('replace', content); }
  appendChild(child) { return this.append(child); }
  appendText(value) { return this.append(escape(value)); }
  appendElement(tag) {
    if (exec(/^[a-z][^\s/>\0]*$/i, text(tag)) === null) throw invalid('invalid-argument', `${text(tag)} is no name of an element`);
    this.append(`<${text(tag)}></${text(tag)}>`);
    return this.children().last();
  }
  #edit(place, content) {
    edit([this.#number], place, content);
    return this;
  }
  get [Symbol.toStringTag]() { return 'Element'; }
}

const escapes = { __proto__: null, '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escape = (value) => swap(text(value), /[&<>]/g, (c) => escapes[c]);

class Document extends Element {
  title(value) {
    const title = go([numberOf(this)], 'title');
    if (value === undefined) return title === null ? '' : title.text();
    if (title !== null) title.text(value);
    else this.head().append(`<title>${escape(value)}</title>`);
  }
  head() { return go([numberOf(this)], 'head'); }
  body() { return go([numberOf(this)], 'body'); }
  get [Symbol.toStringTag]() { return 'Document'; }
}

// Elements are an array of elements with jsoup's methods on it. What an array makes of itself, such as map and filter,
// is a plain array.
class Elements extends Array {
  static get [Symbol.species]() { return Array; }

  first() { return this.length === 0 ? null : this[0]; }
  last() { return this.length === 0 ? null : this[this.length - 1]; }
  eq(index) {
    const at = Number(index) < 0 ? this.length + Number(index) : Number(index);
    return listOf(at >= 0 && at < this.length ? [numberOf(this[at])] : []);
  }
  get(index) {
    const at = Number(index);
    if (!isInteger(at) || at < 0 || at >= this.length) throw new RangeError(`there is no element ${index} in ${this.length}`);
    return this[at];
  }
  size() { return this.length; }
  isEmpty() { return this.length === 0; }
  // each calls visit(element, index) until it returns false.
  each(visit) {
    for (let n = 0; n < this.length; n++) if (apply(visit, this[n], [this[n], n]) === false) break;
    return this;
  }
  toArray() { return slice(this, 0); }

  // Texts and sources of all.
  text(value) {
    if (value === undefined) return this.length === 0 ? '' : ask('html.text', numbersOf(this));
    if (this.length > 0) editText(numbersOf(this), value);
    return this;
  }
  eachText() { return collect(this, (e) => e.text(), (t) => t !== ''); }
  html(value) {
    if (value === undefined) return join(collect(this, (e) => e.html()), '\n');
    return change(this, 'inner', value);
  }
  outerHtml() { return join(collect(this, (e) => e.outerHtml()), '\n'); }
  toString() { return this.outerHtml(); }

  // Attributes: of the first element that has one.
  attr(name, value) {
    if (value !== undefined) {
      if (this.length > 0) ask('html.setAttribute', numbersOf(this), { name: text(name), value: text(value) });
      return this;
    }
    for (let n = 0; n < this.length; n++) {
      const found = this[n].getAttribute(name);
      if (found !== null) return found;
    }
    return '';
  }
  eachAttr(name) { return collect(this, (e) => e.getAttribute(name), (v) => v !== null); }
  attributes() { return this.length === 0 ? {} : this[0].attributes(); }
  hasAttr(name) { return collect(this, (e) => e.hasAttr(name), (v) => v).length > 0; }
  removeAttr(name) {
    if (this.length > 0) ask('html.setAttribute', numbersOf(this), { name: text(name) });
    return this;
  }
  hasClass(name) { return collect(this, (e) => e.hasClass(name), (v) => v).length > 0; }
  addClass(name) { return this.each((e) => { e.addClass(name); }); }
  removeClass(name) { return this.each((e) => { e.removeClass(name); }); }
  toggleClass(name) { return this.each((e) => { e.toggleClass(name); }); }
  val(value) {
    if (value === undefined) return this.length === 0 ? '' : this[0].val();
    return this.each((e) => { e.val(value); });
  }

  // Search and relatives.
  select(css) { return select(numbersOf(this), css); }
  querySelectorAll(css) { return listOf(query(numbersOf(this), css)); }
  querySelector(css) { return this.querySelectorAll(css).first(); }
  is(css) { return collect(this, (e) => e.is(css), (v) => v).length > 0; }
  not(css) { return listOf(numbersOf(collect(this, (e) => e, (e) => !e.is(css)))); }
  has(css) { return listOf(numbersOf(collect(this, (e) => e, (e) => e.querySelector(css) !== null))); }
  parent() { return goAll(numbersOf(this), 'parent'); }
  parents() { return goAll(numbersOf(this), 'parents'); }
  children() { return goAll(numbersOf(this), 'children'); }
  siblings() { return goAll(numbersOf(this), 'siblings'); }
  next() { return goAll(numbersOf(this), 'next'); }
  prev() { return goAll(numbersOf(this), 'prev'); }

  // Changes, to every element.
  remove() {
    if (this.length > 0) takeAway(numbersOf(this), 'remove');
    return this;
  }
  empty() {
    if (this.length > 0) takeAway(numbersOf(this), 'empty');
    return this;
  }
  append(content) { return change(this, 'append', content); }
  prepend(content) { return change(this, 'prepend', content); }
  before(content) { return change(this, 'before', content); }
  after(content) { return change(this, 'after', content); }
  wrap(content) { return change(this, 'wrap', content); }
  replaceWith(content) { return change(this, 'replace', content); }
  get [Symbol.toStringTag]() { return 'Elements'; }
}

listOf = (numbers) => {
  const list = new Elements();
  for (let n = 0; n < numbers.length; n++) push(list, wrap(numbers[n]));
  return list;
};

function numbersOf(elements) {
  const numbers = [];
  for (let n = 0; n < elements.length; n++) push(numbers, numberOf(elements[n]));
  return numbers;
}

// collect lists what read gives for each element, as far as it is wanted.
function collect(elements, read, wanted) {
  const out = [];
  for (let n = 0; n < elements.length; n++) {
    const value = read(elements[n]);
    if (wanted === undefined || wanted(value)) push(out, value);
  }
  return out;
}

function change(elements, place, content) {
  if (elements.length > 0) edit(numbersOf(elements), place, content);
  return elements;
}

host.install('safety.parser.html', function html(input) { return wrap(parse(host.call('html.parse', text(input))), Document); });
