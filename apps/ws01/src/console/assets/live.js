// The part of a page that a stream keeps up to date while the page is seen. Without a stream it is asked for. Who looks
// at it is told while neither comes. What changes does not move what a reader is about to press, nor what they typed.

/** A connection without a sign of life for so long is lost; ms. The service gives one every 5 s. */
const STALE_MS = 10_000;

const [lost, news] = ['lost', 'news'].map((id) => document.getElementById(id));
let live;
let stream;
let silence;
/** What came and is not shown yet. */
let held;
/** Whether something was typed or chosen in the part. */
let touched = false;
/** Whether a button of the mouse, or a finger, is down: what is replaced before it is up gets no click. */
let pressed = false;
/** What came while it was. */
let late;

function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** The rows of a part by what they lead to. */
function rowsOf(part) {
  const rows = new Map();
  for (const row of part.querySelectorAll('tbody tr')) {
    const path = row.querySelector('a[href]')?.getAttribute('href');
    if (path !== undefined) rows.set(path, row);
  }
  return rows;
}

/** What a fold is called. */
const foldNameOf = (details) => details.id || details.querySelector('summary').textContent;

/** Finds an element again in the part that takes the place of its own. */
function findAgain(element, fresh) {
  if (fresh.contains(element)) return element;
  if (element.matches('summary')) {
    const name = foldNameOf(element.parentElement);
    const fold = [...fresh.querySelectorAll('details')].find((one) => foldNameOf(one) === name);
    return fold?.querySelector('summary');
  }
  const by = element.id === '' ? ['href', 'name', 'value', 'aria-label'] : ['id'];
  const named = by.filter((one) => element.hasAttribute(one));
  const selectors = named.map((one) => `[${one}="${CSS.escape(element.getAttribute(one))}"]`);
  return named.length === 0 ? undefined : fresh.querySelector(selectors.join(''));
}

function renew(fresh) {
  const { activeElement } = document;
  const hadFocus = live.contains(activeElement);
  const [kept, chart] = [live, fresh].map((part) => part.querySelector('[data-chart]'));
  if (charts.has(kept) && chart !== null && dataOf(kept).length === dataOf(chart).length) {
    kept.setAttribute('aria-label', chart.getAttribute('aria-label'));
    kept.dataset.chart = chart.dataset.chart;
    charts.get(kept).setData(dataOf(kept));
    chart.replaceWith(kept);
  }
  const again = hadFocus ? findAgain(activeElement, fresh) : undefined;
  const scrolled = new Map(
    [...live.querySelectorAll('.scroll')].map((table) => [table.ariaLabel, table.scrollLeft]),
  );
  const unfolded = new Set([...live.querySelectorAll('details[open]')].map(foldNameOf));
  for (const one of fresh.querySelectorAll('details')) one.open ||= unfolded.has(foldNameOf(one));
  live.replaceChildren(fresh);
  // How much waits stands in the tab, too.
  document.title = live.querySelector('[data-tab]')?.dataset.tab ?? document.title;
  const state = live.querySelector('[data-standing]');
  const standing = document.getElementById('standing');
  if (state !== null) standing?.replaceChildren(...state.cloneNode(true).childNodes);
  again?.focus({ preventScroll: true });
  for (const table of live.querySelectorAll('.scroll'))
    table.scrollTo({ left: scrolled.get(table.ariaLabel) ?? 0 });
  htmx.process(live);
  dress(live);
  forget();
}

/** Nothing waits to be shown. */
function forget() {
  touched = false;
  held = undefined;
  say(news, '');
}

/** Shows what became of the rows that are there, and marks those that are none of these records any more. */
function renewRows(mine, theirs) {
  const paths = [...mine.keys()];
  const last = paths.findLastIndex((path) => theirs.has(path));
  const isMore = [...theirs.keys()].some((path) => !mine.has(path));
  for (const [at, path] of paths.entries()) {
    const [row, fresh] = [mine.get(path), theirs.get(path)];
    // Newer ones may have pushed the last ones off the page.
    if (fresh === undefined) row.classList.toggle('gone', at < last || !isMore);
    else if (!row.contains(document.activeElement) && row.querySelector(':checked') === null)
      row.replaceWith(fresh.cloneNode(true));
  }
  dress(live);
}

