// Follows the server's events and fetches the page again when something changed. All
// pages work without it. It never makes HTML of what it was sent: elements are taken from
// the page that the server made.
'use strict';

(() => {
  const body = document.body;
  const line = document.getElementById('line');

  // Times that run: how much is left for an answer.
  function text(left) {
    if (left <= 0) return 'no time left';
    const s = Math.floor(left / 1000), m = Math.floor(s / 60), h = Math.floor(m / 60);
    const two = (n) => String(n).padStart(2, '0');
    if (h > 0) return h + ' h ' + two(m % 60) + ' min left';
    if (m > 0) return m + ' min ' + two(s % 60) + ' s left';
    return s + ' s left';
  }
  setInterval(() => {
    for (const t of document.querySelectorAll('time[data-until]')) {
      const left = Date.parse(t.dataset.until) - Date.now();
      t.textContent = text(left);
      t.classList.toggle('soon', left < 60000);
    }
  }, 1000);

  // Within a question, a and d go to its answers. They press nothing.
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.target.closest('input, textarea, select')) return;
    const question = e.target.closest('.question');
    if (!question) return;
    const to = { a: 'button.yes', d: 'button.no' }[e.key];
    if (to && question.querySelector(to)) question.querySelector(to).focus();
  });

  // A form is sent once, unless its answer is a file.
  document.addEventListener('submit', (e) => {
    if ('again' in e.target.dataset) return;
    if (e.target.dataset.sent) e.preventDefault();
    e.target.dataset.sent = 'yes';
  });

  // The editor: line numbers that go along, and a check soon after the last key. The page
  // that the server makes of the text has the problems.
  const editor = document.querySelector('[data-check]');
  if (editor) {
    const area = editor.querySelector('textarea'), margin = editor.querySelector('.margin');
    let soon, asking;
    const along = () => { margin.scrollTop = area.scrollTop; };
    const check = async () => {
      if (asking) asking.abort();
      asking = new AbortController();
      try {
        const answer = await fetch(editor.action, { method: 'POST', body: new URLSearchParams(new FormData(editor)), signal: asking.signal });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const fresh = page.getElementById('found');
        if (fresh) document.getElementById('found').replaceWith(document.adoptNode(fresh));
      } catch (e) {
        // The next key asks again; the button says what is wrong.
      }
    };
    area.addEventListener('scroll', along);
    area.addEventListener('input', () => {
      const lines = Math.min(area.value.split('\n').length, 5000);
      if (margin.textContent.split('\n').length - 1 !== lines) margin.textContent = Array.from({ length: lines }, (_, i) => i + 1 + '\n').join('');
      along();
      clearTimeout(soon);
      soon = setTimeout(check, 400);
    });
  }

  // A form with a preview shows, a moment after each change, what would come of it.
  for (const form of document.querySelectorAll('form[data-preview]')) {
    let due, asked = 0;
    form.addEventListener('input', () => {
      clearTimeout(due);
      due = setTimeout(async () => {
        const mine = ++asked;
        try {
          const answer = await fetch(form.dataset.preview, { method: 'POST', body: new URLSearchParams(new FormData(form)), redirect: 'error' });
          if (!answer.ok || mine !== asked) return;
          const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(form.dataset.into);
          if (fresh) document.getElementById(form.dataset.into).replaceChildren(...document.adoptNode(fresh).childNodes);
        } catch (e) {
          // The button Preview asks for the same.
        }
      }, 350);
    });
  }

  if (!body.dataset.events) return;
  const topics = body.dataset.topics.split(' ');

  // What a person is writing stays.
  function busy(element) {
    for (const input of element.querySelectorAll('input:not([type=hidden]), textarea, select')) {
      if (input === document.activeElement || input.value !== (input.defaultValue ?? input.value) || input.checked !== input.defaultChecked) return true;
    }
    return false;
  }
  // Places of the time say something else each time they are fetched.
  function same(a, b) {
    const bare = (e) => { const copy = e.cloneNode(true); for (const t of copy.querySelectorAll('time')) t.textContent = ''; return copy.outerHTML; };
    return bare(a) === bare(b);
  }
  function replace(old, fresh) {
    const open = [...old.querySelectorAll('details')].map((d) => d.open);
    const id = old.contains(document.activeElement) && document.activeElement.id;
    fresh.querySelectorAll('details').forEach((d, i) => { d.open = open[i] || d.open; });
    old.replaceWith(fresh);
    if (id && document.getElementById(id)) document.getElementById(id).focus();
  }
  function take(page) {
    document.title = page.title;
    for (const old of document.querySelectorAll('[data-live]')) {
      const fresh = page.getElementById(old.id);
      if (fresh && !busy(old) && !(old.contains(document.activeElement) && !document.activeElement.id) && old.outerHTML !== fresh.outerHTML) replace(old, document.adoptNode(fresh));
    }
    for (const list of document.querySelectorAll('[data-live-list]')) {
      const fresh = page.getElementById(list.id);
      if (!fresh) continue;
      const stays = new Set([...fresh.children].map((c) => c.id));
      for (const child of [...list.children]) {
        if (stays.has(child.id)) continue;
        if (child.contains(document.activeElement)) document.getElementById('main').focus();
        child.remove();
      }
      [...fresh.children].forEach((child, i) => {
        const old = document.getElementById(child.id);
        if (!old) {
          list.insertBefore(document.adoptNode(child), list.children[i] || null);
        } else if (!busy(old) && !old.contains(document.activeElement) && !same(old, child)) {
          replace(old, document.adoptNode(child));
        }
      });
    }
  }

  let fetching = false, again = false;
  async function refresh() {
    if (fetching) { again = true; return; }
    fetching = true;
    try {
      const answer = await fetch(location.href, { cache: 'no-store', redirect: 'error' });
      if (answer.status === 401 || answer.status === 404) { over(); return; } // after a restart the path is another one
      if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    } catch (e) {
      // The stream notices a lost connection, too, and says so.
    } finally {
      fetching = false;
      if (again) { again = false; refresh(); }
    }
  }

  let stream, ended = false;
  function say(what) { if (line.textContent !== what) line.textContent = what; body.classList.toggle('lost', what !== ''); }
  function over() {
    ended = true;
    if (stream) stream.close();
    say(body.dataset.over);
  }
  function follow() {
    stream = new EventSource(body.dataset.events);
    stream.addEventListener('hello', () => { say(''); refresh(); });
    stream.addEventListener('changed', (e) => { if (e.data.split(' ').some((t) => topics.includes(t))) refresh(); });
    stream.addEventListener('bye', over);
    stream.addEventListener('error', () => {
      if (ended) return;
      say('The connection to the server is lost. Trying again …');
      if (stream.readyState === EventSource.CLOSED) {
        // It was refused, or the browser gave up: see which.
        refresh();
        setTimeout(() => { if (!ended) follow(); }, 2000);
      }
    });
  }
  follow();
})();