function receive(markup) {
  late = pressed ? markup : undefined;
  if (pressed) return;
  const fresh = document.createElement('template');
  fresh.innerHTML = markup;
  const [mine, theirs] = [rowsOf(live), rowsOf(fresh.content)];
  const { anchorNode, isCollapsed } = getSelection();
  const isMarked = !isCollapsed && live.contains(anchorNode);
  const stays = mine.size === 0 || String([...mine.keys()]) === String([...theirs.keys()]);
  const hasRecords = live.dataset.news !== undefined;
  if (!touched && !isMarked && (stays || !hasRecords)) return renew(fresh.content);
  held = markup;
  if (hasRecords) renewRows(mine, theirs);
  if (hasRecords && stays) return;
  const count = [...theirs.keys()].filter((path) => !mine.has(path)).length;
  const { news: text, changed } = live.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = hasRecords && count > 0 ? text.replace('{count}', count) : changed;
  button.addEventListener('click', show);
  if (news.textContent !== button.textContent) news.replaceChildren(button);
}

function show() {
  const fresh = document.createElement('template');
  fresh.innerHTML = held;
  renew(fresh.content);
  const place = live.querySelector('.scroll') ?? document.getElementById('content');
  place.focus();
}

const tell = (text) => say(lost, text);

async function ask() {
  const headers = { 'HX-Request': 'true' };
  const asked = { headers, signal: AbortSignal.timeout(STALE_MS) };
  const answer = await fetch(live.dataset.stream, asked)
    .then(async (it) => ({ ok: it.ok, status: it.status, text: await it.text() }))
    .catch(() => undefined);
  tell(answer?.ok ? '' : live.dataset[answer?.status === 401 ? 'ended' : 'lost']);
  if (answer?.ok) receive(answer.text);
}

/** A connection that broke without a word stays open for the browser. */
function lived() {
  clearTimeout(silence);
  silence = setTimeout(() => {
    if (document.hidden) return;
    tell(live.dataset.lost);
    follow();
  }, STALE_MS);
}

function follow() {
  stream?.close();
  live = document.querySelector('[data-stream]');
  stream = live === null || document.hidden ? undefined : new EventSource(live.dataset.stream);
  if (live === null) return;
  lived();
  stream?.addEventListener('open', () => {
    lived();
    tell('');
  });
  stream?.addEventListener('alive', lived);
  stream?.addEventListener('message', ({ data }) => {
    lived();
    receive(JSON.parse(data));
  });
  // The browser connects again by itself, unless it got an answer that is no stream.
  stream?.addEventListener('error', ({ target }) => {
    if (target.readyState === EventSource.CLOSED) ask();
    else tell(live.dataset.lost);
  });
}

if (document.querySelector('[data-stream]') !== null) {
  follow();
  document.addEventListener('visibilitychange', follow);
  document.addEventListener('input', ({ target }) => {
    if (live?.contains(target)) touched = true;
  });
  document.addEventListener('pointerdown', ({ button }) => {
    pressed = button === 0;
  });
  for (const end of ['pointerup', 'pointercancel', 'contextmenu'])
    document.addEventListener(end, () => {
      pressed = false;
      // The click comes first.
      setTimeout(() => late !== undefined && receive(late));
    });
  // A filter, or another page of the list.
  document.addEventListener('htmx:afterSwap', () => {
    if (live?.isConnected) return;
    forget();
    follow();
  });
  setInterval(() => {
    if (live === null || document.hidden || stream?.readyState === EventSource.OPEN) return;
    if (stream?.readyState === EventSource.CLOSED) follow();
    else ask();
  }, STALE_MS);
}
